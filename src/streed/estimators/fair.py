"""Optimal classification trees under a limit on group fairness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import check_table
from streed.estimators.base import check_labels, check_rows, warn_of_identifiers
from streed.estimators.choosing import price
from streed.estimators.classifier import OptimalTreeClassifier
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitting.job import Job
from streed.estimators.parameters.constraints import constrained
from streed.fairness.front import FairnessFront
from streed.fairness.groups import columns_by_name, group_rates
from streed.limits.groups import Parity, Ratio, parity, ratio
from streed.limits.limit import Limit, check_constraints
from streed.options import check_complexity
from streed.solver.fairness.trade_off import search_front
from streed.table.labels import counted_rows
from streed.tasks import is_binary, make_task, resolve
from streed.tasks.base import Task, labels_of
from streed.tasks.constrained import Constrained
from streed.tasks.fairness import GroupFairness
from streed.tree.tree import Tree


def _against_rows(tree: Tree) -> str:
    """Say how many leaves have another label than most of their rows, as a limit may need, and the cost."""
    if tree.class_weights is None:
        return ""
    leaves = np.flatnonzero(tree.feature < 0)
    weights = tree.class_weights[leaves]
    lost = weights.max(axis=1) - weights[np.arange(leaves.size), tree.label[leaves]]
    lost = lost[lost > 1e-9 * weights.sum(axis=1)]
    if not lost.size:
        return ""
    what = "1 leaf is" if lost.size == 1 else f"{lost.size} leaves are"
    return f"{what} labelled against most rows to keep the limit, which costs {lost.sum():g} errors there"


class FairTreeClassifier(OptimalTreeClassifier):
    """The decision tree with the fewest errors among those that treat groups nearly alike, with proof.

    Groups are given to `fit` beside the table, as `sensitive_features`. The tree can test the sensitive
    attribute only if it is also a column of the table. As in fairlearn, the difference of a rate is the
    greatest rate of all groups less the least one, and the ratio the least over the greatest. A group
    without rows that a rate is about (no positives, for the true positive rate) is left out of it. Limits
    are kept exactly on the training rows, in whole numbers: a tree exactly on the limit is allowed. On new
    rows the rates will differ a little; `streed.fairness.group_rates` shows them.

    Parameters
    ----------
    constraint : str, streed.fairness.Parity or None, default="demographic_parity"
        Which rates are to be nearly the same for all groups: "demographic_parity" (predicted positive),
        "equal_opportunity" (true positives), "predictive_equality" (false positives), "equalized_odds" (true
        and false positives), "accuracy_parity" (right predictions), or an object. None asks for nothing: the
        tree with the fewest errors, and no `sensitive_features` are needed.
    objective : str, metric, function or Task class, default="accuracy"
        What to optimise within the limit, as for `OptimalTreeClassifier`.
    max_difference : float, default=0.01
        Greatest difference between the rates of groups, from 0 to 1. 0.01 means one hundredth exactly.
    min_ratio : float, optional
        Least ratio of the rates of groups, from 0 to 1; if given, it counts instead of `max_difference`.
    positive : object, optional
        The label that counts as positive; by default the second one in sorted order: 1 of {0, 1}.
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
        Factor of each label on the weight of its rows in the errors; rates are not weighted by it.
    time_limit : float, optional
        Seconds after which the best tree so far is taken; see ``result_.optimal`` and ``result_.gap``.
    memory_limit : float or str, optional
        Bytes that the solver's own structures may take, also as a text: "2GB", "500 MB", "1GiB".
    n_jobs : int, optional
        Number of threads; None means one, -1 all cores.
    binarizer : transformer, optional
        What makes binary features of the columns; by default a `streed.Binarizer`.
    cuts : {"auto", "exact", "binned"}, default="auto"
        Where numbers and dates are cut: "exact" considers every threshold, "binned" those of the binarizer.
        "auto" is exact as long as that is cheap, else it takes quantiles and the cuts of a greedy tree of the
        same depth, so that the tree is never worse than that one. A given `binarizer` means "binned".
        ``result_.note`` says what was considered.
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
        The tree, over the binary features.
    result_ : streed.Result
        The tree's errors and what was proven; ``result_.statistics`` has the rates too.
    group_rates_ : dict
        For each group its weight, selection rate, true and false positive rate and accuracy on the training
        rows; None if no groups were given.
    difference_ : float
        Difference of the constraint's rates between groups; with several rates the greatest.
    ratio_ : float
        Ratio of the constraint's rates between groups; with several rates the least.
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
    >>> from streed import FairTreeClassifier
    >>> X = [[0], [0], [1], [1], [0], [1], [1], [1]]
    >>> y = [0, 0, 1, 1, 0, 1, 1, 0]
    >>> group = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> model = FairTreeClassifier(max_difference=0.3, max_depth=1).fit(X, y, sensitive_features=group)
    >>> model.result_.objective, model.difference_
    (1.0, 0.25)
    >>> model.group_rates_["b"]["selection_rate"]
    0.75
    """

    classes_: NDArray[Any] = after_fit()
    group_rates_: dict[Any, dict[str, float]] | None = after_fit()
    difference_: float = after_fit()
    ratio_: float = after_fit()

    def __init__(
        self,
        constraint: Any = "demographic_parity",
        *,
        objective: Any = "accuracy",
        max_difference: float = 0.01,
        min_ratio: float | None = None,
        positive: Any = None,
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
        self.constraint = constraint
        self.objective = objective
        self.max_difference = max_difference
        self.min_ratio = min_ratio
        self.positive = positive
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

    def _takes_two_classes(self) -> bool:
        return self.constraint is not None or is_binary(self.objective)

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None, *, client: Any = None
    ) -> FairTreeClassifier:
        """Find the tree with the fewest errors among those that keep the limit.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
        y : array-like of shape (n,)
            The labels, of two classes.
        sensitive_features : array-like or frame of shape (n,) or (n, k), or str
            The group of each row, or the name of a column of the frame `X` (or a list of names), which trees
            may test as any other: leave it out of `X` and give its values to keep it from them. Several
            columns make one group of each combination that occurs, at most 16 (11 for equalized odds; with
            `min_ratio` 11 and 8). Required unless `constraint` is None. With metadata routing, ask for it
            with ``set_fit_request(sensitive_features=True)``.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative, in errors and rates.
        client : distributed.Client, optional
            Searches that take long are made by the workers of this Dask cluster (see
            `streed.distributed.solve`).

        Returns
        -------
        FairTreeClassifier
            The fitted estimator itself.
        """
        groups = columns_by_name(X, sensitive_features)
        return self._fit(client=client, X=X, y=y, sensitive_features=groups, sample_weight=sample_weight)

    def _prepare(  # type: ignore[override]
        self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None
    ) -> Job:
        limits = self._limits()
        groups = columns_by_name(X, sensitive_features)
        y, table = self._check(X, y)

        def made(complexity: float) -> Any:
            return self._task((X, table), y, groups, sample_weight, complexity)

        task, make = price.begin(self, limits, made)
        self.classes_ = labels_of(task) if isinstance(task, Task) else np.unique(y)

        def finish(model: FairTreeClassifier) -> None:
            model._store_rates(task, table, y, groups, sample_weight)
            if said := _against_rows(model.tree_):
                note = "; ".join(filter(None, (model.result_.note, said)))
                model.result_ = replace(model.result_, note=note)

        return Job(task, table, y, sample_weight, limits, finish, make)

    def _tuning_data(self, data: dict[str, Any]) -> dict[str, Any]:
        groups = columns_by_name(data["X"], data.get("sensitive_features"))
        return data if groups is None else data | {"sensitive_features": groups}

    def _check(self, X: Any, y: Any) -> tuple[NDArray[Any], Any]:
        labels = check_labels(self, y)
        table = check_table(self, X, reset=True)
        check_rows(table, labels)
        return labels, table

    def _task(
        self,
        tables: tuple[Any, Any],
        y: NDArray[Any],
        sensitive_features: Any,
        sample_weight: Any,
        complexity: float,
    ) -> Any:
        resolve(self.objective)
        common: dict[str, Any] = {
            "sample_weight": sample_weight,
            "class_weight": self.class_weight,
            "cost_complexity": complexity,
        }
        rows = {"y": y, "sample_weight": sample_weight}
        if self.constraint is None:
            asked = any(one.quantity.groups is None for one in check_constraints(self.constraints))
            groups = sensitive_features if asked else None
            return constrained(self, self._objective(y, common), *tables, **rows, sensitive_features=groups)
        if sensitive_features is None:
            raise ValueError(
                f"the constraint {self.constraint!r} needs groups: fit(X, y, sensitive_features=...); "
                "constraint=None asks for no fairness"
            )
        if self.objective != "accuracy" or check_constraints(self.constraints):
            return constrained(
                self,
                self._objective(y, common),
                *tables,
                **rows,
                sensitive_features=sensitive_features,
                further=[self._own_limit(y)],
            )
        return GroupFairness(
            y,
            sensitive_features,
            self.constraint,
            max_difference=self.max_difference,
            min_ratio=self.min_ratio,
            positive=self.positive,
            **common,
        )

    def _objective(self, y: NDArray[Any], common: dict[str, Any]) -> Task:
        """Make the objective alone; what is not given is left to it."""
        common = common | {"cost_complexity": common["cost_complexity"] or None}
        given = {name: value for name, value in common.items() if value is not None}
        return make_task(self.objective, y, **given)

    def _positive_label(self, y: NDArray[Any]) -> Any:
        classes = np.unique(y).tolist()
        if len(classes) > 2:
            raise ValueError(f"Only binary classification is supported: got the labels {classes!r}")
        return classes[-1] if self.positive is None else self.positive

    def _own_limit(self, y: NDArray[Any]) -> Limit:
        """Return `constraint` with `max_difference` or `min_ratio` as one of the limits."""
        label = self._positive_label(y)
        if self.min_ratio is not None:
            return ratio(self.constraint, label=label) >= self.min_ratio
        return parity(self.constraint, label=label) <= self.max_difference

    def _store_rates(
        self,
        task: Task,
        table: Any,
        y: NDArray[Any],
        sensitive_features: Any,
        sample_weight: Any,
    ) -> None:
        self.group_rates_ = None
        self.difference_, self.ratio_ = np.nan, np.nan
        if sensitive_features is None:
            return
        predicted = self.tree_.label[self._leaves(table)].astype(np.int64)
        if isinstance(task, GroupFairness):
            outcome = task.outcome(predicted if task.rows is None else predicted[task.rows])
            self.group_rates_ = outcome.rates
            self.difference_, self.ratio_ = float(outcome.difference), float(outcome.ratio)
        else:
            self.group_rates_ = group_rates(
                y,
                self.classes_[predicted],
                sensitive_features,
                sample_weight=sample_weight,
                positive=self.positive,
            )
        if isinstance(task, Constrained) and self.constraint is not None:
            rows = predicted if task.rows.kept is None else predicted[task.rows.kept]
            label = self._positive_label(y)
            self.difference_ = float(Parity(self.constraint, None, label).value(task.rows, rows, None))
            self.ratio_ = float(Ratio(self.constraint, None, label).value(task.rows, rows, None))

    def fairness_front(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any = None
    ) -> FairnessFront:
        """Find the whole trade-off: every tree that no other one beats in both error and difference.

        `max_difference` and `min_ratio` do not matter here; `time_limit` holds for the whole front. The
        estimator is not changed, except that its binarizer is fitted.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The columns, as for `fit`.
        y : array-like of shape (n,)
            The labels, of two classes.
        sensitive_features : array-like or frame of shape (n,) or (n, k), or str
            The group of each row, as for `fit`.
        sample_weight : array-like of shape (n,), optional
            Weight of each row, not negative.

        Returns
        -------
        streed.fairness.FairnessFront
            Pairs of error and difference with their trees; ``.plot()`` draws them, ``.to_html()`` is a page.
        """
        limits = self._limits()
        if self.constraint is None:
            raise ValueError("a trade-off needs a constraint, got constraint=None")
        y, table = self._check(X, y)
        bits = self._take_bits(table, sample_weight)
        features, names = bits or self._fit_binarizer(table, y, sample_weight)
        complexity = check_complexity(self.cost_complexity, limits)
        if complexity is None:
            complexity = price.gain_of_chance(price.varying(features)) / counted_rows(sample_weight, len(y))
        task = GroupFairness(
            y,
            columns_by_name(X, sensitive_features),
            self.constraint,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            cost_complexity=complexity,
            positive=self.positive,
        )
        warn_of_identifiers(self)
        front = search_front(task, features, limits, self.progress, names)
        if hasattr(self.binarizer_, "conditions_"):
            front.explain(self.binarizer_.conditions_)
        return front


def fairness_front(
    X: Any,
    y: Any,
    sensitive_features: Any,
    *,
    constraint: Any = "demographic_parity",
    sample_weight: Any = None,
    **parameters: Any,
) -> FairnessFront:
    """Find the exact trade-off between error and unfairness: every tree that is not beaten in both.

    Parameters
    ----------
    X : array-like or frame of shape (n, n_columns)
        The columns: numbers, Booleans, strings or categories; NumPy, pandas or polars.
    y : array-like of shape (n,)
        The labels, of two classes.
    sensitive_features : array-like or frame of shape (n,) or (n, k), or str
        The group of each row, or the name of a column of `X`.
    constraint : str or streed.fairness.Parity, default="demographic_parity"
        Which rates are compared, as for `FairTreeClassifier`.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative.
    **parameters : dict
        Further parameters of `FairTreeClassifier`: ``max_depth``, ``time_limit`` and so on.

    Returns
    -------
    streed.fairness.FairnessFront
        Pairs of error and difference with their trees; ``.plot()`` draws them, ``.to_html()`` is a page.

    Examples
    --------
    >>> import streed
    >>> X, y = [[0], [0], [1], [1], [0], [1]], [0, 0, 1, 1, 0, 0]
    >>> front = streed.fairness_front(X, y, ["a", "a", "a", "a", "b", "b"], max_depth=1)
    >>> [(point.error, point.difference) for point in front], front.complete
    ([(1.0, 0.0)], True)
    """
    model = FairTreeClassifier(constraint, **parameters)
    return model.fairness_front(X, y, sensitive_features, sample_weight=sample_weight)
