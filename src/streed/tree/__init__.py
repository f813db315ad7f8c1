"""Trees, results and conditions: plain data that the solver makes and the views show."""

from streed.tree.tree import Tree

__all__ = ["Tree"]
