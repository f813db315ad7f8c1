"""Teachers: what each treatment would have gained each row, estimated from what one of them did.

The three are those of the paper's appendix. Treatments are positions 0, ..., K - 1. All teachers return
scores of shape (n, K) whose mean over the rows, each under its prescribed treatment, estimates the value of a
policy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from streed.tolerance import TOLERANCE

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """What was observed: the columns, each row's treatment and outcome, and the names of treatments."""

    table: Any
    treatment: NDArray[np.intp]
    outcome: NDArray[np.float64]
    names: Sequence[Any]

    @property
    def n_treatments(self) -> int:
        """Number of treatments, those that nobody got included."""
        return len(self.names)

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which treatment each row got, as a matrix (n, K)."""
        matrix: NDArray[np.bool_] = self.treatment[:, None] == np.arange(self.n_treatments)
        return matrix


@dataclass(frozen=True)
class Models:
    """The models behind a teacher, and how they are used.

    `folds` is the number of parts of cross-fitting; with 1 every row is scored by models that saw it.
    """

    outcome: Any
    propensity: Any
    folds: int
    clip: float
    seed: int = 0


def direct(trial: Trial, models: Models) -> Scores:
    """Score rows by predicted outcomes under each treatment (direct method)."""
    return predicted_outcomes(trial, models)


def inverse_propensity(trial: Trial, models: Models) -> Scores:
    """Score rows by the outcome over the propensity of the treatment they got, zero for all others."""
    weights = inverse_propensities(trial, models)
    return np.where(trial.given, (trial.outcome * weights)[:, None], 0.0)


def doubly_robust(trial: Trial, models: Models) -> Scores:
    """Score rows by predicted outcomes, corrected by the weighted residual where the outcome was observed.

    It is right on average if either of the two models is.
    """
    predicted = predicted_outcomes(trial, models)
    own = predicted[np.arange(trial.outcome.size), trial.treatment]
    correction = (trial.outcome - own) * inverse_propensities(trial, models)
    return predicted + np.where(trial.given, correction[:, None], 0.0)


TEACHERS: Mapping[str, Callable[[Trial, Models], Scores]] = {
    "direct": direct,
    "inverse_propensity": inverse_propensity,
    "doubly_robust": doubly_robust,
}
"""All teachers by name."""


def scores_of(teacher: str | Callable[..., Any], trial: Trial, models: Models) -> Scores:
    """Score rows by a teacher, given by name or as a function; NaN for treatments that nobody got."""
    if isinstance(teacher, str):
        scores = TEACHERS[teacher](trial, models)
    else:
        names = np.asarray(trial.names)
        scores = np.array(teacher(trial.table, names[trial.treatment], trial.outcome, names), np.float64)
        if scores.shape != (trial.outcome.size, trial.n_treatments):
            raise ValueError(
                f"the teacher must return scores of shape ({trial.outcome.size}, {trial.n_treatments}), "
                f"one per row and treatment, got {scores.shape}"
            )
    scores[:, ~trial.given.any(axis=0)] = np.nan
    return scores


def folds_of(trial: Trial, models: Models) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Split the rows into parts with the treatments spread evenly: rows to fit on, and rows to score."""
    n = trial.treatment.size
    everything = np.arange(n)
    if models.folds == 1:
        return [(everything, everything)]
    shuffled = np.random.default_rng(models.seed).permutation(n)
    order = shuffled[np.argsort(trial.treatment[shuffled], kind="stable")]
    part = np.empty(n, np.intp)
    part[order] = everything % models.folds
    return [(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(models.folds)]


def predicted_outcomes(trial: Trial, models: Models) -> Scores:
    """Predict every row's outcome under each treatment, with a model per treatment fitted on other rows.

    A treatment that no row of a fitting part got is predicted to do what the treatments of that part did on
    average, with a warning; one that no row got at all is NaN.
    """
    n = trial.treatment.size
    predicted = np.full((n, trial.n_treatments), np.nan)
    lonely: set[int] = set()
    for fitting, scored in folds_of(trial, models):
        rows = _safe_indexing(trial.table, scored)
        for k in np.unique(trial.treatment).tolist():
            own = fitting[trial.treatment[fitting] == k]
            if own.size == 0:
                lonely.add(k)
                predicted[scored, k] = trial.outcome[fitting].mean()
            else:
                predicted[scored, k] = _predict_outcome(models.outcome, trial, own, rows)
    if lonely:
        warnings.warn(
            f"the treatments {[trial.names[k] for k in sorted(lonely)]!r} were given to so few rows that "
            "some part of the cross-fitting has none: there they are predicted to do what all did on average",
            stacklevel=2,
        )
    return predicted


def _predict_outcome(model: Any, trial: Trial, own: NDArray[np.intp], rows: Any) -> NDArray[np.float64]:
    """Fit the outcome model on the rows of one treatment and predict other rows.

    A classifier predicts the mean outcome from its probabilities.
    """
    outcome = trial.outcome[own]
    if is_classifier(model) and np.unique(outcome).size == 1:
        return np.full(rows.shape[0], outcome[0])
    fitted = clone(model).fit(_safe_indexing(trial.table, own), outcome)
    if is_classifier(model):
        return np.asarray(fitted.predict_proba(rows) @ fitted.classes_, np.float64)
    return np.asarray(fitted.predict(rows), np.float64).reshape(-1)


def inverse_propensities(trial: Trial, models: Models) -> NDArray[np.float64]:
    """One over the probability of the treatment that each row got, by models that did not see the row."""
    n = trial.treatment.size
    propensity = np.zeros(n)
    for fitting, scored in folds_of(trial, models):
        present = np.unique(trial.treatment[fitting])
        if present.size == 1:
            propensity[scored] = trial.treatment[scored] == present[0]
            continue
        fitted = clone(models.propensity).fit(_safe_indexing(trial.table, fitting), trial.treatment[fitting])
        shares = np.zeros((scored.size, trial.n_treatments))
        shares[:, np.asarray(fitted.classes_, np.intp)] = fitted.predict_proba(
            _safe_indexing(trial.table, scored)
        )
        propensity[scored] = shares[np.arange(scored.size), trial.treatment[scored]]
    return 1.0 / clipped(propensity, models.clip)


def clipped(propensity: NDArray[np.float64], clip: float) -> NDArray[np.float64]:
    """Raise propensities to at least `clip`, with a warning; refuse those that are 0 or no probability."""
    bad = ~((propensity >= 0) & (propensity <= 1 + TOLERANCE))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"a propensity must lie between 0 and 1, the model gives {propensity[row]} in row {row}"
        )
    low = propensity < clip
    if low.any():
        warnings.warn(
            f"{int(low.sum())} of {propensity.size} propensities are below clip={clip:g}, the least is "
            f"{propensity.min():.3g}; they were raised to it, which biases scores: such rows hardly ever "
            "get the treatment they got",
            stacklevel=2,
        )
        return np.maximum(propensity, clip)
    if not propensity.all():
        row = int(np.flatnonzero(propensity == 0)[0])
        raise ValueError(
            f"the propensity of the treatment of row {row} is 0, so that its weight would be infinite; "
            "set clip above 0"
        )
    return propensity
