"""The small picture of a node's rows: the distribution of their targets, or their survival curve.

A shape is the outline of an area, from the left to the right, as points between 0 and 1 in both directions;
views close it along the bottom. All nodes of a tree share the axes: positions can be compared from leaf to
leaf.
"""

from __future__ import annotations

import numpy as np

from streed.tree.details import Curves, Numbers
from streed.views.words.wording import number_words

STEPS = 48
"""Steps of a survival curve that are drawn; on the width of a leaf more cannot be seen."""

Shape = list[tuple[float, float]]


def node_shape(details: Numbers | Curves, node: int) -> Shape:
    """Return the outline for a node.

    Examples
    --------
    >>> import numpy as np
    >>> from streed.tree.details import Numbers
    >>> two = np.array([[1.0, 3.0]])
    >>> node_shape(Numbers(np.zeros(1), np.zeros(1), np.array([0.0, 1, 2]), two), 0)
    [(0.0, 0.333), (0.5, 0.333), (0.5, 1.0), (1.0, 1.0)]
    """
    if isinstance(details, Numbers):
        counts = details.counts[node]
        heights = counts / max(float(counts.max()), 1e-300)
        edges = np.arange(counts.size + 1) / counts.size
        return _steps(edges, heights)
    span = float(details.times[-1]) if details.times.size else 1.0
    times = np.concatenate([[0.0], details.times]) / (span or 1.0)
    heights = np.concatenate([[1.0], details.survival[node]])
    drops = np.flatnonzero(np.diff(heights, prepend=2.0) < 0)  # only where the curve falls
    if drops.size > STEPS:
        drops = drops[np.unique(np.linspace(0, drops.size - 1, STEPS).astype(int))]
    return _steps(np.append(times[drops], 1.0), heights[drops])


def shape_name(details: Numbers | Curves) -> str:
    """Say what the small pictures show, with the ends of their axis."""
    if isinstance(details, Numbers):
        low, high = (number_words(float(details.edges[end])) for end in (0, -1))
        several = " (the first target)" if details.mean.ndim > 1 else ""
        return f"distribution of the target{several}, {low} to {high}"
    return f"survival, from time 0 to {number_words(float(details.times[-1]) if details.times.size else 0.0)}"


def _steps(edges: np.ndarray, heights: np.ndarray) -> Shape:
    left, right, tall = (np.round(part, 3).tolist() for part in (edges[:-1], edges[1:], heights))
    return [point for a, b, h in zip(left, right, tall, strict=True) for point in ((a, h), (b, h))]
