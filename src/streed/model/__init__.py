"""Models: a tree with the meaning of its features, as a file that predicts without scikit-learn."""

from streed.model.model import Model

__all__ = ["Model"]
