"""A page inside a notebook: in a frame of its own, with the same as text below it.

The frame is isolated (``sandbox`` without ``allow-same-origin``): its style and scripts cannot reach the
notebook, and several frames cannot reach one another. Where a notebook is shown without frames, as on code
hosting sites, the text is left.
"""

from __future__ import annotations

from html import escape

MOST_CHARACTERS = 2_000_000
"""Larger pages are not put into a notebook, which stores every output; the text is shown alone."""

FRAME = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts" title="{title}" loading="lazy" '
    'style="width: 100%; height: {height}px; min-height: 240px; border: 1px solid #8884; '
    'border-radius: 6px; resize: vertical; overflow: auto; display: block"></iframe>'
)
TEXT = "<details{state}><summary>As text</summary><pre>{text}</pre></details>"


def framed(page: str, text: str, *, title: str, height: int) -> str:
    """Return what a notebook shows: a page in a frame, and a text that unfolds.

    Examples
    --------
    >>> shown = framed("<p>One & two</p>", "one", title="A tree", height=300)
    >>> shown.startswith('<iframe srcdoc="&lt;p&gt;One &amp; two&lt;/p&gt;" sandbox="allow-scripts"')
    True
    """
    if len(page) > MOST_CHARACTERS:
        return TEXT.format(state=" open", text=escape(text))
    frame = FRAME.format(page=escape(page), title=escape(title), height=height)
    return frame + TEXT.format(state="", text=escape(text))


def height_of(n_leaves: int, *, is_front: bool) -> int:
    """Return a height in pixels at which a page of so many leaves is seen whole, up to that of a screen."""
    return 720 if is_front else min(720, 400 + 36 * n_leaves)
