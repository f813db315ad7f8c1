"""Leaf functions compiled with Numba: which are, what becomes of those that raise or cannot be compiled."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import streed
from streed import TaskError, _core
from streed.leaves.guarded import CheckedFunction
from streed.tasks import StatisticsTask
from tests.unit.test_statistics_task import COUNTS, SQUARES, X

numba: Any = pytest.importorskip("numba")


class Squares(StatisticsTask):
    name = "squares"

    def __init__(self, **more: Any) -> None:
        super().__init__(SQUARES, **more)

    @staticmethod
    @streed.native
    def leaf_costs(sums: Any) -> Any:
        return sums[2] - sums[1] ** 2 / sums[0]


class Plain(StatisticsTask):
    name = "plain"

    def __init__(self) -> None:
        super().__init__(SQUARES)

    def leaf_costs(self, sums: Any) -> Any:
        return sums[2] - sums[1] ** 2 / sums[0]


def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the engine is given as the function, call by call."""
    given: list[Any] = []
    original = _core.solve_function

    def spy(features: Any, statistics: Any, function: Any, *rest: Any, **named: Any) -> Any:
        given.append(function)
        return original(features, statistics, function, *rest, **named)

    monkeypatch.setattr(_core, "solve_function", spy)
    return given


def test_marked_functions_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = calls(monkeypatch)
    first = streed.solve(Squares(), X, max_depth=3)
    second = streed.solve(Squares(branch_cost=1.0), X, max_depth=3, n_jobs=2)
    plain = streed.solve(Plain(), X, max_depth=3)
    assert [type(function) for function in given] == [int, int, CheckedFunction]
    assert given[0] == given[1]
    assert first.objective == pytest.approx(plain.objective)
    assert second.objective > first.objective


def test_rewards_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Correct(StatisticsTask):
        name = "correct"
        maximize = True

        @staticmethod
        @streed.native
        def leaf_costs(sums: Any) -> Any:
            return sums.copy()

    given = calls(monkeypatch)
    result = streed.solve(Correct(COUNTS, ["no", "yes"]), X, max_depth=3)
    errors = streed.solve(streed.tasks.Accuracy(COUNTS[:, 1]), X, max_depth=3).objective
    assert isinstance(given[0], int)
    assert result.objective == len(X) - errors


def test_functions_compiled_by_the_user_need_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Squares()
    task.leaf_costs = numba.njit(lambda sums: sums[2] - sums[1] ** 2 / sums[0])  # type: ignore[method-assign]
    given = calls(monkeypatch)
    assert streed.solve(task, X, max_depth=2).objective == pytest.approx(
        streed.solve(Plain(), X, max_depth=2).objective
    )
    assert isinstance(given[0], int)


def test_without_numba_the_function_is_called_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = streed.solve(Squares(), X, max_depth=3).objective
    monkeypatch.setitem(sys.modules, "numba", None)
    given = calls(monkeypatch)
    assert streed.solve(Squares(), X, max_depth=3).objective == pytest.approx(expected)
    assert isinstance(given[0], CheckedFunction)


def solve_native(function: Any, n_jobs: int = 1, statistics: Any = SQUARES, depth: int = 4) -> Any:
    class Marked(StatisticsTask):
        name = "marked"
        leaf_costs = staticmethod(streed.native(function))

    return streed.solve(Marked(statistics), X, max_depth=depth, n_jobs=n_jobs)


def raises_deep(sums: Any) -> Any:
    if (sums[0] < 10).any():
        raise ValueError("a small leaf")
    return sums[2] - sums[1] ** 2 / sums[0]


def raises_in_a_table(sums: Any) -> Any:
    for k in range(sums.shape[1]):
        if sums[0, k] + sums[1, k] == 7:
            raise ValueError("a leaf of seven")
    return np.minimum(sums[0], sums[1])


def divides(sums: Any) -> Any:
    costs = np.empty(sums.shape[1])
    for k in range(sums.shape[1]):
        costs[k] = 1 // int(sums[0, k] - 9)
    return costs


def nan_deep(sums: Any) -> Any:
    return np.where(sums[0] < 10, np.nan, sums[2] - sums[1] ** 2 / sums[0])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("function", "statistics", "cause"),
    [
        (raises_deep, SQUARES, "the leaf function of the task 'marked' raised ValueError: a small leaf"),
        (raises_in_a_table, COUNTS, "'marked' raised ValueError: a leaf of seven"),
        (divides, SQUARES, "'marked' raised ZeroDivisionError"),
        (nan_deep, SQUARES, r"the task 'marked' .*a leaf costs nan.*with the statistics \[\d\.0, "),
    ],
)
def test_failures_in_compiled_code(
    function: Any, statistics: Any, cause: str, n_jobs: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TaskError, match=cause) as caught:
        solve_native(function, n_jobs, statistics)
    assert caught.value.__cause__ is not None
    assert capfd.readouterr() == ("", "")


def test_wrong_shape_in_compiled_code() -> None:
    with pytest.raises(TaskError, match="'marked' must return costs of shape"):
        solve_native(lambda sums: sums[0][1:])


def test_a_function_that_numba_does_not_know() -> None:
    def unknown(sums: Any) -> Any:
        return np.apply_along_axis(sum, 0, sums)

    with pytest.raises(TaskError, match="'marked': Numba cannot compile its leaf function") as caught:
        solve_native(unknown)
    assert isinstance(caught.value.__cause__, numba.core.errors.NumbaError)


def test_methods_cannot_be_compiled() -> None:
    class Method(StatisticsTask):
        name = "method"

        @streed.native
        def leaf_costs(self, sums: Any) -> Any:
            return sums[0]

    with pytest.raises(TaskError, match="'method': a native leaf function must be a static method"):
        streed.solve(Method(SQUARES), X, max_depth=2)


def test_random_compiled_code() -> None:
    def random(sums: Any) -> Any:
        return sums[2] + np.random.random(sums.shape[1])  # noqa: NPY002, the one that Numba knows

    with pytest.raises(TaskError, match="'marked' changes its answer"):
        solve_native(random)
