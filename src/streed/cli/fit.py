"""``streed fit``: from a file to an optimal tree."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streed
from streed.cli.parser import add_solver_options, names
from streed.cli.tasks import objectives
from streed.cli.training import (
    Training,
    add_data_options,
    add_fairness_options,
    add_quiet,
    check_fairness_options,
    make_binarizer,
    note,
    read_training,
    shows_progress,
    warnings_as_notes,
)
from streed.cli.views import add_files, check_files, write_files
from streed.fairness.parity import as_parity
from streed.model.model import Model
from streed.options import CUTS
from streed.survival.targets import survival_target
from streed.tasks import REGISTRY

ABOUT = """\
Find an optimal tree for the rows of a file.

Columns may hold numbers, text, true/false or nothing: numbers are cut at thresholds, every category is a
condition, and missing values go to the side where they cost least. The tree is printed with what was proven
about it."""

EXAMPLES = """\
examples:
  streed fit iris.csv --target species                    print the best tree of depth 3
  streed fit iris.csv --target species --depth 2 --out model.json
                                                          ... and store it for `streed predict`
  streed fit loans.csv --target default --objective f1
  streed fit loans.csv --target default --sensitive sex --constraint equal_opportunity --max-difference 0.05
                                                          the fewest errors among trees that are fair
  streed fit houses.csv --target price --objective squared_error --depth 4
                                                          numbers instead of labels
  streed fit patients.csv --target days --event died      times to an event, some of them censored
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


DOMAINS = (
    Domain("FairTreeClassifier", ("sensitive_features",)),
    Domain("SurvivalTree", ("event",)),
    Domain("OptimalTreeClassifier"),
)
"""The first one whose roles are all given is taken, so those with more roles come first."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_options(parser)
    parser.add_argument(
        "--cuts", choices=CUTS,
        help="where numbers and dates are cut: exact (every threshold), auto (exact where it is cheap, else "
        "quantiles and the cuts of a greedy tree), binned (by --binarizer, which implies it); "
        f"default {CUTS[0]}",
    )  # fmt: skip
    what = parser.add_argument_group("objective")
    what.add_argument(
        "--objective", choices=objectives(), metavar="NAME",
        help=f"what to optimise: {', '.join(objectives())} (default accuracy; see streed tasks)",
    )  # fmt: skip
    what.add_argument(
        "--class-weight", dest="class_weight", type=_class_weight, metavar="WEIGHTS",
        help="balanced, or factors such as yes=5,no=1",
    )  # fmt: skip
    add_regression_options(parser)
    add_fairness_options(parser, limits=True)
    add_solver_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="FILE", help="store the model in this file (JSON)")
    add_files(output)
    add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, print, store."""
    check_files(arguments.out, arguments.plot, arguments.html)
    check_fairness_options(arguments)
    if arguments.sensitive_features is not None and arguments.objective not in (None, "accuracy"):
        raise ValueError(
            f"a fair tree has the fewest errors: --sensitive and --objective {arguments.objective} "
            "do not go together"
        )
    check_choices(arguments)
    training = read_training(arguments)
    with warnings_as_notes(arguments):
        estimator = fit(arguments, training)
    model = Model.from_estimator(estimator, target=arguments.target)
    print(
        "\n".join([estimator.result_.summary(), *fairness(estimator)]), estimator.tree_.to_text(), sep="\n\n"
    )
    if arguments.out is not None:
        model.save(arguments.out)
    write_files(model, plot=arguments.plot, html=arguments.html)
    if estimator.result_.status == "interrupted":
        note(arguments, "interrupted: this is the best tree so far")
        return 130
    return 0


def fit(arguments: argparse.Namespace, training: Training) -> Any:
    """Fit the estimator that the given columns call for, with those parameters that it has."""
    name = next(d.estimator for d in DOMAINS if set(d.roles) <= set(training.roles))
    if regresses(arguments):
        name = "OptimalTreeRegressor"
    estimator = getattr(streed, name)
    given = {
        **vars(arguments),
        "loss": arguments.objective,
        "binarizer": make_binarizer(arguments) if arguments.binarizer or arguments.cuts == "binned" else None,
        "class_weight": _for_labels(arguments.class_weight, training),
        "progress": shows_progress(arguments),
    }
    parameters = [name for name in inspect.signature(estimator).parameters if given.get(name) is not None]
    chosen = estimator(**{name: given[name] for name in parameters})
    if name == "SurvivalTree":
        times = {key: values for key, values in training.roles.items() if key != "event"}
        return chosen.fit(training.X, survival_target(training.roles["event"], training.y), **times)
    return chosen.fit(training.X, training.y, **training.roles)


def regresses(arguments: argparse.Namespace) -> bool:
    """Whether the target is a number to be predicted: the objective says so, or the kind of leaves."""
    linear = arguments.leaf_model not in (None, "constant")
    objective = arguments.objective
    return linear or (objective is not None and REGISTRY[objective].estimator == "OptimalTreeRegressor")


def check_choices(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, instead of leaving one of them out."""
    if arguments.cuts not in (None, "binned") and arguments.binarizer:
        raise ValueError(f"--cuts {arguments.cuts} chooses cuts itself: leave --binarizer out")
    if arguments.event is not None and arguments.objective is not None:
        raise ValueError(
            "--event asks for a survival tree, which has an objective of its own: leave --objective out"
        )
    if arguments.event is not None and arguments.sensitive_features is not None:
        raise ValueError("--event and --sensitive do not go together")
    for name in ("quantile", "leaf_model", "leaf_columns", "ridge"):
        if getattr(arguments, name) is not None and not regresses(arguments):
            raise ValueError(
                f"--{name.replace('_', '-')} needs a number to predict: add --objective squared_error"
            )
    if regresses(arguments) and arguments.class_weight is not None:
        raise ValueError("--class-weight is for labels, but the objective predicts numbers")


def add_regression_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `streed.OptimalTreeRegressor` that no other estimator has."""
    group = parser.add_argument_group("numbers (with --objective squared_error and its like)")
    group.add_argument(
        "--quantile", type=float, metavar="X", help="with --objective quantile: which one (default 0.5)"
    )
    group.add_argument(
        "--leaf-model", choices=("constant", "linear", "simple_linear"), metavar="NAME",
        help="what a leaf predicts: constant, linear, or simple_linear (one column)",
    )  # fmt: skip
    group.add_argument(
        "--leaf-columns", type=names, metavar="COLUMNS",
        help="columns that linear leaves are functions of, with commas between them (default: all numbers)",
    )  # fmt: skip
    group.add_argument(
        "--ridge", type=float, metavar="X", help="penalty on the coefficients of linear leaves (default 1)"
    )


def fairness(estimator: Any) -> Iterator[str]:
    """Say how a fair tree treats the groups: the rates that its constraint compares, and their difference."""
    if not hasattr(estimator, "group_rates_"):
        return
    compared = as_parity(estimator.constraint)
    for rate in compared.rates:
        rates = (f"{group} {found[rate.name]:.3f}" for group, found in estimator.group_rates_.items())
        yield f"{rate.name.replace('_', ' ')}: {', '.join(rates)}"
    yield f"difference {estimator.difference_:.4g}, ratio {estimator.ratio_:.4g}"


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
