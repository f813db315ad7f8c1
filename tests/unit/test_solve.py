"""`streed.solve`: results in natural units, bad input, progress, interruption."""

from __future__ import annotations

import dataclasses
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import _core
from streed.tasks import Accuracy, BalancedAccuracy

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
XOR = [0, 1, 1, 0]


def test_a_result_is_complete() -> None:
    result = streed.solve(Accuracy(XOR), X, max_depth=2)
    assert (result.objective, result.lower_bound, result.gap) == (0, 0, 0)
    assert (result.optimal, result.status, result.task) == (True, "optimal", "accuracy")
    assert result.front == [streed.Solution((0.0,), result.tree)]
    assert result.tree.predict(X).tolist() == XOR
    assert result.tree.n_samples.tolist()[0] == 4
    assert result.seconds >= 0
    assert result.statistics["engine_seconds"] >= 0
    assert "objective=0" in repr(result)
    assert "proven optimal" in result.summary()
    assert pickle.loads(pickle.dumps(result)).tree == result.tree
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.objective = 1.0  # type: ignore[misc]


def test_limits_reach_the_engine() -> None:
    task = Accuracy(XOR)
    assert streed.solve(task, X, max_depth=1).objective == 2
    assert streed.solve(task, X, max_depth=2, max_nodes=2).objective == 1
    assert streed.solve(task, X, max_depth=2, max_nodes=0).tree.n_nodes == 0
    assert streed.solve(task, X, max_depth=2, min_samples_leaf=2).objective == 2
    assert streed.solve(task, X, max_depth=0).objective == 2
    assert streed.solve(task, X, max_depth=20, n_jobs=2, time_limit=60, memory_limit=1e9).objective == 0


def test_weights_and_complexity_are_in_natural_units() -> None:
    task = Accuracy([0, 0, 1, 1], sample_weight=[0.5, 1.5, 2.5, 0.25], cost_complexity=0.01)
    result = streed.solve(task, [[0], [0], [1], [0]], max_depth=1)
    assert result.objective == pytest.approx(0.25 + 0.01 * 4.75)
    assert result.tree.class_weights.tolist() == pytest.approx(np.array([[2, 2.75], [2, 0.25], [0, 2.5]]))


def test_a_branch_must_be_worth_its_price() -> None:
    rows, y = [[0], [0], [0], [1]], [0, 0, 0, 1]
    assert streed.solve(Accuracy(y, cost_complexity=0.2), rows, max_depth=1).tree.n_nodes == 1
    dear = streed.solve(Accuracy(y, cost_complexity=0.3), rows, max_depth=1)
    assert (dear.objective, dear.tree.n_nodes) == (1, 0)


def test_balanced_accuracy_is_maximised() -> None:
    result = streed.solve(
        BalancedAccuracy([0, 0, 0, 1], cost_complexity=0.05), [[0], [0], [1], [1]], max_depth=1
    )
    assert result.objective == pytest.approx(5 / 6 - 0.05)
    assert result.lower_bound == result.objective
    assert result.tree.class_weights[0].tolist() == pytest.approx([2, 2])


def test_rows_of_weight_zero_count_for_nothing() -> None:
    task = Accuracy([0, 1, 1, 1], sample_weight=[1, 1, 0, 0])
    result = streed.solve(task, [[0], [1], [0], [0]], max_depth=1)
    assert (result.objective, result.tree.n_samples.tolist()) == (0, [2, 1, 1])
    with pytest.raises(ValueError, match="at most the number of rows, 2, got 3"):
        streed.solve(task, [[0], [1], [0], [0]], max_depth=1, min_samples_leaf=3)


def test_special_shapes() -> None:
    no_features = streed.solve(Accuracy([0, 1, 1]), np.empty((3, 0)), max_depth=3)
    assert (no_features.objective, no_features.tree.n_nodes) == (1, 0)
    one_row = streed.solve(Accuracy(["only"]), [[1, 0]], max_depth=3)
    assert (one_row.objective, one_row.tree.predict([[0, 0]]).tolist()) == (0, ["only"])
    one_class = streed.solve(Accuracy([5, 5, 5]), [[0], [1], [1]], max_depth=3)
    assert (one_class.objective, one_class.tree.n_nodes) == (0, 0)


def test_column_names_of_a_frame_are_kept() -> None:
    frame = pd.DataFrame({"warm": [0, 1, 1], "dry": [1, 1, 0]})
    tree = streed.solve(Accuracy([0, 1, 1]), frame, max_depth=1).tree
    assert tree.feature_names == ("warm", "dry")
    assert tree.to_text().startswith("warm?")


@pytest.mark.parametrize(
    ("rows", "options", "error", "message"),
    [
        ([[0], [1]], {}, ValueError, "X has 2 rows, but the task was made with 4"),
        (np.empty((0, 2)), {}, ValueError, "X has 0 rows"),
        ([[0], [1], [2], [0]], {}, ValueError, "got 2 in row 2, column 0"),
        ([0, 1, 1, 0], {}, ValueError, "two-dimensional"),
        (X, {"max_depth": 2.0}, TypeError, "max_depth must be an integer"),
        (X, {"min_samples_leaf": 5}, ValueError, "at most the number of rows, 4, got 5"),
        (X, {"min_samples_leaf": 1.5}, TypeError, "min_samples_leaf must be an integer"),
        (X, {"progress": 3}, TypeError, "progress must be False, True or a function"),
        (X, {"time_limit": 0}, ValueError, "time_limit"),
    ],
)
def test_bad_input(rows: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        streed.solve(Accuracy(XOR), rows, **({"max_depth": 2} | options))


@pytest.mark.parametrize("task", ["accuracy", None, Accuracy, [0, 1, 1, 0]])
def test_a_task_is_an_object_with_its_data(task: Any) -> None:
    with pytest.raises(TypeError, match=r"task must be a streed\.tasks\.Task"):
        streed.solve(task, X, max_depth=2)


def engine(answer: dict[str, Any], polls: int = 0) -> Any:
    """An engine that polls, then returns its answer for XOR at depth 2 with some entries changed."""
    original = _core.solve

    def solve(*arguments: Any, poll: Any = None, **options: Any) -> dict[str, Any]:
        result = original(*arguments, **options)
        state = {"elapsed": 0.5, "objective": 2.0, "lower_bound": 1.0, "root_done": 0.25, "memory": 3e6}
        stopped = any(poll(state) for _ in range(polls)) if poll else False
        ended = {"status": "interrupted", "optimal": False, "lower_bound": 0.0} if stopped else {}
        return {**result, **ended, **answer}

    return solve


def test_an_interrupted_search_returns_its_tree_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"status": "interrupted", "optimal": False, "lower_bound": 1.0}
    monkeypatch.setattr(_core, "solve", engine(answer))
    with pytest.warns(streed.InterruptedWarning, match=r"best one so far, with a gap of 50\.00%"):
        result = streed.solve(Accuracy(XOR), X, max_depth=1)
    assert (result.objective, result.lower_bound, result.gap) == (2, 1, 0.5)
    assert (result.optimal, result.status) == (False, "interrupted")
    assert "bound 1, gap 50.00%, interrupted" in result.summary()


def test_a_time_limit_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        _core, "solve", engine({"status": "time_limit", "optimal": False, "lower_bound": 0.0})
    )
    result = streed.solve(BalancedAccuracy(XOR), X, max_depth=1)
    assert (result.objective, result.lower_bound, result.gap) == (0.5, 1.0, 0.5)


def test_an_engine_that_miscounts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "solve", engine({"objective": 1.0}))
    with pytest.raises(streed.StreedError, match=r"the tree costs 1\.0, counted anew it costs 2\.0"):
        streed.solve(Accuracy(XOR), X, max_depth=1)


def test_progress_goes_to_a_function_in_natural_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "solve", engine({}, polls=2))
    seen: list[streed.Progress] = []
    result = streed.solve(BalancedAccuracy(XOR), X, max_depth=1, progress=seen.append)
    assert seen == [streed.Progress(0.5, 0.5, 0.75, 1 / 3, 0.25, 3e6)] * 2
    assert result.status == "optimal"


def test_a_function_can_stop_the_search_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "solve", engine({}, polls=5))
    calls: list[streed.Progress] = []

    def stop(progress: streed.Progress) -> bool:
        calls.append(progress)
        return len(calls) == 2

    result = streed.solve(Accuracy(XOR), X, max_depth=1, progress=stop)
    assert (len(calls), result.status, result.optimal) == (2, "interrupted", False)


def test_errors_of_a_function_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "solve", engine({}, polls=3))

    def fail(progress: streed.Progress) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        streed.solve(Accuracy(XOR), X, max_depth=1, progress=fail)


def test_the_live_line_is_one_line_where_it_cannot_be_redrawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_core, "solve", engine({}, polls=2))
    streed.solve(Accuracy(XOR), X, max_depth=1, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "\r" not in err
    assert err.endswith(" s  best 2  bound 2  gap 0.0 %  root 100 %  0 MB\n")


def test_nothing_is_printed_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    streed.solve(Accuracy(XOR), X, max_depth=2)
    assert capsys.readouterr() == ("", "")


def hard() -> tuple[Accuracy, np.ndarray]:
    """A problem that takes far longer than any test: random labels, many features."""
    rng = np.random.default_rng(0)
    return Accuracy(rng.integers(0, 2, 3000)), rng.integers(0, 2, (3000, 300)).astype(bool)


def check_unfinished(result: streed.Result, status: str) -> None:
    assert (result.status, result.optimal) == (status, False)
    assert 0 <= result.lower_bound < result.objective < 1500
    assert 0 < result.gap <= 1
    assert result.tree.depth <= 6


def test_a_time_limit_ends_the_search_with_a_tree() -> None:
    check_unfinished(streed.solve(*hard(), max_depth=6, time_limit=0.3), "time_limit")


def test_ctrl_c_ends_the_search_with_a_tree_and_a_warning() -> None:
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.warns(streed.InterruptedWarning):
        result = streed.solve(*hard(), max_depth=6, time_limit=60)
    timer.join()
    check_unfinished(result, "interrupted")


def test_a_function_sees_a_running_search_and_stops_it() -> None:
    seen: list[streed.Progress] = []

    def watch(progress: streed.Progress) -> bool:
        seen.append(progress)
        return len(seen) == 3

    check_unfinished(streed.solve(*hard(), max_depth=6, time_limit=60, progress=watch), "interrupted")
    assert len(seen) == 3
    assert seen[0].elapsed <= seen[1].elapsed <= seen[2].elapsed
    assert all(0 <= p.lower_bound <= p.objective and 0 <= p.root_done <= 1 for p in seen)


def test_two_solves_in_two_threads() -> None:
    rng = np.random.default_rng(0)
    problems = [
        (Accuracy(rng.integers(0, 3, 80)), rng.integers(0, 2, (80, 12)).astype(bool)) for _ in range(4)
    ]
    alone = [streed.solve(task, rows, max_depth=3) for task, rows in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda problem: streed.solve(*problem, max_depth=3), problems))
    assert [r.tree for r in together] == [r.tree for r in alone]


def run(code: str) -> str:
    """Run Python code in a process of its own and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_solving_does_not_load_scikit_learn() -> None:
    code = """
        import sys
        import streed
        streed.solve(streed.tasks.Accuracy([0, 1]), [[0], [1]], max_depth=1).tree.to_text()
        heavy = ("sklearn", "scipy", "pandas", "polars", "matplotlib")
        print([name for name in heavy if name in sys.modules])
        streed.OptimalTreeClassifier
        print("sklearn" in sys.modules)
    """
    assert run(code).split("\n")[:2] == ["[]", "True"]


def test_names_of_the_package() -> None:
    for name in streed.__all__:
        assert getattr(streed, name) is not None
        assert name in dir(streed)
    assert streed.__version__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        streed.nothing  # noqa: B018
