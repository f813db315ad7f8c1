"""Policy trees: which treatment to give to whom, learnt from what was given before and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from streed.binarize.binarizer import Binarizer, check_table
from streed.estimators.base import BaseTree, check_rows, label_names, ordered_columns
from streed.estimators.choosing import price
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.estimators.parameters.constraints import constrained
from streed.estimators.policies.teachers import TEACHERS, Models, Trial, scores_of
from streed.estimators.policies.value import PolicyValue, policy_value
from streed.fairness.groups import columns_by_name
from streed.limits.limit import check_constraints
from streed.magnitudes import as_floats
from streed.options import Option
from streed.spelling import did_you_mean
from streed.table.labels import encode
from streed.tasks.limited_policy import LimitedPolicyReward, limits_of
from streed.tasks.parts.row_costs import check_costs, check_names
from streed.tasks.policy_reward import PolicyReward
from streed.tolerance import TOLERANCE

if TYPE_CHECKING:
    from streed.estimators.choosing.scores import Score

CV = Option("cv", "an integer >= 1 or None", "Parts of cross-fitting.", low=1, optional=True)
CLIP = Option(
    "clip", "a number from 0 to below 1", "Least propensity.", integer=False, low=0, high=1 - TOLERANCE
)


def default_outcome_model() -> Any:
    """Make the model that predicts outcomes when the user has none.

    A random forest, as in the paper's study: it finds interactions by itself, and its predictions never leave
    the range of the outcomes, so that no row gets an extreme score. Its leaves hold at least five rows, since
    every treatment has its own model and some have few rows. The columns are made binary first, so that
    strings and missing values are no trouble.
    """
    forest = RandomForestRegressor(n_estimators=100, min_samples_leaf=5, random_state=0)
    return make_pipeline(Binarizer(missing="indicator"), forest)


def default_propensity_model() -> Any:
    """Make the model that predicts who gets what when the user has none.

    A logistic regression on binary features: its probabilities are calibrated and seldom near 0, where those
    of trees and forests are often exactly 0 and one over them infinite. The cuts of the binary features let
    it bend, its penalty keeps it steady.
    """
    return make_pipeline(Binarizer(missing="indicator"), LogisticRegression(max_iter=2000))


class PolicyTree(BaseTree):
    """A tree that prescribes treatments, with the greatest estimated mean reward within its limits.

    A teacher scores every row under every treatment from what was observed; the tree is then the optimal
    policy for these scores.

    Parameters
    ----------
    teacher : {"direct", "inverse_propensity", "doubly_robust"} or callable, default="doubly_robust"
        How rows are scored. "direct" predicts the outcome under each treatment; "inverse_propensity" takes
        the observed outcome over the probability of the treatment given, and 0 for all others;
        "doubly_robust" corrects the first by the second, and is right on average if either model is. A
        function gets X, treatment, outcome and the names of the treatments, and returns scores of shape
        (n, n_treatments).
    outcome_model : estimator, optional
        Regressor, or classifier for outcomes of a few values, that predicts the outcome; one is fitted per
        treatment. By default a random forest over binary features.
    propensity_model : estimator, optional
        Classifier with ``predict_proba`` that predicts the treatment given. By default a logistic regression
        over binary features. After a randomised experiment, ``DummyClassifier()`` is the one to take.
    capacity : mapping, optional
        Most training rows that may get a treatment: an integer is a number of rows, any other number a share
        of them, from 0.0 to 1.0.
    treatment_costs : mapping, optional
        What a treatment costs per row, for `budget`; treatments left out are free.
    budget : float, optional
        Most that the treatments may cost per training row on average.
    cv : int, optional, default=5
        Parts of cross-fitting: no row is scored by a model that saw it. None or 1 fits the models once, on
        the rows that they score, as in the paper.
    clip : float, default=0.01
        Least propensity; lower ones are raised to it, with a warning.
    max_depth : int or None, default=3
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, where branching nodes have
        a price (`cost_complexity`, by default "auto" then).
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of training rows in a leaf, or their least share of all rows, between 0 and 1.
    cost_complexity : float or "auto", optional
        Price of a branching node, as a share of the mean over the rows of their greatest less their least
        score. "auto" chooses it from the data: in the sum over all rows a node must gain ln(p) times that
        mean, p being the number of binary features; ``result_.note`` says how much. By default there is no
        price, and "auto" where neither depth nor nodes are limited.
    time_limit : float, optional
        Seconds after which the best tree so far is taken; see ``result_.optimal`` and ``result_.gap``. They
        count from the scores on: the models of a teacher take the time that they take.
    memory_limit : float or str, optional
        Bytes that the solver's own structures may take, also as a text: "2GB", "500 MB", "1GiB".
    n_jobs : int, optional
        Number of threads of the search; None means one, -1 all cores. The tree does not depend on it.
    binarizer : transformer, optional
        What makes binary features of the columns; by default a `streed.Binarizer`. A Boolean matrix is taken
        as it is.
    cuts : {"auto", "exact", "binned"}, default="auto"
        Where numbers and dates are cut: "exact" searches every threshold to the end, "binned" those of the
        binarizer. "auto" searches every threshold as far as that is cheap, or as `time_limit` says: of a
        large table the tree comes with a gap. A given `binarizer` means "binned". ``result_.note`` says what
        was considered and what is proven.
    dates : {"date", "month", "weekday", "hour"} or list of them, default="date"
        What of dates is tested, see `streed.Binarizer`; a given `binarizer` has its own.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that name their rows are left out, see `streed.Binarizer`; a given `binarizer` has its
        own.
    constraints : list of streed.limits.Limit, optional
        Limits that the tree keeps on the training rows, as in ``[streed.limits.recall("ill") >= 0.9]``; see
        `streed.limits`. ``result_.limits`` says what it is worth in each.
    exclude : list of str or int, default=()
        Columns of the table that no test may use, by name or number; limits may still compare groups by them.
    missing_at_predict : {"warn", "route", "error"}, default="warn"
        What is done with values that are missing in a column that had none in the fit: "warn" names the
        columns and sends the rows where the test does not hold, "route" sends them where most of the training
        weight goes, "error" refuses them.
    tune : "holdout", int, splitter or dict, optional
        Chooses the number of branching nodes, up to the limits, on rows that were held out, and fits all rows
        with it: "holdout" by the paper's five hold-outs, a number by so many folds; a dict has arguments of
        `streed.tune`, e.g. ``{"cv": 5, "max_depth": [2, 3]}``, with a ``random_state`` of 0 if none is given.
        `time_limit` bounds folds and last fit together; Ctrl-C raises `KeyboardInterrupt`. By default nothing
        is tuned.
    progress : bool or callable, default=False
        True shows a live line on stderr. A function gets a `streed.Progress` about ten times a second and
        stops the search by returning True.

    Attributes
    ----------
    tree_ : streed.Tree
        The tree, over the binary features; the labels of its leaves are treatments.
    result_ : streed.Result
        The mean training score of the tree and what was proven about it. It is optimistic: see `value`.
    treatments_ : array of shape (n_treatments,)
        The treatments, sorted (or in the order of the columns of `rewards`).
    binarizer_ : transformer
        The fitted binarizer.
    tuned_ : streed.tuning.Tuned
        What was tried and chosen, where `tune` is given.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table had names.

    Examples
    --------
    >>> from streed import PolicyTree
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> rewards = [[1.0, 0.0], [1.0, 0.5], [0.0, 2.0], [0.2, 0.1]]
    >>> model = PolicyTree(max_depth=2).fit(X, rewards=rewards)
    >>> model.predict(X).tolist(), round(model.result_.objective, 3)
    ([0, 0, 1, 0], 1.05)
    """

    treatments_: NDArray[Any] = after_fit()

    def __init__(
        self,
        teacher: Any = "doubly_robust",
        *,
        outcome_model: Any = None,
        propensity_model: Any = None,
        capacity: Any = None,
        treatment_costs: Any = None,
        budget: float | None = None,
        cv: int | None = 5,
        clip: float = 0.01,
        max_depth: int | None = 3,
        max_nodes: int | None = None,
        min_samples_leaf: float = 1,
        cost_complexity: float | str | None = None,
        time_limit: float | None = None,
        memory_limit: float | str | None = None,
        n_jobs: int | None = None,
        binarizer: Any = None,
        cuts: str = "auto",
        dates: Any = "date",
        identifiers: str = "drop",
        constraints: Any = None,
        exclude: Any = (),
        missing_at_predict: str = "warn",
        tune: Any = None,
        progress: Any = False,
    ) -> None:
        self.teacher = teacher
        self.outcome_model = outcome_model
        self.propensity_model = propensity_model
        self.capacity = capacity
        self.treatment_costs = treatment_costs
        self.budget = budget
        self.cv = cv
        self.clip = clip
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.min_samples_leaf = min_samples_leaf
        self.cost_complexity = cost_complexity
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.binarizer = binarizer
        self.cuts = cuts
        self.dates = dates
        self.identifiers = identifiers
        self.constraints = constraints
        self.exclude = exclude
        self.missing_at_predict = missing_at_predict
        self.tune = tune
        self.progress = progress

    def fit(
        self,
        X: Any,
        treatment: Any = None,
        outcome: Any = None,
        rewards: Any = None,
        sensitive_features: Any = None,
        *,
        client: Any = None,
    ) -> PolicyTree:
        """Find an optimal policy, from observed treatments and outcomes or from rewards.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars. Models of your own
            get the table as it is.
        treatment : array-like of shape (n,), optional
            The treatment that each row got: numbers, strings or Booleans.
        outcome : array-like of shape (n,), optional
            What came of it: numbers, the greater the better.
        rewards : array-like or frame of shape (n, n_treatments), optional
            Scores of your own, instead of `treatment` and `outcome`. The treatments are 0, 1, ..., or the
            names of a frame's columns.
        sensitive_features : array-like or frame of shape (n,) or (n, k), or str, optional
            The group of each row, for limits of `constraints` that compare groups and do not say by which
            column.
        client : distributed.Client, optional
            Searches that take long are made by the workers of this Dask cluster (see
            `streed.distributed.solve`).

        Returns
        -------
        PolicyTree
            The fitted estimator itself.
        """
        groups = columns_by_name(X, sensitive_features)
        rows = {"treatment": treatment, "outcome": outcome, "rewards": rewards}
        return self._fit(client=client, X=X, **rows, sensitive_features=groups)

    def _prepare(
        self,
        X: Any,
        treatment: Any = None,
        outcome: Any = None,
        rewards: Any = None,
        sensitive_features: Any = None,
    ) -> Job:
        limits = self._limits()
        self._check_teacher()
        table = check_table(self, X, reset=True)
        if rewards is not None:
            if treatment is not None or outcome is not None:
                raise ValueError("give either treatment and outcome, or rewards, not both")
            check_rows(table, rewards)
            scores = check_costs("rewards", rewards, "treatment")
            treatments = check_names("treatments", label_names(rewards), scores.shape[1])
        else:
            if treatment is None or outcome is None:
                raise ValueError("fit needs both treatment and outcome, or rewards")
            models = self._models()
            treatments, codes = _treatments(treatment)
            _refuse_swapped(treatments, codes.size, outcome)
            trial = _trial(table, codes, outcome, treatments, models)
            scores = check_costs("scores of the teacher", scores_of(self.teacher, trial, models), "treatment")
            limits = self._limits()  # of the tree: nothing ends the models of a teacher

        def made(complexity: float) -> Any:
            return self._task((X, table), scores, treatments, sensitive_features, complexity)

        task, make = price.begin(self, limits, made)
        self.treatments_ = treatments
        return Job(task, table, treatment, None, limits, make=make)

    def _task(
        self,
        tables: tuple[Any, Any],
        scores: NDArray[np.float64],
        treatments: NDArray[Any],
        sensitive_features: Any,
        complexity: float,
    ) -> Any:
        free = PolicyReward(scores, treatments, cost_complexity=complexity)
        given = (self.capacity, self.treatment_costs, self.budget)
        has_own = any(one is not None for one in given)
        if has_own and not check_constraints(self.constraints) and sensitive_features is None:
            capacity, costs, budget = given
            own = {"capacity": capacity, "treatment_costs": costs, "budget": budget}
            return LimitedPolicyReward(scores, treatments, cost_complexity=complexity, **own)
        limits = limits_of(*given, treatments.tolist(), len(scores)) if has_own else ()
        return constrained(self, free, *tables, sensitive_features=sensitive_features, further=limits)

    def _models(self) -> Models:
        """Check the teacher and its parameters, and make the models that are not given."""
        self._check_teacher()
        outcome = default_outcome_model() if self.outcome_model is None else self.outcome_model
        propensity = default_propensity_model() if self.propensity_model is None else self.propensity_model
        return Models(outcome, propensity, 1 if self.cv is None else int(self.cv), float(self.clip))

    def _check_teacher(self) -> None:
        """Check the teacher and its parameters."""
        if not (callable(self.teacher) or (isinstance(self.teacher, str) and self.teacher in TEACHERS)):
            raise ValueError(
                f"teacher must be one of {', '.join(map(repr, TEACHERS))}, or a function, "
                f"got {self.teacher!r}{did_you_mean(self.teacher, TEACHERS)}"
            )
        CV.check(self.cv)
        CLIP.check(self.clip)
        _check_model("outcome_model", self.outcome_model, "predict")
        _check_model("propensity_model", self.propensity_model, "predict_proba")

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        from streed.estimators.choosing.scores import Score, own_score

        return Score("estimated_value", own_score, PolicyTree._score_once)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the treatment prescribed to each row.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n,)
            Treatments, by their own names.
        """
        return self._labels(X)

    def value(self, X: Any, treatment: Any = None, outcome: Any = None, rewards: Any = None) -> PolicyValue:
        """Estimate what the policy is worth on rows that it was not fitted on.

        The rows are scored by the same teacher, with models fitted and cross-fitted on these rows alone.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            Held-out rows.
        treatment : array-like of shape (n,), optional
            The treatment that each row got.
        outcome : array-like of shape (n,), optional
            What came of it.
        rewards : array-like of shape (n, n_treatments), optional
            Scores of your own, instead of the two.

        Returns
        -------
        PolicyValue
            The policy's value with its standard error, beside the observed treatments and the best constant
            treatment.
        """
        check_is_fitted(self)
        table = check_table(self, X, reset=False)
        prescribed = self.tree_.label[self._leaves(table)].astype(np.intp)
        if rewards is not None:
            if treatment is not None or outcome is not None:
                raise ValueError("give either treatment and outcome, or rewards, not both")
            scores = check_costs(
                "rewards", ordered_columns("rewards", rewards, self.treatments_), "treatment"
            )
            check_consistent_length(table, scores)
            if scores.shape[1] != self.treatments_.size:
                raise ValueError(f"rewards must have {self.treatments_.size} columns, got {scores.shape[1]}")
            return policy_value(scores, prescribed, self.treatments_, None)
        if treatment is None or outcome is None:
            raise ValueError("value needs both treatment and outcome, or rewards")
        scores, observed = self._scores(table, treatment, outcome)
        return policy_value(scores, prescribed, self.treatments_, observed)

    def _scores(
        self, table: Any, treatment: Any, outcome: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score rows by the teacher; returns their outcomes, too."""
        models = self._models()
        trial = _trial(table, self._codes(treatment), outcome, self.treatments_, models)
        return scores_of(self.teacher, trial, models), trial.outcome

    def _score_once(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Let the teacher score rows that are held out, once for all trees of a fold."""
        if "rewards" in data:
            return data
        table = check_table(self, data["X"], reset=False)
        return {"X": data["X"], "rewards": self._scores(table, data["treatment"], data["outcome"])[0]}

    def score(self, X: Any, treatment: Any = None, outcome: Any = None, rewards: Any = None) -> float:
        """Return the estimated value of the policy, for model selection.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            Held-out rows.
        treatment : array-like of shape (n,), optional
            The treatment that each row got.
        outcome : array-like of shape (n,), optional
            What came of it.
        rewards : array-like of shape (n, n_treatments), optional
            Scores of your own, instead of the two.

        Returns
        -------
        float
            ``value(...).value``.
        """
        return self.value(X, treatment, outcome, rewards).value

    def _codes(self, treatment: Any) -> NDArray[np.intp]:
        found, codes = _treatments(treatment)
        known = {name: code for code, name in enumerate(self.treatments_.tolist())}
        unknown = [name for name in found.tolist() if name not in known]
        if unknown:
            raise ValueError(
                f"treatment has {unknown!r}, the policy knows only {self.treatments_.tolist()!r}"
            )
        return np.array([known[name] for name in found.tolist()], np.intp)[codes]


def _check_model(name: str, model: Any, method: str) -> None:
    if model is None:
        return
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, method)):
        raise TypeError(f"{name} must be an estimator with fit and {method}, got {model!r}")


def _treatments(treatment: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Encode treatments; what is wrong with them is said about the treatment, not about y."""
    try:
        treatments, codes = encode(treatment)
    except (TypeError, ValueError) as error:
        raise type(error)(
            str(error).replace("labels in y", "treatments").replace("y ", "treatment ", 1)
        ) from error
    return treatments, codes.astype(np.intp)


def _refuse_swapped(treatments: NDArray[Any], n_rows: int, outcome: Any) -> None:
    """Refuse what are no treatments: hardly any row shares its own with another, as it is with outcomes."""
    kinds = len(treatments)
    if kinds <= max(FEW, n_rows // 2):
        return
    outcomes = len(set(np.asarray(outcome).ravel().tolist()))
    raise ValueError(
        f"treatment has {kinds} different values in {n_rows} rows, and outcome {outcomes}: the order is "
        "fit(X, treatment, outcome); were the two given the other way round?"
    )


FEW = 10
"""Up to this many distinct values are taken for treatments, however few rows there are."""


def _trial(
    table: Any, codes: NDArray[np.intp], outcome: Any, treatments: NDArray[Any], models: Models
) -> Trial:
    """Check outcomes and lengths."""
    check_consistent_length(table, codes, outcome)
    try:
        values = as_floats(outcome)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"outcome must hold numbers, after the treatment in fit(X, treatment, outcome): {error}"
        ) from error
    if values.ndim != 1:
        raise ValueError(f"outcome must be one-dimensional, got an array of shape {values.shape}")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"outcome must not contain NaN or infinity, got {values[row]} in row {row}")
    if models.folds > values.size:
        raise ValueError(f"cv={models.folds} needs at least as many rows, got {values.size}")
    return Trial(table, codes, values, treatments.tolist())
