"""Trade-offs of an objective with other quantities: every tree that is not beaten in all of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from streed.binarize.binarizer import check_table
from streed.errors import InfeasibleError, StreedError
from streed.estimators.base import check_labels, check_rows
from streed.estimators.classifier import OptimalTreeClassifier
from streed.fairness.groups import columns_by_name
from streed.limits.counts import Nodes
from streed.limits.groups import Parity, Ratio
from streed.limits.limit import Limit, Quantity, check_constraints
from streed.limits.line import shape_of
from streed.options import LEAST_SECONDS, Limits
from streed.solver.solve import solve_checked
from streed.tasks import make_task
from streed.tasks.base import Task, measure_of
from streed.tasks.constrained import Constrained
from streed.tree.result import Result, Solution


def trade_off(
    X: Any,
    y: Any,
    objectives: Sequence[Any],
    *,
    within: Sequence[Limit] = (),
    sample_weight: Any = None,
    sensitive_features: Any = None,
    **parameters: Any,
) -> Result:
    """Find every tree that no other one beats in an objective, another quantity, and its size.

    Each point is proven by searches under limits: with a number of nodes at most, and the quantity strictly
    better than that of the last point.

    Parameters
    ----------
    X : array-like or frame of shape (n, n_columns)
        The columns, as for `streed.OptimalTreeClassifier`; numbers are cut at quantiles.
    y : array-like of shape (n,)
        The labels.
    objectives : sequence
        First an objective of `streed.OptimalTreeClassifier`, such as "accuracy" or "f1"; then quantities of
        `streed.limits` without a limit: one such as ``lim.parity(by="sex")`` or ``lim.recall("ill")``,
        ``lim.nodes()``, or both. Recalls are the better the greater they are, all others the less.
    within : sequence of streed.limits.Limit, optional
        Limits that all trees keep.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative.
    sensitive_features : array-like of shape (n,) or (n, k), or str, optional
        The group of each row, for quantities that do not say by which column.
    **parameters : dict
        Further parameters of `streed.OptimalTreeClassifier`: ``max_depth``, ``time_limit`` (of all searches
        together) and so on.

    Returns
    -------
    streed.Result
        Its `front` has the trees with their values in the order of the objectives; ``optimal`` says whether
        it is complete, ``to_html()`` shows it.

    Examples
    --------
    >>> import streed
    >>> from streed import limits as lim
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
    >>> found = streed.trade_off(X, y, ["accuracy", lim.nodes()], max_depth=2)
    >>> [point.values for point in found.front], found.optimal
    ([(0.0, 2.0), (1.0, 0.0)], True)
    """
    model = OptimalTreeClassifier(**parameters)
    quantity, sizes = _split(objectives)
    started = model._limits()
    labels = check_labels(model, y)
    table = check_table(model, X, reset=True)
    check_rows(table, labels)
    groups = columns_by_name(X, sensitive_features)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    task = make_task(objectives[0], labels, **weights)
    rows = {"y": labels, "sample_weight": sample_weight, "sensitive_features": groups, "table": X}
    bits = model._take_bits(table, sample_weight)
    features, names = bits or model._fit_binarizer(table, labels, sample_weight)
    search = _Sweep(task, quantity, check_constraints(within), rows, (features, names), started)
    limits = started.for_rows(features.shape[0])
    most = min(limits.max_nodes, 2**limits.max_depth - 1)
    for size in range(most + 1) if sizes else (most,):
        if not search.sweep(size):
            break
    result = search.result(objectives, sizes)
    conditions = getattr(model.binarizer_, "conditions_", None)
    if conditions is not None:
        result.explain(conditions)
    return result


def _split(objectives: Sequence[Any]) -> tuple[Quantity | None, bool]:
    """Return the quantity that is traded off, if there is one, and whether sizes are."""
    if isinstance(objectives, str) or len(objectives) < 2:
        raise ValueError(
            "a trade-off is one of an objective and quantities, as in ['accuracy', lim.nodes()]; "
            f"got {objectives!r}"
        )
    others = list(objectives[1:])
    for one in others:
        if not isinstance(one, Quantity):
            raise TypeError(
                f"after the objective come quantities of streed.limits, without a limit; got {one!r}"
            )
    sizes = [one for one in others if isinstance(one, Nodes)]
    rest = [one for one in others if not isinstance(one, Nodes)]
    if len(rest) > 1 or len(sizes) > 1:
        raise ValueError(f"a trade-off takes one quantity beside the objective and nodes(), got {others!r}")
    if rest and (isinstance(rest[0], Ratio) or not (rest[0].fixed or isinstance(rest[0], Parity))):
        raise ValueError(
            f"{rest[0]!r} has no trade-off: parities, recalls, rates, shares, means and errors do"
        )
    return (rest[0] if rest else None), bool(sizes)


def _beats(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether one line of values is at most another one everywhere, and differs."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


class _Sweep:
    """The searches for one trade-off, and the points that they have found."""

    def __init__(
        self,
        task: Task,
        quantity: Quantity | None,
        within: tuple[Limit, ...],
        rows: dict[str, Any],
        features: tuple[Any, Any],
        limits: Limits,
    ) -> None:
        self.task, self.quantity, self.within, self.rows = task, quantity, within, rows
        self.features, self.names = features
        self.limits, self.started = limits, time.perf_counter()
        self.points: list[tuple[Any, Any, int, Any]] = []
        self.status, self.searches = "optimal", 0
        self.more = quantity is not None and quantity.name == "recall"

    def sweep(self, size: int) -> bool:
        """Find all points with so many nodes at most; returns whether to go on."""
        last: Fraction | float | None = None
        while True:
            limits = list(self.within)
            if self.quantity is not None and last is not None:
                limits.append(self.quantity.above(last) if self.more else self.quantity.below(last))
            left = self.limits.time_limit - (time.perf_counter() - self.started)
            if left <= 0:
                self.status = "time_limit"
                return False
            allowed = replace(
                self.limits, max_nodes=size, time_limit=max(left, LEAST_SECONDS) if left < np.inf else left
            )
            whole = Constrained(self.task, limits, **self.rows)
            whole.explained = False
            try:
                result = solve_checked(whole, self.features, self.names, allowed, False)
            except InfeasibleError:
                return True
            except StreedError:
                if time.perf_counter() - self.started < self.limits.time_limit:
                    raise
                self.status = "time_limit"
                return False
            self.searches += 1
            if not result.optimal:
                self.status = result.status
                return False
            last = self._take(result, whole)
            if self.quantity is None or (last == 0 and not self.more) or (last == 1 and self.more):
                return True

    def _take(self, result: Result, whole: Constrained) -> Any:
        """Keep a point, and return its value in the quantity."""
        tree, kept = result.tree, whole.rows.kept
        value: Any = 0
        if self.quantity is not None:
            rows = self.features if kept is None else self.features[kept]
            arrays = {name: getattr(tree, name) for name in ("feature", "left", "right")}
            predicted = tree.label[tree.route(rows)].astype(np.int64)
            value = self.quantity.value(whole.rows, predicted, shape_of(arrays, rows))
        self.points.append((result.objective, value, tree.n_nodes, tree))
        return value

    def result(self, objectives: Sequence[Any], sizes: bool) -> Result:
        """Return the points that no other one beats, the best in the objective first."""
        signs = (-1 if self.task.maximize else 1, -1 if self.more else 1, 1 if sizes else 0)
        keys = [tuple(s * v for s, v in zip(signs, point[:3], strict=True)) for point in self.points]
        kept: dict[Any, Any] = {}
        for key, point in zip(keys, self.points, strict=True):
            if not any(
                all(a <= b for a, b in zip(other, key, strict=True)) and other != key for other in keys
            ):
                kept.setdefault(key, point)
        if not kept:
            raise InfeasibleError("no tree within the limits on its size keeps all limits, or time was up")
        shown = [True, *(not isinstance(one, Nodes) for one in objectives[1:])]
        front = []
        for key in sorted(kept):
            value, other, nodes, tree = kept[key]
            parts = [value, *(float(other) if own else float(nodes) for own in shown[1:])]
            front.append(Solution(tuple(parts), tree, self.status == "optimal"))
        names = (measure_of(self.task), *map(repr, objectives[1:]))
        complete = self.status == "optimal"
        return Result.trusted(
            objective=front[0].values,
            lower_bound=front[0].values if complete else None,
            gap=0.0 if complete else np.inf,
            optimal=complete,
            status=self.status,
            tree=front[0].tree,
            front=front,
            seconds=time.perf_counter() - self.started,
            statistics={"searches": self.searches},
            task="trade-off",
            objectives=names,
            engine="native",
            measure=", ".join(names),
            note="",
            limits=(),
        )
