"""Known optima for cost-sensitive classification, instance costs and policies, re-scored in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streed
from streed.datasets import read_cost_file
from streed.tasks import CostMatrix, LabelCosts, PolicyReward
from streed.tasks.parts.cost_levels import costs_of_level
from tests.rescore import rescore
from tests.support import DATA, optima, read_dataset


def name(line: dict[str, Any]) -> str:
    more = line.get("costs") or line.get("teacher")
    return "-".join(filter(None, [line["data"].split("/")[1], more, str(line["max_depth"])]))


def lines(task: str) -> pytest.MarkDecorator:
    found = optima(task)
    if not found:
        reason = pytest.mark.skip(reason="no table of known optima (set STREED_REFERENCE)")
        return pytest.mark.parametrize("line", [pytest.param({}, marks=reason, id="none")])
    return pytest.mark.parametrize("line", [pytest.param(line, id=name(line)) for line in found])


@lines("cost_sensitive")
def test_cost_sensitive(line: dict[str, Any]) -> None:
    X, labels = read_dataset(line["data"])
    y = np.unique(labels, return_inverse=True)[1]
    matrix, prices = read_cost_file(DATA / f"{line['data']}-{line['costs']}-costs.csv")
    result = streed.solve(
        CostMatrix(y, matrix, labels=range(len(matrix)), feature_costs=prices), X, max_depth=line["max_depth"]
    )
    tests = [
        (t.name, t.group, t.full, t.discounted) for t in prices.tests([f"x{j}" for j in range(X.shape[1])])
    ]
    assert result.optimal
    assert result.objective == pytest.approx(rescore(result.tree, X, matrix[y], tests), rel=1e-9)
    assert result.tree.depth <= line["max_depth"]
    assert result.objective <= line["objective"] * (1 + 1e-9)


@lines("instance_costs")
def test_instance_costs(line: dict[str, Any]) -> None:
    path = DATA / f"{line['data']}.txt"
    if not path.exists():
        pytest.skip(f"no data set {line['data']} in {DATA} (set STREED_DATA)")
    table = np.loadtxt(path)
    costs, X = table[:, 1:9], np.ascontiguousarray(table[:, 9:], np.uint8)
    result = streed.solve(LabelCosts(costs), X, max_depth=line["max_depth"])
    assert result.optimal
    assert result.objective == pytest.approx(rescore(result.tree, X, costs), rel=1e-9)
    assert result.objective == pytest.approx(line["objective"], rel=1e-9)


def warfarin_rewards(table: np.ndarray, teacher: str) -> np.ndarray:
    """Scores as in the paper's appendix, from the columns of the prepared files."""
    rows, given = np.arange(len(table)), table[:, 1].astype(int)
    outcome, propensity, predicted = table[:, 2], table[:, 3], table[:, 4:7].copy()
    if teacher == "direct":
        return predicted
    scores = np.zeros_like(predicted) if teacher == "inverse_propensity" else predicted
    scores[rows, given] += (outcome - scores[rows, given]) / propensity
    return scores


@lines("policy")
def test_policy(line: dict[str, Any]) -> None:
    """The value is exact; the known one may be too low, since its finder calls values 1e-4 apart equal."""
    path = DATA / f"{line['data']}.csv"
    if not path.exists():
        pytest.skip(f"no data set {line['data']} in {DATA} (set STREED_DATA)")
    table = np.loadtxt(path)
    X, rewards = np.ascontiguousarray(table[:, 11:], np.uint8), warfarin_rewards(table, line["teacher"])
    result = streed.solve(PolicyReward(rewards), X, max_depth=line["max_depth"])
    assert result.optimal
    counted = -rescore(result.tree, X, -rewards) / len(X)
    assert result.objective == pytest.approx(counted, rel=1e-9)
    assert result.objective >= line["objective"] * (1 - 1e-9)
    assert result.objective <= rewards.max(axis=1).mean()


@pytest.mark.parametrize("level", ["low", "middle", "high"])
@pytest.mark.parametrize("data", ["breast", "car", "glass", "heart", "iris", "wine"])
def test_levels_of_costs_are_those_of_the_files(data: str, level: str) -> None:
    """The files have the matrices of the paper, cut to whole numbers."""
    X, y = read_dataset(f"cost-sensitive/{data}")
    matrix, prices = read_cost_file(DATA / f"cost-sensitive/{data}-{level}-costs.csv")
    total = prices.total([f"x{j}" for j in range(X.shape[1])])
    assert np.array_equal(np.floor(costs_of_level(level, y, total)), matrix)


def test_levels_of_costs_in_a_fit() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2, dtype=bool)
    y = np.array(["ill", "well", "well", "well"] * 2)
    model = streed.CostSensitiveTreeClassifier(
        misclassification_costs="middle", feature_costs=[4.0, 8.0], max_depth=2
    ).fit(X, y)
    fixed = streed.CostSensitiveTreeClassifier(
        misclassification_costs=[[0, 8.0], [8 / 3, 0]], feature_costs=[4.0, 8.0], max_depth=2
    ).fit(X, y)
    assert model.result_.objective == pytest.approx(fixed.result_.objective)
    assert model.tree_ == fixed.tree_
    with pytest.raises(ValueError, match="feature_costs are needed"):
        streed.CostSensitiveTreeClassifier(misclassification_costs="low").fit(X, y)
    with pytest.raises(ValueError, match="'low', 'middle' or 'high', got 'lo'; did you mean 'low'"):
        streed.CostSensitiveTreeClassifier(misclassification_costs="lo", feature_costs=[1, 1]).fit(X, y)
