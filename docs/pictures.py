"""Make the pictures of the documentation anew: run it from the root of the repository.

Pages are photographed in headless Chromium; see tests/views/browser.py for what that needs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sksurv.datasets import load_whas500

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests are no part of the package

import streed
from streed.fairness import FairnessFront
from tests.views.browser import Page, start

IMAGES = Path(__file__).parent / "images"
DATA = load_breast_cancer(as_frame=True)
LABELS = DATA.target_names[DATA.target]
NOTEBOOK = """<!doctype html><meta charset="utf-8"><style>
body {{ font: 14px sans-serif; margin: 20px 60px; }}
code {{ background: #f5f5f5; display: block; padding: 6px; }}
</style><body><h2>A notebook</h2><code>model.tree_</code>{tree}<br><code>front</code>{front}"""


def hiring() -> FairnessFront:
    """Return the trade-off of docs/fairness.md: people of two groups apply for jobs."""
    rng = np.random.default_rng(7)
    n = 1000
    group = rng.choice(["a", "b"], n, p=[0.6, 0.4])
    X = pd.DataFrame(
        {
            "degree": rng.random(n) < np.where(group == "a", 0.6, 0.3),
            "years": rng.integers(0, 20, n),
            "test": np.round(rng.normal(50, 15, n)),
        }
    )
    hired = (X["degree"] & (X["years"] > 5)) | (X["test"] > 70)
    y = np.where(hired ^ (rng.random(n) < 0.05), "yes", "no")
    return streed.fairness_front(X, y, group, constraint="demographic_parity", max_depth=3)


def patients() -> streed.CostSensitiveTreeClassifier:
    """Return the tree of docs/costs.md: tests of patients have prices."""
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame(
        {
            "over 60": rng.random(n) < 0.4,
            "blood count": rng.normal(size=n).round(1),
            "biopsy": rng.normal(size=n).round(1),
        }
    )
    risk = 1 * X["over 60"] + (X["blood count"] > 0) + 2 * (X["biopsy"] > 0.5)
    prices = streed.FeatureCosts(
        {"blood count": 5, "biopsy": 14},
        discounted={"biopsy": 10},
        groups={"blood count": "visit", "biopsy": "visit"},
    )
    model = streed.CostSensitiveTreeClassifier(
        misclassification_costs=[[0, 200], [60, 0]], feature_costs=prices, max_depth=3, min_samples_leaf=20
    )
    return model.fit(X, np.where(risk >= 2, "ill", "well"))


def plots(model: streed.OptimalTreeClassifier, front: FairnessFront) -> None:
    """Draw with matplotlib."""
    errors = f"{model.result_.objective:g} errors in {len(LABELS)} rows"
    axes = model.tree_.plot(title=f"Breast cancer: {errors}, proven optimal")
    axes.figure.savefig(IMAGES / "plot.png", dpi=100)
    cost = patients()
    title = f"Least total cost: {cost.result_.objective:g} for {cost.tree_.n_samples[0]} patients"
    cost.tree_.plot(title=title).figure.savefig(IMAGES / "costs.png", dpi=100)
    figure = front.plot().figure
    figure.set_size_inches(6.4, 3.8)
    figure.savefig(IMAGES / "fairness.png", dpi=100)


def tasks() -> None:
    """Draw the trees that the pages of the tasks show."""
    tumours = np.where(DATA.target == 0, "malignant", "benign")
    f1 = streed.OptimalTreeClassifier("f1", max_depth=2).fit(DATA.data.iloc[:, :10], tumours)
    people, progress = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    pace = streed.OptimalTreeRegressor(max_depth=2).fit(people, progress)
    hearts = streed.SurvivalTree(max_depth=2).fit(*load_whas500())
    rng = np.random.default_rng(1)
    patients = pd.DataFrame({"age": rng.integers(20, 90, 1500), "smoker": rng.random(1500) < 0.3})
    old, smoker = patients["age"] > 60, patients["smoker"]
    drug = np.where(rng.random(1500) < np.where(old, 0.7, 0.3), "new", "old")
    effect = np.where(drug == "new", np.where(smoker, -1.0, 1.0), 0.0)
    recovery = 5 - 2.0 * old + effect + rng.normal(size=1500)
    policy = streed.PolicyTree(max_depth=2, min_samples_leaf=100).fit(
        patients[:1000], drug[:1000], recovery[:1000]
    )
    titles = {
        "metric": (f1, f"The greatest F1 of malignant tumours: {f1.result_.objective:.4f}"),
        "regression": (pace, "Diabetes: progression after a year, least squared error"),
        "survival": (hearts, "After a heart attack: least deviance of 500 patients"),
        "policy": (policy, f"The best mean reward: {policy.result_.objective:.3f}"),
    }
    for name, (fitted, title) in titles.items():
        fitted.tree_.plot(title=title).figure.savefig(IMAGES / f"{name}.png", dpi=100)


def pages(model: streed.OptimalTreeClassifier, front: FairnessFront) -> None:
    """Photograph pages."""
    with TemporaryDirectory() as folder:
        page = Page(start(), Path(folder))
        page.driver.set_window_size(1500, 1010)
        page.open(model.result_.to_html(title="Breast cancer"))
        row = DATA.data.iloc[3]
        page.fill({name: row[name] for name in DATA.data.columns})
        page.driver.save_screenshot(str(IMAGES / "page.png"))
        page.open(front.to_html(title="Hiring: errors against demographic parity"))
        page.one("#theme").click()
        page.choose(len(front) * 2 // 3)
        page.js("document.activeElement.blur()")
        page.driver.set_window_size(1500, 930)
        page.driver.save_screenshot(str(IMAGES / "front.png"))
        page.open(NOTEBOOK.format(tree=model.tree_._repr_html_(), front=front._repr_html_()))
        page.driver.set_window_size(1100, 1560)
        sleep(2)  # frames are drawn after the page
        page.driver.save_screenshot(str(IMAGES / "notebook.png"))
        sizes(page)
        page.driver.quit()


def long_names() -> streed.OptimalTreeClassifier:
    """Return a tree whose columns have names that begin and end alike."""
    X = DATA.data.rename(columns=lambda name: f"average normalised intensity of the {name} channel")
    return streed.OptimalTreeClassifier(max_depth=3, cuts="binned").fit(X, LABELS)


def sizes(page: Page) -> None:
    """Photograph ten classes, also in grey, long names, a narrow page, and a histogram at a node."""
    X, y = load_digits(return_X_y=True)
    digits = streed.OptimalTreeClassifier(max_depth=4, cuts="binned").fit(X, y).result_
    at_width(page, 1200, 900, digits.to_html(title="Ten digits"), "classes")
    Image.open(IMAGES / "classes.png").convert("L").save(IMAGES / "classes-grey.png")
    named = long_names()
    named.tree_.plot(title="Names that begin and end alike").figure.savefig(IMAGES / "names.png", dpi=100)
    rows = DATA.data.set_axis(named.feature_names_in_, axis=1)
    at_width(page, 400, 760, named.result_.to_html(title="Long names"), "narrow")
    html = named.tree_.to_html(title="With rows=X: how the values of a node are distributed", rows=rows)
    at_width(page, 1200, 640, html, "histogram", focus="#tree li")


def at_width(page: Page, width: int, height: int, html: str, name: str, focus: str = "") -> None:
    """Photograph a page in a window of a given size."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.open(html)
    if focus:
        page.js("document.querySelector(arguments[0]).focus()", focus)
    page.driver.save_screenshot(str(IMAGES / f"{name}.png"))


def main() -> None:
    """Fit, draw, photograph."""
    model = streed.OptimalTreeClassifier(max_depth=4).fit(DATA.data, LABELS)
    front = hiring()
    plots(model, front)
    tasks()
    pages(model, front)
    for picture in IMAGES.glob("*.png"):
        image = Image.open(picture).convert("RGB").quantize(192, dither=Image.Dither.NONE)
        image.save(picture, optimize=True)


if __name__ == "__main__":
    main()
