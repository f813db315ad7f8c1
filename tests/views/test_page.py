"""The page in a real browser: it draws, folds, follows rows, searches, shows fronts, and never complains."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import Binarizer, Condition, OptimalTreeClassifier, Result, Solution, Tree
from streed.tree.walk import paths
from tests.views import browser
from tests.views.browser import Page
from tests.views.trees import (
    AGE_30,
    AGE_42,
    AGE_MISSING,
    BLUE_GREEN,
    CONDITIONS,
    DAY,
    MEDIUM,
    MEMBER,
    RED,
    full,
    grow,
)

shared_page = pytest.fixture(scope="module", name="shared_page")(browser.pages)
HOSTILE = "</script ></script><script>alert(1)</script><img src=x onerror=alert(2)> \"' & {{data}} \u2028 ü"


@pytest.fixture
def page(shared_page: Page) -> Iterator[Page]:
    """The browser; whatever a test does, the page may not complain, and may not load anything."""
    shared_page.errors()
    yield shared_page
    assert shared_page.errors() == []
    loaded = shared_page.js("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded == []
    shared_page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def front_of(*solutions: Solution, objectives: tuple[str, ...] = ("errors", "unfairness")) -> Result:
    tree = solutions[0].tree
    return Result(0, 0, 0, True, "optimal", tree, list(solutions), 0.1, objectives=objectives)


@pytest.fixture
def front() -> Result:
    trees = [
        grow(0, CONDITIONS),
        grow((RED, 0, 1), CONDITIONS),
        grow((AGE_42, 0, (MEMBER, 0, 1)), CONDITIONS),
    ]
    return front_of(*(Solution((9.0 - 3 * k, 0.1 * k * k), tree) for k, tree in enumerate(trees)))


SMALL_TREE = grow((AGE_42, (RED, 0, 1), (MEMBER, 0, 1)), CONDITIONS)


def test_a_tree_is_drawn(page: Page) -> None:
    page.open(SMALL_TREE.to_html(title="A small tree"))
    assert page.driver.title == page.one("h1").text == "A small tree"
    tests = [text.splitlines()[0].replace("\u00a0", " ") for text in page.shown(".box.test")]
    assert tests == ["age ≤ 42.5?", "colour = red?", "member?"]
    assert page.shown(".chip") == ["no", "yes", "no", "yes"]
    assert page.shown(".facts") == ["1 row, 100.0 %"] * 4
    assert page.shown(".side") == ["no", "no", "yes", "yes", "no", "yes"]
    assert not page.one("#front").is_displayed()
    sizes = page.js(
        "return [...document.querySelectorAll('.box')].map((box) => box.offsetWidth * box.offsetHeight)"
    )
    assert min(sizes) > 0


def test_what_decides_is_said_where_tests_do_not_matter(page: Page) -> None:
    page.open(grow((AGE_42, (RED, 0, 1), (RED, 0, (MEMBER, 0, 1))), CONDITIONS).to_html())
    page.fill({"age": 50, "colour": "blue", "member": "no"})
    assert page.one("#reason").text == (
        "Decided by colour is not red; the other tests on the path do not matter."
    )
    page.fill({"age": 30, "colour": "red", "member": "yes"})
    assert page.one("#answer").text.startswith("→ yes")
    assert "colour = red and member" in page.one("#reason").text
    page.fill({"age": 50, "colour": "red", "member": "no"})
    assert page.one("#answer").text.startswith("→ yes")
    assert page.one("#reason").text == ""


def test_boxes_do_not_overlap(page: Page) -> None:
    names = [f"a rather long name of feature number {k} <= 0.12345" for k in range(4)]
    page.open(full(5, names, ["good", "bad"]).to_html())
    script = """return [...document.querySelectorAll(".box")].map((box) => {
        const place = box.getBoundingClientRect();
        return [place.left, place.right, place.top, place.bottom]; })"""
    boxes = np.array(page.js(script))
    assert len(boxes) == 63
    left, right, top, bottom = (boxes[:, k] for k in range(4))
    apart = (
        (right[:, None] <= left)
        | (right <= left[:, None])
        | (bottom[:, None] <= top)
        | (bottom <= top[:, None])
    )
    assert (apart | np.eye(63, dtype=bool)).all()


def test_folding_by_mouse(page: Page) -> None:
    page.open(SMALL_TREE.to_html())
    page.all(".box.test")[1].click()
    assert page.shown(".chip") == ["no", "yes"]
    page.all(".box.test")[1].click()
    assert len(page.shown(".chip")) == 4
    page.one("#fold").click()
    assert (len(page.shown(".box.test")), page.shown(".chip")) == (1, [])
    page.one("#unfold").click()
    assert len(page.shown(".chip")) == 4


def test_folding_and_walking_by_keyboard(page: Page) -> None:
    page.open(SMALL_TREE.to_html())

    def press(key: str) -> tuple[int, str | None]:
        page.driver.switch_to.active_element.send_keys(key)
        item = page.driver.switch_to.active_element
        return int(item.get_attribute("data-node")), item.get_attribute("aria-expanded")

    enter, left, up, right, down, end, home = (
        "\ue007",
        "\ue012",
        "\ue013",
        "\ue014",
        "\ue015",
        "\ue010",
        "\ue011",
    )
    page.js("document.querySelector('[role=treeitem]').focus()")
    assert press(enter) == (0, "false")
    assert page.shown(".chip") == []
    assert press(right) == (0, "true")
    assert press(right) == (1, "true")
    assert press(down) == (2, None)
    assert press(end) == (6, None)
    assert press(up) == (5, None)
    assert press(left) == (4, "true")
    assert press(left) == (4, "false")
    assert press(down) == (4, "false")
    assert press(home) == (0, "true")
    assert [item.get_attribute("tabindex") for item in page.all("li")].count("0") == 1


def test_statistics_on_hover_and_on_focus(page: Page) -> None:
    from selenium.webdriver import ActionChains

    tree = full(2, ["a", "b"], ["good", "bad"])
    assert tree.class_weights is not None
    page.open(tree.to_html())
    assert not page.one("#tip").is_displayed()
    leaf = int(np.flatnonzero(tree.feature < 0)[0])
    ActionChains(page.driver).move_to_element(page.all(".box.leaf")[0]).perform()
    assert page.one("#tip").is_displayed()
    text = page.one("#tip").text
    assert "if not " in text
    for weight in tree.class_weights[leaf]:
        assert f" {weight:g} {100 * weight / tree.class_weights[leaf].sum():.1f} %" in text
    page.js("document.querySelector('[role=treeitem]').focus()")
    assert page.one("#tip").text.startswith("all rows")
    page.js("document.activeElement.blur()")
    assert not page.one("#tip").is_displayed()


def test_following_a_row_step_by_step(page: Page) -> None:
    page.open(SMALL_TREE.to_html())
    assert page.shown("#row .name") == ["age", "colour", "member"]
    assert page.path() == []
    page.fill({"age": 42.5})
    assert (page.path(), page.one("#answer").text) == ([0, 4], "Next: member")
    page.fill({"age": 42.5, "member": "yes"})
    assert (page.path(), page.one("#answer").text) == ([0, 4, 6], "→ yes (1 row, 100.0 %)")
    page.one("#fold").click()
    page.fill({"age": 43, "colour": "red"})
    assert page.path() == [0, 1, 3]
    assert page.all("li[data-node='3'] > .box")[0].is_displayed()
    page.one("#clear").click()
    assert (page.path(), page.one("#answer").text) == ([], "")


def test_every_kind_of_value(page: Page) -> None:
    tree = grow((DAY, (BLUE_GREEN, 0, (MEDIUM, 0, 1)), (AGE_MISSING, (AGE_30, 0, 1), 1)), CONDITIONS)
    nodes = {(int(f), bool(s)): int(c) for f, a, b in zip(tree.feature, tree.left, tree.right, strict=True)
             for s, c in ((False, a), (True, b)) if f >= 0}  # fmt: skip
    page.open(tree.to_html())

    def leaf(**row: Any) -> int:
        page.fill(row)
        return page.path()[-1]

    assert leaf(day="2024-03-05", age=None) == nodes[AGE_MISSING, True]
    assert leaf(day="2024-03-05", age=30) == nodes[AGE_30, True]
    assert leaf(day="2024-03-05", age=30.5) == nodes[AGE_30, False]
    assert leaf(day="2024-03-06", colour="red") == nodes[BLUE_GREEN, False]
    assert leaf(day="2024-03-06", colour="green", size="medium") == nodes[MEDIUM, True]
    assert leaf(day="2024-03-06", colour="green", size="huge") == nodes[MEDIUM, False]


def test_rows_go_where_the_estimator_sends_them(page: Page) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"age": rng.normal(40, 9, 200), "colour": rng.choice(["red", "blue", "</select>"], 200)}
    )
    table["member"] = rng.random(200) < 0.5
    table.loc[rng.random(200) < 0.2, "age"] = np.nan
    y = (table["age"] < 42) ^ (table["colour"] == "</select>") ^ table["member"]
    model = OptimalTreeClassifier(max_depth=4, binarizer=Binarizer(missing="indicator")).fit(table, y)
    page.open(model.tree_.to_html())
    leaves = model.apply(table)
    assert len(set(leaves[:40])) > 4
    for i, (age, colour, member) in enumerate(table.itertuples(index=False)):
        if i == 40:
            break
        page.fill(
            {"age": None if np.isnan(age) else age, "colour": colour, "member": "yes" if member else "no"}
        )
        assert page.path()[-1] == leaves[i]


def test_plain_features(page: Page) -> None:
    page.open(grow((0, 0, (1, 0, 1)), feature_names=["smoker", "age <= 40"]).to_html())
    page.fill({"smoker": "yes", "age <= 40": "no"})
    assert page.path() == [0, 2, 3]


def test_search(page: Page) -> None:
    page.open(SMALL_TREE.to_html())
    page.one("#fold").click()
    page.one("#search").send_keys("COLOUR")
    assert page.one("#found").text == "1 node"
    assert [int(item.get_attribute("data-node")) for item in page.all("li.found")] == [1]
    assert page.all("li.found > .box")[0].is_displayed()
    page.one("#search").send_keys("\ue007")
    assert page.one("#found").text == "1 of 1"
    page.one("#search").send_keys("x")
    assert (page.one("#found").text, page.all("li.found")) == ("0 nodes", [])


def test_a_point_of_the_front_shows_its_tree(page: Page, front: Result) -> None:
    page.open(front.to_html(title="Front"))
    assert len(page.all("circle")) == 3
    assert "errors: 9\nunfairness: 0\nbranching nodes: 0" in page.one("#point").text
    assert page.shown(".box.test") == []
    page.js("document.querySelector('circle[data-point=\"2\"]').dispatchEvent(new MouseEvent('click'))")
    assert page.shown("#row .name") == ["age", "member"]
    assert len(page.shown(".box.test")) == 2
    assert "errors: 3" in page.one("#point").text
    page.all("circle[data-point='1']")[0].click()
    assert [text.splitlines()[0] for text in page.shown(".box.test")] == ["colour = red?"]


def test_the_front_by_keyboard(page: Page, front: Result) -> None:
    page.open(front.to_html())
    page.js("document.querySelector('circle[tabindex=\"0\"]').focus()")
    for _ in range(2):  # points are in order of the errors, so the next one after the last is the first
        page.driver.switch_to.active_element.send_keys("\ue014")
    assert page.driver.switch_to.active_element.get_attribute("data-point") == "1"
    assert page.all("circle[aria-checked='true']")[0].get_attribute("data-point") == "1"
    assert len(page.shown(".box.test")) == 1


def test_axes_can_be_chosen(page: Page, front: Result) -> None:
    page.open(front.to_html())
    assert [circle.get_attribute("data-point") for circle in page.all("circle")] == ["2", "1", "0"]
    page.js("const x = document.getElementById('axis-x'); x.value = 2; x.dispatchEvent(new Event('change'))")
    assert [circle.get_attribute("data-point") for circle in page.all("circle")] == ["0", "1", "2"]
    assert "branching nodes" in [text.text for text in page.all("svg text")]


def test_rows_that_were_entered_stay_when_the_tree_changes(page: Page, front: Result) -> None:
    page.open(front.to_html())
    page.all("circle[data-point='1']")[0].click()
    page.fill({"colour": "red"})
    assert page.path() == [0, 2]
    page.all("circle[data-point='2']")[0].click()
    page.all("circle[data-point='1']")[0].click()
    assert page.path() == [0, 2]


@pytest.mark.parametrize("objectives", [("errors",), ()])
def test_a_front_of_one_objective(page: Page, front: Result, objectives: tuple[str, ...]) -> None:
    solutions = [Solution(solution.values[:1], solution.tree) for solution in front.front]
    page.open(front_of(*solutions, objectives=objectives).to_html())
    assert len({circle.get_attribute("cx") for circle in page.all("circle")}) == 3
    assert len(page.all("circle")) == 3


def test_light_and_dark(page: Page) -> None:
    def background() -> int:
        color = page.js("return getComputedStyle(document.body).backgroundColor")
        return int(color.removeprefix("rgb(").split(",")[0])

    def prefer(scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def pressed() -> str:
        return str(page.one("#theme").get_attribute("aria-pressed"))

    prefer("light")
    page.open(SMALL_TREE.to_html())
    page.wait(lambda: background() > 200 and pressed() == "false")
    prefer("dark")
    page.wait(lambda: background() < 60 and pressed() == "true")
    page.one("#theme").click()
    assert (background() > 200, pressed()) == (True, "false")
    prefer("light")
    page.one("#theme").click()
    assert (background() < 60, pressed()) == (True, "true")


def test_hostile_names_stay_names(page: Page) -> None:
    tests = [Condition(HOSTILE, "=", HOSTILE), Condition(HOSTILE, "=", "x")]
    trees = [
        grow((0, 0, 1), tests, classes=[HOSTILE, "</style>"]),
        grow((1, 0, 1), tests, classes=[HOSTILE, "b"]),
    ]
    solutions = [Solution((float(k), float(-k)), tree) for k, tree in enumerate(trees)]
    page.open(front_of(*solutions, objectives=(HOSTILE, "<b>")).to_html(title=HOSTILE))
    assert page.one("h1").text == " ".join(HOSTILE.split())
    assert page.js("return document.querySelector('#row .name').textContent") == HOSTILE
    assert page.js("return document.querySelector('.chip').textContent") == HOSTILE
    assert page.all("img") == []
    assert len(page.all("script")) == 2
    page.fill({HOSTILE: HOSTILE})
    assert page.path() == [0, 2]


def test_a_tree_of_values(page: Page) -> None:
    known: dict[str, Any] = {"values": [1.0, -2.5, 4.0], "value_name": "cost", "class_weights": None}
    page.open(grow((RED, 0, 1), CONDITIONS, **known).to_html())
    assert page.shown(".facts") == ["1 row, cost -2.5", "1 row, cost 4"]
    widths = page.js("return [...document.querySelectorAll('.bar i')].map((bar) => bar.offsetWidth)")
    assert widths[1] > widths[0] > 0


def test_prices_of_tests(page: Page) -> None:
    known = {"values": [1.0, 2.0, 0.0], "value_name": "cost", "prices": [1.5, 0.0, 0.0]}
    page.open(grow((RED, 0, 1), CONDITIONS, **known).to_html())
    assert page.shown(".foot") == ["2 rows, price 1.5"]
    assert page.shown(".facts") == ["1 row, cost 2, tests 1.5", "1 row, cost 0, tests 1.5"]
    assert page.shown("#legend span")[-2:] == ["cost per row", "tests per row"]
    widths = page.js(
        "return [...document.querySelectorAll('.leaf .bar')]"
        ".map((bar) => [...bar.children].map((i) => i.offsetWidth))"
    )
    assert widths[0][0] > widths[0][1] == widths[1][1] > widths[1][0] == 0
    page.js("document.querySelector('li').focus()")
    assert "price of this test 1.5 per row" in page.one("#tip").text


def test_a_fairness_front(page: Page) -> None:
    rng = np.random.default_rng(0)
    group = np.arange(120) % 2
    table = pd.DataFrame({"age": rng.integers(20, 60, 120), "score": rng.integers(0, 9, 120) + 2 * group})
    y = (table["score"] > 4).to_numpy() ^ (rng.random(120) < 0.1)
    front = streed.fairness_front(table, y, group, max_depth=2)
    assert len(front) > 3
    page.open(front.to_html(title="Fair"))
    assert page.one("h1").text == "Fair"
    assert len(page.all("circle")) == len(front)
    assert set(page.shown("#row .name")) <= {"age", "score"}
    page.choose(len(front) - 1)
    assert f"difference (demographic parity): {front[-1].difference:g}" in page.one("#point").text
    assert page.shown(".chip") == [str(front[-1].tree.classes[k]) for k in leaf_labels(front[-1].tree)]
    assert page.errors() == []


def leaf_labels(tree: Tree) -> list[int]:
    """Labels of the leaves from top to bottom."""
    return [int(tree.label[node]) for node, _ in paths(tree)]


def test_a_click_beside_the_points_chooses_the_nearest(page: Page, front: Result) -> None:
    page.open(front.to_html())
    page.js(
        "const box = document.querySelector('circle[data-point=\"2\"]').getBoundingClientRect();"
        "document.querySelector('#front-plot svg').dispatchEvent("
        "new MouseEvent('click', { clientX: box.right + 3, clientY: box.top - 2, bubbles: true }))"
    )
    assert page.all("circle[aria-checked='true']")[0].get_attribute("data-point") == "2"


def test_many_classes_have_one_bar_each(page: Page) -> None:
    page.open(full(2, ["a"], [f"class {k}" for k in range(25)]).to_html())
    assert len(page.all(".bar i")) == len(page.all(".box.leaf")) == 4
    assert page.shown("#legend span") == []


def test_a_tree_that_is_a_leaf(page: Page) -> None:
    page.open(grow(1).to_html())
    assert page.shown(".chip") == ["yes"]
    assert not page.one("#follow").is_displayed()


def test_a_result_says_what_was_proven(page: Page) -> None:
    result = streed.solve(streed.tasks.Accuracy([0, 0, 1]), [[0, 1], [1, 1], [1, 0]], max_depth=1)
    page.open(result.to_html())
    assert page.one("h1").text == "Accuracy"
    assert "errors: 0, proven optimal" in page.one(".summary").text
    assert page.shown(".chip") == ["1", "0"]


def test_a_tree_of_depth_five_prints_on_one_page(page: Page) -> None:
    names = [f"a rather long name of feature {k} <= 0.12345" for k in range(4)]
    page.open(full(5, names, ["good", "bad"]).to_html(title="To print"))
    printed = page.driver.execute_cdp_cmd(
        "Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True}
    )
    assert base64.b64decode(printed["data"]).count(b"/Type /Page\n") == 1
    assert len(page.shown(".chip")) == 32
    assert "compact" not in page.one("#tree").get_attribute("class")
