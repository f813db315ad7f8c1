"""A decision tree as flat arrays: plain data that predicts, prints itself and can be stored.

Node 0 is the root and parents come before their children. A tree that tests feature 2 and then, on the right,
feature 0:

>>> from streed import Tree
>>> tree = Tree(feature=[2, -1, 0, -1, -1], left=[1, -1, 3, -1, -1], right=[2, -1, 4, -1, -1],
...             label=[-1, 0, -1, 0, 1], n_samples=[6, 3, 3, 1, 2],
...             class_weights=[[4, 2], [3, 0], [1, 2], [1, 0], [0, 2]], classes=["no", "yes"], n_features=3)
>>> print(tree.to_text())
x2?
├─ no:  no  (3 rows, 100.0 %)
└─ yes: x0?
        ├─ no:  no  (1 row, 100.0 %)
        └─ yes: yes  (2 rows, 100.0 %)
>>> tree.predict([[1, 0, 1], [1, 0, 0]]).tolist()
['yes', 'no']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed import _core
from streed.interop.methods import Exports
from streed.table.matrix import check_binary
from streed.tree.line import is_linear
from streed.tree.probabilities import laplace, shrunk
from streed.views.methods import Views

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    from streed.tree.conditions import Condition
    from streed.tree.details import Curves, Numbers

FORMAT = "streed.tree"
VERSION = 1


ColumnTest = tuple[NDArray[Any], float | int | None, bool]
"""A column, its cut (a float, an integer, or None for Booleans), and whether missing values satisfy it."""

COUNTED = ("n_samples", "class_weights", "values")
"""Attributes that are counted from the rows; for the many trees of a front only when one is read."""


def is_vector(label: object) -> bool:
    """Whether a leaf predicts several numbers; labels that are tuples of anything else stay labels."""
    return isinstance(label, tuple) and all(isinstance(value, float) for value in label)


class Tree(Views, Exports):
    """A binary decision tree over binary features. Rows that have a node's feature go right, the others left.

    Parameters
    ----------
    feature : array-like of int, shape (m,)
        Feature tested at each node, -1 at a leaf.
    left, right : array-like of int, shape (m,)
        Children of each node, -1 at a leaf.
    label : array-like of int, shape (m,)
        Position in `classes` of the label of each leaf, -1 at a branching node.
    n_samples : array-like of int, shape (m,)
        Number of training rows at each node.
    class_weights : array-like of float, shape (m, n_classes), optional
        Weight of the training rows of each class at each node, where rows have classes.
    classes : array-like of shape (n_classes,)
        The labels.
    n_features : int
        Number of binary features.
    feature_names : sequence of str, optional
        A name for each binary feature; it reads as a condition that holds for the rows that go right.
    values : array-like of float, shape (m,), optional
        What a training row is worth on average in the leaves at or below each node, e.g. its mean cost; what
        the worst of these leaves is worth, where a tree is worth as much as its worst leaf.
    value_name : str, default=""
        What `values` are, e.g. "cost"; views show them under this name instead of class shares.
    conditions : sequence of Condition, optional
        What each binary feature says about a column of a table. The estimators know them from their
        binarizer; with them, views speak of columns ("age > 42.5") and of their values.
    prices : array-like of float, shape (m,), optional
        What a row that reaches a node pays for its test, where tests have prices; 0 at leaves.
    details : Numbers or Curves (of `streed.tree.details`), optional
        The targets of the rows of each node, or their survival.
    class_counts : array-like of int, shape (m, n_classes), optional
        Number of the training rows of each class at each node, where rows or classes have weights other
        than one: `class_weights` says nothing about numbers then.
    smoothing : float, default=0.0
        Weight that is added to every class of a leaf before shares become probabilities.
    shrinkage : float, default=0.0
        Strength of hierarchical shrinkage, a weight: what a split changes in the shares counts by the factor
        n / (n + shrinkage), n being the weight of the rows that it splits. `smoothing` is then added only
        where shrinkage would change the most probable class. 0: no shrinkage.
    """

    __slots__ = (
        "class_counts",
        "class_weights",
        "classes",
        "conditions",
        "count_later",
        "details",
        "feature",
        "feature_names",
        "label",
        "left",
        "n_features",
        "n_samples",
        "prices",
        "right",
        "shrinkage",
        "smoothing",
        "value_name",
        "values",
    )
    count_later: Any

    def __init__(
        self,
        feature: ArrayLike,
        left: ArrayLike,
        right: ArrayLike,
        label: ArrayLike,
        *,
        n_samples: ArrayLike,
        class_weights: ArrayLike | None = None,
        classes: ArrayLike,
        n_features: int,
        feature_names: Sequence[str] | None = None,
        values: ArrayLike | None = None,
        value_name: str = "",
        conditions: Sequence[Condition] | None = None,
        prices: ArrayLike | None = None,
        details: Numbers | Curves | None = None,
        class_counts: ArrayLike | None = None,
        smoothing: float = 0.0,
        shrinkage: float = 0.0,
    ) -> None:
        self.feature: NDArray[np.int32] = np.asarray(feature, np.int32)
        self.left: NDArray[np.int32] = np.asarray(left, np.int32)
        self.right: NDArray[np.int32] = np.asarray(right, np.int32)
        self.label: NDArray[np.int32] = np.asarray(label, np.int32)
        self.n_samples: NDArray[np.int64] = np.asarray(n_samples, np.int64)
        self.class_weights: NDArray[np.float64] | Any = (
            None if class_weights is None else np.asarray(class_weights, np.float64)
        )
        self.classes: NDArray[Any] = np.asarray(classes)
        self.n_features = int(n_features)
        self.feature_names = None if feature_names is None else tuple(map(str, feature_names))
        self.values: NDArray[np.float64] | Any = None if values is None else np.asarray(values, np.float64)
        self.value_name = str(value_name)
        self.conditions = None if conditions is None else tuple(conditions)
        self.prices: NDArray[np.float64] | None = None if prices is None else np.asarray(prices, np.float64)
        self.details = details
        self.class_counts: NDArray[np.int64] | None = (
            None if class_counts is None else np.asarray(class_counts, np.int64)
        )
        self.smoothing, self.shrinkage = float(smoothing), float(shrinkage)
        self._check()

    @classmethod
    def trusted(cls, **attributes: Any) -> Tree:
        """Make a tree of attributes that were checked already: all of them, each of its own type."""
        tree = cls.__new__(cls)
        tree.details = tree.class_counts = None
        tree.smoothing = tree.shrinkage = 0.0
        for name, value in attributes.items():
            setattr(tree, name, value)
        return tree

    def __getattr__(self, name: str) -> Any:
        """Count the rows of a tree when they are asked for the first time, if that was left for later."""
        if name in COUNTED and (count := getattr(self, "count_later", None)) is not None:
            count()
            self.count_later = None
            return object.__getattribute__(self, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def _check(self) -> None:
        """Refuse arrays that are no tree: wrong shapes, wrong ranges, nodes without exactly one parent."""
        m = self.feature.size
        shapes = {
            name: getattr(self, name).shape for name in ("feature", "left", "right", "label", "n_samples")
        }
        if m == 0 or any(shape != (m,) for shape in shapes.values()):
            raise ValueError(f"a tree needs arrays of one length, at least 1, got shapes {shapes}")
        if self.classes.ndim != 1:
            raise ValueError(f"classes must be one-dimensional, got shape {self.classes.shape}")
        if self.class_weights is not None and self.class_weights.shape != (m, self.classes.size):
            raise ValueError(
                f"class_weights must have shape (nodes, classes) = ({m}, {self.classes.size}), "
                f"got {self.class_weights.shape}"
            )
        if self.class_counts is not None and self.class_counts.shape != (m, self.classes.size):
            raise ValueError(
                f"class_counts must have shape (nodes, classes) = ({m}, {self.classes.size}), "
                f"got {self.class_counts.shape}"
            )
        self._check_numbers(m)
        if self.details is not None:
            self.details.check(m)
        self._check_nodes(m)
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise ValueError(f"{self.n_features} feature names are needed, got {len(self.feature_names)}")
        if self.conditions is not None and len(self.conditions) != self.n_features:
            raise ValueError(f"{self.n_features} conditions are needed, got {len(self.conditions)}")

    def _check_nodes(self, m: int) -> None:
        """Refuse features and labels that do not exist, and children that are not those of one parent."""
        n_features, n_labels = self.n_features, self.classes.size
        orphans = set(range(1, m))
        nodes = zip(
            self.feature.tolist(), self.left.tolist(), self.right.tolist(), self.label.tolist(), strict=True
        )
        for node, (feature, left, right, label) in enumerate(nodes):
            if feature == -1:
                if not 0 <= label < n_labels:
                    raise ValueError(f"the label of a leaf must lie between 0 and {n_labels - 1}")
            elif not 0 <= feature < n_features:
                raise ValueError(f"features must lie between 0 and {n_features - 1}, or be -1 at a leaf")
            elif not (left > node and right > node and left != right and {left, right} <= orphans):
                raise ValueError("every node but the root must be the child of exactly one node before it")
            else:
                orphans -= {left, right}
        if orphans:
            raise ValueError("every node but the root must be the child of exactly one node before it")

    def _check_numbers(self, m: int) -> None:
        """Refuse values and prices that are not one number per node."""
        for name in ("smoothing", "shrinkage"):
            if not (np.isfinite(added := getattr(self, name)) and added >= 0):
                raise ValueError(f"{name} must be a finite number >= 0, got {added}")
        for name in ("values", "prices"):
            given = getattr(self, name)
            if given is not None and given.shape != (m,):
                raise ValueError(f"{name} must hold one number per node, shape ({m},), got {given.shape}")

    @property
    def node_count(self) -> int:
        """Number of all nodes, leaves included."""
        return int(self.feature.size)

    @property
    def n_nodes(self) -> int:
        """Number of branching nodes."""
        return int(np.count_nonzero(self.feature >= 0))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.node_count - self.n_nodes

    @property
    def depth(self) -> int:
        """Largest number of tests from the root to a leaf."""
        level = np.zeros(self.node_count, dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0).tolist():
            level[self.left[node]] = level[self.right[node]] = level[node] + 1
        return int(level.max())

    def feature_name(self, feature: int) -> str:
        """Name of a binary feature: its own, that of its condition, or ``x7``."""
        if self.feature_names is not None:
            return self.feature_names[feature]
        return f"x{feature}" if self.conditions is None else str(self.conditions[feature])

    @property
    def tests(self) -> tuple[Condition | None, ...]:
        """The condition that each node tests; None at leaves. Rows that satisfy it go right.

        A feature of which only a name is known is a Boolean column of that name.
        """
        from streed.tree.walk import conditions_of

        said = conditions_of(self)
        return tuple(said[feature] if feature >= 0 else None for feature in self.feature.tolist())

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the leaf that each row ends in.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Binary features.

        Returns
        -------
        int64 array of shape (n,)
            Numbers of leaves.
        """
        return self.route(check_binary(X, self.n_features))

    def route(self, X: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Do what `apply` does, without its checks; the rows go down in native code."""
        return _core.route(X, self.feature, self.left, self.right)

    def route_columns(
        self, features: Sequence[int], tests: Sequence[ColumnTest], n_rows: int
    ) -> NDArray[np.int64]:
        """Do what `route` does, by the columns that the tree tests: one test for each of some features."""
        number = np.full(self.n_features + 1, -1, np.int32)  # a leaf has -1
        number[list(features)] = np.arange(len(features), dtype=np.int32)
        return _core.route_columns(list(tests), n_rows, number[self.feature], self.left, self.right)

    def branches(self) -> list[tuple[int, int, int]]:
        """Return the branching nodes with their left and right children; parents come before children."""
        nodes = zip(self.feature.tolist(), self.left.tolist(), self.right.tolist(), strict=True)
        return [(node, left, right) for node, (feature, left, right) in enumerate(nodes) if feature >= 0]

    def paid(self) -> NDArray[np.float64]:
        """Return what a row has paid for tests when it reaches each node, the node's own test left out."""
        paid = np.zeros(self.node_count)
        if self.prices is not None:
            for node, left, right in self.branches():
                paid[left] = paid[right] = paid[node] + self.prices[node]
        return paid

    def predict(self, X: ArrayLike, columns: Mapping[str, Any] | None = None) -> NDArray[Any]:
        """Return the prediction for each row of binary features: the label of its leaf.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Binary features.
        columns : mapping, optional
            The columns, by name, that the leaves are functions of, where they are linear functions.

        Returns
        -------
        array of shape (n,), or (n, n_outputs) where leaves predict several numbers
            Predictions.
        """
        return self.predict_leaves(self.apply(X), columns)

    def predict_leaves(
        self, leaf: NDArray[np.int64], columns: Mapping[str, Any] | None = None
    ) -> NDArray[Any]:
        """Return the predictions of rows of which the leaves are known; see `predict`."""
        if not is_linear(self.classes):
            labels: NDArray[Any] = self.classes[self.label][leaf]
            several = self.classes.dtype == object and all(map(is_vector, self.classes.tolist()))
            return np.array(labels.tolist(), dtype=np.float64) if several else labels
        if columns is None:
            raise ValueError("the leaves are linear functions of columns: predictions need these, too")
        values = np.empty(leaf.size)
        for node in np.unique(leaf).tolist():
            rows = leaf == node
            line = self.classes[self.label[node]]
            own = {name: np.asarray(columns[name], dtype=np.float64)[rows] for name, _ in line.terms}
            values[rows] = line.at(own)
        return values

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each row: that of its leaf, see `probabilities`."""
        if self.class_weights is None:
            raise ValueError("this tree has no classes of training rows, so it has no shares of classes")
        return self.probabilities()[self.apply(X)]

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each class at each node: its share, as `smoothing` and `shrinkage` say.

        All classes are equally probable at a node whose rows have no weight.

        Returns
        -------
        array of shape (nodes, n_classes)
            They add up to 1 at every node.
        """
        if self.shrinkage:
            return shrunk(self.class_weights, self.branches(), self.smoothing, self.shrinkage)
        return laplace(self.class_weights, self.smoothing)

    def decision_path(self, X: ArrayLike) -> csr_matrix:
        """Return a sparse matrix of shape (n, node_count) with a 1 at every node that a row goes through."""
        return self.paths(self.apply(X))

    def paths(self, leaf: NDArray[np.int64]) -> csr_matrix:
        """Do what `decision_path` does for rows of which the leaves are known."""
        from scipy.sparse import csr_matrix

        paths: list[list[int]] = [[0] for _ in range(self.node_count)]
        for node in np.flatnonzero(self.feature >= 0).tolist():
            for child in (int(self.left[node]), int(self.right[node])):
                paths[child] = [*paths[node], child]
        lengths = np.array([len(path) for path in paths])
        starts = np.concatenate([[0], np.cumsum(lengths)])
        pointers = np.concatenate([[0], np.cumsum(lengths[leaf])])
        offsets = np.arange(pointers[-1]) - np.repeat(pointers[:-1] - starts[leaf], lengths[leaf])
        nodes = np.concatenate([np.array(path) for path in paths])[offsets]
        return csr_matrix(
            (np.ones(nodes.size, np.int64), nodes, pointers), shape=(leaf.size, self.node_count)
        )

    def _exported(self) -> tuple[Any, dict[str, Any]]:
        from streed.model.model import Model

        return Model.from_tree(self), {}

    def to_dict(self, *, keep_unused: bool = False) -> dict[str, Any]:
        """Return the tree as plain lists, strings and numbers that can be written as JSON.

        Parameters
        ----------
        keep_unused : bool, default=False
            Whether a tree with `conditions` keeps those that it does not test. They have values of the
            training rows, such as names in another column; without them, features are numbered anew.

        Returns
        -------
        dict
            A versioned description; `from_dict` reads it back.
        """
        from streed.views.words.text import tree_to_dict

        return tree_to_dict(self, keep_unused=keep_unused)

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Tree:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        description : mapping
            What `to_dict` returned, also after a round trip through JSON.

        Returns
        -------
        Tree
            An equal tree.

        Raises
        ------
        ValueError
            If the description is not that of a tree, or of a version that this release cannot read.
        """
        from streed.views.words.text import tree_from_dict

        return tree_from_dict(description)

    def over(self, features: ArrayLike, n_features: int, names: Sequence[str] | None) -> Tree:
        """Return the same tree over other binary features; what conditions say of the old ones goes.

        Parameters
        ----------
        features : array-like of int
            ``features[k]`` is the new number of feature k; any number where the tree does not test it.
        n_features : int
            Number of new features.
        names : sequence of str, optional
            A name for each of them.

        Returns
        -------
        Tree
            A new tree that shares the other arrays.

        Examples
        --------
        >>> import streed
        >>> tree = streed.solve(streed.tasks.Accuracy([0, 0, 1]), [[0], [0], [1]], max_depth=1).tree
        >>> tree.over([2], 3, ["a", "b", "c"]).feature.tolist()
        [2, -1, -1]
        """
        other = Tree.__new__(Tree)
        other.__setstate__(self.__getstate__())
        numbers = np.append(np.asarray(features, np.int32), np.int32(-1))  # a leaf has -1
        other.feature = numbers[self.feature]
        other.n_features, other.conditions = n_features, None
        other.feature_names = None if names is None else tuple(names)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self.__getstate__(), other.__getstate__()
        return all(
            np.array_equal(mine[name], theirs[name])
            if isinstance(mine[name], np.ndarray) or isinstance(theirs[name], np.ndarray)
            else mine[name] == theirs[name]
            for name in mine
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "count_later"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # trees of earlier versions were stored without these
        self.conditions = self.details = self.class_counts = None
        self.smoothing = self.shrinkage = 0.0
        for name, value in state.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"Tree(depth={self.depth}, n_nodes={self.n_nodes}, n_leaves={self.n_leaves})"
