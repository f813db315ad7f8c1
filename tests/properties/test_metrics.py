"""Every metric on random small problems against the reference solver, with slow and native fronts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import streed
from streed import metrics, reference
from streed.metrics.macro import mean_f1
from streed.tasks import MacroF1, Metric
from tests.properties.problems import EXAMPLES

FEW = settings(
    max_examples=max(10, EXAMPLES // 4), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def weighted(tp: float, fp: float, fn: float, tn: float) -> float:
    """A metric of one's own: neither a ratio nor smooth nor concave."""
    return max(tp - 2 * fp, 0) * (1 + tn) - fn**2


CHOICES: list[Any] = [*metrics.METRICS, metrics.FBeta(2), metrics.FBeta(0.3), weighted]


@st.composite
def labelled(draw: st.DrawFn, n_classes: int = 2, most_rows: int = 9) -> tuple[np.ndarray, np.ndarray, Any]:
    """Rows with all classes among them, and weights: none, whole, tenths or real."""
    n = draw(st.integers(n_classes, most_rows))
    n_features = draw(st.integers(1, 3))
    bits = draw(st.lists(st.integers(0, 2**n_features - 1), min_size=n, max_size=n))
    rest = draw(st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes))
    X = np.array([[b >> f & 1 for f in range(n_features)] for b in bits], dtype=np.uint8)
    kind = draw(st.sampled_from(["none", "whole", "tenths", "real"]))
    whole = np.array(draw(st.lists(st.integers(0 if kind == "whole" else 1, 5), min_size=n, max_size=n)))
    whole[:n_classes] = np.maximum(whole[:n_classes], 1)
    weights = {"none": None, "whole": whole, "tenths": whole / 10, "real": whole**0.5}[kind]
    return X, np.array([*range(n_classes), *rest]), weights


def best_value(task: Metric, X: np.ndarray, **limits: Any) -> float:
    """Best value of the metric on the reference solver's front of mistakes, which are in whole units."""
    leaf = limits.pop("min_samples_leaf", 1)
    front = reference.solve(task.components(X, min_samples_leaf=leaf), **limits)
    if len(task.classes) == 2:
        positives = int(task._units[task._codes == task._positive].sum())
        negatives = int(task._units.sum()) - positives
        points = np.array([one.value[-2:] for one in front])
        values = metrics.evaluate(task.metric, points[:, 0], points[:, 1], positives, negatives, task._scale)
        return float(values.max())
    sizes = np.bincount(task._codes, weights=task._units)
    return max(float(mean_f1(sizes, *np.array(one.value).reshape(-1, 2).T)) for one in front)


@pytest.mark.usefixtures("fronts")
@pytest.mark.parametrize(
    "metric", CHOICES, ids=lambda choice: getattr(choice, "name", getattr(choice, "__name__", choice))
)
@given(data=labelled(), depth=st.integers(0, 2), leaf=st.integers(1, 2), nodes=st.integers(0, 3))
@FEW
def test_every_metric_is_maximised(
    metric: Any, data: tuple[np.ndarray, np.ndarray, Any], depth: int, leaf: int, nodes: int
) -> None:
    X, y, weights = data
    if weights is not None and np.count_nonzero(weights) < leaf:
        leaf = 1
    task = MacroF1(y, weights) if metric == "macro_f1" else Metric(y, metric, weights)
    limits: dict[str, Any] = {"max_depth": depth, "max_nodes": nodes}
    result = streed.solve(task, X, min_samples_leaf=leaf, **limits)
    assert result.optimal
    assert result.status == "optimal"
    assert result.gap == 0
    # Real weights are on a grid in the best value, and the terms of a metric may cancel.
    whole = weights is None or np.allclose(10 * weights, np.rint(10 * weights), rtol=0, atol=1e-9)
    best = best_value(task, X, min_samples_leaf=leaf, **limits)
    assert result.objective == pytest.approx(best, rel=1e-7, abs=1e-12 if whole else 1e-6)
    assert result.tree.depth <= depth
    assert result.tree.n_nodes <= nodes
    assert result.tree.n_samples.min() >= leaf
    kept = slice(None) if weights is None else weights > 0
    positive = result.tree.predict(X)[kept] == 1
    w = np.ones(y.size)[kept] if weights is None else weights[kept]
    true = y[kept] == 1
    masks = (positive & true, positive & ~true, ~positive & true, ~positive & ~true)
    assert result.objective == pytest.approx(
        float(metrics.as_metric(metric)(*(w[mask].sum() for mask in masks)))
    )


@pytest.mark.usefixtures("fronts")
@given(data=labelled(n_classes=3, most_rows=7), depth=st.integers(0, 2))
@FEW
def test_macro_f1_of_three_classes(data: tuple[np.ndarray, np.ndarray, Any], depth: int) -> None:
    X, y, weights = data
    task = MacroF1(y, weights)
    result = streed.solve(task, X, max_depth=depth)
    assert result.optimal
    assert result.objective == pytest.approx(best_value(task, X, max_depth=depth), rel=1e-7)


@given(data=labelled(most_rows=40), choice=st.sampled_from(["f1", "jaccard", "mcc"]))
def test_the_hull_agrees_with_dinkelbach_and_needs_no_front(
    data: tuple[np.ndarray, np.ndarray, Any], choice: str
) -> None:
    """Ratios are quasiconvex too, so that vertices of the hull decide; MCC by the proof in its docstring."""

    class Vertices(metrics.Function):
        hull = True

    X, y, weights = data
    named = streed.solve(Metric(y, choice, weights), X, max_depth=2)
    by_hull = streed.solve(Metric(y, Vertices(metrics.METRICS[choice], choice), weights), X, max_depth=2)
    assert named.optimal
    assert by_hull.optimal
    assert by_hull.objective == pytest.approx(named.objective, rel=1e-7)
