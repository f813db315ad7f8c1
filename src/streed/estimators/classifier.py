"""Optimal classification trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from streed.binarize.binarizer import check_table
from streed.estimators.base import BaseTree, check_labels, check_rows, has_shares
from streed.estimators.choosing import price
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.estimators.parameters.constraints import constrained
from streed.fairness.groups import columns_by_name
from streed.tasks import is_binary, make_task, resolve
from streed.tasks.base import Task, labels_of

if TYPE_CHECKING:
    from streed.estimators.choosing.scores import Score


class OptimalTreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """A decision tree for classification that is proven to be the best one within its limits.

    Parameters
    ----------
    objective : str, metric, function or Task class, default="accuracy"
        What to optimise on the training rows: "accuracy", "balanced_accuracy"; for two classes "f1",
        "jaccard", "mcc", "g_mean", "min_recall"; for two or three "macro_f1"; an object of `streed.metrics`;
        a function ``metric(tp, fp, fn, tn)`` that does not fall when fp or fn falls; or what makes a task of
        labels. The positive class is the second one in sorted order; to have it otherwise, give a task:
        ``functools.partial(streed.tasks.F1Score, positive="no")``.
    max_depth : int or None, default=3
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, where branching nodes have
        a price (`cost_complexity`, by default "auto" then).
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of training rows in a leaf, or their least share of all rows, between 0 and 1. Rows of
        weight zero do not count.
    cost_complexity : float or "auto", optional
        Price of a branching node, as a share of the total weight of the rows. "auto" chooses it from the
        data: a node must save ln(p) rows, p being the number of binary features, and fewer where few rows
        are wrong; ``result_.note`` says how many. By default there is no price, and "auto" where neither
        depth nor nodes are limited.
    class_weight : dict or "balanced", optional
        Factor of each label on the weight of its rows. "balanced" gives all classes the same total weight.
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
        large table the tree comes with a gap. A given `binarizer` means "binned". ``result_.note`` says what
        was considered and what is proven.
    dates : {"date", "month", "weekday", "hour"} or list of them, default="date"
        What of dates is tested, see `streed.Binarizer`; a given `binarizer` has its own.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that name their rows are left out, see `streed.Binarizer`; a given `binarizer` has its
        own.
    smoothing : "auto", float or None, default="auto"
        How shares of training rows become probabilities; labels stay what they are. A number is the strength
        of hierarchical shrinkage in rows (`streed.Tree`), "auto" takes 10. None: the shares as they are, as
        the objective counts them ("log_loss" adds one row to every class).
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
        The tree, over the binary features.
    result_ : streed.Result
        The tree's value and what was proven about it.
    classes_ : array of shape (n_classes,)
        The labels, sorted.
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
    >>> from sklearn.datasets import load_iris
    >>> from streed import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.result_.objective, model.result_.optimal
    (6.0, True)
    >>> model.score(X, y)
    0.96
    """

    classes_: NDArray[Any] = after_fit()

    def __init__(
        self,
        objective: Any = "accuracy",
        *,
        max_depth: int | None = 3,
        max_nodes: int | None = None,
        min_samples_leaf: float = 1,
        cost_complexity: float | str | None = None,
        class_weight: Any = None,
        time_limit: float | None = None,
        memory_limit: float | str | None = None,
        n_jobs: int | None = None,
        binarizer: Any = None,
        cuts: str = "auto",
        dates: Any = "date",
        identifiers: str = "drop",
        smoothing: float | str | None = "auto",
        constraints: Any = None,
        exclude: Any = (),
        missing_at_predict: str = "warn",
        tune: Any = None,
        progress: Any = False,
    ) -> None:
        self.objective = objective
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.min_samples_leaf = min_samples_leaf
        self.cost_complexity = cost_complexity
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.binarizer = binarizer
        self.cuts = cuts
        self.dates = dates
        self.identifiers = identifiers
        self.smoothing = smoothing
        self.constraints = constraints
        self.exclude = exclude
        self.missing_at_predict = missing_at_predict
        self.tune = tune
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._takes_two_classes()
        return tags

    def _takes_two_classes(self) -> bool:
        return is_binary(self.objective)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None, *, client: Any = None
    ) -> OptimalTreeClassifier:
        """Find an optimal tree.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
        y : array-like of shape (n,)
            The labels: numbers, strings or Booleans.
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
        OptimalTreeClassifier
            The fitted estimator itself.
        """
        groups = columns_by_name(X, sensitive_features)
        return self._fit(client=client, X=X, y=y, sample_weight=sample_weight, sensitive_features=groups)

    def _prepare(self, X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Job:
        limits = self._limits()
        resolve(self.objective)
        y = check_labels(self, y)
        table = check_table(self, X, reset=True)
        check_rows(table, y)
        options: dict[str, Any] = {
            "sample_weight": sample_weight,
            "class_weight": self.class_weight,
        }
        given = {name: value for name, value in options.items() if value is not None}
        rows = {"y": y, "sample_weight": sample_weight, "sensitive_features": sensitive_features}

        def made(complexity: float) -> Any:
            priced = {"cost_complexity": complexity} if complexity else {}
            return constrained(self, make_task(self.objective, y, **given, **priced), X, table, **rows)

        task, make = price.begin(self, limits, made)
        labels = labels_of(task) if isinstance(task, Task) else None
        self.classes_ = np.unique(y) if labels is None else labels
        return Job(task, table, y, sample_weight, limits, make=make)

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        from streed.estimators.choosing.scores import score_of_labels

        return score_of_labels(self, data["y"])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        return self._labels(X)

    @available_if(has_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row: its share in the leaf, see `smoothing`.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n, n_classes)
            Probabilities in the order of `classes_`.
        """
        return self._shares(X)
