"""How well a tree does on rows that it was not fitted on: ``--holdout``, ``--cv`` and ``--test``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from streed.cli.tables import of_model, read_table
from streed.cli.training import labels
from streed.model.model import Model, listed
from streed.survival.concordance import concordance_index
from streed.survival.targets import event_and_time
from streed.tuning.fits import take
from streed.tuning.folds import Fold, make_folds

Data = Mapping[str, Any]
"""What `fit` takes, by the names of its arguments."""


def held_out(arguments: argparse.Namespace, estimator: Any, data: Data) -> Fold | None:
    """Draw the rows to fit and those to hold out, always the same; labels are drawn in proportion."""
    if arguments.holdout is None:
        return None
    kind = StratifiedShuffleSplit if is_classifier(estimator) else ShuffleSplit
    split = kind(1, test_size=arguments.holdout, random_state=0)
    return make_folds(split, data["X"], data["y"], 0, stratify=is_classifier(estimator))[0]


def taken(data: Data, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Take rows of everything that `fit` takes."""
    return {name: take(values, rows) for name, values in data.items()}


def cross_validated(estimator: Any, data: Data, n: int) -> Iterator[str]:
    """Fit without each part of the rows and score all rows, each by the tree that did not see it."""
    folds = make_folds(n, data["X"], data["y"], 0, stratify=is_classifier(estimator))
    true, predicted = [], []
    for fit, test in folds:
        model = clone(estimator).set_params(progress=False).fit(**taken(data, fit))
        if model.result_.status == "interrupted":
            yield "cross-validation was interrupted"
            return
        true.append(take(data["y"], test))
        predicted.append(model.predict(take(data["X"], test)))
    found = compared(estimator, np.concatenate(true), np.concatenate(predicted))
    yield f"cross-validation in {n} parts: {found}"


def tested(arguments: argparse.Namespace, estimator: Any, model: Model) -> Iterator[str]:
    """Score the tree on the rows of another file."""
    frame = read_table(arguments.test, text=model.text_columns, separator=arguments.separator)
    columns = list(frame.columns)
    for name in filter(None, (arguments.target, arguments.event)):
        if name not in columns:
            raise ValueError(f"there is no column {name!r} in {arguments.test}; it has {listed(columns)}")
    true: Any = labels(frame[arguments.target], arguments.target)
    if arguments.event is not None:
        true = (np.asarray(frame[arguments.event]), true)
    yield f"{arguments.test}: {compared(estimator, true, model.predict(of_model(model, frame)))}"


def compared(estimator: Any, true: Any, predicted: NDArray[Any]) -> str:
    """Say how well predictions agree with what is true."""
    if hasattr(estimator, "predict_survival_function"):
        event, time = event_and_time(true)
        return f"concordance {concordance_index(event, time, predicted):.3f} ({time.size} rows)"
    if is_classifier(estimator):
        return right(true.tolist(), predicted.tolist())
    return near(true.astype(np.float64), predicted)


def right(true: Sequence[Any], predicted: Sequence[Any]) -> str:
    """Say how many labels are right; they are compared as they are written, since types differ by file.

    Examples
    --------
    >>> from streed.cli.trials import right
    >>> right(["1", "2", "1", "1"], [1, 1, 1, 1])
    '3 of 4 rows right (75.0 %), where always 1 would be 75.0 %'
    """
    texts = [str(label) for label in true]
    n = sum(text == str(label) for text, label in zip(texts, predicted, strict=True))
    most, count = Counter(sorted(texts)).most_common(1)[0]
    shares = f"{n / len(texts):.1%}", f"{count / len(texts):.1%}"
    said = f"{n} of {len(texts)} rows right ({shares[0]}), where always {most} would be {shares[1]}"
    return said.replace("%", " %")


def near(true: NDArray[np.float64], predicted: NDArray[np.float64]) -> str:
    """Say how close numbers are."""
    error = float(np.abs(true - predicted).mean())
    explained = f"R2 {r2_score(true, predicted):.3f}, " if true.size > 1 else ""
    return f"{explained}mean absolute error {error:.4g} ({true.size} rows)"
