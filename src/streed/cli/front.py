"""``streed front``: all best compromises between several objectives."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streed
from streed.cli.parser import add_solver_options, names
from streed.cli.tasks import objectives
from streed.cli.training import (
    add_data_options,
    add_quiet,
    make_binarizer,
    read_training,
    shows_progress,
    warnings_as_notes,
)
from streed.cli.views import check_files
from streed.model import Model
from streed.options import OPTIONS, check_limits
from streed.result import Result, Solution
from streed.solve import solve_checked
from streed.tasks import make_task

ABOUT = """\
List all trees that are best compromises between several objectives (the Pareto front).

No tree within the limits is at least as good as one of them in every objective and better in one."""

EXAMPLES = """\
examples:
  streed front loans.csv --target default --objectives accuracy,balanced_accuracy --depth 3
  streed front loans.csv --target default --objectives accuracy,balanced_accuracy --html front.html
  streed front loans.csv --target default --objectives accuracy,balanced_accuracy --pick 4 --out model.json
                                                          store the fourth tree for `streed predict`
"""

FRONT_PAGE = "to_html"
"""The method of `streed.Result` that makes the interactive page of a front."""
LIMITS = tuple(name for name in OPTIONS if name != "cost_complexity")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_data_options(parser)
    parser.add_argument(
        "--objectives", required=True, type=_several, metavar="NAMES",
        help="two or more names from streed tasks, with commas between them",
    )  # fmt: skip
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
    with warnings_as_notes(arguments):
        result, binarizer, columns = solve_front(arguments)
    print(table(arguments.objectives, result.front))
    if arguments.html is not None:
        page: str = getattr(result, FRONT_PAGE)()
        Path(arguments.html).write_text(page, encoding="utf-8")
    if arguments.pick is not None:
        if not 1 <= arguments.pick <= len(result.front):
            raise ValueError(f"--pick must be from 1 to {len(result.front)}, got {arguments.pick}")
        tree = result.front[arguments.pick - 1].tree
        print("", tree.to_text(), sep="\n")
        if arguments.out is not None:
            parameters = {name: getattr(arguments, name) for name in LIMITS}
            options: dict[str, Any] = {"tree": tree, "target": arguments.target, "parameters": parameters}
            Model.from_result(result, binarizer, columns, **options).save(arguments.out)
    return 130 if result.status == "interrupted" else 0


def solve_front(arguments: argparse.Namespace) -> tuple[Result, Any, list[str]]:
    """Make the tasks from their names, combine and solve them; return the binarizer and the columns too."""
    training = read_training(arguments)
    binarizer = make_binarizer(arguments).fit(training.X, training.y, **training.roles)
    tasks = [make_task(name, training.y, **training.roles) for name in arguments.objectives]
    result = solve_checked(
        streed.combine(*tasks),
        binarizer.transform(training.X).view("uint8"),
        binarizer.get_feature_names_out().tolist(),
        check_limits(**{name: getattr(arguments, name) for name in LIMITS}),
        shows_progress(arguments),
    )
    return result, binarizer, list(training.X.columns)


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
    found, known = names(text), objectives()
    for name in found:
        if name not in known:
            raise argparse.ArgumentTypeError(f"unknown objective {name!r} (choose from {', '.join(known)})")
    if len(set(found)) < 2:
        raise argparse.ArgumentTypeError(f"at least two different objectives are needed, got {text!r}")
    return found
