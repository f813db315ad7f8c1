"""What all estimators share: the common parameters, the way from a table to a tree, and views of rows."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from streed.binarize.binarizer import Binarizer, check_table
from streed.binarize.booleans import is_boolean, zero_one_bits
from streed.binarize.plan import Numbers
from streed.errors import fits_are_silent
from streed.estimators.choosing.smoothing import smooth
from streed.estimators.fitted.advice import next_step
from streed.estimators.fitted.asked import Asked
from streed.estimators.fitted.attributes import after_fit
from streed.estimators.fitted.baseline import with_single_leaf
from streed.estimators.fitted.importance import NodeCosts, costs_of_nodes
from streed.estimators.fitted.record import remember
from streed.estimators.fitted.stored import without_untested
from streed.estimators.fitting.job import Job
from streed.estimators.fitting.plan import FitPlan, check_choice, default_binarizer
from streed.estimators.fitting.unproven import warn_unproven
from streed.estimators.parameters.callbacks import CallbackSupportMixin, Steps, with_callbacks
from streed.estimators.parameters.excluded import excluded
from streed.estimators.parameters.names import answering, unknown_parameter
from streed.explain.methods import Explains
from streed.interop.methods import Exports
from streed.options import MISSING_AT_PREDICT, Limits, check_limits, check_smoothing
from streed.report.methods import Reports
from streed.solver.progress import Watchers
from streed.table.columns import is_frame, narrowed
from streed.table.encoded import EncodedRows
from streed.table.labels import refuse_missing
from streed.table.matrix import check_binary
from streed.tree.result import Result
from streed.tree.tree import Tree
from streed.versions import VersionedState

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    from streed.estimators.choosing.scores import Score
    from streed.estimators.fitted.stability import Stability
    from streed.estimators.path import Collector, EstimatorPath


class BaseTree(Asked, Exports, Explains, Reports, CallbackSupportMixin, VersionedState, BaseEstimator):  # type: ignore[misc]
    """Base of all estimators of streed. Subclasses have the attributes of the common parameters."""

    _fitted: tuple[str, ...] = ("tree_", "result_", "binarizer_")
    tree_: Tree = after_fit()
    result_: Result = after_fit()
    binarizer_: Any = after_fit()
    n_features_in_: int
    _node_costs: NodeCosts | None = None
    smoothing: Any = None
    """Classifiers have a parameter of this name."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = answering(cls.__init__)  # type: ignore[method-assign]

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as in scikit-learn; see `get_params` for their names."""
        said = unknown_parameter(type(self), [name for name in params if "__" not in name])
        if said:
            raise ValueError(said)
        changed: Self = super().set_params(**params)
        return changed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.binarizer, "__sklearn_tags__"):
            tags.input_tags.allow_nan = get_tags(self.binarizer).input_tags.allow_nan
        elif self.binarizer is None:
            tags.input_tags.allow_nan = self.cuts != "binned"
        return tags

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: scikit-learn's box, and below it the tree if there is one."""
        box: str = super()._repr_html_inner()
        return box + self.result_.in_notebook() if "result_" in vars(self) else box

    def _repr_mimebundle_(self, **named: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**named)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored: of the table only what the tree tests."""
        return without_untested(super().__getstate__())

    def __copy__(self) -> Self:
        """Return a copy in memory, which keeps all that the estimator knows."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = copy.copy(self)
        memo[id(self)] = other
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def _limits(self) -> Limits:
        """Check the limits; the clock of a fit starts here, before its table is read."""
        started = time.perf_counter()
        check_smoothing(self.smoothing)
        check_choice("missing_at_predict", self.missing_at_predict, MISSING_AT_PREDICT)
        found = check_limits(
            max_depth=self.max_depth,
            max_nodes=self.max_nodes,
            min_samples_leaf=self.min_samples_leaf,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
        )
        return replace(found, started=started)

    def _prepare(self, *data: Any, **named: Any) -> Job:
        """Check what `fit` takes, in the order in which it takes it, and make the task."""
        raise NotImplementedError

    def _fit(self, client: Any = None, **data: Any) -> Self:
        """Fit one tree; its size is chosen on rows that were held out, if `tune` says so."""
        if client is not None:
            from streed.distributed.entry import on_cluster

            with on_cluster(client):
                return self._fit(**data)
        if self.tune is None:
            self._solve(self._prepare(**data))
        else:
            from streed.tuning.estimators import fit_tuned

            fit_tuned(self, {name: values for name, values in data.items() if values is not None})
        if not fits_are_silent():
            remember(self, data)
        return self

    def _solve(self, job: Job, progress: Any = None, sizes: Collector | None = None) -> None:
        """Solve the task, and store the tree with what evaluates its tests; `sizes` gets all sizes."""
        if progress is None:
            if getattr(self, "_skl_callbacks", None):
                self._solve_in_steps(job)
                return
            progress = self.progress
        plan = FitPlan(self, job, progress, sizes)
        self.binarizer_, self.result_ = plan.run()
        job = plan.job  # with the price of a node
        self.tree_ = self.result_.tree
        if isinstance(job.table, EncodedRows):
            self.tree_.n_samples = job.table.count(self.tree_)
            self.tree_.class_counts = None  # those of different rows, not of the rows that they stand for
        smooth(self, [self.result_], job)
        conditions = getattr(self.binarizer_, "conditions_", None)
        if conditions is not None:
            self.result_.explain(conditions)
        self._node_costs = costs_of_nodes(job.task, self, job.table)
        advice = next_step(self, self.result_, job.limits, plan.total)
        self.result_.complete(with_single_leaf(plan.baseline, self, job.task), advice)
        warn_of_identifiers(self)
        warn_unproven(self.result_, job.limits)
        if job.finish is not None:
            job.finish(self)

    @with_callbacks  # type: ignore[untyped-decorator]
    def _solve_in_steps(self, job: Job) -> None:
        steps = Steps(self, job.table, job.y, job.sample_weight)
        self._solve(job, Watchers((self.progress, steps.watch)))
        steps.finish()

    def _quick_path(self, **data: Any) -> EstimatorPath:
        """Find the best trees of all sizes over a few candidate features; tuning comes in here."""
        from streed.estimators.path import quick_path

        return quick_path(self, **data)

    def _tuning_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what `fit` takes with one entry for each row, where it may also be given otherwise."""
        return data

    def _default_score(self, data: Mapping[str, Any]) -> Score:
        """Return what tuning maximises by default, for what `fit` takes of all rows."""
        raise NotImplementedError

    def stability(self, *data: Any, n_repeats: int = 20, random_state: Any = 0, **named: Any) -> Stability:
        """Tell how often each split of the fitted tree comes again on bootstrap samples of its rows.

        The estimator itself is not changed; a clone is fitted to each sample, with its own `time_limit`.

        Parameters
        ----------
        *data
            What `fit` takes.
        n_repeats : int, default=20
            Number of samples: as many rows, drawn with replacement, of each class as many as it has.
        random_state : int or RandomState, default=0
            For the samples.
        **named
            What `fit` takes by name.

        Returns
        -------
        streed.estimators.fitted.stability.Stability
            ``splits`` with the shares of each split, ``table()``, and the share of rows predicted alike.
        """
        from streed.estimators.fitted.stability import bound, stability

        return stability(self, bound(self, *data, **named), n_repeats, random_state)

    def path(self, *data: Any, **named: Any) -> EstimatorPath:
        """Find the optimal tree for every number of branching nodes, up to the limits of the estimator.

        The estimator itself is not changed.

        Parameters
        ----------
        *data, **named
            What `fit` takes.

        Returns
        -------
        streed.estimators.path.EstimatorPath
            ``path[k]`` is the `Result` for at most k branching nodes, ``path.estimator(k)`` the fitted
            estimator; see also ``plot()``, ``table()``, ``to_html()`` and ``complexity()`` of the path.
            `time_limit` holds for the whole path; what is not proven by then has its best tree so far.
        """
        from streed.estimators.path import estimator_path

        return estimator_path(self, *data, **named)

    def take_features(
        self, table: Any, y: Any, sample_weight: Any, cuts: str
    ) -> tuple[NDArray[np.uint8], Sequence[str] | None] | None:
        """Return the binary features and their names where no threshold is to be searched; else None.

        So it is with tables of Booleans, with a given binarizer, and with ``cuts="binned"``; columns that are
        excluded are left out by `FitColumns`.
        """
        if excluded(self, table):
            return None
        if isinstance(table, EncodedRows):
            self.binarizer_ = copy.copy(table.binarizer)
            return table.features, table.columns
        bits = self._take_bits(table, sample_weight)
        if bits is not None or cuts != "binned":
            return bits
        return self._fit_binarizer(table, y, sample_weight)

    def _columns_of_features(self, n_features: int) -> NDArray[np.intp]:
        """Return the column that each binary feature comes from, as far as the binarizer tells."""
        for name in ("feature_columns_", "columns_of_features_"):
            columns = getattr(self.binarizer_, name, None)
            if columns is not None:
                return np.asarray(columns, np.intp)
        if n_features == self.n_features_in_:
            return np.arange(n_features)
        raise ValueError(
            f"{type(self.binarizer_).__name__} made {n_features} features of {self.n_features_in_} columns "
            "and does not say which comes from which: it needs an attribute feature_columns_ for prices"
        )

    def _take_bits(
        self, table: Any, sample_weight: Any
    ) -> tuple[NDArray[np.uint8], Sequence[str] | None] | None:
        """Fit the default binarizer to an array of Booleans, or of zeros and ones; None for all others."""
        if self.binarizer is not None:
            return None
        if is_boolean(table):
            self.binarizer_ = Binarizer()
            known = self.binarizer_.fit_booleans(table.shape[1])
            return np.ascontiguousarray(table).view(np.uint8), known
        if sample_weight is None and (bits := zero_one_bits(table)) is not None:
            self.binarizer_ = Binarizer()
            return bits, self.binarizer_.fit_zero_one(bits.shape[1])
        return None

    def _fit_binarizer(
        self, table: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.uint8], Sequence[str] | None]:
        """Fit the binarizer; returns the features and their names."""
        if self.binarizer is None:
            self.binarizer_ = default_binarizer(self)
        elif hasattr(self.binarizer, "fit") and hasattr(self.binarizer, "transform"):
            self.binarizer_ = clone(self.binarizer)
        else:
            raise TypeError(
                f"binarizer must be a transformer such as streed.Binarizer() or None, got {self.binarizer!r}"
            )
        if isinstance(self.binarizer_, Binarizer):
            if isinstance(self, RegressorMixin) and y.ndim == 1:
                y = Numbers(y.astype(np.float64))
            all_orders = self.binarizer is None and self.cuts != "binned"
            features = self.binarizer_.fit_transform_table(table, sample_weight, y, all_orders=all_orders)
            return features.view(np.uint8), self.binarizer_.names()
        self.binarizer_.fit(table, y)
        names = getattr(self.binarizer_, "get_feature_names_out", None)
        return self._binarize(table), None if names is None else names().tolist()

    def _binarize(self, table: Any) -> NDArray[np.uint8]:
        if isinstance(self.binarizer_, Binarizer):
            return self.binarizer_.transform_table(table).view(np.uint8)
        features = self.binarizer_.transform(table)
        return check_binary(features.toarray() if hasattr(features, "toarray") else features)

    def _leaves(self, table: Any) -> NDArray[np.int64]:
        """Return the leaf of each row of a checked table."""
        if isinstance(table, EncodedRows):
            return self.tree_.route(table.features)
        if isinstance(self.binarizer_, Binarizer):
            return self.binarizer_.route_table(table, self.tree_, self.missing_at_predict)
        return self.tree_.route(self._binarize(table))

    def _checked_table(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_table(self, X, reset=False)

    def _labels(self, X: Any) -> NDArray[Any]:
        """Return the label of each row, by the tree's own labels: a task may compute one for each leaf."""
        leaf, tree = self.apply(X), self.tree_
        labels: NDArray[Any] = tree.classes[tree.label][leaf]
        return labels

    def _shares(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row: that of its leaf."""
        leaf = self.apply(X)
        shares: NDArray[np.float64] = self.tree_.probabilities()[leaf]
        return shares

    def _exported(self) -> tuple[Any, dict[str, Any]]:
        from streed.model.model import Model

        check_is_fitted(self)
        columns = getattr(self.binarizer_, "columns", ())
        return Model.from_estimator(self), {column.name: column for column in columns if not column.part}

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row ends in, as a node of `tree_`.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        int64 array of shape (n,)
            Numbers of leaves.
        """
        return self._leaves(self._checked_table(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes of `tree_` that each row goes through.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        sparse matrix of shape (n, tree_.node_count)
            A 1 at every node that a row goes through.
        """
        leaf = self.apply(X)
        return self.tree_.paths(leaf)


def warn_of_identifiers(model: Any) -> None:
    """Name the columns that a fit left out since they name rows, unless a path or tuning will do so."""
    if isinstance(model.binarizer_, Binarizer) and not fits_are_silent():
        model.binarizer_.warn_of_identifiers()


def has_shares(estimator: Any) -> bool:
    """Whether leaves know the classes of their rows; only some tasks count them."""
    return getattr(getattr(estimator, "tree_", None), "class_weights", 0) is not None


def check_labels(estimator: BaseTree, y: Any) -> NDArray[Any]:
    """Check labels as scikit-learn does, but not what cannot fail: a small solve takes less than that."""
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "biu":
        y = narrowed(y)
        given = np.asarray(y)
        if given.dtype == object and given.ndim == 1:
            refuse_missing(given)
        y = validate_data(estimator, y=y)
    if y.dtype.kind not in "biuUS":  # the others are never continuous
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise ValueError(f"{error} streed.OptimalTreeRegressor predicts numbers.") from None
    labels: NDArray[Any] = y
    return labels


def check_rows(table: Any, other: Any) -> None:
    """Refuse two things with different numbers of rows."""
    if not (type(table) is type(other) is np.ndarray and len(table) == len(other)):
        check_consistent_length(table, other)


def label_names(table: Any) -> list[Any] | None:
    """Return the labels or treatments that a table of costs or rewards names as columns, if it does."""
    return list(table.columns) if type(table) is not np.ndarray and is_frame(table) else None


def ordered_columns(what: str, table: Any, names: NDArray[Any]) -> Any:
    """Put the columns of a frame into the order of the labels that were fitted, or refuse other names."""
    if not is_frame(table):
        return table
    found, expected = list(table.columns), names.tolist()
    if len(found) != len(expected) or set(found) != set(expected):
        raise ValueError(f"{what} must have the columns {expected!r} that were fitted, got {found!r}")
    return table[expected]
