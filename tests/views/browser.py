"""A headless Chromium for the tests of pages, and the reason if there is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def start() -> Any:
    """Start a browser, or skip the test."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="no browser tests: pip install 'streed[browser]'"
    )
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no browser tests: install chromium and chromedriver (Debian: chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
    ):
        options.add_argument(argument)
    options.add_argument("--window-size=1600,1000")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


class Page:
    """A page in the browser, and short ways to look at it."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, html: str) -> None:
        path = self.folder / "page.html"
        path.write_text(html, encoding="utf-8")
        self.driver.get(path.as_uri())

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def shown(self, selector: str) -> list[str]:
        """The texts of the elements that can be seen."""
        return [element.text for element in self.all(selector) if element.is_displayed()]

    def path(self) -> list[int]:
        """The nodes that are lit up, from the root on."""
        nodes = self.js(
            "return [...document.querySelectorAll('li.on')].map((item) => Number(item.dataset.node))"
        )
        return sorted(nodes)

    def fill(self, row: dict[str, Any]) -> None:
        """Enter the values of a row; None is a missing value. Selects are set by the text of an option."""
        self.js(FILL, row)

    def choose(self, point: int) -> None:
        """Click a point of a front, also one below others."""
        self.js(
            "document.querySelector(`circle[data-point='${arguments[0]}']`)"
            ".dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            point,
        )

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so: what the browser itself decides may take it a moment."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10, poll_frequency=0.05).until(lambda _: condition())

    def errors(self) -> list[Any]:
        return list(self.driver.get_log("browser"))


FILL = """
const row = arguments[0];
document.getElementById("clear").click();
for (const label of document.querySelectorAll("#row label:not(.none)")) {
  const name = label.querySelector(".name").textContent;
  if (!(name in row)) continue;
  const field = label.querySelector("input, select");
  if (field.tagName === "SELECT") {
    const wanted = row[name] === null ? "missing" : String(row[name]);
    const options = [...field.options];
    const other = options.find((option) => option.text === "another value");
    field.value = (options.find((option) => option.text === wanted) ?? other).value;
  } else if (row[name] === null) {
    label.nextElementSibling.querySelector("input").checked = true;
  } else {
    field.value = String(row[name]);
  }
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
"""


def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all tests of a module."""
    driver = start()
    yield Page(driver, tmp_path_factory.mktemp("pages"))
    driver.quit()
