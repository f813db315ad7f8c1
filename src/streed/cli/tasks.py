"""``streed tasks``: the registry, one line each."""

from __future__ import annotations

import argparse
import inspect

from streed.tasks import REGISTRY, Task
from streed.tasks.forms import OneValue
from streed.tasks.parts.leaf_loss import LeafLoss

ABOUT = """\
List what can be optimised, one line each."""

EXAMPLES = """\
example:
  streed tasks
  streed fit data.csv --target y --objective f1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print the names and summaries."""
    width = max(map(len, REGISTRY))
    for name, task in REGISTRY.items():
        print(f"{name:<{width}}  {task.summary}{needs(task)}")
    return 0


def needs(task: type[Task]) -> str:
    """Say what a task needs beside labels; nothing if the command takes it as an objective."""
    if needs_only_labels(task):
        return ""
    return (
        NEEDED.get(task.estimator, " (from Python)")
        if task.name not in LEAVES
        else f" (fit {LEAVES[task.name]})"
    )


NEEDED = {"FairTreeClassifier": " (fit --sensitive)", "SurvivalTree": " (fit --event)"}
"""What names the columns that a task needs beside labels, by its estimator."""

LEAVES = {"linear_leaves": "--leaf-model linear", "simple_linear": "--leaf-model simple_linear"}
"""Tasks that the command has under an option of their own."""


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


def combinable() -> list[str]:
    """Return those of them that can be combined with others into a front."""
    return [
        name
        for name in objectives()
        if REGISTRY[name].form is OneValue and not issubclass(REGISTRY[name], LeafLoss)
    ]
