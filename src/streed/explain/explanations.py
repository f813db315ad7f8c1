"""Explanations of rows: as text, as a frame, as reason codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from streed.explain.changes import Change, Values, best_changes, change_to
from streed.model.model import Model, listed, read_column
from streed.reasons.fewest import Leaves, Step, same_prediction
from streed.tree.line import is_linear
from streed.views.words.rules import phrases
from streed.views.words.wording import answer, label_text, one_line


@dataclass(frozen=True)
class Explanation:
    """Why one row gets its prediction.

    Attributes
    ----------
    prediction : object
        The prediction.
    leaf : int
        The leaf, as a node of the tree.
    path : tuple of str
        What the tests on the path say, those of a column put together.
    reasons : tuple of str
        What the fewest tests say that decide the prediction.
    n_path, n_tests : int
        The number of tests on the path, and of those that decide.
    codes : tuple of str
        The codes of the tests that decide; see `Explanations.codes`.
    changes : tuple of Change
        For each other prediction the nearest row that gets it, by the number of columns and the distance.
    """

    prediction: Any
    leaf: int
    path: tuple[str, ...]
    reasons: tuple[str, ...]
    n_path: int
    n_tests: int
    codes: tuple[str, ...]
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        label = one_line(label_text(self.prediction))
        lines = [f"{label}, because {' and '.join(self.reasons)}" if self.reasons else f"{label}, always"]
        lines += [f"  {one_line(label_text(each.prediction))}, if {each}" for each in self.changes]
        return "\n".join(lines)


class Explanations(Sequence[Explanation]):
    """The explanations of some rows, in their order.

    Attributes
    ----------
    codes : dict
        What each reason code stands for: one test of the tree with its answer. Codes are numbered from the
        root on and are the same for all rows.
    """

    def __init__(self, rows: Sequence[Explanation], codes: dict[str, str]) -> None:
        self._rows, self.codes = tuple(rows), codes

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: Any) -> Any:
        return Explanations(self._rows[row], self.codes) if isinstance(row, slice) else self._rows[row]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._rows)

    def __repr__(self) -> str:
        shown = "\n".join(f"{row}: {each}" for row, each in enumerate(self._rows[:10]))
        more = len(self) - 10
        return f"{shown}\n... and {more} more" if more > 0 else shown

    def to_text(self) -> str:
        """Write the explanations, one paragraph for each row."""
        return "\n".join(map(str, self._rows))

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row: what `to_frame` has as columns."""
        return [
            {
                "prediction": each.prediction,
                "because": " and ".join(each.reasons),
                "n_tests": each.n_tests,
                "n_path": each.n_path,
                "codes": " ".join(each.codes),
                "other": each.changes[0].prediction if each.changes else None,
                "if": str(each.changes[0]) if each.changes else None,
            }
            for each in self._rows
        ]

    def to_frame(self) -> Any:
        """Return the explanations as a pandas frame, with the nearest other prediction of each row."""
        import pandas as pd

        columns = ["prediction", "because", "n_tests", "n_path", "codes", "other", "if"]
        return pd.DataFrame(self.records(), columns=columns)


def explain(model: Model, rows: Any, *, fixed: Sequence[str] = (), tolerance: float = 0.0) -> Explanations:
    """Explain rows; see `Explains.explain`."""
    return Explainer(model, fixed=fixed, tolerance=tolerance).explain(rows)


class Explainer:
    """What the explanations of all rows share: the leaves with their reasons, and the codes.

    Parameters
    ----------
    model : Model
        The model.
    fixed : sequence of str
        Columns that cannot change.
    tolerance : float
        Predictions that differ by no more count as the same.
    """

    def __init__(self, model: Model, *, fixed: Sequence[str] = (), tolerance: float = 0.0) -> None:
        _check(model, fixed, tolerance)
        self.model, self._fixed = model, frozenset(fixed)
        self.tree = model.readable_tree()
        self._same = same_prediction(model.tree, tolerance)
        self.leaves = Leaves(model.tree, model.conditions, self._same)
        self._code: dict[Step, str] = {}
        self.codes: dict[str, str] = {}
        for feature in model.tree.feature[model.tree.feature >= 0].tolist():
            for step in ((feature, True), (feature, False)):
                if step not in self._code:
                    self._code[step] = f"R{len(self._code) + 1}"
                    self.codes[self._code[step]] = answer(self.tree, *step)
        self._of_leaf: dict[int, dict[str, Any]] = {}

    def say(self, steps: Sequence[Step]) -> tuple[str, ...]:
        """Write tests in words, those of a column put together."""
        return tuple(phrases(self.tree, list(steps)))

    def of_leaf(self, node: int) -> dict[str, Any]:
        """Return what the explanations of all rows of a leaf have in common."""
        if node not in self._of_leaf:
            steps, reasons = self.leaves.by_node[node].steps, self.leaves.reasons(node)
            self._of_leaf[node] = {
                "prediction": _plain(self.tree.classes[self.tree.label[node]]),
                "leaf": node,
                "path": self.say(steps),
                "reasons": self.say(reasons),
                "n_path": len(steps),
                "n_tests": len(reasons),
                "codes": tuple(self._code[step] for step in reasons),
            }
        return self._of_leaf[node]

    def explain(self, rows: Any) -> Explanations:
        """Explain the rows of a table."""
        tree, held = self.model.evaluate(rows)
        table = rows if hasattr(rows, "shape") else np.array(rows, dtype=object)
        columns = {name: read_column(table, self.model.columns, name) for name in self.leaves.cells}
        values = {name: Values(column, self.leaves.cells[name]) for name, column in columns.items()}
        features = np.unique(self.model.tree.feature[self.model.tree.feature >= 0]).tolist()
        found = []
        for row, node in enumerate(tree.apply(held).tolist()):
            answers = dict(zip(features, held[row].tolist(), strict=True))
            changes = self._changes(node, values, row, answers)
            found.append(Explanation(**self.of_leaf(node), changes=changes))
        return Explanations(found, self.codes)

    def _changes(
        self, node: int, values: dict[str, Values], row: int, answers: dict[int, bool]
    ) -> tuple[Change, ...]:
        found = []
        for leaf in self.leaves.others(node):
            change = change_to(leaf, self.leaves, values, row, answers, self._say_one)
            if change is not None and not self._fixed & {each.column for each in change[0]}:
                prediction = _plain(self.tree.classes[self.tree.label[leaf.node]])
                found.append(Change(prediction, leaf.node, *change))
        return best_changes(found, self._same)

    def _say_one(self, steps: Sequence[Step]) -> str:
        return " and ".join(self.say(steps)).replace(" (or missing)", "")


def _check(model: Model, fixed: Sequence[str], tolerance: float) -> None:
    if isinstance(fixed, str) or not all(isinstance(name, str) for name in fixed):
        raise TypeError(f"fixed must be a list of names of columns, got {fixed!r}")
    if unknown := set(fixed) - set(model.columns):
        raise ValueError(
            f"fixed names the column {min(unknown)!r}; the model has {listed(list(model.columns))}"
        )
    if not (isinstance(tolerance, int | float) and tolerance >= 0):
        raise ValueError(f"tolerance must be a number >= 0, got {tolerance!r}")
    labels = model.tree.classes.tolist()
    numbers = [value for label in labels for value in (label if isinstance(label, tuple) else (label,))]
    if tolerance and (is_linear(model.tree.classes) or any(isinstance(value, str) for value in numbers)):
        raise ValueError(f"tolerance is for predictions that are numbers, got {labels[:3]!r}")


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
