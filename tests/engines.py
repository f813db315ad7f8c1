"""Engines for several values switched off: their tasks then take the general search."""

from __future__ import annotations

from typing import Any

import pytest

from streed.solver.engines import constrained, front, mixed


def switch_off(patch: pytest.MonkeyPatch, *engines: Any) -> None:
    """Let some of the engines for several values, by default all of them, refuse everything."""
    for engine in engines or (constrained, front, mixed):
        patch.setattr(engine, "refusal", lambda form, limits: "it is switched off")
