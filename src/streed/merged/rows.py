"""`merge_rows`: a source of any size as weighted rows of binary features, which all estimators take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.merged.distinct import DistinctRows, pack, unpack
from streed.merged.sample import Sample
from streed.merged.sources import Source, source_of
from streed.merged.values import Values, column_of
from streed.options import OPTIONS
from streed.table.check import check_table
from streed.table.encoded import EncodedRows

SAMPLE = 1_000_000
"""Rows from which cuts are chosen by default: ranks of quantiles then have a standard deviation of at most
.0005 of the rows."""


class MergedRows(EncodedRows):
    """The different rows of a source, each with the number of its copies, or their weight.

    They stand where a table stands in `fit` of the estimators, and where the features stand in
    `streed.solve`. A tree that was fitted to them predicts tables of the source's columns. `min_samples_leaf`
    must be 1, since a row here stands for several.

    Attributes
    ----------
    features : uint8 array of shape (n, n_features)
        The binary features.
    binarizer : Binarizer
        The fitted binarizer that made them.
    y : array of shape (n,)
        The target.
    sample_weight : float64 array of shape (n,)
        How many rows of the source each row stands for, or what they weigh together.
    counts : int64 array of shape (n,)
        How many rows of the source with a weight each row stands for.
    n_rows : int
        Number of rows of the source.
    """

    def __init__(
        self,
        features: NDArray[np.uint8],
        binarizer: Binarizer,
        values: dict[str, NDArray[Any]],
        target: str,
        counts: NDArray[np.float64],
        n_rows: int,
    ) -> None:
        super().__init__(features, binarizer, counts[:, 0].astype(np.int64))
        self._values = values
        self._target = target
        self.sample_weight = np.ascontiguousarray(counts[:, -1])
        self.n_rows = n_rows

    def __repr__(self) -> str:
        return f"MergedRows({len(self):,} of {self.n_rows:,} rows, {self.features.shape[1]} features)"

    @property
    def note(self) -> str:
        """What a result says of the data that it was fitted to."""
        return f"{len(self):,} different rows stand for {self.n_rows:,}; cuts were chosen before the search"

    @property
    def y(self) -> NDArray[Any]:
        """The target of each row."""
        return self._values[self._target]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the values of the target or of a column that was kept beside it."""
        if name not in self._values:
            raise KeyError(f"{name!r} was not kept: the columns are {', '.join(map(repr, self._values))}")
        return self._values[name]

    def fit_estimator(self, estimator: Any, **columns: str) -> Any:
        """Fit an estimator to the rows.

        Parameters
        ----------
        estimator : estimator
            It takes a target and `sample_weight`.
        **columns : str
            What else its `fit` takes, by the names of columns that were kept: ``sensitive_features="sex"``.

        Returns
        -------
        estimator
            The estimator itself, fitted.
        """
        more = {name: self[column] for name, column in columns.items()}
        return estimator.fit(self, self.y, sample_weight=self.sample_weight, **more)


def merge_rows(
    source: Any,
    target: str,
    *,
    keep: Sequence[str] = (),
    sample_weight: str | None = None,
    binarizer: Binarizer | None = None,
    drop: Sequence[str] = (),
    sample_rows: int = SAMPLE,
    memory_limit: float | str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> MergedRows:
    """Encode the rows of a source of any size, and put equal ones together.

    The source is read in blocks, so that memory grows with the *different* rows only: a table whose 30
    conditions take few values together fits, however many rows it has.

    Parameters
    ----------
    source : path, frame, relation, or iterable of frames
        A Parquet file, a folder or pattern of them, or a list; a frame of pandas, polars (also lazy), Arrow
        or Dask; a relation of DuckDB; an iterable of frames, or a function that returns one.
    target : str
        The column to predict.
    keep : sequence of str, default=()
        Columns whose values stay beside the target, as the groups of a fair tree; rows that differ in them
        stay apart. They are no columns of the table.
    sample_weight : str, optional
        The column with the weights of the rows. By default each row counts one.
    binarizer : Binarizer, optional
        How columns become features. A fitted one is taken as it is; by default, and from one that is not
        fitted, cuts and categories are chosen from a random sample of the rows, in a pass of its own.
    drop : sequence of str, default=()
        Columns that are left out.
    sample_rows : int, default=1_000_000
        How many rows the sample has. With as many as the source has, cuts are those of all rows.
    memory_limit : float or str, optional
        Bytes of different rows beyond which they go to temporary files until all are read ("2GB"). What is
        returned must fit into memory all the same: a byte for each row and feature.
    progress : callable, optional
        Gets, after each block, the number of rows read and of different rows waiting.

    Returns
    -------
    MergedRows
        The rows in an order that does not depend on that of the source.

    Examples
    --------
    >>> import pandas as pd
    >>> import streed
    >>> frame = pd.DataFrame({"age": [25, 31, 62, 62] * 250, "ill": ["no", "no", "yes", "no"] * 250})
    >>> rows = streed.merge_rows(frame, "ill")
    >>> rows
    MergedRows(4 of 1,000 rows, 2 features)
    >>> model = rows.fit_estimator(streed.OptimalTreeClassifier(max_depth=1))
    >>> model.result_.objective, model.predict(pd.DataFrame({"age": [30]})).tolist()
    (250.0, ['no'])
    """
    limit = OPTIONS["memory_limit"].check(memory_limit)
    if isinstance(sample_rows, bool) or not isinstance(sample_rows, int) or sample_rows < 1:
        raise ValueError(f"sample_rows must be a whole number of at least 1, got {sample_rows!r}")
    beside = _Beside(target, _texts("keep", keep), sample_weight, _texts("drop", drop))
    opened = source_of(source)
    if binarizer is not None and not isinstance(binarizer, Binarizer):
        raise TypeError(f"binarizer must be a streed.Binarizer, got {binarizer!r}")
    if binarizer is None or not hasattr(binarizer, "conditions_"):
        if opened.once:
            raise ValueError(
                "an iterator can be read only once, so that cuts cannot be chosen from it: give a fitted "
                "binarizer, a list, or a function that returns the iterator"
            )
        binarizer = _fit_to_sample(binarizer, opened, beside, sample_rows)
    with closing(DistinctRows(math.inf if limit is None else float(limit))) as rows:
        n_rows, values = _read(opened, beside, binarizer, rows, progress)
        return _gather(rows, beside, binarizer, values, n_rows)


class _Beside:
    """The columns of a source that are not made features."""

    def __init__(self, target: str, keep: list[str], weight: str | None, drop: list[str]) -> None:
        if not isinstance(target, str):
            raise TypeError(f"target must be the name of a column, got {target!r}")
        self.target, self.weight = target, weight
        self.kept = [target, *(name for name in keep if name != target)]
        self.all = [*self.kept, *([] if weight is None else [weight]), *drop]

    def split(self, place: str, frame: Any) -> tuple[Any, dict[str, NDArray[Any]], NDArray[np.float64]]:
        """Return the table, the values that are kept, and the weights of a frame."""
        lacking = [name for name in self.all if name not in frame.columns]
        if lacking:
            known = ", ".join(map(repr, frame.columns))
            raise ValueError(f"{place} has no column {lacking[0]!r}; its columns are {known}")
        values = {name: column_of(frame, name, place) for name in self.kept}
        weights = np.ones(frame.shape[0]) if self.weight is None else self._weights(frame, place)
        names = [name for name in frame.columns if name not in self.all]
        if not names:
            raise ValueError(f"{place} has no column beside {', '.join(map(repr, self.all))}")
        return frame[names], values, weights

    def _weights(self, frame: Any, place: str) -> NDArray[np.float64]:
        assert self.weight is not None
        found = column_of(frame, self.weight, place)
        if found.dtype.kind not in "biuf":
            raise TypeError(f"{place}: the weights in {self.weight!r} must be numbers, got {found.dtype}")
        weights = found.astype(np.float64)
        wrong = ~(np.isfinite(weights) & (weights >= 0))
        if wrong.any():
            raise ValueError(
                f"{place}: the weights in {self.weight!r} must be finite and not negative, "
                f"got {weights[wrong][0]}"
            )
        return weights


def _texts(name: str, given: Any) -> list[str]:
    if isinstance(given, str) or not all(isinstance(each, str) for each in given):
        raise TypeError(f"{name} must be a list of names of columns, got {given!r}")
    return list(given)


def _fit_to_sample(binarizer: Binarizer | None, source: Source, beside: _Beside, n: int) -> Binarizer:
    """Fit a binarizer to a sample of the rows."""
    sample = Sample(n)
    for place, frame in source.blocks():
        table, values, weights = beside.split(place, frame)
        counts = weights > 0
        sample.add(table, {"target": values[beside.target], "weights": weights}, counts)
    if not sample.n_rows:
        raise ValueError("the source has no rows" + " with a weight" * (beside.weight is not None))
    table, own = sample.rows()
    made = Binarizer(missing="side") if binarizer is None else Binarizer(**binarizer.get_params())
    return made.fit(table, own["target"], None if beside.weight is None else own["weights"])


def _read(
    source: Source, beside: _Beside, binarizer: Binarizer, rows: DistinctRows, progress: Any
) -> tuple[int, dict[str, Values]]:
    """Add all rows of the source to the different ones; returns their number, and what codes stand for."""
    kept = {name: Values(name) for name in beside.kept}
    n_rows = 0
    for place, frame in source.blocks():
        table, values, weights = beside.split(place, frame)
        try:
            features = binarizer.transform_table(check_table(binarizer, _native(table), reset=False))
        except (ValueError, TypeError) as error:
            raise type(error)(f"{place}: {error}") from error
        own = [kept[name].encode(values[name], place) for name in beside.kept]
        words = np.column_stack([pack(features), *own])
        counts = weights > 0
        added = [counts, weights][: 1 + (beside.weight is not None)]
        rows.add(words[counts], np.column_stack([each[counts].astype(np.float64) for each in added]))
        n_rows += len(weights)
        if progress is not None:
            progress(n_rows, rows.n_held)
    return n_rows, kept


def _native(table: Any) -> Any:
    return table.to_native() if hasattr(table, "to_native") else table


def _gather(
    rows: DistinctRows, beside: _Beside, binarizer: Binarizer, values: dict[str, Values], n_rows: int
) -> MergedRows:
    """Put the parts of the different rows together, in the order of their words."""
    found = list(rows.parts())
    if not sum(len(counts) for _, counts in found):
        raise ValueError("the source has no rows" + " with a weight" * (beside.weight is not None))
    n_kept = len(beside.kept)
    n_features = len(binarizer.conditions_)
    features = np.empty((sum(len(counts) for _, counts in found), n_features), np.uint8)
    own: dict[str, list[NDArray[Any]]] = {name: [] for name in beside.kept}
    begin = 0
    for words, counts in found:
        features[begin : begin + len(counts)] = unpack(words[:, :-n_kept], n_features)
        for name, codes in zip(beside.kept, words[:, -n_kept:].T, strict=True):
            own[name].append(values[name].decode(codes))
        begin += len(counts)
    counts = np.concatenate([counts for _, counts in found])
    columns = {name: np.concatenate(parts) for name, parts in own.items()}
    return MergedRows(features, binarizer, columns, beside.target, counts, n_rows)
