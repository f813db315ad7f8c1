"""Small charts as SVG: a line through points in the unit square, beside the diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

SIZE, EDGE = 260, 36


def unit_chart(
    points: Sequence[tuple[float, float]],
    across: str,
    up: str,
    *,
    line: bool = True,
    bars: Sequence[tuple[float, float, float]] = (),
) -> str:
    """Draw points between 0 and 1, joined by a line or with vertical intervals (x, low, high)."""

    def at(x: float, y: float) -> str:
        return f"{EDGE + SIZE * x:.1f},{EDGE / 2 + SIZE * (1 - y):.1f}"

    width = SIZE + 1.5 * EDGE
    parts = [
        f'<svg viewBox="0 0 {width:g} {width:g}" width="{width:g}" role="img" '
        f'aria-label="{escape(up)} against {escape(across)}">',
        f'<rect x="{EDGE}" y="{EDGE / 2:g}" width="{SIZE}" height="{SIZE}" class="frame"/>',
        f'<polyline points="{at(0, 0)} {at(1, 1)}" class="diagonal"/>',
    ]
    parts += [f'<polyline points="{at(x, low)} {at(x, high)}" class="bar"/>' for x, low, high in bars]
    if line:
        parts.append(f'<polyline points="{" ".join(at(x, y) for x, y in points)}" class="line"/>')
    for x, y in points:
        cx, cy = at(x, y).split(",")
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="3.5"/>')
    middle = EDGE + SIZE / 2
    parts += [
        f'<text x="{middle:g}" y="{SIZE + EDGE + 6:g}" text-anchor="middle">{escape(across)}</text>',
        f'<text transform="translate(14 {EDGE / 2 + SIZE / 2:g}) rotate(-90)" text-anchor="middle">'
        f"{escape(up)}</text>",
        "</svg>",
    ]
    return "".join(parts)
