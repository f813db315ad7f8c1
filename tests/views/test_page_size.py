"""The page at several widths: the tree comes first where there is little room, and its size can be chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import Result, Solution
from streed.views.page.histograms import BARS, Rows, histograms
from tests.views import browser
from tests.views.browser import Page
from tests.views.trees import CONDITIONS, RED, full, grow

page = pytest.fixture(scope="module", name="page")(browser.pages)

WIDE = full(
    4, [f"a column with a long name of number {k}" for k in range(30)], [f"class {k}" for k in range(10)]
)


def at(page: Page, width: int, html: str) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.open(html)


def rectangle(page: Page, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.js(
        "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector
    )
    return found


@pytest.mark.parametrize("width", [400, 1200])
def test_the_tree_is_above_the_form_where_both_have_no_room(page: Page, width: int) -> None:
    at(page, width, WIDE.to_html())
    assert page.one("#follow").is_displayed()
    assert rectangle(page, "#tree")["bottom"] <= rectangle(page, "#follow")["top"]
    assert page.js("return document.documentElement.scrollWidth") <= width


def test_nothing_is_cut_off_at_1200(page: Page) -> None:
    at(page, 1200, WIDE.to_html())
    assert page.js("const t = document.getElementById('tree'); return t.scrollWidth <= t.clientWidth")
    assert rectangle(page, "#tree > ul")["right"] <= rectangle(page, "#tree")["right"]


def test_small_trees_stay_beside_the_form(page: Page) -> None:
    at(page, 1200, full(2, ["a", "b"], ["no", "yes"]).to_html())
    assert rectangle(page, "#follow")["right"] <= rectangle(page, "#tree")["left"]


def test_sizes_can_be_chosen(page: Page) -> None:
    at(page, 1200, WIDE.to_html())

    def zoom() -> float:
        return float(page.js("return document.querySelector('#tree > ul').style.zoom"))

    fitted = zoom()
    page.one("#larger").click()
    assert zoom() == pytest.approx(1.25 * fitted, abs=1e-4)
    assert page.one("#fit").get_attribute("aria-pressed") == "false"
    page.one("#smaller").click()
    page.one("#smaller").click()
    assert zoom() == pytest.approx(fitted / 1.25, abs=1e-4)
    page.one("#fit").click()
    assert zoom() == pytest.approx(fitted, abs=1e-4)
    assert page.one("#fit").get_attribute("aria-pressed") == "true"


def test_titles_and_numbers_of_axes_do_not_overlap(page: Page) -> None:
    trees = [grow(0, CONDITIONS), grow((RED, 0, 1), CONDITIONS)]
    points = [Solution((123456.5 + k, 0.00012345 * (k + 1)), tree) for k, tree in enumerate(trees)]
    result = Result(0, 0, 0, True, "optimal", trees[0], points, 0.1, objectives=("y" * 60, "x" * 60))
    at(page, 1200, result.to_html())
    for x, y in ((0, 1), (1, 0)):
        for name, value in (("axis-x", x), ("axis-y", y)):
            page.js(
                "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
                " s.dispatchEvent(new Event('change'))",
                name,
                value,
            )
        boxes = page.js(
            "const all = [...document.querySelectorAll('#front-plot text')];"
            "return all.map((text) => text.getBoundingClientRect().toJSON())"
        )
        for k, one in enumerate(boxes):
            for other in boxes[k + 1 :]:
                apart = (
                    one["right"] <= other["left"] + 1
                    or other["right"] <= one["left"] + 1
                    or one["bottom"] <= other["top"] + 2
                    or other["bottom"] <= one["top"] + 2
                )
                assert apart, (one, other)


def fitted(missing: bool = False) -> tuple[Any, pd.DataFrame]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(40, 10, 300), "home": rng.choice(["rent", "own"], 300)})
    y = np.where((X["age"] > 45) & (X["home"] == "own"), "yes", "no")
    if missing:
        X.loc[::7, "age"] = np.nan
    return streed.OptimalTreeClassifier(max_depth=2).fit(X, y), X


@pytest.mark.parametrize("missing", [False, True])
def test_histograms_count_the_rows_of_a_node(missing: bool) -> None:
    model, X = fitted(missing)
    tree = model.tree_
    found = histograms(tree, Rows(X, lambda tree, rows: tree._route_table(rows)))
    assert (tree._route_table(X) == model.apply(X)).all()
    nodes = {node for node, test in enumerate(tree.tests) if test is not None and test.column == "age"}
    assert set(found) == nodes
    paths = model.decision_path(X).toarray().astype(bool)
    for node in nodes:
        own = X["age"][paths[:, node]].dropna().to_numpy()
        bars, cut = found[node]["bars"], tree.tests[node].value
        counts, edges = np.histogram(own, BARS)
        assert bars["heights"] == pytest.approx(np.round(counts / counts.max(), 3))
        assert edges[0] + bars["cut"] * (edges[-1] - edges[0]) == pytest.approx(cut, abs=0.01)


def test_histograms_are_shown_on_request(page: Page) -> None:
    model, X = fitted()
    page.errors()
    for html, shown in ((model.result_.to_html(rows=X), 1), (model.tree_.to_html(), 0)):
        at(page, 1200, html)
        place = next(k for k, test in enumerate(page.shown(".box.test")) if test.startswith("age"))
        page.js("document.querySelectorAll('#tree .box.test')[arguments[0]].closest('li').focus()", place)
        assert len(page.all("#tip .histogram")) == shown
    assert page.errors() == []


def test_rows_as_arrays() -> None:
    X = np.random.default_rng(1).normal(size=(80, 3))
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X, X[:, 1] > 0.3)
    assert '"heights"' in model.tree_.to_html(rows=X)
    assert '"heights"' in model.tree_.to_html(rows=X.tolist())
    with pytest.raises(ValueError, match="column"):
        model.tree_.to_html(rows=X[:, :1])
