"""Fairness: limits as written, groups of all kinds, rates, bad input, infeasible limits, the trade-off."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import InfeasibleError
from streed.fairness import Parity, Rate, as_parity, group_rates
from streed.fairness.groups import encode_groups
from streed.fairness.parity import exact_limit
from streed.tasks import AccuracyParity, DemographicParity, EqualizedOdds, EqualOpportunity
from streed.tasks.fairness import GroupFairness


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.01, Fraction(1, 100)), (np.float64(0.1), Fraction(1, 10)), (Decimal("0.3"), Fraction(3, 10)),
     (Fraction(1, 3), Fraction(1, 3)), (0, Fraction(0)), (1, Fraction(1)), (1e-9, Fraction(1, 10**9))],
)  # fmt: skip
def test_limits_are_the_numbers_that_are_written(value: Any, expected: Fraction) -> None:
    assert exact_limit("max_difference", value) == expected


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (-0.1, ValueError),
        (1.1, ValueError),
        (np.nan, ValueError),
        ("0.1", TypeError),
        (None, TypeError),
        (True, TypeError),
    ],
)
def test_bad_limits(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="max_difference must be a number from 0 to 1"):
        DemographicParity([0, 1], ["a", "b"], max_difference=value)
    if value is not None:
        with pytest.raises(error, match="min_ratio must be a number from 0 to 1"):
            DemographicParity([0, 1], ["a", "b"], min_ratio=value)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (["x", "y", "x"], ["x", "y"]),
        ([True, False, True], [False, True]),
        (np.array([[2], [1], [2]]), [1, 2]),
        (pd.Series(["u", "v", "u"], dtype="category"), ["u", "v"]),
        (pd.DataFrame({"sex": ["m", "f", "m"], "old": [1, 0, 0]}), [("f", 0), ("m", 0), ("m", 1)]),
    ],
)
def test_groups_of_all_kinds(groups: Any, expected: list[Any]) -> None:
    names, codes = encode_groups(groups, 3)
    assert names == expected
    assert codes.dtype == np.int32


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (["a", "a", "a"], ValueError, "at least two groups .* got only 'a'"),
        (["a", "b"], ValueError, r"for 3 rows, got an array of shape \(2,\)"),
        (np.zeros((3, 2, 2)), ValueError, r"got an array of shape \(3, 2, 2\)"),
        ([0.0, np.nan, 1.0], ValueError, "missing values, got nan in row 1; make the missing ones a group"),
        (["a", None, "b"], ValueError, "missing values, got None in row 1"),
        (pd.Series([1, None, 2], dtype="Int64"), ValueError, "missing values, got .* in row 1"),
        (
            np.array([1, "a", 2], dtype=object),
            TypeError,
            "values in sensitive_features must be of one .* type",
        ),
    ],
)
def test_bad_groups(groups: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        DemographicParity([0, 1, 1], groups)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"y": [0, 1, 2]},
            ValueError,
            r"Only binary classification is supported. demographic_parity needs two",
        ),
        ({"y": [0, 1, 1], "positive": "yes"}, ValueError, "positive must be one of the labels"),
        ({"y": [0, 1, 1], "sample_weight": [1, 0, 0]}, ValueError, "two groups .* got only 'a'"),
        ({"y": [0, 1, 1], "class_weight": "auto"}, ValueError, "None, 'balanced' or a dict"),
        ({"y": [0, 1, 1], "class_weight": {0: 0}}, ValueError, "class_weight must be above zero"),
        ({"y": [0, 1, 1], "min_ratio": 0.1234567890123}, None, ""),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception] | None, message: str) -> None:
    if error is None:
        DemographicParity(sensitive_features=["a", "b", "b"], **arguments)
        return
    with pytest.raises(error, match=message):
        DemographicParity(sensitive_features=["a", "b", "b"], **arguments)


def test_ratios_that_cannot_be_exact_are_refused() -> None:
    with pytest.raises(ValueError, match="min_ratio has too many digits"):
        DemographicParity([0, 1] * 50_000, ["a", "b"] * 50_000, min_ratio=0.123456789012345)


def test_constraints_by_name_or_object() -> None:
    assert as_parity("equalized_odds").name == "equalized_odds"
    with pytest.raises(ValueError, match="constraint must be one of 'demographic_parity'"):
        as_parity("parity")
    with pytest.raises(TypeError, match=r"or a streed.fairness.Parity; got 3"):
        as_parity(3)
    with pytest.raises(TypeError, match="at least one Rate"):
        Parity("empty", ())


def test_rates_of_groups() -> None:
    y, says, group = [1, 1, 0, 0, 1], [1, 0, 1, 0, 1], ["a", "a", "a", "b", "c"]
    rates = group_rates(y, says, group, sample_weight=[1, 3, 1, 1, 1])
    assert rates["a"] == {
        "weight": 5.0,
        "selection_rate": 0.4,
        "true_positive_rate": 0.25,
        "false_positive_rate": 1.0,
        "accuracy": 0.2,
    }
    assert np.isnan(rates["b"]["true_positive_rate"])
    assert group_rates(y, says, group, positive=0)["b"]["selection_rate"] == 1


# 4 rows of group a, 6 of b. Feature 0 selects 2 of a and 4 of b: rates 1/2 and 2/3, a difference of 1/6.
GROUP = np.array(["a"] * 4 + ["b"] * 6)
X = np.array([[1], [1], [0], [0], [1], [1], [1], [1], [0], [0]])
Y = X[:, 0]


@pytest.mark.usefixtures("fronts")
@pytest.mark.parametrize(
    ("limits", "errors"),
    [
        ({"max_difference": Fraction(1, 6)}, 0),
        ({"max_difference": 0.1666}, 4),
        ({"min_ratio": 0.75}, 0),
        ({"min_ratio": 0.7501}, 4),
        ({"max_difference": 0}, 4),
        ({"max_difference": 1}, 0),
        ({"min_ratio": 0}, 0),
    ],
)
def test_a_tree_exactly_on_the_limit_is_feasible(limits: dict[str, Any], errors: int) -> None:
    result = streed.solve(DemographicParity(Y, GROUP, **limits), X, max_depth=1)
    assert (result.objective, result.optimal) == (errors, True)


@pytest.mark.usefixtures("fronts")
def test_the_result_tells_the_rates() -> None:
    result = streed.solve(DemographicParity(Y, GROUP, max_difference=0.2), X, max_depth=1)
    assert result.statistics["difference"] == pytest.approx(1 / 6)
    assert result.statistics["ratio"] == 0.75
    assert result.statistics["selection_rate[a]"] == 0.5
    assert result.statistics["true_positive_rate[b]"] == 1


@pytest.mark.usefixtures("fronts")
def test_groups_without_members_of_the_kind_are_left_out() -> None:
    y, group = [0, 0, 1, 1, 0], ["a", "a", "b", "c", "c"]
    result = streed.solve(
        EqualOpportunity(y, group, max_difference=0), [[0], [0], [1], [0], [0]], max_depth=1
    )
    assert result.objective == 2
    nothing_to_compare = streed.solve(
        EqualOpportunity([0, 0, 1, 1], ["a", "a", "b", "b"], max_difference=0),
        [[0], [0], [1], [0]],
        max_depth=1,
    )
    assert nothing_to_compare.objective == 1


@pytest.mark.usefixtures("fronts")
def test_labels_of_one_class_need_no_limit() -> None:
    result = streed.solve(EqualizedOdds([1, 1, 1], ["a", "b", "b"]), [[0], [1], [1]], max_depth=1)
    assert (result.objective, result.tree.n_nodes) == (0, 0)


@pytest.mark.usefixtures("fronts")
def test_limits_that_cannot_be_met_say_what_can() -> None:
    y, group = [1, 1, 0, 0, 1], ["a", "a", "a", "b", "b"]
    with pytest.raises(
        InfeasibleError, match=r"accuracy_parity at or below 0\.01: the least possible is 0\.166667"
    ):
        streed.solve(AccuracyParity(y, group), np.zeros((5, 1)), max_depth=2)
    with pytest.raises(InfeasibleError, match=r"ratio of accuracy_parity of 0\.9 or more"):
        streed.solve(AccuracyParity(y, group, min_ratio=0.9), np.zeros((5, 1)), max_depth=2)


def test_a_search_without_an_answer_falls_back_on_constant_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(*data: Any, **options: Any) -> dict[str, Any]:
        nothing: dict[str, Any] = {"seconds": 1.0, "statistics": {}, "status": "time_limit"}
        return nothing | {"feasible": None, "lower_bound": 0.0, "optimal": False}

    monkeypatch.setattr("streed._core.constrained", undecided)
    result = streed.solve(DemographicParity(Y, GROUP), X, max_depth=1)
    assert (result.objective, result.lower_bound, result.status) == (4, 0, "time_limit")
    assert result.gap == 1
    with pytest.raises(streed.StreedError, match=r"was found before the search ended .time_limit.; it is"):
        streed.solve(
            AccuracyParity([1, 1, 0, 0, 1], ["a", "a", "a", "b", "b"]), np.zeros((5, 1)), max_depth=1
        )


@pytest.mark.usefixtures("fronts")
def test_own_notions() -> None:
    misses = Parity("equal misses", (Rate("false_negative_rate", "positive", "negative"),))
    by_name = streed.solve(EqualOpportunity(Y, GROUP[::-1], max_difference=0), 1 - X, max_depth=1)
    result = streed.solve(GroupFairness(Y, GROUP[::-1], misses, max_difference=0), 1 - X, max_depth=1)
    assert (result.objective, result.task) == (by_name.objective, "equal misses")
    assert "false_negative_rate[a]" in result.statistics


@pytest.mark.usefixtures("fronts")
def test_the_trade_off() -> None:
    front = streed.fairness_front(X, Y, GROUP, max_depth=1)
    assert [(point.error, round(point.difference, 6)) for point in front] == [(0, 0.166667), (4, 0)]
    assert front.complete
    assert (len(front), front[0].tree.n_nodes, front.total) == (2, 1, 10)
    assert front.errors.tolist() == [0, 4]
    assert front.differences[1] == 0
    assert front[0].rates["a"]["selection_rate"] == 0.5
    axes = front.plot()
    assert axes.get_xlabel() == "difference between groups (demographic parity)"
    assert front.plot(axes) is axes
    with pytest.raises(ValueError, match="needs a constraint"):
        streed.fairness_front(X, Y, GROUP, constraint=None)


@pytest.mark.parametrize(
    ("constraint", "limits", "most"),
    [
        ("demographic_parity", {}, 16),
        ("equalized_odds", {}, 11),
        ("demographic_parity", {"min_ratio": 0.8}, 11),
        ("equalized_odds", {"min_ratio": 0.8}, 8),
    ],
)
def test_many_groups(constraint: str, limits: dict[str, Any], most: int) -> None:
    """As many groups as are documented are solved; one more is refused, in terms of groups."""
    rng = np.random.default_rng(most)
    n = 12 * most
    groups, y = np.arange(n) % most, (np.arange(n) // most) % 2
    X = np.column_stack([y ^ (rng.random(n) < 0.1), groups < most // 2, rng.random(n) < 0.5]).astype(np.uint8)
    task = GroupFairness(y, groups, constraint, **({"max_difference": 0.35} | limits))
    result = streed.solve(task, X, max_depth=2)
    assert result.optimal
    best = min(float((says != y).sum()) for says in all_predictions(X, 2) if task.is_fair(task.outcome(says)))
    assert result.objective == best
    groups[0] = most
    groups[most] = most  # of both classes
    with pytest.raises(ValueError, match=rf"at most {most} groups are possible, got {most + 1} in sensitive"):
        GroupFairness(y, groups, constraint, **limits)


def all_predictions(X: np.ndarray, depth: int) -> list[np.ndarray]:
    """What all trees up to a depth say, by brute force over their subtrees."""
    found = [np.zeros(len(X), np.int64), np.ones(len(X), np.int64)]
    if depth:
        below = all_predictions(X, depth - 1)
        found += [np.where(column, a, b) for column in X.T for a in below for b in below]
    return list({says.tobytes(): says for says in found}.values())


def test_many_capacities() -> None:
    rewards = np.ones((2, 130))
    with pytest.raises(ValueError, match="at most 127 limits can be kept together, got 130 in capacity"):
        streed.tasks.LimitedPolicyReward(rewards, capacity=dict.fromkeys(range(130), 1.0))
