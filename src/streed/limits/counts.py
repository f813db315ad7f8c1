"""Quantities that count rows: recalls, precisions, rates, shares, errors, means, metrics, and nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed import metrics
from streed.limits.limit import Limit, Quantity, written
from streed.limits.line import Line, TreeShape, exact_unit, whole_line
from streed.limits.rows import LimitRows
from streed.magnitudes import check_magnitudes
from streed.table.units import in_units, largest_unit
from streed.tolerance import LAST_DIGITS


def scaled(value: Fraction | None, factor: int) -> Fraction | None:
    """Return a limit times a factor."""
    return None if value is None else value * factor


class Rate(Quantity):
    """The share of rows, all or those of one class, that are predicted to have a label."""

    fixed: ClassVar[bool] = True

    def __init__(self, label: Any, of: Any = None, *, name: str = "rate", every: bool = False) -> None:
        self.label, self.of, self.name, self.every = label, of, name, every  # type: ignore[misc]

    def arguments(self) -> str:
        """Give the label, and the class of the rows where it is another one."""
        return repr(self.label) if self.every or self.name == "recall" else f"{self.label!r}, of={self.of!r}"

    def _counted(self, rows: LimitRows) -> tuple[int, NDArray[np.int64]]:
        """Return the position of the label, and the units of the rows that count."""
        label = rows.label(self, self.label)
        if self.every:
            return label, rows.units
        about = rows.classes(self) == rows.label(self, self.of)
        if not about.any():
            raise ValueError(f"{self!r}: no row with a weight has the label {self.of!r}")
        return label, np.where(about, rows.units, 0)

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give the weight of the rows that have the label, within the limits times all weight."""
        label, units = self._counted(rows)
        costs = np.zeros((rows.n, len(rows.labels)))
        costs[:, label] = units
        whole = int(units.sum())
        low, high = scaled(limit.least, whole), scaled(limit.most, whole)
        return [whole_line(limit, costs, low, high, limit.strict)._replace(per_unit=float(whole))]

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction:
        """Share of the rows that are predicted to have the label."""
        label, units = self._counted(rows)
        return Fraction(int(units[predicted == label].sum()), int(units.sum()))


class Precision(Quantity):
    """The share of the rows with a prediction that have the label which is predicted."""

    name: ClassVar[str] = "precision"

    def __init__(self, label: Any) -> None:
        self.label = label

    def arguments(self) -> str:
        """Give the label."""
        return repr(self.label)

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give q tp - p (tp + fp) for a limit p / q: it is at least zero where the precision is p / q."""
        label = rows.label(self, self.label)
        right = rows.classes(self) == label
        found = []
        for end, low in ((limit.least, True), (limit.most, False)):
            if end is None:
                continue
            costs = np.zeros((rows.n, len(rows.labels)))
            costs[:, label] = np.where(right, end.denominator - end.numerator, -end.numerator) * rows.units
            if limit.strict:  # no prediction at all has no precision and keeps every limit
                raise ValueError(f"{self!r}: a precision can only be limited with its ends, got {limit!r}")
            zero = Fraction(0)
            found.append(whole_line(limit, costs, zero if low else None, None if low else zero))
        return found

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction | None:
        """Precision; None where no row is predicted to have the label."""
        label = rows.label(self, self.label)
        chosen = predicted == label
        whole = int(rows.units[chosen].sum())
        right = int(rows.units[chosen & (rows.classes(self) == label)].sum())
        return Fraction(right, whole) if whole else None


class Errors(Quantity):
    """The share of the rows that are misclassified."""

    name: ClassVar[str] = "errors"
    fixed: ClassVar[bool] = True

    def arguments(self) -> str:
        """There are none."""
        return ""

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give the weight of the misclassified rows."""
        costs = np.repeat(rows.units[:, None], len(rows.labels), axis=1).astype(np.float64)
        costs[np.arange(rows.n), rows.classes(self)] = 0
        low, high = scaled(limit.least, rows.total), scaled(limit.most, rows.total)
        return [whole_line(limit, costs, low, high, limit.strict)._replace(per_unit=float(rows.total))]

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction:
        """Share of misclassified rows."""
        return Fraction(int(rows.units[predicted != rows.classes(self)].sum()), rows.total)


def ratio_lines(
    limit: Limit, ratio: metrics.Ratio, true: NDArray[np.bool_], units: NDArray[np.int64], positive: int
) -> list[Line]:
    """Give numerator - limit * denominator, in fp and fn and multiplied out, for each end of a limit.

    `true` says which rows are of the positive class, `positive` the position of its label.
    """
    above, below = ratio.terms(int(units[true].sum()), int(units[~true].sum()))
    found = []
    for end, low in ((limit.least, True), (limit.most, False)):
        if end is None:
            continue
        line = [a - end * b for a, b in zip(above, below, strict=True)]
        common = math.lcm(*(part.denominator for part in line))
        constant, fp, fn = (int(part * common) for part in line)
        costs = np.zeros((true.size, 2))
        costs[~true, positive] = fp * units[~true]
        costs[true, 1 - positive] = fn * units[true]
        edge = Fraction(-constant)
        found.append(whole_line(limit, costs, edge if low else None, None if low else edge, limit.strict))
    return found


class Metric(Quantity):
    """A metric of two classes that is a ratio of two sums, such as F1."""

    name: ClassVar[str] = "metric"

    def __init__(self, metric: Any, positive: Any = None) -> None:
        self.metric, self.positive = metric, positive
        self._ratio = metrics.as_metric(metric)
        if not isinstance(self._ratio, metrics.Ratio):
            raise ValueError(
                f"metric({metric!r}) is no ratio of two sums and cannot be limited; it can be the objective"
            )

    def arguments(self) -> str:
        """Give the metric, and the positive class if one is named."""
        named = "" if self.positive is None else f", positive={self.positive!r}"
        return f"{self.metric!r}{named}"

    def _position(self, rows: LimitRows) -> int:
        if len(rows.labels) != 2:
            raise ValueError(f"{self!r} needs two classes, got {rows.labels!r}")
        return 1 if self.positive is None else rows.label(self, self.positive)

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give numerator - limit * denominator, in fp and fn and multiplied out."""
        positive = self._position(rows)
        assert isinstance(self._ratio, metrics.Ratio)
        return ratio_lines(limit, self._ratio, rows.classes(self) == positive, rows.units, positive)

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction | None:
        """Value of the metric; None where both sums are zero."""
        positive = self._position(rows)
        true, chosen = rows.classes(self) == positive, predicted == positive
        fp, fn = int(rows.units[chosen & ~true].sum()), int(rows.units[~chosen & true].sum())
        assert isinstance(self._ratio, metrics.Ratio)
        terms = self._ratio.terms(int(rows.units[true].sum()), int(rows.units[~true].sum()))
        above, below = (one + by_fp * fp + by_fn * fn for one, by_fp, by_fn in terms)
        return above / below if below else None


class Mean(Quantity):
    """The mean over the rows of what their labels cost."""

    name: ClassVar[str] = "mean"
    fixed: ClassVar[bool] = True
    share: ClassVar[bool] = False

    def __init__(self, costs: Any) -> None:
        self.costs = costs

    def arguments(self) -> str:
        """Give the costs, a table by its shape."""
        return written(self.costs)

    def _table(self, rows: LimitRows) -> NDArray[np.float64]:
        """Return the costs of all rows, or of one where they are the same for all."""
        if isinstance(self.costs, Mapping):
            table = np.zeros((1, len(rows.labels)))
            for label, cost in self.costs.items():
                table[0, rows.label(self, label)] = cost
        else:
            table = np.atleast_2d(np.asarray(self.costs, dtype=np.float64))
            if rows.kept is not None and table.shape[0] != rows.n and np.ndim(self.costs) == 2:
                table = table[rows.kept]
        n_wanted = rows.n if np.ndim(self.costs) == 2 else 1
        if table.shape != (n_wanted, len(rows.labels)):
            raise ValueError(
                f"mean(...) needs a cost for each of the labels {rows.labels!r}, as a dict, a list, or a "
                f"table of {rows.n} rows; got an array of shape {np.shape(self.costs)}"
            )
        if not np.isfinite(table).all():
            raise ValueError("mean(...): the costs must be finite")
        check_magnitudes("the costs of mean(...)", table)
        return table

    def _units(self, rows: LimitRows) -> tuple[NDArray[np.float64], Fraction, bool]:
        """Return the weighted costs in units, what a unit is, and whether all are whole numbers."""
        given = self._table(rows)
        weight = rows.total if len(given) == 1 else rows.units
        unit = largest_unit(given, float((np.abs(given).max(axis=1) * weight).sum()))
        parts = in_units(given, unit)
        units = parts if rows.equal else parts * rows.units[:, None]
        whole = bool((parts == np.rint(parts)).all())
        return np.broadcast_to(units, (rows.n, len(rows.labels))), exact_unit(given, parts), whole

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give the costs in whole units, within the limits times all weight."""
        units, unit, whole = self._units(rows)
        low, high = (None if end is None else end * rows.total / unit for end in (limit.least, limit.most))
        per_unit = float(rows.total / unit)
        if whole:
            return [whole_line(limit, units, low, high, limit.strict)._replace(per_unit=per_unit)]
        if limit.strict:
            raise ValueError(f"{limit!r}: costs that are no multiples of one unit cannot have strict limits")
        play = LAST_DIGITS * float(np.abs(units).max(axis=1).sum())
        lower = -math.inf if low is None else float(low) - play
        upper = math.inf if high is None else float(high) + play
        return [Line(units, lower, upper, per_unit=per_unit)]

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction | float:
        """Mean cost of the labels that are predicted; a fraction where the costs have a unit."""
        units, unit, whole = self._units(rows)
        chosen = units[np.arange(rows.n), predicted]
        if whole:
            return int(chosen.sum()) * unit / rows.total
        return math.fsum(chosen.tolist()) * float(unit) / rows.total


class Nodes(Quantity):
    """The number of branching nodes."""

    name: ClassVar[str] = "nodes"
    share: ClassVar[bool] = False
    two_sided: ClassVar[bool] = False

    def arguments(self) -> str:
        """There are none."""
        return ""

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give nothing: the limit becomes the `max_nodes` of the search."""
        return []

    def most(self, limit: Limit) -> int:
        """Return the greatest number of nodes that a limit allows."""
        assert limit.most is not None
        found = math.ceil(limit.most) - 1 if limit.strict else math.floor(limit.most)
        if found < 0:
            raise ValueError(f"no tree has fewer than 0 branching nodes: {limit!r}")
        return found

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction:
        """Return the number of branching nodes."""
        return Fraction(shape.n_nodes)


def recall(label: Any) -> Quantity:
    """Share of the rows of a class that are predicted to have it.

    Parameters
    ----------
    label : object
        The class.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.

    Examples
    --------
    >>> from streed import limits as lim
    >>> lim.recall("ill") >= 0.9
    recall('ill') >= 0.9
    """
    return Rate(label, label, name="recall")


def rate(label: Any, of: Any) -> Quantity:
    """Share of the rows of one class that are predicted to have a label, as the rate of false alarms.

    Parameters
    ----------
    label : object
        The label that is predicted.
    of : object
        The class of the rows that count.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.
    """
    return Rate(label, of)


def share(label: Any) -> Quantity:
    """Share of all rows that are predicted to have a label, or get a treatment.

    Parameters
    ----------
    label : object
        The label or treatment.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.
    """
    return Rate(label, name="share", every=True)


def precision(label: Any) -> Quantity:
    """Share of the rows predicted to have a label that do have it; a tree that never predicts it is allowed.

    Parameters
    ----------
    label : object
        The label.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.
    """
    return Precision(label)


def errors() -> Quantity:
    """Share of the rows that are misclassified.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.
    """
    return Errors()


def metric(name: Any, positive: Any = None) -> Quantity:
    """Value of a metric that is a ratio of two sums: "f1", "jaccard" or an object of `streed.metrics`.

    Parameters
    ----------
    name : str or streed.metrics.Ratio
        The metric.
    positive : object, optional
        The label that counts as positive; by default the second one in sorted order.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.
    """
    return Metric(name, positive)


def mean(costs: Any) -> Quantity:
    """Mean over the rows of what their labels or treatments cost.

    Parameters
    ----------
    costs : mapping, array-like of shape (n_labels,) or (n_rows, n_labels)
        What each label costs, as a mapping (labels left out are free) or in the order of the labels; or what
        it costs each row.

    Returns
    -------
    Quantity
        To be compared with a number.
    """
    return Mean(costs)


def nodes() -> Quantity:
    """Count the branching nodes of the tree; they can be limited from above.

    Returns
    -------
    Quantity
        To be compared with a number.
    """
    return Nodes()
