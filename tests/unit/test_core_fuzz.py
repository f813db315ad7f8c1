"""The native module, given anything at all: it answers or raises TypeError or ValueError, and never dies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from streed import _core

GOOD: dict[str, Any] = {
    "features": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
    "labels": np.array([0, 1, 1], dtype=np.int32),
    "weights": np.ones(3),
    "n_labels": 2,
    "max_depth": 2,
    "max_nodes": 3,
    "min_samples_leaf": 1,
    "branch_cost": 0.0,
    "time_limit": math.inf,
    "memory_limit": 0,
    "n_threads": 1,
}
ARRAYS = ("features", "labels", "weights")

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 25),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(-1, 2), max_size=3),
    st.just(object()),
    st.just({}),
)
any_array = hnp.arrays(
    dtype=hnp.scalar_dtypes(),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


def call(**changes: Any) -> Any:
    return _core.solve(**(GOOD | changes))


def call_or_refuse(**changes: Any) -> None:
    try:
        answer = call(**changes)
    except (TypeError, ValueError):
        return
    assert set(answer) >= {
        "feature",
        "left",
        "right",
        "label",
        "objective",
        "lower_bound",
        "optimal",
        "status",
    }


def test_the_good_arguments_are_good() -> None:
    answer = call()
    assert (answer["objective"], answer["optimal"], answer["status"]) == (0.0, True, "optimal")


@given(st.sampled_from(sorted(GOOD)), anything)
def test_one_argument_of_any_kind(name: str, value: Any) -> None:
    if name == "n_threads" and isinstance(value, int) and value > 64:
        value = -value
    call_or_refuse(**{name: value})


@given(st.sampled_from(ARRAYS), any_array)
def test_one_array_of_any_type_and_shape(name: str, array: Any) -> None:
    call_or_refuse(**{name: array})


@given(any_array, any_array, any_array, st.integers(-1, 4))
def test_all_arrays_of_any_type_and_shape(features: Any, labels: Any, weights: Any, n_labels: int) -> None:
    call_or_refuse(features=features, labels=labels, weights=weights, n_labels=n_labels)


@given(
    hnp.arrays(np.uint8, (4, 3)),
    hnp.arrays(np.int32, 4),
    hnp.arrays(np.float64, 4),
    st.integers(-1, 5),
    st.sampled_from(["C", "F", "strided", "read-only"]),
)
def test_right_types_with_any_values(
    features: Any, labels: Any, weights: Any, n_labels: int, layout: str
) -> None:
    if layout == "F":
        features = np.asfortranarray(features)
    elif layout == "strided":
        features, labels = np.repeat(features, 2, axis=0)[::2], np.repeat(labels, 2)[::2]
    elif layout == "read-only":
        for array in (features, labels, weights):
            array.flags.writeable = False
    call_or_refuse(features=features, labels=labels, weights=weights, n_labels=n_labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("features", GOOD["features"].astype(np.float64)),
        ("features", GOOD["features"].tolist()),
        ("features", GOOD["features"][0]),
        ("labels", GOOD["labels"].astype(np.int64)),
        ("labels", GOOD["labels"][:, None]),
        ("weights", GOOD["weights"].astype(np.float32)),
        ("max_depth", "2"),
        ("max_depth", None),
        ("branch_cost", "0"),
        ("switches", [1]),
        ("simd", 3),
        ("poll", 3),
    ],
)
def test_wrong_types(name: str, value: Any) -> None:
    with pytest.raises(TypeError):
        call(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", GOOD["weights"] * 1e308),
        ("weights", GOOD["weights"] * 1e-300),
        ("n_labels", 2**31 - 1),
        ("memory_limit", -1),
        ("features", GOOD["features"][:2]),
        ("features", GOOD["features"] * 2),
        ("features", GOOD["features"][:0]),
        ("labels", GOOD["labels"][:2]),
        ("labels", GOOD["labels"] - 1),
        ("labels", GOOD["labels"] + 1),
        ("weights", GOOD["weights"][:2]),
        ("weights", GOOD["weights"] * 0),
        ("weights", -GOOD["weights"]),
        ("weights", GOOD["weights"] * np.nan),
        ("weights", GOOD["weights"] * np.inf),
        ("n_labels", 0),
        ("n_labels", 1),
        ("max_depth", -1),
        ("max_depth", 21),
        ("max_nodes", -1),
        ("min_samples_leaf", 0),
        ("branch_cost", -1.0),
        ("branch_cost", math.nan),
        ("time_limit", -1.0),
        ("time_limit", math.nan),
        ("n_threads", 0),
        ("switches", {"no such switch": True}),
        ("simd", "no such level"),
    ],
)
def test_wrong_values(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call(**{name: value})


# Two features of attribute 0, one of attribute 1.
PRICES = {
    "attribute": np.array([0, 0, 1], dtype=np.int32),
    "group": np.array([-1, -1, 0], dtype=np.int32),
    "full": np.array([0.5, 0.5, 0.25]),
    "discounted": np.array([0.25, 0.25, 0.25]),
}


def call_with_prices(**changes: Any) -> Any:
    features = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 1]], dtype=np.uint8)
    return call(features=features, prices=tuple((PRICES | changes).values()))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("group", 0, r"the same group, got -1 for feature 0 and 0 for feature 1, both of attribute 0"),
        ("full", 0.25, r"the same full price, got 0.5\d* for feature 0 and 0.25\d* for feature 1"),
        ("discounted", 0.5, r"the same discounted price, got 0.25\d* for feature 0 and 0.5\d* for feature 1"),
    ],
)
def test_prices_belong_to_attributes(name: str, value: float, message: str) -> None:
    """Features of an attribute that differed were dropped or bounded as if they were alike: wrong optima."""
    assert call_with_prices()["optimal"]
    other = PRICES[name].copy()
    other[1] = value
    with pytest.raises(ValueError, match=message):
        call_with_prices(**{name: other})
    assert call_with_prices(group=np.array([-1, -7, 0], dtype=np.int32))["optimal"]  # both: no group


def test_missing_and_unknown_arguments() -> None:
    with pytest.raises(TypeError):
        call(features=None, labels=None)
    with pytest.raises(TypeError):
        call(colour="red")


def test_names_that_the_module_offers() -> None:
    assert set(_core.switch_names()) >= {"cache", "similarity", "merge_rows", "drop_features", "depth_two"}
    for level in _core.simd_levels():
        assert call(simd=level)["objective"] == 0.0
    for name in _core.switch_names():
        assert call(switches={name: False})["objective"] == 0.0
