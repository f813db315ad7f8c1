"""Rows whose columns were made binary features before: they may stand where a table stands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class EncodedRows:
    """Binary features of rows, with the fitted `streed.Binarizer` that made them.

    Parameters
    ----------
    features : uint8 array of shape (n, n_features)
        Zeros and ones.
    binarizer : Binarizer
        Knows the columns and the conditions of the features.
    counts : int array of shape (n,)
        How many rows of a table each row stands for.
    """

    def __init__(self, features: NDArray[np.uint8], binarizer: Any, counts: NDArray[np.int64]) -> None:
        self.features = features
        self.binarizer = binarizer
        self.counts = counts

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, and of the columns that the features were made of."""
        return self.features.shape[0], int(self.binarizer.n_features_in_)

    def __len__(self) -> int:
        return int(self.features.shape[0])

    @property
    def note(self) -> str:
        """What a result says of the data that it was fitted to."""
        return ""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.features, dtype, copy=copy)

    @property
    def columns(self) -> list[str]:
        """Names of the features: their conditions in words."""
        names: list[str] = self.binarizer.names()
        return names

    def checked_for(self, estimator: Any, *, reset: bool) -> EncodedRows:
        """Tell an estimator the columns as a table does when it is fitted; later, refuse other features."""
        if not reset:
            known = getattr(estimator, "binarizer_", None)
            if getattr(known, "conditions_", None) != self.binarizer.conditions_:
                raise ValueError("the rows have other features than those that the estimator was fitted to")
            return self
        if getattr(estimator, "cuts", None) == "exact":
            raise ValueError("cuts='exact' needs the columns as they were, but these rows were cut before")
        if getattr(estimator, "binarizer", None) is not None:
            raise ValueError("no binarizer can be given for rows that were encoded before")
        self.check_leaves(getattr(estimator, "min_samples_leaf", 1))
        estimator.n_features_in_ = self.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if hasattr(self.binarizer, "feature_names_in_"):
            estimator.feature_names_in_ = self.binarizer.feature_names_in_
        return self

    def count(self, tree: Any) -> NDArray[np.int64]:
        """Return how many rows of the table reach each node of a tree over the features."""
        found = np.bincount(tree.route(self.features), self.counts, tree.feature.size).astype(np.int64)
        for node in range(tree.feature.size - 1, -1, -1):  # children come after their parents
            if tree.left[node] >= 0:
                found[node] = found[tree.left[node]] + found[tree.right[node]]
        return found

    def check_leaves(self, min_samples_leaf: float) -> None:
        """Refuse a least number of rows in a leaf, since a row here stands for several."""
        if min_samples_leaf != 1:
            raise ValueError(
                f"min_samples_leaf must be 1 for rows that were merged, got {min_samples_leaf!r}: a row "
                "stands for several, and leaves would count it once"
            )
