"""A cost matrix: what it costs to take one class for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.magnitudes import as_floats, check_magnitudes
from streed.table.labels import check_sample_weight, class_factors, encode
from streed.table.units import in_units, multiples_of
from streed.tasks.base import ClassErrors, CostTable, Tally
from streed.tasks.feature_costs import FeatureCosts, PriceOfColumns
from streed.tasks.label_costs import refuse_weighted_tests
from streed.tasks.parts.named_costs import in_order
from streed.tasks.parts.row_costs import CostSummary, RowCosts, check_names


class CostMatrix(RowCosts):
    """Minimise the cost of misclassification, and of the tests that a tree makes.

    The reported value is the total cost: ``matrix[true, predicted]`` of every row, plus what the rows pay for
    tests on their way.

    Parameters
    ----------
    y : array-like of shape (n,)
        The true labels.
    matrix : array-like of shape (n_labels, n_labels), or dict
        Cost of predicting the column's label for a row of the row's label, not negative. The diagonal need
        not be zero. By name: ``{true: {predicted: cost}}``, ``{(true, predicted): cost}``, or a pandas frame
        whose index and columns are the labels.
    labels : array-like of shape (n_labels,), optional
        The labels in the order of the matrix; by default the labels in y, sorted.
    sample_weight : array-like of shape (n,), optional
        Factor on the costs of each row, not negative. Rows of weight zero are left out altogether.
    class_weight : dict or "balanced", optional
        Factor on the costs of the rows of each class. "balanced" gives all classes the same weight in total.
    feature_costs : streed.FeatureCosts, mapping or sequence, optional
        Prices of tests, paid by every row that reaches a node. Sample weights must then be 0 or 1.
    columns : sequence, optional
        With `feature_costs`: the column that each binary feature comes from. By default every feature is a
        column of its own.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of the sum over the rows of their greatest less
        their least cost.

    Examples
    --------
    A missed case is ten times as bad as a false alarm:

    >>> import streed
    >>> task = streed.tasks.CostMatrix(["ill", "well", "well"], [[0, 10], [1, 0]])
    >>> streed.solve(task, [[1], [1], [0]], max_depth=1).objective
    1.0
    """

    name: ClassVar[str] = "cost_matrix"
    summary: ClassVar[str] = "cost of misclassification and tests (minimised)"
    estimator: ClassVar[str] = "CostSensitiveTreeClassifier"

    def __init__(
        self,
        y: ArrayLike,
        matrix: Any,
        labels: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        feature_costs: FeatureCosts | PriceOfColumns | None = None,
        columns: Sequence[Any] | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        classes, codes = encode(y)
        if labels is not None:
            classes, codes = _reorder(classes, codes, labels)
        self.matrix = check_matrix(matrix, classes)
        n_rows, rows = codes.size, None
        weights = check_sample_weight(sample_weight, n_rows)
        if weights is not None:
            refuse_weighted_tests(weights, feature_costs)
            if not weights.all():
                rows = np.flatnonzero(weights)
                codes, weights = codes[rows], weights[rows]
        if weights is None:
            factors = None if class_weight is None else _factors(class_weight, classes, codes, None)
            leaf, summary = _costs_of_classes(self.matrix, codes, factors)
        else:
            leaf, summary = _costs_of_rows(self.matrix, classes, codes, weights, class_weight)
        self._lower_costs(
            leaf,
            classes,
            summary,
            n_rows=n_rows,
            tally=Tally(codes, weights),
            rows=rows,
            cost_complexity=cost_complexity,
            feature_costs=feature_costs,
            columns=columns,
        )


Leaf: TypeAlias = Callable[[float], ClassErrors | CostTable]
"""What leaves cost in a given unit."""


def _costs_of_classes(
    matrix: NDArray[np.float64], codes: NDArray[np.int32], factors: NDArray[np.float64] | None
) -> tuple[Leaf, CostSummary]:
    """Costs of rows that depend on their class alone: all is found per class, and handed to the rows last."""
    table = matrix if factors is None else matrix * factors[:, None]
    lines: list[list[float]] = table.tolist()
    sizes = np.bincount(codes, minlength=len(lines)).tolist()
    total = spread = 0.0
    errors = True
    prices = []
    for k, (line, size) in enumerate(zip(lines, sizes, strict=True)):
        most = max(line)
        prices.append(most)
        total += size * most
        spread += size * (most - min(line))
        if errors and size and not _is_price(line, k, most):
            errors = False
    summary = CostSummary(list(set().union(*lines)), total, spread)
    if not errors:
        return lambda unit: CostTable(np.ascontiguousarray(multiples_of(table, unit)[codes])), summary
    if len(lines) == 1:  # no error is possible, so that any price will do
        return lambda unit: ClassErrors(codes, np.ones(codes.size)), summary
    return lambda unit: ClassErrors(codes, multiples_of(np.array(prices), unit)[codes]), summary


def _costs_of_rows(
    matrix: NDArray[np.float64],
    classes: NDArray[Any],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    class_weight: object,
) -> tuple[Leaf, CostSummary]:
    """Costs of rows with weights of their own."""
    factors = weights
    if class_weight is not None:
        factors = weights * _factors(class_weight, classes, codes, weights)[codes]
    sizes = np.bincount(codes, weights=factors, minlength=classes.size)
    most, least = matrix.max(axis=1), matrix.min(axis=1)
    values = np.unique(factors)
    distinct = np.outer(values, np.unique(matrix)).ravel() if values.size < 1000 else values
    summary = CostSummary(distinct, float(most @ sizes), float((most - least) @ sizes))
    prices = most.tolist() if classes.size > 1 else [1.0]  # no error is possible: any price will do
    lines = zip(matrix.tolist(), most.tolist(), sizes.tolist(), strict=True)
    errors = all(_is_price(line, k, price) for k, (line, price, size) in enumerate(lines) if size)
    if not errors or not factors.all():
        costs = np.ascontiguousarray(matrix[codes] * factors[:, None])
        return lambda unit: CostTable(in_units(costs, unit)), summary
    return lambda unit: ClassErrors(codes, in_units(np.array(prices)[codes] * factors, unit)), summary


def check_matrix(matrix: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Check a cost matrix: as many rows and columns as there are classes, nothing negative."""
    matrix = in_order(matrix, classes)
    try:
        costs = as_floats(matrix)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the matrix of misclassification costs must hold numbers: {error}") from error
    k = classes.size
    if costs.shape != (k, k):
        raise ValueError(
            f"the matrix of misclassification costs must have shape ({k}, {k}) for the labels "
            f"{classes.tolist()!r}, got {costs.shape}"
        )
    if not (
        np.minimum.reduce(costs, None) >= 0 and np.maximum.reduce(costs, None) < np.inf
    ):  # NaN is neither
        true, predicted = (int(i) for i in np.argwhere(~(np.isfinite(costs) & (costs >= 0)))[0])
        names = classes.tolist()
        raise ValueError(
            f"misclassification costs must be finite and not negative, got {costs[true, predicted]} for "
            f"{names[true]!r} taken for {names[predicted]!r}; gains can be given as costs per row"
        )
    check_magnitudes("misclassification costs", costs)
    return costs


def _reorder(
    found: NDArray[Any], codes: NDArray[np.int32], labels: ArrayLike
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Encode rows by the labels in the user's order; labels without rows are fine."""
    classes = check_names("labels", labels, np.asarray(labels).size)
    position = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(f"y has labels {unknown!r} that are not among labels, {classes.tolist()!r}")
    order = np.array([position[label] for label in found.tolist()], np.int32)
    return classes, order[codes]


def _factors(
    class_weight: object,
    classes: NDArray[Any],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Factor of each class."""
    if not isinstance(class_weight, str):
        return class_factors(class_weight, classes)
    if class_weight != "balanced":
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")
    sizes = np.bincount(codes, weights=weights, minlength=classes.size).astype(np.float64)
    share = float(sizes.sum()) / np.count_nonzero(sizes)
    return np.divide(share, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def _is_price(line: list[float], own: int, price: float) -> bool:
    """Whether all errors of a class cost the same and being right costs nothing."""
    if len(line) == 1:
        return price == 0
    return price > 0 and line[own] == 0 and line.count(price) == len(line) - 1
