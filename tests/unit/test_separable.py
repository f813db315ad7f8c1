"""`check_separable`: built-in tasks pass, broken ones fail with a counterexample that is verified by hand."""

from __future__ import annotations

import inspect
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
import pytest

import streed
from streed import check_separable, combine, reference
from streed.reference import Components
from streed.tasks import REGISTRY, Accuracy, StatisticsTask, Task
from streed.tasks.base import CostTable, Lowered
from tests.unit.test_general import TASKS as GENERAL_TASKS

RNG = np.random.default_rng(5)
N = 40
X = RNG.random((N, 4)) < 0.5
Y = np.where(RNG.random(N) < 0.7, X[:, 0] ^ X[:, 1], X[:, 2]).astype(int).tolist()
GROUP = RNG.integers(0, 2, N).tolist()


# Built-in tasks: whatever is in the registry is made from data that fit the names of its parameters.

DATA: dict[str, Any] = {
    "y": Y,
    "group": GROUP,
    "costs": RNG.integers(0, 5, (N, 2)).astype(float),
    "rewards": RNG.random((N, 3)),
    "event": RNG.integers(0, 2, N).astype(bool),
    "time": 1 + RNG.random(N),
    "treatment": RNG.integers(0, 2, N),
    "outcome": RNG.random(N),
    "matrix": [[0, 1], [3, 0]],
    "columns": RNG.normal(size=(N, 2)),
}
NAMES_OF_DATA = {"sensitive_features": "group"}
EXAMPLES: dict[str, Any] = {
    "gamma": lambda task: task(1 + DATA["outcome"]),
    "limited_policy_reward": lambda task: task(DATA["rewards"], capacity={1: 9}),
}
"""Tasks that need more: a function that makes an example from the class, by name."""


def example(name: str) -> Task:
    if name in EXAMPLES:
        return EXAMPLES[name](REGISTRY[name])  # type: ignore[no-any-return]
    required = [p for p in inspect.signature(REGISTRY[name]).parameters.values() if p.default is p.empty]
    known = {p.name: DATA.get(NAMES_OF_DATA.get(p.name, p.name)) for p in required}
    missing = [p for p, value in known.items() if value is None]
    assert not missing, f"add a task {name!r} to EXAMPLES in {__file__}: no data for {missing}"
    return REGISTRY[name](**known)


@pytest.mark.parametrize("name", REGISTRY)
def test_built_in_tasks_pass(name: str) -> None:
    report = check_separable(example(name), X, n_samples=60)
    assert report.ok, str(report)
    assert report.counterexample is None
    assert "no counterexample to separability found" in str(report)
    assert report.checks["order preservation"] == 60


@pytest.mark.parametrize("name", GENERAL_TASKS)
def test_general_tasks_pass(name: str) -> None:
    report = check_separable(GENERAL_TASKS[name], n_samples=40)
    assert report.ok, str(report)


def test_combinations_pass() -> None:
    missed, alarms = (Accuracy(Y, class_weight={k: 0, 1 - k: 1}) for k in (0, 1))
    for task in (
        combine(missed, alarms),
        combine(Accuracy(Y), alarms.at_least(2).at_most(4)),
        alarms.at_most(3),
    ):
        report = check_separable(task, X, n_samples=40)
        assert report.ok, str(report)


class Squares(StatisticsTask):
    name = "squares"

    def __init__(self, y: Any, worst: float = 1e3) -> None:
        y = np.asarray(y, float)
        statistics = np.column_stack([np.ones(len(y)), y, y**2])
        super().__init__(statistics, least_row=0, worst_row=worst)

    def leaf_costs(self, sums: Any) -> Any:
        return sums[2] - sums[1] ** 2 / sums[0]


NUMBERS = RNG.integers(0, 10, N).astype(float)


def test_statistics_tasks_pass() -> None:
    report = check_separable(Squares(NUMBERS), X, n_samples=50)
    assert report.ok, str(report)
    assert report.checks["leaf function"] == 50
    assert report.checks["optimum"] == 5


# Counterexamples


def split(rows: Any, feature: int, side: bool) -> tuple[int, ...]:
    return tuple(i for i in rows if X[i, feature] == side)


def errors(rows: Any, label: int) -> int:
    return sum(Y[i] != label for i in rows)


BASE: Components[Any, Any] = Components(
    cost_leaf=errors,
    cost_branch=lambda rows, feature: 0,
    transition=split,
    better=lambda v, w: v < w,
    combine=lambda v, w: v + w,
    feasible=lambda v, rows: len(rows) > 0,
    initial_state=tuple(range(N)),
    labels=[0, 1],
    features=range(4),
)

SHARE = {1: 1 / GROUP.count(1), 0: -1 / GROUP.count(0)}


def difference(rows: Any, label: int) -> float:
    """What a leaf adds to P(label 1 | group 1) - P(label 1 | group 0)."""
    return sum(SHARE[GROUP[i]] for i in rows) if label else 0.0


PARITY_EVERYWHERE = replace(
    BASE,
    cost_leaf=lambda rows, label: (errors(rows, label), difference(rows, label)),
    cost_branch=lambda rows, feature: (0, 0.0),
    better=lambda v, w: v[0] < w[0] and abs(v[1] - w[1]) < 1e-12,
    combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
    feasible=lambda v, rows: len(rows) > 0 and abs(v[1]) <= 0.06,
    name="demographic parity in every subtree",
)


def all_trees(depth: int, task: Components[Any, Any]) -> list[Any]:
    if depth == 0:
        return list(task.labels)
    below = all_trees(depth - 1, task)
    return [*task.labels, *((f, a, b) for f in task.features for a in below for b in below)]


def test_parity_in_every_subtree_is_not_anti_monotonic() -> None:
    """The paper's example. By hand: the tree is fair as a whole and optimal, one of its subtrees is not."""
    report = check_separable(PARITY_EVERYWHERE)
    assert not report.ok
    found = report.counterexample
    assert found is not None
    assert found.check == "anti-monotonic"
    assert found.rows is not None
    assert len(found.rows) <= 5
    tree, part, small = found.data["tree"], found.data["part"], found.task
    assert small is not None
    predicted = {i: predict(tree, i) for i in found.rows}
    value = (
        sum(predicted[i] != Y[i] for i in found.rows),
        sum(SHARE[GROUP[i]] for i in found.rows if predicted[i] == 1),
    )
    assert found.data["value"] == pytest.approx(value)
    assert abs(value[1]) <= 0.06
    inside = sum(SHARE[GROUP[i]] for i in part.state if predict(part.tree, i) == 1)
    assert part.value[1] == pytest.approx(inside)
    assert abs(inside) > 0.06
    for other in all_trees(found.depth, small):
        errors_and_parity = reference.cost(small, other)
        if abs(errors_and_parity[1]) <= 0.06 and abs(errors_and_parity[1] - value[1]) < 1e-12:
            assert errors_and_parity[0] >= value[0]
    assert all(solution.value != pytest.approx(value) for solution in reference.solve(small, found.depth))
    text = str(report)
    assert "demographic parity in every subtree: not separable, the condition 'anti-monotonic'" in text
    assert "is infeasible: the constraint is not anti-monotonic" in text
    assert all(f"row {i}:" in text for i in found.rows)


def predict(tree: Any, row: int) -> int:
    while isinstance(tree, tuple):
        tree = tree[1 + int(X[row, tree[0]])]
    return int(tree)


def test_parity_on_the_whole_tree_passes() -> None:
    """The right way: the difference is kept as a value and the limit is set on the whole tree."""

    class Parity(Task):
        name = "parity"
        summary = "difference in positive rates"
        n_rows = N

        def lower(self) -> Lowered:
            return Lowered(CostTable(np.array([[0.0, SHARE[g]] for g in GROUP])), np.arange(2))

        def report(self, cost: float) -> float:
            return cost

        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
            return replace(Accuracy(Y).components(X, min_samples_leaf=min_samples_leaf), cost_leaf=difference)

    report = check_separable(combine(Accuracy(Y), Parity().at_least(-0.06).at_most(0.06)), X, n_samples=40)
    assert report.ok, str(report)


def check_reversal(found: Any, task: Components[Any, Any]) -> None:
    """Count both trees anew from the rows: the better part makes the worse whole."""
    a, b, c = (found.data[name].tree for name in ("better", "worse", "other"))
    near, far = found.data["better"].state, found.data["other"].state
    assert task.better(reference.cost(task, a, near), reference.cost(task, b, near))
    feature, small = found.data["feature"], found.task
    trees = [(feature, t, c) if found.data["side"] == "left" else (feature, c, t) for t in (a, b)]
    assert {near, far} == {split(small.initial_state, feature, side) for side in (False, True)}
    with_better, with_worse = (reference.cost(small, tree) for tree in trees)
    assert (with_better, with_worse) == found.data["joined"]
    assert not task.better(with_better, with_worse)
    assert with_better != with_worse


def test_mean_of_leaf_errors_does_not_keep_its_order() -> None:
    mean = replace(
        BASE,
        cost_leaf=lambda rows, label: (errors(rows, label) / max(1, len(rows)), 1),
        cost_branch=lambda rows, feature: (0, 0),
        better=lambda v, w: v[0] / v[1] < w[0] / w[1],
        combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
    )
    found = check_separable(mean).counterexample
    assert found is not None
    assert found.check == "order preservation"
    assert found.rows is not None
    assert len(found.rows) <= 5
    check_reversal(found, mean)


def test_median_of_leaf_errors_does_not_keep_its_order() -> None:
    middle = replace(
        BASE,
        cost_leaf=lambda rows, label: (errors(rows, label),),
        cost_branch=lambda rows, feature: (),
        better=lambda v, w: median(v) < median(w),
        combine=lambda v, w: tuple(sorted(v + w)),
    )
    found = check_separable(middle).counterexample
    assert found is not None
    assert found.check == "order preservation"
    assert found.rows is not None
    assert len(found.rows) <= 4
    check_reversal(found, middle)


def test_costs_that_depend_on_the_path() -> None:
    """A key that leaves out what the costs depend on: two paths, one key, two costs."""
    pathy = replace(
        BASE,
        cost_leaf=lambda s, label: errors(s[0], label) + s[1],
        transition=lambda s, f, side: (split(s[0], f, side), s[1] + (f == 2)),
        feasible=lambda v, s: len(s[0]) > 0,
        initial_state=(BASE.initial_state, 0),
    )
    assert check_separable(pathy, n_samples=40).ok  # it is in the state: fine
    found = check_separable(replace(pathy, key=lambda s: s[0])).counterexample
    assert found is not None
    assert found.check == "markovian"
    assert found.task is not None
    costs = []
    for path in found.data["paths"]:
        state = found.task.initial_state
        for feature, side in path:
            state = found.task.transition(state, feature, side)
        costs.append((state[0], [found.task.cost_leaf(state, label) for label in found.task.labels]))
    (rows_a, costs_a), (rows_b, costs_b) = costs
    assert rows_a == rows_b
    assert costs_a != costs_b
    assert "Two paths lead to the same key" in found.words


def test_costs_that_depend_on_what_was_asked_before() -> None:
    last: list[int] = []

    def remember(rows: Any, feature: int, side: bool) -> tuple[int, ...]:
        last[:] = [feature]
        return split(rows, feature, side)

    sneaky = replace(BASE, transition=remember, cost_leaf=lambda rows, k: errors(rows, k) + (last == [2]))
    found = check_separable(sneaky).counterexample
    assert found is not None
    assert found.check == "markovian"
    (*_, one), (*_, other) = found.data["paths"]
    assert (one[0] == 2) != (other[0] == 2) or "transition" in found.data["asked"]


class Range(Squares):
    """Says that a leaf costs its variation, but means the largest less the least: not a sum over rows."""

    name = "range"

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        def leaf(rows: Any, label: int) -> float:
            return float(np.ptp(NUMBERS[list(rows)])) if rows else 0.0

        return replace(super().components(X, min_samples_leaf=min_samples_leaf), cost_leaf=leaf)


def test_statistics_that_do_not_add_up() -> None:
    found = check_separable(Range(NUMBERS), X, n_samples=30).counterexample
    assert found is not None
    assert found.check == "lowering"
    tree = found.data["tree"]
    assert not isinstance(tree, tuple)  # shrunk to a single leaf: all rows
    by_engine, by_components = found.data["values"]
    assert by_engine == pytest.approx(NUMBERS.var() * N)
    assert by_components == pytest.approx(np.ptp(NUMBERS))


def test_wrong_worst_row() -> None:
    """A row adds at most 10 to the squared error, it says; by hand, it adds more."""
    found = check_separable(Squares(NUMBERS, worst=10), X).counterexample
    assert found is not None
    assert found.check == "worst row"
    rows, extra = list(found.data["rows"]), found.data["row"]
    assert len(rows) <= 2
    before = NUMBERS[rows].var() * len(rows) if rows else 0.0
    after = NUMBERS[[*rows, extra]].var() * (len(rows) + 1)
    assert after - before > 10
    assert (found.data["before"], found.data["after"]) == pytest.approx((before, after))


def test_wrong_least_row() -> None:
    class Hopeful(Squares):
        def __init__(self) -> None:
            StatisticsTask.__init__(self, Squares(NUMBERS).statistics, least_row=1)

    found = check_separable(Hopeful(), X).counterexample
    assert found is not None
    assert found.check == "least row"
    assert found.data["after"] - found.data["before"] < 1


def test_leaf_function_that_mixes_leaves() -> None:
    class Mixed(Squares):
        def leaf_costs(self, sums: Any) -> Any:
            return sums[0] / sums[0].max()

    found = check_separable(Mixed(NUMBERS), X, n_samples=30).counterexample
    assert found is not None
    assert found.check in ("leaf function", "lowering")


def test_wrong_bound() -> None:
    found = check_separable(replace(BASE, lower_bound=lambda rows: 1)).counterexample
    assert found is not None
    assert found.check == "lower bound"
    assert found.data["value"] == 0
    right = replace(BASE, lower_bound=lambda rows: 0)
    report = check_separable(right, n_samples=20)
    assert report.ok
    assert report.checks["lower bound"] == 20


def test_order_that_is_no_order() -> None:
    beats = {(0, 1), (1, 2), (2, 0)}
    circle = replace(BASE, cost_leaf=lambda rows, k: k, labels=[0, 1, 2], combine=lambda v, w: v,
                     better=lambda v, w: (v, w) in beats)  # fmt: skip
    found = check_separable(circle).counterexample
    assert found is not None
    assert found.check == "order relation"
    assert "not transitive" in found.words
    both = check_separable(replace(BASE, better=lambda v, w: v != w)).counterexample
    assert both is not None
    assert both.check in ("order relation", "contract")


def test_infeasible_through_dominance() -> None:
    """A capacity that the order does not see: a part that is feasible and dominated is needed."""
    hidden = replace(
        BASE,
        cost_leaf=lambda rows, label: (errors(rows, label), len(rows) * label),
        cost_branch=lambda rows, feature: (0, 0),
        better=lambda v, w: v[0] < w[0],
        combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
        feasible=lambda v, rows: len(rows) > 0 and v[1] <= 3,
    )
    found = check_separable(hidden).counterexample
    assert found is not None
    assert found.check == "principle of optimality"
    assert found.task is not None
    tree, value = found.data["tree"], found.data["value"]
    assert reference.cost(found.task, tree) == value
    assert all(found_value[0] > value[0] or found_value[0] != value[0] for found_value in found.data["found"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cost_leaf": lambda rows, label: float("nan")}, "cost_leaf returned NaN"),
        ({"combine": lambda v, w: v.x}, "combine raised AttributeError"),
        ({"transition": lambda rows, f: rows}, "TypeError"),
        ({"feasible": lambda v, rows: "yes"}, "feasible must return True or False"),
    ],
)
def test_broken_contracts(changes: dict[str, Any], message: str) -> None:
    report = check_separable(replace(BASE, **changes))
    assert not report.ok
    assert report.counterexample is not None
    assert report.counterexample.check == "contract"
    assert message in str(report)


def test_same_seed_same_counterexample() -> None:
    twisted = replace(BASE, combine=lambda v, w: v - w)
    first, second = (check_separable(twisted, random_state=3) for _ in range(2))
    assert str(first) == str(second)
    assert first.checks == second.checks


def test_states_that_show_no_rows() -> None:
    """Counts instead of rows: samples cannot be cut down, but everything is tried all the same."""
    counts = replace(
        BASE,
        cost_leaf=lambda s, label: min(s) + label,
        transition=lambda s, f, side: tuple(c // 2 + (c % 2 and side) for c in s),
        feasible=lambda v, s: True,
        initial_state=(5, 9),
    )
    report = check_separable(counts, n_samples=30)
    assert report.ok, str(report)
    twisted = check_separable(replace(counts, combine=lambda v, w: v - w)).counterexample
    assert twisted is not None
    assert twisted.rows is None
    assert "In the state (5, 9)" in twisted.words or "In the state (" in twisted.words


def test_time_limit_stops_trying() -> None:
    assert check_separable(BASE, n_samples=10**6, time_limit=0.2).ok


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"task": 3}, TypeError, r"must be a streed\.tasks\.Task or a streed\.reference\.Components, got 3"),
        ({"task": Accuracy(Y)}, TypeError, "X is needed"),
        ({"task": Accuracy(Y), "X": X[:3]}, ValueError, "X has 3 rows, but the task was made with 40"),
        ({"task": BASE, "max_depth": 4}, ValueError, "max_depth must be at most 3"),
        ({"task": BASE, "n_samples": 0}, ValueError, "n_samples must be an integer >= 1, got 0"),
        ({"task": BASE, "n_rows": 1.5}, ValueError, "n_rows must be an integer >= 1, got 1.5"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_separable(**arguments)


def test_exported_for_tests_of_tasks() -> None:
    assert streed.testing.check_separable is check_separable
