"""A tree as a picture, with matplotlib.

The tree grows from left to right: names of columns are long and are read horizontally, so 32 leaves take 32
lines of a page, where side by side they would overlap. Every leaf has a line of its own, with its label, a
bar and its rows in columns that can be compared. All places are computed in points from measured text;
drawing into given axes gives the same picture in another size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from streed.tree.tree import Tree
from streed.views.page.shapes import node_shape
from streed.views.palette import GREY, INK, MOST, TESTS, Colors, ink_on
from streed.views.pictures.layout import BAR, CHIP, FONT, PAD, SMALL, Layout, text_width

LINE, PAPER, EMPTY = "#aab4bf", "#f6f8fa", "#e6eaee"
"""Colours of lines, boxes, and of what a bar leaves free."""
MARGIN = 8.0
PAGE, LEAST_SCALE = np.array([11.69, 8.27]) * 72, 0.75
"""A page (A4, landscape) that a new figure is shrunk to, if that leaves text readable."""


def plot_tree(tree: Tree, ax: Any, title: str | None, colors: Colors = None) -> Any:
    """Draw a tree; see `Tree.plot`."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("Tree.plot needs matplotlib: pip install 'streed[plot]'") from error
    picture = Layout(tree, colors)
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
        for number, line in enumerate(layout.legend):
            x, y = layout.width - layout.legend_width(line), layout.legend_at + 7 + 14 * number
            for color, text in line:
                self._rectangle(x + 8, y - 3.5, 7, 7, color)
                self._text(x + 18, y, text, size=SMALL, color=GREY)
                x += text_width(text, SMALL) + 22
