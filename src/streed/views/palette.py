"""Colours of labels, the same ones in every view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streed.tree.details import Curves

if TYPE_CHECKING:
    from streed.tree.tree import Tree

COLORS = ("#2f7f86", "#c8553d", "#d9a441", "#6b5b95", "#4f8a4b", "#b65a8c", "#4a72b0", "#8c6d4f")
"""Colours of the labels, in turn."""
SHADES = ("#cfe6e4", "#f6d5cc", "#f5e3bd", "#dcd6ea", "#d5e6d2", "#f2d3e2", "#cfe0f3", "#e6ddd0")
"""The colours of the palette, light enough for dark text."""
PLAIN = "#8796a5"
"""Colour of all labels if there are more than `MOST`."""
MOST = len(COLORS)
INK = "#1f2933"
"""Colour of text."""


def label_color(label: int, n_labels: int) -> str:
    """Return the colour of a label; with many labels colours would not tell them apart."""
    return PLAIN if n_labels > MOST else COLORS[label % len(COLORS)]


PALE, DEEP = "#d9ecea", "#17595f"
"""Colours of the least and the greatest prediction of a tree that predicts numbers."""


def label_colors(tree: Tree) -> list[str]:
    """Return the colours of all labels of a tree: of classes in turn, of numbers from pale to deep.

    Examples
    --------
    >>> from streed import Tree
    >>> from streed.views.palette import label_colors
    >>> label_colors(Tree([-1], [-1], [-1], [0], n_samples=[1], classes=["a", "b"], n_features=0))
    ['#2f7f86', '#c8553d']
    """
    n_labels = tree.classes.size
    details = tree.details
    if details is None:
        return [label_color(k, n_labels) for k in range(n_labels)]
    # The leaf of each label; several labels may be left without one if the tree was put together by hand.
    numbers = np.zeros(n_labels)
    node_numbers = details.risk if isinstance(details, Curves) else details.mean
    for node in np.flatnonzero(tree.feature < 0).tolist():
        numbers[tree.label[node]] = np.atleast_1d(node_numbers[node])[0]
    low, high = float(numbers.min()), float(numbers.max())
    return [_between((number - low) / ((high - low) or 1.0)) for number in numbers.tolist()]


def _between(share: float) -> str:
    """Return the colour at a share of the way from `PALE` to `DEEP`."""
    ends = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in (PALE, DEEP)]
    mixed = (round(a + share * (b - a)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink_on(color: str) -> str:
    """Return the colour of text that can be read on a colour: white, or dark where that is too light.

    Examples
    --------
    >>> from streed.views.palette import ink_on
    >>> ink_on("#2f7f86"), ink_on("#d9a441")
    ('#ffffff', '#1f2933')
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.30 * red + 0.59 * green + 0.11 * blue < 150 else INK
