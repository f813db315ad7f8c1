"""Tables as users give them: their shape and column names checked, their columns put in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from streed.table.columns import column_names, is_frame, is_pandas
from streed.table.encoded import EncodedRows


def check_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Check a table's shape, number of columns and column names, as scikit-learn does, and nothing else.

    Frames stay as they are; after fitting, their columns are put in the order of the fit if only that
    differs. Everything else becomes a two-dimensional array; lists with strings become objects, so that the
    numbers beside them stay numbers.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf" and X.size:
        return _check_numbers(estimator, X, reset=reset)
    if isinstance(X, EncodedRows):
        return X.checked_for(estimator, reset=reset)
    is_foreign = False
    if not isinstance(X, np.ndarray | list | tuple):
        from streed.table.frames import adopt

        native, X = X, adopt(X)
        is_foreign = native is not X
    if is_frame(X):
        names = column_names(X)
        if 0 in X.shape:
            raise ValueError(
                f"Found a table of shape {tuple(X.shape)}, while at least 1 row and 1 column are required."
            )
        fitted = None if reset else getattr(estimator, "feature_names_in_", None)
        if fitted is not None and names != fitted.tolist() and sorted(names) == sorted(fitted):
            X = X[fitted.tolist()]
        validate_data(estimator, X.to_native() if is_foreign else X, reset=reset, skip_check_array=True)
        return X
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        X = np.array(X, dtype=object)
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)


def _check_numbers(estimator: BaseEstimator, X: NDArray[Any], *, reset: bool) -> NDArray[Any]:
    """Do what scikit-learn does, which would first look for libraries that the array may come from."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
    elif hasattr(estimator, "feature_names_in_") or X.shape[1] != estimator.n_features_in_:
        validate_data(estimator, X, reset=False, skip_check_array=True)  # warns, or raises
    return X


def library_of(table: Any) -> str | None:
    """Return the library that a frame comes from, None for arrays."""
    if is_pandas(table) or is_frame(table):
        return type(table).__module__.partition(".")[0]
    return None
