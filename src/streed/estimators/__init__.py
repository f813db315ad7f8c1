"""scikit-learn estimators: they validate, binarise, make a task, solve it and store the result."""

from streed.estimators.classifier import OptimalTreeClassifier
from streed.estimators.cost_sensitive import CostSensitiveTreeClassifier, ExpectedCosts
from streed.estimators.fair import FairTreeClassifier, fairness_front
from streed.estimators.policies.value import Estimate, PolicyValue
from streed.estimators.policy import PolicyTree
from streed.estimators.regressor import OptimalTreeRegressor
from streed.estimators.survival import SurvivalTree
from streed.estimators.trade_offs import trade_off

__all__ = [
    "CostSensitiveTreeClassifier",
    "Estimate",
    "ExpectedCosts",
    "FairTreeClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PolicyTree",
    "PolicyValue",
    "SurvivalTree",
    "fairness_front",
    "trade_off",
]
