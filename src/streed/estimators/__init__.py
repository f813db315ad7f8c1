"""scikit-learn estimators: they validate, binarise, make a task, solve it and store the result."""

from streed.estimators.classifier import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
