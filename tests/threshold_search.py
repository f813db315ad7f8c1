"""One search over all thresholds: columns and costs in, a tree with conditions out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed._core import route
from streed._core import solve_thresholds as engine
from streed.thresholds.columns import Column, Ranks, Test, encode_columns

UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdResult:
    """A tree over thresholds and what is proven about it.

    The tree is in flat arrays in preorder, as in `streed.Tree`: features are numbers of `tests`, leaves have
    feature -1, rows that satisfy a test go right.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    label: NDArray[np.int32]
    tests: tuple[Test, ...]
    features: NDArray[np.uint8]
    """What each training row answers to each test (rows x tests)."""
    objective: float
    lower_bound: float
    optimal: bool
    status: str
    """"optimal", "time_limit", "work_limit", "memory_limit" or "interrupted"."""
    seconds: float
    work: float
    """Rows times columns that were walked over: the same on every machine."""
    statistics: dict[str, int]

    def predicted(self) -> NDArray[np.int32]:
        """Return the label of each training row."""
        leaf = route(self.features, self.feature, self.left, self.right)
        labels: NDArray[np.int32] = self.label[leaf]
        return labels


def solve_thresholds(
    columns: Sequence[Column],
    *,
    labels: NDArray[np.int32] | None = None,
    weights: NDArray[np.float64] | None = None,
    costs: NDArray[np.float64] | None = None,
    n_labels: int | None = None,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    branch_cost: float = 0.0,
    time_limit: float | None = None,
    work_limit: float | None = None,
    memory_limit: int | None = None,
    n_threads: int = 1,
    poll: Callable[[dict[str, float]], bool] | None = None,
    **switches: Any,
) -> ThresholdResult:
    """Find the best tree over all thresholds of all columns.

    Parameters
    ----------
    columns : sequence of Column
        At least one, all with the same number of rows.
    labels : int32 array of shape (n,), optional
        Labels 0, 1, ...: leaves cost the weight of rows with another label.
    weights : float64 array of shape (n,), optional
        Weights of the rows, all positive; one each by default.
    costs : float64 array of shape (n, n_labels), optional
        Costs of each row with each label, instead of labels and weights.
    n_labels : int, optional
        Number of labels; found from the others by default.
    max_depth, max_nodes, min_samples_leaf : int
        Limits of the tree; `max_nodes` counts branching nodes.
    branch_cost : float, default=0
        What a branching node costs, in the unit of the weights.
    time_limit, work_limit, memory_limit : float, optional
        When to end with the best tree so far: seconds, rows times columns walked over, bytes.
    n_threads : int, default=1
        Threads; they take thresholds of the root in turn.
    poll : callable, optional
        Called about ten times a second with the state of the search; true ends it.
    **switches : dict
        `simd` and `switches` for tests.

    Returns
    -------
    ThresholdResult
        The tree.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> values = np.array([20.0, 30.0, 40.0, np.nan])
    >>> age = SimpleNamespace(name="age", kind="numbers", values=values, categories=())
    >>> result = solve_thresholds([age], labels=np.array([0, 1, 1, 0], np.int32), max_depth=1)
    >>> print(result.tests[0], result.objective)
    age <= 25 or missing 0.0
    """
    encoded = encode_columns(columns)
    n_rows = columns[0].values.size if len(columns) else 0
    if any(column.values.size != n_rows for column in columns):
        raise ValueError(f"all columns must have {n_rows} rows as the first one has")
    ranks = np.empty((len(encoded), n_rows), np.int32)
    for row, one in zip(ranks, encoded, strict=True):
        row[:] = one.codes
    if labels is not None and weights is None:
        weights = np.ones(n_rows)
    if n_labels is None:
        n_labels = costs.shape[1] if costs is not None else int(labels.max()) + 1 if labels is not None else 1
    answer = engine(
        ranks,
        labels,
        weights,
        costs,
        n_labels,
        max_depth=max_depth,
        max_nodes=UNLIMITED if max_nodes is None else max_nodes,
        min_samples_leaf=min_samples_leaf,
        branch_cost=branch_cost,
        time_limit=math.inf if time_limit is None else time_limit,
        work_limit=math.inf if work_limit is None else work_limit,
        memory_limit=memory_limit or 0,
        n_threads=n_threads,
        poll=poll,
        **switches,
    )
    return _make_result(answer, encoded, ranks)


def _make_result(answer: dict[str, Any], encoded: list[Ranks], ranks: NDArray[np.int32]) -> ThresholdResult:
    tests, features = [], np.empty((answer["column"].size, ranks.shape[1]), np.uint8)
    names = ("column", "rank", "next_rank", "missing_right")
    splits = zip(*(answer[name].tolist() for name in names), strict=True)
    for position, (column, rank, following, missing) in enumerate(splits):
        ranked = encoded[column]
        condition, features[position] = ranked.test(rank, following, missing=bool(missing))
        tests.append(Test(ranked.source, condition))
    same = (
        "feature",
        "left",
        "right",
        "label",
        "objective",
        "lower_bound",
        "optimal",
        "status",
        "seconds",
        "work",
    )
    return ThresholdResult(
        tests=tuple(tests),
        features=np.ascontiguousarray(features.T),
        statistics=answer["statistics"],
        **{name: answer[name] for name in same},
    )
