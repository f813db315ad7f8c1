"""``streed show``: views of a stored model."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from streed.cli.views import VIEWS, add_files, check_files, write_files
from streed.model.model import Model
from streed.tree.tree import Tree
from streed.views.sql_dates import DATES

ABOUT = """\
Show a stored model: as text, rules, code or a picture."""

EXAMPLES = """\
examples:
  streed show model.json                                  the tree, and what was proven about it
  streed show model.json --as json                        the tree as plain data
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
    add_files(parser)


def run(arguments: argparse.Namespace) -> int:
    """Load, print, draw."""
    check_files(arguments.plot, arguments.html)
    if arguments.dates is not None and arguments.view != "sql":
        raise ValueError("--dates says how SQL compares dates: give it with --as sql")
    model = Model.load(arguments.model)
    write_files(model, plot=arguments.plot, html=arguments.html)
    if arguments.view is not None:
        write = partial(Tree.to_sql, dates=arguments.dates) if arguments.dates else VIEWS[arguments.view]
        sys.stdout.write(write(model.tree).rstrip("\n") + "\n")
    elif arguments.plot is None and arguments.html is None:
        print(model.summary(), _about(model), "", model.tree.to_text(), sep="\n")
    return 0


def _about(model: Model) -> str:
    limits = ", ".join(f"{name} {value}" for name, value in model.parameters.items() if value is not None)
    target = f"predicts {model.target!r} " if model.target else "predicts "
    return f"{target}from {', '.join(map(repr, model.tested_columns)) or 'no column'}\nfitted with {limits}"
