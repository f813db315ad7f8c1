"""`check_separable`: looks for a counterexample to the separability of a task."""

from streed.separable.check import check_separable

__all__ = ["check_separable"]
