"""A tree as a picture, with matplotlib.

The tree grows from left to right: names of columns are long and are read horizontally, so 32 leaves take 32
lines of a page, where side by side they would overlap. Every leaf has a line of its own, with its label, a
bar and its rows in columns that can be compared. All places are computed in points from measured text;
drawing into given axes gives the same picture in another size.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from streed.tree.tree import Tree
from streed.views.palette import INK, MOST, ink_on, label_colors
from streed.views.shapes import node_shape, shape_name
from streed.views.wording import detail_facts, label_text, one_line, rows_text, value_name

GREY, LINE, PAPER, EMPTY = "#66727f", "#aab4bf", "#f6f8fa", "#e6eaee"
"""Colours of remarks, lines, boxes, and of what a bar leaves free."""
TESTS = "#7fa8cf"
"""Colour of what rows paid for tests."""
FONT, SMALL = 8.5, 7.0
PITCH, PAD, GAP = 18.5, 5.0, 40.0
"""Points from leaf to leaf, inside boxes, and between the columns of the tree."""
BAR, CHIP = 80.0, 13.0
"""Width of a leaf's bar, and height of bars and labels."""
LETTERS, LINES = 24, 2
"""Letters in a line of a test, and lines, before it is cut off."""
MARGIN = 8.0
PAGE, LEAST_SCALE = np.array([11.69, 8.27]) * 72, 0.75
"""A page (A4, landscape) that a new figure is shrunk to, if that leaves text readable."""


def plot_tree(tree: Tree, ax: Any, title: str | None) -> Any:
    """Draw a tree; see `Tree.plot`."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("Tree.plot needs matplotlib: pip install 'streed[plot]'") from error
    picture = Layout(tree)
    if ax is None:
        head = 22.0 if title else 0.0
        size = np.array([picture.width + 2 * MARGIN, picture.height + 2 * MARGIN + head])
        inches = size / 72 * max(LEAST_SCALE, min(1.0, *(PAGE / size)))
        x, y = MARGIN / size
        ax = plt.figure(figsize=inches).add_axes((x, y, 1 - 2 * x, 1 - 2 * y - head / size[1]))
    ax.set_axis_off()
    if title:
        ax.set_title(title, fontsize=11, color=INK, loc="left", pad=6, parse_math=False)
    box = ax.get_window_extent()
    room = box.width * 72 / ax.figure.dpi, box.height * 72 / ax.figure.dpi
    scale = min(room[0] / picture.width, room[1] / picture.height, 1.0)
    # The axes count in points of the full-sized picture, the same in both directions: shapes keep their form.
    across, down = room[0] / scale, room[1] / scale
    ax.set(xlim=(0, across), ylim=(down, 0))
    Painter(ax, picture, scale).draw()
    return ax


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a text in points, with room for the rounding of letters to pixels."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    width, _, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return 1.05 * float(width)


def _shorten(text: str) -> str:
    """Break a test into lines. What does not fit is left out of the name, never of the value after it."""
    name, sign, value = text.rpartition(" <= ")
    ending = f" ≤\u00a0{_cut(value)}" if sign else ""
    name = name if sign else text
    while True:
        lines = textwrap.wrap(name + ending, LETTERS, break_on_hyphens=False) or [""]
        if len(lines) <= LINES:
            return "\n".join(lines)
        name = name.removesuffix("…")[:-1].rstrip() + "…"


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= LETTERS else text[: LETTERS - 1].rstrip() + "…"


@dataclass
class Layout:
    """Where everything goes, in points, from the upper left corner to the right and down."""

    tree: Tree
    places: dict[int, tuple[float, float]] = field(init=False)
    tests: dict[int, str] = field(init=False)
    boxes: dict[int, tuple[float, float]] = field(init=False)

    def __post_init__(self) -> None:
        tree = self.tree
        self.paid = None if tree.prices is None else tree.paid()
        self.levels = _levels(tree)
        self.colors = label_colors(tree)
        branching = np.flatnonzero(tree.feature >= 0).tolist()
        self.leaves = np.flatnonzero(tree.feature < 0).tolist()
        self.tests = {node: self._test(node) for node in branching}
        self.boxes = {node: self._box(node) for node in branching}
        widths = [
            max(self.boxes[node][0] for node in branching if self.levels[node] == level)
            for level in range(tree.depth)
        ]
        self.columns = np.concatenate([[0.0], np.cumsum([width + GAP for width in widths])])
        self.labels = {node: _cut(label_text(tree.classes[tree.label[node]])) for node in self.leaves}
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
        self.legend = self._legend()
        self.width = max(self.counts_at, self._legend_width())
        self.height = self.legend_at + (14 if self.legend else -4)
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

    def _test(self, node: int) -> str:
        return _shorten(one_line(self.tree.feature_name(int(self.tree.feature[node]))))

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
            return count, f"{self.tree.values[node]:.4g}{paid}"
        shares = self.shares(node)
        return count, "" if shares is None else f"{100 * shares[self.tree.label[node]]:.1f} %"

    def shares(self, node: int) -> Any:
        """Return the shares of the classes at a node; None if the tree has none."""
        if self.tree.class_weights is None:
            return None
        weights = self.tree.class_weights[node]
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

    def _legend_width(self) -> float:
        return sum(text_width(text, SMALL) + 22 for _, text in self.legend)


def _levels(tree: Tree) -> list[int]:
    levels = [0] * tree.node_count
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        levels[tree.left[node]] = levels[tree.right[node]] = levels[node] + 1
    return levels


@dataclass
class Painter:
    """Draws a layout into axes; sizes in points are multiplied by `scale`."""

    ax: Any
    layout: Layout
    scale: float

    def draw(self) -> None:
        """Draw lines first, then boxes, leaves and the legend."""
        tree = self.layout.tree
        for node in self.layout.tests:
            self._edge(node, int(tree.left[node]), "no")
            self._edge(node, int(tree.right[node]), "yes")
        for node in self.layout.tests:
            self._node(node)
        bar: Callable[[int, float, float], None] = self._share_bar
        if tree.details is not None:
            bar = self._shape
        elif tree.values is not None:
            bar = self._value_bar
        elif tree.class_weights is None:
            bar = self._no_bar
        for leaf in self.layout.leaves:
            self._leaf(leaf, bar)
        self._legend()

    def _text(self, x: float, y: float, text: str, **style: Any) -> None:
        size = style.pop("size", FONT) * self.scale
        options: dict[str, Any] = {"va": "center", "color": INK, "parse_math": False, **style}
        self.ax.text(x, y, text, fontsize=size, **options)

    def _edge(self, node: int, child: int, word: str) -> None:
        """Draw a line whose width tells how many of the rows take it."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        layout, tree = self.layout, self.layout.tree
        x, y = layout.places[node]
        x += layout.boxes[node][0]
        bend = float(layout.columns[layout.levels[node] + 1]) - 20
        end, level = layout.places[child]
        curve = [(x, y), ((x + bend) / 2, y), ((x + bend) / 2, level), (bend, level), (end, level)]
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        rows = float(tree.n_samples[child]) / max(float(tree.n_samples[0]), 1.0)
        width = (0.8 + 4.2 * np.sqrt(rows)) * self.scale
        line = PathPatch(
            Path(curve, codes), facecolor="none", edgecolor=LINE, linewidth=width, capstyle="butt", zorder=1
        )
        self.ax.add_patch(line)
        halo = {"facecolor": "white", "edgecolor": "none", "pad": 1.2 * self.scale}
        self._text(bend + 6, level, word, size=SMALL, ha="center", color=GREY, bbox=halo, zorder=2)

    def _box(self, x: float, y: float, width: float, height: float, radius: float, **style: Any) -> Any:
        from matplotlib.patches import FancyBboxPatch

        shape = f"round,pad=0,rounding_size={radius}"
        patch = FancyBboxPatch((x, y - height / 2), width, height, boxstyle=shape, mutation_aspect=1, **style)
        return self.ax.add_patch(patch)

    def _rectangle(self, x: float, y: float, width: float, height: float, color: str) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, facecolor=color, edgecolor="none", zorder=4))

    def _node(self, node: int) -> None:
        layout = self.layout
        (x, y), (width, height) = layout.places[node], layout.boxes[node]
        style = {"facecolor": PAPER, "edgecolor": LINE, "linewidth": 0.9 * self.scale, "zorder": 3}
        self._box(x, y, width, height, 3.5, **style)
        text_height = height - SMALL - 6
        self._text(
            x + PAD, y - height / 2 + 2 + text_height / 2, layout.tests[node], zorder=4, linespacing=1.15
        )
        foot, count = y + height / 2 - SMALL / 2 - 2.5, layout.foot(node)
        self._text(x + width - PAD, foot, count, size=SMALL, ha="right", color=GREY, zorder=4)
        shares = None if layout.tree.classes.size > MOST else layout.shares(node)
        room = width - 2 * PAD - text_width(count, SMALL) - 5
        start = x + PAD
        for label, share in enumerate([] if shares is None else shares):
            self._rectangle(start, foot - 1.5, room * share, 3.0, layout.color(label))
            start += room * share

    def _leaf(self, leaf: int, bar: Callable[[int, float, float], None]) -> None:
        layout = self.layout
        x, y = layout.places[leaf]
        color = layout.color(int(layout.tree.label[leaf]))
        self._box(x, y, layout.chip, CHIP, 3.0, facecolor=color, edgecolor="none", zorder=3)
        self._text(x + layout.chip / 2, y, layout.labels[leaf], ha="center", color=ink_on(color), zorder=4)
        bar(leaf, layout.bars_at, y)
        count, share = layout.facts[leaf]
        self._text(layout.shares_at, y, share, ha="right")
        self._text(layout.counts_at, y, count, ha="right", color=GREY)

    def _share_bar(self, leaf: int, x: float, y: float) -> None:
        """Draw the shares of all classes; only that of the leaf's own label if there are too many."""
        shares, own = self.layout.shares(leaf), int(self.layout.tree.label[leaf])
        if shares.size > MOST:
            self._rectangle(x, y - CHIP / 2, BAR, CHIP, EMPTY)
        for label, share in enumerate(shares):
            if shares.size <= MOST or label == own:
                self._rectangle(x, y - CHIP / 2, BAR * share, CHIP, self.layout.color(label))
                x += BAR * share

    def _value_bar(self, leaf: int, x: float, y: float) -> None:
        """Draw a value from zero on, then what was paid for tests; the bars of all leaves have one scale."""
        values, leaves = self.layout.tree.values, self.layout.leaves
        assert values is not None
        paid = np.zeros_like(values) if self.layout.paid is None else self.layout.paid
        tops = np.maximum(values, 0.0) + paid
        low, high = min(0.0, float(values[leaves].min())), float(tops[leaves].max())
        unit = BAR / ((high - low) or 1.0)
        zero, end, top = (x + (float(v) - low) * unit for v in (0.0, values[leaf], tops[leaf]))
        self._rectangle(x, y - CHIP / 2, BAR, CHIP, EMPTY)
        self._rectangle(min(zero, end), y - CHIP / 2, abs(end - zero), CHIP, GREY)
        self._rectangle(max(zero, end), y - CHIP / 2, top - max(zero, end), CHIP, TESTS)

    def _shape(self, leaf: int, x: float, y: float) -> None:
        """Draw the distribution of the leaf's targets, or its survival curve, as a filled area."""
        from matplotlib.patches import Polygon

        details = self.layout.tree.details
        assert details is not None
        low = y + CHIP / 2
        outline = [(0.0, 0.0), *node_shape(details, leaf), (1.0, 0.0)]
        points = [(x + BAR * across, low - CHIP * up) for across, up in outline]
        color = self.layout.color(int(self.layout.tree.label[leaf]))
        self.ax.add_patch(Polygon(points, closed=True, facecolor=color, edgecolor="none", zorder=4))
        self._rectangle(x, low, BAR, 0.8, LINE)

    def _no_bar(self, leaf: int, x: float, y: float) -> None:
        """Draw nothing: the tree knows neither classes nor values."""

    def _legend(self) -> None:
        layout = self.layout
        x, y = layout.width - layout._legend_width(), layout.legend_at + 7
        for color, text in layout.legend:
            self._rectangle(x + 8, y - 3.5, 7, 7, color)
            self._text(x + 18, y, text, size=SMALL, color=GREY)
            x += text_width(text, SMALL) + 22
