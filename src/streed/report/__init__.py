"""Reports on a model for those who decide about it: what it is, what is proven, how it does on new rows."""

from __future__ import annotations

from typing import Any

__all__ = ["Drift", "Report"]


def __getattr__(name: str) -> Any:
    """Load the classes on first use: a model that only predicts needs none of them."""
    if name == "Drift":
        from streed.report.drift import Drift

        return Drift
    if name == "Report":
        from streed.report.report import Report

        return Report
    raise AttributeError(f"module 'streed.report' has no attribute {name!r}")
