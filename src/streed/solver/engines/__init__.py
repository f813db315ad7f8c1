"""The searches of the native engine, one per file: which forms each of them solves, and how it is called.

| file | engine | solves |
|---|---|---|
| `by_depth.py` | ``core/search`` | one value, up to a depth |
| `priced.py` | ``core/priced`` | one value, where branching nodes have a price; without a depth |
| `all_sizes.py` | ``core/sizes`` | one value, for every number of branching nodes at once |
| `thresholds.py` | ``core/thresholds`` | one value, over all thresholds of columns of ranks |
| `bins.py` | ``core/thresholds/many`` | one value, over columns in bins, for many rows; nothing is proven |
| `constrained.py` | ``core/front`` | the first of several values, with the others within limits |
| `front.py` | ``core/front`` | several values: all nondominated trees |
| `mixed.py` | ``core/front/mixed`` | the same for maxima over leaves and functions of statistics |

Each file has two functions. ``refusal(form, limits)`` says why the engine does not solve a form within
limits, and is empty if it does; nothing else decides that. ``search(...)`` calls the engine with the data of
the form. Strategies (`streed.solver.strategies`) say which engines they use and in which order.
"""

from __future__ import annotations

from streed.options import Limits

NEEDS_DEPTH = (
    "max_depth=None is possible only where one value is searched (also within limits) and branching "
    "nodes have a price (cost_complexity above zero); give max_depth"
)


def needs_depth(limits: Limits) -> str:
    """Say that a search needs a depth, if there is none; else nothing."""
    return NEEDS_DEPTH if limits.unlimited else ""
