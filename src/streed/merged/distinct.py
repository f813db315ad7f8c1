"""Equal rows put together as they come, in memory that grows with the different rows only.

A row is a few 64-bit words: its packed features, then its values beside them. Blocks of rows are sorted and
added up; they are put together with all that came before when they hold as many rows as that, so that every
row is sorted a logarithmic number of times. Beyond a limit of memory the rows are shared out to files by a
hash of their words, so that equal rows meet in one file; each file is put together at the end, one after the
other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Counts = NDArray[np.float64]

LEAST = 1_000_000
"""Blocks wait until they hold so many rows: with few at a time, the rows known would be sorted each time."""

N_FILES = 64
"""Into so many files rows are shared out; each must fit into memory at the end."""


def pack(features: NDArray[np.bool_]) -> Words:
    """Return rows of features as rows of words.

    Examples
    --------
    >>> pack(np.array([[True, False], [False, True]])).tolist()
    [[1], [2]]
    """
    bits = np.packbits(features, axis=1, bitorder="little")
    words = np.zeros((bits.shape[0], 8 * -(-max(bits.shape[1], 1) // 8)), np.uint8)
    words[:, : bits.shape[1]] = bits
    return words.view("<u8").astype(np.uint64, copy=False)


def unpack(words: Words, n_features: int) -> NDArray[np.uint8]:
    """Return the features of packed rows: the inverse of `pack`."""
    contiguous = np.ascontiguousarray(words.astype("<u8", copy=False))
    return np.unpackbits(contiguous.view(np.uint8), axis=1, count=n_features, bitorder="little")


def merge(words: Words, counts: Counts) -> tuple[Words, Counts]:
    """Return the different rows, and how much of each there is.

    Several words are sorted by a hash of them, since sorting by words takes as long again for each of them.
    Two rows of one hash that differ are told apart by sorting all words.
    """
    if words.shape[1] == 1:
        order = np.argsort(words[:, 0], kind="stable")
        words = words[order]
        first = _differ(words)
    else:
        hashes = _hash(words)
        order = np.argsort(hashes, kind="stable")
        words, hashes = words[order], hashes[order]
        first = _differ(words)
        if ((hashes[1:] != hashes[:-1]) != first[1:]).any():
            again = np.lexsort(words.T)
            order, words = order[again], words[again]
            first = _differ(words)
    starts = np.flatnonzero(first)
    return words[starts], np.add.reduceat(counts[order], starts, axis=0)


def _differ(words: Words) -> NDArray[np.bool_]:
    first = np.ones(len(words), np.bool_)
    np.any(words[1:] != words[:-1], axis=1, out=first[1:])
    return first


def _hash(words: Words) -> NDArray[np.uint64]:
    """Return a number for each row that depends on all its words, in every bit."""
    mixed = np.zeros(len(words), np.uint64)
    for column in words.T:
        mixed ^= column
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return mixed


class DistinctRows:
    """The different rows of all blocks so far.

    Parameters
    ----------
    memory_limit : float
        Bytes of words and counts beyond which rows go to files in the folder for temporary files.
    """

    def __init__(self, memory_limit: float) -> None:
        self._limit = memory_limit
        self._merged: list[tuple[Words, Counts]] = []
        self._blocks: list[tuple[Words, Counts]] = []
        self._waiting = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def add(self, words: Words, counts: Counts) -> None:
        """Add rows; counts, and what else is added up of equal rows, have the shape (rows, any number)."""
        block = merge(words, counts)
        self._blocks.append(block)
        self._waiting += len(block[1])
        if self._waiting > max(LEAST, self.n_held - self._waiting):
            self._merge()

    @property
    def n_held(self) -> int:
        """Number of rows in memory: different ones, and those that wait to be put together with them."""
        return self._waiting + sum(len(counts) for _, counts in self._merged)

    def parts(self) -> Iterator[tuple[Words, Counts]]:
        """Return the different rows, in parts that share no row; the files are gone then."""
        if self._folder is None:
            if self._merged or self._blocks:
                yield merge(*_stack(self._merged + self._blocks))
            return
        self._spill()
        try:
            for path in self._files():
                if path.exists():
                    yield merge(*self._read(path))
        finally:
            self.close()

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _merge(self) -> None:
        self._merged = [merge(*_stack(self._merged + self._blocks))]
        self._blocks, self._waiting = [], 0
        words, counts = self._merged[0]
        if words.nbytes + counts.nbytes > self._limit / 3:  # sorting takes as much again, twice
            self._spill()

    def _files(self) -> list[Path]:
        assert self._folder is not None
        return [Path(self._folder.name) / f"{number}.rows" for number in range(N_FILES)]

    def _spill(self) -> None:
        """Append what is in memory to the files."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="streed-rows-")
        for words, counts in self._merged + self._blocks:
            self._shape = (words.shape[1], counts.shape[1])
            rows = np.column_stack([words, counts.view(np.uint64).reshape(len(words), -1)])
            owner = _hash(words) >> np.uint64(58)
            rows = rows[np.argsort(owner, kind="stable")]
            ends = np.cumsum(np.bincount(owner.astype(np.intp), minlength=N_FILES))
            for path, own in zip(self._files(), np.split(rows, ends[:-1]), strict=True):
                with path.open("ab") as file:
                    file.write(own.tobytes())
        self._merged, self._blocks, self._waiting = [], [], 0

    def _read(self, path: Path) -> tuple[Words, Counts]:
        n_words, n_counts = self._shape
        rows = np.fromfile(path, np.uint64).reshape(-1, n_words + n_counts)
        counts = np.ascontiguousarray(rows[:, n_words:]).view(np.float64)
        return np.ascontiguousarray(rows[:, :n_words]), counts


def _stack(blocks: list[tuple[Words, Counts]]) -> tuple[Words, Counts]:
    words, counts = zip(*blocks, strict=True)
    return np.concatenate(words), np.concatenate(counts)
