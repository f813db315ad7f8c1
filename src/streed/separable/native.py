"""What a task tells the engine, tried out: it must be the same task as its six components.

The engine trusts a task: that a leaf costs what its leaf model says, that a leaf function looks at each leaf
by itself, and that one more row adds between `least_row` and `worst_row`. A wrong bound makes the search skip
the best tree without a sign, so it is worth an experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import reference
from streed.errors import StreedError
from streed.leaves import LeafFunction
from streed.reference import Components, NestedTree
from streed.separable.conditions import Violation, write
from streed.solver.general.tree import flatten
from streed.solver.recount import make_tree
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tolerance import RECOUNT, same
from streed.tree.result import show


class Native:
    """A task with a native form, on given features."""

    def __init__(self, task: Task, features: NDArray[np.uint8], lowered: OneValue) -> None:
        self.task = task
        self.features = features
        self.lowered = lowered
        self.rows = features if lowered.rows is None else np.ascontiguousarray(features[lowered.rows])
        self.components: Components[Any, Any] = task.components(features, min_samples_leaf=0)


def natives(task: Task, features: NDArray[np.uint8]) -> Iterator[Native]:
    """Yield the task, or the parts of a combination, where they have a native form."""
    for part in getattr(task, "tasks", (task,)):
        form = form_of(part)
        if isinstance(form, OneValue):
            yield Native(part, features, form)


def check_lowering(native: Native, rng: np.random.Generator) -> Violation | None:
    """Compare the value of a random tree by the leaf model and by the components."""
    tree = _random_tree(native, int(rng.integers(0, 4)), np.arange(native.rows.shape[0]), rng)
    if not _differs(native, tree):
        return None
    tree = _smallest(native, tree)
    by_engine, by_components = _both_values(native, tree)
    name = native.task.name
    words = (
        f"{name}: by its lowered form the tree {write(tree)} has the value {show(by_engine)}, by its "
        f"components {show(by_components)}.",
        "The form for the engine is not the task that the components describe: the value of a leaf is not "
        "the stated function of the sums over its rows, or the report is wrong.",
    )
    return Violation("lowering", words, {"tree": tree, "values": (by_engine, by_components)})


def _smallest(native: Native, tree: NestedTree) -> NestedTree:
    for smaller in _parts_of(tree):
        if _fits(native, smaller) and _differs(native, smaller):
            return _smallest(native, smaller)
    return tree


def _differs(native: Native, tree: NestedTree) -> bool:
    by_engine, by_components = _both_values(native, tree)
    return not same(by_engine, by_components, RECOUNT)


def _both_values(native: Native, tree: NestedTree) -> tuple[Any, Any]:
    flat = flatten(native.components, tree, native.lowered.classes, native.rows, None)
    answer = {name: getattr(flat, name) for name in ("feature", "left", "right", "label")}
    counted = make_tree(native.lowered, native.rows, None, answer, "", 1.0)
    return native.task.report(counted.cost), reference.cost(native.components, tree)


def _random_tree(native: Native, depth: int, rows: NDArray[np.int64], rng: np.random.Generator) -> NestedTree:
    """Draw a tree of positions without empty leaves."""
    column = native.rows[rows]
    usable = np.flatnonzero(column.any(axis=0) & ~column.all(axis=0))
    if depth == 0 or usable.size == 0:
        return int(rng.integers(len(native.components.labels)))
    feature = int(rng.choice(usable))
    has = native.rows[rows, feature] != 0
    left, right = (_random_tree(native, depth - 1, side, rng) for side in (rows[~has], rows[has]))
    return (feature, left, right)


def _parts_of(tree: NestedTree) -> Iterator[NestedTree]:
    if isinstance(tree, tuple):
        feature, left, right = tree
        yield from (left, right)
        yield from ((feature, smaller, right) for smaller in _parts_of(left))
        yield from ((feature, left, smaller) for smaller in _parts_of(right))


def _fits(native: Native, tree: NestedTree) -> bool:
    """Whether no leaf of a tree is empty."""
    flat = flatten(native.components, tree, native.lowered.classes, native.rows, None)
    return bool(flat.n_samples.min() > 0)


def check_leaf_function(native: Native, rng: np.random.Generator) -> Violation | None:
    """See that a leaf function treats each leaf by itself and keeps to the bounds that it declares."""
    leaf = native.lowered.leaf
    if not isinstance(leaf, LeafFunction):
        return None
    n = leaf.statistics.shape[0]
    size = int(rng.integers(1, min(n, 8) + 1))
    rows = sorted(rng.choice(n, size, replace=False).tolist())
    found = _one_by_one(native, leaf, rows)
    if found is not None or n < 2:
        return found
    extra = int(rng.choice([row for row in range(n) if row not in rows] or rows))
    rows = [row for row in rows if row != extra]
    look: Callable[[list[int]], Violation | None] = lambda some: _row_bounds(native, leaf, some, extra)  # noqa: E731
    found = look(rows)
    while found is not None:
        smaller = ((rows[:i] + rows[i + 1 :]) for i in range(len(rows)))
        again = next(((some, seen) for some in smaller if (seen := look(some))), None)
        if again is None:
            return found
        rows, found = again
    return None


def _costs(native: Native, leaf: LeafFunction, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        answer = np.asarray(leaf.function(np.ascontiguousarray(sums)), np.float64)
        return answer.reshape(leaf.n_labels, sums.shape[1])
    except Exception as error:
        raise StreedError(f"{native.task.name}: the leaf function raised {error!r}") from error


def _one_by_one(native: Native, leaf: LeafFunction, rows: list[int]) -> Violation | None:
    """See that a block of leaves gets what each leaf gets alone, and twice the same."""
    steps = np.cumsum(leaf.statistics[rows], axis=0).T
    together = _costs(native, leaf, steps)
    for j in range(steps.shape[1]):
        alone = _costs(native, leaf, steps[:, j : j + 1])[:, 0]
        if not np.allclose(together[:, j], alone, rtol=RECOUNT, atol=RECOUNT, equal_nan=False):
            words = (
                f"{native.task.name}: for a leaf with the sums {steps[:, j].tolist()} the leaf function "
                f"gives {alone.tolist()} alone, but {together[:, j].tolist()} among {steps.shape[1]} leaves.",
            )
            return Violation("leaf function", words, {"sums": steps, "column": j})
    return None


def _row_bounds(native: Native, leaf: LeafFunction, rows: list[int], extra: int) -> Violation | None:
    """One more row must add between least_row and worst_row to the best label's cost."""
    before = leaf.statistics[rows].sum(axis=0)
    after = before + leaf.statistics[extra]
    old = float(_costs(native, leaf, before[:, None]).min()) if rows else 0.0
    new = float(_costs(native, leaf, after[:, None]).min())
    slack = RECOUNT * (1 + abs(old) + abs(new))
    for name, wrong in (("least_row", -1.0), ("worst_row", 1.0)):
        bounds = getattr(leaf, name)
        if bounds is None:
            continue
        if wrong * (new - old - float(bounds[extra])) > slack:
            words = (
                f"{native.task.name}: a leaf with the rows {rows} costs {old:g}, with row {extra} as well "
                f"{new:g}. The row adds {new - old:g}, but {name}[{extra}] says at "
                f"{'least' if wrong < 0 else 'most'} {float(bounds[extra]):g}.",
            )
            data = {"rows": tuple(rows), "row": extra, "before": old, "after": new}
            return Violation(name.replace("_", " "), words, data)
    return None


def check_optimum(native: Native, rng: np.random.Generator) -> Violation | None:
    """Compare the optimum of the engine with that of the reference solver, on a few columns."""
    from streed.solver.solve import solve

    n_features = native.features.shape[1]
    count = int(rng.integers(1, min(3, n_features) + 1)) if n_features else 0
    columns = sorted(rng.choice(n_features, count, replace=False).tolist()) if count else []
    X = np.ascontiguousarray(native.features[:, columns])
    depth = int(rng.integers(1, 3))
    if native.lowered.prices is not None:
        return None
    expected = reference.solve(native.task.components(X), depth)
    found = solve(native.task, X, max_depth=depth)
    if len(expected) == 1 and same(found.objective, expected[0].value, RECOUNT):
        return None
    best = ", ".join(show(solution.value) for solution in expected)
    words = (
        f"{native.task.name}: on the columns {columns} with depth {depth} the engine finds "
        f"{show(found.objective)}, the reference solver {best}.",
    )
    return Violation("optimum", words, {"columns": columns, "depth": depth, "found": found.objective})


NATIVE_CHECKS: dict[str, Callable[[Native, np.random.Generator], Violation | None]] = {
    "lowering": check_lowering,
    "leaf function": check_leaf_function,
    "optimum": check_optimum,
}
