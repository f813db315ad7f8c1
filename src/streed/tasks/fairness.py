"""Group fairness as tasks: as few errors as possible, with rates that are nearly the same for all groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.fairness import parity as parities
from streed.fairness.groups import cells_of, encode_groups, exact_rates, float_rates, spread
from streed.fairness.parity import Parity, as_parity, exact_limit
from streed.leaves import ClassErrors
from streed.limits import groups as quantities
from streed.limits.limit import Limit
from streed.limits.line import Line, table_of
from streed.limits.rows import UNIT_BITS, LimitRows
from streed.magnitudes import check_magnitudes
from streed.options import OPTIONS
from streed.table.labels import check_sample_weight, class_factors, encode
from streed.table.units import integer_units, whole_units
from streed.tasks.base import Task, errors_of, priced, worth_of_an_error
from streed.tasks.forms import OneValue, Sums, Tally
from streed.tasks.metric import position_of

if TYPE_CHECKING:
    from streed.reference import Components


@dataclass(frozen=True)
class FairOutcome:
    """How groups fare under some predictions: difference and ratio of the parity, and all rates per group."""

    difference: Fraction
    ratio: Fraction
    rates: dict[Any, dict[str, float]]

    def figures(self) -> dict[str, float]:
        """Give it as figures with names, for the statistics of a result."""
        found = {"difference": float(self.difference), "ratio": float(self.ratio)}
        for group, rates in self.rates.items():
            found.update({f"{name}[{group}]": rates[name] for name in rates if name != "weight"})
        return found


class GroupFairness(Task):
    """Minimise the weight of misclassified rows while rates of groups differ by no more than a limit.

    Rates are compared in whole numbers: a tree exactly on the limit is feasible. A group without rows that a
    rate is about (no positives, for the true positive rate) is left out of it.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes.
    sensitive_features : array-like of shape (n,) or (n, k)
        The group of each row; several columns make one group of each combination. Trees do not see it unless
        it is also among the features. At most 16 groups, or 11 for equalized odds; with `min_ratio` 11 and 8.
    constraint : str or streed.fairness.Parity
        A name in `streed.fairness.CONSTRAINTS` or an object.
    max_difference : float, default=0.01
        How much greater the greatest rate of a group may be than the least one, from 0 to 1. Decimal numbers
        mean what is written: 0.01 is one hundredth.
    min_ratio : float, optional
        If given, it counts instead of `max_difference`: the least rate of a group over the greatest one must
        be this at least, from 0 to 1. Where all rates are zero the ratio is one.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative, in errors and rates. Weights that are not whole multiples of one
        unit are rounded to 2^-26 of their total in the rates.
    class_weight : dict or "balanced", optional
        Factor of each label on the weight of its rows in the errors, above zero; rates are not weighted by
        it.
    cost_complexity : float, default=0.0
        Price of a branching node as a share of the total weight.
    positive : object, optional
        The label that counts as positive; by default the second one in sorted order.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.DemographicParity([0, 0, 1, 1], ["a", "b", "a", "a"], max_difference=0)
    >>> streed.solve(task, [[0], [0], [1], [1]], max_depth=1).objective
    2.0
    """

    name: ClassVar[str] = "group_fairness"
    summary: ClassVar[str] = "weight of the misclassified rows (minimised) under a limit on rates of groups"
    form: ClassVar[type] = Sums
    estimator: ClassVar[str] = "FairTreeClassifier"
    binary: ClassVar[bool] = True

    def __init__(
        self,
        y: ArrayLike,
        sensitive_features: ArrayLike,
        constraint: object,
        max_difference: float = 0.01,
        min_ratio: float | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: object = None,
        cost_complexity: float = 0.0,
        positive: object = None,
    ) -> None:
        self.parity = as_parity(constraint)
        self.max_difference = exact_limit("max_difference", max_difference)
        self.min_ratio = None if min_ratio is None else exact_limit("min_ratio", min_ratio)
        written = max_difference if min_ratio is None else min_ratio
        self._written = float(written) if isinstance(written, float) else written
        self._classes, codes = encode(y)
        if len(self._classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. {self.parity.name} needs two classes, got "
                f"{len(self._classes)}: {self._classes.tolist()!r}"
            )
        self._n_rows = codes.size
        self._positive = position_of(positive, self._classes) if len(self._classes) == 2 else 0
        groups, group_codes = encode_groups(sensitive_features, codes.size)
        weights = check_sample_weight(sample_weight, codes.size)
        self._rows = None if weights is None or weights.all() else np.flatnonzero(weights)
        if self._rows is not None and weights is not None:
            codes, group_codes, weights = codes[self._rows], group_codes[self._rows], weights[self._rows]
        if np.count_nonzero(np.bincount(group_codes)) < 2:
            raise ValueError(
                "sensitive_features must have at least two groups with rows (of a weight above zero), "
                f"got only {groups[int(group_codes[0])]!r} in {codes.size} sample{'s'[: codes.size > 1]}"
            )
        self._codes, self._groups, self._group_codes = codes, groups, group_codes
        self._is_positive = codes == self._positive
        self._equal = weights is None  # all rows count one
        self._weights = np.ones(codes.size) if weights is None else weights
        self._units, _ = integer_units(weights, codes.size, UNIT_BITS)
        self._errors, self._scale = self._error_units(class_weight)
        complexity = OPTIONS["cost_complexity"].check(cost_complexity)
        self._branch_cost = float(complexity or 0.0) * float(self._errors.sum())
        self.errors_name = errors_of(sample_weight, class_weight)
        constraint = self.parity.name.replace("_", " ")
        self.measure = f"{priced(self.errors_name, self._branch_cost)} under {constraint}"
        self.name = self.parity.name  # type: ignore[misc]
        self.limit, self.lines = self._limit()

    def _limit(self) -> tuple[Limit, tuple[Line, ...]]:
        """Give the limit on rates, and the sums over the rows that it is made of: none of a single class."""
        label = None if self._positive == len(self._classes) - 1 else self._classes.tolist()[self._positive]
        kind = self.parity.name if parities.CONSTRAINTS.get(self.parity.name) is self.parity else self.parity
        if self.min_ratio is None:
            limit = quantities.Parity(kind, None, label) <= self._written
        else:
            limit = quantities.Ratio(kind, None, label) >= self._written
        found = self._groups, self._group_codes
        given = self._classes.tolist(), self._codes, self._units, self._rows
        self._counted = LimitRows(*given, lambda by: found)
        try:
            lines = limit.quantity.lines(self._counted, limit) if len(self._classes) == 2 else []
        except ValueError as error:
            name = "max_difference" if self.min_ratio is None else "min_ratio"
            raise ValueError(str(error).replace(repr(limit), name)) from None
        return limit, tuple(lines)

    def _error_units(self, class_weight: object) -> tuple[NDArray[np.float64], float]:
        """Give the cost of an error on each row, in whole units if possible, and the weight of one unit."""
        if isinstance(class_weight, str) and class_weight != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")
        weights = self._weights
        if isinstance(class_weight, str):
            sizes = np.bincount(self._codes, weights=weights, minlength=len(self._classes))
            weights = weights * (weights.sum() / (np.count_nonzero(sizes) * sizes[self._codes]))
        elif class_weight is not None:
            factors = class_factors(class_weight, self._classes)
            if not factors.all():
                raise ValueError(
                    f"class_weight must be above zero under a fairness limit, got {class_weight!r}"
                )
            weights = weights * factors[self._codes]
            check_magnitudes("sample_weight times class_weight", weights)
        return (weights, 1.0) if weights is self._weights and self._equal else whole_units(weights)

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self._n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct labels, sorted."""
        return self._classes

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """The rows that have a weight; None when all have."""
        return self._rows

    @property
    def groups(self) -> list[Any]:
        """The groups, sorted."""
        return self._groups

    @property
    def total(self) -> float:
        """Weight of all rows in the errors."""
        return float(self._errors.sum()) * self._scale

    @property
    def branch_cost(self) -> float:
        """Price of a branching node in engine units."""
        return self._branch_cost

    @property
    def commonest(self) -> int:
        """The label whose constant tree has the fewest errors, as a position among `classes`."""
        return int(np.bincount(self._codes, self._errors).argmax())

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node: as many rows as gain so much in log-likelihood, as a share of all."""
        return gain / worth_of_an_error(unexplained()) / n_rows

    def lower(self) -> Sums:
        """Give the errors, and the limit on rates as sums over the rows."""
        leaf, tally = ClassErrors(self._codes, self._errors), Tally(self._codes, self._weights)
        errors = OneValue(leaf, self._classes, self._branch_cost, self._scale, tally=tally, rows=self._rows)
        limits, lines = (self.limit,), (self.lines,)
        return Sums(self, errors, limits, lines, self._counted, explained=False, why=self.why_infeasible)

    def report(self, cost: float) -> float:
        """Turn engine units into the weight of misclassified rows."""
        return cost * self._scale

    def outcome(self, predicted: NDArray[np.int64]) -> FairOutcome:
        """Rates of groups for predictions, as positions among `classes`, of rows that have a weight."""
        counted = predicted == self._positive, self._is_positive, self._group_codes, len(self._groups)
        units = cells_of(*counted, self._units)
        cells = units if self._equal else cells_of(*counted, self._weights)
        exact = {rate.name: exact_rates(rate, units) for rate in self.parity.rates}
        return FairOutcome(*spread(self.parity, exact), float_rates(self._groups, cells, self.parity.rates))

    def figures(self, predicted: NDArray[np.int64]) -> dict[str, float]:
        """Give difference, ratio and the rates of all groups."""
        return self.outcome(predicted).figures()

    def is_fair(self, outcome: FairOutcome) -> bool:
        """Whether predictions with this outcome keep the limit, in exact numbers."""
        if self.min_ratio is None:
            return outcome.difference <= self.max_difference
        return outcome.ratio >= self.min_ratio

    def why_infeasible(self, closest: tuple[float, ...] | None) -> str:
        """Say which limit no tree keeps, and what the closest tree has if the search came to know it."""
        parity = self.parity.name
        if self.min_ratio is not None:
            least = float(self.min_ratio)
            return f"no tree within the limits on its size has a ratio of {parity} of {least:g} or more"
        limit = (
            f"no tree within the limits on its size keeps the difference of {parity} at or below "
            f"{float(self.max_difference):g}"
        )
        if closest is None:
            return limit
        exact = "the least possible is" if len(self.lines) == 1 else "the tree with the least excess has"
        return f"{limit}: {exact} {closest[0]:g}"

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give errors and signed differences as the six components of the paper.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf; it becomes the constraint c.

        Returns
        -------
        streed.reference.Components
            Values are tuples (errors in engine units, margins); one is better than another with the same
            margins and fewer errors. Which of them keep the limit is known only at the root.
        """
        from streed.tasks.parts.vectors import vector_components

        branch = (self._branch_cost, *(0,) * len(self.lines))
        return vector_components(
            X,
            self._rows,
            table_of(ClassErrors(self._codes, self._errors).label_costs(2), self.lines),
            min_samples_leaf,
            better=lambda v, w: v[1:] == w[1:] and v[0] < w[0],
            branch=branch,
        )


class _NamedParity(GroupFairness):
    """A notion of fairness of `streed.fairness` as a task: it has the name of the notion."""

    def __init_subclass__(cls, parity: Parity | None = None) -> None:
        super().__init_subclass__()
        if parity is not None:
            cls.name = parity.name

    def __init__(
        self,
        y: ArrayLike,
        sensitive_features: ArrayLike,
        max_difference: float = 0.01,
        min_ratio: float | None = None,
        sample_weight: ArrayLike | None = None,
        class_weight: object = None,
        cost_complexity: float = 0.0,
        positive: object = None,
    ) -> None:
        super().__init__(
            y,
            sensitive_features,
            self.name,
            max_difference,
            min_ratio,
            sample_weight,
            class_weight,
            cost_complexity,
            positive,
        )


class DemographicParity(_NamedParity, parity=parities.DEMOGRAPHIC_PARITY):
    """Minimise errors; groups are predicted positive at nearly the same rate.

    Parameters as in `GroupFairness`, but for the notion.
    """

    summary: ClassVar[str] = "errors (minimised), with nearly equal selection rates of all groups"


class EqualOpportunity(_NamedParity, parity=parities.EQUAL_OPPORTUNITY):
    """Minimise errors; positives of all groups are found at nearly the same rate.

    Parameters as in `GroupFairness`, but for the notion.
    """

    summary: ClassVar[str] = "errors (minimised), with nearly equal true positive rates of all groups"


class PredictiveEquality(_NamedParity, parity=parities.PREDICTIVE_EQUALITY):
    """Minimise errors; negatives of all groups are accused at nearly the same rate.

    Parameters as in `GroupFairness`, but for the notion.
    """

    summary: ClassVar[str] = "errors (minimised), with nearly equal false positive rates of all groups"


class EqualizedOdds(_NamedParity, parity=parities.EQUALIZED_ODDS):
    """Minimise errors; true and false positive rates are nearly the same.

    Parameters as in `GroupFairness`, but for the notion.
    """

    summary: ClassVar[str] = "errors (minimised), with nearly equal true and false positive rates"


class AccuracyParity(_NamedParity, parity=parities.ACCURACY_PARITY):
    """Minimise errors; all groups are classified right at nearly the same rate.

    Parameters as in `GroupFairness`, but for the notion.
    """

    summary: ClassVar[str] = "errors (minimised), with nearly equal accuracies of all groups"
