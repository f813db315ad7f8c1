"""What a tree may be limited in: quantities, which `<=`, `>=`, `between` and `below` make limits.

A quantity is a sum over the training rows, or a ratio of two sums that becomes a sum once it is multiplied
out. Numbers are meant as they are written: 0.02 is one fiftieth, and a tree exactly on a limit keeps it.

Examples
--------
>>> from streed import OptimalTreeClassifier
>>> from streed import limits as lim
>>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1]]
>>> y = ["well", "ill", "well", "ill", "ill", "ill"]
>>> model = OptimalTreeClassifier(max_depth=2, constraints=[lim.recall("ill") >= 1, lim.nodes() <= 1])
>>> print(model.fit(X, y).result_.limits)
limit              | value | slack
recall('ill') >= 1 | 1     | 0
nodes() <= 1       | 0     | 1
"""

from __future__ import annotations

from streed.limits.counts import errors, mean, metric, nodes, precision, rate, recall, share
from streed.limits.groups import mean_prediction, parity, ratio
from streed.limits.limit import Limit, Quantity
from streed.limits.prices import tests
from streed.limits.report import KeptLimit, KeptLimits

__all__ = [
    "KeptLimit",
    "KeptLimits",
    "Limit",
    "Quantity",
    "errors",
    "mean",
    "mean_prediction",
    "metric",
    "nodes",
    "parity",
    "precision",
    "rate",
    "ratio",
    "recall",
    "share",
    "tests",
]
