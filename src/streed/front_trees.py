"""The trees of a front, all counted anew at once.

A front has hundreds of trees over the same rows. Their nodes stand in one long array; level by level, a mask
says which rows reach each node, and one matrix product adds up what the rows are worth there. Rows that are
equal in all features that the trees test are put together first. What the engine has found is checked as
`Tree` would do it, for all trees together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import StreedError
from streed.tasks.base import ClassErrors, CostTable, Lowered
from streed.tree import Tree

BLOCK = 2**22
"""So many pairs of a node and a row are looked at in one go."""

KEY_BITS = 62
"""Rows are put together where the trees test no more features than this."""


class FlatTrees:
    """Nodes of many trees in one array each; `start` has the root of each tree, children count from 0 there.

    `trees` have the form of the engine; their arrays are checked.
    """

    def __init__(self, trees: Sequence[dict[str, Any]], n_features: int, n_labels: int) -> None:
        self.feature, self.left, self.right, self.label = (
            np.concatenate([np.asarray(tree[name], np.int32) for tree in trees])
            for name in ("feature", "left", "right", "label")
        )
        sizes = np.array([len(tree["feature"]) for tree in trees])
        self.ends = np.cumsum(sizes)
        self.start = self.ends - sizes
        self.tree = np.repeat(np.arange(sizes.size), sizes)
        self.branching = self.feature >= 0
        self.parents = np.flatnonzero(self.branching)
        offset = self.start[self.tree[self.parents]]
        self.children = self.left[self.parents] + offset, self.right[self.parents] + offset
        self._check(n_features, n_labels)

    def _check(self, n_features: int, n_labels: int) -> None:
        """Refuse arrays that are no trees: every node but the roots has one parent, which comes before it."""
        children = np.concatenate(self.children)
        others = np.delete(np.arange(self.feature.size), self.start)
        label = self.label[~self.branching]
        if (
            not np.array_equal(np.sort(children), others)
            or (children <= np.tile(self.parents, 2)).any()
            or (self.tree[children] != self.tree[np.tile(self.parents, 2)]).any()
            or (self.feature < -1).any()
            or (self.feature >= n_features).any()
            or (label < 0).any()
            or (label >= n_labels).any()
        ):
            raise StreedError("internal error, please report it: the engine's front holds what is no tree")

    def levels(self) -> list[NDArray[np.int64]]:
        """Positions among `parents` of the branching nodes of each level, from the roots down."""
        level = np.zeros(self.feature.size, np.int64)
        reached, found = np.flatnonzero(np.isin(self.parents, self.start)), []
        where = np.full(self.feature.size, -1)
        where[self.parents] = np.arange(self.parents.size)
        while reached.size:
            found.append(reached)
            below = np.concatenate([side[reached] for side in self.children])
            level[below] = len(found)
            reached = where[below]
            reached = np.sort(reached[reached >= 0])
        return found

    def sums(self, features: NDArray[np.uint8], columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up columns of numbers over the rows that reach each node: shape (nodes, columns)."""
        tested, place = np.unique(self.feature[self.parents], return_inverse=True)
        has, columns = merged(features[:, tested] != 0, columns)
        out = np.empty((self.feature.size, columns.shape[1]))
        levels = self.levels()
        per_tree = max(1, int(np.max(self.ends - self.start)) * columns.shape[0])
        step = max(1, BLOCK // per_tree)
        for first in range(0, self.start.size, step):
            begin, end = self.start[first], self.ends[min(first + step, self.start.size) - 1]
            reach = np.ones((end - begin, columns.shape[0]), dtype=bool)
            for level in levels:
                here = level[(self.parents[level] >= begin) & (self.parents[level] < end)]
                own = reach[self.parents[here] - begin]
                test = has[place[here]]
                reach[self.children[0][here] - begin] = own & ~test
                reach[self.children[1][here] - begin] = own & test
            out[begin:end] = reach.astype(np.float64) @ columns
        return out

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values of nodes for each tree."""
        return np.add.reduceat(values, self.start)

    def from_leaves(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give branching nodes the sum of the values of the leaves below them."""
        out = np.where(self.branching, 0.0, values)
        for level in reversed(self.levels()):
            out[self.parents[level]] = out[self.children[0][level]] + out[self.children[1][level]]
        return out


def merged(
    has: NDArray[np.bool_], columns: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Put equal rows together: features as rows of a matrix, and the sums of the columns.

    Examples
    --------
    >>> has, columns = merged(np.array([[True], [False], [True]]), np.array([[1.0], [2.0], [4.0]]))
    >>> has.tolist(), columns.tolist()
    ([[False, True]], [[2.0], [5.0]])
    """
    if has.shape[1] > KEY_BITS:
        return np.ascontiguousarray(has.T), columns
    keys = has @ (1 << np.arange(has.shape[1], dtype=np.int64))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    sums = [np.bincount(group, weights=column, minlength=first.size) for column in columns.T]
    return np.ascontiguousarray(has[first].T), np.stack(sums, axis=1)


def part_columns(lowered: Lowered, n_rows: int) -> NDArray[np.float64]:
    """Columns of a part: 1 for each of its rows, what the row costs under each label, its classes' weights."""
    leaf, labels = lowered.leaf, np.arange(lowered.classes.size)
    if isinstance(leaf, CostTable):
        costs = leaf.costs
    else:
        assert isinstance(leaf, ClassErrors)
        costs = np.where(leaf.codes[:, None] != labels, leaf.weights[:, None], 0.0)
    parts = [np.ones((costs.shape[0], 1)), costs]
    if lowered.tally is not None:
        parts.append((lowered.tally.codes[:, None] == labels) * lowered.tally.weights[:, None])
    own = np.concatenate(parts, axis=1)
    if lowered.rows is None:
        return own
    whole = np.zeros((n_rows, own.shape[1]))
    whole[lowered.rows] = own
    return whole


def count_trees(
    parts: Sequence[Lowered],
    shown: int,
    value_name: str,
    sign: float,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answers: Sequence[dict[str, Any]],
) -> tuple[list[Tree], NDArray[np.float64]]:
    """Make trees of the engine's answers, with everything that is shown of the part `shown` counted anew.

    Returns
    -------
    tuple
        The trees, and the cost of each of them in each part, in engine units.
    """
    flat = FlatTrees(answers, features.shape[1], parts[0].classes.size)
    columns = [part_columns(part, features.shape[0]) for part in parts]
    sums = flat.sums(features, np.concatenate(columns, axis=1))
    ends = np.cumsum([column.shape[1] for column in columns])
    leaves = np.flatnonzero(~flat.branching)
    n_nodes = flat.totals(flat.branching.astype(np.float64))
    costs = np.empty((len(answers), len(parts)))
    trees: list[Tree] = []
    for k, part in enumerate(parts):
        own = sums[:, ends[k] - columns[k].shape[1] : ends[k]]
        paid = np.zeros(flat.feature.size)
        paid[leaves] = own[leaves, 1 + flat.label[leaves]]
        costs[:, k] = flat.totals(paid) + part.branch_cost * n_nodes
        if k == shown:
            values = flat.from_leaves(paid) if value_name else None
            trees = _trees(flat, part, own, values, sign, value_name, features.shape[1], names)
    return trees, costs


def _trees(
    flat: FlatTrees,
    part: Lowered,
    own: NDArray[np.float64],
    paid: NDArray[np.float64] | None,
    sign: float,
    value_name: str,
    n_features: int,
    names: Sequence[str] | None,
) -> list[Tree]:
    """Cut the long arrays into trees; they were checked together."""
    samples = np.rint(own[:, 0]).astype(np.int64)
    k = part.classes.size
    weights = None if part.tally is None else np.ascontiguousarray(own[:, 1 + k :])
    values = None if paid is None else sign * part.scale * paid / np.maximum(samples, 1) + 0.0
    shared = {
        "classes": part.classes,
        "n_features": n_features,
        "feature_names": None if names is None else tuple(map(str, names)),
        "value_name": value_name,
        "conditions": None,
        "prices": None,
    }
    trees = []
    for start, end in zip(flat.start.tolist(), flat.ends.tolist(), strict=True):
        trees.append(
            Tree.trusted(
                feature=flat.feature[start:end],
                left=flat.left[start:end],
                right=flat.right[start:end],
                label=flat.label[start:end],
                n_samples=samples[start:end],
                class_weights=None if weights is None else weights[start:end],
                values=None if values is None else values[start:end],
                **shared,
            )
        )
    return trees
