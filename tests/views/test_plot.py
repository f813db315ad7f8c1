"""The plot: everything is there, nothing overlaps, and it fits its page or its axes."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from streed import Tree
from tests.views.trees import CONDITIONS, RED, full, grow

mpl.use("Agg")
LONG = [
    f"{kind} {what} <= {number:.4g}"
    for kind in ("mean", "standard deviation of the", "worst of all")
    for what, number in (("concave points", 0.01234), ("fractal dimension", 1234.5), ("radius", 7.0))
]


@pytest.fixture(autouse=True)
def close_figures() -> Any:
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


def texts(ax: Any) -> dict[str, list[Any]]:
    """The places of all texts in pixels, by text."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    found: dict[str, list[Any]] = {}
    for text in ax.texts:
        if text.get_text():
            found.setdefault(text.get_text(), []).append(text.get_window_extent(canvas.get_renderer()))
    return found


def assert_readable(ax: Any) -> None:
    """No two texts overlap by more than a pixel, and all of them are inside the axes."""
    boxes = [(text, box) for text, places in texts(ax).items() for box in places]
    room = ax.get_window_extent()
    for text, box in boxes:
        inside = (
            room.x0 - 1 <= box.x0
            and box.x1 <= room.x1 + 1
            and room.y0 - 1 <= box.y0
            and box.y1 <= room.y1 + 1
        )
        assert inside, text
    for (first, a), (second, b) in itertools.combinations(boxes, 2):
        apart = a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
        assert apart, (first, second)


@pytest.mark.parametrize("seed", range(3))
def test_a_full_tree_of_depth_five_fits_a_page(seed: int) -> None:
    tree = full(5, LONG, ["benign", "malignant", "not known"], seed)
    ax = tree.plot(title="Depth 5")
    assert_readable(ax)
    width, height = ax.figure.get_size_inches()
    assert width <= 11.7
    assert height <= 8.28
    assert min(text.get_fontsize() for text in ax.texts) >= 5


def test_the_plot_says_everything() -> None:
    tree = full(2, ["a", "b"], ["good", "bad"])
    found = texts(tree.plot(title="Title"))
    assert {"a", "b"} & set(found)
    assert len(found["no"]) == len(found["yes"]) == 3
    assert tree.class_weights is not None
    for leaf in np.flatnonzero(tree.feature < 0):
        weights = tree.class_weights[leaf]
        assert f"{100 * weights[tree.label[leaf]] / weights.sum():.1f} %" in found
        assert f"{tree.n_samples[leaf]} rows" in found
    assert f"{tree.n_samples[0]} rows" in found


def test_names_are_shortened_but_not_thresholds() -> None:
    name = "a name that is far too long to be shown as a whole in any picture <= 0.123456"
    found = texts(grow((0, 0, 1), feature_names=[name]).plot())
    shown = next(text for text in found if "≤" in text)
    assert shown.endswith("≤\u00a00.123456")
    assert "…" in shown
    assert len(shown) < len(name)


def test_shapes_of_all_kinds_are_readable() -> None:
    chain: Any = 0
    for _ in range(7):
        chain = (0, 1, chain)
    for tree in (
        grow(0),
        grow(chain),
        grow((RED, (RED, 0, (RED, 1, 0)), 1), CONDITIONS),
        full(3, LONG, [f"label number {k}" for k in range(20)]),
        full(2, ["$x_1$ & \\alpha_{", "%s"], ["$", "_^{}"]),
    ):
        assert_readable(tree.plot(title="x"))


def test_values_take_the_place_of_shares() -> None:
    known: dict[str, Any] = {"values": [1.0, -2.5, 4.0], "value_name": "cost", "class_weights": None}
    tree = grow((RED, 0, 1), CONDITIONS, **known)
    ax = tree.plot()
    found = texts(ax)
    assert {"-2.5", "4", "cost per row"} <= set(found)
    assert not any("%" in text for text in found)
    assert_readable(ax)


def test_prices_of_tests() -> None:
    known: dict[str, Any] = {"values": [1.0, 2.0, 0.5], "value_name": "cost", "prices": [1.5, 0.0, 0.0]}
    ax = grow((RED, 0, 1), CONDITIONS, **known).plot()
    shown = texts(ax)
    assert {"price 1.5, 2 rows", "2 + 1.5", "0.5 + 1.5", "cost per row", "tests per row"} <= set(shown)
    assert_readable(ax)


def test_a_tree_that_knows_neither_classes_nor_values() -> None:
    ax = grow((RED, 0, 1), CONDITIONS, class_weights=None).plot()
    assert {"no", "yes", "1 row"} <= set(texts(ax))
    assert_readable(ax)


def test_drawing_into_given_axes() -> None:
    figure = Figure(figsize=(12, 5))
    first, second = figure.subplots(1, 2)
    tree = full(3, LONG, ["good", "bad"])
    assert tree.plot(first) is first
    tree.plot(second, title="The same")
    assert_readable(first)
    assert second.get_title(loc="left") == "The same"
    assert len(figure.axes) == 2


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'streed\[plot\]'"):
        grow(0).plot()


def test_bars_of_many_classes_show_the_label_alone() -> None:
    from matplotlib.patches import Rectangle

    tree = full(1, ["a"], [f"class {k}" for k in range(25)])
    assert tree.class_weights is not None
    bars = [
        patch for patch in tree.plot().patches if isinstance(patch, Rectangle) and patch.get_height() > 10
    ]
    shares = [bars[k + 1].get_width() / bars[k].get_width() for k in (0, 2)]
    leaves = tree.class_weights[1:]
    assert shares == pytest.approx(leaves[[0, 1], tree.label[1:]] / leaves.sum(axis=1))
    assert len(bars) == 4


def test_bars_show_the_shares() -> None:
    """The pieces of a leaf's bar are as long as the shares of its classes."""
    from matplotlib.patches import Rectangle

    weights = [[4, 4], [3, 1], [1, 3]]
    tree = Tree(
        [0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1],
        n_samples=[8, 4, 4], class_weights=weights, classes=["a", "b"], n_features=1,
    )  # fmt: skip
    ax = tree.plot()
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_height() > 10]
    lengths = [bar.get_width() for bar in bars]
    assert [length / sum(lengths[:2]) for length in lengths] == pytest.approx([0.75, 0.25, 0.25, 0.75])
