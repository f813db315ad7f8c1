"""``streed fit``: from a file to an optimal tree."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import dataclass
from typing import Any

import streed
from streed.cli.parser import add_solver_options
from streed.cli.tasks import objectives
from streed.cli.training import (
    Training,
    add_data_options,
    add_quiet,
    make_binarizer,
    note,
    read_training,
    shows_progress,
    warnings_as_notes,
)
from streed.cli.views import add_files, check_files, write_files
from streed.model import Model

ABOUT = """\
Find an optimal tree for the rows of a file.

Columns may hold numbers, text, true/false or nothing: numbers are cut at thresholds, every category is a
condition, a missing value is one too. The tree is printed with what was proven about it."""

EXAMPLES = """\
examples:
  streed fit iris.csv --target species                    print the best tree of depth 3
  streed fit iris.csv --target species --depth 2 --out model.json
                                                          ... and store it for `streed predict`
  streed fit loans.csv --target default --objective balanced_accuracy
  streed fit loans.csv --target default --depth 5 --time-limit 60 --jobs -1
                                                          the best tree found within a minute, on all cores
  streed fit loans.csv --target default --drop id --plot tree.png --html tree.html

On a terminal a line shows the time, the best value, the proven bound, the gap between the two, the part
of the root's conditions that are settled, and the memory. Ctrl-C stops the search; the best tree so far is
still given.
"""


@dataclass(frozen=True, slots=True)
class Domain:
    """An estimator, and the roles of columns (see `ROLES`) that call for it."""

    estimator: str
    roles: tuple[str, ...] = ()


DOMAINS = (Domain("OptimalTreeClassifier"),)
"""The first one whose roles are all given is taken, so those with more roles come first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_options(parser)
    what = parser.add_argument_group("objective")
    what.add_argument(
        "--objective", choices=objectives(), default="accuracy", metavar="NAME",
        help=f"what to optimise: {', '.join(objectives())} (default accuracy; see streed tasks)",
    )  # fmt: skip
    what.add_argument(
        "--class-weight", dest="class_weight", type=_class_weight, metavar="WEIGHTS",
        help="balanced, or factors such as yes=5,no=1",
    )  # fmt: skip
    add_solver_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="FILE", help="store the model in this file (JSON)")
    add_files(output)
    add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, print, store."""
    check_files(arguments.out, arguments.plot, arguments.html)
    training = read_training(arguments)
    with warnings_as_notes(arguments):
        estimator = fit(arguments, training)
    model = Model.from_estimator(estimator, target=arguments.target)
    print(estimator.result_.summary(), estimator.tree_.to_text(), sep="\n\n")
    if arguments.out is not None:
        model.save(arguments.out)
    write_files(model.tree, plot=arguments.plot, html=arguments.html)
    if estimator.result_.status == "interrupted":
        note(arguments, "interrupted: this is the best tree so far")
        return 130
    return 0


def fit(arguments: argparse.Namespace, training: Training) -> Any:
    """Fit the estimator that the given columns call for, with those parameters that it has."""
    name = next(d.estimator for d in DOMAINS if set(d.roles) <= set(training.roles))
    estimator = getattr(streed, name)
    given = {
        **vars(arguments),
        "binarizer": make_binarizer(arguments),
        "class_weight": _for_labels(arguments.class_weight, training),
        "progress": shows_progress(arguments),
    }
    parameters = [name for name in inspect.signature(estimator).parameters if name in given]
    chosen = estimator(**{name: given[name] for name in parameters})
    return chosen.fit(training.X, training.y, **training.roles)


def _class_weight(text: str) -> str | dict[str, float]:
    if text == "balanced":
        return text
    try:
        pairs = [pair.rpartition("=") for pair in text.split(",")]
        return {label.strip(): float(weight) for label, _, weight in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"balanced or LABEL=NUMBER with commas between is expected, got {text!r}"
        ) from None


def _for_labels(class_weight: Any, training: Training) -> Any:
    """Replace the labels as they were typed by the labels as they are: 1 instead of "1"."""
    if not isinstance(class_weight, dict):
        return class_weight
    real = {str(label): label for label in set(training.y.tolist())}
    return {real.get(typed, typed): weight for typed, weight in class_weight.items()}
