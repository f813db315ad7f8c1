"""Rules read well, say each column once, and mean what the tree does."""

from __future__ import annotations

from typing import Any

import pytest

from streed import Condition
from streed.views.words.wording import answer
from tests.views.trees import (
    AGE_30,
    AGE_42,
    AGE_MISSING,
    BLUE_GREEN,
    CONDITIONS,
    DAY,
    MEDIUM,
    MEMBER,
    RED,
    SMALL,
    grow,
)


@pytest.mark.parametrize(
    ("feature", "yes", "no"),
    [
        (AGE_42, "age <= 42.5", "age > 42.5"),
        (AGE_MISSING, "age is missing", "age is not missing"),
        (RED, "colour = red", "colour is not red"),
        (BLUE_GREEN, "colour in {blue, green}", "colour not in {blue, green}"),
        (MEMBER, "member", "not member"),
        (MEDIUM, "size <= medium", "size > medium"),
        (DAY, "day <= 2024-03-05", "day > 2024-03-05"),
    ],
)
def test_answers_in_words(feature: int, yes: str, no: str) -> None:
    tree = grow(0, CONDITIONS)
    assert (answer(tree, feature, True), answer(tree, feature, False)) == (yes, no)


def test_answers_show_the_digits_of_the_name() -> None:
    cuts = [Condition("x", "<=", 1.0000001), Condition("x", "<=", 1.0000002)]
    tree = grow(0, cuts, feature_names=["x <= 1.0000001", "x <= 1.0000002"])
    assert answer(tree, 1, False) == "x > 1.0000002"


def test_answers_of_features_that_only_have_names() -> None:
    tree = grow((0, 0, (1, 0, 1)), feature_names=["smoker", "age <= 40"])
    assert tree.to_rules().splitlines() == [
        "if not smoker then no (1 row, 100.0 %)",
        "if smoker and not (age <= 40) then no (1 row, 100.0 %)",
        "if smoker and age <= 40 then yes (1 row, 100.0 %)",
    ]


@pytest.mark.parametrize(
    ("shape", "rules"),
    [
        (1, ["always yes"]),
        ((RED, 0, 1), ["if colour is not red then no", "if colour = red then yes"]),
        # Of several cuts the tightest ones stay, and two make a range.
        (
            (DAY, 0, (SMALL, (MEDIUM, 0, 1), 0)),
            [
                "if day > 2024-03-05 then no",
                "if day <= 2024-03-05 and size > medium then no",
                "if day <= 2024-03-05 and small < size <= medium then yes",
                "if day <= 2024-03-05 and size <= small then no",
            ],
        ),
        # Rows without an age satisfy no cut; once it is known to be there, nothing is said about it.
        (
            (AGE_42, 0, (AGE_30, 0, 1)),
            ["if age > 42.5 (or missing) then no", "if 30 < age <= 42.5 then no", "if age <= 30 then yes"],
        ),
        (
            (AGE_MISSING, (AGE_42, 0, 1), 0),
            [
                "if age is not missing and age > 42.5 then no",
                "if age <= 42.5 then yes",
                "if age is missing then no",
            ],
        ),
        # What holds for a category excludes the others.
        (
            (RED, (BLUE_GREEN, 0, 1), (MEMBER, 0, 1)),
            [
                "if colour is not red and colour not in {blue, green} then no",
                "if colour in {blue, green} then yes",
                "if colour = red and not member then no",
                "if colour = red and member then yes",
            ],
        ),
    ],
)
def test_rules(shape: Any, rules: list[str]) -> None:
    written = grow(shape, CONDITIONS).to_rules().splitlines()
    assert written == [f"{rule} (1 row, 100.0 %)" for rule in rules]


def test_rules_show_values_instead_of_shares() -> None:
    known: dict[str, Any] = {"values": [2.5, 3.0, 2.0], "value_name": "cost", "class_weights": None}
    tree = grow((RED, 0, 1), CONDITIONS, **known)
    assert tree.to_rules().splitlines() == [
        "if colour is not red then no (1 row, cost 3)",
        "if colour = red then yes (1 row, cost 2)",
    ]


def test_labels_that_are_real_numbers_get_six_digits() -> None:
    assert grow((RED, 0, 1), CONDITIONS, classes=[1 / 3, 2.0]).to_rules().splitlines() == [
        "if colour is not red then 0.333333 (1 row, 100.0 %)",
        "if colour = red then 2 (1 row, 100.0 %)",
    ]
