"""scikit-learn's greedy tree of the same depth: its cuts, and the tree itself as an answer of the engine.

Its cuts are among those that ``cuts="auto"`` chooses. The tree takes the place of one that a time limit left
and that costs more, so that a tree that is not proven is not worse than a greedy one, either.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from streed.options import Limits
from streed.thresholds.columns import Ranks


class GreedyTable(NamedTuple):
    """The columns of a table as scikit-learn's trees take them: numbers, and binary features of others."""

    X: NDArray[np.float32]
    engine: list[int]
    """The column of ranks that each column is, -1 for those that the engine has as binary features."""
    bits: NDArray[np.uint8]
    """Binary features that follow the columns of ranks."""
    ranks: list[Ranks]

    def grow(self, y: Any, weights: Any, limits: Limits, *, classes: bool) -> Any:
        """Grow a tree within the limits and return its arrays."""
        kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
        depth = None if limits.unlimited else max(limits.max_depth, 1)
        bound = depth is not None and limits.max_nodes < 2**depth - 1
        model = kind(
            max_depth=depth,
            max_leaf_nodes=max(limits.max_nodes + 1, 2) if bound else None,
            min_samples_leaf=limits.min_samples_leaf,
            random_state=0,
        )
        return model.fit(self.X, y, weights).tree_

    def splits(self, tree: Any) -> tuple[NDArray[np.int32], NDArray[np.bool_]] | None:
        """Return the splits of the engine that the nodes of a tree are, and which have their sides swapped.

        A split is a column, a rank, the next rank, and the side of missing values. scikit-learn sends rows up
        to a threshold to the left, the engine to the right; with the sides swapped it is the other way round.
        None if a test has no counterpart.
        """
        found = np.zeros((tree.node_count, 4), np.int32)
        swapped = np.zeros(tree.node_count, np.bool_)
        sides = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count, np.uint8))
        for node in np.flatnonzero(tree.feature >= 0).tolist():
            column, threshold = int(tree.feature[node]), float(tree.threshold[node])
            split = self._split(column, threshold, bool(sides[node]))
            if split is None:
                return None
            *found[node], swapped[node] = split
        return found, swapped

    def _split(self, column: int, threshold: float, side: bool) -> tuple[int, int, int, int, bool] | None:
        place = self.engine[column]
        if place >= 0:
            below = int(np.count_nonzero(short_distinct(self.ranks[place]) <= threshold))
            if below == len(self.ranks[place].distinct):  # the test for missing values
                return (place, -1, 0, 1, True)
            return (place, below - 1, below, int(side), False)
        values = self.X[:, column]
        holds = np.where(np.isnan(values), side, values <= threshold)[:, None]
        for swapped in (False, True):
            same = np.flatnonzero(((self.bits != 0) == (holds != swapped)).all(axis=0))
            if same.size:
                return (len(self.ranks) + int(same[0]), 0, 1, 0, swapped)
        return None

    def answer(self, tree: Any) -> dict[str, Any] | None:
        """Write a tree as the engine writes its own, without labels; None if a test has no counterpart."""
        known = self.splits(tree)
        if known is None:
            return None
        found, swapped = known
        inner = tree.feature >= 0
        feature = np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32)
        first, second = tree.children_left, tree.children_right
        names = ("column", "rank", "next_rank", "missing_right")
        return {
            "feature": feature,
            "left": np.where(swapped, first, second).astype(np.int32),
            "right": np.where(swapped, second, first).astype(np.int32),
            **{name: found[inner, position] for position, name in enumerate(names)},
        }


def short_numbers(ranks: Ranks) -> NDArray[np.float32]:
    """Return a column as scikit-learn's trees hold it."""
    values: NDArray[np.float32] = np.append(short_distinct(ranks), np.float32(np.nan))
    return values[ranks.codes]


def short_distinct(ranks: Ranks) -> NDArray[np.float32]:
    """Return the distinct values of a column in 32 bits; huge ones are cut off, so that sums stay finite."""
    return np.asarray(ranks.distinct, np.float64).clip(-1e30, 1e30).astype(np.float32)
