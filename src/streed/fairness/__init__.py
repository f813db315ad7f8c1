"""Group fairness: notions of parity, rates of groups, and the trade-off between error and fairness."""

from __future__ import annotations

from streed.fairness.front import FairnessFront, FairnessPoint
from streed.fairness.groups import group_rates
from streed.fairness.parity import CONSTRAINTS, RATES, Parity, Rate, as_parity

__all__ = [
    "CONSTRAINTS",
    "RATES",
    "FairnessFront",
    "FairnessPoint",
    "Parity",
    "Rate",
    "as_parity",
    "group_rates",
]
