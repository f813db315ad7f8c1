"""The command line: one subcommand per study of `benchmarks.studies`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from benchmarks.studies import STUDIES


def main(arguments: list[str] | None = None) -> int:
    """Run one study and return its exit code (1 when an answer is in doubt)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure streed and its peers.")
    commands = parser.add_subparsers(dest="study", required=True, metavar="STUDY")
    for name, module_name in STUDIES.items():
        module = import_module(module_name)
        summary = str(module.__doc__).splitlines()[0]
        command = commands.add_parser(name, help=summary, description=summary)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
