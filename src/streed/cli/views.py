"""Views of a tree as files and as text: one table from names to the methods of `streed.Tree`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from streed.cli.parser import Container
from streed.model.model import Model
from streed.tree.result import Solution
from streed.tree.tree import Tree
from streed.views.page.html import solutions_to_html
from streed.views.words.record import record_lines

VIEWS: Mapping[str, Callable[..., str]] = {
    "text": Tree.to_text,
    "rules": Tree.to_rules,
    "dot": Tree.to_dot,
    "python": Tree.to_python,
    "sql": Tree.to_sql,
    "json": lambda tree: json.dumps(tree.to_dict(), indent=1, ensure_ascii=False),
    "html": Tree.to_html,
}
"""What ``streed show --as`` takes, and what writes it."""


def add_files(parser: Container) -> None:
    """Add the options that write pictures and pages."""
    parser.add_argument("--plot", metavar="FILE", help="draw the tree into this file (.png, .svg or .pdf)")
    parser.add_argument("--html", metavar="FILE", help="write an interactive page of the tree into this file")


def check_files(*paths: str | None) -> None:
    """Refuse files that cannot be written, before the long work and not after it."""
    for path in paths:
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no folder {Path(path).absolute().parent}")
        if path is not None and Path(path).is_dir():
            raise ValueError(f"{path} cannot be written: it is a folder")


def write_files(model: Model, *, plot: str | None, html: str | None) -> None:
    """Write the picture and the page that were asked for; the page also says what was proven."""
    if plot is not None:
        save_plot(model.tree, plot)
    if html is not None:
        title = f"Prediction of {model.target}" if model.target else "Decision tree"
        record = list(record_lines(model.record, 64))
        page = solutions_to_html(
            [Solution((), model.tree)], title=title, summary=model.summary(), record=record
        )
        Path(html).write_text(page, encoding="utf-8")


def save_plot(tree: Tree, path: str) -> None:
    """Draw a tree into a file."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("drawing a tree needs matplotlib: pip install 'streed[plot]'") from error
    figure = tree.plot().figure
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)
