"""The table of docs/combinations.md: every objective with every limit, price of tests and kind of columns.

Each cell is a fit of an estimator on a small random table, compared with all trees of two levels.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streed
from streed import limits as lim
from streed.tasks.base import Prices
from tests.properties import limits_twin as twin

OBJECTIVES = ("errors", "costs", "rewards", "F1", "MCC", "macro F1", "squared error", "trade-off")
LIMITS = ("none", "count", "ratio", "difference", "nodes")
PRICES = ("none", "in the objective", "limited")
COLUMNS = ("binary", "exact")
N = 80
TOO_HARD = streed.CutsWarning
"""Chosen cuts are searched where tests have prices, and for metrics of three classes."""

Tree = tuple[np.ndarray, int, float]
Keeps = Callable[[np.ndarray, int, float], bool]


@dataclass
class Problem:
    """A random table, and what its trees are worth."""

    objective: str
    limit: str
    price: str
    exact: bool
    seed: int

    def __post_init__(self) -> None:
        self.rng = rng = np.random.default_rng(self.seed)
        self.k = 3 if self.objective in ("macro F1", "rewards") else 2
        if self.exact:
            self.X: Any = rng.normal(size=(N, 2))
            self.column = np.repeat([0, 1], N - 1)
            bits = [column[:, None] <= np.sort(column)[:-1] for column in self.X.T]
            self.bits = np.hstack(bits)
        else:
            self.X = self.bits = rng.random((N, 4)) < 0.5
            self.column = np.arange(4)
        first, second = (self.X > 0).T[:2] if self.exact else self.X.T[:2]
        signal = first ^ (second & (rng.random(N) < 0.8))
        self.y = np.where(rng.random(N) < 0.2, rng.integers(0, self.k, N), signal * (self.k - 1))
        self.y[: self.k] = np.arange(self.k)
        self.g = rng.integers(0, 2, N)
        self.g[:2] = 0, 1
        self.costs = np.where(np.eye(2) > 0, 0.0, rng.integers(1, 5, (2, 2)))
        self.rewards = rng.integers(0, 9, (N, self.k)).astype(float)
        self.target = self.y + rng.integers(-3, 4, N) / 4
        self.prices = dict(enumerate(rng.integers(1, 4, self.X.shape[1]).astype(float).tolist()))

    @property
    def depth(self) -> int:
        """Levels of the trees: there are very many with all thresholds."""
        return 1 if self.exact else 2

    def trees(self) -> list[Tree]:
        """Give all trees with what all rows pay for their tests."""
        full = np.array([self.prices[c] for c in self.column])
        groups = np.full(self.column.size, -1, np.int32)
        prices = Prices(self.column.astype(np.int32), groups, full, full)
        return list(twin.all_paying_trees(self.bits, self.k, self.depth, prices))

    def limits(self) -> tuple[list[lim.Limit], list[Keeps]]:
        """Give the limits and whether predictions keep them, counted in another way."""
        units, everyone = np.ones(N, int), np.ones(N, bool)
        rewards = self.objective == "rewards"
        found: list[lim.Limit] = []
        keeps: list[Keeps] = []
        if self.limit == "count":
            found.append(lim.share(1) <= 0.3 if rewards else lim.recall(1) >= 0.6)
            keeps.append(
                (lambda p, m, paid: (p == 1).mean() <= 0.3 + 1e-9)
                if rewards
                else (lambda p, m, paid: (p[self.y == 1] == 1).mean() >= 0.6 - 1e-9)
            )
        elif self.limit == "ratio":
            found.append(lim.mean({1: 2, 2: 1}) <= 0.8 if rewards else lim.precision(1) >= 0.6)
            keeps.append(
                (lambda p, m, paid: np.array([0, 2, 1])[p].sum() <= 0.8 * N + 1e-9)
                if rewards
                else (lambda p, m, paid: not (p == 1).any() or (self.y[p == 1] == 1).mean() >= 0.6 - 1e-9)
            )
        elif self.limit == "difference":
            found.append(lim.parity(by=self.g) <= 0.15)
            labels = [1] if self.k == 2 else range(self.k)

            def fair(p: np.ndarray, m: int, paid: float) -> bool:
                rates = [
                    [twin.rate(units, everyone & (self.g == one), p == label) for one in (0, 1)]
                    for label in labels
                ]
                return all(float(abs(a - b)) <= 0.15 for a, b in rates if a is not None and b is not None)

            keeps.append(fair)
        elif self.limit == "nodes":
            found.append(lim.nodes() <= 2)
            keeps.append(lambda p, m, paid: m <= 2)
        if self.price == "limited":
            found.append(lim.tests(self.prices) <= 2)
            keeps.append(lambda p, m, paid: paid <= 2 * N + 1e-9)
        return found, keeps

    def value(self, p: np.ndarray, m: int, paid: float) -> float:
        """Return what a tree is worth, the better the larger."""
        paid = paid if self.price == "in the objective" else 0.0
        if self.objective == "errors":
            return -float((p != self.y).sum()) - paid
        if self.objective == "costs":
            return -float(self.costs[self.y, p].sum()) - paid
        if self.objective == "rewards":
            return float(self.rewards[np.arange(N), p].mean())
        name = {"F1": "f1", "MCC": "mcc", "macro F1": "macro_f1"}[self.objective]
        task: Any = streed.tasks.make_task(name, self.y)
        return float(task.score(p))

    def model(self, constraints: list[lim.Limit]) -> Any:
        """Give the estimator of a cell."""
        more: dict[str, Any] = {"max_depth": self.depth, "cuts": "exact" if self.exact else "auto"}
        more["constraints"] = constraints
        if self.price == "in the objective" or self.objective == "costs":
            costs = self.costs if self.objective == "costs" else None
            prices = self.prices if self.price == "in the objective" else None
            return streed.CostSensitiveTreeClassifier(
                misclassification_costs=costs, feature_costs=prices, **more
            )
        if self.objective == "rewards":
            return streed.PolicyTree(**more)
        name = {"errors": "accuracy", "F1": "f1", "MCC": "mcc", "macro F1": "macro_f1"}[self.objective]
        return streed.OptimalTreeClassifier(name, **more)

    def fit(self, constraints: list[lim.Limit]) -> Any:
        """Fit it."""
        given = {"rewards": self.rewards} if self.objective == "rewards" else {"y": self.y}
        return self.model(constraints).fit(self.X, **given)

    @property
    def chosen_cuts(self) -> bool:
        """Whether not all thresholds are searched."""
        return self.exact and (self.price != "none" or self.objective == "macro F1")


def cells() -> list[tuple[str, str, str, str]]:
    """All cells that are fits: prices in the objective are those of costs and of errors."""
    return [
        cell
        for cell in itertools.product(OBJECTIVES[:6], LIMITS, PRICES, COLUMNS)
        if cell[2] != "in the objective" or cell[0] in ("errors", "costs")
    ]


@pytest.mark.parametrize("seed", [0])
@pytest.mark.parametrize(
    ("objective", "limit", "price", "columns"), cells(), ids=lambda part: part.replace(" ", "_")
)
def test_every_cell_is_the_best_of_all_trees(
    objective: str, limit: str, price: str, columns: str, seed: int
) -> None:
    problem = Problem(objective, limit, price, columns == "exact", seed)
    limits, keeps = problem.limits()
    good = [problem.value(*tree) for tree in problem.trees() if all(keep(*tree) for keep in keeps)]
    said: Any = pytest.warns(TOO_HARD) if problem.chosen_cuts else contextlib.nullcontext()
    if not good:
        with pytest.raises(streed.InfeasibleError), said:
            problem.fit(limits)
        return
    with said:
        found = problem.fit(limits).result_
    assert found.optimal
    value = -found.objective if objective in ("errors", "costs") else found.objective
    if problem.chosen_cuts:
        assert value <= max(good) + 1e-9
    else:
        assert value == pytest.approx(max(good), abs=1e-9)
    assert all(one.kept for one in found.limits)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("columns", COLUMNS)
def test_squared_error_takes_differences_of_means_and_nodes(limit: str, columns: str) -> None:
    problem = Problem("squared error", limit, "none", columns == "exact", 0)
    y, g = problem.target, problem.g
    limits = {
        "none": [],
        "count": [lim.share(1) <= 0.5],
        "ratio": [lim.precision(1) >= 0.5],
        "difference": [lim.mean_prediction(by=g) <= 0.1],
        "nodes": [lim.nodes() <= 2],
    }[limit]
    model = streed.OptimalTreeRegressor(
        max_depth=problem.depth, cuts="exact" if problem.exact else "auto", constraints=limits
    )
    if limit in ("count", "ratio"):
        with pytest.raises(ValueError, match="difference of mean predictions, and on nodes"):
            model.fit(problem.X, y)
        return
    chosen = problem.exact and limit == "difference"
    with pytest.warns(TOO_HARD) if chosen else contextlib.nullcontext():
        found = model.fit(problem.X, y).result_
    assert found.optimal
    task = streed.tasks.ParityOfMeans(y, g, 0.1 if limit == "difference" else 1e9)
    best = np.inf
    for leaves, nodes in leaves_of_trees(problem.bits, problem.depth):
        if limit != "nodes" or nodes <= 2:
            best = min(best, task.within(leaves, int(leaves.max()) + 1).cost(task.max_difference))
    assert found.objective >= best - 1e-9 if chosen else found.objective == pytest.approx(best)


def leaves_of_trees(bits: np.ndarray, depth: int) -> list[tuple[np.ndarray, int]]:
    """Give the leaf of each row and the number of nodes for all trees."""
    found = [(np.zeros(len(bits), np.int64), 0)]
    for root in bits.T:
        children: list[list[Any]] = [[None, *bits.T] if depth == 2 else [None]] * 2
        for a, b in itertools.product(*children):
            leaves = 2 * root.astype(np.int64)
            for side, column in ((False, a), (True, b)):
                if column is not None:
                    leaves += (root == side) & column
            found.append((leaves, 1 + (a is not None) + (b is not None)))
    return found


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("other", ["difference", "recall"])
def test_trade_offs_within_limits(limit: str, other: str) -> None:
    problem = Problem("errors", limit, "none", exact=False, seed=3)
    limits, keeps = problem.limits()
    quantity: Any = lim.parity(by=problem.g) if other == "difference" else lim.recall(1)
    found = streed.trade_off(
        problem.X, problem.y, ["accuracy", quantity, lim.nodes()], within=limits, max_depth=2
    )
    points = set()
    for p, m, _ in (tree for tree in problem.trees() if all(keep(*tree) for keep in keeps)):
        hit = p[problem.y == 1] == 1
        rates = [float((p[problem.g == one] == 1).mean()) for one in (0, 1)]
        value = abs(rates[0] - rates[1]) if other == "difference" else -float(hit.mean())
        points.add((float((p != problem.y).sum()), round(value, 9), m))
    best = {
        one
        for one in points
        if not any(all(a <= b for a, b in zip(two, one, strict=True)) and two != one for two in points)
    }
    sign = 1 if other == "difference" else -1
    assert {(e, round(sign * v, 9), int(m)) for e, v, m in (one.values for one in found.front)} == best
    assert found.optimal


def test_the_table_names_every_objective_limit_and_column() -> None:
    page = (Path(__file__).parents[2] / "docs" / "combinations.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.split("\n") if "|" in line]
    start = next(k for k, row in enumerate(rows) if row[:1] == ["objective"] and len(row) == 5)
    names = {re.sub(r" \(.*", "", row[0]) for row in rows[start + 2 :] if len(row) == 5}
    assert set(OBJECTIVES) <= names
