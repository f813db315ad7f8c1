"""Trees that are worth as much as their worst leaf, and combinations with such parts: `combination`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import streed
from streed import FeatureCosts, InfeasibleError, InterruptedWarning, TaskError, combine
from streed.tasks import Accuracy, ClassErrors, LabelCosts, Lowered, StatisticsTask, Task
from tests.unit.front_twin import leaves, trees

RNG = np.random.default_rng(5)
N = 40
X = (RNG.random((N, 3)) < 0.5).astype(np.uint8)
Y = np.where(RNG.random(N) < 0.7, X[:, 0] ^ X[:, 1], X[:, 2]).astype(int)
WRONG = (Y[:, None] != [0, 1]).astype(float)
LARGEST = LabelCosts(WRONG, combination="max")


class Share(StatisticsTask):
    """Correct rows less twice the errors in the worst leaf, as a reward; `spoil` is called with all sums."""

    name = "share"
    maximize = True
    value_name = "reward"

    def __init__(self, combination: str = "min", spoil: Any = None, **options: Any) -> None:
        self.spoil = spoil
        super().__init__(np.eye(2)[Y] * 0.1, [0, 1], combination=combination, **options)

    def leaf_costs(self, sums: Any) -> Any:
        if self.spoil is not None:
            self.spoil(sums)
        return sums - 2 * sums[::-1]


def every_tree(depth: int = 2) -> list[list[tuple[int, int]]]:
    """Errors and correct rows of each leaf of each tree."""
    out = []
    for tree in trees(3, 2, depth):
        parts = [(rows, label) for rows, label in leaves(tree, X, np.arange(N)) if len(rows)]
        out.append([(int((Y[rows] != label).sum()), int((Y[rows] == label).sum())) for rows, label in parts])
    return out


TREES = every_tree()


def test_largest_leaf() -> None:
    result = streed.solve(LARGEST, X, max_depth=2)
    assert result.engine == "native"
    assert result.objective == min(max(wrong for wrong, _ in tree) for tree in TREES)
    assert result.measure == "cost of the most expensive leaf"
    wrong = np.bincount(result.tree.apply(X), weights=result.tree.predict(X) != Y)
    assert result.objective == wrong.max()
    leaf = result.tree.feature < 0
    assert result.tree.values[leaf].tolist() == wrong[: result.tree.node_count][leaf].tolist()
    assert result.tree.values[0] == result.objective


def test_worst_reward() -> None:
    result = streed.solve(Share(), X, max_depth=2)
    best = max(min(0.1 * (right - 2 * wrong) for wrong, right in tree) for tree in TREES)
    assert result.objective == pytest.approx(best)
    assert result.lower_bound == result.objective
    assert result.tree.values[0] == pytest.approx(best)


def test_class_errors_of_a_task_of_ones_own() -> None:
    class Own(Task):
        name = "own"
        n_rows = N

        def __init__(self, combination: str = "max", branch_cost: float = 0.0) -> None:
            self.combination, self.branch_cost = combination, branch_cost

        def lower(self) -> Lowered:
            leaf = ClassErrors(Y.astype(np.int32), np.ones(N))
            return Lowered(leaf, np.arange(2), self.branch_cost, combination=self.combination)

        def report(self, cost: float) -> float:
            return cost

        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
            return LARGEST.components(X, min_samples_leaf=min_samples_leaf)

    assert streed.solve(Own(), X, max_depth=2).objective == streed.solve(LARGEST, X, max_depth=2).objective
    assert streed.check_separable(Own(), X, n_samples=20).ok
    with pytest.raises(TaskError, match="own: the combination must be 'sum' or 'max', got 'least'"):
        streed.solve(Own("least"), X, max_depth=1)
    with pytest.raises(
        TaskError, match="own: branching must cost nothing where leaves are combined by 'max'"
    ):
        streed.solve(Own("max", 1.0), X, max_depth=1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Share("max"), TaskError, "'share': combination must be 'sum' or 'min' where .* got 'max'"),
        (lambda: Share("min", branch_cost=1.0), TaskError, "costs of branching have nothing to be added to"),
        (lambda: LabelCosts(WRONG, combination="min"), ValueError, "'sum' or 'max' where .* got 'min'"),
        (lambda: LabelCosts(WRONG, combination=max), ValueError, "got <built-in function max>"),  # type: ignore[arg-type]
        (lambda: LabelCosts(WRONG, combination="max", cost_complexity=0.1), ValueError, "max_nodes instead"),
        (
            lambda: LabelCosts(WRONG, combination="max", feature_costs=FeatureCosts([1.0, 1.0, 1.0])),
            ValueError,
            "max_nodes instead",
        ),
    ],
)
def test_bad_combinations(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_limit_on_the_largest_leaf_forbids_leaves() -> None:
    limit = LARGEST.at_most(3)
    assert limit.anti_monotonic
    assert "prunes at every node" in limit.describe()
    assert not LARGEST.at_least(3).anti_monotonic
    assert Share().at_least(1).anti_monotonic
    result = streed.solve(combine(Accuracy(Y), limit), X, max_depth=2)
    assert result.engine == "native"
    possible = [tree for tree in TREES if max(wrong for wrong, _ in tree) <= 3]
    assert result.objective == min(sum(wrong for wrong, _ in tree) for tree in possible)
    assert result.statistics["part 2: label_costs"] <= 3


def test_a_front_of_a_sum_and_a_maximum() -> None:
    result = streed.solve(combine(Accuracy(Y), Share()), X, max_depth=2)
    points = {
        (sum(wrong for wrong, _ in tree), -round(min(0.1 * (r - 2 * w) for w, r in tree), 9))
        for tree in TREES
    }
    front = [p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)]
    assert [s.values for s in result.front] == [pytest.approx((a, -b)) for a, b in sorted(front)]
    assert (result.engine, result.optimal) == ("native", True)
    assert result.objectives == ("errors", "share")


def test_leaf_functions_whose_leaves_say_their_label() -> None:
    class Spread(StatisticsTask):
        name = "spread"

        def __init__(self, y: Any, combination: str) -> None:
            super().__init__(np.column_stack([np.ones(N), y, y**2]), least_row=0, combination=combination)

        def leaf_costs(self, sums: Any) -> Any:
            return sums[2] - sums[1] ** 2 / sums[0]

        def leaf_label(self, sums: Any) -> Any:
            return sums[1] / sums[0]

    y = X[:, 0] * 5.0 + RNG.normal(size=N)
    total, largest = Spread(y, "sum"), Spread(y, "max")
    result = streed.solve(combine(total, largest), X, max_depth=2)
    assert result.engine == "native"
    assert result.front[0].values[0] == pytest.approx(streed.solve(total, X, max_depth=2).objective)
    assert result.front[-1].values[1] == pytest.approx(streed.solve(largest, X, max_depth=2).objective)
    assert ((result.tree.predict(X) - y) ** 2).sum() == pytest.approx(result.front[0].values[0])


def test_limits_that_cannot_be_met() -> None:
    best = min(max(wrong for wrong, _ in tree) for tree in TREES)
    message = rf"meets, label_costs at most {best - 1:g} \(closest: {best:g}\)"
    with pytest.raises(InfeasibleError, match=message):
        streed.solve(combine(Accuracy(Y), LARGEST.at_most(best - 1)), X, max_depth=2)
    with pytest.raises(
        InfeasibleError, match=r"together, label_costs at least 99, and accuracy at most -1 \(cl"
    ):
        streed.solve(combine(Share(), LARGEST.at_least(99), Accuracy(Y).at_most(-1)), X, max_depth=2)


def test_too_many_rows_in_a_leaf() -> None:
    with pytest.raises(ValueError, match="min_samples_leaf must be at most the number of rows, 40, got 41"):
        streed.solve(combine(Accuracy(Y), LARGEST), X, max_depth=1, min_samples_leaf=41)


def small(sums: Any) -> bool:
    return bool((sums.sum(axis=0) < 0.75).any())


def test_a_part_that_raises_or_lies() -> None:
    def fail(sums: Any) -> None:
        if small(sums):
            raise RuntimeError("not today")

    with pytest.raises(TaskError, match="leaf function of the task 'share' raised RuntimeError: not today"):
        streed.solve(combine(Accuracy(Y), Share(spoil=fail)), X, max_depth=2)

    class Nan(Share):
        def leaf_costs(self, sums: Any) -> Any:
            return np.where(sums.sum(axis=0) < 0.75, np.nan, super().leaf_costs(sums))

    with pytest.raises(
        TaskError, match=r"the task 'share' breaks its contract: a leaf costs -?nan, but costs"
    ):
        streed.solve(combine(Accuracy(Y), Nan()), X, max_depth=2)


@pytest.mark.parametrize("name", ["nan", "below"])
def test_a_wrong_leaf_is_not_hidden_by_the_maximum(name: str) -> None:
    """Whole statistics go to a table; the wrong cost of one small leaf is beside a large one."""

    class Counts(StatisticsTask):
        name = "counts"

        def __init__(self) -> None:
            super().__init__(np.eye(2)[Y], [0, 1], least_row=0, combination="max")

        def leaf_costs(self, sums: Any) -> Any:
            wrong = np.nan if name == "nan" else -5.0
            return np.where(sums.sum(axis=0) < 9, wrong, sums[::-1])

    message = "costs -?nan" if name == "nan" else "costs less than least_row allows"
    for switch in (2, 3):
        with pytest.raises(TaskError, match=f"the task 'counts' breaks its contract: a leaf {message}"):
            streed.solve(Counts(), X, max_depth=switch)


def test_ctrl_c_in_a_part_keeps_the_best_tree() -> None:
    calls = 0

    def interrupt(sums: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 40:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedWarning):
        result = streed.solve(combine(Accuracy(Y), Share(spoil=interrupt)), X, max_depth=3)
    assert (result.status, result.optimal) == ("interrupted", False)
    assert result.front


def test_time_limit_of_a_mixed_front() -> None:
    rng = np.random.default_rng(1)
    features, labels = rng.integers(2, size=(400, 40)), rng.integers(2, size=400)
    task = combine(Accuracy(labels), LabelCosts(labels[:, None] != [0, 1], combination="max"))
    started = time.perf_counter()
    result = streed.solve(task, features, max_depth=5, time_limit=0.3)
    assert time.perf_counter() - started < 20
    assert (result.status, result.optimal) == ("time_limit", False)
    single = streed.solve(
        combine(task.parts[0], task.parts[1].at_most(150)), features, max_depth=5, time_limit=0.3
    )
    assert single.status == "time_limit"
    assert single.lower_bound <= single.objective


def test_rows_of_weight_zero() -> None:
    """A part may leave out rows; a leaf must have rows that count in some part."""
    weight = (np.arange(N) % 3 > 0).astype(float)
    some = LabelCosts(WRONG, sample_weight=weight, combination="max")
    result = streed.solve(combine(Accuracy(Y), some), X, max_depth=2)
    expected = streed.solve(combine(Accuracy(Y), some).components(X), X, max_depth=2)
    assert sorted(s.values for s in result.front) == [
        pytest.approx(v) for v in sorted(s.values for s in expected.front)
    ]
