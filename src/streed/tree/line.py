"""The label of a leaf that predicts a linear function of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Line:
    """A linear function of columns.

    Attributes
    ----------
    intercept : float
        The constant.
    terms : tuple of (str, float)
        Columns with their coefficients, those that are zero left out.

    Examples
    --------
    >>> from streed.tree.line import Line
    >>> line = Line(1.5, (("age", 0.25), ("weight", -2.0)))
    >>> print(line)
    1.5 + 0.25 age - 2 weight
    >>> line.at({"age": 8.0, "weight": 1.0})
    1.5
    """

    intercept: float
    terms: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        parts = [f" {'-' if factor < 0 else '+'} {abs(factor):.4g} {name}" for name, factor in self.terms]
        return f"{self.intercept:.4g}" + "".join(parts)

    def at(self, values: Mapping[str, Any]) -> Any:
        """Return the value of the function for a row, or for arrays of rows, by names of columns."""
        return self.intercept + sum(factor * values[name] for name, factor in self.terms)

    def to_dict(self) -> dict[str, Any]:
        """Return the function as JSON can have it."""
        return {"intercept": self.intercept, "terms": [list(term) for term in self.terms]}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Line:
        """Read what `to_dict` wrote."""
        try:
            intercept, terms = float(description["intercept"]), description["terms"]
            line = cls(intercept, tuple((str(name), float(factor)) for name, factor in terms))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"a linear function is described by intercept and terms, got {description!r}"
            ) from error
        if not np.isfinite([line.intercept, *(factor for _, factor in line.terms)]).all():
            raise ValueError(f"a linear function needs finite numbers, got {description!r}")
        return line


def is_linear(labels: NDArray[Any]) -> bool:
    """Whether labels are linear functions."""
    return labels.dtype == object and any(isinstance(label, Line) for label in labels.tolist())
