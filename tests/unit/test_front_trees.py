"""Trees of a front, counted together: the same as each of them counted alone."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import StreedError, _core
from streed.solver.fronts import trees as front_trees
from streed.solver.fronts.points import any_covered
from streed.solver.fronts.trees import ChosenTrees, FlatTrees, count_trees, flat_arrays
from streed.solver.recount import make_tree
from streed.tasks.base import Lowered
from streed.tolerance import slacks

LEAF = {"feature": [-1], "left": [-1], "right": [-1], "label": [1]}
STUMP = {"feature": [1, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "label": [-1, 0, 1]}
DEEP = {
    "feature": [0, 1, -1, -1, 2, -1, -1],
    "left": [1, 2, -1, -1, 5, -1, -1],
    "right": [4, 3, -1, -1, 6, -1, -1],
    "label": [-1, -1, 1, 0, -1, 0, 1],
}


def as_answer(tree: dict[str, list[int]]) -> dict[str, Any]:
    return {name: np.array(values, np.int32) for name, values in tree.items()}


def data() -> tuple[np.ndarray, list[Lowered]]:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, (40, 3)).astype(np.uint8)
    y = rng.integers(0, 2, 40)
    errors = streed.tasks.Accuracy(y, sample_weight=rng.integers(0, 3, 40), cost_complexity=0.01)
    costs = streed.tasks.LabelCosts(rng.integers(-4, 5, (40, 2)).astype(float))
    return X, [errors.lower(), costs.lower()]


@pytest.mark.parametrize("shown", [0, 1])
@pytest.mark.parametrize("block", [1, 2**20])
@pytest.mark.parametrize("bits", [0, 62])
def test_counted_together_as_alone(
    shown: int, block: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_trees, "BLOCK", block)
    monkeypatch.setattr(front_trees, "KEY_BITS", bits)
    X, parts = data()
    answers = [as_answer(tree) for tree in [LEAF, STUMP, DEEP, STUMP] * 6]
    name = "cost" if shown == 1 else ""
    trees, costs = count_trees(parts, shown, name, -1.0, X, ["a", "b", "c"], answers)
    assert len(trees) == len(answers)
    for answer, tree, line in zip(answers, trees, costs, strict=True):
        for k, part in enumerate(parts):
            rows = X if part.rows is None else X[part.rows]
            alone = make_tree(part, rows, ["a", "b", "c"], answer, name, -1.0)
            assert line[k] == pytest.approx(alone.cost, abs=1e-12)
            if k == shown:
                assert tree == alone.tree


def test_trees_without_any_test() -> None:
    X, parts = data()
    (tree,), costs = count_trees(parts, 1, "", 1.0, X, None, [as_answer(LEAF)])
    assert (tree.n_leaves, tree.n_samples.tolist(), costs.shape) == (1, [40], (1, 2))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("feature", [3, -1, -1]),
        ("feature", [-2, -1, -1]),
        ("label", [-1, 0, 2]),
        ("label", [-1, -1, 1]),
        ("left", [2, -1, -1]),
        ("right", [3, -1, -1]),
        ("left", [0, -1, -1]),
    ],
)
def test_what_is_no_tree_is_refused(name: str, values: list[int]) -> None:
    wrong = as_answer(STUMP | {name: values})
    with pytest.raises(StreedError, match="no tree"):
        FlatTrees([as_answer(STUMP), wrong], 3, 2)


def test_lines_that_cover_others() -> None:
    apart = np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 0.0]])
    assert not any_covered(apart, distinct=True)
    assert not any_covered(apart, distinct=False)
    assert any_covered(np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), distinct=False)
    nearly = np.array([[1.0 + 1e-12, 1.0, 1.0], [1.0, 3.0, 1.0], [0.0, 5.0, 7.0]])
    assert any_covered(nearly, distinct=True)
    assert any_covered(nearly[:, :2], distinct=True)
    assert not any_covered(nearly[[0, 2]], distinct=True)


@given(st.integers(3, 4), st.integers(1, 8), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_whether_a_point_covers_another(m: int, n: int, most: int, seed: int) -> None:
    """Differences by rounding aside, against all pairs."""
    rng = np.random.default_rng(seed)
    values = rng.integers(most, size=(n, m)) + rng.choice([0.0, 5e-10, 2e-9], size=(n, m))
    slack = slacks(values)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    slow = any((values[a] <= values[b] + np.maximum(slack[a], slack[b])).all() for a, b in pairs)
    assert any_covered(values, False) == slow


def engine_trees() -> Any:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (30, 6)).astype(np.uint8)
    return _core.front(
        X,
        rng.integers(0, 4, (30, 2, 2)).astype(float),
        max_depth=2, max_nodes=3, min_samples_leaf=1, branch_cost=np.zeros(2), upper=np.full(2, np.inf),
        weights=np.zeros(2), budget=np.inf, time_limit=np.inf, memory_limit=0, n_threads=1,
    )["trees"]  # fmt: skip


@pytest.mark.parametrize("chosen", [[], [0], [3, 1, 1], None])
def test_chosen_trees_in_four_arrays(chosen: list[int] | None) -> None:
    """The engine puts its trees together as they would be, taken one by one."""
    trees = engine_trees()
    positions = list(range(len(trees))) if chosen is None else chosen
    assert len(trees) > 3
    some = ChosenTrees(trees, positions)
    assert len(some) == len(positions)
    *nodes, sizes = flat_arrays(some)
    assert sizes.tolist() == [len(trees[k]["feature"]) for k in positions]
    for name, array in zip(("feature", "left", "right", "label"), nodes, strict=True):
        assert array.tolist() == [number for k in positions for number in trees[k][name].tolist()]
        assert [tree[name].tolist() for tree in some] == [trees[k][name].tolist() for k in positions]
    if positions:
        alone = flat_arrays([trees[k] for k in positions])
        assert all(np.array_equal(a, b) for a, b in zip(alone, (*nodes, sizes), strict=True))
    assert flat_arrays(some[1:])[4].tolist() == sizes[1:].tolist()


@pytest.mark.parametrize("position", [-1, 10**6])
def test_trees_that_are_not_there(position: int) -> None:
    with pytest.raises(IndexError, match="there are"):
        engine_trees().flat(np.array([0, position]))


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_is_collected_again_after_a_front(collecting: bool) -> None:
    rng = np.random.default_rng(1)
    X, costs = rng.integers(0, 2, (20, 4)), rng.integers(0, 4, (20, 2, 2)).astype(float)
    was = gc.isenabled()
    try:
        gc.enable() if collecting else gc.disable()
        streed.solve(streed.tasks.LabelCosts.objectives(costs), X, max_depth=2)
        assert gc.isenabled() == collecting
    finally:
        gc.enable() if was else gc.disable()
