"""Optimal trees of every size, and for every price of a branching node."""

from streed.paths.complexity import ComplexityPath, Step, complexity_path
from streed.paths.sizes import SizePath, size_path

__all__ = ["ComplexityPath", "SizePath", "Step", "complexity_path", "size_path"]
