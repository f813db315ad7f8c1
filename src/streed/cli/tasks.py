"""``streed tasks``: the registry, one line each."""

from __future__ import annotations

import argparse
import inspect

from streed.tasks import REGISTRY, Task

ABOUT = """\
List what can be optimised, one line each."""

EXAMPLES = """\
example:
  streed tasks
  streed fit data.csv --target y --objective balanced_accuracy
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print the names and summaries."""
    width = max(map(len, REGISTRY))
    for name, task in REGISTRY.items():
        print(f"{name:<{width}}  {task.summary}{'' if needs_only_labels(task) else ' (from Python)'}")
    return 0


def needs_only_labels(task: type[Task]) -> bool:
    """Whether a task can be made from a column of labels alone, as the command makes it."""
    first, *others = inspect.signature(task).parameters.values()
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return first.name == "y" and all(
        other.default is not other.empty or other.kind in optional for other in others
    )


def objectives() -> list[str]:
    """Return the names that ``--objective`` takes."""
    return [name for name, task in REGISTRY.items() if needs_only_labels(task)]
