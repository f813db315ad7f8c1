"""The paper's synthetic trials (appendix on policies, after Athey and Imbens 2016), with eleven teachers.

Rows have f independent normal variables; treatment k gives phi(x) + (2k - 1) kappa(x) / 2 + noise. The better
treatment was given with probability p. Trees see every variable cut into ten bins of equal frequency, while
teachers see the variables.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from benchmarks.cost_data import policy_arrays
from benchmarks.data import Arrays

Floats = NDArray[np.float64]

VARIABLES = (2, 10, 20)
PROBABILITIES = (0.1, 0.25, 0.5, 0.75, 0.9)
REPETITIONS = 5
TRAIN_ROWS, TEST_ROWS, BINS = 500, 10_000, 10
NOISE = 0.1
LASSO = 0.08
LEAST_LEAF = 20
"""Rows in a leaf of the propensity tree: one that grows freely gives every row the propensity one."""

IPW = ("dt", "log", "true")
DM = ("lr", "lasso")
TEACHERS: dict[str, tuple[str, str, str]] = {
    **{f"IPW {model}": ("inverse_propensity", model, DM[0]) for model in IPW},
    **{f"DM {model}": ("direct", IPW[0], model) for model in DM},
    **{f"DR {ipw} {dm}": ("doubly_robust", ipw, dm) for ipw in IPW for dm in DM},
}
"""Kind of teacher, propensity model and outcome model (those that a kind does not need are ignored)."""


def mean_effect(x: Floats) -> Floats:
    """Phi of the paper's table, for 2, 10 or 20 variables."""
    if x.shape[1] == 2:
        return np.asarray(0.5 * x[:, 0] + x[:, 1])
    k = related(x)
    return np.asarray(0.5 * x[:, :k].sum(axis=1) + x[:, k : k + 4].sum(axis=1))


def treatment_effect(x: Floats) -> Floats:
    """Kappa of the paper's table."""
    if x.shape[1] == 2:
        return np.asarray(0.5 * x[:, 0])
    return np.asarray(np.maximum(0.0, x[:, : related(x)]).sum(axis=1))


def related(x: Floats) -> int:
    """Count the variables that the treatment effect depends on."""
    return {10: 2, 20: 4}[x.shape[1]]


@dataclass(frozen=True)
class Trial:
    """Simulated rows: variables, outcomes under both treatments, the treatment given and its probability."""

    x: Floats
    potential: Floats
    given: NDArray[np.int64]
    propensity: Floats

    @property
    def outcome(self) -> Floats:
        """Outcome of the treatment that was given."""
        return np.asarray(self.potential[np.arange(len(self.x)), self.given])


def simulate(variables: int, rows: int, probability: float, rng: np.random.Generator) -> Trial:
    """Draw rows; treatment 1 counts as the better one where the two do not differ."""
    x = rng.normal(size=(rows, variables))
    kappa = treatment_effect(x)
    base = mean_effect(x) + rng.normal(scale=NOISE, size=rows)
    better = (kappa >= 0).astype(np.int64)
    lucky = rng.random(rows) < probability
    return Trial(
        x,
        np.column_stack([base - kappa / 2, base + kappa / 2]),
        np.where(lucky, better, 1 - better),
        np.where(lucky, probability, 1 - probability),
    )


def propensities(trial: Trial, model: str) -> Floats:
    """Probability of the treatment that each row got, by a model that saw it."""
    if model == "true":
        return trial.propensity
    made = (
        DecisionTreeClassifier(min_samples_leaf=LEAST_LEAF, random_state=0)
        if model == "dt"
        else LogisticRegression()
    )
    made.fit(trial.x, trial.given)
    columns = np.searchsorted(made.classes_, trial.given)
    return np.asarray(made.predict_proba(trial.x)[np.arange(len(trial.x)), columns])


def outcomes(trial: Trial, model: str) -> Floats:
    """Predict the outcome of every row under both treatments, by one regression per treatment."""
    predicted = np.empty((len(trial.x), 2))
    for k in range(2):
        own = trial.given == k
        made = LinearRegression() if model == "lr" else Lasso(alpha=LASSO)
        predicted[:, k] = made.fit(trial.x[own], trial.outcome[own]).predict(trial.x)
    return predicted


def bins(train: Floats, x: Floats) -> NDArray[np.uint8]:
    """Cut each variable at the deciles of the training rows; one column per bin."""
    cuts = np.quantile(train, np.arange(1, BINS) / BINS, axis=0)
    codes = np.stack([np.searchsorted(cuts[:, j], x[:, j]) for j in range(x.shape[1])], axis=1)
    indicator = codes[:, :, None] == np.arange(BINS)
    return np.ascontiguousarray(indicator.reshape(len(x), -1), dtype=np.uint8)


@functools.lru_cache(maxsize=2)
def trials(variables: int, probability: float, repetition: int, seed: int) -> tuple[Trial, Trial]:
    """Training and test rows of one scenario."""
    rng = np.random.default_rng([seed, variables, round(100 * probability), repetition])
    return (
        simulate(variables, TRAIN_ROWS, probability, rng),
        simulate(variables, TEST_ROWS, probability, rng),
    )


def synthetic_problem(variables: int, probability: float, repetition: int, teacher: str, seed: int) -> Arrays:
    """Make the arrays of one scenario as one teacher scores it."""
    train, test = trials(variables, probability, repetition, seed)
    kind, ipw, dm = TEACHERS[teacher]
    arrays = policy_arrays(
        bins(train.x, train.x),
        train.given.astype(np.int32),
        train.outcome,
        propensities(train, ipw),
        outcomes(train, dm),
        kind,
    )
    return arrays | {"X_test": bins(train.x, test.x), "potential_test": test.potential}
