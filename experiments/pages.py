"""Pages for the documentation: ``python -m experiments.pages RESULTS DOCS`` writes DOCS/NAME.md per study.

A page has what `experiments.report` has saved in RESULTS/NAME: the sentences, the plots as SVG files beside
the page, and the tables. What was left out of a study is said by its sentence about the runs that were made.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from experiments.studies import STUDIES
from experiments.tables import Table

SHOWN = {
    "time_limit": "time limit in seconds",
    "limits": "of some",
    "repeats": "repeats",
    "jobs": "runs at a time",
    "seed": "seed",
}


def write_pages(results: Path, docs: Path) -> list[Path]:
    """Write the pages and plots of all studies that have findings; returns the pages."""
    docs.mkdir(parents=True, exist_ok=True)
    pages = []
    for name in STUDIES:
        path = results / name / "findings.json"
        if not path.is_file():
            continue
        document = json.loads(path.read_text())
        for plot, picture in document["plots"].items():
            (docs / f"{name}-{plot}.svg").write_text(stripped(picture))
        if (summary := results / name / "summary.csv").is_file():
            (docs / f"{name}.csv").write_text(summary.read_text())
        pages.append(docs / f"{name}.md")
        pages[-1].write_text(page(document))
    return pages


def page(document: dict[str, Any]) -> str:
    """One study in Markdown."""
    name, title = document["study"], document["title"].rstrip(".")
    lines = [f"# {title}", "", _wrapped(f"`python -m experiments {name}`, {measured(document)}."), ""]
    lines += [_wrapped(f"**{line}**", "- ") for line in document["alarms"]]
    lines += [_wrapped(line, "- ") for line in document["sentences"]]
    for plot in document["plots"]:
        shown = f"share solved within a time: {plot}" if plot.startswith("times") else plot.replace("-", " ")
        lines += ["", f"![{shown}]({name}-{plot}.svg)"]
    for table in document["tables"]:
        found = Table(**table)
        found.notes = [line for note in found.notes for line in (note, "")]
        lines += ["", found.to_markdown().rstrip()]
    return "\n".join(lines) + "\n"


def _wrapped(text: str, bullet: str = "") -> str:
    """Wrap a paragraph, or an entry of a list, as all pages are."""
    after = " " * len(bullet)
    return textwrap.fill(
        text,
        110,
        initial_indent=bullet,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )


def measured(document: dict[str, Any]) -> str:
    """Say when, on what and how it was measured."""
    here, options = document["machine"], document["options"]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    limits = "; ".join(
        f"{text} {told(options[name])}" for name, text in SHOWN.items() if options[name] not in (None, {})
    )
    flags = "with AVX-512" if "avx512bw" in here["vector_flags"] else "without AVX-512"
    return f"{document['created'][:10]}, {here['cpus']} cores of {here['cpu']} {flags}; {limits}; {versions}"


def told(value: Any) -> str:
    """Show the value of an option."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {seconds:g}" for name, seconds in value.items())
    return f"{value:g}"


def stripped(picture: str) -> str:
    """Take trailing blanks off the lines of a picture, which matplotlib leaves."""
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


if __name__ == "__main__":
    for made in write_pages(*map(Path, sys.argv[1:3])):
        sys.stdout.write(f"{made}\n")
