"""Parts of the rows to fit and to score on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils.multiclass import type_of_target

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

HOLDOUTS, TEST_SIZE = 5, 0.2
"""The paper's procedure: five hold-outs of a fifth of the rows."""


def make_folds(cv: Any, X: Any, y: Any, random_state: Any, *, stratify: bool) -> list[Fold]:
    """Give all folds; classes are stratified, and every class must be in every fit.

    ``cv`` is "holdout", a number of folds, or a splitter of scikit-learn.
    """
    n = int(np.shape(X)[0])
    target = None if y is None else np.asarray(y)
    classes = stratify and target is not None and type_of_target(target) in ("binary", "multiclass")
    if isinstance(cv, str):
        if cv != "holdout":
            raise ValueError(f"cv must be 'holdout', a number of folds or a splitter, got {cv!r}")
        holdout = StratifiedShuffleSplit if classes else ShuffleSplit
        splitter: Any = holdout(HOLDOUTS, test_size=TEST_SIZE, random_state=random_state)
    elif isinstance(cv, int):
        if not 2 <= cv <= n:
            raise ValueError(f"cv must be from 2 to the number of rows, {n}, got {cv}")
        splitter = (StratifiedKFold if classes else KFold)(cv, shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv, target, classifier=classes)
    folds = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(np.zeros((n, 1)), target)]
    if classes and target is not None:
        _check_classes(target, folds)
    return folds


def _check_classes(target: NDArray[Any], folds: list[Fold]) -> None:
    """Refuse folds that leave a class out of a fit."""
    everything = np.unique(target)
    for number, (fit, _) in enumerate(folds):
        missing = np.setdiff1d(everything, target[fit])
        if missing.size:
            raise ValueError(
                f"fold {number} has no row of the class {missing.tolist()[0]!r} to fit on: use fewer folds"
            )
