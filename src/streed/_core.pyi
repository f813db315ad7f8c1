"""The native engine. Only `streed.solver` and `streed.tree` call it; tests use the switches."""

from collections.abc import Callable
from typing import Any, NotRequired, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

_Prices: TypeAlias = tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]
]

class TaskFailure(RuntimeError): ...  # noqa: N818

class TreeList:
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> dict[str, npt.NDArray[np.int32]]: ...
    def flat(
        self, chosen: npt.NDArray[np.int64]
    ) -> tuple[
        npt.NDArray[np.int32],
        npt.NDArray[np.int32],
        npt.NDArray[np.int32],
        npt.NDArray[np.int32],
        npt.NDArray[np.int64],
    ]: ...

class _Options(TypedDict):
    time_limit: float
    memory_limit: int
    switches: NotRequired[dict[str, bool] | None]
    simd: NotRequired[str]
    poll: NotRequired[Callable[[dict[str, float]], bool] | None]

class _ByDepth(_Options):
    max_depth: int
    max_nodes: int
    min_samples_leaf: int
    n_threads: int

class _Vector(_ByDepth):
    needs_cache: NotRequired[bool]

class _OneValue(_Vector):
    branch_cost: float
    prices: NotRequired[_Prices | None]
    combination: NotRequired[str]
    neighbourhood_steps: NotRequired[int]

class _Priced(_Options):
    branch_cost: float
    min_samples_leaf: NotRequired[int]
    n_threads: NotRequired[int]

class _Thresholds(_ByDepth):
    branch_cost: float
    work_limit: NotRequired[float]
    first_attempt: NotRequired[float]

def solve(
    features: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    n_labels: int,
    **options: Unpack[_OneValue],
) -> dict[str, Any]: ...
def solve_costs(
    features: npt.NDArray[np.uint8], costs: npt.NDArray[np.float64], **options: Unpack[_OneValue]
) -> dict[str, Any]: ...
def solve_function(
    features: npt.NDArray[np.uint8],
    statistics: npt.NDArray[np.float64],
    function: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]] | int | str,
    n_labels: int,
    *,
    least_row: npt.NDArray[np.float64] | None = None,
    worst_row: npt.NDArray[np.float64] | None = None,
    parameter: float = 0.0,
    **options: Unpack[_OneValue],
) -> dict[str, Any]: ...

class sizes:  # noqa: N801  (a submodule)
    """The best tree of every size; functions as in the module."""

    TaskFailure: type[RuntimeError]
    @staticmethod
    def solve(
        features: npt.NDArray[np.uint8],
        labels: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float64],
        n_labels: int,
        **options: Unpack[_OneValue],
    ) -> dict[str, Any]: ...
    @staticmethod
    def solve_costs(
        features: npt.NDArray[np.uint8], costs: npt.NDArray[np.float64], **options: Unpack[_OneValue]
    ) -> dict[str, Any]: ...
    @staticmethod
    def solve_function(
        features: npt.NDArray[np.uint8],
        statistics: npt.NDArray[np.float64],
        function: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]] | int | str,
        n_labels: int,
        *,
        least_row: npt.NDArray[np.float64] | None = None,
        worst_row: npt.NDArray[np.float64] | None = None,
        parameter: float = 0.0,
        **options: Unpack[_OneValue],
    ) -> dict[str, Any]: ...

_Helper: TypeAlias = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64] | None]
"""Evaluates a batch of root thresholds; None: not yet, an empty array: the engine is to do it."""
_Poll: TypeAlias = Callable[[dict[str, float]], object] | None

class shared:  # noqa: N801  (a submodule)
    """Roots that several searches share; functions take a problem as those of the module."""

    TaskFailure: type[RuntimeError]

    class SharedRoot:
        ceiling: float
        def order(self, poll: _Poll = None) -> list[int]: ...
        def solve_roots(
            self, features: list[int], poll: _Poll = None, n_threads: int = 1024
        ) -> dict[str, Any]: ...
        def rebuild(self, value: float, open: list[int], poll: _Poll = None) -> dict[str, Any]: ...  # noqa: A002
        def finish(
            self,
            feature: npt.NDArray[np.int32],
            left: npt.NDArray[np.int32],
            right: npt.NDArray[np.int32],
        ) -> dict[str, Any]: ...
        def cost(
            self,
            feature: npt.NDArray[np.int32],
            left: npt.NDArray[np.int32],
            right: npt.NDArray[np.int32],
        ) -> float: ...
        def lower(self, ticks: float) -> None: ...
        def stop(self) -> None: ...
        def in_units(self, ticks: float) -> float: ...

    class RootEvaluator:
        def evaluate(
            self, batch: npt.NDArray[np.int64], poll: _Poll = None
        ) -> npt.NDArray[np.int64] | None: ...

    @staticmethod
    def thresholds(
        ranks: npt.NDArray[np.int32],
        labels: npt.NDArray[np.int32] | None,
        weights: npt.NDArray[np.float64] | None,
        costs: npt.NDArray[np.float64] | None,
        n_labels: int,
        **options: Unpack[_Thresholds],
    ) -> RootEvaluator: ...
    @staticmethod
    def threshold_numbers(
        ranks: npt.NDArray[np.int32],
        model: str,
        numbers: npt.NDArray[np.float64],
        n_labels: int,
        **options: Unpack[_Thresholds],
    ) -> RootEvaluator: ...
    @staticmethod
    def solve(
        features: npt.NDArray[np.uint8],
        labels: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float64],
        n_labels: int,
        **options: Unpack[_OneValue],
    ) -> SharedRoot: ...
    @staticmethod
    def solve_costs(
        features: npt.NDArray[np.uint8], costs: npt.NDArray[np.float64], **options: Unpack[_OneValue]
    ) -> SharedRoot: ...
    @staticmethod
    def solve_function(
        features: npt.NDArray[np.uint8],
        statistics: npt.NDArray[np.float64],
        function: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]] | int | str,
        n_labels: int,
        *,
        least_row: npt.NDArray[np.float64] | None = None,
        worst_row: npt.NDArray[np.float64] | None = None,
        parameter: float = 0.0,
        **options: Unpack[_OneValue],
    ) -> SharedRoot: ...

_Closed: TypeAlias = Callable[[list[tuple[int, bool]], int, int, float, bool, str], object]
"""Path, depth, nodes, bound, whether that is the value, and the reason why a subproblem was closed."""

class Subproblems:
    upper: float
    def __init__(
        self,
        features: npt.NDArray[np.uint8],
        labels: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float64],
        n_labels: int,
        **options: Unpack[_OneValue],
    ) -> None: ...
    def solve(
        self,
        path: list[tuple[int, bool]],
        depth: int,
        nodes: int,
        limit: float,
        poll: Callable[[dict[str, float]], object] | None = None,
        closed: _Closed | None = None,
    ) -> dict[str, Any]: ...
    def solve_roots(
        self,
        features: list[int],
        depth: int,
        nodes: int,
        poll: Callable[[dict[str, float]], object] | None = None,
        closed: _Closed | None = None,
    ) -> dict[str, Any]: ...
    def lower(self, value: float) -> None: ...

def solve_priced(
    features: npt.NDArray[np.uint8],
    *,
    labels: npt.NDArray[np.int32] | None = None,
    weights: npt.NDArray[np.float64] | None = None,
    costs: npt.NDArray[np.float64] | None = None,
    n_labels: int = 1,
    **options: Unpack[_Priced],
) -> dict[str, Any]: ...
def priced_switch_names() -> list[str]: ...
def rank_columns(
    columns: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...
def bin_column(
    values: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64], bool, bool]: ...
def solve_bins(
    codes: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.int32] | None,
    weights: npt.NDArray[np.float64] | None,
    costs: npt.NDArray[np.float64] | None,
    statistics: npt.NDArray[np.float64] | None,
    n_labels: int,
    **options: Unpack[_Thresholds],
) -> dict[str, Any]: ...
def grow_greedy(
    ranks: npt.NDArray[np.int32],
    bits: npt.NDArray[np.uint8] | None,
    labels: npt.NDArray[np.int32] | None,
    targets: npt.NDArray[np.float64] | None,
    weights: npt.NDArray[np.float64],
    n_labels: int,
    criterion: str,
    max_depth: int,
    max_nodes: int,
    min_samples_leaf: int,
    time_limit: float,
) -> dict[str, Any]: ...
def solve_thresholds(
    ranks: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32] | None,
    weights: npt.NDArray[np.float64] | None,
    costs: npt.NDArray[np.float64] | None,
    n_labels: int,
    *,
    helper: _Helper | None = None,
    **options: Unpack[_Thresholds],
) -> dict[str, Any]: ...
def solve_threshold_numbers(
    ranks: npt.NDArray[np.int32],
    model: str,
    numbers: npt.NDArray[np.float64],
    n_labels: int,
    *,
    helper: _Helper | None = None,
    **options: Unpack[_Thresholds],
) -> dict[str, Any]: ...
def front(
    features: npt.NDArray[np.uint8],
    costs: npt.NDArray[np.float64],
    *,
    branch_cost: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    budget: float,
    prices: tuple[Any, ...] | None = None,
    price_weights: npt.NDArray[np.float64] | None = None,
    **options: Unpack[_Vector],
) -> dict[str, Any]: ...
def constrained(
    features: npt.NDArray[np.uint8],
    costs: npt.NDArray[np.float64],
    *,
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
    branch_cost: npt.NDArray[np.float64],
    prices: tuple[Any, ...] | None = None,
    price_weights: npt.NDArray[np.float64] | None = None,
    cutoff: float = ...,
    known: Any = None,
    multipliers: npt.NDArray[np.float64] | None = None,
    **options: Unpack[_Vector],
) -> dict[str, Any]: ...
def mixed(
    features: npt.NDArray[np.uint8], parts: list[tuple[Any, ...]], n_labels: int, **options: Unpack[_Vector]
) -> dict[str, Any]: ...
def route(
    features: npt.NDArray[np.uint8],
    feature: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
) -> npt.NDArray[np.int64]: ...
def route_columns(
    tests: list[tuple[npt.NDArray[Any], float | int | None, bool]],
    n_rows: int,
    feature: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
) -> npt.NDArray[np.int64]: ...
def recount(
    features: npt.NDArray[np.uint8],
    feature: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    label: npt.NDArray[np.int32],
    n_labels: int,
    errors: tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]] | None,
    costs: npt.NDArray[np.float64] | None,
    classes: tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None] | None,
    prices: _Prices | None,
    maximum: bool,
    value_factor: float,
    price_factor: float,
) -> tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    float,
    npt.NDArray[np.float64],
    npt.NDArray[np.float64] | None,
    npt.NDArray[np.float64] | None,
]: ...
def node_targets(
    feature: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    n_features: int,
    leaf: npt.NDArray[np.int64],
    targets: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    bars: int,
) -> tuple[
    npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]
]: ...
def encode(
    labels: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None: ...
def largest_unit(values: list[float], total: float) -> float: ...
def most_components() -> int: ...
def simd_levels() -> list[str]: ...
def options() -> dict[str, dict[str, tuple[bool, float, float, bool]]]: ...
def switch_names() -> list[str]: ...
