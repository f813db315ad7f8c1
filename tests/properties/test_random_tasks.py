"""Random tasks: the general search, the reference solver and the engine find the same values.

Label costs of any sign, leaf functions of random statistics (concave or not), branching costs, one to three
objectives with random limits, and combinations that are not sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import InfeasibleError, combine, reference
from streed.reference import Components
from streed.tasks import StatisticsTask, Task
from streed.tasks.base import CostTable, Lowered
from tests.engines import switch_off

SEEDS = st.integers(0, 2**32 - 1)
EXAMPLES = settings().max_examples


class LabelCosts(Task):
    """Random label costs, as the engine takes them."""

    name = "random_label_costs"
    summary = "a sum of label costs"

    def __init__(self, costs: np.ndarray, branch_cost: float, maximize: bool = False) -> None:
        self.costs, self.branch, self.maximize = costs, branch_cost, maximize  # type: ignore[misc]

    @property
    def n_rows(self) -> int:
        return len(self.costs)

    def lower(self) -> Lowered:
        return Lowered(CostTable(self.costs), np.arange(self.costs.shape[1]), self.branch)

    def report(self, cost: float) -> float:
        return -cost if self.maximize else cost

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        sign = -1.0 if self.maximize else 1.0
        return components(
            X,
            lambda rows, label: sign * math.fsum(self.costs[list(rows), label]),
            self.costs.shape[1],
            sign * self.branch,
            min_samples_leaf,
            (lambda v, w: v > w) if self.maximize else (lambda v, w: v < w),
        )


def components(
    X: Any, leaf: Callable[..., Any], n_labels: int, branch: Any, least: int, better: Callable[..., bool]
) -> Components[Any, Any]:
    has = np.asarray(X, bool).tolist()
    return Components(
        cost_leaf=leaf,
        cost_branch=lambda rows, feature: branch,
        transition=lambda rows, f, side: tuple(i for i in rows if has[i][f] == side),
        better=better,
        combine=lambda v, w: v + w,
        feasible=lambda v, rows: len(rows) >= least,
        initial_state=tuple(range(len(has))),
        labels=range(n_labels),
        features=range(np.shape(X)[1]),
    )


class Random:
    """One draw: data, limits, and a generator for the rest."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.n = int(rng.integers(1, 14))
        self.X = (rng.random((self.n, int(rng.integers(1, 4)))) < 0.5).astype(np.uint8)
        self.n_labels = int(rng.integers(1, 4))
        self.depth = int(rng.integers(0, 3))
        self.nodes = int(rng.integers(0, 4))
        self.least = int(rng.integers(1, min(3, self.n) + 1))

    @property
    def limits(self) -> dict[str, Any]:
        return {"max_depth": self.depth, "max_nodes": self.nodes, "min_samples_leaf": self.least}

    def costs(self, signed: bool) -> np.ndarray:
        low = -4 if signed else 0
        table = self.rng.integers(low, 5, (self.n, self.n_labels)).astype(float)
        return table if self.rng.random() < 0.7 else table / 10

    def label_costs(self) -> LabelCosts:
        branch = float(self.rng.choice([0, 0, 1, 0.3]))
        return LabelCosts(self.costs(bool(self.rng.integers(2))), branch, bool(self.rng.integers(2)))


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-7, abs=1e-7)


def expected(task: Task, draw: Random) -> list[Any]:
    whole = task.components(draw.X, min_samples_leaf=draw.least)
    return [solution.value for solution in reference.solve(whole, draw.depth, draw.nodes)]


@given(SEEDS)
def test_label_costs(seed: int) -> None:
    draw = Random(seed)
    task = draw.label_costs()
    (best,) = expected(task, draw)
    native = streed.solve(task, draw.X, **draw.limits)
    general = streed.solve(
        task.components(draw.X, min_samples_leaf=draw.least),
        draw.X,
        max_depth=draw.depth,
        max_nodes=draw.nodes,
    )
    assert native.engine == "native"
    assert general.engine == "general"
    assert native.objective == close(best)
    assert general.objective == close(best)
    assert native.optimal
    assert general.optimal


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "concave": lambda s: np.sqrt(np.abs(s).sum(axis=0)),
    "convex": lambda s: (s**2).sum(axis=0),
    "wave": lambda s: np.sin(s.sum(axis=0)) * 3,
    "least": lambda s: np.minimum(s[0], s[-1]),
    "variance": lambda s: (s[0] ** 2) / (1 + np.abs(s[-1])),
}


class RandomFunction(StatisticsTask):
    """A random function of random statistics, one cost per label."""

    name = "random_function"

    def __init__(self, draw: Random) -> None:
        rng = draw.rng
        statistics = rng.integers(-3, 4, (draw.n, int(rng.integers(1, 4)))).astype(float)
        names = rng.choice(list(FUNCTIONS), draw.n_labels)
        self._functions = [FUNCTIONS[name] for name in names]
        self.maximize = bool(rng.integers(2))  # type: ignore[misc]
        super().__init__(
            statistics, list(range(draw.n_labels)), branch_cost=float(rng.choice([0.0, 0.5, 1.0]))
        )

    def leaf_costs(self, sums: Any) -> Any:
        return np.stack([function(sums) for function in self._functions])


@given(SEEDS)
def test_leaf_functions(seed: int) -> None:
    draw = Random(seed)
    task = RandomFunction(draw)
    (best,) = expected(task, draw)
    general = streed.solve(
        task.components(draw.X, min_samples_leaf=draw.least), max_depth=draw.depth, max_nodes=draw.nodes
    )
    assert general.objective == close(best)
    assert streed.solve(task, draw.X, **draw.limits).objective == close(best)


JOINS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "sum": (lambda v, w: v + w, 1),
    "max": (max, -100),
    "min": (min, 100),
    "product": (lambda v, w: v * w, 2),
    "pairs": (lambda v, w: (v[0] + w[0], max(v[1], w[1])), (1, 0)),
}


@given(SEEDS, st.sampled_from(list(JOINS)))
def test_joins_that_are_not_sums(seed: int, name: str) -> None:
    draw = Random(seed)
    join, branch = JOINS[name]
    costs = draw.costs(signed=False)

    def leaf(rows: tuple[int, ...], label: int) -> Any:
        total = float(costs[list(rows), label].sum())
        return (total, len(rows) * label) if name == "pairs" else total

    def better(v: Any, w: Any) -> bool:
        return bool(v != w and all(a <= b for a, b in zip(v, w, strict=True))) if name == "pairs" else v < w

    task = replace(components(draw.X, leaf, draw.n_labels, branch, draw.least, better), combine=join)
    found = streed.solve(task, draw.X, max_depth=draw.depth, max_nodes=draw.nodes)
    values = [s.values if name == "pairs" else s.values[0] for s in found.front]
    assert values == sorted(solution.value for solution in reference.solve(task, draw.depth, draw.nodes))


def random_combination(draw: Random) -> Any:
    """One to three objectives, up to two limits; each limit is near a value that some tree has."""
    parts: list[Any] = [draw.label_costs() for _ in range(int(draw.rng.integers(1, 4)))]
    for _ in range(int(draw.rng.integers(len(parts) == 1, 3))):
        part = draw.label_costs()
        near = part.components(draw.X).cost_leaf(tuple(range(draw.n)), 0) + int(draw.rng.integers(-2, 3))
        kind = int(draw.rng.integers(3))
        limited = part.at_most(near + 1) if kind != 1 else part.at_least(near)
        parts.append(limited.at_least(near - 2) if kind == 2 else limited)
    draw.rng.shuffle(parts)
    return combine(*parts)


def best_values(task: Any, draw: Random) -> list[tuple[float, ...]]:
    """The front by the definition: the reference solver on the free product, limits applied to its trees."""
    free = combine(*task.tasks).components(draw.X, min_samples_leaf=draw.least)
    everything = replace(free, better=lambda v, w: False)
    values = [solution.value for solution in reference.solve(everything, draw.depth, draw.nodes)]
    inside = [v for v in values if all(limit.admits(v[i]) for i, limit in task.limits.items())]
    better = [task.tasks[i].components(draw.X).better for i in task.objectives]
    return rounded(tuple(inside[k][i] for i in task.objectives) for k in task.select(inside, better))


def rounded(values: Iterable[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Sort values that are tenths, without the digits that depend on the order of additions."""
    return sorted(tuple(round(v, 6) + 0.0 for v in value) for value in values)


@pytest.mark.parametrize("engine", ["general", "native"])
@given(seed=SEEDS)
@settings(max_examples=max(10, EXAMPLES // 2))
def test_combinations(engine: str, seed: int) -> None:
    draw = Random(seed)
    task = random_combination(draw)
    values = best_values(task, draw)
    with pytest.MonkeyPatch.context() as patch:
        if engine == "general":
            switch_off(patch)
        try:
            found = streed.solve(task, draw.X, **draw.limits)
        except InfeasibleError:
            assert values == []
            return
    assert rounded(solution.values for solution in found.front) == values
    assert found.optimal
