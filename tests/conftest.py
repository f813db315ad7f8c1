"""Hypothesis profiles and the fixtures that more than one folder of tests uses."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator

# scikit-learn runs its checks of array libraries only if this is set before SciPy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import hypothesis
import numpy as np
import pytest

from streed import _core
from tests import slow_front
from tests.support import read_dataset

hypothesis.settings.register_profile("ci", max_examples=100, deadline=None, print_blob=True)
hypothesis.settings.register_profile(
    "thorough", parent=hypothesis.settings.get_profile("ci"), max_examples=3000
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A shell without job control has its background jobs ignore Ctrl-C; tests that send it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Forget figures after each test: pyplot keeps them, and warns when there are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def dataset() -> Callable[[str], tuple[np.ndarray, np.ndarray]]:
    """Reader of a binary data set by name: ``X, y = dataset("classification/anneal")``."""
    return read_dataset


@pytest.fixture(params=["slow", "native"])
def fronts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test twice: with the slow twins of the front functions, and with the native ones."""
    if request.param == "slow":
        monkeypatch.setattr(_core, "front", slow_front.front)
        monkeypatch.setattr(_core, "constrained", slow_front.constrained)
    return str(request.param)
