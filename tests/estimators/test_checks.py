"""scikit-learn's own checks of estimators."""

from __future__ import annotations

import re
from typing import Any

import sklearn
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

import streed
from tests.estimators.catalogue import CATALOGUE
from tests.support import ROOT

ESTIMATORS = [entry.estimator for entry in CATALOGUE if entry.takes_any_data]
EXPECTED = {id(entry.estimator): entry.expected_failures for entry in CATALOGUE}


SWAPPED = {"check_sample_weight_equivalence_on_dense_data": "scikit-learn 1.6 swaps the labels of one fit"}


def expected_failures(estimator: Any) -> dict[str, str]:
    old = parse_version(sklearn.__version__) < parse_version("1.7")
    kind = get_tags(estimator).classifier_tags
    two_classes_only = kind is not None and not kind.multi_class
    return EXPECTED[id(estimator)] | (SWAPPED if old and two_classes_only else {})


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_every_expected_failure_is_explained() -> None:
    page = (ROOT / "docs" / "scikit-learn.md").read_text(encoding="utf-8")
    section = page.split("## What it cannot pass")[1].split("\n## ")[0]
    explained = re.findall(r"^\| `(check_\w+)` \| `(.+?)` \| (.+?) \|$", section, re.MULTILINE)
    expected = [
        (check, " ".join(repr(entry.estimator).split()), reason)
        for entry in CATALOGUE
        for check, reason in entry.expected_failures.items()
    ]
    assert sorted(explained) == sorted(expected)


def test_every_estimator_is_checked() -> None:
    public = {name for name in streed.__all__ if hasattr(getattr(streed, name), "get_params")}
    checked = {kind.__name__ for estimator in ESTIMATORS for kind in type(estimator).__mro__}
    assert public <= checked
    assert public >= {
        "CostSensitiveTreeClassifier",
        "FairTreeClassifier",
        "OptimalTreeClassifier",
        "OptimalTreeRegressor",
        "PolicyTree",
        "SurvivalTree",
    }
