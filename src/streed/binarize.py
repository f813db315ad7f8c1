"""Columns of any kind to binary features, and back to conditions that people can read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from streed.columns import Column, Kind, column_names, is_frame, read_columns
from streed.conditions import Condition, Encoder, values_and_missing
from streed.cuts import count_categories, quantile_cuts, split_rare
from streed.options import Option
from streed.tasks.labels import check_sample_weight

N_THRESHOLDS = Option(
    "n_thresholds", "'auto', an integer >= 1 or None for all cuts", "", low=1, optional=True
)
MAX_CATEGORIES = Option("max_categories", "an integer >= 2 or None for all", "", low=2, optional=True)
FEATURES_AIMED_AT = 256
"""``n_thresholds="auto"`` gives each column its share of these, but at least 8 and at most 32 cuts."""
BLOCK = 4000
"""Rows that are encoded at a time: their features fit into the processor's cache. It is no power
of two: the block is transposed, and such strides fall into the same few cache lines (five times slower)."""


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into binary features.

    Numeric columns are cut between distinct values, Boolean columns and columns of zeros and ones are taken
    as they are, and columns of strings or categories get a feature per category. A column with two values
    gets one feature, a constant column of numbers or strings none.

    Parameters
    ----------
    n_thresholds : int, "auto" or None, default="auto"
        Greatest number of cuts of a numeric column. Columns with more distinct values are cut at quantiles.
        "auto" is 256 divided by the number of columns, but at least 8 and at most 32. None cuts between all
        distinct values.
    max_categories : int or None, default=16
        Greatest number of features of a column of categories; the rarest categories share one if there are
        more. None keeps all apart.
    missing : {"error", "indicator"}, default="error"
        Whether missing values are refused, or become a feature of their own in each column that has some when
        fitted ("age is missing"; all other features of the column are then 0).

    Attributes
    ----------
    conditions_ : list of Condition
        What each feature says. Rows that satisfy a feature's condition have a 1, and go right in a tree.
    columns_of_features_ : int array
        Number of the column that each feature comes from.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table had names.

    Notes
    -----
    A category that was not seen when fitting has a 0 in all features of its column. In a column of zeros and
    ones every other value counts as 0.

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
    """

    def __init__(
        self,
        *,
        n_thresholds: int | Literal["auto"] | None = "auto",
        max_categories: int | None = 16,
        missing: Literal["error", "indicator"] = "error",
    ) -> None:
        self.n_thresholds = n_thresholds
        self.max_categories = max_categories
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "indicator"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: object = None, sample_weight: Any = None) -> Binarizer:
        """Choose the features.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            The table.
        y : ignored
            For scikit-learn's pipelines.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, for quantiles and for the frequency of categories. Rows of weight zero are
            ignored.

        Returns
        -------
        Binarizer
            The fitted object itself.
        """
        return self.fit_table(check_table(self, X, reset=True), sample_weight)

    def fit_table(self, table: Any, sample_weight: Any = None) -> Binarizer:
        """Do what `fit` does, for a table that was checked already; the estimators come in here."""
        n_thresholds = self._n_thresholds(table.shape[1])
        MAX_CATEGORIES.check(self.max_categories)
        if self.missing not in ("error", "indicator"):
            raise ValueError(f"missing must be 'error' or 'indicator', got {self.missing!r}")
        weights = check_sample_weight(sample_weight, table.shape[0])
        rows = None if weights is None or weights.all() else np.flatnonzero(weights)
        if weights is not None and rows is not None:
            weights = weights[rows]
        names = column_names(table)
        self._names = names
        self.n_features_in_ = len(names)
        if _is_boolean(table):
            self._kinds = [Kind.BOOLEAN] * len(names)
            self.conditions_ = [Condition(name, "is", True) for name in names]
            self.columns_of_features_ = np.arange(len(names))
            return self
        self._kinds, self.conditions_, columns = [], [], []
        for j, column in enumerate(read_columns(table, names)):
            found = list(self._conditions(column, rows, weights, n_thresholds))
            self._kinds.append(column.kind)
            self.conditions_ += found
            columns += [j] * len(found)
        self.columns_of_features_ = np.array(columns, dtype=np.intp)
        return self

    def _n_thresholds(self, n_columns: int) -> int | None:
        if isinstance(self.n_thresholds, str) and self.n_thresholds == "auto":
            return min(32, max(8, FEATURES_AIMED_AT // n_columns))
        number = N_THRESHOLDS.check(self.n_thresholds)
        return None if number is None else int(number)

    def _conditions(
        self,
        column: Column,
        rows: NDArray[np.intp] | None,
        weights: NDArray[np.float64] | None,
        n_thresholds: int | None,
    ) -> Iterable[Condition]:
        """Choose the conditions on one column."""
        values, missing = values_and_missing(column, self.missing)
        if rows is not None:
            values, missing = values[rows], None if missing is None else missing[rows]
        if missing is not None and missing.any():
            yield Condition(column.name, "is", None)
            values, weights = values[~missing], None if weights is None else weights[~missing]
        if column.kind is Kind.BOOLEAN:
            yield Condition(column.name, "is", True)
        elif column.kind is Kind.CATEGORY:
            counts = count_categories(values, column.categories, weights)
            yield from self._category_conditions(column.name, counts)
        elif values.size and _is_zero_one(values[:100]) and _is_zero_one(values):
            yield Condition(column.name, "=", 1)
        else:
            cuts = quantile_cuts(np.ascontiguousarray(values, np.float64), weights, n_thresholds)
            yield from (Condition(column.name, "<=", cut) for cut in cuts)

    def _category_conditions(self, name: str, counts: dict[Any, float]) -> Iterable[Condition]:
        if len(counts) <= 2:  # of two categories the second one says it all, of one none does
            yield from (Condition(name, "=", value) for value in list(counts)[1:])
            return
        frequent, rare = split_rare(counts, self.max_categories)
        yield from (Condition(name, "=", value) for value in frequent)
        if rare:
            yield Condition(name, "in", rare)

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Compute the binary features of a table.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_columns)
            A table with the columns that were fitted.

        Returns
        -------
        Boolean array of shape (n, n_features)
            The features.
        """
        check_is_fitted(self)
        return self.transform_table(check_table(self, X, reset=False))

    def transform_table(self, table: Any) -> NDArray[np.bool_]:
        """Do what `transform` does, for a table that was checked already; the estimators come in here."""
        if _is_boolean(table) and set(self._kinds) == {Kind.BOOLEAN}:
            return np.ascontiguousarray(table)
        groups = np.searchsorted(self.columns_of_features_, np.arange(len(self._kinds) + 1)).tolist()
        encoders = [
            Encoder(column, kind, self.conditions_[start:stop], self.missing)
            for column, kind, start, stop in zip(
                read_columns(table, self._names), self._kinds, groups, groups[1:], strict=False
            )
        ]
        n, m = table.shape[0], len(self.conditions_)
        features = np.empty((n, m), dtype=np.bool_)
        block = np.empty((m, min(n, BLOCK)), dtype=np.bool_)
        for begin in range(0, n, BLOCK):
            end = min(n, begin + BLOCK)
            for encoder, start, stop in zip(encoders, groups, groups[1:], strict=False):
                encoder.write(begin, end, block[start:stop, : end - begin])
            features[begin:end] = block[:, : end - begin].T
        return features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the binary features: their conditions in words.

        Parameters
        ----------
        input_features : array-like of str, optional
            For scikit-learn's pipelines; must be the names of the columns if given.

        Returns
        -------
        array of str
            One name per feature.
        """
        check_is_fitted(self)
        if input_features is not None and list(input_features) != self._names:
            raise ValueError(f"input_features is not equal to feature_names_in_: expected {self._names}")
        names = [str(condition) for condition in self.conditions_]
        if len(set(names)) < len(names):  # cuts closer than the digits shown
            names = [f"{c.column} {c.operator} {c.value!r}" for c in self.conditions_]
        return np.array(names, dtype=object)


def _is_zero_one(values: NDArray[Any]) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _is_boolean(table: Any) -> bool:
    return isinstance(table, np.ndarray) and table.dtype == bool


def check_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Check a table's shape, number of columns and column names, as scikit-learn does, and nothing else.

    Frames stay as they are. Everything else becomes a two-dimensional array; lists with strings become
    objects, so that the numbers beside them stay numbers.
    """
    if is_frame(X):
        column_names(X)
        if 0 in X.shape:
            raise ValueError(
                f"Found a table of shape {tuple(X.shape)}, while at least 1 row and 1 column are required."
            )
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        X = np.array(X, dtype=object)
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
