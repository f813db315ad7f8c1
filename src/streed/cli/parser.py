"""The parser of the command line; the options of the solver come from the table in `streed.options`."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

import streed
from streed.options import OPTIONS, Option

ABOUT = """\
Decision trees that are proven to be the best of their size."""

EXAMPLES = """\
a first tree:
  streed fit data.csv --target species
  streed fit data.csv --target species --depth 4 --out model.json
  streed show model.json
  streed predict model.json new.csv --out predictions.csv

`streed COMMAND --help` explains a command and gives more examples.

exit codes: 0 fine, 1 error, 2 wrong usage, 3 no tree meets the limits, 130 interrupted
"""


Container: TypeAlias = argparse.ArgumentParser | argparse._ArgumentGroup
"""What options are added to."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help keeps its examples as they are written."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and leave with exit code 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def make_parser() -> Parser:
    """Make the parser of all commands."""
    from streed.cli import fit, front, predict, report, show, tasks

    parser = Parser(prog="streed", description=ABOUT, epilog=EXAMPLES)
    parser.add_argument("--version", action="version", version=f"streed {streed.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (fit, predict, show, report, front, tasks):
        name = module.__name__.rpartition(".")[2]
        help_text = module.ABOUT.partition("\n")[0].rstrip(".")
        command = commands.add_parser(
            name,
            help=help_text[0].lower() + help_text[1:],
            description=module.ABOUT,
            epilog=module.EXAMPLES,
        )
        module.configure(command)
        command.add_argument("--debug", action="store_true", help="show the traceback of an error")
        command.set_defaults(run=module.run)
    return parser


def add_solver_options(parser: argparse.ArgumentParser, names: tuple[str, ...] = tuple(OPTIONS)) -> None:
    """Add options of the solver, each with the default, range and help text that the estimators have."""
    group = parser.add_argument_group("limits and prices")
    for name in names:
        option = OPTIONS[name]
        flags = [f"--{flag.replace('_', '-')}" for flag in (name, *SHORTER.get(name, ()))]
        default = "" if option.default is None else f" (default {option.default:g})"
        group.add_argument(
            *flags,
            dest=name,
            type=_reader(option),
            default=option.default,
            metavar="SIZE" if option.sizes else "N" if option.integer else "X",
            help=f"{option.help[0].lower()}{option.help[1:].rstrip('.')}{default}".replace("%", "%%"),
        )


SHORTER = {"max_depth": ("depth",), "max_nodes": ("nodes",), "n_jobs": ("jobs",)}
"""Second, shorter names of some options."""


def _reader(option: Option) -> Callable[[str], float | int | str | None]:
    """Return what reads the value of an option from the command line, and checks it."""
    return functools.partial(_read, option)


def _read(option: Option, text: str) -> float | int | str | None:
    if option.name == "cost_complexity" and text == "auto":
        return text
    try:
        return option.read(text)
    except (ValueError, TypeError):
        expected = option.expected.replace(" or None", "")
        raise argparse.ArgumentTypeError(f"it must be {expected}, got {text!r}") from None


def names(text: str) -> list[str]:
    """Read a list of names with commas between them."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"names with commas between them are expected, got {text!r}")
    return found
