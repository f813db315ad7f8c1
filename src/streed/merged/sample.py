"""A random sample of the rows of a source that is read once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Sample:
    """Of all rows those with the least random numbers, so that every set of `n` rows is equally likely.

    Parameters
    ----------
    n : int
        Number of rows to keep.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._draw = np.random.default_rng(0)
        self._parts: list[tuple[Any, dict[str, NDArray[Any]], NDArray[np.float64]]] = []
        self._below = 1.0

    @property
    def n_rows(self) -> int:
        """Number of rows that are held: up to twice as many as wanted, before `rows` is asked."""
        return sum(keys.size for _, _, keys in self._parts)

    def add(self, table: Any, values: dict[str, NDArray[Any]], counts: NDArray[np.bool_]) -> None:
        """Look at the rows of a frame that count, with what stands beside them."""
        keys = self._draw.random(counts.size)
        self._keep(table, values, keys, counts & (keys <= self._below))
        if self.n_rows > 2 * self._n:
            self._compact()

    def rows(self) -> tuple[Any, dict[str, NDArray[Any]]]:
        """Return the sample as one frame, with what stands beside it."""
        import narwhals

        if self.n_rows > self._n:
            self._compact()
        frames = [narwhals.from_native(table, eager_only=True) for table, _, _ in self._parts]
        try:
            whole = frames[0] if len(frames) == 1 else narwhals.concat(frames)
        except Exception as error:  # every library has errors of its own
            raise TypeError(f"the parts of the source hold different types: {error}") from error
        names = self._parts[0][1]
        beside = {name: np.concatenate([values[name] for _, values, _ in self._parts]) for name in names}
        return whole.to_native(), beside

    def _keep(self, table: Any, values: dict[str, NDArray[Any]], keys: Any, kept: NDArray[np.bool_]) -> None:
        import narwhals

        if kept.any():
            rows = np.flatnonzero(kept)
            frame = narwhals.from_native(table, eager_only=True)
            own = {name: column[rows] for name, column in values.items()}
            self._parts.append((frame[rows].to_native(), own, keys[rows]))

    def _compact(self) -> None:
        keys = np.concatenate([keys for _, _, keys in self._parts])
        self._below = float(np.partition(keys, self._n - 1)[self._n - 1])
        parts, self._parts = self._parts, []
        for table, values, own in parts:
            self._keep(table, values, own, own <= self._below)
