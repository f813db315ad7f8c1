"""Tables as the paper has them, the paper's own figures beside ours: as text, CSV, JSON and HTML."""

from __future__ import annotations

import csv
import html
import io
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.report import format_seconds
from experiments.runs import Run


@dataclass
class Table:
    """A table of text cells.

    Parameters
    ----------
    name : str
        Name of its files.
    title : str
        What it shows.
    columns : list of str
        Names of the columns; figures of the paper stand in columns whose name ends in "paper".
    rows : list of list of str
        The cells.
    notes : list of str
        Lines below the table.
    """

    name: str
    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """Add a row."""
        row = ["" if cell is None else str(cell) for cell in cells]
        if len(row) != len(self.columns):
            raise ValueError(f"expected {len(self.columns)} cells for {self.columns}, got {row}")
        self.rows.append(row)

    def to_text(self) -> str:
        """Columns of fixed width, the first one to the left."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[j]) for line in lines) for j in range(len(self.columns))]
        shown = []
        for line in lines:
            first, *rest = zip(line, widths, strict=True)
            shown.append("  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]))
        rule = "-" * len(shown[0])
        return "\n".join([self.title, rule, shown[0], rule, *shown[1:], rule, *self.notes])

    def to_csv(self) -> str:
        """Comma-separated, with a header."""
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([self.columns, *self.rows])
        return file.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def to_markdown(self) -> str:
        """As GitHub shows tables, for the documentation."""
        rule = ["---"] + ["--:"] * (len(self.columns) - 1)
        lines = ["| " + " | ".join(line) + " |" for line in [self.columns, rule, *self.rows]]
        return "\n".join([f"**{self.title}**", "", *lines, "", *self.notes])

    def to_html(self) -> str:
        """As part of the page."""
        head = "".join(f"<th{paper_class(name)}>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td{paper_class(name)}>{html.escape(cell)}</td>"
                for name, cell in zip(self.columns, row, strict=True)
            )
            + "</tr>\n"
            for row in self.rows
        )
        notes = "".join(f"<p class=note>{html.escape(note)}</p>\n" for note in self.notes)
        title = html.escape(self.title)
        return f"<h3>{title}</h3>\n<table>\n<tr>{head}</tr>\n{body}</table>\n{notes}"


def paper_class(column: str) -> str:
    """Mark the paper's own figures."""
    return " class=paper" if column.endswith("paper") else ""


def seconds_cell(runs: Sequence[Run]) -> str:
    """Mean processor time of the repeats; ">600" at the limit, "-" where there is none."""
    if not runs or not all(run.tried for run in runs):
        return "-"
    if any(run.status == "time limit" for run in runs):
        return f">{max(run.seconds or 0.0 for run in runs):g}"
    return format_seconds(statistics.fmean(run.seconds or 0.0 for run in runs))


def size_cells(runs: Sequence[Run], *names: str) -> list[str]:
    """Numbers of rows, features, ... of a problem, from any run on it."""
    known = next((run.figures for run in runs if "rows" in run.figures), {})
    return [f"{known[name]:.0f}" if name in known else "" for name in names]


def value_cell(runs: Sequence[Run], digits: int = 0) -> str:
    """Scored value; in brackets without a proof, "-" where there is none."""
    values = [run.value for run in runs if run.value is not None]
    if not values:
        return "-"
    shown = f"{values[0]:.{digits}f}"
    return shown if all(run.proven for run in runs) else f"({shown})"


def reasons(runs: Iterable[Run]) -> list[str]:
    """Say why there is a "-": how often each method was missing or failed, and with which message."""
    found = Counter(
        (run.method, run.status, run.message) for run in runs if run.status in ("missing", "failed")
    )
    return [
        f'"-": {method} {status} ({count} runs): {message}'
        for (method, status, message), count in sorted(found.items())
    ]
