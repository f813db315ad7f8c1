"""``streed show``: views of a stored model."""

from __future__ import annotations

import argparse
import sys

from streed.cli.views import VIEWS, add_files, check_files, write_files
from streed.model.model import Model
from streed.views.code.dates import DATES
from streed.views.outputs import OUTPUTS
from streed.views.words.record import record_lines

ABOUT = """\
Show a stored model: as text, rules, code or a picture."""

CODE = ("dates", "output", "label", "at")
"""Options of the views that write code."""

EXAMPLES = """\
examples:
  streed show model.json                                  the tree, and what was proven about it
  streed show model.json --as json                        the tree as plain data
  streed show model.json --as sql --output probability --label yes
  streed show model.json --plot tree.png --html tree.html
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("model", help="model file that streed fit stored")
    parser.add_argument(
        "--as", dest="view", choices=VIEWS, metavar="VIEW",
        help=f"print this view only: {', '.join(VIEWS)}",
    )  # fmt: skip
    parser.add_argument(
        "--dates", choices=DATES, metavar="HOW",
        help=f"how the database stores dates, for --as sql of a tree that compares them: {', '.join(DATES)}",
    )  # fmt: skip
    parser.add_argument(
        "--output", choices=OUTPUTS, metavar="WHAT",
        help=f"what the code of --as sql and --as python gives: {', '.join(OUTPUTS)} (default label)",
    )  # fmt: skip
    parser.add_argument("--label", metavar="LABEL", help="with --output probability: of which label")
    parser.add_argument(
        "--at", type=float, metavar="X",
        help="with --output quantile, survival or hazard: the level of the quantile, or the time",
    )  # fmt: skip
    add_files(parser)


def run(arguments: argparse.Namespace) -> int:
    """Load, print, draw."""
    check_files(arguments.plot, arguments.html)
    if arguments.dates is not None and arguments.view != "sql":
        raise ValueError("--dates says how SQL compares dates: give it with --as sql")
    options = {name: value for name in CODE if (value := getattr(arguments, name)) is not None}
    if set(options) - {"dates"} and arguments.view not in ("sql", "python"):
        raise ValueError("--output, --label and --at are for code: give them with --as sql or --as python")
    model = Model.load(arguments.model)
    write_files(model, plot=arguments.plot, html=arguments.html)
    if arguments.view is not None:
        sys.stdout.write(VIEWS[arguments.view](model.tree, **options).rstrip("\n") + "\n")
    elif arguments.plot is None and arguments.html is None:
        print(model.summary(), _about(model), *record_lines(model.record), "", model.tree.to_text(), sep="\n")
    return 0


def _about(model: Model) -> str:
    limits = ", ".join(f"{name} {value}" for name, value in model.parameters.items() if value is not None)
    target = f"predicts {model.target!r} " if model.target else "predicts "
    return f"{target}from {', '.join(map(repr, model.tested_columns)) or 'no column'}\nfitted with {limits}"
