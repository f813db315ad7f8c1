"""Metrics: their values, what they are made from, what is refused, and the bounds that supports give."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

import streed
from streed import TaskError, metrics, tasks
from streed.solver.metrics.plane import Box, Plane

SCORES = {
    "f1": lambda y, z: sklearn_metrics.f1_score(y, z, zero_division=0),
    "jaccard": lambda y, z: sklearn_metrics.jaccard_score(y, z, zero_division=0),
    "mcc": sklearn_metrics.matthews_corrcoef,
    "balanced_accuracy": sklearn_metrics.balanced_accuracy_score,
    "macro_f1": lambda y, z: sklearn_metrics.f1_score(y, z, average="macro", zero_division=0),
    "g_mean": lambda y, z: np.prod(sklearn_metrics.recall_score(y, z, average=None)) ** 0.5,
    "min_recall": lambda y, z: sklearn_metrics.recall_score(y, z, average=None).min(),
}
CELLS = [
    cells
    for cells in itertools.product([0, 1, 2, 5], repeat=4)
    if cells[0] + cells[2] and cells[1] + cells[3]
]


@pytest.mark.parametrize("name", list(metrics.METRICS))
def test_values_are_those_of_scikit_learn(name: str) -> None:
    for tp, fp, fn, tn in CELLS:
        y = [1] * tp + [0] * fp + [1] * fn + [0] * tn
        prediction = [1] * (tp + fp) + [0] * (fn + tn)
        assert metrics.METRICS[name](tp, fp, fn, tn) == pytest.approx(SCORES[name](y, prediction)), (
            tp,
            fp,
            fn,
            tn,
        )


@pytest.mark.parametrize("beta", [0.5, 1, 2, 3.7])
def test_f_beta(beta: float) -> None:
    assert metrics.FBeta(beta)(4, 3, 2, 1) == pytest.approx(
        sklearn_metrics.fbeta_score([1] * 4 + [0] * 3 + [1] * 2 + [0], [1] * 7 + [0] * 3, beta=beta)
    )


@pytest.mark.parametrize(
    "metric", [metrics.FBeta(1), metrics.FBeta(0.3), metrics.Jaccard(), metrics.BalancedAccuracy()]
)
def test_ratios_are_what_their_terms_say(metric: metrics.Ratio) -> None:
    positives, negatives = 5, 7
    above, below = metric.terms(positives, negatives)
    for fp, fn in itertools.product(range(negatives + 1), range(positives + 1)):
        lines = [c[0] + c[1] * fp + c[2] * fn for c in (above, below)]
        expected = float(lines[0] / lines[1]) if lines[1] else 0.0
        assert metric(positives - fn, fp, fn, negatives - fp) == pytest.approx(expected)


@pytest.mark.parametrize("metric", list(metrics.METRICS.values()))
def test_metrics_are_monotone_and_take_arrays(metric: metrics.Metric) -> None:
    metrics.check_monotone(metric, 17, 40, 1.0)
    values = metric(np.array([3, 2]), np.array([1, 1]), np.array([0, 1]), np.array([4, 4]))
    assert values.tolist() == [metric(3, 1, 0, 4), metric(2, 1, 1, 4)]


def test_names_objects_and_functions() -> None:
    assert metrics.as_metric("mcc").name == "mcc"
    assert metrics.as_metric(metrics.FBeta(2)).name == "f2"
    assert repr(metrics.FBeta(2)) == "FBeta(2)"

    def informedness(tp: float, fp: float, fn: float, tn: float) -> float:
        return tp / (tp + fn) + tn / (tn + fp) - 1

    assert metrics.as_metric(informedness).name == "informedness"
    assert metrics.Function(informedness)(np.array([1, 2]), 1, np.array([1, 0]), 1).tolist() == [0.0, 0.5]
    with pytest.raises(TypeError, match="metric must be one of 'f1'"):
        metrics.as_metric(3)
    with pytest.raises(TypeError, match="got <function"):
        metrics.as_metric(lambda y: y)


@pytest.mark.parametrize(
    ("beta", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (np.inf, ValueError),
        (np.nan, ValueError),
        ("1", TypeError),
        (True, TypeError),
    ],
)
def test_bad_beta(beta: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="beta must be"):
        metrics.FBeta(beta)


Y = [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            lambda tp, fp, fn, tn: tp + fp,
            r"falls from \d to \d when fp falls from 1 to 0 .with fn=0, 2 positives",
        ),
        (lambda tp, fp, fn, tn: fn, "falls from 1 to 0 when fn falls from 1 to 0"),
        (lambda tp, fp, fn, tn: tp / (tp + fp), "raised ZeroDivisionError: .* for tp=0, fp=0, fn=2, tn=3"),
        (lambda tp, fp, fn, tn: float("nan"), "must give a number, got nan for tp"),
        (lambda tp, fp, fn, tn: "good", "must give a number, got 'good'"),
        (lambda tp, fp, fn, tn: {"y": 1}["x"], "raised KeyError: 'x' for tp"),
    ],
)
def test_functions_that_are_no_metrics(metric: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        streed.tasks.Metric(Y, metric)


def test_a_metric_object_that_gives_nan_is_refused() -> None:
    class Bad(metrics.Metric):
        name = "bad"

        def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
            return np.where(fp == 2, np.nan, 1.0)

    with pytest.raises(TaskError, match="bad gave nan for tp=2, fp=2, fn=0, tn=1"):
        streed.tasks.Metric(Y, Bad())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"y": [0, 1, 2]},
            r"Only binary classification is supported. The metric f1 needs two classes, got 3: \[0, 1, 2\]",
        ),
        ({"y": [1, 1]}, "f1 needs rows of two classes, got 1 class .*: the label 1"),
        ({"y": [0, 1], "sample_weight": [1, 0]}, "got 1 class .*: the label 0"),
        ({"y": [0, 1], "positive": 2}, r"positive must be one of the labels \[0, 1\], got 2"),
        (
            {"y": [0, 1], "class_weight": "balanced"},
            "class_weight would change what it means.*got class_weight='balanced'",
        ),
        ({"y": [0, 1], "cost_complexity": 0.1}, "cost_complexity must be 0; .*got cost_complexity=0.1"),
    ],
)
def test_bad_arguments_of_metric_tasks(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        streed.tasks.F1Score(**arguments)


def test_macro_f1_refuses_more_than_three_classes() -> None:
    with pytest.raises(
        ValueError, match="at most 3 classes, got 4: the front that decides it has 8 objectives"
    ):
        streed.tasks.MacroF1([0, 1, 2, 3])
    with pytest.raises(ValueError, match="at least two classes"):
        streed.tasks.MacroF1([0, 0])


def test_the_positive_class_can_be_chosen() -> None:
    X, y = [[0], [0], [0], [1], [1]], ["no", "no", "yes", "yes", "no"]
    for positive in ("no", "yes"):
        task = streed.tasks.F1Score(y, positive=positive)
        result = streed.solve(task, X, max_depth=1)
        assert task.positive == positive
        assert result.objective == pytest.approx(
            sklearn_metrics.f1_score(y, result.tree.predict(X), pos_label=positive)
        )
    assert streed.tasks.F1Score(y).positive == "yes"


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(0, 40)), max_size=3),
    st.sampled_from(["f1", "g_mean", "min_recall", "mcc"]),
    st.data(),
)
def test_supports_bound_what_they_leave(
    positives: int, negatives: int, supports: list[tuple[int, int, int]], name: str, data: st.DataObject
) -> None:
    plane = Plane(metrics.METRICS[name], positives, negatives, 1.0)
    for support in supports:
        plane.add(*support)
    low_fn = data.draw(st.integers(0, positives))
    box = Box(0, data.draw(st.integers(0, negatives)), low_fn, data.draw(st.integers(low_fn, positives)))
    points = [
        (fp, fn)
        for fp in range(box.least_fp, box.most_fp + 1)
        for fn in range(box.least_fn, box.most_fn + 1)
        if all(a * fp + b * fn >= v for a, b, v in supports)
    ]
    values = [plane.value(fp, fn) for fp, fn in points]
    assert plane.bound(box) == max(values, default=-np.inf)
    incumbent = data.draw(st.sampled_from([-1.0, 0.0, 0.3, 0.7, 1.0]))
    a, b = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    region = plane.above(box, incumbent, a, b)
    better = [point for point, value in zip(points, values, strict=True) if value > incumbent]
    if region is None:
        assert not better
    else:
        assert better
        assert region.most_fp == max(fp for fp, _ in better)
        assert region.most_fn == max(fn for _, fn in better)
        assert region.budget == max(a * fp + b * fn for fp, fn in better)


def test_wide_planes_are_bounded_cell_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(metrics.METRICS["f1"], 1000, 1000, 1.0, [(3, 2, 500)])
    exact = plane.bound(plane.whole())
    fn = np.arange(1001)
    fp = np.maximum(0, -((2 * fn - 500) // 3))
    assert exact == plane.values(fp, fn).max()
    monkeypatch.setattr("streed.solver.metrics.plane.CELLS", 16)
    assert exact <= plane.bound(plane.whole()) <= exact + 0.1


def test_real_weights_are_whole_units_of_a_grid() -> None:
    from streed.table.units import integer_units

    weights = np.random.default_rng(0).random(500) + 1e-12
    units, scale = integer_units(weights, 500, 30)
    assert units.sum() <= 2**30
    assert units.min() >= 1
    assert units * scale == pytest.approx(weights, abs=1e-6)
    assert integer_units(None, 3, 30)[0].tolist() == [1, 1, 1]


def test_dinkelbach_refuses_ratios_that_reward_mistakes() -> None:
    class Odd(metrics.Ratio):
        name = "odd"

        def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
            return metrics.FBeta(1)(tp, fp, fn, tn)

        def terms(self, positives: int, negatives: int) -> Any:
            return (Fraction(1), Fraction(1), Fraction(0)), (Fraction(1), Fraction(0), Fraction(0))

    with pytest.raises(TaskError, match="odd does not fall when fp or fn grows"):
        streed.solve(streed.tasks.Metric(Y, Odd()), [[0], [1], [0], [1], [1]], max_depth=1)


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 3, 0.7, 1e-3, 3.0])
def test_weights_in_parts_of_one_meet_the_step(unit: float) -> None:
    """Both constant trees lie exactly on a step: sums of doubles would miss it by their rounding."""
    y = [0] * 3 + [1] * 7
    parts = {0.1: (0.3, 0.7), 0.3: (0.9, 2.1), 1 / 3: (1.0, 7 / 3), 0.7: (2.1, 4.9), 1e-3: (0.003, 0.007)}
    fp_step, fn_step = parts.get(unit, (9.0, 21.0))

    def step(tp: float, fp: float, fn: float, tn: float) -> float:
        return float(fp <= fp_step) + 2.0 * (fn <= fn_step)

    task = tasks.Metric(y, step, np.full(10, unit))
    result = streed.solve(task, np.zeros((10, 1)), max_depth=1)
    assert (result.objective, result.lower_bound, result.optimal) == (3.0, 3.0, True)
    assert task.score(np.ones(10, np.int64)) == task.score(np.zeros(10, np.int64)) == 3.0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(1, 9)), min_size=2, max_size=9),
    st.sampled_from([10, 100, 7, 3]),
    st.integers(0, 2),
)
def test_steps_against_fractions(rows: list[tuple[int, int, int]], parts: int, depth: int) -> None:
    """Weights in tenths, hundredths, sevenths, thirds: all trees, with sums that are fractions."""
    y = np.array([0, 1] + [label for _, label, _ in rows])
    whole = np.array([1, 2] + [weight for _, _, weight in rows])
    X = np.array([[0, 0], [1, 1]] + [[bits & 1, bits >> 1] for bits, _, _ in rows])

    def step(tp: float, fp: float, fn: float, tn: float) -> float:
        return sum(fp <= k / parts for k in (3, 6, 7, 12)) + sum(fn <= k / parts for k in (3, 6, 7, 12))

    best = 0.0
    for says in predictions(X, depth):
        fp, fn = (int(whole[(says == a) & (y == 1 - a)].sum()) for a in (1, 0))
        best = max(best, step(0, fp / parts, fn / parts, 0))
    result = streed.solve(tasks.Metric(y, step, whole / parts), X, max_depth=depth)
    assert (result.objective, result.lower_bound, result.optimal) == (best, best, True)


def predictions(X: np.ndarray, depth: int) -> list[np.ndarray]:
    found = [np.zeros(len(X), np.int64), np.ones(len(X), np.int64)]
    if depth:
        below = predictions(X, depth - 1)
        found += [np.where(column, a, b) for column in X.T for a in below for b in below]
    return found


def test_a_jump_within_the_rounding_of_the_weights_is_refused() -> None:
    """Without a unit the search knows weights to 2^-30 of their total: a step between that and them."""
    weights = np.array([np.pi, np.e, 0.01, 0.02 * 3**0.5])
    plain = tasks.Metric([0, 0, 1, 1], "g_mean", weights)
    assert streed.solve(plain, np.zeros((4, 1)), max_depth=0).optimal
    rounded = plain._scale * float(plain._units[:2].sum())
    between = (rounded + math.fsum(weights[:2])) / 2
    assert rounded != between
    jump = tasks.Metric([0, 0, 1, 1], lambda tp, fp, fn, tn: float(fp <= between) - fn, weights)
    with pytest.raises(TaskError, match="sample_weight as whole multiples of one unit"):
        streed.solve(jump, np.zeros((4, 1)), max_depth=0)
