"""What notebooks show: pages in frames that disturb neither one another nor the notebook, and short texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest
import sklearn

import streed
from streed import OptimalTreeClassifier
from streed.views.page import notebook
from tests.views import browser
from tests.views.browser import Page
from tests.views.trees import CONDITIONS, grow

shared_page = pytest.fixture(scope="module", name="shared_page")(browser.pages)

RNG = np.random.default_rng(0)
X = RNG.random((120, 4)) < 0.5
Y = (X[:, 0] & X[:, 1]) ^ (RNG.random(120) < 0.2)
GROUPS = np.where(X[:, 2], "a", "b")
TREE = grow((1, (3, 0, 1), (5, 0, 1)), CONDITIONS)

HOST = """<!doctype html><meta charset="utf-8"><style>
body {{ font: 15px serif; color: rgb(10, 20, 30); background: rgb(250, 240, 230); width: {width}px; }}
h1 {{ color: rgb(1, 2, 3); font-size: 40px; }} button {{ color: rgb(200, 0, 0); }}
</style><body><h1>Notebook</h1><button id="theme">host</button><p id="row">text</p>{outputs}"""


def outputs() -> dict[str, Any]:
    """An object of every kind that a notebook shows as a page."""
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    path = streed.size_path(streed.tasks.Accuracy(Y), X, max_depth=2)
    return {
        "tree": TREE,
        "result": model.result_,
        "path": path,
        "prices": path.complexity(),
        "front": streed.fairness_front(X, Y, GROUPS, max_depth=2),
        "tuned": streed.tune(OptimalTreeClassifier(), X, Y, max_depth=[1, 2], random_state=0),
        "estimator": model,
    }


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return {name: html(each) for name, each in outputs().items()}


def html(shown: Any) -> str:
    """What a notebook takes of an object."""
    if hasattr(shown, "_repr_mimebundle_"):
        return str(shown._repr_mimebundle_()["text/html"])
    return str(shown._repr_html_())


def test_every_output_has_a_frame_of_its_own_and_a_text(shown: dict[str, str]) -> None:
    for name, output in shown.items():
        assert output.count("<iframe") == 1, name
        assert 'sandbox="allow-scripts"' in output
        assert "<summary>As text</summary>" in output
        outside = output[: output.index("<iframe")] + output[output.index("</iframe>") :]
        assert name == "estimator" or ("<style" not in outside and "<script" not in outside)
    assert unescape(shown["tree"]).endswith(f"<pre>{TREE.to_text()}</pre></details>")


def test_texts_are_short() -> None:
    found = outputs()
    for name in ("path", "prices", "front", "tuned"):
        text = repr(found[name])
        assert len(text.splitlines()) <= 14
        assert max(map(len, text.splitlines())) < 220
        assert text.startswith("<")
    assert "nodes  depth  value" in repr(found["path"])
    assert found["front"].table() in repr(found["front"])
    assert repr(found["front"][0]).startswith("FairnessPoint(error=")


def test_long_fronts_are_cut_in_the_middle() -> None:
    front = outputs()["front"]
    many = replace(front, points=front.points[:1] * 40)
    lines = repr(many).splitlines()
    assert len(lines) == 14
    assert lines[0] == "<FairnessFront: 40 trees under demographic parity, complete>"
    assert lines[-2] == "... 29 more"


def test_scikit_learn_decides_whether_there_are_pages() -> None:
    model = OptimalTreeClassifier(max_depth=1)
    assert "<iframe" not in html(model)
    model.fit(X, Y)
    assert "<iframe" in html(model)
    assert "<iframe" in model._repr_html_()
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_page_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_CHARACTERS", 1000)
    output = TREE._repr_html_()
    assert "<iframe" not in output
    assert "<details open>" in output


@pytest.fixture
def page(shared_page: Page) -> Iterator[Page]:
    shared_page.errors()
    yield shared_page
    shared_page.driver.switch_to.default_content()
    assert shared_page.errors() == []


def look(page: Page, names: tuple[str, ...]) -> Any:
    script = "const one = document.querySelector(arguments[0]), style = getComputedStyle(one);"
    script += "return [style.color, style.font, style.backgroundColor, one.offsetWidth, one.offsetHeight]"
    return [page.js(script, name) for name in names]


def test_frames_disturb_nothing(page: Page, shown: dict[str, str]) -> None:
    names = ("body", "h1", "button", "#row")
    page.open(HOST.format(width=900, outputs=""))
    before = look(page, names[1:])
    page.open(HOST.format(width=900, outputs="".join(shown.values())))
    assert look(page, names[1:]) == before
    frames = page.all("iframe")
    assert len(frames) == len(shown)
    for number, frame in enumerate(frames):
        page.js("arguments[0].scrollIntoView()", frame)
        page.driver.switch_to.frame(frame)
        page.wait(lambda: len(page.all("#tree li")) > 0)
        page.js("document.getElementById('theme').click()")
        themes = page.js("return document.documentElement.dataset.theme")
        assert themes == "dark"
        assert page.js("try { return parent.document.title } catch (error) { return error.name }") == (
            "SecurityError"
        )
        page.driver.switch_to.default_content()
        for other in frames[number + 1 :][:1]:
            page.js("arguments[0].scrollIntoView()", other)
            page.driver.switch_to.frame(other)
            page.wait(lambda: len(page.all("#tree li")) > 0)
            assert page.js("return document.documentElement.dataset.theme ?? 'none'") == "none"
            page.driver.switch_to.default_content()
    assert look(page, names[1:]) == before


def test_a_row_is_followed_in_a_frame(page: Page, shown: dict[str, str]) -> None:
    page.open(HOST.format(width=800, outputs=shown["tree"]))
    page.driver.switch_to.frame(page.one("iframe"))
    page.wait(lambda: len(page.all("#tree li")) > 0)
    page.fill({"age": 30, "member": "no", "colour": "red"})
    assert len(page.path()) == 3
    assert page.one("#answer").text == "→ no (1 row, 100.0 %)"
    tree, form = page.one(".wide"), page.one("#follow")
    assert tree.rect["y"] < form.rect["y"]  # with little room the tree comes first
    assert page.js("return document.body.scrollWidth <= innerWidth")
