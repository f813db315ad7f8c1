"""Columns as exact ranks for searches over all thresholds, and back to conditions."""

from __future__ import annotations

from streed.thresholds.columns import Test, encode_columns

__all__ = ["Test", "encode_columns"]
