"""``streed predict``: from a stored model and a file to labels."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.cli.parser import names
from streed.cli.tables import of_model, read_table
from streed.cli.training import add_quiet, note
from streed.cli.views import check_files
from streed.model.model import Model, listed

ABOUT = """\
Predict the labels of the rows of a file with a stored model.

Columns are found by their names, in any order; only those that the tree tests are needed."""

EXAMPLES = """\
examples:
  streed predict model.json new.csv                       labels, one per row, as CSV on stdout
  streed predict model.json new.csv --proba --keep id --out predictions.csv
                                                          with probabilities, beside the column id
  cat new.csv | streed predict model.json -               rows from stdin

If the file has the column that the model was trained on, the share of right labels is written to stderr.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("model", help="model file that streed fit stored")
    parser.add_argument("data", help="CSV or Parquet file with a row of column names; - reads CSV from stdin")
    parser.add_argument("--proba", action="store_true", help="add the probability of each label")
    parser.add_argument(
        "--keep",
        type=names,
        default=[],
        metavar="COLUMNS",
        help="columns to copy from the file, such as a key",
    )
    parser.add_argument("--separator", metavar="TEXT", help="what separates the fields of a CSV file")
    parser.add_argument("--out", metavar="FILE", help="write to this file instead of stdout")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, predict, write."""
    check_files(arguments.out)
    model = Model.load(arguments.model)
    frame = read_table(arguments.data, text=model.text_columns, separator=arguments.separator)
    columns = list(frame.columns)
    for name in arguments.keep:
        if name not in columns:
            raise ValueError(f"there is no column {name!r} in {arguments.data}; it has {listed(columns)}")
    known = of_model(model, frame)
    predicted = model.predict(known)
    table: dict[str, list[Any]] = {name: _texts(frame[name]) for name in arguments.keep}
    table["prediction"] = predicted.tolist()
    if arguments.proba and model.tree.class_weights is None:
        raise ValueError("--proba needs a model of labels, but this one predicts numbers")
    if arguments.proba:
        shares = model.predict_proba(known).T.tolist()
        labels = model.tree.classes.tolist()
        table |= {f"probability of {label}": share for label, share in zip(labels, shares, strict=True)}
    write_csv(table, arguments.out)
    if model.target in columns and model.objective != "survival":  # risks are not compared with times
        note(arguments, _score(_texts(frame[model.target]), predicted, str(model.target)))
    return 0


def _texts(series: Any) -> list[Any]:
    return ["" if value is None or value != value else value for value in series.to_list()]


def write_csv(table: dict[str, list[Any]], path: str | None) -> None:
    """Write columns to a file or to stdout."""
    rows = [list(table), *zip(*table.values(), strict=True)]
    if path is None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _score(true: list[Any], predicted: NDArray[Any], target: str) -> str:
    """Compare labels as they are written, since types may differ between files; numbers by their errors."""
    known = [row for row, label in enumerate(true) if label != ""]
    if predicted.dtype.kind == "f":
        errors = np.array([float(true[row]) for row in known]) - predicted[known]
        mean = f", mean absolute error {np.abs(errors).mean():.4g}" if known else ""
        return f"{len(known)} values in {target!r} compared{mean}"
    right = int(np.count_nonzero([str(true[row]) == str(predicted[row]) for row in known]))
    share = f" ({right / len(known):.1%})" if known else ""
    return f"{right} of {len(known)} labels in {target!r} predicted right{share}"
