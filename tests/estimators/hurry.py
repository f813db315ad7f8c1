"""Default fits that may do hardly any work, or that search over chosen cuts."""

from __future__ import annotations

import pytest

from streed.estimators.fitting import plan
from streed.solver.engines import thresholds


def hurry(patch: pytest.MonkeyPatch, work: float = 1.0) -> None:
    """Let a default fit search all thresholds for so much work, however large the table and the depth are."""
    patch.setattr(plan, "CHEAP", work)
    patch.setattr(plan, "CHEAP_DEEP", work)
    patch.setattr(plan, "CHEAP_WALKS", 0)


def choose_cuts(patch: pytest.MonkeyPatch) -> None:
    """Let fits search over chosen cuts, as for tasks that no search over all thresholds takes."""
    patch.setattr(thresholds, "refusal", lambda form, limits: "a test wants chosen cuts")
