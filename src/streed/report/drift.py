"""Drift: whether new rows still end in the leaves as the training rows did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.views.outputs import leaf_outputs

if TYPE_CHECKING:
    from streed.model.model import Model

LEAST_SHARE = 1e-4
"""A share of no rows at all counts as this one: the index of a leaf would be infinite."""


@dataclass(frozen=True)
class Drift:
    """The shares of rows in each leaf, in training and now.

    Attributes
    ----------
    leaves : int array of shape (n_leaves,)
        The numbers of the leaves.
    paths : tuple of str
        The way to each leaf, in words.
    expected, found : float array of shape (n_leaves,)
        Shares of the training rows, and of the new ones.
    parts : float array of shape (n_leaves,)
        What each leaf adds to the population stability index: (found - expected) log(found / expected).
    psi : float
        The index as a whole. By a rule of thumb it is small below 0.1 and large above 0.25; of few rows it is
        large by chance, see `p_value`.
    chi_squared, p_value : float
        Pearson's statistic for the counts of the new rows against the training shares, and how often it is as
        large by chance if nothing has changed. Training shares count as known, so that the test is for many
        more training rows than new ones.
    n_rows : int
        Number of new rows.
    """

    leaves: NDArray[np.int64]
    paths: tuple[str, ...]
    expected: NDArray[np.float64]
    found: NDArray[np.float64]
    parts: NDArray[np.float64]
    psi: float
    chi_squared: float
    p_value: float
    n_rows: int

    def __str__(self) -> str:
        test = f"chi-squared {self.chi_squared:.4g} (p = {self.p_value:.3g})"
        head = f"PSI {self.psi:.4f}, {test}, {self.n_rows} rows"
        rows = zip(self.leaves, self.expected, self.found, self.parts, self.paths, strict=True)
        lines = ["leaf  training     now     PSI  path"]
        lines += [f"{n:>4}  {e:>8.1%}  {f:>6.1%}  {p:.4f}  {path}" for n, e, f, p, path in rows]
        return "\n".join([head, *lines])


def drift(model: Model, X: Any) -> Drift:
    """Compare the leaves of new rows with those of the training rows; see `Model.drift`."""
    tree = model.readable_tree()
    leaf = model.apply(X)
    leaves = np.flatnonzero(tree.feature < 0)
    counts = np.bincount(leaf, minlength=tree.node_count)[leaves].astype(np.float64)
    n_rows = leaf.size
    known = tree.n_samples[leaves].astype(np.float64)
    expected, found = known / max(1.0, known.sum()), counts / max(1, n_rows)
    low, high = np.maximum(expected, LEAST_SHARE), np.maximum(found, LEAST_SHARE)
    parts = (high - low) * np.log(high / low)
    statistic = float(((counts - n_rows * low) ** 2 / (n_rows * low)).sum()) if n_rows else 0.0
    paths = leaf_outputs(tree, "path")
    return Drift(
        leaves=leaves,
        paths=tuple(paths[node] for node in leaves.tolist()),
        expected=expected,
        found=found,
        parts=parts,
        psi=float(parts.sum()),
        chi_squared=statistic,
        p_value=_tail(statistic, leaves.size - 1),
        n_rows=n_rows,
    )


def _tail(statistic: float, freedom: int) -> float:
    """Return the probability that chi-squared is at least a value."""
    if freedom < 1:
        return 1.0
    from scipy.special import gammaincc  # type: ignore[import-untyped]

    return float(gammaincc(freedom / 2, statistic / 2))
