"""Cost-sensitive classification trees: errors and tests have prices."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from streed.binarize.binarizer import check_table
from streed.estimators.base import (
    BaseTree,
    check_labels,
    check_rows,
    has_shares,
    label_names,
    ordered_columns,
)
from streed.estimators.choosing import price
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.estimators.parameters.constraints import constrained, pricing_of
from streed.fairness.groups import columns_by_name
from streed.table.columns import column_names
from streed.table.labels import check_sample_weight, encode
from streed.tasks.base import Task
from streed.tasks.cost_matrix import CostMatrix
from streed.tasks.feature_costs import FeatureCosts, PriceOfColumns, as_feature_costs
from streed.tasks.label_costs import LabelCosts
from streed.tasks.parts.cost_levels import costs_of_level
from streed.tasks.parts.row_costs import check_costs

if TYPE_CHECKING:
    from streed.estimators.choosing.scores import Score


CAPACITY = (
    "CostSensitiveTreeClassifier has no capacity: limit the share of a label, as in constraints="
    "[streed.limits.share('check') <= 0.1], or fit PolicyTree(capacity={'check': 40}).fit(X, rewards=-costs)"
)


@dataclass(frozen=True)
class ExpectedCosts:
    """What a row costs on average.

    Attributes
    ----------
    total : float
        Misclassification and tests together.
    misclassification : float
        The part that comes from predicted labels.
    tests : float
        The part that is paid for tests.
    normalized : float or None
        The total as a share of the standard cost: what all tests cost once, discounts included, plus the
        greatest cost of an error times the share of the rows outside the largest class (Turney's normalised
        cost, as in the paper). None where rows have costs of their own and no classes, or where the standard
        cost is zero.
    """

    total: float
    misclassification: float
    tests: float
    normalized: float | None = None


class CostSensitiveTreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """A decision tree with the least cost of errors and tests, proven within its limits.

    Every row costs what its predicted label costs, plus the price of every test on its way to its leaf. A
    column that was tested before on the path is free, and a column whose group was tested has its discounted
    price.

    Parameters
    ----------
    misclassification_costs : array-like of shape (n_classes, n_classes), dict or str, optional
        Cost of each error, [true, predicted], in the sorted order of the labels; not negative, and the
        diagonal need not be zero. By name: ``{true: {predicted: cost}}``, ``{(true, predicted): cost}``, or a
        pandas frame whose index and columns are the labels. By default every error costs 1. "low", "middle"
        and "high" are the paper's levels: an error on a row of class k costs C / (f_k K), with f_k the share
        of its rows, K classes, and C a sixth, a third or all of what every test costs once.
    feature_costs : streed.FeatureCosts, mapping or sequence, optional
        Prices of tests per column of the table, e.g. ``{"blood": 7.3}``; by default they are free. Discounts
        and groups of tests need a `FeatureCosts`.
    max_depth : int or None, default=3
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, where branching nodes have
        a price (`cost_complexity`, by default "auto" then).
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of training rows in a leaf, or their least share of all rows, between 0 and 1. Rows of
        weight zero do not count.
    cost_complexity : float or "auto", optional
        Price of a branching node, as a share of the sum over the rows of their greatest less
        their least cost. "auto" chooses it from the data: a node must save ln(p) times the mean of these
        differences, p being the number of binary features; ``result_.note`` says how much. By default there
        is no price, and "auto" where neither depth nor nodes are limited.
    class_weight : dict or "balanced", optional
        Factor on the misclassification costs of the rows of each class; tests keep their prices.
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
        of hierarchical shrinkage in rows (`streed.Tree`), "auto" takes 10. None: the shares as they are.
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
        The tree, over the binary features; its text shows the price of each test and what a leaf's rows paid.
    result_ : streed.Result
        The tree's total cost on the training rows and what was proven about it.
    expected_costs_ : ExpectedCosts
        Mean cost of a training row, split into misclassification and tests, and the normalised cost.
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
    >>> from streed import CostSensitiveTreeClassifier, FeatureCosts
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]
    >>> y = ["well", "well", "well", "ill", "ill"]
    >>> model = CostSensitiveTreeClassifier(
    ...     misclassification_costs=[[0, 8], [4, 0]], feature_costs=FeatureCosts([1, 0.5]), max_depth=2
    ... ).fit(X, y)
    >>> print(model.tree_.to_text())
    x1 = 1?  [0.5]
    ├─ no:  well  (2 rows, cost 0, tests 0.5)
    └─ yes: x0 = 1?  [1]
            ├─ no:  well  (1 row, cost 0, tests 1.5)
            └─ yes: ill  (2 rows, cost 0, tests 1.5)
    >>> model.expected_costs_.tests, model.test_costs([[0, 0], [1, 1]]).tolist()
    (1.1, [0.5, 1.5])
    """

    _fitted = (*BaseTree._fitted, "_matrix", "_prices", "_weight")
    classes_: NDArray[Any] = after_fit()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Name the way to a capacity, which `PolicyTree` takes as a parameter."""
        if "capacity" in kwargs:
            raise TypeError(CAPACITY)
        made: Self = super().__new__(cls)
        return made

    def __init__(
        self,
        *,
        misclassification_costs: Any = None,
        feature_costs: FeatureCosts | PriceOfColumns | None = None,
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
        self.misclassification_costs = misclassification_costs
        self.feature_costs = feature_costs
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

    __new__.__signature__ = inspect.signature(__init__)  # type: ignore[attr-defined]  # what help shows

    def fit(
        self,
        X: Any,
        y: Any = None,
        costs: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        *,
        client: Any = None,
    ) -> CostSensitiveTreeClassifier:
        """Find a tree of least cost, from labels or from costs of every row.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
        y : array-like of shape (n,), optional
            The labels. Left out when `costs` are given.
        costs : array-like or frame of shape (n, n_labels), optional
            What each row costs under each label, instead of `y`; any finite numbers. The labels are 0, 1,
            ..., or the names of a frame's columns.
        sample_weight : array-like of shape (n,), optional
            Factor on the costs of each row, not negative; with feature costs 0 or 1.
        sensitive_features : array-like or frame of shape (n,) or (n, k), or str, optional
            The group of each row, for limits of `constraints` that compare groups and do not say by which
            column.
        client : distributed.Client, optional
            Searches that take long are made by the workers of this Dask cluster (see
            `streed.distributed.solve`).

        Returns
        -------
        CostSensitiveTreeClassifier
            The fitted estimator itself.
        """
        groups = columns_by_name(X, sensitive_features)
        return self._fit(
            client=client, X=X, y=y, costs=costs, sample_weight=sample_weight, sensitive_features=groups
        )

    def _prepare(
        self,
        X: Any,
        y: Any = None,
        costs: Any = None,
        sample_weight: Any = None,
        sensitive_features: Any = None,
    ) -> Job:
        limits = self._limits()
        if costs is None:
            y = check_labels(self, y)
        else:
            self._check_costs(y)
        table = check_table(self, X, reset=True)
        check_rows(table, y if costs is None else costs)
        prices = None if self.feature_costs is None else as_feature_costs(self.feature_costs)
        names = column_names(table)
        if prices is not None:
            prices.tests(names)
        weights = check_sample_weight(sample_weight, table.shape[0])
        rows = {"y": y, "sample_weight": sample_weight, "sensitive_features": sensitive_features}

        def made(complexity: float) -> Any:
            if prices is None:
                return constrained(self, self._task(y, costs, weights, None, complexity), X, table, **rows)

            def priced(features: NDArray[np.uint8]) -> Any:
                columns = self._columns_of_features(features.shape[1])
                task = self._task(y, costs, weights, prices.for_features(names, columns), complexity)
                pricing = pricing_of(self, names, features, self.feature_costs)
                return constrained(self, task, X, table, **rows, pricing=pricing)

            return priced

        self._column_names, self._prices = names, prices
        self._weight = float(table.shape[0] if weights is None else weights.sum())
        task, make = price.begin(self, limits, made)
        return Job(task, table, y, sample_weight, limits, make=make)

    @property
    def expected_costs_(self) -> ExpectedCosts:
        """Mean cost of a training row, split into misclassification and tests, and the normalised cost."""
        check_is_fitted(self)
        tree = self.tree_
        if self._matrix is not None:
            return self._of_counts(tree.class_weights)
        errors = float(tree.values[0] * tree.n_samples[0]) / self._weight
        leaves = np.flatnonzero(tree.feature < 0)
        tests = float(tree.paid()[leaves] @ tree.n_samples[leaves]) / float(tree.n_samples[0])
        return ExpectedCosts(errors + tests, errors, tests)

    def _task(self, y: Any, costs: Any, weights: Any, prices: FeatureCosts | None, complexity: float) -> Task:
        """Make the task from labels, or from the costs of the rows, and keep its classes."""
        options: dict[str, Any] = {"sample_weight": weights, "cost_complexity": complexity}
        if prices is not None:
            options["feature_costs"] = prices
        if costs is not None:
            self._matrix: NDArray[np.float64] | None = None
            by_row = LabelCosts(costs, label_names(costs), **options)
            self.classes_ = by_row.labels
            return by_row
        matrix = self.misclassification_costs
        if matrix is None:
            matrix = 1.0 - np.eye(encode(y)[0].size)
        elif isinstance(matrix, str):
            all_tests = 0.0 if self._prices is None else self._prices.total(self._column_names)
            matrix = costs_of_level(matrix, y, all_tests, weights)
        by_class = CostMatrix(y, matrix, class_weight=self.class_weight, **options)
        self._matrix = by_class.matrix
        self.classes_ = by_class.labels
        return by_class

    def _check_costs(self, y: Any) -> None:
        """Refuse what belongs to labels where costs of rows are given."""
        if y is not None:
            raise ValueError("give either the labels y or costs per row and label, not both")
        for name in ("misclassification_costs", "class_weight"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} belongs to labels y: with costs per row it must be None")

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        from streed.estimators.choosing.scores import Score, own_score

        return Score("neg_mean_cost", own_score)

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
            Probabilities in the order of `classes_`. The predicted label is the cheapest one, not always the
            most probable one.
        """
        return self._shares(X)

    def test_costs(self, X: Any) -> NDArray[np.float64]:
        """Return what each row pays for tests.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        float64 array of shape (n,)
            The prices of the tests on the way to the row's leaf, added up.
        """
        return self.tree_.paid()[self.apply(X)]

    def expected_costs(
        self, X: Any, y: Any = None, costs: Any = None, sample_weight: Any = None
    ) -> ExpectedCosts:
        """Return the mean cost of rows, split into misclassification and tests.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.
        y : array-like of shape (n,), optional
            Their labels, if the tree was fitted with labels.
        costs : array-like of shape (n, n_labels), optional
            Their costs under each label, if the tree was fitted with costs.
        sample_weight : array-like of shape (n,), optional
            Weight of each row in the means, not negative.

        Returns
        -------
        ExpectedCosts
            The mean costs and, for labels, the normalised cost.
        """
        check_is_fitted(self)
        leaf = self.apply(X)
        return self._expected(leaf, y, costs, check_sample_weight(sample_weight, leaf.size))

    def score(self, X: Any, y: Any = None, costs: Any = None, sample_weight: Any = None) -> float:
        """Return minus the mean cost of rows, tests included: the greater the better.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.
        y : array-like of shape (n,), optional
            Their labels, if the tree was fitted with labels.
        costs : array-like of shape (n, n_labels), optional
            Their costs under each label, if the tree was fitted with costs.
        sample_weight : array-like of shape (n,), optional
            Weight of each row in the mean, not negative.

        Returns
        -------
        float
            What model selection should maximise, since it is what the tree was optimised for.
        """
        return -self.expected_costs(X, y, costs, sample_weight).total

    def _expected(self, leaf: NDArray[np.int64], y: Any, costs: Any, weights: Any = None) -> ExpectedCosts:
        if self._matrix is None:
            if costs is None:
                raise ValueError("the tree was fitted with costs per row: costs are needed here too")
            table = check_costs("costs", ordered_columns("costs", costs, self.classes_), "label")
            check_consistent_length(leaf, table)
            if table.shape[1] != self.classes_.size:
                raise ValueError(f"costs must have {self.classes_.size} columns, got {table.shape[1]}")
            own = table[np.arange(leaf.size), self.tree_.label[leaf]]
            errors = float(np.average(own, weights=weights))
            tests = float(np.average(self.tree_.paid()[leaf], weights=weights))
            return ExpectedCosts(errors + tests, errors, tests)
        if costs is not None or y is None:
            raise ValueError("the tree was fitted with labels: y is needed here, and no costs")
        codes = self._codes(y)
        check_consistent_length(leaf, codes)
        shape = self.tree_.node_count, self.classes_.size
        counts = np.bincount(leaf * shape[1] + codes, weights=weights, minlength=shape[0] * shape[1])
        return self._of_counts(counts.reshape(shape).astype(np.float64))

    def _of_counts(self, counts: NDArray[np.float64]) -> ExpectedCosts:
        """Give the mean costs of rows of which so much weight of each class ends in each leaf."""
        assert self._matrix is not None
        leaves = np.flatnonzero(self.tree_.feature < 0)
        weights = counts[leaves]
        total = float(weights.sum())
        errors = float((weights * self._matrix[:, self.tree_.label[leaves]].T).sum()) / total
        tests = float(self.tree_.paid()[leaves] @ weights.sum(axis=1)) / total
        largest = float(weights.sum(axis=0).max()) / total
        standard = (1 - largest) * float(self._matrix.max())
        if self._prices is not None:
            standard += self._prices.total(self._column_names)
        normalized = (errors + tests) / standard if standard > 0 else None
        return ExpectedCosts(errors + tests, errors, tests, normalized)

    def _codes(self, y: Any) -> NDArray[np.intp]:
        found, codes = encode(y)
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in found.tolist() if label not in known]
        if unknown:
            raise ValueError(f"y has labels {unknown!r} that were not there when fitting")
        return np.array([known[label] for label in found.tolist()], np.intp)[codes]
