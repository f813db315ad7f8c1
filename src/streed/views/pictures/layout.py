"""Where everything goes in the picture of a tree, in points, from measured text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from streed.tree.tree import Tree
from streed.views.page.shapes import shape_name
from streed.views.palette import GREY, MOST, TESTS, Colors, label_colors
from streed.views.words.names import Names
from streed.views.words.wording import (
    detail_facts,
    label_text,
    number_words,
    one_line,
    rows_text,
    share_text,
    tree_label,
    value_name,
)

FONT, SMALL = 8.5, 7.0
PITCH, PAD, GAP = 18.5, 5.0, 40.0
"""Points from leaf to leaf, inside boxes, and between the columns of the tree."""
BAR, CHIP = 80.0, 13.0
"""Width of a leaf's bar, and height of bars and labels."""
LETTERS, LINES = 24, 2
"""Letters in a line of a test, and lines, before it is cut off."""


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a text in points, with room for the rounding of letters to pixels."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    width, _, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return 1.05 * float(width)


def _shorten(name: str, ending: str, names: Names) -> str:
    """Break a test into lines. What does not fit is left out of the name, never of the value after it."""
    for most in range(min(len(name), LETTERS * LINES), 0, -1):
        lines = textwrap.wrap(names.short(name, most) + ending, LETTERS, break_on_hyphens=False) or [""]
        if len(lines) <= LINES:
            return "\n".join(lines)
    return _cut(name + ending)


def _parts(tree: Tree, node: int) -> tuple[str, str]:
    """Return what a node tests: the name of its column, and what follows it."""
    feature = int(tree.feature[node])
    text = one_line(tree.feature_name(feature))
    column = "" if tree.conditions is None else one_line(tree.conditions[feature].subject)
    if column and text.startswith(column):
        name, ending = column, text[len(column) :]
        return name, _at_most(ending[4:]) if ending.startswith(" <= ") else _cut(ending)
    name, sign, value = text.rpartition(" <= ")
    return (name, _at_most(value)) if sign else (text, "")


def _at_most(value: str) -> str:
    return f" ≤\u00a0{_cut(value)}"


def _cut(text: str) -> str:
    text = one_line(text)
    half = (LETTERS - 1) // 2
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1 - half].rstrip()}…{text[-half:]}"


@dataclass
class Layout:
    """Where everything goes, in points, from the upper left corner to the right and down."""

    tree: Tree
    chosen: Colors = None
    places: dict[int, tuple[float, float]] = field(init=False)
    tests: dict[int, str] = field(init=False)
    boxes: dict[int, tuple[float, float]] = field(init=False)

    def __post_init__(self) -> None:
        tree = self.tree
        self.paid = None if tree.prices is None else tree.paid()
        self.levels = _levels(tree)
        self.colors = label_colors(tree, self.chosen)
        branching = np.flatnonzero(tree.feature >= 0).tolist()
        self.leaves = np.flatnonzero(tree.feature < 0).tolist()
        parts = {node: _parts(tree, node) for node in branching}
        names = Names(name for name, _ in parts.values())
        self.tests = {node: _shorten(*parts[node], names) for node in branching}
        self.boxes = {node: self._box(node) for node in branching}
        widths = [
            max(self.boxes[node][0] for node in branching if self.levels[node] == level)
            for level in range(tree.depth)
        ]
        self.columns = np.concatenate([[0.0], np.cumsum([width + GAP for width in widths])])
        self.labels = {node: _cut(tree_label(tree, int(tree.label[node]))) for node in self.leaves}
        self.chip = max(text_width(label, FONT) for label in self.labels.values()) + 2 * PAD + 4
        self.facts = {node: self._facts(node) for node in self.leaves}
        self.count = max(text_width(count, FONT) for count, _ in self.facts.values())
        self.share = max(text_width(share, FONT) for _, share in self.facts.values())
        known = (tree.class_weights, tree.values, tree.details)
        self.bars = BAR if any(part is not None for part in known) else 0.0
        self.chips_at = float(self.columns[-1])
        self.bars_at = self.chips_at + self.chip + 8
        self.shares_at = self.bars_at + self.bars + (6 if self.bars else 0) + self.share
        self.counts_at = self.shares_at + (10 if self.share else 0) + self.count
        self.legend_at = PITCH * len(self.leaves) + 6
        self.legend = self._legend_lines(self._legend())
        self.width = max(self.counts_at, *(self.legend_width(line) for line in self.legend), 0.0)
        self.height = self.legend_at + (14 * len(self.legend) if self.legend else -4)
        self.places = {}
        self._place(0, 0)

    def _place(self, node: int, row: int) -> int:
        """Place a subtree whose first leaf is number `row`; return the number after its last leaf."""
        if self.tree.feature[node] < 0:
            self.places[node] = (self.chips_at, PITCH * (row + 0.5))
            return row + 1
        children = int(self.tree.left[node]), int(self.tree.right[node])
        for child in children:
            row = self._place(child, row)
        middle = sum(self.places[child][1] for child in children) / 2
        self.places[node] = (float(self.columns[self.levels[node]]), middle)
        return row

    def _box(self, node: int) -> tuple[float, float]:
        lines = self.tests[node].splitlines()
        rows = text_width(self.foot(node), SMALL) + 34
        width = max(*(text_width(line, FONT) for line in lines), rows)
        return width + 2 * PAD, len(lines) * FONT * 1.2 + SMALL + 6

    def foot(self, node: int) -> str:
        """Return what is said below a test: its price, if tests have prices, and its rows."""
        price = "" if self.tree.prices is None else f"price {self.tree.prices[node]:.6g}, "
        return price + rows_text(int(self.tree.n_samples[node]))

    def _facts(self, node: int) -> tuple[str, str]:
        """Return the rows of a leaf, and its value (with what tests cost) or the share of its label."""
        count = rows_text(int(self.tree.n_samples[node]))
        if self.tree.details is not None:
            return count, ", ".join(detail_facts(self.tree, node))
        if self.tree.values is not None:
            paid = "" if self.paid is None else f" + {self.paid[node]:.6g}"
            return count, f"{number_words(float(self.tree.values[node]))}{paid}"
        return count, "" if self.tree.class_weights is None else share_text(self.tree, node)

    def shares(self, node: int) -> Any:
        """Return the shares of the classes at a node; None if the tree has none."""
        if self.tree.class_weights is None:
            return None
        counts = self.tree.class_counts
        weights = self.tree.class_weights[node] if counts is None else counts[node]
        return weights / max(float(weights.sum()), 1e-300)

    def color(self, label: int) -> str:
        """Return the colour of a label."""
        return self.colors[label]

    def _legend(self) -> list[tuple[str, str]]:
        """Return what is explained below the leaves: the colours of the classes, or what the bars show."""
        if self.tree.details is not None:
            return [(GREY, shape_name(self.tree.details))]
        if self.tree.values is not None:
            tests = [] if self.paid is None else [(TESTS, "tests per row")]
            return [(GREY, f"{value_name(self.tree)} per row"), *tests]
        if self.tree.class_weights is None or self.tree.classes.size > MOST:
            return []
        return [(self.color(k), _cut(label_text(c))) for k, c in enumerate(self.tree.classes.tolist())]

    def legend_width(self, line: list[tuple[str, str]]) -> float:
        """Return the width of a line of the legend."""
        return sum(text_width(text, SMALL) + 22 for _, text in line)

    def _legend_lines(self, entries: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        """Break the legend into lines that are no wider than the tree."""
        lines: list[list[tuple[str, str]]] = []
        for entry in entries:
            if lines and self.legend_width([*lines[-1], entry]) <= self.counts_at:
                lines[-1].append(entry)
            else:
                lines.append([entry])
        return lines


def _levels(tree: Tree) -> list[int]:
    levels = [0] * tree.node_count
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        levels[tree.left[node]] = levels[tree.right[node]] = levels[node] + 1
    return levels
