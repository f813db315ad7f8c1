"""What is written after a study: text on the screen, CSV, JSON, SVG, and one page for all studies."""

from __future__ import annotations

import datetime as dt
import html
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import machine
from experiments.findings import Findings
from experiments.plots import draw
from experiments.runs import Run
from experiments.settings import Settings

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
th, td { padding: .15em .6em; text-align: right; white-space: nowrap } th { border-bottom: 1px solid #999 }
th:first-child, td:first-child { text-align: left } tr:nth-child(even) td { background: #f6f6f6 }
.paper { color: #777; font-style: italic } .note { color: #555; font-size: 13px; margin: .2em 0 }
.alarm { color: #b00; font-weight: bold } svg { max-width: 100%; height: auto }
"""


def say(text: str = "") -> None:
    """Write a line to standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def save(name: str, title: str, findings: Findings, runs: list[Run], settings: Settings) -> None:
    """Print the tables of a study, write its files, and make the page of all studies anew."""
    folder = settings.out / name
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for table in findings.tables:
        say()
        say(table.to_text())
        (folder / f"{table.name}.csv").write_text(table.to_csv())
        (folder / f"{table.name}.md").write_text(table.to_markdown() + "\n")
    for plot in findings.plots:
        picture = draw(plot)
        if picture is None:
            findings.sentences.append(f"No plot {plot.name!r}: matplotlib is not installed.")
            continue
        pictures[plot.name] = picture
        (folder / f"{plot.name}.svg").write_text(picture)
    if findings.summary:
        (folder / "summary.csv").write_text(findings.summary)
    say()
    for line in findings.sentences:
        say(line)
    for line in findings.alarms:
        say(f"!!!!!! {line} !!!!!!")
    document = {
        "study": name,
        "title": title,
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="minutes"),
        "machine": machine.describe(),
        "versions": {run.method: run.version for run in runs if run.version},
        "options": describe(settings),
        "processor_seconds": sum(run.seconds or 0.0 for run in runs),
        "tables": [table.to_dict() for table in findings.tables],
        "plots": pictures,
        "sentences": findings.sentences,
        "alarms": findings.alarms,
    }
    (folder / "findings.json").write_text(json.dumps(document, indent=1) + "\n")
    write_page(settings.out)


def describe(settings: Settings) -> dict[str, Any]:
    """Give the settings that matter to a reader."""
    left_out = ("data", "out", "peer_python")
    return {name: value for name, value in vars(settings).items() if name not in left_out}


def write_page(out: Path) -> None:
    """Write one page, without links to anything, of all studies whose findings are in the folder."""
    from experiments.studies import STUDIES

    parts = []
    for name in STUDIES:
        path = out / name / "findings.json"
        if path.is_file():
            parts.append(section(json.loads(path.read_text())))
    body = "\n".join(parts)
    (out / "report.html").write_text(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>Experiments with streed</title>"
        f"<style>{STYLE}</style></head>\n<body><h1>Experiments with streed</h1>\n"
        "<p>Grey italics: figures as the paper prints them. Times are processor seconds of one run.</p>\n"
        f"{body}</body></html>\n"
    )


def section(document: dict[str, Any]) -> str:
    """Show one study."""
    from experiments.tables import Table

    here = document["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    options = ", ".join(f"{name} {value}" for name, value in document["options"].items())
    head = (
        f"<h2>{html.escape(document['title'])}</h2>\n<p class=note>{document['created']}; "
        f"{html.escape(str(here['cpu']))}, {here['cpus']} CPUs; {html.escape(versions)}; {options}; "
        f"{document['processor_seconds']:.0f} s of processor time in runs</p>\n"
    )
    lines = "".join(f"<li>{html.escape(line)}</li>\n" for line in document["sentences"])
    alarms = "".join(f"<p class=alarm>{html.escape(line)}</p>\n" for line in document["alarms"])
    pictures = "\n".join(picture[picture.index("<svg") :] for picture in document["plots"].values())
    tables = "\n".join(Table(**table).to_html() for table in document["tables"])
    return f"{head}{alarms}<ul>{lines}</ul>\n{pictures}\n{tables}"
