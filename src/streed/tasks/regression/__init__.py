"""Regression: the loss of the numbers in a leaf, least over what the leaf may predict."""

from streed.tasks.regression.absolute_error import AbsoluteError, Quantile
from streed.tasks.regression.linear_leaves import LinearLeaves
from streed.tasks.regression.mean_parity import ParityOfMeans
from streed.tasks.regression.poisson import Poisson
from streed.tasks.regression.poisson_parity import PoissonParity
from streed.tasks.regression.simple_linear import SimpleLinear
from streed.tasks.regression.squared_error import SquaredError
from streed.tasks.regression.tweedie import Gamma, Tweedie

__all__ = [
    "AbsoluteError",
    "Gamma",
    "LinearLeaves",
    "ParityOfMeans",
    "Poisson",
    "PoissonParity",
    "Quantile",
    "SimpleLinear",
    "SquaredError",
    "Tweedie",
]
