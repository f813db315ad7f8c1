"""Random tasks that are worth as much as their worst leaf: engine, general search and reference agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import InfeasibleError, combine, reference
from streed.tasks import LabelCosts, StatisticsTask
from tests.engines import switch_off
from tests.properties.test_random_tasks import (
    EXAMPLES,
    FUNCTIONS,
    SEEDS,
    Random,
    best_values,
    close,
    expected,
    rounded,
)


class RandomStatistics(StatisticsTask):
    """A random function of random statistics, summed over leaves or worth as much as its worst leaf."""

    name = "random_statistics"

    def __init__(self, draw: Random, worst_leaf: bool) -> None:
        rng = draw.rng
        self.maximize = bool(rng.integers(2))  # type: ignore[misc]
        self._functions = [FUNCTIONS[name] for name in rng.choice(list(FUNCTIONS), draw.n_labels)]
        combination = ("min" if self.maximize else "max") if worst_leaf else "sum"
        statistics = rng.integers(-3, 4, (draw.n, int(rng.integers(1, 4)))).astype(float)
        super().__init__(statistics, list(range(draw.n_labels)), combination=combination)

    def leaf_costs(self, sums: Any) -> Any:
        return np.stack([function(sums) for function in self._functions])


def random_task(draw: Random, worst_leaf: bool) -> Any:
    if draw.rng.random() < 0.5:
        return RandomStatistics(draw, worst_leaf)
    costs = draw.costs(signed=bool(draw.rng.integers(2)))
    return LabelCosts(costs, combination="max" if worst_leaf else "sum")


def in_general(task: Any, draw: Random) -> Any:
    whole = task.components(draw.X, min_samples_leaf=draw.least)
    return streed.solve(whole, draw.X, max_depth=draw.depth, max_nodes=draw.nodes)


@given(SEEDS)
@settings(max_examples=2 * EXAMPLES)
def test_worst_leaves(seed: int) -> None:
    draw = Random(seed)
    task = random_task(draw, worst_leaf=True)
    (best,) = expected(task, draw)
    native, general = streed.solve(task, draw.X, **draw.limits), in_general(task, draw)
    assert (native.engine, general.engine) == ("native", "general")
    assert native.objective == close(best)
    assert general.objective == close(best)
    assert native.optimal
    assert native.lower_bound == native.objective


def random_combination(draw: Random) -> Any:
    """One or two objectives, up to two limits near a value that some tree has, maxima among them."""
    parts: list[Any] = [
        random_task(draw, bool(draw.rng.integers(2))) for _ in range(int(draw.rng.integers(1, 3)))
    ]
    for _ in range(int(draw.rng.integers(len(parts) == 1, 3))):
        part = random_task(draw, draw.rng.random() < 0.7)
        rows: Any = part.components(draw.X).initial_state
        near = float(part.components(draw.X).cost_leaf(rows, 0)) + int(draw.rng.integers(-2, 3))
        kind = int(draw.rng.integers(3))
        limited = part.at_most(near + 1) if kind != 1 else part.at_least(near)
        parts.append(limited.at_least(near - 2) if kind == 2 else limited)
    draw.rng.shuffle(parts)
    return combine(*parts)


@pytest.mark.parametrize("engine", ["native", "general"])
@given(seed=SEEDS)
@settings(max_examples=EXAMPLES)
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
    assert found.engine == engine
    assert [close(v) for v in rounded(s.values for s in found.front)] == values
    assert found.optimal


@given(SEEDS, st.sampled_from(["max", "sum"]))
@settings(max_examples=10)
def test_check_separable_finds_nothing(seed: int, combination: str) -> None:
    draw = Random(seed)
    task = LabelCosts(draw.costs(signed=True), combination=combination)
    assert streed.check_separable(task, draw.X, n_samples=20).ok
    assert streed.check_separable(RandomStatistics(draw, combination == "max"), draw.X, n_samples=20).ok


@given(SEEDS)
@settings(max_examples=20)
def test_components_of_the_worst_leaf_are_the_maximum(seed: int) -> None:
    """What a branching adds changes nothing: the value of a tree is that of one of its leaves."""
    draw = Random(seed)
    whole = random_task(draw, worst_leaf=True).components(draw.X)
    for solution in reference.solve(replace(whole, better=lambda v, w: False), 2):
        leaves: list[float] = []

        def walk(tree: Any, state: Any, leaves: list[float] = leaves) -> None:
            if not isinstance(tree, tuple):
                leaves.append(whole.cost_leaf(state, tree))
                return
            for side, part in ((False, tree[1]), (True, tree[2])):
                walk(part, whole.transition(state, tree[0], side))

        walk(solution.tree, whole.initial_state)
        worst = min if whole.better(1, 0) else max
        assert solution.value == worst(leaves)
