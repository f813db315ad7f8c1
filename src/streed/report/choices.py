"""The sections of a report on a tree that chooses by rewards or costs of every row, such as a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.report.figures import mean_text, share_text
from streed.report.sections import Rows, Section, Table
from streed.table.columns import is_frame
from streed.tasks.parts.row_costs import check_costs
from streed.views.outputs import leaf_outputs
from streed.views.words.wording import label_text

if TYPE_CHECKING:
    from streed.model.model import Model

CHOICES = ("reward", "cost")
"""What the values of such trees are called."""


def chooses(model: Model) -> bool:
    """Whether every row has a reward or a cost of its own under each label."""
    return model.tree.class_weights is None and model.tree.value_name in CHOICES


def choice_rows(model: Model, X: Any, y: Any, leaf: NDArray[np.int64], what: str) -> Rows:
    """Take the rewards or costs of rows, one column for each label; None: they are not known."""
    labels = model.tree.classes.tolist()
    if y is not None:
        word = f"{model.tree.value_name}s"
        if is_frame(y):
            names = list(y.columns)
            if set(names) != set(labels) or len(names) != len(labels):
                raise ValueError(f"{what} must have the columns {labels!r}, got {names!r}")
            y = y[labels]
        elif np.ndim(y) != 2:
            raise ValueError(
                f"{what} must be the {word} of each row, one column for each of {labels!r}, or None; "
                f"got {np.ndim(y)} dimension{'' if np.ndim(y) == 1 else 's'}"
            )
        y = check_costs(what, y, "label")
        if y.shape != (leaf.size, len(labels)):
            raise ValueError(f"{what} must have the shape {(leaf.size, len(labels))}, got {y.shape}")
    return Rows(X, y, leaf, model.predict(X), False)


def _codes(model: Model, predicted: NDArray[Any]) -> NDArray[np.intp]:
    place = {label: k for k, label in enumerate(model.tree.classes.tolist())}
    return np.array([place[label] for label in predicted.tolist()], np.intp)


def _shares(predicted: NDArray[Any], labels: list[Any]) -> list[str]:
    return [share_text((predicted == label).sum(), predicted.size) for label in labels]


def choice_worth(model: Model, predicted: NDArray[Any], rows: Rows) -> float:
    """Return the mean reward or cost of predictions; without these, the share that is what it was."""
    if rows.y is None:
        return float((predicted == rows.predicted).mean())
    return float(rows.y[np.arange(rows.leaf.size), _codes(model, predicted)].mean())


def choice_figures(model: Model, new: Rows, old: Rows | None) -> Section:
    """Say what the choices are worth, beside giving all rows one label, and how often each one is chosen."""
    word = model.tree.value_name
    sets = [("new rows", new), *([] if old is None else [("training rows", old)])]
    labels = model.tree.classes.tolist()
    shares = [
        [
            name,
            str(each.leaf.size),
            *(share_text((each.predicted == k).sum(), each.leaf.size) for k in labels),
        ]
        for name, each in sets
    ]
    tables = [Table(["rows", "number", *(f"gets {label_text(label)}" for label in labels)], shares)]
    known = [(name, each) for name, each in sets if each.y is not None]
    if not known:
        return Section("Choices", [f"No {word}s of these rows are known."], tables)
    best = "least" if word == "cost" else "greatest"
    head = ["rows", f"mean {word} (95 % interval)", f"one label for all, {best} mean", "tree less that label"]
    tables.append(Table(head, [[name, *_worth(model, each)] for name, each in known]))
    said = f"The {word}s are taken as they are given: how they were estimated is not part of the intervals."
    if word == "cost" and model.tree.prices is not None:
        said += " What tests cost is not in them."
    return Section("Choices and their worth", [said], tables)


def _worth(model: Model, rows: Rows) -> list[str]:
    own = rows.y[np.arange(rows.leaf.size), _codes(model, rows.predicted)]
    means = rows.y.mean(axis=0)
    best = int(np.argmin(means) if model.tree.value_name == "cost" else np.argmax(means))
    constant = rows.y[:, best]
    label = label_text(model.tree.classes.tolist()[best])
    return [mean_text(own), f"{label}: {mean_text(constant)}", mean_text(own - constant)]


def choice_leaves(model: Model, new: Rows) -> Section:
    """Give, for each leaf, what its new rows get and what each label is worth there."""
    paths = leaf_outputs(model.readable_tree(), "path")
    labels, word = model.tree.classes.tolist(), model.tree.value_name
    rows = []
    for node in sorted(set(new.leaf.tolist())):
        own = new.leaf == node
        means = [] if new.y is None else [mean_text(new.y[own, k]) for k in range(len(labels))]
        rows.append([paths[node], str(int(own.sum())), label_text(new.predicted[own].tolist()[0]), *means])
    names = [] if new.y is None else [f"mean {word} of {label_text(label)}" for label in labels]
    return Section("Leaves", [], [Table(["leaf", "new rows", "gets", *names], rows)])


def choice_groups(model: Model, new: Rows, groups: NDArray[Any]) -> Section:
    """Give the share of each label and the worth for each group."""
    labels, word = model.tree.classes.tolist(), model.tree.value_name
    rows = []
    for group in sorted(set(groups.tolist()), key=str):
        own = groups == group
        said, n = new.predicted[own], int(own.sum())
        shares = _shares(said, labels)
        worth = [] if new.y is None else [mean_text(new.y[own, _codes(model, said)])]
        rows.append([str(group), str(n), *shares, *worth])
    means = [] if new.y is None else [f"mean {word}"]
    head = ["group", "rows", *(f"gets {label_text(label)}" for label in labels), *means]
    return Section("Choices by group", [], [Table(head, rows)])
