"""What the limits of a tree cost: the best tree of the same size without them, on the rows of the fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from streed.report.sections import Section
from streed.table.digest import digest

if TYPE_CHECKING:
    from streed.model.model import Model

LIMITS = ("constraint", "constraints", "capacity", "treatment_costs", "budget")
"""Parameters of estimators that limit their trees; None is no limit."""
SECONDS = 10.0
"""Longest time for the fit without limits."""


def price_of_limits(fitted: Any, model: Model, X: Any, targets: Any, target: str) -> Iterator[Section]:
    """Fit again without limits, and say how much better that tree is; nothing for a tree without limits.

    What `fit` takes the targets as is its argument `target`.
    """
    if not hasattr(fitted, "get_params"):
        return
    tuned = getattr(fitted, "tuned_", None) if fitted.tune is not None else None
    made = fitted if tuned is None else tuned.estimator
    given = made.get_params(deep=False)
    if not any(given.get(name) for name in LIMITS):
        return
    title = "What the limits cost"
    if why := _other_rows(model, X, targets, target):
        yield Section(title, [f"Not counted: {why}."])
        return
    from sklearn.base import clone

    from streed.errors import silent_fits

    free = clone(made).set_params(**{name: None for name in LIMITS if name in given})
    free.set_params(tune=None, progress=False, time_limit=min(given["time_limit"] or SECONDS, SECONDS))
    with silent_fits():
        free.fit(X, **{target: targets})
    yield Section(title, list(_said(fitted.result_, free.result_)))


def _said(limited: Any, free: Any) -> Iterator[str]:
    measure = free.measure or free.task
    with_them, without = float(limited.objective), float(free.objective)
    proven = "is proven to have" if free.optimal else "was found that has"
    yield (
        f"On the rows of the fit the tree has {with_them:.6g} in {measure}. Without its limits a tree of the "
        f"same size {proven} {without:.6g}: the limits cost {abs(with_them - without):.6g}."
    )
    if limited.note != free.note:
        all_tests = "all tests"
        yield f"Searched with limits: {limited.note or all_tests}. Without them: {free.note or all_tests}."
    if not free.optimal:
        yield "The search for that tree ended early, so that the limits may cost more."
    if not limited.optimal:
        yield "The tree with limits is not proven to be the best one, so that the limits may cost less."


def _other_rows(model: Model, X: Any, targets: Any, target: str) -> str:
    """Return why rows are not those of the fit, or why these alone do not make the same fit."""
    data = model.record.get("data", {})
    known = data.get("sha256", {})
    if more := set(known) - {"X", target, "sensitive_features"}:
        return f"the fit was also given {', '.join(sorted(more))}"
    if [known.get("X"), known.get(target)] != [digest(X, "X"), digest(targets, target)]:
        return "the rows of train are not those of the fit"
    return ""
