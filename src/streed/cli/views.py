"""Views of a tree as files and as text: one table from names to the methods of `streed.Tree`."""

from __future__ import annotations

import json
from pathlib import Path

from streed.cli.parser import Container
from streed.tree import Tree

VIEWS = {
    "text": "to_text",
    "rules": "to_rules",
    "dot": "to_dot",
    "python": "to_python",
    "sql": "to_sql",
    "json": "to_dict",
    "html": "to_html",
}
"""What ``streed show --as`` takes, and the method behind it."""

PLOT = "plot"
"""The method that draws a tree with matplotlib."""


def available() -> list[str]:
    """Return the names of the views that trees have."""
    return [name for name, method in VIEWS.items() if hasattr(Tree, method)]


def render(tree: Tree, name: str) -> str:
    """Return a view of a tree as text."""
    view = getattr(tree, VIEWS[name])()
    return view if isinstance(view, str) else json.dumps(view, indent=1, ensure_ascii=False)


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


def write_files(tree: Tree, *, plot: str | None, html: str | None) -> None:
    """Write the picture and the page that were asked for."""
    if plot is not None:
        save_plot(tree, plot)
    if html is not None:
        Path(html).write_text(render(tree, "html"), encoding="utf-8")


def save_plot(tree: Tree, path: str) -> None:
    """Draw a tree into a file."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("drawing a tree needs matplotlib: pip install 'streed[plot]'") from error
    figure = getattr(tree, PLOT)().figure
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)
