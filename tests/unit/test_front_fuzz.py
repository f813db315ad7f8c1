"""The native front functions, given anything at all: they answer or raise TypeError or ValueError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from streed import _core
from tests.unit.test_core_fuzz import any_array, anything

COMMON: dict[str, Any] = {
    "features": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
    "costs": np.array([[[0, 1], [1, 0]], [[1, 0], [0, 2]], [[1, 0], [0, 0]]], dtype=np.float64),
    "max_depth": 2,
    "max_nodes": 3,
    "min_samples_leaf": 1,
    "branch_cost": np.zeros(2),
    "time_limit": math.inf,
    "memory_limit": 0,
    "n_threads": 1,
}
FRONT = COMMON | {"upper": np.full(2, np.inf), "weights": np.ones(2), "budget": math.inf}
CONSTRAINED = COMMON | {"lower": np.array([-np.inf]), "upper": np.array([1.0])}
ARRAYS = {
    "front": ("features", "costs", "branch_cost", "upper", "weights"),
    "constrained": ("features", "costs", "branch_cost", "lower", "upper"),
}
functions = st.sampled_from(["front", "constrained"])


def call(function: str, **changes: Any) -> Any:
    good = FRONT if function == "front" else CONSTRAINED
    return getattr(_core, function)(**(good | changes))


def call_or_refuse(function: str, **changes: Any) -> None:
    try:
        answer = call(function, **changes)
    except (TypeError, ValueError):
        return
    wanted = {"values", "trees", "complete", "supports"} if function == "front" else {"feasible", "optimal"}
    assert set(answer) >= wanted | {"status", "seconds", "statistics"}


def test_the_good_arguments_are_good() -> None:
    assert call("front")["complete"]
    answer = call("constrained")
    assert (answer["feasible"], answer["optimal"], answer["status"]) == (True, True, "optimal")


@given(functions, st.data(), anything)
def test_one_argument_of_any_kind(function: str, data: st.DataObject, value: Any) -> None:
    name = data.draw(st.sampled_from(sorted(FRONT if function == "front" else CONSTRAINED)))
    if name == "n_threads" and isinstance(value, int) and value > 64:
        value = -value
    call_or_refuse(function, **{name: value})


@given(functions, st.data(), any_array)
def test_one_array_of_any_type_and_shape(function: str, data: st.DataObject, array: Any) -> None:
    call_or_refuse(function, **{data.draw(st.sampled_from(ARRAYS[function])): array})


@given(functions, hnp.arrays(np.uint8, (4, 3)), hnp.arrays(np.float64, (4, 2, 2)), hnp.arrays(np.float64, 2))
def test_right_types_with_any_values(function: str, features: Any, costs: Any, branch: Any) -> None:
    call_or_refuse(function, features=features, costs=costs, branch_cost=branch)
    call_or_refuse(function, features=features & 1, costs=costs, branch_cost=abs(branch))


@given(
    functions,
    hnp.arrays(np.float64, (3, 2, 2), elements=st.floats(-1e250, 1e250)),
    hnp.arrays(np.float64, 2),
    st.floats(),
)
def test_any_costs_and_limits(function: str, costs: Any, limits: Any, budget: float) -> None:
    if function == "front":
        call_or_refuse(function, costs=costs, upper=limits, weights=abs(limits[::-1]).copy(), budget=budget)
    else:
        call_or_refuse(function, costs=costs, lower=limits[:1].copy(), upper=limits[1:].copy())


def test_limits_that_nothing_comes_near() -> None:
    """How far all trees are from them is no finite number."""
    limits = {"lower": np.array([1e308]), "upper": np.array([1.7e308])}
    answer = call("constrained", costs=1e-5 * COMMON["costs"], **limits)
    assert answer["feasible"] is False
    assert np.isfinite(answer["closest"]).all()


@pytest.mark.parametrize("function", ["front", "constrained"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("features", COMMON["features"].astype(np.float64)),
        ("features", COMMON["features"][0]),
        ("costs", COMMON["costs"].astype(np.float32)),
        ("costs", COMMON["costs"][0]),
        ("costs", COMMON["costs"][:, ::-1]),
        ("costs", COMMON["costs"].tolist()),
        ("branch_cost", [0.0, 0.0]),
        ("branch_cost", 0.0),
        ("max_depth", "2"),
        ("switches", [1]),
        ("simd", 3),
        ("poll", 3),
    ],
)
def test_wrong_types(function: str, name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        call(function, **{name: value})


@pytest.mark.parametrize("function", ["front", "constrained"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("features", COMMON["features"][:2]),
        ("features", COMMON["features"] * 2),
        ("features", COMMON["features"][:0]),
        ("costs", COMMON["costs"][:2]),
        ("costs", COMMON["costs"][:, :0].copy()),
        ("costs", COMMON["costs"][:, :, :0].copy()),
        ("costs", np.zeros((3, 2, 129))),
        ("costs", COMMON["costs"] * 1e-300),
        ("costs", COMMON["costs"] * np.nan),
        ("costs", COMMON["costs"] + np.inf),
        ("costs", COMMON["costs"] * 1e300),
        ("branch_cost", np.zeros(3)),
        ("branch_cost", np.array([0.0, -1.0])),
        ("branch_cost", np.array([0.0, np.nan])),
        ("branch_cost", np.array([0.0, 1e300])),
        ("upper", np.zeros(7)),
        ("upper", np.full(2, np.nan)),
        ("max_depth", -1),
        ("max_depth", 21),
        ("max_nodes", -1),
        ("min_samples_leaf", 0),
        ("time_limit", 0.0),
        ("memory_limit", -1),
        ("n_threads", 0),
        ("switches", {"no such switch": True}),
        ("simd", "no such level"),
    ],
)
def test_wrong_values(function: str, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call(function, **{name: value})


@pytest.mark.parametrize(
    ("function", "changes"),
    [
        ("front", {"weights": np.array([1.0, -1.0])}),
        ("front", {"weights": np.array([1.0, np.inf])}),
        ("front", {"budget": math.nan}),
        ("front", {"upper": np.array([1.0, -np.inf])}),
        ("constrained", {"lower": np.array([2.0])}),
        ("constrained", {"lower": np.array([np.inf]), "upper": np.array([np.inf])}),
        ("constrained", {"lower": np.zeros(2), "upper": np.zeros(2)}),
    ],
)
def test_regions_that_make_no_sense(function: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call(function, **changes)


@pytest.mark.parametrize("weights", [[1e300, 1e300], [1e-300, 5e-324], [1e300, 1e-300], [0.0, 5e-324]])
@pytest.mark.parametrize("scale", [1.0, 1e-200])
def test_weights_of_any_size(weights: list[float], scale: float) -> None:
    answer = call("front", costs=COMMON["costs"] * scale, weights=np.array(weights), budget=1e308)
    everything = call("front", costs=COMMON["costs"] * scale)
    assert np.array_equal(answer["values"], everything["values"])
