"""CART and its weighted version on a case worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scores import f1_score
from experiments.held_out import route
from experiments.methods import cart, weighted_cart

X = np.array([[1]] * 5 + [[0]] * 10, dtype=np.uint8)
Y = np.array([1, 1, 0, 0, 0] + [0] * 10, dtype=np.int32)
OPTIONS = {"max_depth": 1, "time_limit": 10.0}


def test_cart_splits_by_impurity_and_predicts_the_majority() -> None:
    found = cart.run(X, Y, OPTIONS)
    assert found["prediction"].tolist() == [0] * 15  # 2:3 and 0:10
    assert found["tree"].tolist() == [[0, 1, 2, -1], [-1, -1, -1, 0], [-1, -1, -1, 0]]
    assert not found["proven"]


def test_weights_of_the_positive_class_make_an_f1_score() -> None:
    found = weighted_cart.run(X, Y, OPTIONS)
    assert found["prediction"].tolist() == [1] * 5 + [0] * 10  # from the weight 2 on: 4:3
    assert route(found["tree"], X).tolist() == found["prediction"].tolist()
    assert f1_score({"y": Y}, found["prediction"]) == pytest.approx(4 / 7)  # 2 right, 3 false positives
