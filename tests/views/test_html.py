"""The page as text: what it holds, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import streed
from streed import OptimalTreeClassifier, Result, Solution, Tree
from tests.views.trees import AGE_42, CONDITIONS, RED, grow

HOSTILE = "</script ></script><!-- <script> {{data}} & \" ' \u2028"


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def result_of(*trees: Tree, **known: Any) -> Result:
    front = [Solution((float(k), 1.5), tree) for k, tree in enumerate(trees)]
    arguments = {"objectives": ("errors", "unfairness"), "task": "fair", **known}
    return Result(0, 0, 0, True, "optimal", trees[0], front, 0.1, **arguments)


def test_hostile_names_do_not_end_the_script() -> None:
    page = grow((0, 0, 1), feature_names=[HOSTILE], classes=[HOSTILE, "b"]).to_html(title=HOSTILE)

    class Tags(HTMLParser):
        found: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            self.found.append(tag)

    Tags().feed(page)
    data = page[page.index('id="data">') + len('id="data">') : page.rindex("<script>")]
    assert not set("<>&") & set(data.strip().removesuffix("</script>"))
    assert Tags.found.count("script") == 2
    tree = data_of(page)["trees"][0]
    assert tree["classes"][0] == tree["tests"]["0"]["text"] == HOSTILE


def test_the_page_needs_no_network() -> None:
    page = grow((RED, 0, 1), CONDITIONS).to_html()
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']""", page)
    assert [url for url in re.findall(r"https?://[^\s\"')]+", page) if "www.w3.org/2000/svg" not in url] == []


def test_the_tree_can_be_read_without_scripts() -> None:
    tree = grow((RED, 0, 1), CONDITIONS)
    assert f"<noscript><pre>{tree.to_text()}</pre></noscript>" in tree.to_html()


def test_columns_of_the_form() -> None:
    columns = data_of(grow((RED, 0, (AGE_42, 0, 1)), CONDITIONS).to_html())["columns"]
    assert [(c["name"], c["kind"], c["missing"]) for c in columns] == [
        ("colour", "in", False),
        ("age", "number", True),
    ]
    assert columns[0]["categories"] == ["red"]  # what the tree does not test is not shown


def test_a_column_of_which_only_missing_values_are_tested() -> None:
    conditions = [streed.Condition("age", "is", None), streed.Condition("age", "<=", 3.0)]
    assert data_of(grow((0, 0, 1), conditions).to_html())["columns"][0]["kind"] == "number"
    assert data_of(grow((0, 0, 1), conditions[:1]).to_html())["columns"][0]["kind"] == "missing"


def test_the_page_of_a_front() -> None:
    trees = [grow(0, CONDITIONS), grow((RED, 0, 1), CONDITIONS)]
    page = result_of(*trees).to_html()
    data = data_of(page)
    assert "<title>Fair</title>" in page
    assert "2 trees, none of which is better" in page
    assert data["objectives"] == ["errors", "unfairness"]
    assert [tree["values"] for tree in data["trees"]] == [[0, 1.5], [1, 1.5]]
    assert data["chosen"] == 0
    later = dataclasses.replace(result_of(*trees), tree=trees[1], optimal=False, status="time_limit")
    assert data_of(later.to_html())["chosen"] == 1
    assert "ended early (time_limit)" in later.to_html()


def test_values_that_are_no_numbers() -> None:
    tree = grow((RED, 0, 1), CONDITIONS, values=[1.0, np.inf, np.nan], value_name="cost")
    assert [node["value"] for node in data_of(tree.to_html())["trees"][0]["nodes"]] == [1.0, None, None]


def test_a_result_explains_its_trees() -> None:
    result = streed.solve(streed.tasks.Accuracy([0, 1]), [[0], [1]], max_depth=1)
    with pytest.raises(ValueError, match="1 conditions are needed, got 9"):
        result.explain(CONDITIONS)
    result.explain(CONDITIONS[:1])
    assert result.tree.conditions == result.front[0].tree.conditions == CONDITIONS[:1]
    assert data_of(result.to_html())["columns"][0]["name"] == "age"


def test_objectives_that_do_not_fit_the_front() -> None:
    result = result_of(grow(0), grow(1), objectives=("errors",))
    with pytest.raises(ValueError, match="must name the 2 values of each solution"):
        result.to_html()
    assert data_of(result_of(grow(0), grow(1), objectives=()).to_html())["objectives"] == [
        "objective 1",
        "objective 2",
    ]


def test_the_page_of_a_fit_shows_its_record() -> None:
    table = np.array([[1.0], [2.0], [3.0]])
    model = OptimalTreeClassifier(max_depth=1).fit(table, ["a", "<b>", "<b>"])
    record = model.result_.record
    folded = model.result_.to_html().split("<summary>Record</summary>")[1].split("</details>")[0]
    assert f"made by streed {record['made_by']['version']} on {record['date']}" in folded
    assert f"X {record['data']['sha256']['X']}" in folded
    assert "proven: of all trees of depth at most 1 none is better in errors" in folded
    hostile: dict[str, Any] = {"covers": "<script>alert(1)</script>", "made_by": 3, "data": []}
    page = dataclasses.replace(model.result_, record=hostile).to_html()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<summary>Record" not in model.tree_.to_html()
