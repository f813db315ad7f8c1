"""Columns of any kind to binary features, and back to conditions that people can read."""

from streed.binarize.binarizer import Binarizer

__all__ = ["Binarizer"]
