"""What `fit` and `front` share: from a file and the names of columns to a table, labels and a binarizer."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.cli.parser import Container, names
from streed.cli.tables import read_table
from streed.errors import InterruptedWarning, NotProvenWarning
from streed.fairness.parity import CONSTRAINTS
from streed.model.model import listed
from streed.table.missing import is_missing


@dataclass(frozen=True, slots=True)
class Role:
    """A column that is no feature: the option that names it, and the argument of ``fit`` that it becomes."""

    flag: str
    keyword: str
    help: str


ROLES = (
    Role("--weights", "sample_weight", "column with the weight of each row, not negative"),
    Role(
        "--sensitive",
        "sensitive_features",
        "column with the group of each row, which is not tested: asks for a fair tree",
    ),
    Role(
        "--event",
        "event",
        "column that says whether the event of each row was observed; the target is its time: asks for a "
        "survival tree",
    ),
)


@dataclass(frozen=True)
class Training:
    """A table with its labels, and the columns that have other roles, by the argument of ``fit``."""

    X: Any
    y: NDArray[Any]
    roles: dict[str, NDArray[Any]]


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is in the file."""
    group = parser.add_argument_group("data")
    group.add_argument("data", help="CSV or Parquet file with a row of column names; - reads CSV from stdin")
    group.add_argument("--target", required=True, metavar="COLUMN", help="column with the labels")
    for role in ROLES:
        group.add_argument(role.flag, dest=role.keyword, metavar="COLUMN", help=role.help)
    group.add_argument(
        "--drop", type=names, default=[], metavar="COLUMNS",
        help="columns to leave out, such as row numbers, with commas between them",
    )  # fmt: skip
    group.add_argument(
        "--text", type=names, default=[], metavar="COLUMNS",
        help="columns of numbers that stand for categories, such as postcodes",
    )  # fmt: skip
    group.add_argument(
        "--identifiers", choices=["drop", "keep"],
        help="whether columns that name rows, such as numbers of customers, are left out (default drop)",
    )  # fmt: skip
    group.add_argument(
        "--dates", type=names, metavar="PARTS",
        help="what of dates is tested, with commas between them: date (the default), month, weekday, hour",
    )  # fmt: skip
    group.add_argument(
        "--separator", metavar="TEXT", help="what separates the fields of a CSV file (default: detected)"
    )
    group.add_argument(
        "--binarizer", type=_settings, default={}, metavar="NAME=VALUE,...",
        help="parameters of streed.Binarizer, e.g. n_thresholds=8 or missing=indicator; missing=side is the "
        "default: missing values go to the side where they cost least",
    )  # fmt: skip


def add_fairness_options(parser: argparse.ArgumentParser, *, limits: bool) -> None:
    """Add the options that belong to ``--sensitive``; those of limits are for one tree, not for a front."""
    group = parser.add_argument_group("fairness (with --sensitive)")
    group.add_argument(
        "--constraint", choices=CONSTRAINTS, metavar="NAME",
        help=f"the rates that are compared between groups: {', '.join(CONSTRAINTS)} "
        "(default demographic_parity)",
    )  # fmt: skip
    if not limits:
        return
    group.add_argument(
        "--max-difference", type=float, metavar="X",
        help="greatest difference between the rates of groups, from 0 to 1 (default 0.01)",
    )  # fmt: skip
    group.add_argument(
        "--min-ratio", type=float, metavar="X",
        help="least ratio of the rates of groups, from 0 to 1, instead of --max-difference",
    )  # fmt: skip


def check_fairness_options(arguments: argparse.Namespace) -> None:
    """Refuse options of fairness where no groups are given."""
    for name in ("constraint", "max_difference", "min_ratio"):
        if arguments.sensitive_features is None and getattr(arguments, name, None) is not None:
            raise ValueError(f"--{name.replace('_', '-')} needs groups: name their column by --sensitive")


def read_training(arguments: argparse.Namespace) -> Training:
    """Read the file, and take the labels and the columns with other roles out of the table."""
    frame = read_table(arguments.data, text=arguments.text, separator=arguments.separator)
    columns = list(frame.columns)
    roles = {role.keyword: name for role in ROLES if (name := getattr(arguments, role.keyword))}
    taken = [arguments.target, *roles.values()]
    for name in (*taken, *arguments.drop, *arguments.text):
        if name not in columns:
            raise ValueError(f"there is no column {name!r} in {arguments.data}; it has {listed(columns)}")
    features = [name for name in columns if name not in (*taken, *arguments.drop)]
    if len(frame) == 0:
        raise ValueError(f"{arguments.data} has column names but no rows")
    if not features:
        raise ValueError(
            f"{arguments.data} has no column but {listed(taken + arguments.drop)}: nothing to test"
        )
    return Training(
        X=frame[features],
        y=labels(frame[arguments.target], arguments.target),
        roles={keyword: np.asarray(frame[name]) for keyword, name in roles.items()},
    )


def labels(series: Any, name: str) -> NDArray[Any]:
    """Return the labels of a series as an array of strings, numbers or Booleans; none may be missing."""
    values = series.to_list() if hasattr(series, "to_list") else list(series)
    absent = [row for row, value in enumerate(values) if is_missing(value)]
    if absent:
        raise ValueError(
            f"the target {name!r} is missing in {len(absent)} row{'s' if len(absent) > 1 else ''}, the first "
            f"is row {absent[0] + 1}: fill these labels in or remove the rows"
        )
    return np.array(values)


def make_binarizer(arguments: argparse.Namespace) -> Any:
    """Make the binarizer of estimators that are given none, with the parameters from the command line."""
    from streed.estimators.fitting.plan import default_binarizer

    binarizer = default_binarizer()
    known = list(inspect.signature(type(binarizer)).parameters)
    for name in arguments.binarizer:
        if name not in known:
            raise ValueError(f"streed.Binarizer has no parameter {name!r}; it has {listed(known)}")
    return binarizer.set_params(**{**arguments.binarizer, **column_options(arguments)})


def column_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Give the options of columns that estimators and `streed.Binarizer` have alike."""
    return {
        name: value for name in ("identifiers", "dates") if (value := getattr(arguments, name)) is not None
    }


def _settings(text: str) -> dict[str, Any]:
    """Read NAME=VALUE pairs; values are numbers, none, true, false or texts."""
    pairs = [pair.partition("=") for pair in names(text)]
    if not all(name and equals and value for name, equals, value in pairs):
        raise argparse.ArgumentTypeError(f"NAME=VALUE with commas between is expected, got {text!r}")
    return {name.strip(): _value(value.strip()) for name, _, value in pairs}


def _value(text: str) -> Any:
    words: dict[str, Any] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def add_quiet(parser: Container) -> None:
    """Add the option that silences the live line and the notes."""
    parser.add_argument("--quiet", action="store_true", help="no live line on the terminal, and no notes")


def shows_progress(arguments: argparse.Namespace) -> bool:
    """Whether to show the live line: on a terminal, unless asked to be quiet."""
    return not arguments.quiet and sys.stderr is not None and sys.stderr.isatty()


@contextlib.contextmanager
def warnings_as_notes(arguments: argparse.Namespace) -> Iterator[None]:
    """Turn warnings to users into notes, once each, but those that the printed result says anyway."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    said = (InterruptedWarning, NotProvenWarning)
    found = [w for w in caught if issubclass(w.category, UserWarning) and not issubclass(w.category, said)]
    for message in dict.fromkeys(str(w.message) for w in found):
        note(arguments, " ".join(message.replace("identifiers='keep'", "--identifiers keep").split()))


def note(arguments: argparse.Namespace, message: str) -> None:
    """Write a note to stderr."""
    if not arguments.quiet:
        print(f"streed: {message}", file=sys.stderr)
