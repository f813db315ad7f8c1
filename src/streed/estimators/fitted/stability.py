"""How often the splits of a fitted tree come again when it is fitted to bootstrap samples of its rows.

An optimal tree is the best one for its rows; other rows of the same kind may have another best tree. Splits
that nearly always come again are found in the data, the others are one choice among several that are as good.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from streed.errors import silent_fits
from streed.options import Option
from streed.paths.text import aligned
from streed.tuning.fits import take

SAME = 0.9
"""Two tests of a column are the same if they agree on at least this share of the rows that reach the node."""

_REPEATS = Option("n_repeats", "an integer >= 1", "Number of bootstrap samples.", default=20, low=1)


@dataclass(frozen=True, slots=True)
class SplitStability:
    """How often one split of a tree comes again.

    Attributes
    ----------
    node : int
        The branching node.
    depth : int
        Number of tests before it.
    test : str
        The test, in words.
    rows : int
        Number of rows that reach the node.
    again : float
        Share of the samples whose tree has the same test anywhere: on the same column, with the same answer
        for at least 90 % of the rows that reach the node.
    column : float
        Share of the samples whose tree tests the same column anywhere.
    """

    node: int
    depth: int
    test: str
    rows: int
    again: float
    column: float


@dataclass(frozen=True, repr=False)
class Stability:
    """How stable a tree is under bootstrap.

    Attributes
    ----------
    splits : tuple of SplitStability
        The branching nodes, in the order of the tree.
    agreement : float
        Mean share of the rows that get the same prediction from the tree of a sample; NaN where predictions
        are not labels.
    n_nodes : tuple of int
        Number of branching nodes of the tree of each sample.
    unproven : int
        Number of trees of samples that are not proven optimal.
    """

    splits: tuple[SplitStability, ...]
    agreement: float
    n_nodes: tuple[int, ...]
    unproven: int = 0

    def table(self) -> str:
        """Give the splits as text, one line each."""
        rows = [
            ["  " * split.depth + split.test, str(split.rows), f"{split.again:.0%}", f"{split.column:.0%}"]
            for split in self.splits
        ]
        width = max([len(row[0]) for row in rows], default=0)
        rows = [[row[0].ljust(width), *row[1:]] for row in rows]
        return aligned(["test".ljust(width), "rows", "comes again", "column is tested"], rows)

    def __repr__(self) -> str:
        few, many = min(self.n_nodes), max(self.n_nodes)
        said = [f"{len(self.n_nodes)} samples, trees of {few} to {many} branching nodes"]
        if not np.isnan(self.agreement):
            said.append(f"{self.agreement:.1%} of the rows are predicted alike")
        if self.unproven:
            said.append(f"{self.unproven} trees are not proven optimal")
        return "\n".join([self.table(), ", ".join(said)])


def stability(model: Any, data: Mapping[str, Any], n_repeats: int, random_state: Any) -> Stability:
    """Fit a clone of a fitted model to bootstrap samples of some rows, and compare the splits."""
    check_is_fitted(model)
    repeats = _REPEATS.check(n_repeats)
    assert repeats is not None
    data = model._tuning_data({name: values for name, values in data.items() if values is not None})
    table = model._checked_table(data["X"])
    rng, n = check_random_state(random_state), int(table.shape[0])
    ours = _Tests(model, table)
    reached = model.decision_path(data["X"]).toarray().astype(bool)
    nodes = np.flatnonzero(model.tree_.feature >= 0).tolist()
    again, column = np.zeros(len(nodes)), np.zeros(len(nodes))
    alike: list[float] = []
    sizes: list[int] = []
    unproven = 0
    predicted = np.asarray(model.predict(data["X"]))
    for _ in range(int(repeats)):
        rows = _sample(model, data.get("y"), n, rng)
        with silent_fits():
            other = clone(model).set_params(progress=False).fit(**{k: take(v, rows) for k, v in data.items()})
        theirs = _Tests(other, table)
        for place, node in enumerate(nodes):
            found = theirs.on_column(ours.column_of(node))
            column[place] += bool(found)
            mine, here = ours.answers(node), reached[:, node]
            again[place] += any(_same(mine[here], answers[here]) for answers in found)
        alike.append(float(np.mean(np.asarray(other.predict(data["X"])) == predicted)))
        sizes.append(other.tree_.n_nodes)
        unproven += not other.result_.optimal
    depths = model.tree_.paths(np.arange(model.tree_.node_count)).sum(axis=1)
    splits = tuple(
        SplitStability(
            node,
            int(np.asarray(depths).ravel()[node]) - 1,
            model.tree_.feature_name(int(model.tree_.feature[node])),
            int(reached[:, node].sum()),
            float(again[place] / repeats),
            float(column[place] / repeats),
        )
        for place, node in enumerate(nodes)
    )
    labels = is_classifier(model) or hasattr(model, "treatments_")
    return Stability(splits, float(np.mean(alike)) if labels else np.nan, tuple(sizes), unproven)


class _Tests:
    """The tests of a fitted model, with their answers for the rows of a table."""

    def __init__(self, model: Any, table: Any) -> None:
        self._tree = model.tree_
        self._features = model._binarize(table)
        self._columns = model._columns_of_features(self._features.shape[1])

    def column_of(self, node: int) -> int:
        return int(self._columns[self._tree.feature[node]])

    def answers(self, node: int) -> NDArray[np.bool_]:
        answers: NDArray[np.bool_] = self._features[:, self._tree.feature[node]] != 0
        return answers

    def on_column(self, column: int) -> list[NDArray[np.bool_]]:
        """Return the answers of all tests of a column."""
        tested = np.unique(self._tree.feature[self._tree.feature >= 0]).tolist()
        return [self._features[:, k] != 0 for k in tested if int(self._columns[k]) == column]


def _same(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> bool:
    """Whether two tests divide rows alike, whichever side is which."""
    agree = float(np.mean(first == second)) if first.size else 1.0
    return max(agree, 1 - agree) >= SAME


def _sample(model: Any, y: Any, n: int, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Draw rows with replacement; of labels, each class by itself, so that none is lost."""
    if y is None or not is_classifier(model):
        return rng.randint(n, size=n).astype(np.intp)
    _, codes = np.unique(np.asarray(y), return_inverse=True)
    parts = [np.flatnonzero(codes == k) for k in range(int(codes.max()) + 1)]
    drawn = [part[rng.randint(part.size, size=part.size)] for part in parts]
    return np.sort(np.concatenate(drawn)).astype(np.intp)


def bound(model: Any, *data: Any, **named: Any) -> dict[str, Any]:
    """Give what `fit` takes by the names of its arguments."""
    return dict(inspect.signature(model.fit).bind(*data, **named).arguments)
