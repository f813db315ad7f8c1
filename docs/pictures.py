"""Make the pictures of the documentation anew: run it from the root of the repository.

Pages are photographed in headless Chromium; see tests/views/browser.py for what that needs.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from sklearn.datasets import load_breast_cancer

import streed
from tests.views.browser import Page, start

IMAGES = Path(__file__).parent / "images"
DATA = load_breast_cancer(as_frame=True)
LABELS = DATA.target_names[DATA.target]


def front(model: streed.OptimalTreeClassifier) -> streed.Result:
    """Trees of growing size, by their errors and by the tests per row, without those that another beats."""
    found = []
    for size in (1, 2, 3, 4, 5, 6, 7, 9, 11, 15):
        sized = streed.OptimalTreeClassifier(max_depth=4, max_nodes=size).fit(DATA.data, LABELS)
        tree = sized.tree_
        tests = float(tree.n_samples[tree.feature >= 0].sum() / tree.n_samples[0])
        found.append(streed.Solution((sized.result_.objective, tests), tree))
    kept = [a for a in found if not any(beats(b.values, a.values) for b in found)]
    names = ("errors", "tests per row")
    return dataclasses.replace(model.result_, front=kept, tree=kept[0].tree, objectives=names)


def beats(first: tuple[float, ...], second: tuple[float, ...]) -> bool:
    """Whether the first values are nowhere worse, and not the same."""
    return first != second and all(a <= b for a, b in zip(first, second, strict=True))


def main() -> None:
    """Fit, draw, photograph."""
    model = streed.OptimalTreeClassifier(max_depth=4).fit(DATA.data, LABELS)
    errors = f"{model.result_.objective:g} errors in {len(LABELS)} rows"
    axes = model.tree_.plot(title=f"Breast cancer: {errors}, proven optimal")
    axes.figure.savefig(IMAGES / "plot.png", dpi=100)
    with TemporaryDirectory() as folder:
        page = Page(start(), Path(folder))
        page.driver.set_window_size(1500, 1010)
        page.open(model.result_.to_html(title="Breast cancer"))
        row = DATA.data.iloc[3]
        page.fill({name: row[name] for name in DATA.data.columns})
        page.driver.save_screenshot(str(IMAGES / "page.png"))
        page.open(front(model).to_html(title="Breast cancer: errors against effort"))
        page.one("#theme").click()
        page.all("circle[data-point='5']")[0].click()
        page.js("document.activeElement.blur()")
        page.driver.set_window_size(1500, 860)
        page.driver.save_screenshot(str(IMAGES / "front.png"))
        page.driver.quit()
    for picture in IMAGES.glob("*.png"):
        image = Image.open(picture).convert("RGB").quantize(192, dither=Image.Dither.NONE)
        image.save(picture, optimize=True)


if __name__ == "__main__":
    main()
