"""The report of a model as plain data: sections with paragraphs, tables and charts; page and Markdown of it.

The headings are those of model cards (Mitchell et al., 2019): details, intended use, training and evaluation
data, metrics with intervals, analyses by group, caveats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from streed.report.choices import (
    choice_figures,
    choice_groups,
    choice_leaves,
    choice_rows,
    choice_worth,
    chooses,
)
from streed.report.limits import price_of_limits
from streed.report.sections import (
    Measure,
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
from streed.report.survival import (
    concordance,
    curves_of,
    survival_figures,
    survival_groups,
    survival_leaves,
    survival_rows,
)
from streed.table.labels import refuse_missing

if TYPE_CHECKING:
    from streed.model.model import Model
    from streed.report.sections import Section


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
        from streed.views.page.notebook import framed

        return framed(self.to_html(), self.to_markdown(), title=self.title, height=700)

    def __str__(self) -> str:
        return self.to_markdown()


def make_report(
    fitted: Any,
    model: Model,
    X: Any,
    y: Any,
    groups: Any,
    train: tuple[Any, ...] | None,
    resamples: int,
    *,
    title: str,
    purpose: str,
) -> Report:
    """Make the report; see `streed.report.methods.Reports.report`."""
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 0:
        raise ValueError(f"resamples must be an integer >= 0, got {resamples!r}")
    new = _rows(model, X, y, "y")
    old = None if train is None else _rows(model, *_parts(train)[:2], "the targets of train")
    known = None
    if groups is not None:
        known = np.asarray(groups)
        if known.shape != new.leaf.shape:
            raise ValueError(
                f"groups must have one entry for each of {new.leaf.size} rows, got {known.shape}"
            )
        refuse_missing(known.astype(object))
    sections = [
        details(model),
        use_and_data(model, new, old, purpose),
        tree_section(model),
        *_judged(model, new, old, known),
        drifted(model, new),
        _sensitivity(model, new),
        *([] if train is None else _fitted_again(fitted, model, train, old, resamples)),
        caveats(model, new),
    ]
    heading = title or (f"Report on the prediction of {model.target}" if model.target else "Report on a tree")
    return Report(heading, sections)


def _judged(model: Model, new: Rows, old: Rows | None, groups: Any) -> Iterator[Section]:
    """Compare predictions with what came of the rows, by the kind of the tree."""
    if curves_of(model) is not None:
        yield survival_figures(model, new, old)
        yield survival_leaves(model, new)
        of_groups: Callable[..., Section] = survival_groups
    elif chooses(model):
        yield choice_figures(model, new, old)
        yield choice_leaves(model, new)
        of_groups = choice_groups
    else:
        yield figures(model, new, old)
        yield from calibration(model, new)
        of_groups = by_group
    if groups is not None:
        yield of_groups(model, new, groups)


def _sensitivity(model: Model, new: Rows) -> Section:
    if curves_of(model) is not None:
        return sensitivity(model, new, Measure("concordance index", "{:+.4f}", concordance))
    if chooses(model):
        known = new.y is not None
        what = f"mean {model.tree.value_name}" if known else "share of rows that get what they got"
        return sensitivity(model, new, Measure(what, "{:+.4g}", partial(choice_worth, model)))
    return sensitivity(model, new)


def _fitted_again(
    fitted: Any, model: Model, train: tuple[Any, ...], old: Rows | None, resamples: int
) -> Iterator[Section]:
    """Fit without limits, and to bootstrap samples."""
    X, targets, sensitive = _parts(train)
    target = "y"
    if chooses(model):
        target = f"{model.tree.value_name}s"
        if targets is None:
            return
    elif curves_of(model) is not None and old is not None:
        targets = old.y
    yield from price_of_limits(fitted, model, X, targets, target)
    if resamples:
        yield from stability(fitted, model, (X, targets), resamples, target, sensitive)


def _parts(train: Any) -> tuple[Any, Any, Any]:
    if not isinstance(train, tuple | list) or len(train) not in (2, 3):
        raise ValueError(
            "train must be a pair of the table and the targets of the fit, or with its sensitive_features, "
            "where it was given some"
        )
    return train[0], train[1], train[2] if len(train) == 3 else None


def _rows(model: Model, X: Any, y: Any, what: str) -> Rows:
    leaf = model.apply(X)
    if leaf.size == 0:
        raise ValueError("a report needs at least one row")
    if curves_of(model) is not None:
        return survival_rows(model, X, y, leaf, what)
    if chooses(model):
        return choice_rows(model, X, y, leaf, what)
    targets = np.asarray(y)
    if targets.shape != (leaf.size,):
        raise ValueError(
            f"{what} must have one entry for each of {leaf.size} rows, got shape {targets.shape}"
        )
    if targets.dtype.kind == "O":
        refuse_missing(targets)
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        raise ValueError(f"{what} must not have missing or infinite values")
    classes = model.tree.class_weights is not None
    if not classes and targets.dtype.kind not in "iufb":
        raise ValueError("a report needs labels for a tree of labels, and numbers for a tree of numbers")
    return Rows(X, targets, leaf, model.predict(X), classes)
