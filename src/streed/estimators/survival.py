"""Optimal survival trees."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import check_table
from streed.errors import NoEventsWarning
from streed.estimators.base import BaseTree, check_rows
from streed.estimators.choosing import price
from streed.estimators.choosing.smoothing import weight_of_rows
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.survival.concordance import concordance_index
from streed.survival.steps import StepFunction
from streed.survival.targets import as_target, event_and_time
from streed.tasks.survival import Survival
from streed.tree.details import Curves

if TYPE_CHECKING:
    from streed.estimators.choosing.scores import Score


class SurvivalTree(BaseTree):
    """A decision tree for times to an event that is proven to be the best one within its limits.

    The tree has the least deviance of proportional hazards on the training rows (LeBlanc and Crowley, 1992;
    see `streed.tasks.Survival`). It takes and gives what scikit-survival's estimators do, and does not need
    that package.

    Parameters
    ----------
    max_depth : int or None, default=3
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, where branching nodes have
        a price (`cost_complexity`, by default "auto" then).
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of training rows in a leaf, or their least share of all rows, between 0 and 1. Rows of
        weight zero do not count.
    cost_complexity : float or "auto", optional
        Price of a branching node, as a share of the deviance of a tree without any. "auto" chooses it from
        the data: a node must save ln(p) of half the deviance, p being the number of binary features;
        ``result_.note`` says so. By default there is no price, and "auto" where neither depth nor nodes are
        limited.
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
        Where numbers and dates are cut: "binned" where the binarizer does, "auto" at quantiles and the cuts
        of a greedy tree of the same depth, so that the tree is never worse than that one. "exact" does the
        same and warns: all thresholds cannot be searched for this loss. A given `binarizer` means "binned".
        ``result_.note`` says what was considered.
    dates : {"date", "month", "weekday", "hour"} or list of them, default="date"
        What of dates is tested, see `streed.Binarizer`; a given `binarizer` has its own.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that name their rows are left out, see `streed.Binarizer`; a given `binarizer` has its
        own.
    smoothing : "auto", float or None, default="auto"
        How curves of training rows become predicted ones; risks and the tree stay what they are. A number is
        the strength of hierarchical shrinkage in rows: the curves of a leaf become a mean of those on its
        path. "auto" takes 10. None: Kaplan and Meier's and Nelson and Aalen's estimates of the leaf alone.
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
        The tree, over the binary features; ``tree_.details`` has the curves of its nodes.
    result_ : streed.Result
        The tree's value (half the deviance) and what was proven about it.
    binarizer_ : transformer
        The fitted binarizer.
    unique_times_ : array of shape (t,)
        The times of the training rows at which an event was observed: the steps of all predicted curves.
    tuned_ : streed.tuning.Tuned
        What was tried and chosen, where `tune` is given.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table had names.

    Examples
    --------
    >>> import numpy as np
    >>> from streed import SurvivalTree
    >>> from streed.survival import survival_target
    >>> X = np.array([[20], [30], [40], [50], [60], [70]])
    >>> y = survival_target(event=[1, 0, 1, 1, 1, 1], time=[9, 8, 7, 3, 2, 1])
    >>> model = SurvivalTree(max_depth=1).fit(X, y)
    >>> model.predict(X).round(2).tolist(), model.score(X, y)
    ([0.52, 0.52, 0.52, 2.61, 2.61, 2.61], 0.8214285714285714)
    >>> model.predict_survival_function([[65]])[0]([0, 2.5]).round(2).tolist()
    [1.0, 0.54]
    """

    _estimator_type = "survival_estimator"

    unique_times_: NDArray[np.float64] = after_fit()

    def __init__(
        self,
        *,
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
        tune: Any = None,
        progress: Any = False,
    ) -> None:
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
        self.tune = tune
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None) -> SurvivalTree:
        """Find an optimal tree.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
        y : structured array of shape (n,), pair or frame
            Events (a Boolean field) and times (a field of numbers), as ``sksurv.util.Surv`` or
            `streed.survival.survival_target` makes it; or ``(event, time)``; or a frame with the columns
            ``event`` and ``time``.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative.
        client : distributed.Client, optional
            Searches that take long are made by the workers of this Dask cluster (see
            `streed.distributed.solve`).

        Returns
        -------
        SurvivalTree
            The fitted estimator itself. Without a single event it has one leaf, and there is a warning.
        """
        return self._fit(client=client, X=X, y=as_target(y), sample_weight=sample_weight)

    def _prepare(self, X: Any, y: Any, sample_weight: Any = None) -> Job:
        y = as_target(y)
        limits = self._limits()
        event, time = event_and_time(y)
        table = check_table(self, X, reset=True)
        check_rows(table, time)

        smoothing = weight_of_rows(self.smoothing, sample_weight, time.size)

        def made(complexity: float) -> Survival:
            return Survival(event, time, sample_weight, complexity, smoothing)

        task, make = price.begin(self, limits, made)
        if not task.has_events:
            warnings.warn("no event was observed: the tree is a single leaf", NoEventsWarning, stacklevel=2)
        self._last_time = float(time.max())

        def finish(model: SurvivalTree) -> None:
            model.unique_times_ = model._curves.times

        return Job(task, table, time, sample_weight, limits, finish, make)

    def _tuning_data(self, data: dict[str, Any]) -> dict[str, Any]:
        return data | {"y": as_target(data["y"])}

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        from streed.estimators.choosing.scores import Score, half_deviance

        return Score("neg_half_deviance", half_deviance)

    @property
    def _curves(self) -> Curves:
        assert isinstance(self.tree_.details, Curves)
        return self.tree_.details

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the risk of each row: its hazard, relative to that of all training rows.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n,)
            Factors above 0; the greater, the sooner the event is expected. Leaves without events count half
            an event.
        """
        leaf = self.apply(X)
        risk: NDArray[np.float64] = self._curves.risk[leaf]
        return risk

    def predict_survival_function(self, X: Any, return_array: bool = False) -> NDArray[Any]:
        """Return the survival function of each row: Kaplan and Meier's estimate, see `smoothing`.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.
        return_array : bool, default=False
            Whether to return the values at `unique_times_` instead of functions.

        Returns
        -------
        array of StepFunction, shape (n,), or of float, shape (n, t)
            The probabilities to survive a time.
        """
        return self._functions(X, self._curves_of(X).survival, 1.0, return_array)

    def predict_cumulative_hazard_function(self, X: Any, return_array: bool = False) -> NDArray[Any]:
        """Return the cumulative hazard of each row: Nelson and Aalen's estimate of its leaf, see `smoothing`.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.
        return_array : bool, default=False
            Whether to return the values at `unique_times_` instead of functions.

        Returns
        -------
        array of StepFunction, shape (n,), or of float, shape (n, t)
            The cumulative hazards up to a time.
        """
        return self._functions(X, self._curves_of(X).hazard, 0.0, return_array)

    def _curves_of(self, X: Any) -> Curves:
        """Return the curves of all nodes, of a tree that is fitted."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self._curves

    def _functions(self, X: Any, values: NDArray[np.float64], before: float, as_array: bool) -> NDArray[Any]:
        leaf = self.apply(X)
        if as_array:
            rows: NDArray[np.float64] = values[leaf]
            return rows
        domain = (0.0, self._last_time)
        at = {
            node: StepFunction(self.unique_times_, values[node], domain=domain, before=before)
            for node in np.unique(leaf).tolist()
        }
        functions = np.empty(leaf.size, dtype=object)
        functions[:] = [at[node] for node in leaf.tolist()]
        return functions

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index of the predicted risks; see `streed.survival.concordance_index`.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.
        y : structured array of shape (n,), pair or frame
            Their events and times, as for `fit`.

        Returns
        -------
        float
            From 0 to 1; random predictions have 0.5.
        """
        event, time = event_and_time(y)
        return concordance_index(event, time, self.predict(X))
