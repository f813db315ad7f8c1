"""The sections of a report on a survival tree: concordance, events beside those that its curves expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.report.charts import unit_chart
from streed.report.sections import Rows, Section, Table
from streed.survival import concordance_index, concordance_interval, survival_target
from streed.survival.targets import event_and_time
from streed.tree.details import Curves
from streed.views.outputs import leaf_outputs
from streed.views.words.wording import median_time

if TYPE_CHECKING:
    from streed.model.model import Model


def curves_of(model: Model) -> Curves | None:
    """Return the curves of a survival tree; None of any other tree."""
    details = model.tree.details
    return details if isinstance(details, Curves) else None


def survival_rows(model: Model, X: Any, y: Any, leaf: NDArray[np.int64], what: str) -> Rows:
    """Take events and times of rows; what is predicted is the risk."""
    target = survival_target(*event_and_time(y))
    if target.shape != leaf.shape:
        raise ValueError(f"{what} must have one entry for each of {leaf.size} rows, got {target.size}")
    return Rows(X, target, leaf, model.predict(X), False)


def concordance(predicted: NDArray[Any], rows: Rows) -> float:
    """Return the concordance index of predicted risks; NaN if no two rows can be compared."""
    try:
        return concordance_index(rows.y["event"], rows.y["time"], predicted)
    except ValueError:
        return float("nan")


def expected_events(curves: Curves, rows: Rows) -> NDArray[np.float64]:
    """Return the cumulative hazard of each row's leaf up to the row's time.

    These add up to the number of events that the curves expect of the rows: on the training rows it is the
    number that was seen.
    """
    place = np.searchsorted(curves.times, rows.y["time"], side="right")
    steps = np.concatenate([np.zeros((curves.events.size, 1)), curves.hazard], axis=1)
    expected: NDArray[np.float64] = steps[rows.leaf, place]
    return expected


def kaplan_meier(rows: NDArray[Any], at: float) -> float:
    """Return Kaplan and Meier's estimate of the share of rows that survive a time.

    Examples
    --------
    >>> from streed.survival import survival_target
    >>> kaplan_meier(survival_target([1, 0, 1, 1], [1, 2, 3, 4]), 3)
    0.375
    """
    share = 1.0
    for time in np.unique(rows["time"][rows["event"] & (rows["time"] <= at)]):
        share *= 1 - (rows["event"] & (rows["time"] == time)).sum() / (rows["time"] >= time).sum()
    return float(share)


def survival_figures(model: Model, new: Rows, old: Rows | None) -> Section:
    """Give the concordance, and events beside those that the curves expect."""
    sets = [("new rows", new), *([] if old is None else [("training rows", old)])]
    head = ["rows", "number", "events", "events expected", "concordance index", "95 % interval"]
    rows = [[name, *_figures(model, each)] for name, each in sets]
    said = (
        "The concordance index is Harrell's: the share of comparable pairs in which the row with the greater "
        "risk has its event first; 0.5 is chance. The interval is for rows of the same kind. "
        "Expected events are the cumulative hazards of the leaves up to the time of each row, added up."
    )
    return Section("Ranking and events", [said], [Table(head, rows)])


def _figures(model: Model, rows: Rows) -> list[str]:
    curves = curves_of(model)
    assert curves is not None
    shown, interval = "not defined", ""
    if not np.isnan(concordance(rows.predicted, rows)):
        index, low, high = concordance_interval(rows.y["event"], rows.y["time"], rows.predicted)
        shown, interval = f"{index:.4f}", f"{low:.4f} to {high:.4f}"
    events, expected = int(rows.y["event"].sum()), expected_events(curves, rows).sum()
    return [str(rows.leaf.size), str(events), f"{expected:.1f}", shown, interval]


def survival_leaves(model: Model, new: Rows) -> Section:
    """Compare the curve of each leaf with the new rows that end there."""
    curves = curves_of(model)
    assert curves is not None
    paths = leaf_outputs(model.readable_tree(), "path")
    expected = expected_events(curves, new)
    seen = new.y["time"][new.y["event"]]
    at = float(np.median(seen)) if seen.size else float(np.median(new.y["time"]))
    place = int(np.searchsorted(curves.times, at, side="right"))
    rows, points = [], []
    for node in sorted(set(new.leaf.tolist()), key=lambda n: -curves.risk[n]):
        own = new.leaf == node
        said = float(curves.survival[node, place - 1]) if place else 1.0
        found = kaplan_meier(new.y[own], at)
        half = median_time(curves, node)
        events = int(new.y["event"][own].sum())
        rows.append(
            [
                paths[node],
                str(int(own.sum())),
                f"{curves.risk[node]:.3g}",
                f"{events}, expected {expected[own].sum():.1f}",
                "not reached" if half is None else f"{half:.4g}",
                f"{100 * said:.1f} %",
                f"{100 * found:.1f} %",
            ]
        )
        points.append((said, found))
    survive = f"survive {at:.4g}"
    head = ["leaf", "new rows", "risk", "events of new rows", "median time of the leaf", survive]
    chart = unit_chart(points, f"{survive}, leaf", "new rows", line=False)
    text = f"Each point is a leaf: the share that survives the time {at:.4g}, by its curve and of new rows."
    return Section("Calibration", [text], [Table([*head, "new rows (Kaplan-Meier)"], rows)], [chart])


def survival_groups(model: Model, new: Rows, groups: NDArray[Any]) -> Section:
    """Give events and concordance for each group."""
    rows = []
    for group in sorted(set(groups.tolist()), key=str):
        own = groups == group
        part = Rows(None, new.y[own], new.leaf[own], new.predicted[own], False)
        rows.append([str(group), *_figures(model, part)])
    head = ["group", "rows", "events", "events expected", "concordance index", "95 % interval"]
    return Section("Figures by group", [], [Table(head, rows)])
