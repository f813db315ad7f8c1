"""Exact search over all thresholds of a table's columns, without binarising them first."""

from __future__ import annotations

from streed.thresholds.columns import Test, encode_columns
from streed.thresholds.solve import ThresholdResult, solve_thresholds

__all__ = ["Test", "ThresholdResult", "encode_columns", "solve_thresholds"]
