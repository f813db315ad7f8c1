"""A tree, or the trees of a front, as one page for the browser.

The page is put together from the files beside this module: a frame, a style sheet and scripts. Everything
that comes from the user goes in as JSON, which the scripts turn into text nodes; nothing is ever read as
markup. The page's own policy forbids it to load or to send anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from streed.errors import ExportError
from streed.reasons.fewest import Leaves, same_prediction
from streed.table.limits import EXACT
from streed.tree.conditions import Condition, number_text
from streed.tree.result import Result, Solution
from streed.tree.tree import Tree
from streed.tree.unused import tested_features
from streed.tree.walk import conditions_of
from streed.views.page.histograms import Rows, histograms
from streed.views.page.shapes import node_shape, shape_name
from streed.views.palette import MOST, Colors, ink_on, label_colors
from streed.views.words.answers import confusion
from streed.views.words.record import record_lines
from streed.views.words.rules import phrases
from streed.views.words.wording import (
    answer,
    detail_facts,
    is_missing_test,
    is_weighted,
    lost_by_label,
    one_line,
    share_text,
    tree_label,
    value_name,
)

MOST_LEAVES = 512
"""Reasons are found for all leaves together, in a time that grows with their square (1,024 leaves: 0.5 s)."""

SCRIPTS = ("tree.js", "row.js", "front.js", "main.js")


def tree_to_html(tree: Tree, title: str, colors: Colors = None, rows: Rows | None = None) -> str:
    """Write the page of one tree; nodes show histograms of rows that are given."""
    return solutions_to_html([Solution((), tree)], title=title, colors=colors, rows=rows)


def result_to_html(result: Result, title: str | None, colors: Colors = None, rows: Rows | None = None) -> str:
    """Write the page of a result: its tree, or its front if that has several entries."""
    record = list(record_lines(result.record, 64))
    if len(result.front) < 2:
        return solutions_to_html(
            [Solution((), result.tree)],
            title=title or _heading(result),
            summary="\n".join(result.said()),
            table="\n".join(confusion(result.tree)),
            record=record,
            colors=colors,
            rows=rows,
        )
    chosen = next((i for i, solution in enumerate(result.front) if solution.tree is result.tree), 0)
    summary = f"{len(result.front)} trees, none of which is better than another in every respect"
    if not result.optimal:
        summary += f"; the search ended early ({result.status}), so there may be others"
    return solutions_to_html(
        result.front,
        title=title or _heading(result),
        summary=summary,
        record=record,
        objectives=result.objectives,
        chosen=chosen,
        colors=colors,
        rows=rows,
    )


def _heading(result: Result) -> str:
    return result.task.replace("_", " ").capitalize() or "Decision tree"


def solutions_to_html(
    front: Sequence[Solution],
    *,
    title: str,
    summary: str = "",
    table: str = "",
    record: Sequence[str] = (),
    objectives: Sequence[str] = (),
    chosen: int = 0,
    colors: Colors = None,
    rows: Rows | None = None,
) -> str:
    """Write the page of trees and their values; it shows the tree at `chosen`, and the values as a plot.

    Parameters
    ----------
    front : sequence of Solution
        The trees; a single one needs no values.
    title : str
        Heading of the page.
    summary : str, default=""
        Text below the heading.
    table : str, default=""
        A confusion matrix as text; it unfolds below the summary.
    record : sequence of str, optional
        Who made the trees, of which data and what is proven; it unfolds below the summary.
    objectives : sequence of str, optional
        Names of the values.
    chosen : int, default=0
        The tree that is shown first.
    colors : mapping or list of str, optional
        Colours that were chosen for labels.
    rows : Rows, optional
        Rows whose values nodes show as histograms.

    Returns
    -------
    str
        An HTML document.
    """
    width = min(len(solution.values) for solution in front)
    names = tuple(objectives) or tuple(f"objective {i + 1}" for i in range(width))
    if len(names) != width:
        raise ValueError(f"objectives must name the {width} values of each solution, got {objectives!r}")
    data = {
        "objectives": list(names),
        "chosen": chosen,
        "columns": _columns(solution.tree for solution in front),
        "trees": [
            {**_tree(s.tree, colors, rows), "values": [_number(value) for value in s.values]} for s in front
        ],
    }
    script = "(() => {\n" + "\n".join(_read(name) for name in SCRIPTS) + "\n})();"
    style = _read("page.css")
    parts = {
        "title": escape(title),
        "summary": escape(summary),
        "table": _folded("Confusion matrix", f"<pre>{escape(table)}</pre>" if table else "")
        + _folded("Record", "".join(f"<p>{escape(one_line(line))}</p>" for line in record)),
        "text": escape(front[chosen].tree.to_text()),
        "style": style,
        "script": script,
        "data": _json(data),
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


def _folded(name: str, markup: str) -> str:
    """Write what unfolds; nothing, if there is nothing to show."""
    return f"<details><summary>{name}</summary>{markup}</details>" if markup else ""


def _read(name: str) -> str:
    return files("streed.views.page").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what the policy calls a script or style sheet: no other one may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: object) -> str:
    """Write JSON that no browser can take for the end of a script, whatever names are in it."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _tree(tree: Tree, chosen: Colors, rows: Rows | None) -> dict[str, Any]:
    """Describe a tree for the scripts: its nodes, the tests in them, and its labels."""
    used = sorted({feature for feature in tree.feature.tolist() if feature >= 0})
    n_labels = tree.classes.size
    colors, reasons = label_colors(tree, chosen), _reasons(tree)
    bars = {} if rows is None else histograms(tree, rows)
    return {
        "classes": [tree_label(tree, label) for label in range(n_labels)],
        "colors": colors,
        "inks": [ink_on(color) for color in colors],
        "valueName": None if tree.values is None else value_name(tree),
        "manyLabels": n_labels > MOST,
        "shapeName": None if tree.details is None else shape_name(tree.details),
        "branching": tree.n_nodes,
        "tests": {feature: _test(tree, feature) for feature in used},
        "nodes": [{**_node(tree, node, reasons), **bars.get(node, {})} for node in range(tree.node_count)],
    }


def _reasons(tree: Tree) -> dict[int, str]:
    """Return what decides in the leaves whose paths have tests that do not matter for the prediction."""
    if tree.n_leaves > MOST_LEAVES:
        return {}
    try:
        leaves = Leaves(tree, conditions_of(tree), same_prediction(tree))
    except ExportError:  # a test of parts of dates
        return {}
    found = {node: leaves.reasons(node) for node in leaves.by_node}
    return {
        node: " and ".join(phrases(tree, list(steps))) or "nothing"
        for node, steps in found.items()
        if len(steps) < len(leaves.by_node[node].steps)
    }


def _node(tree: Tree, node: int, reasons: Mapping[int, str]) -> dict[str, Any]:
    known: dict[str, Any] = {"rows": int(tree.n_samples[node])}
    if tree.class_weights is not None:
        known["weights"] = [float(f"{weight:.12g}") for weight in tree.class_weights[node]]
        if is_weighted(tree) or lost_by_label(tree, node) > 0:
            known |= {"share": share_text(tree, node), "weighted": is_weighted(tree)}
        if tree.class_counts is not None:
            known["counts"] = tree.class_counts[node].tolist()
    if tree.values is not None:
        known["value"] = _number(tree.values[node])
    if tree.details is not None:
        known |= {"shape": node_shape(tree.details, node), "more": ", ".join(detail_facts(tree, node))}
    if tree.prices is not None:
        known |= {"price": _number(tree.prices[node]), "paid": _number(tree.paid()[node])}
    if tree.feature[node] < 0:
        known |= {"reason": reasons[node]} if node in reasons else {}
        return {"label": int(tree.label[node]), **known}
    branch = {"feature": tree.feature[node], "left": tree.left[node], "right": tree.right[node]}
    return {**{name: int(value) for name, value in branch.items()}, **known}


def _test(tree: Tree, feature: int) -> dict[str, Any]:
    """Describe a test: in words, and so that a script can try a value."""
    words: dict[str, Any] = {"text": tree.feature_name(feature), "no": answer(tree, feature, False)}
    if tree.conditions is None:
        return {**words, "column": tree.feature_name(feature), "kind": "true"}
    test = tree.conditions[feature]
    words["column"] = test.column
    if test.missing:
        words["orMissing"] = True
    words["kind"] = kind = _kind(test)
    if test.part:
        return {**words, "limit": test.value, "part": test.part}
    if kind in ("number", "date"):
        wide = isinstance(test.value, int) and abs(test.value) > EXACT  # no number of a script
        return {**words, "limit": str(test.value) if wide else test.value}
    return {**words, "values": _category_texts(test.operator, test.value)} if kind == "in" else words


def _kind(test: Condition) -> str:
    """Return how the scripts try a value, and which kind of field asks for it."""
    if test.operator == "is":
        return "missing" if is_missing_test(test) else "true"
    if test.operator == "<=":
        return "date" if isinstance(test.value, str) or test.part else "number"
    return "in"


def _category_texts(operator: str, value: Any) -> list[str]:
    values = value if operator == "in" else (value,)
    return [number_text(each) if isinstance(each, float) else str(each) for each in values]


def _columns(trees: Iterable[Tree]) -> list[dict[str, Any]]:
    """Describe the fields of the form for a row: one per column that some tree tests, by first use."""
    columns: dict[str, dict[str, Any]] = {}
    for tree in trees:
        for feature in dict.fromkeys(f for f in tree.feature.tolist() if f >= 0):
            test = _test(tree, feature)
            column = columns.setdefault(test["column"], _column(tree, test))
            if column["kind"] == "missing":
                column["kind"] = test["kind"]
    return list(columns.values())


def _column(tree: Tree, test: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a column by what its tree tests: other values of the training rows are not shown."""
    conditions = tree.conditions or ()
    own = [c for c in conditions if c.column == test["column"]]
    tested = [conditions[feature] for feature in tested_features(tree, conditions)] if conditions else []
    named = [c for c in tested if c.column == test["column"] and c.operator in ("=", "in")]
    categories = [_category_texts(c.operator, c.value) for c in named]
    kind = test["kind"]
    if kind == "missing":
        others = [c for c in own if not is_missing_test(c)]
        kind = _kind(others[0]) if others else kind
    return {
        "name": test["column"],
        "kind": kind,
        "categories": list(dict.fromkeys(text for texts in categories for text in texts)),
        "missing": any(c.knows_missing for c in own),
        "wholeDays": all(
            c.part != "hour" if c.part else len(str(c.value)) == 10 for c in own if c.operator == "<="
        ),
    }
