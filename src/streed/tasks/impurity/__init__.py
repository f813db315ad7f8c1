"""Losses of class shares: what a leaf costs that predicts a probability for each class."""

from streed.tasks.impurity.entropy import Entropy
from streed.tasks.impurity.gini import Gini
from streed.tasks.impurity.log_loss import LogLoss

__all__ = ["Entropy", "Gini", "LogLoss"]
