"""Names that are cut short stay distinct, and colours can be told apart by every reader."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris

import streed
from streed.views.page.html import solutions_to_html
from streed.views.palette import COLORS, MOST, PLAIN, label_colors
from streed.views.words.names import Names
from tests.views.trees import full, grow

FAMILY = [f"average normalised intensity of the {colour} channel" for colour in ("red", "green", "blue")]


@given(st.lists(st.text("ab x_", min_size=1, max_size=40), min_size=1, max_size=8, unique=True))
def test_short_names_are_short_and_distinct(given_names: list[str]) -> None:
    names = Names(given_names)
    for most in (12, 16, 24, 48):
        short = [names.short(name, most) for name in given_names]
        assert all(len(text) <= most for text in short)
        assert len(set(short)) == len(given_names)
        assert all(text == name for text, name in zip(short, given_names, strict=True) if len(name) <= most)


@pytest.mark.parametrize("most", [10, 18, 30, 45])
def test_what_differs_stays(most: int) -> None:
    names = Names([*FAMILY, "age", "total normalised intensity of all channels"])
    for name, colour in zip(FAMILY, ("red", "green", "blue"), strict=True):
        assert colour in names.short(name, most)


def test_nodes_of_plots_can_be_told_apart() -> None:
    names = [f"{name} <= 0.5" for name in FAMILY]
    shown = [text.get_text() for text in full(2, names, ["a", "b"]).plot().texts if "≤" in text.get_text()]
    assert len(shown) == 3
    assert all(sum(colour in text for text in shown) == 1 for colour in ("red", "green", "blue"))


def oklab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    first = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    second = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    cones: NDArray[np.float64] = np.cbrt(np.clip(linear, 0, None) @ np.array(first).T)
    seen: NDArray[np.float64] = cones @ np.array(second).T
    return seen


def linear_light(color: str) -> NDArray[np.float64]:
    parts = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


READERS = {
    "all cones": np.eye(3),
    "no red": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no green": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no blue": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    "grey": np.tile([0.2126, 0.7152, 0.0722], (3, 1)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("n_classes", "least", "least_grey"), [(2, 0.2, 0.2), (10, 0.09, 0.04), (24, 0.045, 0.015)]
)
def test_colours_can_be_told_apart(reader: str, n_classes: int, least: float, least_grey: float) -> None:
    seen = [oklab(np.clip(np.array(READERS[reader]) @ linear_light(c), 0, 1)) for c in COLORS[:n_classes]]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest >= (least_grey if reader == "grey" else least)


def test_many_classes() -> None:
    ten = full(3, ["a", "b"], [str(k) for k in range(10)])
    assert len(set(label_colors(ten))) == 10
    assert set(label_colors(full(1, ["a"], [str(k) for k in range(MOST + 1)]))) == {PLAIN}


def test_chosen_colours_are_in_all_views() -> None:
    tree = full(1, ["a"], ["good", "bad"])
    for chosen in ({"bad": "#AB1234"}, [COLORS[0], "#ab1234"]):
        assert label_colors(tree, chosen) == [COLORS[0], "#ab1234"]
        assert "#ab1234" in tree.to_html(colors=chosen)
        assert "#ab1234" in tree.to_dot(colors=chosen)
        faces = {patch.get_facecolor() for patch in tree.plot(colors=chosen).patches}
        assert any(np.allclose(face[:3], [0xAB / 255, 0x12 / 255, 0x34 / 255]) for face in faces)


@pytest.mark.parametrize(
    ("chosen", "error", "words"),
    [
        ({"other": "#000000"}, ValueError, "'other', which is not among the labels"),
        (["#000000"], ValueError, "a colour for each of 2 labels, got 1"),
        ({"good": "red"}, ValueError, "'#rrggbb', got 'red'"),
        ({"good": 3}, ValueError, "'#rrggbb', got 3"),
        ("#000000", TypeError, "a mapping from labels to colours"),
        (7, TypeError, "a mapping from labels to colours"),
    ],
)
def test_wrong_colours_are_refused(chosen: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        full(1, ["a"], ["good", "bad"]).to_html(colors=chosen)


def test_numbers_have_no_colours_to_choose() -> None:
    X, y = load_iris(return_X_y=True)
    tree = streed.OptimalTreeRegressor(max_depth=1).fit(X[:, :3], X[:, 3]).tree_
    with pytest.raises(ValueError, match="from pale to deep"):
        tree.to_dot(colors={1.0: "#000000"})
    assert solutions_to_html([streed.solve(streed.tasks.Accuracy(y), X > 2, max_depth=1).front[0]], title="x")
    assert "fontcolor" in grow(0).to_dot()
