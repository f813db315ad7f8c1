"""The documentation site: `make docs` builds it with Sphinx from pages, docstrings and examples.

Pages are written for both places, a reader of the repository and the site: links that leave ``docs/`` become
links to pages of the site that include those files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import streed

ROOT = Path(__file__).parents[1]

project = "streed"
author = "The streed developers"
release = version = streed.__version__
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "site/index"
exclude_patterns = ["gallery/*", "examples/*.ipynb", "index.md", "images/README*"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext", ".ipynb": "myst-nb"}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "force"  # notebooks are kept without outputs
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_execution_in_temp = True
suppress_warnings = ["config.cache"]

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_", "__repr__"),
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "streed"
html_static_path = ["site/static"]
html_css_files = ["streed.css"]
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "header_links_before_dropdown": 4,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars: dict[str, list[str]] = {"site/index": []}

LEAVING = {
    "README.md": "site/readme.md",
    "ARCHITECTURE.md": "site/architecture.md",
    "CONTRIBUTING.md": "site/contributing.md",
    "CHANGELOG.md": "site/changelog.md",
    "RELEASING.md": "site/releasing.md",
    "SECURITY.md": "site/security.md",
    "benchmarks/README.md": "site/benchmarks.md",
    "benchmarks/figures.md": "site/figures.md",
}
"""Files outside of ``docs/`` that are pages of the site."""

LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")


def _relink(text: str, page: Path) -> str:
    """Turn the links of a page, written for its place in the repository, into links of the site.

    Links to files that are no pages become names in code style.
    """
    docs = ROOT / "docs"
    shown = docs / LEAVING[page.relative_to(ROOT).as_posix()] if not page.is_relative_to(docs) else page

    def link(match: re.Match[str]) -> str:
        target, anchor = match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        wanted = (page.parent / target).resolve()
        if wanted == docs / "index.md":
            wanted = docs / "site" / "index.md"
        elif not wanted.is_relative_to(docs) and wanted.is_relative_to(ROOT):
            name = wanted.relative_to(ROOT).as_posix()
            if name not in LEAVING:
                return "](site:none)"
            wanted, anchor = docs / LEAVING[name], ""
        up = Path(*[".."] * len(shown.parent.relative_to(docs).parts))
        return f"]({(up / wanted.relative_to(docs)).as_posix()}{anchor})"

    linked = LINK.sub(link, text)
    return re.sub(r"\[([^\]]+)\]\(site:none\)", r"`\1`", linked).replace("``", "`")


def _read(app: Any, name: str, source: list[str]) -> None:
    """Put the included file into its page, and mend the links of every page."""
    page = ROOT / "docs" / f"{name}.md"
    if not page.exists() or name.startswith("examples/"):
        return
    included = {place: file for file, place in LEAVING.items()}.get(f"{name}.md")
    if included is not None:
        page = ROOT / included
        source[0] = page.read_text(encoding="utf-8")
    fenced = re.split(r"(^```.*?^```)", source[0], flags=re.S | re.M)
    source[0] = "".join(part if part.startswith("```") else _relink(part, page) for part in fenced)


def _unlink(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Keep the words of links that docstrings inherited from scikit-learn make to pages of its guide."""
    lines[:] = [re.sub(r":ref:`([^`<]+?)\s*(?:<[^`>]*>)?`", r"\1", line) for line in lines]


def setup(app: Any) -> None:
    """Connect the readers of pages and docstrings."""
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _unlink)
