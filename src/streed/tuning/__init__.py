"""Choosing depth, size, price and leaf size by hold-outs or cross-validation."""

from streed.tuning.tune import Tuned, tune

__all__ = ["Tuned", "tune"]
