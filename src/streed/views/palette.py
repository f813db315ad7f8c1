"""Colours of labels, the same ones in every view."""

from __future__ import annotations

COLORS = ("#2f7f86", "#c8553d", "#d9a441", "#6b5b95", "#4f8a4b", "#b65a8c", "#4a72b0", "#8c6d4f")
"""Colours of the labels, in turn."""
SHADES = ("#cfe6e4", "#f6d5cc", "#f5e3bd", "#dcd6ea", "#d5e6d2", "#f2d3e2", "#cfe0f3", "#e6ddd0")
"""The same colours, light enough for dark text."""
PLAIN = "#8796a5"
"""Colour of all labels if there are more than `MOST`."""
MOST = len(COLORS)
INK = "#1f2933"
"""Colour of text."""


def label_color(label: int, n_labels: int) -> str:
    """Return the colour of a label; with many labels colours would not tell them apart."""
    return PLAIN if n_labels > MOST else COLORS[label % len(COLORS)]


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
