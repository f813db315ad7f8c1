"""Every notion of fairness on random small problems, against all trees and plain fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import streed
from streed import InfeasibleError, reference
from streed.fairness import CONSTRAINTS, RATES, Parity, Rate
from streed.options import check_limits
from streed.tasks.fairness import GroupFairness
from streed.tasks.parts.vectors import vector_components
from tests.properties.problems import EXAMPLES

FEW = settings(
    max_examples=max(15, EXAMPLES // 2), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MISSES = Parity("misses", (Rate("false_negative_rate", "positive", "negative"), RATES["accuracy"]))
NOTIONS: list[Any] = [*CONSTRAINTS, MISSES]


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    group: np.ndarray
    weights: np.ndarray | None


class Outcome(NamedTuple):
    """What a tree does: its errors, and the exact difference and ratio of the rates."""

    errors: Fraction
    difference: Fraction
    ratio: Fraction


@st.composite
def grouped(draw: st.DrawFn, most_rows: int = 9) -> Data:
    n, n_features, n_groups = (
        draw(st.integers(3, most_rows)),
        draw(st.integers(1, 3)),
        draw(st.integers(2, 3)),
    )
    bits = draw(st.lists(st.integers(0, 2**n_features - 1), min_size=n, max_size=n))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    group = [0, n_groups - 1, *draw(st.lists(st.integers(0, n_groups - 1), min_size=n - 2, max_size=n - 2))]
    whole = draw(st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n))
    X = np.array([[b >> f & 1 for f in range(n_features)] for b in bits], dtype=np.uint8)
    return Data(X, np.array(y), np.array(group), None if whole is None else np.array(whole))


def outcomes(data: Data, parity: Parity, max_depth: int) -> list[Outcome]:
    """Outcomes of all trees, from the weights that they predict positive in every group and class."""
    weights = np.ones(data.y.size, dtype=int) if data.weights is None else data.weights
    cells = [(group, label) for group in sorted(set(data.group.tolist())) for label in (0, 1)]
    costs = np.zeros((data.y.size, 2, len(cells)), dtype=int)
    for j, (group, label) in enumerate(cells):
        costs[(data.group == group) & (data.y == label), 1, j] = 1
    costs *= weights[:, None, None]
    trees = reference.solve(vector_components(data.X, None, costs, 1, lambda v, w: False), max_depth)
    sizes = [int(weights[(data.group == group) & (data.y == label)].sum()) for group, label in cells]
    return [outcome(parity, cells, sizes, tree.value) for tree in trees]


def outcome(
    parity: Parity, cells: Sequence[tuple[int, int]], sizes: Sequence[int], chosen: Sequence[int]
) -> Outcome:
    table = list(zip(cells, sizes, chosen, strict=True))
    errors = sum(size - k if label else k for (_, label), size, k in table)
    differences, ratios = [Fraction(0)], [Fraction(1)]
    for rate in parity.rates:
        rates = []
        for group in sorted({group for group, _ in cells}):
            mine = [(label, size, k) for (g, label), size, k in table if g == group]
            about = [line for line in mine if rate.rows == "all" or line[0] == (rate.rows == "positive")]
            counted = {
                "positive": sum(k for _, _, k in about),
                "negative": sum(size - k for _, size, k in about),
                "right": sum(k if label else size - k for label, size, k in about),
            }[rate.counted]
            whole = sum(size for _, size, _ in about)
            rates += [Fraction(counted, whole)] if whole else []
        if rates:
            differences.append(max(rates) - min(rates))
            ratios.append(min(rates) / max(rates) if max(rates) else Fraction(1))
    return Outcome(Fraction(errors), max(differences), min(ratios))


@pytest.mark.usefixtures("fronts")
@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: getattr(notion, "name", notion))
@given(data=grouped(), depth=st.integers(0, 2), choice=st.data())
@FEW
def test_fewest_errors_within_the_limit(notion: Any, data: Data, depth: int, choice: st.DataObject) -> None:
    parity = CONSTRAINTS.get(notion, notion)
    every = outcomes(data, parity, depth)
    kind = choice.draw(st.sampled_from(["difference", "ratio"]))
    on_the_limit = sorted({one.difference if kind == "difference" else one.ratio for one in every})
    limit = choice.draw(
        st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 2), Fraction(1), *on_the_limit])
    )
    limits: dict[str, Any] = {"max_difference": limit} if kind == "difference" else {"min_ratio": limit}
    task = GroupFairness(data.y, data.group, notion, sample_weight=data.weights, **limits)
    fair = [one for one in every if (one.difference <= limit if kind == "difference" else one.ratio >= limit)]
    if not fair:
        with pytest.raises(InfeasibleError, match=parity.name):
            streed.solve(task, data.X, max_depth=depth)
        return
    result = streed.solve(task, data.X, max_depth=depth)
    assert result.optimal
    assert result.objective == result.lower_bound == min(one.errors for one in fair)
    assert result.task == parity.name
    says = result.tree.label[result.tree.apply(data.X)].astype(np.int64)
    outcome = task.outcome(says)
    assert Outcome(Fraction(result.objective), outcome.difference, outcome.ratio) in every
    assert task.is_fair(outcome)


@pytest.mark.usefixtures("fronts")
@pytest.mark.parametrize("notion", ["demographic_parity", "equalized_odds", "accuracy_parity"])
@given(data=grouped(), depth=st.integers(0, 2))
@FEW
def test_the_trade_off_has_every_nondominated_pair(notion: str, data: Data, depth: int) -> None:
    from streed.solver.fairness.trade_off import search_front

    task = GroupFairness(data.y, data.group, notion, sample_weight=data.weights)
    front = search_front(task, data.X, check_limits(max_depth=depth), False, None)
    pairs = {(one.errors, one.difference) for one in outcomes(data, CONSTRAINTS[notion], depth)}
    expected = sorted(
        (float(e), float(d))
        for e, d in pairs
        if not any(a <= e and b <= d and (a, b) != (e, d) for a, b in pairs)
    )
    assert front.complete
    assert [(point.error, point.difference) for point in front] == expected


@pytest.mark.usefixtures("fronts")
@given(data=grouped(), price=st.sampled_from([0.05, 0.2]), factor=st.sampled_from([0.5, 3]))
@FEW
def test_class_weights_and_prices_count_in_the_errors_only(data: Data, price: float, factor: float) -> None:
    arguments: dict[str, Any] = {"class_weight": {1: factor}, "cost_complexity": price}
    task = GroupFairness(
        data.y, data.group, "equal_opportunity", 0.25, sample_weight=data.weights, **arguments
    )
    result = streed.solve(task, data.X, max_depth=1)
    weights = (np.ones(data.y.size) if data.weights is None else data.weights) * np.where(
        data.y == 1, factor, 1
    )
    best = math.inf
    for feature in range(-1, data.X.shape[1]):
        side = data.X[:, feature] if feature >= 0 else np.zeros(data.y.size, int)
        for labels in np.ndindex(2, 2):
            says = np.array(labels)[side.astype(int)]
            if task.is_fair(task.outcome(says)) and (feature < 0 or 0 < side.sum() < side.size):
                nodes = 0 if feature < 0 else 1
                best = min(best, float(weights[says != data.y].sum()) + price * float(weights.sum()) * nodes)
    assert result.objective == pytest.approx(best)
