"""Tables, means and files: what a study prints and saves."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.compare import Measured, Row
from benchmarks.runner import Outcome


def say(text: str = "") -> None:
    """Write one line to standard output at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def geometric_mean(values: Sequence[float]) -> float:
    """Geometric mean; not a number for no values."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def show_seconds(one: Measured | None) -> str:
    """Time of a contestant: ``0.0123``, ``>300`` at the limit, a word otherwise; ``*`` marks a cached one."""
    if one is None:
        return "-"
    if not one.timed:
        return one.status
    star = "*" if one.cached else ""
    return (f">{one.seconds:g}" if one.status == "time limit" else format_seconds(one.seconds)) + star


def format_seconds(seconds: float) -> str:
    """Four digits after the point below a tenth of a second, fewer above."""
    digits = 4 if seconds < 0.1 else 3 if seconds < 10 else 1
    return f"{seconds:.{digits}f}"


def show_ratio(row: Row, label: str, base: str) -> str:
    """Ratio of a peer's time to ours; ``>`` where the peer was stopped, ``<`` where we were."""
    ratio = row.ratio(label, base)
    if ratio is None:
        return "-"
    peer_stopped = row.measured[label].status == "time limit"
    we_stopped = row.measured[base].status == "time limit"
    sign = "?" if peer_stopped and we_stopped else ">" if peer_stopped else "<" if we_stopped else ""
    return f"{sign}{ratio:.{1 if ratio >= 1 else 2}f}x"


def show_megabytes(one: Measured | None) -> str:
    """Peak memory in MB."""
    return f"{one.peak_memory / 1e6:.0f}" if one is not None and one.peak_memory else "-"


class Table:
    """Prints rows of text under a header as they come, in columns of fixed width."""

    def __init__(self, columns: Iterable[tuple[str, int]]) -> None:
        self.columns = [(name, max(width, len(name))) for name, width in columns]
        header = self.line([name for name, _ in self.columns])
        say(header)
        say("-" * len(header))

    def line(self, cells: Sequence[str]) -> str:
        """One line: the first column to the left, the others to the right."""
        padded = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, (_, width)) in enumerate(zip(cells, self.columns, strict=True))
        ]
        return "  ".join(padded).rstrip()

    def add(self, cells: Sequence[str]) -> None:
        """Print one row."""
        say(self.line(cells))


class Document:
    """The JSON file of a study, written anew after each problem so that a broken-off run is not lost."""

    def __init__(self, study: str, options: argparse.Namespace) -> None:
        self.path: Path | None = options.json
        self.content: dict[str, Any] = {
            "study": study,
            "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "machine": machine.describe(),
            "options": {
                name: str(value) if isinstance(value, Path) else value
                for name, value in vars(options).items()
                if name not in ("run", "python", "peer_python")
            },
            "versions": {},
            "simd": "",
            "problems": [],
            "summary": {},
        }

    def add_row(self, row: Row, base: str = "streed") -> None:
        """Add one problem, with the versions that took part, and save."""
        self.content["problems"].append(row.to_dict(base))
        for label, one in row.measured.items():
            self.note_version(label, one.last)
        self.save()

    def note_version(self, label: str, outcome: Outcome) -> None:
        """Keep what a run says of its version and its SIMD level."""
        if outcome.version:
            self.content["versions"][label] = f"{outcome.version} (Python {outcome.python})"
        if outcome.simd:
            self.content["simd"] = outcome.simd

    def save(self, **more: Any) -> None:
        """Write the file, if one was asked for, in one step."""
        self.content |= more
        if self.path is not None:
            draft = self.path.with_name(self.path.name + ".part")
            draft.write_text(json.dumps(self.content, indent=1) + "\n")
            draft.replace(self.path)


def say_machine(content: dict[str, Any]) -> None:
    """Print what the study ran on and with."""
    here = content["machine"]
    say(
        f"machine: {here['cpu']}, {here['cpus']} CPUs, {here['memory'] / 2**30:.0f} GB, {here['system']}, "
        f"{' '.join(here['vector_flags'])}"
    )
    versions = ", ".join(f"{label} {version}" for label, version in content["versions"].items())
    say(f"versions: {versions or 'none ran'}; SIMD level of streed: {content['simd'] or 'unknown'}")


def say_alarms(alarms: Sequence[str]) -> None:
    """Print alarms so that nobody can overlook them."""
    for alarm in alarms:
        say(f"!!!!!! {alarm} !!!!!!")
