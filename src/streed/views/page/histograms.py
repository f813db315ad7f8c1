"""How the values of a tested column are distributed at its node, with the place of the cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.table.columns import Kind, column_names, is_frame, numbered_names, read_columns
from streed.tree.tree import Tree
from streed.views.words.wording import number_words

BARS = 16
"""Bars of a histogram: more of them cannot be told apart in the width of a box."""


class Rows(NamedTuple):
    """A table, and how a tree sends its rows to leaves."""

    table: Any
    route: Callable[[Tree, Any], NDArray[np.int64]]


def histograms(tree: Tree, rows: Rows) -> dict[int, dict[str, Any]]:
    """Return, for each node with a cut of numbers, the bars of its rows and the place of the cut from 0 to 1.

    Bars are shares of the highest one. Values that are missing or infinite are left out.
    """
    leaf = rows.route(tree, rows.table)
    found, inside = {}, _inside(tree)
    values: dict[str, NDArray[np.float64] | None] = {}
    for node, test in enumerate(tree.tests):
        if test is None or test.operator != "<=" or isinstance(test.value, str) or test.part:
            continue
        if test.column not in values:
            values[test.column] = _numbers(rows.table, test.column)
        column = values[test.column]
        own = np.empty(0) if column is None else column[np.isin(leaf, inside[node])]
        own = own[np.isfinite(own)]
        if own.size:
            found[node] = {"bars": _bars(own, float(test.value))}
    return found


def _inside(tree: Tree) -> list[list[int]]:
    """Return the leaves at or below each node."""
    inside: list[list[int]] = [[node] for node in range(tree.node_count)]
    for node, left, right in reversed(tree.branches()):
        inside[node] = inside[left] + inside[right]
    return inside


def _numbers(table: Any, name: str) -> NDArray[np.float64] | None:
    names = column_names(table) if is_frame(table) else numbered_names(table.shape[1])
    place = names.index(name)
    part = table[[table.columns[place]]] if is_frame(table) else table[:, [place]]
    column = next(read_columns(part, [name]))
    return column.floats() if column.kind is Kind.NUMBER else None


def _bars(values: NDArray[np.float64], cut: float) -> dict[str, Any]:
    """Return the heights of the bars, the ends of their axis, and the place of the cut."""
    low, high = min(float(values.min()), cut), max(float(values.max()), cut)
    if not math.isfinite(high - low) or high <= low:
        low, high = cut - 0.5, cut + 0.5
    counts, _ = np.histogram(values, BARS, (low, high))
    heights = np.round(counts / max(1, counts.max()), 3).tolist()
    ends = [number_words(low), number_words(high)]
    return {"heights": heights, "cut": round((cut - low) / (high - low), 4), "ends": ends}
