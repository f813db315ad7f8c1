"""Columns of any kind to binary features, and back to conditions that people can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from streed.binarize.booleans import BooleanColumns, as_it_is, boolean_columns, is_boolean, zero_one_columns
from streed.binarize.encode import encode_features, read_fitted
from streed.binarize.features import (
    ColumnFeatures,
    all_zero_one,
    columns_of_features,
    count_features,
    is_whole,
    is_zero_one,
    sources_of,
)
from streed.binarize.invert import as_table, invert_column
from streed.binarize.plan import Plan, check_plan
from streed.binarize.route import route_table
from streed.errors import IdentifierWarning, warn_caller
from streed.options import MISSING_AT_PREDICT
from streed.table.check import check_table, library_of
from streed.table.columns import Kind, column_names, is_frame, read_columns
from streed.table.labels import check_sample_weight
from streed.table.matrix import check_binary
from streed.tree.conditions import Condition
from streed.tree.tree import Tree
from streed.versions import VersionedState

__all__ = ["Binarizer", "check_table"]


class Binarizer(TransformerMixin, VersionedState, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into binary features.

    Numbers and dates are cut between distinct values, ordered categories are cut in their order, Booleans
    and columns of zeros and ones are taken as they are, and strings and categories get a feature per
    category. A column with two values gets one feature, a column with one value none. The table may be a
    NumPy array, a frame of pandas or polars, or any frame that narwhals knows.

    Parameters
    ----------
    n_thresholds : int, "auto" or None, default="auto"
        Greatest number of cuts of a column. "auto" is 256 divided by the number of columns, but at least 8
        and at most 32. None cuts between all distinct values.
    max_categories : int or None, default=16
        Greatest number of features of a column of categories; the rarest categories share one if there are
        more. None keeps all apart.
    missing : {"error", "indicator", "side"}, default="error"
        Whether missing values are refused, or become a feature of their own in each column that has some when
        fitted ("age is missing"; all other features of the column are then 0). "side" adds each other feature
        of such a column once more with missing values on its other side ("age <= 42.5 or missing"), so that a
        search chooses where they go. Missing values satisfy no feature of columns that had none when fitted.
    strategy : {"quantile", "uniform", "tree", "all"}, default="quantile"
        Where numbers, dates and ordered categories are cut: with equally many rows between the cuts; at equal
        distances; where a greedy tree on the column alone would split (this needs `y`); or between all
        distinct values, whatever `n_thresholds` says, so that an optimal tree over the features is optimal
        over all thresholds.
    thresholds : dict, optional
        Cuts that you choose yourself: from the name or number of a column to a list of numbers, or of dates
        as ISO text. Other columns follow `strategy`.
    min_frequency : int or float, optional
        Categories with fewer rows (or less weight) share a feature. A float below 1 is a share of all rows.
    unknown : {"ignore", "error"}, default="ignore"
        Whether a category that was not seen when fitting has a 0 in all features of its column, or is
        refused.
    dates : {"date", "month", "weekday", "hour"} or list of them, default="date"
        What of dates is tested: the date itself ("at <= 2024-03-05"), or parts of it, in UTC, with all their
        cuts ("weekday of at <= Friday").
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that name their rows are left out, with a warning: texts and whole numbers that are
        nearly all different, see the Notes. The only column of a table is kept.

    Attributes
    ----------
    conditions_ : list of Condition
        What each feature says. Rows that satisfy a feature's condition have a 1, and go right in a tree.
    feature_columns_ : int array of shape (n_features,)
        Number of the column that each feature comes from; ``conditions_[j].column`` is its name.
    dropped_columns_ : dict from str to str
        Names of the columns that got no feature since they say nothing, and why.
    identifier_columns_ : dict from str to str
        Names of the columns whose values were left out since they name rows, with what they hold.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table had names.

    Notes
    -----
    In a column of zeros and ones every other number counts as 0. An unknown category of an ordered column
    counts as larger than all others. A Boolean array is taken as it is, without a look at its values, so that
    its features and its columns are the same.

    Text is read as dates if all values of a column are ISO dates (2024-03-05, 2024-03-05 13:30); else it is a
    category. Dates with a time zone are compared in UTC.

    Texts name their rows if there are more than 20 different ones, more than half as many as rows, and none
    is in more than a twentieth of the rows. Whole numbers do so if at least 50 of them are followed by the
    next whole number, while at most a twentieth as many occur twice (numbers that are measured would do so
    about half as often). Rows are counted here, not weights. Whether a value is missing remains a feature.

    Examples
    --------
    >>> import numpy as np
    >>> from streed import Binarizer
    >>> table = np.array([[1.0, "red"], [2.0, "blue"], [4.0, "red"]], dtype=object)
    >>> binarizer = Binarizer().fit(table)
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 1.5', 'x0 <= 3', 'x1 = red']
    >>> binarizer.transform(table).astype(int).tolist()
    [[1, 1, 1], [0, 1, 0], [0, 0, 1]]
    >>> binarizer.inverse_transform([[1, 1, 1], [0, 1, 0]]).tolist()
    [[1.0, 'red'], [2.0, 'blue']]
    """

    _fitted = ("_columns", "_library", "conditions_", "feature_columns_", "dropped_columns_")

    def __init__(
        self,
        *,
        n_thresholds: int | Literal["auto"] | None = "auto",
        max_categories: int | None = 16,
        missing: Literal["error", "indicator", "side"] = "error",
        strategy: Literal["quantile", "uniform", "tree", "all"] = "quantile",
        thresholds: Mapping[str | int, ArrayLike] | None = None,
        min_frequency: float | None = None,
        unknown: Literal["ignore", "error"] = "ignore",
        dates: str | Sequence[str] = "date",
        identifiers: Literal["drop", "keep"] = "drop",
    ) -> None:
        self.n_thresholds = n_thresholds
        self.max_categories = max_categories
        self.missing = missing
        self.strategy = strategy
        self.thresholds = thresholds
        self.min_frequency = min_frequency
        self.unknown = unknown
        self.dates = dates
        self.identifiers = identifiers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = self.strategy == "tree"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Binarizer:
        """Choose the features.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The table.
        y : array-like of shape (n,), optional
            Labels or numbers to predict; used with ``strategy="tree"`` only.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, for quantiles, trees and the frequency of categories. Rows of weight zero are
            ignored.

        Returns
        -------
        Binarizer
            The fitted object itself.
        """
        table = check_table(self, X, reset=True)
        names, plan = self.begin(table, sample_weight, y, all_orders=False)
        found = _choose_at_once(table, names, plan)
        if found is None:
            found = [plan.features(known) for known in plan.read(read_columns(table, names))]
        self._keep(found).warn_of_identifiers()
        return self

    def fit_transform_table(
        self,
        table: Any,
        sample_weight: Any = None,
        y: Any = None,
        *,
        all_orders: bool = False,
    ) -> NDArray[np.bool_]:
        """Fit a table that was checked already and transform it; the estimators come in here.

        With `all_orders`, ordered categories are cut between all of them.
        """
        names, plan = self.begin(table, sample_weight, y, all_orders=all_orders)
        found = _choose_at_once(table, names, plan)
        if found is not None:
            return self._keep(found).transform_table(table)
        known = plan.read(read_columns(table, names))
        self._keep([plan.features(each) for each in known])
        return encode_features(table.shape[0], known, self._columns)

    def begin(self, table: Any, sample_weight: Any, y: Any, *, all_orders: bool) -> tuple[list[str], Plan]:
        """Check the parameters, and keep what the table says about itself; returns names and a plan."""
        names = column_names(table)
        weights = check_sample_weight(sample_weight, table.shape[0])
        plan = check_plan(self, names, weights, y, table.shape[0], all_orders=all_orders)
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if is_frame(table) and list(table.columns) == names:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._library = library_of(table)
        self.identifier_columns_ = plan.identifiers
        return names, plan

    def unfitted(self) -> Binarizer:
        """Return one with the same parameters; scikit-learn would read the signature of the class again."""
        other = type(self).__new__(type(self))
        other.__dict__.update({name: value for name, value in vars(self).items() if name in _PARAMETERS})
        return other

    def keep(self, begun: Binarizer, columns: list[ColumnFeatures]) -> Binarizer:
        """Store features that were chosen for the table with which another binarizer has begun."""
        self.n_features_in_, self._library = begun.n_features_in_, begun._library
        self.identifier_columns_ = getattr(begun, "identifier_columns_", {})
        if hasattr(begun, "feature_names_in_"):
            self.feature_names_in_ = begun.feature_names_in_
        return self._keep(columns)

    def _keep(self, columns: list[ColumnFeatures]) -> Binarizer:
        """Store the features of all columns, of which some may be parts of dates."""
        self._columns = columns
        self.conditions_ = [condition for column in columns for condition in column.conditions]
        self.feature_columns_ = columns_of_features(columns)
        with_parts = {column.name for column in columns if column.part}
        self.dropped_columns_ = {
            column.name: column.reason
            for column in columns
            if column.reason and column.name not in with_parts
        }
        self._has_cuts = any(condition.operator == "<=" for condition in self.conditions_)
        return self

    def fit_booleans(self, n_columns: int) -> tuple[str, ...]:
        """Do what `fit` does with a Boolean array if all parameters have their defaults; returns the names.

        The estimators come in here. What may be changed by users is a copy.
        """
        return self._take(boolean_columns(n_columns))

    def fit_zero_one(self, n_columns: int) -> tuple[str, ...]:
        """Do the same with an array of zeros and ones that has no constant column (`zero_one_bits`)."""
        return self._take(zero_one_columns(n_columns))

    def _take(self, known: BooleanColumns) -> tuple[str, ...]:
        self.n_features_in_ = len(known.columns)
        self._library = None
        self.identifier_columns_ = {}
        self._columns = list(known.columns)
        self.conditions_ = list(known.conditions)
        self.feature_columns_ = known.feature_columns.copy()
        self.dropped_columns_ = {}
        self._has_cuts = False
        return known.names

    @property
    def columns_of_features_(self) -> NDArray[np.intp]:
        """The name that `feature_columns_` had in version 0.1."""
        return self.feature_columns_

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Compute the binary features of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            A table with the columns that were fitted; those of a frame may come in any order.

        Returns
        -------
        Boolean array of shape (n, n_features)
            The features.
        """
        check_is_fitted(self)
        return self.transform_table(check_table(self, X, reset=False))

    def transform_table(self, table: Any) -> NDArray[np.bool_]:
        """Do what `transform` does, for a table that was checked already; the estimators come in here."""
        if is_boolean(table) and not self.dropped_columns_:
            if all(column.kind is Kind.BOOLEAN for column in self._columns):
                return np.ascontiguousarray(table)
        elif is_whole(table) and all(map(is_zero_one, self._columns)):
            has = table == 1
            return np.ascontiguousarray(has if not self.dropped_columns_ else has[:, self.feature_columns_])
        columns = list(read_columns(table, self._column_names()))
        pairs = zip(sources_of(self._columns), self._columns, strict=True)
        known = [read_fitted(columns[source], fitted, self.missing) for source, fitted in pairs]
        return encode_features(table.shape[0], known, self._columns)

    def route_table(
        self, table: Any, tree: Tree, missing_at_predict: str = MISSING_AT_PREDICT[0]
    ) -> NDArray[np.int64]:
        """Return the leaf of a tree over the features for each row of a table that was checked already."""
        if is_boolean(table) and not self.dropped_columns_:
            return tree.route(self.transform_table(table).view(np.uint8))
        return route_table(table, self._columns, self.missing, tree, missing_at_predict)

    def inverse_transform(self, X: Any) -> Any:
        """Return a table that has the given features.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Binary features, as `transform` returns them.

        Returns
        -------
        array or frame of shape (n, n_columns)
            A frame of the library that was fitted (pandas or polars), else an array. Between two cuts the
            value is the median of the fitted rows there, so with all cuts it is the number itself. Joined
            categories become the most frequent of them; None stands for missing and unknown values.
        """
        check_is_fitted(self)
        features = check_binary(X, len(self.conditions_))
        inverted = [
            (column, invert_column(column, features[:, owned]))
            for column, owned in zip(self._columns, map(self.features_of_column, count()), strict=False)
            if not column.part
        ]
        names, kinds, columns = zip(*((c.name, c.kind, values) for c, values in inverted), strict=True)
        return as_table(list(names), kinds, list(columns), self._library)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the binary features: their conditions in words.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns, used if the table had none; else they must be those of the table.

        Returns
        -------
        array of str
            One name per feature.
        """
        check_is_fitted(self)
        columns = _check_feature_names_in(self, input_features).tolist()
        conditions = self.conditions_
        if columns != self._column_names():
            owners = [columns[j] for j in self.feature_columns_]
            conditions = [replace(c, column=owner) for c, owner in zip(conditions, owners, strict=True)]
        return np.array(_names_of(conditions), dtype=object)

    def _column_names(self) -> list[str]:
        return [column.name for column in self._columns if not column.part]

    def features_of_column(self, number: int) -> range:
        """Return which features come from a column of `columns`, where parts of dates are columns, too."""
        start = sum(len(column.conditions) for column in self._columns[:number])
        return range(start, start + len(self._columns[number].conditions))

    def warn_of_identifiers(self) -> None:
        """Name the columns that were left out since they name their rows."""
        for name, what in self.identifier_columns_.items():
            warn_caller(
                f"column {name!r} is left out: {what}, so it names rows and tells nothing about new ones; "
                "identifiers='keep' takes such columns all the same",
                IdentifierWarning,
            )

    @property
    def columns(self) -> list[ColumnFeatures]:
        """The features of each column."""
        return self._columns

    @property
    def has_cuts(self) -> bool:
        """Whether numbers or dates were cut, so that other cuts are possible."""
        return self._has_cuts

    def names(self) -> list[str]:
        """Return the names of the binary features as a list; the estimators come in here."""
        return _names_of(self.conditions_)


_PARAMETERS = frozenset(Binarizer._get_param_names())


def _names_of(conditions: list[Condition]) -> list[str]:
    names = [str(condition) for condition in conditions]
    if len(set(names)) < len(names):  # cuts closer than the digits shown
        names = [f"{c.column} {c.operator} {c.value!r}{' or missing' * c.missing}" for c in conditions]
    return names


def _choose_at_once(table: Any, names: list[str], plan: Plan) -> list[ColumnFeatures] | None:
    """Choose the features of Booleans, and of whole numbers that are zeros and ones; None for all others."""
    if is_boolean(table):
        return [as_it_is(name) for name in names]
    if is_whole(table) and not plan.given and all_zero_one(table):  # the usual input of experts, all at once
        rows = table if plan.rows is None else table[plan.rows]
        return [
            count_features(name, count, len(rows))
            for name, count in zip(names, (rows == 1).sum(axis=0).tolist(), strict=True)
        ]
    return None
