"""scikit-learn estimators: they validate, binarise, make a task, solve it and store the result."""

from streed.estimators.classifier import OptimalTreeClassifier
from streed.estimators.fair import FairTreeClassifier, fairness_front

__all__ = ["FairTreeClassifier", "OptimalTreeClassifier", "fairness_front"]
