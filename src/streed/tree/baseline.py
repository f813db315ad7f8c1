"""What simpler models are worth on the rows of a fit, to compare its tree with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Baseline:
    """Values of simpler models, in the units of the objective.

    Parameters
    ----------
    single_leaf : float or None
        Value of the best single leaf; None if it is not known.
    greedy : float, function or None
        Value of a tree of the same limits that was grown greedily, as scikit-learn grows it, with the best
        label in every leaf; or a function that grows it when it is asked for. None if it is not known.
    """

    def __init__(
        self, single_leaf: float | None = None, greedy: float | Callable[[], float | None] | None = None
    ) -> None:
        self.single_leaf = single_leaf
        self._greedy = greedy

    @property
    def greedy(self) -> float | None:
        """Value of a greedy tree of the same limits; it is grown when it is asked for the first time."""
        if callable(self._greedy):
            self._greedy = self._greedy()
        return self._greedy

    def __getstate__(self) -> dict[str, Any]:
        """Grow the tree first: the rows are no part of what is stored."""
        return {"single_leaf": self.single_leaf, "_greedy": self.greedy}

    def __repr__(self) -> str:
        return f"Baseline(single_leaf={self.single_leaf!r}, greedy={self.greedy!r})"
