"""Combinations of tasks: fronts, and the best tree within limits."""
