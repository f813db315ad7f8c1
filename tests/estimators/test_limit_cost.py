"""What limits on other quantities cost: the best tree without them over the same tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import limits as lim
from streed.estimators.fitted import limit_cost as module
from streed.solver.solve import solve_checked
from streed.tree.result import LimitCost

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"a": RNG.normal(size=300), "b": RNG.normal(size=300).round(1), "c": RNG.choice(list("xyz"), 300)}
)
Y = ((X["a"] + X["b"] + RNG.normal(size=300)) > 0.2).astype(int).to_numpy()
GROUP = np.where(X["a"] + RNG.normal(size=300) > 0, "m", "f")


def fitted(cuts: str, limited: bool) -> list[Any]:
    """Trees under limits of all kinds, or the same without."""
    own: dict[str, Any] = {"max_depth": 2, "cuts": cuts}
    if not limited:
        free = streed.OptimalTreeClassifier(**own).fit(X, Y)
        metric = streed.OptimalTreeClassifier("f1", **own).fit(X, Y)
        return [
            free,
            free,
            metric,
            streed.PolicyTree(**own).fit(X, rewards=np.stack([1.0 - Y, 2.0 * Y], axis=1)),
        ]
    fair = streed.FairTreeClassifier(**own, max_difference=0.02).fit(X, Y, sensitive_features=GROUP)
    recall = [lim.recall(1) >= 0.9]
    return [
        fair,
        streed.OptimalTreeClassifier(**own, constraints=recall).fit(X, Y),
        streed.OptimalTreeClassifier("f1", **own, constraints=[lim.precision(1) >= 0.9]).fit(X, Y),
        streed.PolicyTree(**own, capacity={1: 60}).fit(X, rewards=np.stack([1.0 - Y, 2.0 * Y], axis=1)),
    ]


@pytest.mark.parametrize("cuts", ["auto", "binned"])
def test_the_tree_without_limits_is_that_of_a_fit_without_them(cuts: str) -> None:
    for limited, free in zip(fitted(cuts, True), fitted(cuts, False), strict=True):
        result, cost = limited.result_, limited.result_.limit_cost
        assert cost.objective is not None
        assert cost.bound is not None
        if cuts == "binned":
            assert cost.objective == cost.bound == pytest.approx(free.result_.objective)
        lost = abs(result.objective - cost.objective)
        assert f"the limits cost {lost:g} {result.measure.partition(' under ')[0]}" in result.note
        assert "the limits cost" in result.summary()
        assert "the limits cost" in result.to_html()
        assert "the limits cost" in result.record["note"]
        assert free.result_.limit_cost is None
        assert "limits cost" not in free.result_.note


def test_limits_on_nodes_are_no_limits_on_other_quantities() -> None:
    model = streed.OptimalTreeClassifier(max_depth=2, constraints=[lim.nodes() <= 1], cuts="binned").fit(X, Y)
    assert model.result_.limit_cost is None
    both = [lim.nodes() <= 1, lim.recall(1) >= 0.95]
    model = streed.OptimalTreeClassifier(max_depth=2, constraints=both, cuts="binned").fit(X, Y)
    free = streed.OptimalTreeClassifier(max_depth=2, max_nodes=1, cuts="binned").fit(X, Y)
    cost = model.result_.limit_cost
    assert cost is not None
    assert cost.objective == free.result_.objective


def test_without_time_the_cost_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0)
    model = streed.FairTreeClassifier(max_depth=2).fit(X, Y, sensitive_features=GROUP)
    assert model.result_.limit_cost == LimitCost(None, None)
    assert "what the limits cost is not known" in model.result_.summary()


def test_folds_search_for_no_cost() -> None:
    made: list[Any] = []
    search = solve_checked

    def counted(*given: Any) -> Any:
        made.append(given)
        return search(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "solve_checked", counted)
        streed.FairTreeClassifier(max_depth=2, tune=3, cuts="binned").fit(X, Y, sensitive_features=GROUP)
    assert len(made) == 1


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_parities_of_means_have_a_cost(loss: Any, weighted: bool) -> None:
    counts = 3 * Y + RNG.poisson(1, 300) + 2 * (GROUP == "m")
    weights = (np.arange(300) % 4).astype(float) if weighted else None
    table = X.assign(group=GROUP)
    equal = [lim.mean_prediction(by="group") <= 0.2]
    own: dict[str, Any] = {"loss": loss, "max_depth": 2, "cuts": "binned"}
    limited = streed.OptimalTreeRegressor(**own, constraints=equal).fit(table, counts, weights)
    free = streed.OptimalTreeRegressor(**own).fit(table, counts, weights)
    cost = limited.result_.limit_cost
    assert cost is not None
    assert cost.objective == pytest.approx(free.result_.objective)
    assert limited.result_.objective > free.result_.objective
    assert "the limits cost" in limited.result_.note
