"""The next sensible step after a fit, from what the fit has measured."""

from __future__ import annotations

import math
from typing import Any

from streed.estimators.fitting.unproven import ENDED, advice_of_limit
from streed.options import Limits
from streed.tree.durations import duration
from streed.tree.result import Result

GROWTH = {3: 0.75, 4: 0.5}
"""One level more counts so many times the mean growth of the pair tables per level; deeper ones `LATER`."""
LATER = 0.35
SHORT, LONG = 60.0, 600.0
"""Up to so many seconds a further level is proposed; above so many it is advised against."""


def next_step(model: Any, result: Result, limits: Limits, total: float) -> str:
    """Say what to do next, if anything is known; `total` are the seconds of a search that was ended."""
    if not result.optimal:
        ended = advice_of_limit(model, result.status, limits) if result.status in ENDED else ""
        return "; ".join(filter(None, [pace_text(result, total), ended]))
    weights, tree = result.tree.class_weights, result.tree
    if limits.unlimited or tree.n_nodes == 0 or getattr(model, "tune", None) is not None:
        return ""
    if weights is not None and result.objective == 0 and result.measure in ("errors", "misclassified weight"):
        return "no row is wrong; tune='holdout' finds out whether a smaller tree does as well on new rows"
    seconds = one_level_more(result, limits.max_depth)
    if math.isnan(seconds):
        return ""
    deeper = f"max_depth={limits.max_depth + 1} takes about {duration(seconds)}"
    if seconds > LONG:
        return f"{deeper}: give it a time_limit"
    return f"{deeper}; tune='holdout' chooses the size on rows held out" if seconds <= SHORT else deeper


def pace_text(result: Result, total: float) -> str:
    """Say how long the whole search would have taken."""
    known = math.isfinite(total) and total > 1.2 * result.seconds
    return f"at its pace the search takes about {duration(total)} in all" if known else ""


def one_level_more(result: Result, max_depth: int) -> float:
    """Return the seconds that one level more takes, by the growth of the pair tables; NaN if unknown."""
    tables = float(result.statistics.get("tables_counted", 0))
    if max_depth < 3 or tables < 1:
        return math.nan
    growth = max(1.0, GROWTH.get(max_depth, LATER) * tables ** (1 / (max_depth - 2)))
    return float(result.seconds * growth)
