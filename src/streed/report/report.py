"""The report of a model as plain data: sections with paragraphs, tables and charts; page and Markdown of it.

The headings are those of model cards (Mitchell et al., 2019): details, intended use, training and evaluation
data, metrics with intervals, analyses by group, caveats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from streed.report.sections import (
    Rows,
    by_group,
    calibration,
    caveats,
    details,
    drifted,
    figures,
    sensitivity,
    stability,
    tree_section,
    use_and_data,
)
from streed.table.labels import refuse_missing

if TYPE_CHECKING:
    from streed.model.model import Model
    from streed.report.sections import Section


OTHER = ("survival", "policy_reward", "limited_policy_reward")
"""Objectives whose predictions are compared with no target."""


@dataclass(frozen=True)
class Report:
    """A report on a model.

    Attributes
    ----------
    title : str
        Heading.
    sections : list of Section
        What is said, in order.
    """

    title: str
    sections: list[Section] = field(default_factory=list)

    def to_html(self) -> str:
        """Return the report as one page that needs no network.

        Returns
        -------
        str
            An HTML document without scripts.
        """
        from streed.report.page import report_to_html

        return report_to_html(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown, without its charts.

        Returns
        -------
        str
            The text.
        """
        from streed.report.page import report_to_markdown

        return report_to_markdown(self)

    def save(self, path: str | Path) -> None:
        """Write the report to a file.

        Parameters
        ----------
        path : str or Path
            A file that ends in .md gets Markdown, any other one the page.
        """
        text = self.to_markdown() if str(path).endswith(".md") else self.to_html()
        Path(path).write_text(text, encoding="utf-8")

    def _repr_html_(self) -> str:
        from streed.views.notebook import framed

        return framed(self.to_html(), self.to_markdown(), title=self.title, height=700)

    def __str__(self) -> str:
        return self.to_markdown()


def make_report(
    fitted: Any,
    model: Model,
    X: Any,
    y: Any,
    groups: Any,
    train: tuple[Any, Any] | None,
    resamples: int,
    *,
    title: str,
    purpose: str,
) -> Report:
    """Make the report; see `streed.report.methods.Reports.report`."""
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 0:
        raise ValueError(f"resamples must be an integer >= 0, got {resamples!r}")
    new = _rows(model, X, y, "y")
    old = None if train is None else _rows(model, *_pair(train), "the targets of train")
    known = None
    if groups is not None:
        known = np.asarray(groups)
        if known.shape != new.y.shape:
            raise ValueError(f"groups must have one entry for each of {new.y.size} rows, got {known.shape}")
        refuse_missing(known.astype(object))
    sections = [
        details(model),
        use_and_data(model, new, old, purpose),
        tree_section(model),
        figures(model, new, old),
        *calibration(model, new),
        *([] if known is None else [by_group(model, new, known)]),
        drifted(model, new),
        sensitivity(model, new),
        *([] if train is None or not resamples else stability(fitted, model, train, resamples)),
        caveats(model, new),
    ]
    heading = title or (f"Report on the prediction of {model.target}" if model.target else "Report on a tree")
    return Report(heading, sections)


def _pair(train: Any) -> tuple[Any, Any]:
    if not isinstance(train, tuple | list) or len(train) != 2:
        raise ValueError("train must be a pair of the table and the targets of the fit")
    return train[0], train[1]


def _rows(model: Model, X: Any, y: Any, what: str) -> Rows:
    leaf = model.apply(X)
    targets = np.asarray(y)
    if targets.shape != (leaf.size,):
        raise ValueError(
            f"{what} must have one entry for each of {leaf.size} rows, got shape {targets.shape}"
        )
    if leaf.size == 0:
        raise ValueError("a report needs at least one row")
    if targets.dtype.kind == "O":
        refuse_missing(targets)
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        raise ValueError(f"{what} must not have missing or infinite values")
    if model.objective in OTHER:
        raise ValueError(
            f"a report compares labels or numbers with predictions, not those of {model.objective!r}"
        )
    classes = model.tree.class_weights is not None
    if not classes and targets.dtype.kind not in "iufb":
        raise ValueError("a report needs labels for a tree of labels, and numbers for a tree of numbers")
    return Rows(X, targets, leaf, model.predict(X), classes)
