"""``streed report``: a stored model and rows that it has not seen, as a page for those who decide."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from streed.cli.tables import of_model, read_table
from streed.cli.views import check_files
from streed.model.model import Model, listed
from streed.report.choices import chooses
from streed.report.survival import curves_of

ABOUT = """\
Report on a stored model with rows that it has not seen.

The report says what the model is and what is proven, and gives errors with intervals, calibration, rates by
group, drift, and the sensitivity to each column."""

EXAMPLES = """\
examples:
  streed report model.json new.csv --out report.html      one page that needs no network
  streed report model.json new.csv --group sex            rates by group; Markdown on stdout
  streed report model.json new.csv --event died           of a survival tree
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("model", help="model file that streed fit stored")
    parser.add_argument("data", help="CSV or Parquet file with the column of labels; - reads CSV from stdin")
    parser.add_argument(
        "--target", metavar="COLUMN", help="column with the labels (default: as in the model)"
    )
    parser.add_argument(
        "--event",
        metavar="COLUMN",
        help="column that says whether the event was observed, of survival trees; --target has the times",
    )
    parser.add_argument("--group", metavar="COLUMN", help="column with groups, for rates by group")
    parser.add_argument("--purpose", metavar="TEXT", default="", help="what the model is for, for the report")
    parser.add_argument("--title", metavar="TEXT", default="", help="heading of the report")
    parser.add_argument("--separator", metavar="TEXT", help="what separates the fields of a CSV file")
    parser.add_argument(
        "--out", metavar="FILE", help="write to this file: Markdown if it ends in .md, else a page"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, count, write."""
    check_files(arguments.out)
    model = Model.load(arguments.model)
    frame = read_table(arguments.data, text=model.text_columns, separator=arguments.separator)
    groups = None if arguments.group is None else _column(frame, arguments.group, arguments.data)
    targets = _targets(model, frame, arguments)
    report = model.report(
        of_model(model, frame), targets, groups=groups, title=arguments.title, purpose=arguments.purpose
    )
    if arguments.out is None:
        sys.stdout.write(report.to_markdown())
    else:
        report.save(Path(arguments.out))
    return 0


def _column(frame: Any, name: str, data: str) -> list[Any]:
    if name not in list(frame.columns):
        raise ValueError(f"there is no column {name!r} in {data}; it has {listed(list(frame.columns))}")
    values: list[Any] = frame[name].to_list()
    return values


def _targets(model: Model, frame: Any, arguments: argparse.Namespace) -> Any:
    """Return what came of the rows, in the form that reports on such a model take."""
    target = arguments.target or model.target
    is_survival = curves_of(model) is not None
    if is_survival != (arguments.event is not None):
        needs = "needs" if is_survival else "is no survival tree and takes no"
        raise ValueError(f"the model {needs} --event, the column that says whether the event was observed")
    if target is None and chooses(model):
        return None  # shares of what is chosen; rewards are given from Python
    if target is None:
        raise ValueError("the model does not say which column it predicts: give --target")
    found = _column(frame, target, arguments.data)
    if is_survival:
        return np.array(_column(frame, arguments.event, arguments.data)), np.array(found)
    if model.tree.class_weights is not None:  # types may differ between files
        known = {str(label): label for label in model.tree.classes.tolist()}
        found = [known.get(str(label), label) for label in found]
    return found
