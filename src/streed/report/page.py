"""A report as a page of HTML without scripts, and as Markdown. Texts of users are escaped in both."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from streed.views.words.wording import one_line

if TYPE_CHECKING:
    from streed.report.report import Report
    from streed.report.sections import Section, Table

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #8886; }
.table { overflow-x: auto; } table { border-collapse: collapse; margin: .8rem 0; }
th, td { text-align: left; padding: .25rem .7rem; border-bottom: 1px solid #8884; vertical-align: top; }
td { overflow-wrap: anywhere; } pre { overflow-x: auto; background: #8881; padding: .8rem; }
svg { max-width: 100%; margin-right: 1.5rem; } svg text { font-size: 12px; fill: currentColor; }
.frame { fill: none; stroke: #888; } .diagonal { stroke: #888; stroke-dasharray: 4; fill: none; }
.line { stroke: #1f77b4; stroke-width: 2; fill: none; } .bar { stroke: #1f77b4; opacity: .6; }
circle { fill: #1f77b4; }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_to_html(report: Report) -> str:
    """Write the page."""
    body = "\n".join(_section(section) for section in report.sections)
    title = escape(one_line(report.title))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    parts = [f"<section>\n<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(one_line(paragraph))}</p>" for paragraph in section.paragraphs]
    if section.text:
        parts.append(f"<pre>{escape(section.text)}</pre>")
    parts += map(_table, section.tables)
    if section.charts:
        parts.append(f'<div class="charts">{"".join(section.charts)}</div>')
    return "\n".join([*parts, "</section>"])


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(one_line(name))}</th>" for name in table.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(one_line(cell))}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def report_to_markdown(report: Report) -> str:
    """Write the text."""
    lines = [f"# {_plain(report.title)}"]
    for section in report.sections:
        lines += ["", f"## {section.title}"]
        for paragraph in section.paragraphs:
            lines += ["", _plain(paragraph)]
        if section.text:
            fence = "`" * max(3, 1 + _longest_ticks(section.text))
            lines += ["", f"{fence}text", section.text, fence]
        for table in section.tables:
            lines += ["", _row(table.head), _row(["---"] * len(table.head)), *map(_row, table.rows)]
    return "\n".join(lines) + "\n"


def _longest_ticks(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def _plain(text: str) -> str:
    """Write a text so that Markdown reads nothing into it."""
    found = one_line(text)
    for character in "\\`*_<>[]|#":
        found = found.replace(character, f"\\{character}")
    return found


def _row(cells: list[str]) -> str:
    said = [cell if set(cell) == {"-"} else _plain(cell) for cell in cells]
    return f"| {' | '.join(said)} |"
