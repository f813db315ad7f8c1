"""Tasks of statistics that lie, raise, are slow or interrupted: a TaskError or a tree, nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import streed
from streed import InterruptedWarning, TaskError, _core
from streed.tasks import StatisticsTask

RNG = np.random.default_rng(5)
X = RNG.random((240, 12)) < 0.5
Y = (X[:, 0] & X[:, 1]) ^ X[:, 2] ^ (RNG.random(240) < 0.15)
NUMBERS = X @ RNG.normal(size=12) + RNG.normal(size=240)
COUNTS = np.eye(2)[Y.astype(int)]
SQUARES = np.column_stack([np.ones(240), NUMBERS, NUMBERS**2])


def errors(sums: Any) -> Any:
    return sums[::-1]


def squares(sums: Any) -> Any:
    return sums[2] - sums[1] ** 2 / sums[0]


class Told(StatisticsTask):
    """A task with the leaf function that a test gives it; counts how often it is asked."""

    name = "told"

    def __init__(self, kind: str, function: Callable[[Any], Any] | None = None, **more: Any) -> None:
        statistics, labels, self.honest = KINDS[kind]
        super().__init__(statistics, labels, **more)
        self.function = function or self.honest
        self.calls = 0

    def leaf_costs(self, sums: Any) -> Any:
        self.calls += 1
        return self.function(sums)


KINDS: dict[str, tuple[Any, list[Any], Callable[[Any], Any]]] = {
    "table": (COUNTS, ["no", "yes"], errors),  # few small whole numbers: the engine makes a table
    "blocks": (SQUARES, [0], squares),
}
BOTH = pytest.mark.parametrize("kind", list(KINDS))
THREADS = pytest.mark.parametrize("n_jobs", [1, 2])


@pytest.fixture(autouse=True)
def _process_stays_usable() -> Iterator[None]:
    threads = threading.active_count()  # other tests may have left some behind
    yield
    assert streed.solve(streed.tasks.Accuracy(Y), X, max_depth=2).optimal
    assert streed.solve(Told("blocks"), X, max_depth=2, n_jobs=2).optimal
    assert threading.active_count() <= threads


def deep(kind: str, least: int, do: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An honest function, except for blocks with a leaf of at most `least` rows."""
    honest = KINDS[kind][2]

    def function(sums: Any) -> Any:
        rows = sums.sum(axis=0) if kind == "table" else sums[0]
        small = (rows > 0) & (rows <= least)
        return np.where(small, do(sums), honest(sums)) if small.any() else honest(sums)

    return function


class TestStatistics:
    @pytest.mark.parametrize(
        ("statistics", "cause"),
        [
            ([1.0, 2.0], r"shape \(rows, statistics\).*got \(2,\)"),
            (np.ones((2, 2, 2)), r"got \(2, 2, 2\)"),
            (np.ones((3, 0)), r"got \(3, 0\)"),
            (np.ones((0, 3)), r"got \(0, 3\)"),
            ([[1.0], [np.nan]], r"statistics must be finite, got nan at \(1, 0\)"),
            ([[1.0, np.inf]], "got inf"),
            ([["a"], ["b"]], "statistics must be numbers"),
            ([[1.0, 2.0], [1.0]], "statistics must be numbers"),
            ([[None]], "statistics must be"),
        ],
    )
    def test_wrong(self, statistics: Any, cause: str) -> None:
        with pytest.raises(TaskError, match=f"the task 'statistics_task': .*{cause}"):
            StatisticsTask(statistics)

    def test_conversion_is_the_cause(self) -> None:
        with pytest.raises(TaskError) as caught:
            StatisticsTask([["a"]])
        assert isinstance(caught.value.__cause__, ValueError)

    def test_no_labels(self) -> None:
        with pytest.raises(TaskError, match="at least one label"):
            StatisticsTask([[1.0]], [])

    @pytest.mark.parametrize(
        ("bounds", "cause"),
        [
            ({"least_row": [0.0, 1.0]}, "least_row must be a number or one per row, 240"),
            ({"least_row": "low"}, "least_row must be numbers"),
            ({"least_row": 0.0, "worst_row": np.nan}, "worst_row must be finite"),
            ({"worst_row": 1.0}, "worst_row needs least_row"),
            ({"least_row": 1.0, "worst_row": 0.0}, "worst_row is below least_row"),
        ],
    )
    def test_wrong_bounds(self, bounds: Any, cause: str) -> None:
        with pytest.raises(TaskError, match=f"'told'.*{cause}"):
            Told("table", **bounds)

    def test_without_leaf_costs(self) -> None:
        with pytest.raises(
            TaskError, match="raised NotImplementedError: StatisticsTask must define"
        ) as caught:
            streed.solve(StatisticsTask(COUNTS), X, max_depth=1)
        assert isinstance(caught.value.__cause__, NotImplementedError)

    def test_other_number_of_rows(self) -> None:
        with pytest.raises(ValueError, match="240"):
            streed.solve(Told("table"), X[:10], max_depth=1)


def shorter(sums: Any) -> Any:
    return squares(sums)[:-1]


WRONG_ANSWERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "too few": (shorter, r"must return costs of shape .* for 3 leaves, got shape \(2,\)"),
    "too many labels": (lambda s: np.stack([squares(s)] * 2), r"got shape \(2, 3\)"),
    "a number": (lambda s: 1.0, r"got shape \(\)"),
    "leaves and labels swapped": (lambda s: squares(s)[:, None], r"got shape \(3, 1\)"),
    "nothing": (lambda s: None, r"must return costs of shape .* got shape \(\)"),
    "text": (lambda s: ["a"] * s.shape[1], "must return numbers"),
    "complex": (lambda s: squares(s) + 1j, "must return numbers"),
    "objects": (lambda s: [object()] * s.shape[1], "must return numbers"),
    "NaN": (lambda s: squares(s) * np.nan, "finite costs, got nan for the statistics"),
    "infinite": (lambda s: squares(s) + np.inf, "finite costs, got inf for the statistics"),
    "raises": (lambda s: s[7], "raised IndexError"),
    "recursion": (lambda s: WRONG_ANSWERS["recursion"][0](s), "raised RecursionError"),
}


@pytest.mark.parametrize("what", list(WRONG_ANSWERS))
def test_wrong_at_once(what: str) -> None:
    function, cause = WRONG_ANSWERS[what]
    with pytest.raises(TaskError, match=f"'told' .*({cause})"):
        streed.solve(Told("blocks", function), X, max_depth=3)


def fail(sums: Any) -> Any:
    raise ZeroDivisionError("deep")


DEEP: dict[str, tuple[Callable[[Any], Any], str]] = {
    "NaN": (lambda s: np.nan, "a leaf costs nan.*with the statistics"),
    "infinite": (lambda s: np.inf, "a leaf costs inf.*with the statistics"),
    "minus infinity": (lambda s: -np.inf, "a leaf costs -inf.*with the statistics"),
    "too large": (lambda s: 1e9, "differ too much in size.*with the statistics"),
    "raises": (fail, "raised ZeroDivisionError: deep"),
}


@THREADS
@BOTH
@pytest.mark.parametrize("what", list(DEEP))
def test_wrong_only_deep_in_the_tree(what: str, kind: str, n_jobs: int) -> None:
    do, cause = DEEP[what]
    task = Told(kind, deep(kind, 9, do))
    assert streed.solve(task, X, max_depth=1).optimal  # no such leaf yet
    with pytest.raises(TaskError, match=f"'told' .*{cause}") as caught:
        streed.solve(task, X, max_depth=4, n_jobs=n_jobs)
    assert caught.value.__cause__ is not None
    if what == "raises":
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


@BOTH
def test_a_cost_of_infinity_that_no_leaf_has_does_no_harm(kind: str) -> None:
    task = Told(kind, deep(kind, 9, DEEP["NaN"][0]))
    result = streed.solve(task, X, max_depth=4, min_samples_leaf=10)
    assert result.objective == streed.solve(Told(kind), X, max_depth=4, min_samples_leaf=10).objective


def test_wrong_shape_only_later() -> None:
    task = Told("blocks", lambda s: squares(s)[: -1 if task.calls > 20 else None])
    with pytest.raises(TaskError, match="'told' must return costs of shape"):
        streed.solve(task, X, max_depth=4)


def other_answers(start: int, end: int) -> Callable[[Told], Callable[[Any], Any]]:
    """An answer that is one larger from call `start` to `end`."""
    return lambda task: lambda sums: task.honest(sums) + (start <= task.calls <= end)


CHANGES: dict[str, Callable[[Told], Callable[[Any], Any]]] = {
    "at once": other_answers(2, 10**9),
    "later": other_answers(12, 10**9),
    "every call": lambda task: lambda sums: task.honest(sums) + task.calls,
    "random": lambda task: lambda sums: task.honest(sums) + RNG.random(sums.shape[1]),
    "better each time": lambda task: lambda sums: task.honest(sums) - 100 * task.calls,
    "its own arrays": lambda task: (
        lambda sums: np.add(sums[-1], task.calls, out=sums[-1]) if task.calls % 2 else task.honest(sums)
    ),
}


@THREADS
@BOTH
@pytest.mark.parametrize("depth", [2, 4])
@pytest.mark.parametrize("what", list(CHANGES))
def test_answers_that_change(what: str, kind: str, depth: int, n_jobs: int) -> None:
    task = Told(kind)
    task.function = CHANGES[what](task)
    with pytest.raises(
        TaskError, match=r"'told'.*(changes its answer|asked for again|least_row|must return)"
    ):
        streed.solve(task, X, max_depth=depth, n_jobs=n_jobs)


@BOTH
def test_answers_that_change_after_the_search(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task, engine = Told(kind), _core.solve_function

    def over(*arguments: Any, **options: Any) -> Any:
        answer = engine(*arguments, **options)
        task.function = other_answers(0, 10**9)(task)
        return answer

    monkeypatch.setattr(_core, "solve_function", over)
    with pytest.raises(TaskError, match="'told' changes its answer"):
        streed.solve(task, X, max_depth=4)


def test_a_function_may_change_what_it_gets() -> None:
    def spoil(sums: Any) -> Any:
        costs = squares(sums)
        sums[:] = np.nan
        return costs

    found = streed.solve(Told("blocks", spoil), X, max_depth=3)
    assert found.objective == streed.solve(Told("blocks"), X, max_depth=3).objective


def test_a_function_may_use_the_same_array_again() -> None:
    kept = np.empty(1 << 20)

    def reuse(sums: Any) -> Any:
        costs = kept[: sums.shape[1]]
        costs[:] = squares(sums)
        return costs

    found = streed.solve(Told("blocks", reuse), X, max_depth=3, n_jobs=2)
    assert found.objective == streed.solve(Told("blocks"), X, max_depth=3).objective


@THREADS
@BOTH
def test_least_row_that_a_leaf_falls_short_of(kind: str, n_jobs: int) -> None:
    task = Told(kind, least_row=1.0, worst_row=60.0)
    with pytest.raises(TaskError, match=r"'told' .*less than least_row allows.*with the statistics"):
        streed.solve(task, X, max_depth=3, n_jobs=n_jobs)


@BOTH
def test_wrong_bounds_are_tried_out(kind: str) -> None:
    low = streed.check_separable(Told(kind, least_row=1.0), X[:, :4], n_samples=40)
    high = streed.check_separable(Told(kind, least_row=0.0, worst_row=0.01), X[:, :4], n_samples=40)
    assert not low.ok
    assert not high.ok


def test_costs_that_differ_too_much_in_size() -> None:
    with pytest.raises(TaskError, match="differ too much in size"):
        streed.solve(Told("blocks", lambda s: np.exp(240 - s[0]) * 1e-60), X, max_depth=4)


@BOTH
def test_leaf_label_that_raises(kind: str) -> None:
    task = Told(kind)
    task.leaf_label = lambda sums: sums[9]
    with pytest.raises(TaskError, match="leaf_label of the task 'told' raised IndexError") as caught:
        streed.solve(task, X, max_depth=2)
    assert isinstance(caught.value.__cause__, IndexError)


def test_an_exit_inside_is_an_exit() -> None:
    def leave(sums: Any) -> Any:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        streed.solve(Told("blocks", deep("blocks", 9, leave)), X, max_depth=4)


def ctrl_c_at(call: int) -> Callable[[Told], Callable[[Any], Any]]:
    def make(task: Told) -> Callable[[Any], Any]:
        def function(sums: Any) -> Any:
            if task.calls == call:
                signal.raise_signal(signal.SIGINT)
            return task.honest(sums)

        return function

    return make


@BOTH
def test_ctrl_c_before_there_is_a_tree(kind: str) -> None:
    task = Told(kind)
    task.function = ctrl_c_at(2)(task)
    with pytest.raises(KeyboardInterrupt):
        streed.solve(task, X, max_depth=4)


@pytest.mark.parametrize("call", [30, 60, 100])
def test_ctrl_c_inside(call: int) -> None:
    task = Told("blocks")
    task.function = ctrl_c_at(call)(task)
    with pytest.warns(InterruptedWarning):
        result = streed.solve(task, X, max_depth=5)
    best = streed.solve(Told("blocks"), X, max_depth=4).objective
    assert result.status == "interrupted"
    assert not result.optimal
    assert result.lower_bound <= best
    assert result.objective < squares(SQUARES.sum(axis=0))


@pytest.mark.parametrize("kind", list(KINDS))
def test_ctrl_c_at_any_call(kind: str) -> None:
    """A tree with a warning, or KeyboardInterrupt where there is none yet or the search is over."""
    honest = Told(kind)
    streed.solve(honest, X, max_depth=3)
    for call in range(1, min(honest.calls, 40)):
        task = Told(kind)
        task.function = ctrl_c_at(call)(task)
        try:
            with pytest.warns(InterruptedWarning):
                result = streed.solve(task, X, max_depth=3)
        except KeyboardInterrupt:
            continue
        assert result.status == "interrupted"


SLOW = """
import sys, time
import numpy as np, streed
from tests.unit.test_statistics_task import X, Told

def slow(sums):
    print("asked", flush=True)
    time.sleep(0.02)
    return task.honest(sums)

task = Told("blocks", slow)
result = streed.solve(task, X, max_depth=5, n_jobs=int(sys.argv[1]))
print(result.status, result.tree.n_nodes > 0, flush=True)
"""


@THREADS
def test_ctrl_c_from_outside(n_jobs: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SLOW), str(n_jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for _ in range(60):
        assert process.stdout.readline() == "asked\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.splitlines()[-1] == "interrupted True"


@THREADS
@BOTH
def test_time_limit_with_a_slow_function(kind: str, n_jobs: int) -> None:
    def slow(sums: Any) -> Any:
        time.sleep(0.02)
        return task.honest(sums)

    task = Told(kind, slow)
    result = streed.solve(task, X, max_depth=8, time_limit=0.6, n_jobs=n_jobs)
    assert result.status == "time_limit"
    assert result.lower_bound <= result.objective
    assert task.calls * 0.02 < 0.6 * n_jobs + 2  # how long the calls alone take: no clock is asked


def test_other_threads_may_solve_at_the_same_time() -> None:
    found: list[Any] = []

    def one(task: Told) -> None:
        try:
            found.append(streed.solve(task, X, max_depth=4).objective)
        except TaskError:
            found.append("TaskError")

    tasks = [Told("blocks"), Told("blocks", deep("blocks", 9, fail)), Told("table"), Told("blocks")]
    threads = [threading.Thread(target=one, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(value == "TaskError" for value in found) == 1
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("labels", "dtype"), [(np.array([3, 5]), "i"), (["a", "b"], "U"), ([True, False], "b"), ([None, 1], "O")]
)
def test_labels_keep_their_type(labels: Any, dtype: str) -> None:
    class Errors(StatisticsTask):
        name = "errors"

        def leaf_costs(self, sums: Any) -> Any:
            return sums[::-1]

    tree = streed.solve(Errors(COUNTS, labels), X, max_depth=2).tree
    assert tree.predict(X).dtype.kind == dtype
    assert set(tree.predict(X).tolist()) <= set(labels)
    if dtype != "O":
        assert streed.Tree.from_dict(tree.to_dict()).predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("combined", [False, True])
def test_ctrl_c_while_the_tree_is_counted_keeps_it(combined: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is over when the leaves of its tree are asked for once more."""
    from streed.leaves import function

    class Labelled(streed.tasks.StatisticsTask):
        name = "labelled"

        def __init__(self) -> None:
            super().__init__(np.column_stack([np.ones(4), [1.0, 2, 10, 12], [1.0, 4, 100, 144]]), least_row=0)

        def leaf_costs(self, sums: Any) -> Any:
            return sums[2] - sums[1] ** 2 / sums[0]

        def leaf_label(self, sums: Any) -> Any:
            return sums[1] / sums[0]

    count, calls = function.leaf_costs, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return count(*arguments)

    monkeypatch.setattr(function, "leaf_costs", interrupted)
    task = streed.combine(Labelled(), Labelled()) if combined else Labelled()
    with pytest.warns(streed.InterruptedWarning):
        result = streed.solve(task, [[0, 0], [0, 1], [1, 0], [1, 1]], max_depth=1)
    assert (result.status, result.optimal) == ("interrupted", False)
    assert result.front[0].values[0] == 2.5
    assert result.tree.predict([[0, 0], [1, 1]]).tolist() == [1.5, 11.0]


def test_multiples_of_a_unit_are_counted() -> None:
    """Tenths of counts are positions in a table, as counts are; with odd weights every leaf is asked for."""
    asked: dict[str, int] = {}
    odd = RNG.random(60)
    for name, weight in {"ones": np.ones(60), "tenths": np.full(60, 0.1), "odd": odd}.items():

        class Weighted(StatisticsTask):
            name = "weighted"

            def __init__(self, who: str, weight: np.ndarray) -> None:
                self.who = who
                super().__init__(COUNTS[:60] * weight[:, None], [0, 1], least_row=0, worst_row=weight)

            def leaf_costs(self, sums: Any) -> Any:
                asked[self.who] = asked.get(self.who, 0) + sums.shape[1]
                return sums[::-1]

        result = streed.solve(Weighted(name, weight), X[:60], max_depth=3)
        expected = streed.solve(streed.tasks.Accuracy(Y[:60], sample_weight=weight), X[:60], max_depth=3)
        assert result.objective == pytest.approx(expected.objective)
    assert asked["tenths"] < 1.2 * asked["ones"]
    assert asked["odd"] > 2 * asked["ones"]
