"""Every example in a docstring runs as written."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import streed

MODULES = ["streed", *(module.name for module in pkgutil.walk_packages(streed.__path__, "streed."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._core")])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
