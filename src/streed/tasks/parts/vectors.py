"""Tasks with several additive values per row and label, as the six components of the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from streed.reference import Components

Vector = tuple[Any, ...]


def dominates(v: Vector, w: Vector) -> bool:
    """Whether v is at most w in every component, and differs.

    Examples
    --------
    >>> dominates((1, 2), (1, 3)), dominates((1, 2), (2, 1)), dominates((1, 2), (1, 2))
    (True, False, False)
    """
    return v != w and all(a <= b for a, b in zip(v, w, strict=True))


def vector_components(
    X: ArrayLike,
    rows: NDArray[np.int64] | None,
    costs: NDArray[Any],
    min_samples_leaf: int,
    better: Callable[[Any, Any], bool] = dominates,
    branch: tuple[Any, ...] | None = None,
) -> Components[Any, Any]:
    """Make components whose values are tuples: the sums of costs[row, label] over all rows of a tree."""
    from streed.reference import Components

    table = np.asarray(X, dtype=bool)
    has = (table if rows is None else table[rows]).tolist()
    n, n_labels, size = costs.shape
    plain: list[list[list[Any]]] = costs.tolist()
    nothing = (0,) * size if branch is None else branch

    def add(v: tuple[Any, ...], w: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(a + b for a, b in zip(v, w, strict=True))

    def cost_leaf(state: tuple[int, ...], label: int) -> tuple[Any, ...]:
        return tuple(sum(plain[i][label][j] for i in state) for j in range(size))

    def transition(state: tuple[int, ...], feature: int, side: bool) -> tuple[int, ...]:
        return tuple(i for i in state if has[i][feature] == side)

    return Components(
        cost_leaf=cost_leaf,
        cost_branch=lambda state, feature: nothing,
        transition=transition,
        better=better,
        combine=add,
        feasible=lambda v, state: len(state) >= min_samples_leaf,
        initial_state=tuple(range(n)),
        labels=range(n_labels),
        features=range(table.shape[1]),
    )
