"""Any objective under any limits, against all trees of two levels."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import InfeasibleError
from streed import limits as lim
from tests.properties import limits_twin as twin

Case = tuple[Any, Callable[[np.ndarray, int], Any]]
KINDS = (
    "demographic_parity",
    "equal_opportunity",
    "predictive_equality",
    "equalized_odds",
    "accuracy_parity",
)


class Problem:
    """Random rows with classes, weights and groups, and everything that may be limited on them."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        n, self.k = int(rng.integers(8, 32)), int(rng.integers(2, 5))
        n_features = {2: 5, 3: 4, 4: 3}[self.k]
        self.X = rng.random((n, n_features)) < rng.uniform(0.2, 0.8, n_features)
        self.y = np.concatenate([np.arange(self.k), rng.integers(0, self.k, n - self.k)])
        signal = self.X[:, 0] & (rng.random(n) < 0.7)
        self.y[self.k :] = np.where(signal, self.k - 1, self.y)[self.k :]
        self.g = rng.integers(0, int(rng.integers(2, 5)), n)
        self.g[:2] = 0, 1
        self.weights = None if rng.random() < 0.5 else rng.integers(1, 4, n) * rng.choice([1.0, 0.5])
        self.units = np.ones(n, int) if self.weights is None else np.rint(2 * self.weights).astype(int)
        self.costs = rng.integers(0, 6, self.k) * rng.choice([1.0, 0.1])
        self.n_nodes = int(rng.integers(1, 4))

    def limit(self) -> tuple[Any, Callable[[np.ndarray, int], bool]]:
        """Return a random limit and whether predictions keep it, counted in another way."""
        kind = self.rng.choice(["recall", "precision", "rate", "share", "parity", "ratio", "mean", "errors"])
        quantity, value = getattr(self, f"_{kind}")()
        end = Fraction(int(self.rng.integers(0, 11)), 10)
        if kind == "parity":
            end /= 4
            limit = quantity.below(float(end)) if end and self.rng.random() < 0.2 else quantity <= float(end)
            return limit, lambda p, m: value(p, m) < end if limit.strict else value(p, m) <= end
        if kind == "mean":
            end *= int(self.costs.max() / self.costs[self.costs > 0].min()) if self.costs.any() else 1
        if kind in ("errors", "mean") or (kind in ("rate", "share") and self.rng.random() < 0.5):
            return quantity <= float(end), lambda p, m: (v := value(p, m)) is None or v <= end
        if kind == "share" and self.rng.random() < 0.5:
            high = min(end + Fraction(1, 4), Fraction(1))
            return quantity.between(float(end), float(high)), lambda p, m: end <= value(p, m) <= high
        return quantity >= float(end), lambda p, m: (v := value(p, m)) is None or v >= end

    def _label(self) -> int:
        return int(self.rng.integers(0, self.k))

    def _recall(self) -> Case:
        label = self._label()
        return lim.recall(label), lambda p, m: twin.rate(self.units, self.y == label, p == label)

    def _precision(self) -> Case:
        label = self._label()
        return lim.precision(label), lambda p, m: twin.rate(self.units, p == label, self.y == label)

    def _rate(self) -> Case:
        a, b = self._label(), self._label()
        return lim.rate(a, of=b), lambda p, m: twin.rate(self.units, self.y == b, p == a)

    def _share(self) -> Case:
        label, every = self._label(), np.ones(self.y.size, bool)
        return lim.share(label), lambda p, m: twin.rate(self.units, every, p == label)

    def _errors(self) -> Case:
        return lim.errors(), lambda p, m: twin.rate(self.units, np.ones(p.size, bool), p != self.y)

    def _mean(self) -> Case:
        exact = [Fraction(repr(float(cost))).limit_denominator(10) for cost in self.costs]
        total = int(self.units.sum())
        return (
            lim.mean(dict(enumerate(self.costs.tolist()))),
            lambda p, m: (
                sum(exact[label] * int(unit) for label, unit in zip(p.tolist(), self.units, strict=True))
                / Fraction(total)
            ),
        )

    def _parity(self) -> Case:
        kind = str(self.rng.choice(KINDS))
        by = self.g
        return lim.parity(kind, by=by), lambda p, m: twin.parity_of(kind, self.y, p, by, self.units, self.k)

    def _ratio(self) -> Case:
        def least(p: np.ndarray, m: int) -> Fraction:
            worst = Fraction(1)
            for label in [1] if self.k == 2 else range(self.k):
                groups = [twin.rate(self.units, self.g == one, p == label) for one in np.unique(self.g)]
                known = [one for one in groups if one is not None]
                worst = min(worst, min(known) / max(known) if max(known) else Fraction(1))
            return worst

        return lim.ratio(by=self.g), least

    def objective(self) -> tuple[Any, Callable[[np.ndarray, int], float]]:
        """Return a random task, and its value, the better the larger."""
        names = (
            ["accuracy", "priced", "f1", "mcc", "g_mean", "macro_f1"]
            if self.k == 2
            else ["accuracy", "priced"]
        )
        name = str(self.rng.choice([*names, "macro_f1"] if self.k == 3 else names))
        weights = self.weights
        if name in ("accuracy", "priced"):
            price = 0.03 if name == "priced" else 0.0
            errors = streed.tasks.Accuracy(self.y, weights, cost_complexity=price)
            scale = 1.0 if weights is None else 0.5
            total = float(self.units.sum()) * scale
            return errors, lambda p, m: -scale * float(self.units[p != self.y].sum()) - price * total * m
        given_weights = {} if weights is None else {"sample_weight": weights}
        task: Any = streed.tasks.make_task(name, self.y, **given_weights)
        return task, lambda p, m: task.score(p)


def check(seed: int) -> None:
    """Solve one random problem and compare it with all trees."""
    problem = Problem(seed)
    task, value = problem.objective()
    pairs = [problem.limit() for _ in range(int(problem.rng.integers(1, 4)))]
    nodes = problem.n_nodes
    limits = [limit for limit, _ in pairs] + ([lim.nodes() <= nodes] if nodes < 3 else [])
    trees = list(twin.all_trees(problem.X, problem.k, 2))
    wanted = twin.best(trees, lambda p, m: m <= nodes and all(keeps(p, m) for _, keeps in pairs), value)
    whole = streed.tasks.Constrained(task, limits, y=problem.y, sample_weight=problem.weights)
    if wanted is None:
        with pytest.raises(InfeasibleError, match="no tree"):
            streed.solve(whole, problem.X, max_depth=2)
        return
    result = streed.solve(whole, problem.X, max_depth=2)
    assert result.optimal, limits
    found = result.objective if task.maximize else -result.objective
    assert found == pytest.approx(wanted, abs=1e-9), (task.name, limits)
    predicted = result.tree.label[result.tree.route(problem.X.astype(np.uint8))]
    assert all(keeps(predicted, result.tree.n_nodes) for _, keeps in pairs)
    assert all(one.kept for one in result.limits)
    assert len(result.limits) == len(limits)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_any_combination_is_the_best_of_all_trees(seed: int) -> None:
    check(seed)


def check_combination(seed: int) -> None:
    """Combine a metric or fair errors with limits on other tasks, and compare with all trees."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 36))
    X = rng.random((n, 5)) < rng.uniform(0.2, 0.8, 5)
    y, g = rng.integers(0, 2, n), rng.integers(0, 3, n)
    y[:2], g[:2] = (0, 1), (0, 1)
    y[2:] = np.where(rng.random(n - 2) < 0.7, (X[:, 0] ^ X[:, 1])[2:], y[2:])
    tasks = streed.tasks
    objective: Any = (
        tasks.F1Score(y),
        tasks.MatthewsCorrelation(y),
        tasks.EqualOpportunity(y, g, max_difference=0.3),
        tasks.DemographicParity(y, g, min_ratio=0.5),
    )[int(rng.integers(0, 4))]
    missed, wrong = tasks.Accuracy(y, class_weight={0: 0, 1: 1}), tasks.Accuracy(y)
    most, allowed, least = int(rng.integers(0, 6)), int(rng.integers(2, 12)), float(rng.choice([0, 0.5, 0.7]))
    parts = [missed.at_most(most), wrong.at_most(allowed), tasks.JaccardIndex(y).at_least(least)]
    whole = streed.combine(objective, *parts)
    wanted = None
    for labels, _ in twin.all_trees(X, 2, 2):
        hit, fp, fn = ((labels == a) & (y == b) for a, b in ((1, 1), (1, 0), (0, 1)))
        union = int(hit.sum() + fp.sum() + fn.sum())
        kept = fn.sum() <= most and (fp | fn).sum() <= allowed and hit.sum() >= least * union - 1e-9
        if kept and (objective.maximize or objective.is_fair(objective.outcome(labels))):
            value = objective.score(labels) if objective.maximize else -float((labels != y).sum())
            wanted = value if wanted is None else max(wanted, value)
    if wanted is None:
        with pytest.raises(InfeasibleError):
            streed.solve(whole, X, max_depth=2)
        return
    result = streed.solve(whole, X, max_depth=2)
    assert result.optimal
    assert (1 if objective.maximize else -1) * result.objective == pytest.approx(wanted)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_combinations_of_metrics_and_parities_are_the_best_of_all_trees(seed: int) -> None:
    check_combination(seed)
