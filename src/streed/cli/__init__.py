"""The command ``streed``: fit trees to files, predict from stored models, show them.

`main` parses, runs one command and turns every error into one line on stderr and an exit code:

====  =====================================================================
0     fine; also when a time limit was reached, which the output says
1     an error: a file, a column or a value that cannot be used
2     wrong usage: an unknown option, or a value that it does not take
3     infeasible: no tree meets the limits
130   interrupted (Ctrl-C); `fit` still gives the best tree so far
====  =====================================================================
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from streed.cli.parser import make_parser
from streed.errors import InfeasibleError, StreedError

__all__ = ["main"]

ERROR, INFEASIBLE, INTERRUPTED = 1, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit code.
    """
    try:
        arguments = make_parser().parse_args(argv)
    except SystemExit as end:  # argparse leaves this way after --help (0) and after wrong usage (2)
        return int(end.code or 0)
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:
        return _fail(arguments, "interrupted", INTERRUPTED)
    except InfeasibleError as error:
        return _fail(arguments, f"infeasible: {error}", INFEASIBLE)
    except BrokenPipeError:  # the reader of our output, such as head, had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ERROR
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _fail(arguments, f"{where}{error.strerror or error}", ERROR)
    except (ValueError, TypeError, StreedError, ImportError) as error:
        return _fail(arguments, str(error), ERROR)
    except Exception as error:
        kind = type(error).__name__
        return _fail(arguments, f"unexpected {kind}: {error} (--debug shows where)", ERROR)


def _fail(arguments: argparse.Namespace, message: str, code: int) -> int:
    """Write an error as one line, after its traceback if that was asked for."""
    if arguments.debug:
        traceback.print_exc()
    print(f"streed {arguments.command}: {' '.join(message.split())}", file=sys.stderr)
    return code
