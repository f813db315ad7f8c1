"""The trees of a front, all counted anew at once.

A front has hundreds of trees over the same rows. Their nodes stand in one long array; level by level, a mask
says which rows go along each path that occurs, and what these rows are worth is added up for the leaves. Rows
that are equal in all features that the trees test are put together first. What the engine has found is
checked as `Tree` would do it, for all trees together.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import StreedError
from streed.tasks.forms import OneValue
from streed.tree.tree import Tree

BLOCK = 2**22
"""Pairs of a tree and a row that are counted in one call."""

KEY_BITS = 62
"""Rows are put together where the trees test no more features than this."""


class ChosenTrees(Sequence[dict[str, Any]]):
    """Trees of the engine at some positions, as arrays of all their nodes (`flat_arrays`) or one by one.

    `trees` are a list of answers or a `_core.TreeList`, whose trees become arrays when asked for.
    """

    def __init__(self, trees: Any, chosen: Any) -> None:
        self.trees, self.chosen = trees, np.asarray(chosen, np.int64)

    def __len__(self) -> int:
        return int(self.chosen.size)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ChosenTrees(self.trees, self.chosen[index])
        return self.trees[int(self.chosen[index])]


def flat_arrays(trees: Sequence[dict[str, Any]]) -> tuple[NDArray[Any], ...]:
    """Return the nodes of all trees in one array each, and the number of nodes of each tree."""
    if isinstance(trees, ChosenTrees) and not isinstance(trees.trees, list):
        arrays: tuple[NDArray[Any], ...] = trees.trees.flat(np.ascontiguousarray(trees.chosen))
        return arrays
    nodes = [
        np.concatenate([np.asarray(tree[name], np.int32) for tree in trees])
        for name in ("feature", "left", "right", "label")
    ]
    return *nodes, np.array([len(tree["feature"]) for tree in trees])


class FlatTrees:
    """Nodes of many trees in one array each; `start` has the root of each tree, children count from 0 there.

    `trees` have the form of the engine; their arrays are checked.
    """

    def __init__(self, trees: Sequence[dict[str, Any]], n_features: int, n_labels: int) -> None:
        self.feature, self.left, self.right, self.label, sizes = flat_arrays(trees)
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

    @functools.cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """Positions among `parents` of the branching nodes of each level, from the roots down."""
        where = np.full(self.feature.size, -1)
        where[self.parents] = np.arange(self.parents.size)
        reached, found = where[self.start], []
        while (reached := reached[reached >= 0]).size:
            found.append(reached)
            reached = where[np.concatenate([side[reached] for side in self.children])]
        return found

    def sums(
        self, has: NDArray[np.bool_], columns: NDArray[np.float64], tested: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Add up columns of numbers over the rows that reach each leaf: shape (nodes, columns).

        `has` says of each feature in `tested` which rows have it. Trees of a front share most of their
        leaves: the rows of a path are looked for once, whatever the number of trees that have it.
        """
        out = np.zeros((self.feature.size, columns.shape[1]))
        test = np.searchsorted(tested, self.feature)
        path = np.zeros(self.feature.size, dtype=np.int64)
        reach = np.ones((1, columns.shape[0]), dtype=bool)
        self._add_up(self.start, path, reach, columns, out)
        for level in self.levels:
            parents = self.parents[level]
            steps = 2 * (path[parents] * has.shape[0] + test[parents])
            nodes = np.concatenate([side[level] for side in self.children])
            paths, path[nodes] = np.unique(np.concatenate([steps, steps + 1]), return_inverse=True)
            before, last = np.divmod(paths // 2, has.shape[0])
            reach = reach[before] & (has[last] == (paths % 2 == 1)[:, None])
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
        if not leaves.size:
            return
        used = np.zeros(reach.shape[0], dtype=bool)
        used[path[leaves]] = True
        at, row = np.nonzero(reach[used])
        place = (np.cumsum(used) - 1)[path[leaves]]
        for k, column in enumerate(columns.T):
            if column.any():
                out[leaves, k] = np.bincount(at, weights=column[row], minlength=used.size)[place]

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values of nodes for each tree."""
        return np.add.reduceat(values, self.start)

    def add_branching(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give branching nodes the sums of what the leaves below them have."""
        out = values.copy()
        for level in reversed(self.levels):
            out[self.parents[level]] = out[self.children[0][level]] + out[self.children[1][level]]
        return out


def merged(
    features: NDArray[np.uint8], columns: NDArray[np.float64], tested: NDArray[np.int32]
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


class Sums:
    """Columns of numbers whose sums tell what a node is worth: for each part the costs under each label.

    Of the part `shown` there are also the number of rows, the weights of their classes, and where rows differ
    in weight also the numbers of rows of the classes.
    """

    def __init__(self, parts: Sequence[OneValue], shown: int, n_rows: int) -> None:
        self.parts, self.shown = parts, parts[shown]
        self.n_labels = self.shown.classes.size
        columns = [_whole(part, n_rows, part.leaf.label_costs(part.classes.size)) for part in parts]
        columns.append(_whole(self.shown, n_rows, np.ones((_n_rows(self.shown, n_rows), 1))))
        if (tally := self.shown.tally) is not None:
            of_class = (tally.codes[:, None] == np.arange(self.n_labels)) * 1.0
            own = 1.0 if tally.weights is None else tally.weights[:, None]
            columns.append(_whole(self.shown, n_rows, of_class * own))
            if tally.weights is not None and np.ptp(tally.weights) > 0:
                columns.append(_whole(self.shown, n_rows, of_class))
        self.columns = np.concatenate(columns, axis=1)

    def paid(self, flat: FlatTrees, sums: NDArray[np.float64], part: int) -> NDArray[np.float64]:
        """Give what each leaf costs in a part under its label; nothing at branching nodes."""
        leaves = np.flatnonzero(~flat.branching)
        paid = np.zeros(flat.feature.size)
        paid[leaves] = sums[leaves, part * self.n_labels + flat.label[leaves]]
        return paid

    def costs(self, flat: FlatTrees, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cost of each tree in each part, in engine units."""
        n_nodes = flat.totals(flat.branching.astype(np.float64))
        costs = [
            flat.totals(self.paid(flat, sums, k)) + part.branch_cost * n_nodes
            for k, part in enumerate(self.parts)
        ]
        return np.stack(costs, axis=1)

    def shown_at(
        self, flat: FlatTrees, sums: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64] | None, NDArray[np.int64] | None]:
        """Give the number of rows, and the weights and numbers of the classes, at each node."""
        own = flat.add_branching(sums[:, len(self.parts) * self.n_labels :])
        samples = np.rint(own[:, 0]).astype(np.int64)
        if self.shown.tally is None:
            return samples, None, None
        weights, counts = own[:, 1 : 1 + self.n_labels], own[:, 1 + self.n_labels :]
        whole = np.rint(counts).astype(np.int64) if counts.shape[1] else None
        return samples, np.ascontiguousarray(weights), whole


def _n_rows(part: OneValue, n_rows: int) -> int:
    return n_rows if part.rows is None else part.rows.size


def _whole(part: OneValue, n_rows: int, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the columns of a part on all rows: those that it leaves out count nothing."""
    if part.rows is None:
        return own
    whole = np.zeros((n_rows, own.shape[1]))
    whole[part.rows] = own
    return whole


def count_trees(
    parts: Sequence[OneValue],
    shown: int,
    value_name: str,
    sign: float,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answers: Sequence[dict[str, Any]],
    known: NDArray[np.float64] | None = None,
) -> tuple[list[Tree], NDArray[np.float64]]:
    """Make trees of the engine's answers, with everything that is shown of the part `shown` counted anew.

    With `known` costs, trees are counted only when one of their counted attributes is read.

    Returns
    -------
    tuple
        The trees, and the cost of each of them in each part, in engine units.
    """
    what = Sums(parts, shown, features.shape[0])
    tested = np.unique(flat_arrays(answers)[0])
    tested = tested[tested >= 0]
    has, columns = merged(features, what.columns, tested)
    shared = {
        "classes": what.shown.classes,
        "n_features": features.shape[1],
        "feature_names": None if names is None else tuple(map(str, names)),
        "value_name": value_name,
        "conditions": None,
        "prices": None,
    }
    trees: list[Tree] = []
    costs: list[NDArray[np.float64]] = []
    step = max(16, BLOCK // columns.shape[0])

    def count(flat: FlatTrees, block: list[Tree]) -> NDArray[np.float64]:
        sums = flat.sums(has, columns, tested)
        samples, weights, counts = what.shown_at(flat, sums)
        values = None
        if value_name:
            paid = flat.add_branching(what.paid(flat, sums, shown))
            values = sign * what.shown.scale * paid / np.maximum(samples, 1) + 0.0  # no minus zero
        for tree, start, end in zip(block, flat.start.tolist(), flat.ends.tolist(), strict=True):
            tree.n_samples = samples[start:end]
            tree.class_weights = None if weights is None else weights[start:end]
            tree.class_counts = None if counts is None else counts[start:end]
            tree.values = None if values is None else values[start:end]
        return what.costs(flat, sums)

    for first in range(0, len(answers), step):
        flat = FlatTrees(answers[first : first + step], features.shape[1], what.n_labels)
        block = _cut(flat, shared)
        trees += block
        if known is None:
            costs.append(count(flat, block))
            continue
        for tree in block:
            tree.count_later = functools.partial(count, flat, block)
    return trees, np.concatenate(costs) if known is None else known


def _cut(flat: FlatTrees, shared: dict[str, Any]) -> list[Tree]:
    """Cut the long arrays into trees, which were checked together; their rows are not counted yet."""
    return [
        Tree.trusted(
            feature=flat.feature[start:end],
            left=flat.left[start:end],
            right=flat.right[start:end],
            label=flat.label[start:end],
            **shared,
        )
        for start, end in zip(flat.start.tolist(), flat.ends.tolist(), strict=True)
    ]
