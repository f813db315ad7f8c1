"""Colours of labels, the same ones in every view."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from streed.tree.details import Curves

if TYPE_CHECKING:
    from streed.tree.tree import Tree

COLORS = (
    "#2f7f86", "#f2b872", "#3b1f5f", "#9ba1fb", "#842b02", "#c1e3fc", "#bb881a", "#5e4da1",
    "#8677ce", "#8c5c41", "#5c2b3b", "#0dcbc3", "#3db07c", "#8fdfb4", "#6c4842", "#2a426a",
    "#c25c5f", "#fad18a", "#6c0b04", "#2c9a88", "#76557e", "#cfa5a4", "#6467a8", "#9d92b3",
)  # fmt: skip
"""Colours of the labels, in turn: the first k of them are told apart by every reader, for every k.

Each colour after the third is the one, of a grid in OKLCH, whose least distance to those before it is
greatest; the distance of two colours is the least one that readers see who have all cones, or lack one kind
of them (Machado's matrices), and 2.2 times the difference of their greys. The least distances (OKLab; the
least difference that is seen is about 0.02) and least differences of greys among the first k:

| k | 2 | 5 | 8 | 10 | 16 | 24 |
|---|---|---|---|---|---|---|
| colours | .24 | .17 | .11 | .10 | .06 | .05 |
| greys | .26 | .08 | .06 | .045 | .027 | .02 |
"""
PLAIN = "#8796a5"
"""Colour of all labels if there are more than `MOST`."""
MOST = len(COLORS)
INK = "#1f2933"
"""Colour of text."""
GREY, TESTS = "#66727f", "#7fa8cf"
"""Colours of remarks, and of what rows paid for tests."""
HEX = re.compile("#[0-9a-fA-F]{6}")
Colors: TypeAlias = Mapping[Any, str] | Sequence[str] | None
"""Colours that a user chooses for labels."""


def label_color(label: int, n_labels: int) -> str:
    """Return the colour of a label; with many labels colours would not tell them apart."""
    return PLAIN if n_labels > MOST else COLORS[label % len(COLORS)]


PALE, DEEP = "#d9ecea", "#17595f"
"""Colours of the least and the greatest prediction of a tree that predicts numbers."""


def label_colors(tree: Tree, chosen: Colors = None) -> list[str]:
    """Return the colours of all labels of a tree: of classes in turn, of numbers from pale to deep.

    Parameters
    ----------
    tree : Tree
        The tree.
    chosen : mapping or sequence of str, optional
        Colours of labels, or of all labels in their order, as ``"#rrggbb"``.

    Examples
    --------
    >>> from streed import Tree
    >>> from streed.views.palette import label_colors
    >>> label_colors(Tree([-1], [-1], [-1], [0], n_samples=[1], classes=["a", "b"], n_features=0))
    ['#2f7f86', '#f2b872']
    """
    n_labels = tree.classes.size
    details = tree.details
    if details is None:
        found = [label_color(k, n_labels) for k in range(n_labels)]
        return found if chosen is None else _with_chosen(found, tree.classes.tolist(), chosen)
    if chosen is not None:
        raise ValueError("colors are those of classes; leaves that predict numbers go from pale to deep")
    # The leaf of each label; several labels may be left without one if the tree was put together by hand.
    numbers = np.zeros(n_labels)
    node_numbers = details.risk if isinstance(details, Curves) else details.mean
    for node in np.flatnonzero(tree.feature < 0).tolist():
        numbers[tree.label[node]] = np.atleast_1d(node_numbers[node])[0]
    low, high = float(numbers.min()), float(numbers.max())
    return [_between((number - low) / ((high - low) or 1.0)) for number in numbers.tolist()]


def _with_chosen(found: list[str], labels: list[Any], chosen: Colors) -> list[str]:
    """Put chosen colours in the place of those of some labels, or of all."""
    if isinstance(chosen, Mapping):
        unknown = [label for label in chosen if label not in labels]
        if unknown:
            raise ValueError(f"colors names {unknown[0]!r}, which is not among the labels {labels!r}")
        given = [chosen.get(label, color) for label, color in zip(labels, found, strict=True)]
    elif isinstance(chosen, str) or not isinstance(chosen, Sequence):
        raise TypeError(f"colors must be a mapping from labels to colours or a list of them, got {chosen!r}")
    elif len(chosen) != len(labels):
        raise ValueError(f"colors must have a colour for each of {len(labels)} labels, got {len(chosen)}")
    else:
        given = list(chosen)
    for color in given:
        if not isinstance(color, str) or not HEX.fullmatch(color):
            raise ValueError(f"a colour is written as '#rrggbb', got {color!r}")
    return [color.lower() for color in given]


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
    >>> ink_on("#2f7f86"), ink_on("#f2b872")
    ('#ffffff', '#1f2933')
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#ffffff" if 0.30 * red + 0.59 * green + 0.11 * blue < 150 else INK
