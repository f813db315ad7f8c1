"""``streed front``: all best compromises between several objectives."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streed
from streed.cli.parser import add_solver_options, names
from streed.cli.tasks import combinable
from streed.cli.training import (
    Training,
    add_data_options,
    add_fairness_options,
    add_quiet,
    check_fairness_options,
    make_binarizer,
    read_training,
    shows_progress,
    warnings_as_notes,
)
from streed.cli.views import check_files
from streed.model.model import Model
from streed.options import OPTIONS, check_limits
from streed.solver.solve import solve_checked
from streed.tasks import make_task
from streed.tree.result import Result, Solution

ABOUT = """\
List all trees that are best compromises between several objectives (the Pareto front).

Objectives are named (--objectives), or they are errors and fairness (--sensitive). No tree within the
limits is at least as good as one of them in every objective and better in one."""

EXAMPLES = """\
examples:
  streed front loans.csv --target default --objectives accuracy,balanced_accuracy --depth 3
  streed front loans.csv --target default --sensitive sex --constraint equal_opportunity --html front.html
                                                          errors against the difference between groups
  streed front loans.csv --target default --objectives accuracy,balanced_accuracy --pick 4 --out model.json
                                                          store the fourth tree for `streed predict`
"""

LIMITS = tuple(name for name in OPTIONS if name != "cost_complexity")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_options(parser)
    parser.add_argument(
        "--objectives", type=_several, metavar="NAMES",
        help=f"two or more of {', '.join(combinable())}, with commas between them",
    )  # fmt: skip
    add_fairness_options(parser, limits=False)
    add_solver_options(parser, LIMITS)
    output = parser.add_argument_group("output")
    output.add_argument("--pick", type=int, metavar="N", help="print the tree in this line of the list")
    output.add_argument("--out", metavar="FILE", help="store the picked tree in this file (JSON)")
    output.add_argument(
        "--html", metavar="FILE", help="write an interactive page of the front into this file"
    )
    add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, solve, print, store."""
    check_files(arguments.out, arguments.html)
    if arguments.out is not None and arguments.pick is None:
        raise ValueError("--out stores one tree of the front: say which one by --pick")
    if (arguments.objectives is None) == (arguments.sensitive_features is None):
        raise ValueError("a front needs either --objectives NAMES, or groups: --sensitive COLUMN")
    check_fairness_options(arguments)
    with warnings_as_notes(arguments):
        result, binarizer, columns = solve_front(arguments)
    print(table(result.objectives, result.front))
    if arguments.html is not None:
        Path(arguments.html).write_text(result.to_html(), encoding="utf-8")
    if arguments.pick is not None:
        if not 1 <= arguments.pick <= len(result.front):
            raise ValueError(f"--pick must be from 1 to {len(result.front)}, got {arguments.pick}")
        picked = result.front[arguments.pick - 1]
        print("", picked.tree.to_text(), sep="\n")
        if arguments.out is not None:
            parameters = {name: getattr(arguments, name) for name in LIMITS}
            options: dict[str, Any] = {
                "solution": picked,
                "target": arguments.target,
                "parameters": parameters,
            }
            Model.from_result(result, binarizer, columns, **options).save(arguments.out)
    return 130 if result.status == "interrupted" else 0


def solve_front(arguments: argparse.Namespace) -> tuple[Result, Any, list[str]]:
    """Solve what was asked for; return the binarizer and the columns too."""
    training = read_training(arguments)
    solve = combined_front if arguments.sensitive_features is None else fair_front
    result, binarizer = solve(arguments, training)
    return result, binarizer, list(training.X.columns)


def combined_front(arguments: argparse.Namespace, training: Training) -> tuple[Result, Any]:
    """Make the tasks from their names, combine and solve them."""
    binarizer = make_binarizer(arguments).fit(training.X, training.y, **training.roles)
    tasks = [make_task(name, training.y, **training.roles) for name in arguments.objectives]
    result = solve_checked(
        streed.combine(*tasks),
        binarizer.transform(training.X).view("uint8"),
        binarizer.get_feature_names_out().tolist(),
        check_limits(**{name: getattr(arguments, name) for name in LIMITS}),
        shows_progress(arguments),
    )
    result.explain(binarizer.conditions_)
    return result, binarizer


def fair_front(arguments: argparse.Namespace, training: Training) -> tuple[Result, Any]:
    """Find the trade-off between errors and the difference of the groups' rates."""
    model = streed.FairTreeClassifier(
        arguments.constraint or "demographic_parity",
        binarizer=make_binarizer(arguments),
        progress=shows_progress(arguments),
        **{name: getattr(arguments, name) for name in LIMITS},
    )
    return model.fairness_front(training.X, training.y, **training.roles).to_result(), model.binarizer_


def table(names: Sequence[str], front: Sequence[Solution]) -> str:
    """Write a front as a table: the values, then the size of each tree.

    Examples
    --------
    >>> result = streed.solve(streed.tasks.Accuracy([0]), [[0]], max_depth=0)
    >>> print(table(["errors", "cost"], [Solution((2.0, 7.5), result.tree)]))
          errors  cost  nodes  depth
       1       2   7.5      0      0
    """
    head = ["", *names, "nodes", "depth"]
    rows = [
        [f"{n}", *(f"{value:g}" for value in point.values), f"{point.tree.n_nodes}", f"{point.tree.depth}"]
        for n, point in enumerate(front, start=1)
    ]
    widths = [max(4, *map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)
    )


def _several(text: str) -> list[str]:
    found, known = names(text), combinable()
    for name in found:
        if name not in known:
            raise argparse.ArgumentTypeError(f"unknown objective {name!r} (choose from {', '.join(known)})")
    if len(set(found)) < 2:
        raise argparse.ArgumentTypeError(f"at least two different objectives are needed, got {text!r}")
    return found
