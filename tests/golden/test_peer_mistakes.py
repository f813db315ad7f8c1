"""Wrong answers and crashes of other packages, each as a case that must come out right here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from streed import OptimalTreeClassifier, solve
from streed.tasks import Accuracy, BalancedAccuracy
from tests.properties import naive


def bits(*rows: str) -> np.ndarray:
    return np.array([[int(bit) for bit in row] for row in rows], dtype=np.uint8)


def test_node_limit_below_the_full_tree() -> None:
    X = bits("000", "001", "011", "110", "111", "100")
    result = solve(Accuracy([0, 0, 1, 0, 1, 0]), X, max_depth=2, max_nodes=2)
    assert result.objective == 0
    assert result.tree.n_nodes == 2


def test_least_leaf_size_with_a_leaf_above_the_lowest_level() -> None:
    """The pure side of the first split has two rows: it must stay a leaf, not be split in two."""
    X = bits("10", "11", "00", "00", "01", "01")
    result = solve(Accuracy([2, 2, 0, 0, 1, 1]), X, max_depth=2, min_samples_leaf=2)
    assert result.objective == 0
    assert result.tree.n_nodes == 2


@pytest.mark.parametrize("cost_complexity", [0.005, 0.01, 0.02])
def test_cost_complexity_equals_the_best_size(
    cost_complexity: float, dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]
) -> None:
    """A price per node is optimal only if no tree of any size, found without the price, has a lower total."""
    X, y = dataset("classification/hepatitis")
    result = solve(Accuracy(y, cost_complexity=cost_complexity), X, max_depth=4)
    totals = [
        solve(Accuracy(y), X, max_depth=4, max_nodes=nodes).objective + cost_complexity * len(y) * nodes
        for nodes in range(16)
    ]
    assert result.optimal
    assert result.objective == pytest.approx(min(totals), abs=1e-9)
    errors = np.sum(result.tree.predict(X) != y)
    assert result.objective == pytest.approx(
        errors + cost_complexity * len(y) * result.tree.n_nodes, abs=1e-9
    )


@pytest.mark.parametrize("nodes", [2, 3, 5])
def test_cost_complexity_and_node_limit_equal_the_naive_twin(
    nodes: int, dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]
) -> None:
    X, y = dataset("classification/hepatitis")
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    problem = naive.Problem(
        X, codes, np.ones(len(y)), 2, 3, nodes, min_samples_leaf=5, branch_cost=0.005 * len(y)
    )
    task = Accuracy(y, cost_complexity=0.005)
    result = solve(task, X, max_depth=3, max_nodes=nodes, min_samples_leaf=5)
    assert result.objective == pytest.approx(naive.optimum(problem), abs=1e-9)


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param([-1, 1], id="minus one and one"),
        pytest.param([0, 20_000], id="a gap"),
        pytest.param([-(2**62), 2**62], id="very large"),
        pytest.param([False, True], id="booleans"),
        pytest.param(["no", "yes"], id="strings"),
        pytest.param([0.0, 1.0], id="floats"),
    ],
)
def test_any_two_labels(labels: list[Any]) -> None:
    X = bits("00", "01", "10", "11", "11")
    y = np.array(labels)[[0, 1, 1, 0, 0]]
    result = solve(Accuracy(y), X, max_depth=2)
    assert result.objective == 0
    assert result.statistics["peak_memory"] < 10_000_000
    assert result.tree.predict(X).tolist() == y.tolist()
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.classes_.tolist() == labels


def test_balanced_accuracy_with_many_large_classes() -> None:
    """The product of the other class sizes is far beyond 64 bits here."""
    sizes = np.array([9973, 7919, 6007, 5003, 4001, 3001, 2003, 1009, 997, 101])
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = (rng.random((len(y), 6)) < 0.1 + 0.8 * (y[:, None] >> np.arange(6) & 1)).astype(np.uint8)
    result = solve(BalancedAccuracy(y), X, max_depth=3)
    recalls = [np.mean(result.tree.predict(X[y == k]) == k) for k in range(len(sizes))]
    assert result.optimal
    assert result.objective == pytest.approx(np.mean(recalls), abs=1e-12)
    problem = naive.Problem(X, y.astype(np.int32), (1 / (len(sizes) * sizes))[y], len(sizes), 3, 7)
    assert result.objective == pytest.approx(1 - naive.optimum(problem), abs=1e-9)


def test_balanced_accuracy_of_two_classes_of_very_different_size(
    dataset: Callable[[str], tuple[np.ndarray, np.ndarray]],
) -> None:
    X, y = dataset("classification/hypothyroid")
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    result = solve(BalancedAccuracy(y), X, max_depth=2)
    weights = 1 / (2 * np.bincount(codes)[codes])
    assert result.objective == pytest.approx(
        1 - naive.optimum(naive.Problem(X, codes, weights, 2, 2, 3)), abs=1e-9
    )


@pytest.mark.parametrize("max_depth", [0, 3, 20])
def test_one_class_is_a_leaf(max_depth: int) -> None:
    result = solve(Accuracy(["only"] * 4), bits("00", "01", "10", "11"), max_depth=max_depth)
    assert (result.objective, result.tree.n_nodes, result.optimal) == (0, 0, True)


def test_score_and_objective_agree() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (60, 5)), rng.integers(0, 3, 60)
    model = OptimalTreeClassifier(max_depth=3, cost_complexity=0.01).fit(X, y)
    errors = model.result_.objective - 0.01 * 60 * model.tree_.n_nodes
    assert model.score(X, y) == pytest.approx(1 - errors / 60)


def test_every_package_error_is_a_python_exception() -> None:
    """Bad arguments end in an exception, never in the end of the process."""
    with pytest.raises(ValueError, match="max_depth"):
        solve(Accuracy([0, 1]), bits("0", "1"), max_depth=-1)
    with pytest.raises(ValueError, match="max_depth"):
        solve(Accuracy([0, 1]), bits("0", "1"), max_depth=21)
    assert issubclass(streed.StreedError, Exception)
