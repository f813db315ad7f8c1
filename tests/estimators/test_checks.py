"""scikit-learn's own checks of estimators."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from streed import Binarizer, OptimalTreeClassifier

ESTIMATORS = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(cost_complexity=1e-6),
    OptimalTreeClassifier("balanced_accuracy", max_depth=2, n_jobs=2),
    OptimalTreeClassifier(binarizer=Binarizer(n_thresholds=4, missing="indicator")),
    Binarizer(),
    Binarizer(n_thresholds=None, missing="indicator"),
]


def expected_failures(estimator: Any) -> dict[str, str]:
    """What an optimal tree cannot pass, and why.

    The check weighs one class ten million times more than the others and wants the tree to predict nothing
    else. But an optimal tree also gets rows of the light classes right wherever that costs nothing, however
    little they weigh. (The check makes an exception for scikit-learn's trees: it sets their
    `min_weight_fraction_leaf`.) With the smallest price on a node, as in the second estimator, it passes.
    """
    name = "check_class_weight_classifiers"
    if isinstance(estimator, Binarizer) or estimator.cost_complexity > 0:
        return {}
    if estimator.objective == "balanced_accuracy":
        return {name: "balanced accuracy weighs all classes the same and takes no class_weight"}
    return {name: "an optimal tree also gets light rows right where that costs nothing"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
