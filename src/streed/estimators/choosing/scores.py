"""What tuning maximises by default: the objective of an estimator, on rows that were held out.

A tree is judged by what it was made for: a tree of probabilities by its log loss, a tree of quantiles by its
pinball loss. Losses are negative and are means over the weight of the rows, so that the greater score is the
better one. Names are those of scikit-learn where it has the same score.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from streed.survival.targets import event_and_time
from streed.table.labels import class_factors, encode
from streed.tasks import BalancedAccuracy, Entropy, Gini, LogLoss, MacroF1, Metric, make_task

LEAST_MEAN = float(np.finfo(np.float64).eps)
"""A predicted mean of a Poisson tree counts as no less: the deviance of 0 is infinite."""


Rows: TypeAlias = Mapping[str, Any]
"""What `fit` takes, of some rows."""


def as_they_are(model: Any, data: Rows) -> Rows:
    """Return rows that need no preparation."""
    return data


class Score(NamedTuple):
    """How a fitted model is scored on other rows."""

    name: str
    of: Callable[[Any, Rows], float]
    prepare: Callable[[Any, Rows], Rows] = as_they_are
    """Computes, by one fitted model of a fold, what all models of the fold need of the rows held out."""


def own_score(model: Any, data: Rows) -> float:
    """Score by the estimator's own method, with what it takes of the data of a fit."""
    taken = inspect.signature(model.score).parameters
    return float(model.score(**{name: values for name, values in data.items() if name in taken}))


def score_of_labels(model: Any, y: Any) -> Score:
    """Return the score of a classifier, from its objective and all labels.

    Weights of classes are weights of held-out rows, too; those of "balanced" are of all rows.
    """
    task = make_task(getattr(model, "objective", "accuracy"), y)
    if isinstance(task, MacroF1):
        return Score("f1_macro", _macro_f1)
    if isinstance(task, Metric):
        return Score(task.metric.name, partial(_metric, task.metric, task.positive))
    factors = _class_factors(model.class_weight, y)
    weighted = "" if factors is None else "class-weighted "
    if isinstance(task, BalancedAccuracy):
        return Score("balanced_accuracy", partial(_of_predictions, metrics.balanced_accuracy_score, None))
    if isinstance(task, Gini):
        return Score(f"{weighted}neg_brier_score", partial(_of_shares, _brier, factors))
    if isinstance(task, Entropy | LogLoss):
        return Score(f"{weighted}neg_log_loss", partial(_of_shares, _log_loss, factors))
    return Score(f"{weighted}accuracy", partial(_of_predictions, metrics.accuracy_score, factors))


def score_of_numbers(model: Any) -> Score:
    """Return the score of a regressor, from its loss."""
    if model.loss == "quantile":
        loss = partial(metrics.mean_pinball_loss, alpha=model.quantile)
        return Score("neg_mean_pinball_loss", partial(_of_numbers, loss))
    names = {
        "absolute_error": metrics.mean_absolute_error,
        "poisson": _poisson,
        "gamma": partial(_tweedie, 2.0),
        "tweedie": partial(_tweedie, model.power),
        "squared_error": metrics.mean_squared_error,
    }
    name = f"{model.loss}_deviance" if model.loss in ("poisson", "gamma", "tweedie") else model.loss
    return Score(f"neg_mean_{name}", partial(_of_numbers, names[model.loss]))


def half_deviance(model: Any, data: Rows) -> float:
    """Return minus half the deviance of proportional hazards per row, with the training rows' hazard."""
    event, time = event_and_time(data["y"])
    curves = model.tree_.details
    hazard = np.concatenate([[1 / (model.tree_.n_samples[0] + 1)], curves.hazard[0]])
    fitted = model.predict(data["X"]) * hazard[np.searchsorted(curves.times, time, side="right")]
    own = fitted - np.where(event, np.log(np.where(event, fitted, 1.0)) + 1, 0.0)
    return -float(np.average(own, weights=data.get("sample_weight")))


def _class_factors(class_weight: Any, y: Any) -> dict[Any, float] | None:
    if class_weight is None:
        return None
    classes, codes = encode(y)
    if isinstance(class_weight, str):
        factors = codes.size / (classes.size * np.bincount(codes, minlength=classes.size))
    else:
        factors = class_factors(class_weight, classes)
    return dict(zip(classes.tolist(), factors.tolist(), strict=True))


def _weights(factors: dict[Any, float] | None, data: Rows) -> Any:
    """Return the weights of held-out rows; where none has any, all count alike."""
    weights = data.get("sample_weight")
    if factors is not None:
        own = np.array([factors[label] for label in np.asarray(data["y"]).tolist()])
        weights = own if weights is None else own * np.asarray(weights)
    return None if weights is not None and not np.any(weights) else weights


def _of_predictions(
    score: Callable[..., Any], factors: dict[Any, float] | None, model: Any, data: Rows
) -> float:
    predicted = model.predict(data["X"])
    return float(score(np.asarray(data["y"]), predicted, sample_weight=_weights(factors, data)))


def _of_shares(
    loss: Callable[..., NDArray[np.float64]],
    factors: dict[Any, float] | None,
    model: Any,
    data: Rows,
) -> float:
    """Score the probabilities of rows: a loss of the share of each row's class, and of all shares."""
    shares = model.predict_proba(data["X"])
    codes = np.searchsorted(model.classes_, np.asarray(data["y"]))
    return -float(np.average(loss(shares, codes), weights=_weights(factors, data)))


def _brier(shares: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    own = ((shares - np.eye(shares.shape[1])[codes]) ** 2).sum(axis=1)
    return np.asarray(own / 2 if shares.shape[1] == 2 else own)  # as scikit-learn halves it


def _log_loss(shares: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    least = np.finfo(np.float64).eps  # as in scikit-learn
    return np.asarray(-np.log(np.clip(shares[np.arange(codes.size), codes], least, 1.0)))


def _macro_f1(model: Any, data: Rows) -> float:
    y, predicted = np.asarray(data["y"]), model.predict(data["X"])
    return float(metrics.f1_score(y, predicted, average="macro", sample_weight=_weights(None, data)))


def _metric(metric: Any, positive: Any, model: Any, data: Rows) -> float:
    """Score by a metric of the confusion matrix of held-out rows."""
    true, said = np.asarray(data["y"]) == positive, model.predict(data["X"]) == positive
    weights = data.get("sample_weight")
    weights = np.ones(true.size) if weights is None else np.asarray(weights, np.float64)
    cells = (true & said, ~true & said, true & ~said, ~true & ~said)
    return float(metric(*(float(weights[cell].sum()) for cell in cells)))


def _of_numbers(loss: Callable[..., Any], model: Any, data: Rows) -> float:
    predicted = model.predict(data["X"])
    return -float(loss(np.asarray(data["y"]), predicted, sample_weight=_weights(None, data)))


def _tweedie(power: float, y: Any, predicted: NDArray[np.float64], sample_weight: Any) -> Any:
    known = np.maximum(predicted, LEAST_MEAN)
    return metrics.mean_tweedie_deviance(y, known, sample_weight=sample_weight, power=power)


def _poisson(y: Any, predicted: NDArray[np.float64], sample_weight: Any) -> Any:
    return metrics.mean_poisson_deviance(y, np.maximum(predicted, LEAST_MEAN), sample_weight=sample_weight)
