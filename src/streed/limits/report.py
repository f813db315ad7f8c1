"""What a tree is worth in each of its limits: the table `Result.limits`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.limits.limit import Limit
from streed.limits.line import TreeShape
from streed.limits.rows import LimitRows


class KeptLimit(NamedTuple):
    """One limit, and what the tree is worth in it.

    Attributes
    ----------
    limit : Limit
        The limit.
    value : float
        What the tree is worth; NaN where it has no such value, as the precision of a label that is never
        predicted.
    slack : float
        How far the value is from the limit; zero on it, and negative beyond it.
    kept : bool
        Whether the limit holds, in exact numbers.
    multiplier : float
        How much one unit more of the limit would gain in the objective, by the bound of the search; zero of
        limits that do not bind, and NaN where it is not known: of metrics, ratios and sizes.
    """

    limit: Limit
    value: float
    slack: float
    kept: bool
    multiplier: float = float("nan")


class KeptLimits(tuple[KeptLimit, ...]):
    """The limits of a result; it prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        head = ("limit", "value", "slack")
        lines = [head, *((repr(one.limit), f"{one.value:.6g}", f"{one.slack:.6g}") for one in self)]
        widths = [max(len(line[k]) for line in lines) for k in range(3)]
        rows = [
            " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
        ]
        return "\n".join(row.rstrip() for row in rows)

    @property
    def kept(self) -> bool:
        """Whether all limits hold."""
        return all(one.kept for one in self)


def kept_limits(
    limits: Sequence[Limit], rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape
) -> KeptLimits:
    """Evaluate limits for predictions, as positions among the labels."""
    found = []
    for limit in limits:
        value = limit.quantity.value(rows, predicted, shape)
        if value is None:
            found.append(KeptLimit(limit, float("nan"), float("nan"), True))
        else:
            found.append(KeptLimit(limit, float(value), float(limit.slack(value)), limit.keeps(value)))
    return KeptLimits(found)
