"""Optimal regression trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from streed.binarize.binarizer import check_table
from streed.estimators.base import BaseTree, check_rows
from streed.estimators.choosing import price
from streed.estimators.choosing.smoothing import weight_of_rows
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.estimators.fitting.leaf_columns import leaf_columns, read_leaf_columns
from streed.estimators.parameters.constraints import equal_means, sizes_of
from streed.fairness.groups import columns_by_name
from streed.spelling import did_you_mean
from streed.tasks import (
    AbsoluteError,
    Gamma,
    LinearLeaves,
    Poisson,
    Quantile,
    SimpleLinear,
    SquaredError,
    Tweedie,
)
from streed.tasks.base import Task
from streed.tree.line import is_linear

if TYPE_CHECKING:
    from streed.estimators.choosing.scores import Score

LOSSES: Mapping[str, Callable[..., Task]] = {
    task.name: task for task in (SquaredError, AbsoluteError, Quantile, Poisson, Gamma, Tweedie)
}
"""The losses of constant leaves, by name."""

LEAF_MODELS: Mapping[str, type[LinearLeaves] | None] = {
    "constant": None,
    "linear": LinearLeaves,
    "simple_linear": SimpleLinear,
}
"""What a leaf may predict, by name; linear ones have the squared error as their loss."""


def is_plain_vector(y: Any) -> bool:
    """Whether targets are what scikit-learn's checks would return: finite doubles, one per row.

    The checks look for frames of every library first, which takes half a millisecond.
    """
    return type(y) is np.ndarray and y.dtype == np.float64 and y.ndim == 1 and bool(np.isfinite(y).all())


def _refuse_texts(y: Any) -> None:
    """Say of labels where they belong."""
    given = np.asarray(y)
    if given.dtype.kind not in "OUST":
        return
    text = next((each for each in given.ravel().tolist() if isinstance(each, str)), None)
    if text is not None:
        raise TypeError(
            f"y must be an array of numbers, got {text!r}: streed.OptimalTreeClassifier predicts labels"
        )


class OptimalTreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """A decision tree for regression that is proven to be the best one within its limits.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "poisson", "gamma", "tweedie"}, \
default="squared_error"
        What to minimise on the training rows. Leaves predict means (squared error, and the deviances of
        counts, amounts, and sums of amounts), medians or quantiles. The time of absolute error and
        quantiles grows with the number of distinct targets.
    quantile : float, default=0.5
        With ``loss="quantile"``: which quantile a leaf predicts, between 0 and 1.
    power : float, default=1.5
        With ``loss="tweedie"``: the power of the variance in the mean, above 1 (as counts) and below 2 (as
        amounts).
    leaf_model : {"constant", "linear", "simple_linear"}, default="constant"
        What a leaf predicts: a number, a linear function of `leaf_columns`, or one of the best of these
        columns. The linear ones have the squared error as their loss.
    leaf_columns : list of str or int, optional
        Columns of numbers, without missing values, that the leaves are linear in; all of them by default.
    ridge : float, default=1.0
        With linear leaves: penalty on the squares of their coefficients, as ``alpha`` of
        ``sklearn.linear_model.Ridge``. It is part of what is minimised.
    max_depth : int or None, default=3
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, where branching nodes have
        a price (`cost_complexity`, by default "auto" then).
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of training rows in a leaf, or their least share of all rows, between 0 and 1. Rows of
        weight zero do not count.
    cost_complexity : float or "auto", optional
        Price of a branching node, as a share of the loss of a tree without any (for the squared error: of the
        sum of squares about the mean). "auto", for the squared error of constant leaves: a node must save
        2 ln(p) times the variance of the noise, p being the number of binary features, and the noise what
        greedy trees leave unexplained on rows held out (three folds); ``result_.note`` says how much. By
        default there is no price, and "auto" where neither depth nor nodes are limited.
    time_limit : float, optional
        Seconds after which the best tree so far is taken; see ``result_.optimal`` and ``result_.gap``.
    memory_limit : float or str, optional
        Bytes that the solver's own structures may take, also as a text: "2GB", "500 MB", "1GiB".
    n_jobs : int, optional
        Number of threads; None means one, -1 all cores. The tree does not depend on it.
    binarizer : transformer, optional
        What makes binary features of the columns; by default a `streed.Binarizer`. A Boolean matrix is taken
        as it is.
    cuts : {"auto", "exact", "binned"}, default="auto"
        Where numbers and dates are cut: "exact" searches every threshold to the end, "binned" those of the
        binarizer. "auto" searches every threshold as far as that is cheap, or as `time_limit` says: of a
        large table the tree comes with a gap. A given `binarizer` means "binned". Where every threshold
        cannot be searched (linear leaves, deviances, several targets), both take quantiles and the
        cuts of a greedy tree of the same depth, and "exact" warns. ``result_.note`` says what was considered.
    dates : {"date", "month", "weekday", "hour"} or list of them, default="date"
        What of dates is tested, see `streed.Binarizer`; a given `binarizer` has its own.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that name their rows are left out, see `streed.Binarizer`; a given `binarizer` has its
        own.
    smoothing : "auto", float or None, default="auto"
        How the distribution of training rows becomes the quantiles that `tree_.details` and model files have;
        predictions and the tree stay what they are. A number is the strength of hierarchical shrinkage in
        rows: a leaf has a mean of the distributions on its path. "auto" takes 10. None: the rows of the leaf.
    missing_at_predict : {"warn", "route", "error"}, default="warn"
        What is done with values that are missing in a column that had none in the fit: "warn" names the
        columns and sends the rows where the test does not hold, "route" sends them where most of the training
        weight goes, "error" refuses them.
    constraints : list of streed.limits.Limit, optional
        Limits that the tree keeps on the training rows: ``[streed.limits.mean_prediction(by="sex") <= 5]``, a
        number of nodes. With the squared error, constant leaves and one target.
    exclude : list of str or int, default=()
        Columns of the table that no test may use, by name or number; limits may still compare groups by them.
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
        The tree, over the binary features.
    result_ : streed.Result
        The tree's value and what was proven about it.
    binarizer_ : transformer
        The fitted binarizer.
    n_outputs_ : int
        Number of targets.
    leaf_columns_ : list of str
        Names of the columns that linear leaves are functions of; empty for constant ones.
    tuned_ : streed.tuning.Tuned
        What was tried and chosen, where `tune` is given.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table had names.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from streed import OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> model.result_.optimal, round(model.score(X, y), 3)
    (True, 0.436)
    """

    n_outputs_: int = after_fit()
    leaf_columns_: list[str] = after_fit()

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float = 0.5,
        power: float = 1.5,
        leaf_model: str = "constant",
        leaf_columns: Any = None,
        ridge: float = 1.0,
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
        smoothing: float | str | None = "auto",
        missing_at_predict: str = "warn",
        constraints: Any = None,
        exclude: Any = (),
        tune: Any = None,
        progress: Any = False,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.power = power
        self.leaf_model = leaf_model
        self.leaf_columns = leaf_columns
        self.ridge = ridge
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
        self.smoothing = smoothing
        self.missing_at_predict = missing_at_predict
        self.constraints = constraints
        self.exclude = exclude
        self.tune = tune
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_outputs()
        tags.target_tags.positive_only = self.loss in ("poisson", "gamma", "tweedie")
        if self.leaf_model != "constant":
            tags.input_tags.allow_nan = False
        return tags

    def _takes_outputs(self) -> bool:
        return self.loss == "squared_error" and self.leaf_model == "constant"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None, *, client: Any = None
    ) -> OptimalTreeRegressor:
        """Find an optimal tree.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
        y : array-like of shape (n,) or (n, n_outputs)
            The targets; several of them with the squared error and constant leaves.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative.
        sensitive_features : array-like or frame of shape (n,) or (n, k), or str, optional
            The group of each row, for limits of `constraints` that compare groups and do not say by which
            column.
        client : distributed.Client, optional
            Searches that take long are made by the workers of this Dask cluster (see
            `streed.distributed.solve`).

        Returns
        -------
        OptimalTreeRegressor
            The fitted estimator itself.
        """
        groups = columns_by_name(X, sensitive_features)
        return self._fit(client=client, X=X, y=y, sample_weight=sample_weight, sensitive_features=groups)

    def _prepare(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Job:
        limits = self._limits()
        self._check_choices()
        several = self._takes_outputs()
        if not is_plain_vector(y):
            _refuse_texts(y)
            y = validate_data(self, y=y, y_numeric=True, multi_output=several)
        table = check_table(self, X, reset=True)
        check_rows(table, y)
        limits = sizes_of(self, limits)

        strength = weight_of_rows(self.smoothing, sample_weight, table.shape[0])

        def made(complexity: float) -> Task:
            options: dict[str, Any] = {"sample_weight": sample_weight, "cost_complexity": complexity}
            task = self._task(table, y, options)
            task.smoothing = strength
            found = equal_means(self, task, X, y, options, sensitive_features)
            found.smoothing = strength
            return found

        task, make = price.begin(self, limits, made)
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        return Job(task, table, y, sample_weight, limits, make=make)

    def _check_choices(self) -> None:
        for name, known in (("loss", LOSSES), ("leaf_model", LEAF_MODELS)):
            given = getattr(self, name)
            if not isinstance(given, str) or given not in known:
                meant = did_you_mean(given, known)
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {given!r}{meant}")
        if self.leaf_model != "constant" and self.loss != "squared_error":
            raise ValueError(
                f"leaf_model={self.leaf_model!r} goes with loss='squared_error', got loss={self.loss!r}"
            )

    def _task(self, table: Any, y: NDArray[Any], options: dict[str, Any]) -> Task:
        linear = LEAF_MODELS[self.leaf_model]
        if linear is not None:
            self.leaf_columns_ = leaf_columns(table, self.leaf_columns)
            columns = read_leaf_columns(table, self.leaf_columns_)
            stacked = np.column_stack([columns[name] for name in self.leaf_columns_])
            return linear(y, stacked, self.ridge, names=self.leaf_columns_, **options)
        self.leaf_columns_ = []
        if self.loss == "quantile":
            options["quantile"] = self.quantile
        if self.loss == "tweedie":
            options["power"] = self.power
        return LOSSES[self.loss](y, **options)

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        from streed.estimators.choosing.scores import score_of_numbers

        return score_of_numbers(self)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction for each row.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n,) or (n, n_outputs)
            Numbers.
        """
        table = self._checked_table(X)
        fitted = getattr(self, "feature_names_in_", None)
        linear = is_linear(self.tree_.classes)
        needed = read_leaf_columns(table, self.leaf_columns_, fitted) if linear else None
        return self.tree_.predict_leaves(self._leaves(table), needed)
