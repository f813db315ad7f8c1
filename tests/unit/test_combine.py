"""Combinations of tasks: fronts and limits against enumeration, natively and by the general search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import streed
from streed import InfeasibleError, TaskError, _core, combine, reference
from streed.reference import Components
from streed.solver.engines import mixed
from streed.solver.fronts.vector import label_vector, not_label_costs
from streed.tasks import Accuracy, BalancedAccuracy, GeneralTask, StatisticsTask, Task
from streed.tasks.base import CostTable, Lowered
from streed.testing import brute_force
from tests.engines import switch_off
from tests.unit.front_twin import Twin, leaves, size, trees

RNG = np.random.default_rng(3)
N = 24
X = (RNG.random((N, 3)) < 0.5).astype(np.uint8)
Y = np.where(RNG.random(N) < 0.7, X[:, 0] ^ X[:, 1], X[:, 2]).astype(int)
GROUP = RNG.integers(0, 2, N)


class LabelCosts(Task):
    """Costs per row and label, of any sign; the value is their sum, or minus their sum if maximised."""

    name = "label_costs"
    summary = "sum of label costs"

    def __init__(self, costs: Any, maximize: bool = False, branch_cost: float = 0.0) -> None:
        self.costs = np.asarray(costs, float)
        self.maximize = maximize  # type: ignore[misc]
        self.branch = branch_cost

    @property
    def n_rows(self) -> int:
        return len(self.costs)

    @property
    def sign(self) -> float:
        return -1.0 if self.maximize else 1.0

    def lower(self) -> Lowered:
        return Lowered(CostTable(self.costs), np.arange(self.costs.shape[1]), self.branch)

    def report(self, cost: float) -> float:
        return self.sign * cost

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        table = np.asarray(X, bool)
        return Components(
            cost_leaf=lambda rows, k: self.sign * math.fsum(self.costs[list(rows), k]),
            cost_branch=lambda rows, feature: self.sign * self.branch,
            transition=lambda rows, f, side: tuple(i for i in rows if table[i, f] == side),
            better=(lambda v, w: v > w) if self.maximize else (lambda v, w: v < w),
            combine=lambda v, w: v + w,
            feasible=lambda v, rows: len(rows) >= min_samples_leaf,
            initial_state=tuple(range(len(self.costs))),
            labels=range(self.costs.shape[1]),
            features=range(table.shape[1]),
        )


class Itself(LabelCosts):
    """A task that is solved in a way of its own."""

    name = "itself"

    def __init__(self) -> None:
        super().__init__(np.zeros((N, 2)))

    def lower(self) -> Any:
        return Accuracy(Y).at_most(3).lower()


class Squares(StatisticsTask):
    name = "squares"

    def __init__(self, least: float | None) -> None:
        super().__init__(np.column_stack([np.ones(N), Y, Y]), [0, 1], least_row=least)

    def leaf_costs(self, sums: Any) -> Any:
        variation = sums[2] - sums[1] ** 2 / sums[0]
        return np.stack([variation, variation])


def parity() -> LabelCosts:
    """Rows of group 1 with label 1 less rows of group 0 with label 1: a sum of signed things."""
    return LabelCosts(np.stack([np.zeros(N), np.where(GROUP == 1, 1.0, -1.0)], axis=1))


MISSED = Accuracy(Y, class_weight={0: 0, 1: 1})
ALARMS = Accuracy(Y, class_weight={0: 1, 1: 0})
WRONG = Accuracy(Y)
GAIN = LabelCosts(-RNG.integers(0, 4, (N, 2)).astype(float), maximize=True)
PRICED = LabelCosts(RNG.integers(0, 3, (N, 2)), branch_cost=2)

COMBINATIONS: dict[str, Callable[[], Any]] = {
    "front of two": lambda: combine(MISSED, ALARMS),
    "front of three": lambda: combine(MISSED, ALARMS, PRICED),
    "front with a maximised one": lambda: combine(WRONG, GAIN),
    "upper limit that prunes": lambda: combine(WRONG, ALARMS.at_most(2)),
    "lower limit on a sum": lambda: combine(WRONG, PRICED.at_least(20)),
    "lower limit on a maximised one": lambda: combine(WRONG, GAIN.at_least(38)),
    "upper limit on a maximised one": lambda: combine(WRONG, GAIN.at_most(20)),
    "both limits on signed things": lambda: combine(WRONG, parity().at_least(-1).at_most(1)),
    "both limits as two parts": lambda: combine(WRONG, parity().at_least(-1), parity().at_most(1)),
    "balanced accuracy with a limit": lambda: combine(BalancedAccuracy(Y), ALARMS.at_most(3)),
    "limit on balanced accuracy": lambda: combine(ALARMS, BalancedAccuracy(Y).at_least(0.7)),
    "front within limits": lambda: combine(MISSED, ALARMS, parity().at_least(-2).at_most(2)),
    "its own limit": lambda: WRONG.at_most(9),
    "nested": lambda: combine(combine(MISSED, ALARMS), PRICED.at_most(30)),
}


@pytest.fixture(params=["general", "twin", "engine"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Solve by the general search, by a slow twin of the native front engine, and by the engine itself."""
    if request.param == "general":
        switch_off(monkeypatch)
    elif request.param == "twin":
        switch_off(monkeypatch, mixed)
        for name in ("front", "constrained"):
            monkeypatch.setattr(_core, name, getattr(Twin(), name))
    return str(request.param)


def tree_values(task: Any, depth: int, nodes: int, least: int = 1) -> list[tuple[float, ...]]:
    """Values of every tree, one per part, counted from the rows of its leaves."""
    parts = task.tasks if isinstance(task, streed.tasks.Combined) else (task.task, task.task)
    found = []
    for tree in trees(X.shape[1], 2, depth):
        ends = list(leaves(tree, X, np.arange(N)))
        if size(tree) <= nodes and all(len(rows) >= least for rows, _ in ends):
            label = np.empty(N, int)
            for rows, k in ends:
                label[rows] = k
            found.append(tuple(natural(part, label, size(tree)) for part in parts))
    return found


def natural(part: Task, label: np.ndarray, nodes: int) -> float:
    """The value of a labelling of all rows."""
    if isinstance(part, LabelCosts):
        return part.sign * float(part.costs[np.arange(N), label].sum() + nodes * part.branch)
    wrong = label != Y
    if isinstance(part, BalancedAccuracy):
        return float(np.mean([1 - wrong[k == Y].mean() for k in (0, 1)]))
    counted: Any = {id(MISSED): Y == 1, id(ALARMS): Y == 0}.get(id(part), True)
    return float((wrong & counted).sum())


def expected_front(task: Any, values: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Nondominated values of the objectives within the limits, the best first objective first."""
    combined = task if isinstance(task, streed.tasks.Combined) else combine(task.task, task)
    inside = [
        v
        for v in values
        if all(p.lower_limit - 1e-9 <= v[i] <= p.upper_limit + 1e-9 for i, p in combined.limits.items())
    ]
    signs = [-1 if combined.tasks[i].maximize else 1 for i in combined.objectives]
    points = {
        tuple(round(s * v[i], 9) for s, i in zip(signs, combined.objectives, strict=True)) for v in inside
    }
    front = [
        p
        for p in points
        if not any(q != p and all(a <= b for a, b in zip(q, p, strict=True)) for q in points)
    ]
    return [tuple(s * v for s, v in zip(signs, point, strict=True)) for point in sorted(front)]


@pytest.mark.parametrize("name", COMBINATIONS)
@pytest.mark.parametrize(("depth", "nodes", "least"), [(0, 0, 1), (1, 1, 1), (2, 3, 1), (2, 2, 3)])
def test_equals_enumeration(name: str, depth: int, nodes: int, least: int, engine: str) -> None:
    task = COMBINATIONS[name]()
    expected = expected_front(task, tree_values(task, depth, nodes, least))
    arguments: dict[str, Any] = {"max_depth": depth, "max_nodes": nodes, "min_samples_leaf": least}
    if not expected:
        with pytest.raises(InfeasibleError):
            streed.solve(task, X, **arguments)
        return
    result = streed.solve(task, X, **arguments)
    assert [solution.values for solution in result.front] == [pytest.approx(v, abs=1e-9) for v in expected]
    assert result.optimal
    assert result.engine == ("general" if engine == "general" else "native")
    single = len(expected[0]) == 1
    assert result.objective == (result.front[0].values[0] if single else result.front[0].values)
    for solution in result.front:
        assert solution.tree.n_nodes <= nodes
        label = solution.tree.predict(X)
        whole = task if isinstance(task, streed.tasks.Combined) else combine(task.task, task)
        values = [natural(part, label, solution.tree.n_nodes) for part in whole.tasks]
        assert [values[i] for i in whole.objectives] == pytest.approx(solution.values)
        assert all(limit.admits(values[i]) for i, limit in whole.limits.items())


@pytest.mark.parametrize("name", COMBINATIONS)
def test_components_are_the_product(name: str) -> None:
    """The components alone, by the reference solver and by brute force, have the same front."""
    task = COMBINATIONS[name]()
    components = task.components(X)
    found = reference.solve(components, 2)
    assert sorted(s.value for s in found) == [
        pytest.approx(v) for v in sorted(s.value for s in brute_force(components, 2))
    ]
    whole = task if isinstance(task, streed.tasks.Combined) else combine(task.task, task)
    better = [whole.tasks[i].components(X).better for i in whole.objectives]
    kept = whole.select([solution.value for solution in found], better)
    points = sorted(tuple(found[k].value[i] for i in whole.objectives) for k in kept)
    expected = sorted(expected_front(task, tree_values(task, 2, 3)))
    assert points == [pytest.approx(point, abs=1e-9) for point in expected]


@pytest.mark.parametrize(
    ("limit", "anti_monotonic", "words"),
    [
        (WRONG.at_most(3), True, "accuracy at most 3 (prunes at every node)"),
        (
            WRONG.at_least(3),
            False,
            "accuracy at least 3 (checked on whole trees: a further subtree may raise",
        ),
        (
            GAIN.at_least(3),
            False,
            "label_costs at least 3 (checked on whole trees: a further subtree may raise",
        ),
        (GAIN.at_most(3), True, "label_costs at most 3 (prunes at every node)"),
        (parity().at_most(0), False, "checked on whole trees: a further subtree may lower the value"),
        (WRONG.at_least(1).at_most(3), False, "accuracy at least 1 and at most 3 (checked on whole trees"),
        (BalancedAccuracy(Y).at_least(0.5), False, "checked on whole trees"),
        (Squares(least=0).at_most(3), True, "squares at most 3 (prunes at every node)"),
        (
            Squares(least=None).at_most(3),
            False,
            "checked on whole trees: a further subtree may lower the value",
        ),
        (LabelCosts(np.ones((N, 2)), maximize=True).at_least(-5), True, "at least -5 (prunes at every node)"),
    ],
)
def test_limits_prune_only_where_that_is_sound(limit: Any, anti_monotonic: bool, words: str) -> None:
    assert limit.anti_monotonic == anti_monotonic
    assert words in limit.describe()
    result = streed.solve(combine(LabelCosts(np.zeros((N, 2))), limit.task.at_least(-100)), X, max_depth=1)
    assert "limit: " in result.summary()


class Largest(GeneralTask):
    """The largest number of errors in a leaf; it may promise something that it does not keep."""

    name = "largest"
    n_rows = N

    def __init__(self, values: Any = None, join: Any = max, worsening: bool | None = None) -> None:
        self.leaf = values or (lambda rows, label: sum(Y[i] != label for i in rows))
        self.join = join
        self.worsening = worsening  # type: ignore[misc]

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        return Components(
            cost_leaf=self.leaf,
            cost_branch=lambda rows, feature: 0,
            transition=lambda rows, f, side: tuple(i for i in rows if X[i][f] == side),
            better=lambda v, w: v < w,
            combine=self.join,
            feasible=lambda v, rows: len(rows) >= min_samples_leaf,
            initial_state=tuple(range(N)),
            labels=range(2),
            features=range(3),
        )


def test_general_parts() -> None:
    """Errors in all, with a limit on the largest leaf: once declared worsening, once not."""
    possible = []
    for tree in trees(3, 2, 2):
        wrong = [sum(Y[i] != label for i in rows) for rows, label in leaves(tree, X, np.arange(N))]
        possible.append((sum(wrong), max(wrong)))
    for declared in (None, True):
        task = combine(WRONG, Largest(worsening=declared).at_most(2))
        assert task.limits[1].anti_monotonic == bool(declared)
        result = streed.solve(task, X, max_depth=2)
        assert "largest is given by its six components" in result.note
        assert result.objective == min(total for total, largest in possible if largest <= 2)
        wrong = result.tree.predict(X) != Y
        assert np.bincount(result.tree.apply(X), weights=wrong).max() <= 2


def test_broken_promises_are_refused() -> None:
    lying = Largest(values=lambda rows, label: -len(rows), join=lambda v, w: v + w, worsening=True)
    with pytest.raises(TaskError, match="largest says that it is worsening, but -"):
        streed.solve(combine(WRONG, lying.at_most(3)), X, max_depth=1)


def test_order_that_is_not_preserved_is_refused() -> None:
    twisted = Largest(join=lambda v, w: v - w)
    with pytest.raises(TaskError, match="combined: combine does not preserve the order"):
        streed.solve(combine(Largest(), twisted), X, max_depth=2)


def test_limits_need_numbers() -> None:
    words = Largest(values=lambda rows, label: "x" * len(rows), join=lambda v, w: v)
    with pytest.raises(TaskError, match="a limit needs values that are numbers, got 'xxx"):
        streed.solve(combine(WRONG, words.at_most(3)), X, max_depth=1)


def test_infeasible_limits_say_what_is_possible(engine: str) -> None:
    values = [v[1] for v in tree_values(combine(WRONG, WRONG), 2, 3)]
    with pytest.raises(InfeasibleError, match=f"accuracy at most 1.*closest.* {min(values):g}"):
        streed.solve(combine(GAIN, WRONG.at_most(1)), X, max_depth=2)
    with pytest.raises(InfeasibleError, match=f"accuracy at least 30.*closest.* {max(values):g}"):
        streed.solve(combine(GAIN, WRONG.at_least(30)), X, max_depth=2)
    with pytest.raises(InfeasibleError, match=r"accuracy at most 1.*, and accuracy at least 30"):
        streed.solve(combine(GAIN, WRONG.at_most(1), WRONG.at_least(30)), X, max_depth=2)
    with pytest.raises(InfeasibleError, match="accuracy at most 1"):
        streed.solve(combine(GAIN, PRICED, WRONG.at_most(1)), X, max_depth=2)


def test_limits_allow_for_rounding(engine: str) -> None:
    tenths = Accuracy(Y, sample_weight=np.full(N, 0.1))
    best = streed.solve(WRONG, X, max_depth=2).objective
    result = streed.solve(combine(GAIN, tenths.at_most(best / 10)), X, max_depth=2)
    assert (result.tree.predict(X) != Y).sum() == best


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: combine(WRONG), ValueError, "at least two tasks, got 1"),
        (lambda: combine(WRONG, 3), TypeError, r"takes streed\.tasks\.Task objects, got 3"),  # type: ignore[arg-type]
        (lambda: combine(WRONG, Accuracy([0, 1])), ValueError, r"same rows, got \[24, 2\] rows"),
        (
            lambda: combine(WRONG, Accuracy(Y + 1)),
            ValueError,
            r"same labels: accuracy has \[0, 1\], .* \[1, 2\]",
        ),
        (lambda: combine(WRONG.at_most(1), GAIN.at_least(1)), ValueError, "all parts have limits"),
        (lambda: WRONG.at_most("3"), TypeError, "limit of at_most must be a number, got '3'"),  # type: ignore[arg-type]
        (lambda: WRONG.at_least(math.nan), ValueError, "got NaN"),
        (lambda: WRONG.at_least(3).at_most(2), ValueError, "at least 3 and at most 2"),
        (lambda: combine(WRONG, GAIN).at_most(3), TypeError, "set limits on its parts"),
        (lambda: combine(WRONG, Itself()), TaskError, "itself cannot be part of a combination: its value is"),
        (lambda: streed.solve(Itself().at_most(3), X, max_depth=1), TaskError, "itself cannot be part"),
    ],
)
def test_bad_combinations(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_parts_with_other_features_are_refused() -> None:
    class Narrow(Largest):
        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
            return replace(super().components(X), features=range(2))

    with pytest.raises(TaskError, match=r"accuracy has the features \[0, 1, 2\], largest has \[0, 1\]"):
        streed.solve(combine(WRONG, Narrow()), X, max_depth=1)


def test_lowered_vector() -> None:
    form: Any = combine(MISSED, GAIN.at_least(5), PRICED).lower().objective
    assert not_label_costs(form) == ""
    vector = label_vector(form)
    assert vector.costs.shape == (N, 2, 3)
    assert vector.costs[:, :, 0].tolist() == [[float(y == 1), 0.0] for y in Y]
    assert np.array_equal(vector.costs[:, :, 1], GAIN.costs)
    assert vector.branch_cost.tolist() == [0, 0, 2]
    assert vector.lower.tolist() == [-np.inf] * 3
    assert vector.upper == pytest.approx([np.inf, -5, np.inf])
    other: Any = combine(WRONG, Largest()).lower().objective
    assert not_label_costs(other) == "largest is given by its six components"


def test_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    switch_off(monkeypatch)
    front = streed.solve(combine(MISSED, ALARMS), X, max_depth=3, time_limit=1e-9)
    assert (front.status, front.optimal, front.lower_bound, front.gap) == (
        "time_limit",
        False,
        None,
        math.inf,
    )
    single = streed.solve(combine(GAIN, WRONG.at_most(20)), X, max_depth=3, time_limit=1e-9)
    assert (single.status, single.lower_bound, single.gap) == ("time_limit", math.inf, math.inf)


def test_values_of_limited_parts_are_shown(engine: str) -> None:
    result = streed.solve(combine(WRONG, GAIN.at_least(38)), X, max_depth=2)
    gain = natural(GAIN, result.tree.predict(X), result.tree.n_nodes)
    assert result.statistics["part 2: label_costs"] == pytest.approx(gain)
    assert gain >= 38


def test_states_that_compare_by_their_key() -> None:
    """States that are arrays do not compare as one; a limit on whole trees finds the root by the key."""

    class Arrays(Largest):
        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
            table = np.asarray(X)
            return replace(
                super().components(X),
                transition=lambda rows, f, side: rows[table[rows, f] == side],
                initial_state=np.arange(N),
                key=lambda rows: rows.tobytes(),
            )

    same_task = streed.solve(combine(WRONG, Largest().at_most(2)), X, max_depth=2)
    assert streed.solve(combine(WRONG, Arrays().at_most(2)), X, max_depth=2).objective == same_task.objective


def test_names_of_columns(engine: str) -> None:
    import pandas as pd

    result = streed.solve(combine(MISSED, ALARMS), pd.DataFrame(X, columns=list("abc")), max_depth=2)
    assert all(solution.tree.feature_names == ("a", "b", "c") for solution in result.front)
    assert all(solution.tree.classes.tolist() == [0, 1] for solution in result.front)
    assert result.objectives == ("misclassified weight (part 1)", "misclassified weight (part 2)")
    assert "misclassified weight (part 2)" in result.to_html()


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 1e-3, 5e-3, 2e-2])
def test_what_a_front_that_is_cut_short_calls_proven_is_on_the_front(seconds: float) -> None:
    rng = np.random.default_rng(8)
    table, costs = rng.integers(0, 2, (300, 30)), rng.integers(0, 4, (300, 2, 2))
    task = streed.tasks.LabelCosts.objectives(costs)
    whole = streed.solve(task, table, max_depth=3)
    assert whole.proven == whole.front
    short = streed.solve(task, table, max_depth=3, time_limit=seconds)
    assert {point.values for point in short.proven} <= {point.values for point in whole.front}
    if not short.optimal:
        assert all(point.supported for point in short.proven)
        assert f"{len(short.proven)} of them proven" in short.summary() or len(short.front) == 1
