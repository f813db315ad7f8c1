"""Parts of the rows to fit and to score on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils.multiclass import type_of_target

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

HOLDOUTS, TEST_SIZE = 5, 0.2
"""The paper's procedure: five hold-outs of a fifth of the rows."""


def make_folds(cv: Any, X: Any, y: Any, random_state: Any, *, stratify: bool) -> list[Fold]:
    """Give all folds; classes are stratified, and every class is in every fit.

    ``cv`` is "holdout", a number of folds, or a splitter of scikit-learn. A class of a single row is never
    held out, and one whose rows a fold would hold out altogether keeps one of them in the fit; folds of a
    splitter stay as they are, and are refused then.
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
        folds = _split(splitter, target, np.arange(n))
        if classes and target is not None:
            _check_classes(target, folds)
        return folds
    if not classes or target is None:
        return _split(splitter, target, np.arange(n))
    codes = np.unique(target, return_inverse=True)[1]
    alone = np.bincount(codes)[codes] == 1
    if alone.all():
        raise ValueError("every class has a single row, so that none can be held out to choose a size on")
    folds = _split(splitter, codes, np.flatnonzero(~alone))
    return [_with_classes(codes, np.append(fit, np.flatnonzero(alone)), test) for fit, test in folds]


def _split(splitter: Any, target: NDArray[Any] | None, rows: NDArray[np.intp]) -> list[Fold]:
    """Split some of the rows."""
    some = None if target is None else target[rows]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class in y", category=UserWarning)
        return [
            (rows[np.asarray(a)], rows[np.asarray(b)])
            for a, b in splitter.split(np.zeros((rows.size, 1)), some)
        ]


def _with_classes(codes: NDArray[np.intp], fit: NDArray[np.intp], test: NDArray[np.intp]) -> Fold:
    """Move the first row of each class that is held out altogether into the fit."""
    lost = np.setdiff1d(codes[test], codes[fit])
    moved = np.array([test[codes[test] == one][0] for one in lost.tolist()], np.intp)
    return np.append(fit, moved), test[~np.isin(test, moved)]


def _check_classes(target: NDArray[Any], folds: list[Fold]) -> None:
    """Refuse folds of a splitter that leave a class out of a fit."""
    everything = np.unique(target)
    for number, (fit, _) in enumerate(folds):
        missing = np.setdiff1d(everything, target[fit])
        if missing.size:
            raise ValueError(
                f"fold {number} of the splitter has no row of the class {missing.tolist()[0]!r} to fit on: "
                "give a number of folds, which keeps a row of each class in every fit"
            )
