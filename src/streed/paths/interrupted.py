"""A path that Ctrl-C has ended: what is known of the sizes that were not searched."""

from __future__ import annotations

import math
from dataclasses import replace

from streed.tree.result import Result


def unsearched(leaf: Result, larger: Result) -> Result:
    """Return the single leaf for a size that was not searched; the bound is that of a larger size.

    One Ctrl-C ends the whole path; otherwise every remaining size would need its own Ctrl-C.
    """
    distance = abs(leaf.objective - larger.lower_bound)
    size = max(abs(leaf.objective), abs(larger.lower_bound))
    gap = 0.0 if distance == 0 else distance / size if math.isfinite(size) else math.inf
    return replace(leaf, lower_bound=larger.lower_bound, gap=gap, optimal=False, status="interrupted")
