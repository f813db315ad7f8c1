"""scikit-learn's own checks of estimators."""

from __future__ import annotations

import re
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.estimators.catalogue import CATALOGUE
from tests.support import ROOT

ESTIMATORS = [entry.estimator for entry in CATALOGUE]
EXPECTED = {id(entry.estimator): entry.expected_failures for entry in CATALOGUE}


def expected_failures(estimator: Any) -> dict[str, str]:
    return EXPECTED[id(estimator)]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_every_expected_failure_is_explained() -> None:
    page = (ROOT / "docs" / "scikit-learn.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`(check_\w+)`", page.split("## What it cannot pass")[1].split("\n## ")[0]))
    assert explained == {check for entry in CATALOGUE for check in entry.expected_failures}
