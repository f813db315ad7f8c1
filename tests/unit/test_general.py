"""Tasks given by their six components: the general search, its limits, and what happens to tasks that lie."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import streed
from streed import InfeasibleError, InterruptedWarning, NotNative, StreedError, TaskError, reference
from streed.reference import Components
from streed.testing import brute_force

RNG = np.random.default_rng(0)
X = (RNG.random((30, 4)) < 0.5).astype(int).tolist()
Y = [int(row[0] ^ row[1]) if i % 5 else i % 2 for i, row in enumerate(X)]


def errors(rows: Any, label: int) -> int:
    return sum(Y[i] != label for i in rows)


def split(rows: Any, feature: int, side: bool) -> tuple[int, ...]:
    return tuple(i for i in rows if X[i][feature] == side)


BASE: Components[Any, Any] = Components(
    cost_leaf=errors,
    cost_branch=lambda rows, feature: 0,
    transition=split,
    better=lambda v, w: v < w,
    combine=lambda v, w: v + w,
    feasible=lambda v, rows: len(rows) > 0,
    initial_state=tuple(range(30)),
    labels=[0, 1],
    features=range(4),
    name="errors",
)


def pareto(v: Any, w: Any) -> bool:
    return bool(v != w and all(a <= b for a, b in zip(v, w, strict=True)))


def two_kinds(rows: Any, label: int) -> tuple[int, int]:
    return (sum(Y[i] == 0 for i in rows), 0) if label else (0, sum(Y[i] == 1 for i in rows))


TASKS: dict[str, Components[Any, Any]] = {
    "sum": BASE,
    "largest leaf error (max)": replace(BASE, combine=max),
    "product of fractions": replace(
        BASE,
        cost_leaf=lambda rows, label: Fraction(1 + errors(rows, label), 1 + len(rows)),
        cost_branch=lambda rows, feature: Fraction(1),
        combine=lambda v, w: v * w,
    ),
    "lexicographic: errors, then nodes": replace(
        BASE,
        cost_leaf=lambda rows, label: (errors(rows, label), 0),
        cost_branch=lambda rows, feature: (0, 1),
        combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
    ),
    "front of two kinds of errors": replace(
        BASE,
        cost_leaf=two_kinds,
        cost_branch=lambda rows, feature: (0, 0),
        better=pareto,
        combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
    ),
    "words": replace(
        BASE,
        cost_leaf=lambda rows, label: "b" * errors(rows, label),
        cost_branch=lambda rows, feature: "",
        better=lambda v, w: len(v) < len(w),
    ),
    "state beyond the rows: a test costs less the second time": replace(
        BASE,
        cost_leaf=lambda s, label: 10 * errors(s[0], label),
        cost_branch=lambda s, feature: 1 if feature in s[1] else 7,
        transition=lambda s, f, side: (split(s[0], f, side), s[1] | {f // 2 * 2, f // 2 * 2 + 1}),
        feasible=lambda v, s: len(s[0]) > 0,
        initial_state=(tuple(range(30)), frozenset()),
    ),
    "states that cannot be hashed": replace(
        BASE, transition=lambda rows, f, side: list(split(rows, f, side)), initial_state=list(range(30))
    ),
}


def values(solutions: list[reference.Solution]) -> list[Any]:
    return sorted(solution.value for solution in solutions)


def found(result: streed.Result) -> list[Any]:
    one = not isinstance(result.objective, tuple)
    return [solution.values[0] if one else solution.values for solution in result.front]


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(("depth", "nodes"), [(0, None), (1, None), (2, None), (2, 2), (3, 3)])
def test_equals_reference(name: str, depth: int, nodes: int | None) -> None:
    task = TASKS[name]
    result = streed.solve(task, X, max_depth=depth, max_nodes=nodes)
    assert found(result) == values(reference.solve(task, depth, nodes))
    assert result.optimal
    assert result.status == "optimal"
    assert result.lower_bound == result.objective
    assert result.gap == 0
    assert result.engine == "general"
    for solution in result.front:
        assert solution.tree.depth <= depth
        assert solution.tree.n_nodes <= (2**depth - 1 if nodes is None else nodes)
        assert solution.tree.n_samples[0] == 30
    assert result.tree is result.front[0].tree


@pytest.mark.parametrize("name", TASKS)
def test_equals_brute_force(name: str) -> None:
    task = replace(TASKS[name], features=[0, 1])
    assert found(streed.solve(task, max_depth=2)) == values(brute_force(task, 2))


def nested(tree: streed.Tree, node: int = 0) -> Any:
    if tree.feature[node] < 0:
        return tree.classes[tree.label[node]].item()
    left, right = (nested(tree, int(side[node])) for side in (tree.left, tree.right))
    return (int(tree.feature[node]), left, right)


@pytest.mark.parametrize("name", TASKS)
def test_trees_have_their_values_and_no_useless_split(name: str) -> None:
    task = TASKS[name]
    result = streed.solve(task, X, max_depth=3)
    for value, solution in zip(found(result), result.front, strict=True):
        tree = nested(solution.tree)
        assert reference.cost(task, tree) == value
        for smaller in reductions(tree):
            try:
                assert reference.cost(task, smaller) != value or not fits(task, smaller, task.initial_state)
            except ZeroDivisionError:
                continue


def reductions(tree: Any) -> list[Any]:
    if not isinstance(tree, tuple):
        return []
    feature, left, right = tree
    below = [(feature, t, right) for t in reductions(left)] + [(feature, left, t) for t in reductions(right)]
    return [0, 1, left, right, *below]


def fits(task: Components[Any, Any], tree: Any, state: Any) -> bool:
    below = isinstance(tree, tuple)
    return task.feasible(reference.cost(task, tree, state), state) and (
        not below
        or all(fits(task, tree[1 + side], task.transition(state, tree[0], bool(side))) for side in (0, 1))
    )


def counted(task: Components[Any, Any]) -> tuple[Components[Any, Any], list[int]]:
    calls = [0]

    def transition(*arguments: Any) -> Any:
        calls[0] += 1
        return task.transition(*arguments)

    return replace(task, transition=transition), calls


def test_states_are_solved_once() -> None:
    task, calls = counted(BASE)
    streed.solve(task, max_depth=4)
    with_cache, calls[0] = calls[0], 0
    reference.solve(task, 4)
    assert with_cache < calls[0] / 3


def test_states_are_told_apart_by_their_key() -> None:
    unhashable = TASKS["states that cannot be hashed"]
    keyed, calls = counted(replace(unhashable, key=tuple))
    with_key = streed.solve(keyed, max_depth=3)
    with_calls, calls[0] = calls[0], 0
    assert streed.solve(replace(keyed, key=None), max_depth=3).objective == with_key.objective
    assert with_calls < calls[0]


def test_bounds_save_work_and_change_nothing() -> None:
    def bound(rows: Any) -> int:
        """Rows with the same features and different labels cannot all be right."""
        cells: dict[tuple[int, ...], list[int]] = {}
        for i in rows:
            cells.setdefault(tuple(X[i]), [0, 0])[Y[i]] += 1
        return sum(min(cell) for cell in cells.values())

    task, calls = counted(BASE)
    without = streed.solve(task, max_depth=3)
    plain, calls[0] = calls[0], 0
    with_bound = streed.solve(replace(task, lower_bound=bound), max_depth=3)
    assert with_bound.objective == without.objective
    assert calls[0] < plain


def test_memory_limit_only_costs_time() -> None:
    task, calls = counted(BASE)
    free = streed.solve(task, max_depth=3)
    plain, calls[0] = calls[0], 0
    tight = streed.solve(task, max_depth=3, memory_limit=5000)
    assert tight.objective == free.objective
    assert tight.statistics["peak_memory"] <= 5000
    assert calls[0] > plain


OPAQUE = replace(
    BASE,
    cost_leaf=lambda s, label: errors([i for i in range(30) if s >> i & 1], label),
    transition=lambda s, f, side: sum(1 << i for i in range(30) if s >> i & 1 and X[i][f] == side),
    feasible=lambda v, s: True,
    initial_state=2**30 - 1,
)


@pytest.mark.parametrize(
    ("task", "with_x"),
    [(BASE, False), (BASE, True), (replace(OPAQUE, size=int.bit_count), False), (OPAQUE, True)],
    ids=["rows", "rows and X", "size", "X"],
)
def test_leaf_size(task: Components[Any, Any], with_x: bool) -> None:
    large = replace(BASE, feasible=lambda v, rows: len(rows) >= 6)
    result = streed.solve(task, X if with_x else None, max_depth=2, min_samples_leaf=6)
    assert result.objective == reference.solve(large, 2)[0].value
    assert result.tree.n_samples.min() >= 6
    assert result.tree.n_samples[0] == 30


def test_leaf_size_needs_rows() -> None:
    with pytest.raises(ValueError, match="min_samples_leaf=2 needs the number of rows"):
        streed.solve(OPAQUE, max_depth=1, min_samples_leaf=2)


def test_features_and_labels_have_names() -> None:
    import pandas as pd

    named = replace(
        BASE,
        features=["a", "b", "c", "d"],
        transition=lambda rows, f, side: split(rows, "abcd".index(f), side),
        cost_leaf=lambda rows, label: errors(rows, label == "yes"),
        labels=["no", "yes"],
    )
    result = streed.solve(named, max_depth=2)
    assert result.tree.feature_names == ("a", "b", "c", "d")
    assert set(result.tree.predict(X)) <= {"no", "yes"}
    frame = pd.DataFrame(X, columns=["p", "q", "r", "s"])
    assert streed.solve(BASE, frame, max_depth=1).tree.feature_names == ("p", "q", "r", "s")
    with pytest.raises(ValueError, match="X has 3 columns, but errors has 4 features"):
        streed.solve(BASE, frame.iloc[:, :3], max_depth=1)


def test_labels_of_mixed_kinds_stay_what_they_are() -> None:
    task = replace(BASE, labels=[0, "one"], cost_leaf=lambda rows, label: errors(rows, int(label == "one")))
    assert set(streed.solve(task, max_depth=2).tree.predict(X)) == {0, "one"}


def test_summary_says_how_it_was_solved() -> None:
    result = streed.solve(TASKS["front of two kinds of errors"], max_depth=2)
    text = result.summary()
    assert "solved by the general search in Python: it was given as its six components" in text
    assert f"the first of {len(result.front)} trees of the front" in text
    words = streed.solve(TASKS["words"], max_depth=1)
    assert repr(words.objective) in words.summary()
    assert repr(words.objective) in repr(words)


class Majority(streed.tasks.GeneralTask):
    name = "majority"
    classes = np.array(["left", "right"])
    n_rows = 30

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        return replace(BASE, feasible=lambda v, rows: len(rows) >= min_samples_leaf)


def test_task_without_native_form() -> None:
    result = streed.solve(Majority(), X, max_depth=2, min_samples_leaf=3)
    assert result.engine == "general"
    assert result.task == "majority"
    assert result.objective == reference.solve(Majority().components(X, min_samples_leaf=3), 2)[0].value
    assert "majority is given by its six components" in result.note
    assert set(result.tree.predict(X)) <= {"left", "right"}
    with pytest.raises(NotNative):
        Majority().lower()
    with pytest.raises(ValueError, match="X has 2 rows, but the task was made with 30"):
        streed.solve(Majority(), X[:2], max_depth=1)


def test_native_results_say_so() -> None:
    assert streed.solve(streed.tasks.Accuracy(Y), X, max_depth=1).engine == "native"


def test_tasks_need_features() -> None:
    with pytest.raises(TypeError, match="X is needed"):
        streed.solve(streed.tasks.Accuracy(Y), max_depth=1)
    with pytest.raises(TypeError, match=r"streed\.reference\.Components, got 'accuracy'"):
        streed.solve("accuracy", X, max_depth=1)  # type: ignore[arg-type]


def test_nothing_feasible() -> None:
    with pytest.raises(InfeasibleError, match="errors: no tree within the limits is feasible"):
        streed.solve(replace(BASE, feasible=lambda v, rows: False), max_depth=2)


# Time limit, progress, Ctrl-C


def test_time_limit_returns_the_best_tree_so_far() -> None:
    result = streed.solve(BASE, X, max_depth=4, time_limit=1e-9)
    assert result.status == "time_limit"
    assert not result.optimal
    assert result.objective == min(errors(range(30), 0), errors(range(30), 1))
    assert result.lower_bound == -math.inf
    assert result.gap == math.inf
    bounded = streed.solve(replace(BASE, lower_bound=lambda rows: 0), X, max_depth=4, time_limit=1e-9)
    assert (bounded.lower_bound, bounded.gap, bounded.status) == (0, 1, "time_limit")
    larger = replace(BASE, better=lambda v, w: v > w)
    assert streed.solve(larger, max_depth=4, time_limit=1e-9).lower_bound == math.inf
    words = streed.solve(TASKS["words"], max_depth=4, time_limit=1e-9)
    assert words.lower_bound is None
    assert "time_limit" in words.summary()


def test_time_limit_without_any_tree() -> None:
    never = replace(BASE, feasible=lambda v, rows: len(rows) < 30)
    with pytest.raises(
        StreedError, match=r"no feasible tree was found before the search ended \(time_limit\)"
    ):
        streed.solve(never, max_depth=4, time_limit=1e-9)


def after(calls: int, act: Callable[[], object]) -> Components[Any, Any]:
    """The task, with something that happens at one of its calls."""
    count = [0]

    def transition(*arguments: Any) -> Any:
        count[0] += 1
        if count[0] == calls:
            act()
        return split(*arguments)

    return replace(BASE, transition=transition)


@pytest.mark.parametrize("calls", [1, 20, 100])
def test_interrupt_inside_a_callable(calls: int) -> None:
    task = after(calls, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.warns(InterruptedWarning, match="best one so far"):
        result = streed.solve(task, X, max_depth=4)
    assert result.status == "interrupted"
    assert not result.optimal
    assert reference.cost(BASE, nested(result.tree)) == result.objective


def test_interrupt_before_there_is_a_tree() -> None:
    def leaf(rows: Any, label: int) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        streed.solve(replace(BASE, cost_leaf=leaf), max_depth=1)


def slow(task: Components[Any, Any]) -> Components[Any, Any]:
    """The task on more features, so that a search takes longer than progress waits for."""
    return replace(task, features=[f % 4 + 4 * i for i in range(30) for f in range(4)],
                   transition=lambda rows, f, side: (*split(rows, f % 4, side),))  # fmt: skip


def test_progress_sees_the_search_and_may_stop_it() -> None:
    seen: list[streed.Progress] = []

    def watch(progress: streed.Progress) -> bool:
        seen.append(progress)
        return True

    result = streed.solve(replace(slow(BASE), key=id), max_depth=6, progress=watch)
    assert result.status == "interrupted"
    assert len(seen) == 1
    assert seen[0].objective >= result.objective


def test_errors_of_progress_are_raised() -> None:
    def watch(progress: streed.Progress) -> bool:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        streed.solve(replace(slow(BASE), key=id), max_depth=6, progress=watch)


def test_live_line(capsys: pytest.CaptureFixture[str]) -> None:
    streed.solve(BASE, max_depth=1, progress=True)
    assert "root 100 %" in capsys.readouterr().err


# Tasks that lie


def alternating() -> Callable[..., int]:
    state = [0]

    def leaf(rows: Any, label: int) -> int:
        state[0] += 1
        return errors(rows, label) + state[0] % 2

    return leaf


def sulky(rows: Any, label: int) -> int:
    raise ZeroDivisionError("no rows for me")


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "exception": ({"cost_leaf": sulky}, "cost_leaf raised ZeroDivisionError: no rows for me"),
    "exception below": (
        {"transition": lambda rows, f, side: rows.split(f)},
        "transition raised AttributeErr",
    ),
    "NaN": ({"cost_leaf": lambda rows, label: math.nan}, "cost_leaf returned NaN"),
    "NaN in a tuple": ({"cost_leaf": lambda rows, label: (0, np.float64("nan"))}, "cost_leaf returned NaN"),
    "NaN from combine": ({"combine": lambda v, w: math.nan}, "combine returned NaN"),
    "None": ({"cost_leaf": lambda rows, label: None}, "cost_leaf returned None"),
    "branching None": ({"cost_branch": lambda rows, f: None}, "cost_branch returned None"),
    "array": ({"cost_leaf": lambda rows, label: np.zeros(2)}, "cost_leaf returned a NumPy array"),
    "not Boolean": ({"feasible": lambda v, rows: None}, "feasible must return True or False, got None"),
    "better not Boolean": ({"better": lambda v, w: v - w}, "better must return True or False"),
    "better both ways": ({"better": lambda v, w: v != w}, "and the other way round"),
    "changes its answer": ({"cost_leaf": alternating()}, "cost_leaf changes its answer"),
    "key": ({"key": lambda rows: list(rows)}, "key must return something hashable"),
    "key raises": ({"key": lambda rows: rows.x}, "key raised AttributeError"),
    "bound": ({"lower_bound": lambda rows: None}, "lower_bound returned None"),
    "no order": ({"combine": lambda v, w: v - w}, "combine does not preserve the order"),
    "incomparable": ({"cost_leaf": lambda rows, label: label or "zero"}, "better raised TypeError"),
    "no labels": ({"labels": []}, "labels is empty"),
    "tuple as label": ({"labels": [(0, 1)]}, "a label must not be a tuple"),
    "labels no sequence": ({"labels": 3}, "labels must be a sequence"),
    "not callable": ({"combine": 3}, "combine must be callable"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_tasks_that_lie(name: str) -> None:
    changes, message = FAULTS[name]
    with pytest.raises(TaskError, match=message) as error:
        streed.solve(replace(BASE, **changes), max_depth=2)
    assert str(error.value).startswith("errors: ")
    if "raised" in message:
        assert error.value.__cause__ is not None


def test_answers_that_change_late_are_caught_by_counting_anew() -> None:
    late = [False]

    def leaf(rows: Any, label: int) -> int:
        late[0] |= len(rows) < 2
        return errors(rows, label) + (len(rows) == 30 and late[0])

    def branch(rows: Any, feature: int) -> int:
        return int(len(rows) == 30 and late[0]) * 5

    with pytest.raises(TaskError, match="changes its answer"):
        streed.solve(replace(BASE, cost_leaf=leaf, cost_branch=branch), max_depth=4)


def test_components_of_a_task_must_be_components() -> None:
    class Wrong(Majority):
        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
            return "components"

    with pytest.raises(TaskError, match=r"Wrong\.components\(\) must return a Components"):
        streed.solve(Wrong(), X, max_depth=1)
