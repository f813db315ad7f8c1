"""Forms and strategies: the registry is complete, and a task that no strategy takes is told why."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import streed
from streed import TaskError, _core
from streed.leaves import LEAF_MODELS, LeafModel
from streed.options import MOST_COMPONENTS
from streed.solver import engines
from streed.solver.strategies import STRATEGIES, STRATEGIES_OF_SIZES, strategy
from streed.tasks import REGISTRY, Accuracy, F1Score, GeneralTask, LabelCosts, Task
from streed.tasks.forms import CountsMetric, Form, Objective, OneValue, SixComponents, Sums, Vector

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, dtype=np.uint8)
Y = np.array([0, 1, 1, 0] * 3)


def test_the_engine_takes_as_many_components_as_python_believes() -> None:
    assert _core.most_components() == MOST_COMPONENTS


def test_every_form_has_strategies() -> None:
    assert set(STRATEGIES) == {*get_args(Form), *get_args(Objective)}
    assert set(STRATEGIES_OF_SIZES) <= set(STRATEGIES)
    everyone = [*STRATEGIES.values(), *STRATEGIES_OF_SIZES.values()]
    for name in {name for names in everyone for name in names}:
        assert list(inspect.signature(strategy(name).refusal).parameters) == ["form", "limits"]
        assert list(inspect.signature(strategy(name).solve).parameters) == ["run", "form"]


def test_every_engine_says_what_it_takes() -> None:
    """Only these files call a search of the native engine, and their page lists them."""
    page = str(engines.__doc__)
    for module in pkgutil.iter_modules(engines.__path__):
        engine = importlib.import_module(f"{engines.__name__}.{module.name}")
        assert list(inspect.signature(engine.refusal).parameters) == ["form", "limits"]
        assert callable(engine.search)
        assert f"`{module.name}.py`" in page
    searches = r"_core\.(solve|front|constrained|mixed|sizes)"
    folder = Path(str(engines.__file__)).parent
    for path in Path(streed.__file__).parent.rglob("*.py"):
        assert path.parent == folder or not re.search(searches, path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("task", REGISTRY.values(), ids=REGISTRY)
def test_tasks_say_what_form_they_have(task: type[Task]) -> None:
    returned = inspect.signature(task.lower).return_annotation
    assert task.form.__name__ in (returned, {"Lowered": "OneValue"}.get(returned))


def test_a_task_that_no_strategy_takes_is_told_why() -> None:
    class ThreeClasses(F1Score):
        def lower(self) -> Sums:
            form = super().lower()
            assert isinstance(form.objective, CountsMetric)
            metric = form.objective._replace(metric=streed.metrics.GMean(), positive=-1)
            return form._replace(objective=metric)

    with pytest.raises(
        TaskError,
        match=r"f1: no strategy solves a CountsMetric: g_mean is not a ratio .*; g_mean has 2 classes, "
        r"not two; g_mean is not the mean F1 score",
    ):
        streed.solve(ThreeClasses(Y), X, max_depth=1)


@pytest.mark.parametrize("form", [None, {"leaf": 1}, np.zeros(3)])
def test_what_is_no_form_is_refused(form: Any) -> None:
    class Wrong(Accuracy):
        def lower(self) -> Any:
            return form

    with pytest.raises(TaskError, match=r"Wrong\.lower\(\) must return a Lowered \(or another form"):
        streed.solve(Wrong(Y), X, max_depth=1)


def test_forms_of_tasks() -> None:
    errors = Accuracy(Y)
    assert isinstance(errors.lower(), OneValue)
    assert isinstance(streed.combine(errors, errors.at_most(3)).lower().objective, Vector)
    assert isinstance(errors.at_most(3).lower().objective, Vector)
    assert isinstance(F1Score(Y).lower().objective, CountsMetric)

    class Given(GeneralTask):
        name = "given"
        n_rows = 12

        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
            return errors.components(X)

    form: Any = streed.combine(errors, Given()).lower()
    assert isinstance(form.objective.parts[1], SixComponents)
    assert form.objective.parts[1].why == "given is given by its six components"


@pytest.mark.parametrize("model", LEAF_MODELS, ids=lambda model: model.__name__)
def test_leaf_models_answer_everything(model: type) -> None:
    wanted = [name for name in vars(LeafModel) if not name.startswith("_")]
    assert len(wanted) == 12
    for name in wanted:
        assert hasattr(model, name), name
        if callable(getattr(LeafModel, name)):
            assert (
                inspect.signature(getattr(model, name)).parameters.keys()
                == inspect.signature(getattr(LeafModel, name)).parameters.keys()
            )


@pytest.mark.parametrize("task", [Accuracy(Y), LabelCosts(np.arange(24).reshape(12, 2) % 5)])
def test_affine_models_cost_what_their_rows_cost(task: Task) -> None:
    form: Any = task.lower()
    costs = form.leaf.label_costs(2)
    assert form.leaf.affine
    for label in (0, 1):
        tree = {"feature": [-1], "left": [-1], "right": [-1], "label": [label]}
        arrays = [np.array(values, np.int32) for values in tree.values()]
        recount: Any = _core.recount
        counted = recount(X, *arrays, 2, *form.leaf.native_rows(), None, None, False, 1.0, 1.0)
        assert counted[2] == costs[:, label].sum()
    least, most = form.leaf.row_range()
    assert least <= costs.min()
    assert costs.max() <= most


def interrupting(original: Any) -> Any:
    """An engine that Ctrl-C stops at once, with the tree it has."""

    def search(*arguments: Any, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = original(*arguments, **options)
        return answer | {"status": "interrupted", "optimal": False, "complete": False}

    return search


class Interrupted(GeneralTask):
    """Ctrl-C comes while the components are asked."""

    name = "interrupted"
    n_rows = 12

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
        whole = Accuracy(Y).components(X)
        calls: list[int] = []

        def cost_branch(rows: Any, feature: int) -> float:
            calls.append(feature)
            if len(calls) > 2:
                raise KeyboardInterrupt
            return 0.0

        return streed.reference.Components(**{**vars(whole), "cost_branch": cost_branch})


WATCHED: dict[str, Any] = {
    "one search": lambda: streed.solve(Accuracy(Y), X, max_depth=1),
    "an estimator": lambda: streed.OptimalTreeClassifier().fit(X.astype(bool), Y),
    "a metric": lambda: streed.solve(F1Score(Y), X, max_depth=1),
    "groups": lambda: streed.solve(
        streed.tasks.DemographicParity(Y, Y % 2, max_difference=1), X, max_depth=1
    ),
    "limits": lambda: streed.solve(streed.combine(Accuracy(Y), Accuracy(Y).at_most(9)), X, max_depth=1),
    "a front": lambda: streed.solve(streed.combine(Accuracy(Y), Accuracy(Y)), X, max_depth=1),
    "components": lambda: streed.solve(Interrupted(), X, max_depth=2),
    "a product": lambda: streed.solve(streed.combine(Accuracy(Y), Interrupted()), X, max_depth=2),
}


@pytest.mark.parametrize("name", WATCHED)
def test_the_warning_after_ctrl_c_names_the_line_of_the_caller(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for engine in ("solve", "constrained", "front"):
        monkeypatch.setattr(_core, engine, interrupting(getattr(_core, engine)))
    with pytest.warns(streed.InterruptedWarning, match="the tree is the best one so far") as caught:
        WATCHED[name]()
    assert [warning.filename for warning in caught] == [__file__]
