"""A model counted anew on data: whether its leaves hold what its file says, and whether data are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streed.table.digest import digest
from streed.table.labels import refuse_missing

if TYPE_CHECKING:
    from streed.model.model import Model


@dataclass(frozen=True)
class Check:
    """What `Model.check` found.

    Attributes
    ----------
    same_data : dict of str to bool
        For the table ("X") and the targets ("y"), whether they have the SHA-256 of the record; without those
        that have none there.
    n_rows, recorded_rows : int
        Rows that were given, and training rows of the file.
    same_leaves : bool
        Whether every leaf has as many rows as the file says.
    same_targets : bool or None
        Whether the classes, or the means of the targets, in every leaf are those of the file; None where the
        file has neither, or where its rows had weights that are not given.
    differences : tuple of str
        What differs, in words.
    """

    same_data: dict[str, bool]
    n_rows: int
    recorded_rows: int
    same_leaves: bool
    same_targets: bool | None
    differences: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def __str__(self) -> str:
        if self.passed:
            known = " and have the recorded SHA-256" if self.same_data else ""
            return f"{self.n_rows} rows lead to the recorded leaves{known}"
        return "; ".join(self.differences)


def check(model: Model, X: Any, y: Any, sample_weight: Any) -> Check:
    """Count the leaves of a model on data; see `Model.check`."""
    tree = model.tree
    leaf = model.apply(X)
    n_rows = leaf.size
    weights = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have one number for each of {n_rows} rows, got {weights.shape}")
    kept = weights > 0
    said: list[str] = []
    same_data = _same_data(model, X, y, said)
    counts = np.bincount(leaf[kept], minlength=tree.node_count)
    leaves = np.flatnonzero(tree.feature < 0)
    differ = leaves[counts[leaves] != tree.n_samples[leaves]]
    if differ.size:
        node = int(differ[0])
        said.append(f"leaf {node} has {counts[node]} rows, the file says {tree.n_samples[node]}")
    same_targets = _same_targets(model, leaf[kept], _targets(y, n_rows)[kept], weights[kept], said)
    return Check(same_data, n_rows, int(tree.n_samples[0]), not differ.size, same_targets, tuple(said))


def _targets(y: Any, n_rows: int) -> np.ndarray:
    targets = np.asarray(y)
    if targets.shape[:1] != (n_rows,):
        raise ValueError(f"y must have one entry for each of {n_rows} rows, got shape {targets.shape}")
    if targets.dtype == object and targets.ndim == 1:
        refuse_missing(targets)
    return targets


def _same_data(model: Model, X: Any, y: Any, said: list[str]) -> dict[str, bool]:
    data = model.record.get("data", {})
    recorded = data.get("sha256", {}) if isinstance(data, dict) else {}
    found = {}
    for name, values in (("X", X), ("y", y)):
        if isinstance(recorded, dict) and name in recorded:
            found[name] = digest(values, name) == recorded[name]
            if not found[name]:
                said.append(f"{name} does not have the recorded SHA-256")
    return found


def _same_targets(model: Model, leaf: Any, targets: Any, weights: Any, said: list[str]) -> bool | None:
    """Compare numbers of classes in leaves, or means of targets, as far as the file has them."""
    tree, leaves = model.tree, np.flatnonzero(model.tree.feature < 0)
    known: Any = tree.class_counts
    if known is None and tree.class_weights is not None:
        sums = tree.class_weights.sum(axis=1)
        known = tree.class_weights if np.allclose(sums, tree.n_samples) else None
    if known is not None and targets.ndim == 1:
        found = np.array([[np.sum((leaf == n) & (targets == c)) for c in tree.classes] for n in leaves])
        differ = ~np.isclose(found, known[leaves]).all(axis=1)
    elif tree.details is not None and hasattr(tree.details, "mean") and targets.dtype.kind in "fiub":
        means = tree.details.mean[leaves].reshape(leaves.size, -1)
        table = targets.reshape(len(targets), -1)
        if table.shape[1] != means.shape[1]:
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.array(
                [weights[leaf == n] @ table[leaf == n] / weights[leaf == n].sum() for n in leaves]
            )
        differ = ~np.isclose(found, means, rtol=1e-6, equal_nan=True).all(axis=1)
    else:
        return None
    if differ.any():
        said.append(f"leaf {int(leaves[np.argmax(differ)])} has other targets than the file says")
    return not differ.any()
