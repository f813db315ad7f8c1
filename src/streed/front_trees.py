"""The trees of a front, all counted anew at once.

A front has hundreds of trees over the same rows. Their nodes stand in one long array; level by level, a mask
says which rows go along each path that occurs, and what these rows are worth is added up for the leaves. Rows
that are equal in all features that the trees test are put together first. What the engine has found is
checked as `Tree` would do it, for all trees together.
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
"""So many pairs of a tree and a row are looked at in one go."""

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
        self.tested = self.feature.astype(np.int64)  # position of each feature among those that are looked at
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
        where = np.full(self.feature.size, -1)
        where[self.parents] = np.arange(self.parents.size)
        reached, found = where[self.start], []
        while (reached := reached[reached >= 0]).size:
            found.append(reached)
            reached = where[np.concatenate([side[reached] for side in self.children])]
        return found

    def sums(self, has: NDArray[np.bool_], columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up columns of numbers over the rows that reach each leaf: shape (nodes, columns).

        `has` says of each feature which rows have it. Trees of a front share most of their leaves: the rows
        of a path are looked for once, whatever the number of trees that have it.
        """
        out = np.zeros((self.feature.size, columns.shape[1]))
        path = np.zeros(self.feature.size, dtype=np.int64)
        reach = np.ones((1, columns.shape[0]), dtype=bool)
        self._add_up(self.start, path, reach, columns, out)
        for level in self.levels():
            parents = self.parents[level]
            steps = 2 * (path[parents] * has.shape[0] + self.tested[parents])
            nodes = np.concatenate([side[level] for side in self.children])
            paths, path[nodes] = np.unique(np.concatenate([steps, steps + 1]), return_inverse=True)
            before, test = np.divmod(paths // 2, has.shape[0])
            reach = reach[before] & (has[test] == (paths % 2 == 1)[:, None])
            self._add_up(nodes, path, reach, columns, out)
        return out

    def _add_up(
        self,
        nodes: NDArray[np.int64],
        path: NDArray[np.int64],
        reach: NDArray[np.bool_],
        columns: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None:
        """Fill in the sums of the leaves among some nodes of one level."""
        leaves = nodes[~self.branching[nodes]]
        paths, place = np.unique(path[leaves], return_inverse=True)
        if not paths.size:
            return
        at, row = np.nonzero(reach[paths])
        for k, column in enumerate(columns.T):
            out[leaves, k] = np.bincount(at, weights=column[row], minlength=paths.size)[place]

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values of nodes for each tree."""
        return np.add.reduceat(values, self.start)

    def add_branching(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give branching nodes the sums of what the leaves below them have."""
        out = values.copy()
        for level in reversed(self.levels()):
            out[self.parents[level]] = out[self.children[0][level]] + out[self.children[1][level]]
        return out


def merged(
    features: NDArray[np.uint8], columns: NDArray[np.float64], tested: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Put rows together that are equal where it matters: features as rows of a matrix, sums of the columns.

    Examples
    --------
    >>> features = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    >>> has, columns = merged(features, np.array([[1.0], [2.0], [4.0]]), np.array([0]))
    >>> has.tolist(), columns.tolist()
    ([[False, True]], [[2.0], [5.0]])
    """
    has = features[:, tested] != 0
    if tested.size > KEY_BITS:
        return np.ascontiguousarray(has.T), columns
    keys = has @ (1 << np.arange(tested.size, dtype=np.int64))
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
    columns = np.concatenate([part_columns(part, features.shape[0]) for part in parts], axis=1)
    shared = {
        "classes": parts[shown].classes,
        "n_features": features.shape[1],
        "feature_names": None if names is None else tuple(map(str, names)),
        "value_name": value_name,
        "conditions": None,
        "prices": None,
    }
    trees: list[Tree] = []
    costs: list[NDArray[np.float64]] = []
    step = max(16, BLOCK // features.shape[0])
    for first in range(0, len(answers), step):
        flat = FlatTrees(answers[first : first + step], features.shape[1], parts[0].classes.size)
        counted = _count(flat, parts, features, columns)
        costs.append(np.stack([flat.totals(paid) for _, paid in counted], axis=1))
        n_nodes = flat.totals(flat.branching.astype(np.float64))
        costs[-1] += n_nodes[:, None] * np.array([part.branch_cost for part in parts])
        own, paid = counted[shown]
        trees += _trees(flat, parts[shown], own, paid if value_name else None, sign, shared)
    return trees, np.concatenate(costs)


def _count(
    flat: FlatTrees, parts: Sequence[Lowered], features: NDArray[np.uint8], columns: NDArray[np.float64]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each part, the sums of its columns at the leaves, and what each leaf costs under its label."""
    tested, place = np.unique(flat.feature[flat.parents], return_inverse=True)
    has, columns = merged(features, columns, tested)
    flat.tested[flat.parents] = place
    sums = flat.sums(has, columns)
    leaves, counted, end = np.flatnonzero(~flat.branching), [], 0
    for part in parts:
        start, end = end, end + width(part)
        paid = np.zeros(flat.feature.size)
        paid[leaves] = sums[leaves, start + 1 + flat.label[leaves]]
        counted.append((sums[:, start:end], paid))
    return counted


def width(part: Lowered) -> int:
    """Give the number of columns that `part_columns` makes."""
    return 1 + part.classes.size * (1 if part.tally is None else 2)


def _trees(
    flat: FlatTrees,
    part: Lowered,
    own: NDArray[np.float64],
    paid: NDArray[np.float64] | None,
    sign: float,
    shared: dict[str, Any],
) -> list[Tree]:
    """Cut the long arrays into trees; they were checked together."""
    own = flat.add_branching(own)
    samples = np.rint(own[:, 0]).astype(np.int64)
    weights = None if part.tally is None else np.ascontiguousarray(own[:, 1 + part.classes.size :])
    values = None
    if paid is not None:
        values = sign * part.scale * flat.add_branching(paid) / np.maximum(samples, 1) + 0.0  # no minus zero
    return [
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
        for start, end in zip(flat.start.tolist(), flat.ends.tolist(), strict=True)
    ]
