"""``streed fit``: from a file to an optimal tree."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import streed
from streed.cli.kinds import kind_of, regresses
from streed.cli.limits import add_limits, read_limits
from streed.cli.parser import add_solver_options, names
from streed.cli.tasks import objectives
from streed.cli.training import (
    Training,
    add_data_options,
    add_fairness_options,
    add_quiet,
    check_fairness_options,
    column_options,
    make_binarizer,
    note,
    read_training,
    shows_progress,
    warnings_as_notes,
)
from streed.cli.views import add_files, check_files, write_files
from streed.fairness.parity import as_parity
from streed.model.model import Model
from streed.options import CUTS, check_smoothing
from streed.survival.targets import survival_target

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
  streed fit loans.csv --target default --tune 5 --test new.csv
                                                          the size by five folds, scored on another file
  streed fit loans.csv --target default --holdout 0.25    fitted to three quarters, scored on the last one
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


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_options(parser)
    parser.add_argument(
        "--cuts", choices=CUTS,
        help="where numbers and dates are cut: exact (every threshold, to the end), auto (every threshold, "
        "as far as is cheap or as --time-limit says), binned (by --binarizer, which implies it); "
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
    what.add_argument(
        "--smoothing", type=_smoothing, metavar="HOW",
        help="how shares of labels in a leaf become probabilities: auto (the default), none (the shares as "
        "they are), or a number of rows, the strength of hierarchical shrinkage",
    )  # fmt: skip
    add_limits(parser)
    add_regression_options(parser)
    add_fairness_options(parser, limits=True)
    add_solver_options(parser)
    parser.add_argument(
        "--tune", type=_tune, metavar="HOW",
        help="choose the number of branching nodes, up to the limits, on rows that are held out: holdout "
        "(five times a fifth of the rows), or a number of folds",
    )  # fmt: skip
    add_trials(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--out", metavar="FILE", help="store the model in this file (JSON)")
    output.add_argument(
        "--keep-unused", action="store_true",
        help="store the conditions that the tree does not test, too: they hold values of single rows",
    )  # fmt: skip
    add_files(output)
    add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, print, store."""
    check_files(arguments.out, arguments.plot, arguments.html)
    check_fairness_options(arguments)
    check_choices(arguments)
    if arguments.test is not None and not Path(arguments.test).is_file():
        raise ValueError(f"--test: there is no file {arguments.test}")
    training = read_training(arguments)
    kind = kind_of(arguments, training.y)
    if kind.why:
        note(arguments, kind.why)
    with warnings_as_notes(arguments):
        estimator, lines = fit(kind.estimator, arguments, training)
    model = Model.from_estimator(estimator, target=arguments.target)
    lines += [*fairness(estimator), *tested(arguments, estimator, model)]
    print("\n".join([estimator.result_.summary(), *lines]), estimator.tree_.to_text(), sep="\n\n")
    if arguments.out is not None:
        kept = arguments.keep_unused
        Model.from_estimator(estimator, target=arguments.target, keep_unused=kept).save(arguments.out)
    write_files(model, plot=arguments.plot, html=arguments.html)
    if estimator.result_.status == "interrupted":
        note(arguments, "interrupted: this is the best tree so far")
        return 130
    return 0


def fit(name: str, arguments: argparse.Namespace, training: Training) -> tuple[Any, list[str]]:
    """Fit an estimator, with those parameters that it has; returns it and how well it did on other rows."""
    from streed.cli import trials  # loads scikit-learn

    estimator = getattr(streed, name)
    given = {
        **vars(arguments),
        "loss": arguments.objective,
        "constraints": read_limits(arguments.limits, training.y),
        "binarizer": make_binarizer(arguments) if arguments.binarizer or arguments.cuts == "binned" else None,
        "class_weight": _for_labels(arguments.class_weight, training),
        "progress": shows_progress(arguments),
    }
    if given["binarizer"] is not None:  # which has them
        given |= dict.fromkeys(column_options(arguments))
    parameters = [name for name in inspect.signature(estimator).parameters if given.get(name) is not None]
    chosen = estimator(**{name: given[name] for name in parameters})
    data = data_of(training)
    fold = trials.held_out(arguments, chosen, data)
    chosen.fit(**data if fold is None else trials.taken(data, fold[0]))
    lines = list(tuned(chosen))
    if fold is not None:
        rows = trials.taken(data, fold[1])
        lines.append(f"held out: {trials.compared(chosen, rows['y'], chosen.predict(rows['X']))}")
    if arguments.cv is not None and chosen.result_.status != "interrupted":
        lines += trials.cross_validated(chosen, data, arguments.cv)
    return chosen, lines


def tested(arguments: argparse.Namespace, estimator: Any, model: Model) -> Iterator[str]:
    """Score the tree on the rows of another file, if one is given."""
    from streed.cli import trials

    if arguments.test is not None:
        yield from trials.tested(arguments, estimator, model)


def data_of(training: Training) -> dict[str, Any]:
    """Give what `fit` takes: events and times are one target."""
    data = {"X": training.X, "y": training.y, **training.roles}
    if "event" in data:
        data["y"] = survival_target(data.pop("event"), training.y)
    return data


def tuned(estimator: Any) -> Iterator[str]:
    """Say which size was chosen, and how well it did on the rows of the folds."""
    if estimator.tune is None:
        return
    found = estimator.tuned_
    chosen = ", ".join(f"{name} {value}" for name, value in found.params.items())
    score = f"mean {found.scoring} {found.score:.4g} on rows held out"
    yield f"tuned: {chosen}; {score} ({found.folds})"


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
    if arguments.event is not None and arguments.limits:
        raise ValueError("--event and --limit do not go together")
    for name in ("quantile", "power", "leaf_model", "leaf_columns", "ridge"):
        if getattr(arguments, name) is not None and not regresses(arguments):
            raise ValueError(
                f"--{name.replace('_', '-')} needs a number to predict: add --objective squared_error"
            )
    for name in ("class_weight", "smoothing"):
        if regresses(arguments) and getattr(arguments, name) is not None:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} is for labels, but the objective predicts numbers")


def add_regression_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `streed.OptimalTreeRegressor` that no other estimator has."""
    group = parser.add_argument_group("numbers (with --objective squared_error and its like)")
    group.add_argument(
        "--quantile", type=float, metavar="X", help="with --objective quantile: which one (default 0.5)"
    )
    group.add_argument(
        "--power", type=float, metavar="X", help="with --objective tweedie: above 1 and below 2 (default 1.5)"
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


def add_trials(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("how well it does on other rows")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--holdout", type=_share, metavar="SHARE",
        help="hold out this share of the rows, such as 0.25: the tree is fitted to the others, and scored on "
        "these",
    )  # fmt: skip
    one.add_argument(
        "--cv", type=int, metavar="N",
        help="cross-validation: N more trees, each fitted without an N-th of the rows and scored on it; the "
        "tree itself is fitted to all rows",
    )  # fmt: skip
    group.add_argument("--test", metavar="FILE", help="score the tree on the rows of another file")


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"it must be a share of the rows between 0 and 1, got {text!r}")
    return share


def _tune(text: str) -> str | int:
    if text == "holdout":
        return text
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"it must be holdout or a number of folds >= 2, got {text!r}")
    return int(text)


def _smoothing(text: str) -> str | float:
    """Read the strength of smoothing; "none" is 0, since None leaves an option out."""
    if text in ("auto", "none"):
        return text if text == "auto" else 0.0
    try:
        return check_smoothing(float(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be auto, none or a number of rows, got {text!r}") from None


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
