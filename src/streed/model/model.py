"""A tree together with what its features mean: all that is needed to predict from a table of columns."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.explain.methods import Explains
from streed.interop.methods import Exports
from streed.model.holds import compared, holds, missing_in
from streed.options import OPTIONS
from streed.report.methods import Reports
from streed.table.columns import Column, Kind, column_names, from_pandas, is_frame, is_pandas, read_columns
from streed.tree.conditions import Condition
from streed.tree.line import is_linear
from streed.tree.missing import answer_absent, check_absent
from streed.tree.result import Result, Solution, proof_text, show, size_text
from streed.tree.tree import Tree
from streed.tree.unused import without_unused
from streed.tree.walk import conditions_of

if TYPE_CHECKING:
    from streed.model.check import Check
    from streed.model.one import Walk


class Seen(NamedTuple):
    """What is known of a column of the fit beside the tests: what it held."""

    kind: Kind


_PROOF = ("measure", "objective", "lower_bound", "gap", "optimal", "status", "node_price")


@dataclass(frozen=True)
class Model(Exports, Explains, Reports):
    """A tree together with what its features mean, so that it predicts from tables of columns.

    Attributes
    ----------
    tree : Tree
        The tree, over binary features.
    conditions : sequence of Condition
        What each binary feature says.
    columns : sequence of str
        The columns of the table that the model was fitted to, in their order.
    missing : {"error", "indicator", "side"}
        Whether missing values are refused, as by `Binarizer`; with the others they satisfy the conditions
        that say so.
    target : str, optional
        Name of the column with the labels.
    objective : str
        Name of the task that was solved.
    parameters : mapping
        Limits and prices that the tree was fitted with.
    proof : mapping
        What the value of the tree measures, the value, proven bound, gap, whether it is optimal, and the
        status of the search.
    missing_at_predict : {"warn", "route", "error"}
        What is done with values that are missing in a column that had none in the fit: as in estimators.
    record : mapping
        Who made the tree and when, with which parameters, of which data, and what the proof covers; see
        `Result.record`. Empty for files of version 1.
    all_columns : bool
        Whether `columns` are all columns of the fit: a frame with others is then refused. Files of version
        0.2 and before do not say so, and models of trees alone know only the columns of their tests.
    verified : tuple of str, optional
        Of a model that was read from a file: what was counted anew from the leaves. Everything else in
        `proof` is recorded, not verified; `check` counts on data. None for a model that was made here.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from streed import OptimalTreeClassifier
    >>> from streed.model.model import Model
    >>> table = np.array([[20, "red"], [30, "blue"], [40, "red"]], dtype=object)
    >>> estimator = OptimalTreeClassifier(max_depth=1).fit(table, ["no", "no", "yes"])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> Model.from_estimator(estimator).save(path)
    >>> model = Model.load(path)
    >>> model.predict(table).tolist()
    ['no', 'no', 'yes']
    >>> model.proof["optimal"]
    True
    """

    tree: Tree
    conditions: Sequence[Condition]
    columns: Sequence[str]
    missing: str = "error"
    target: str | None = None
    objective: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    proof: Mapping[str, Any] = field(default_factory=dict)
    missing_at_predict: str = "warn"
    record: Mapping[str, Any] = field(default_factory=dict)
    all_columns: bool = False
    verified: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.conditions) != self.tree.n_features:
            raise ValueError(
                f"the tree has {self.tree.n_features} binary features, got {len(self.conditions)} conditions"
            )
        if unknown := {condition.column for condition in self.conditions} - set(self.columns):
            raise ValueError(f"there is a condition on {min(unknown)!r}, but no such column")
        if is_linear(self.tree.classes) and (unknown := set(self._leaf_columns()) - set(self.columns)):
            raise ValueError(f"there is a leaf that is a function of {min(unknown)!r}, but no such column")

    def _leaf_columns(self) -> list[str]:
        """Return the columns that the leaves are linear functions of."""
        return list(dict.fromkeys(name for line in self.tree.classes.tolist() for name, _ in line.terms))

    @classmethod
    def from_estimator(cls, estimator: Any, *, target: str | None = None, keep_unused: bool = False) -> Model:
        """Take what is needed from a fitted estimator.

        Parameters
        ----------
        estimator : estimator of streed
            It must be fitted, and use a `streed.Binarizer`, as it does by default.
        target : str, optional
            Name of the column with the labels.
        keep_unused : bool, default=False
            Whether conditions stay that the tree does not test, for those who want to look at other columns.
            They hold values of training rows, such as names and dates.

        Returns
        -------
        Model
            The model.
        """
        if not hasattr(estimator, "tree_"):
            raise ValueError(f"the estimator must be fitted before it can be stored, got {estimator!r}")
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(estimator.n_features_in_)]
        return cls.from_result(
            estimator.result_,
            estimator.binarizer_,
            names,
            target=target,
            parameters={name: getattr(estimator, name) for name in OPTIONS if hasattr(estimator, name)},
            missing_at_predict=getattr(estimator, "missing_at_predict", "warn"),
            keep_unused=keep_unused,
        )

    @classmethod
    def from_tree(cls, tree: Tree) -> Model:
        """Make a model of a tree alone: its columns are those of its conditions, or its binary features."""
        conditions = conditions_of(tree)
        columns = dict.fromkeys(condition.column for condition in conditions)
        missing = "side" if any(condition.knows_missing for condition in conditions) else "error"
        return cls(tree, conditions, tuple(columns), missing=missing)

    def _exported(self) -> tuple[Model, dict[str, Any]]:
        return self, {name: Seen(Kind(kind)) for name, kind in self.kinds.items()}

    @property
    def kinds(self) -> dict[str, str]:
        """What each column held in the fit, as far as that is known: "numbers", "categories" and so on."""
        data = self.record.get("data", {})
        columns = data.get("columns", []) if isinstance(data, Mapping) else []
        return {each["name"]: each["kind"] for each in columns if each["kind"]}

    @classmethod
    def from_result(
        cls,
        result: Result,
        binarizer: Any,
        columns: Sequence[str],
        *,
        solution: Solution | None = None,
        target: str | None = None,
        parameters: Mapping[str, Any],
        missing_at_predict: str = "warn",
        keep_unused: bool = False,
    ) -> Model:
        """Make a model of a solution of a result (by default its best), over the features of a binarizer."""
        if not hasattr(binarizer, "conditions_"):
            raise TypeError(
                "only models with a streed.Binarizer can be stored, since it says what the binary features "
                f"mean; got {type(binarizer).__name__}"
            )
        proof = {name: getattr(result, name) for name in _PROOF}
        if solution is not None:
            proof |= {
                "objective": solution.values,
                "lower_bound": solution.values if result.optimal else None,
            }
        tree = result.tree if solution is None else solution.tree
        conditions = tuple(binarizer.conditions_)
        if not keep_unused:
            tree, conditions = without_unused(tree, conditions)
        return cls(
            tree=tree,
            conditions=conditions,
            columns=tuple(map(str, columns)),
            missing=str(getattr(binarizer, "missing", "error")),
            target=target,
            objective=result.task,
            parameters=parameters,
            proof=proof,
            missing_at_predict=missing_at_predict,
            record=result.record,
            all_columns=True,
        )

    @property
    def tested_columns(self) -> list[str]:
        """The columns that the tree looks at, in the order of the table; predictions need no others."""
        tested = {self.conditions[feature].column for feature in self.tree.feature.tolist() if feature >= 0}
        return [name for name in self.columns if name in tested]

    @property
    def text_columns(self) -> list[str]:
        """The columns of categories that are strings; readers of files should not make numbers of them."""
        return sorted({c.column for c in self.conditions if any(isinstance(v, str) for v in compared(c))})

    def predict(self, table: Any) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        table : frame or array of shape (n, n_columns)
            A frame's columns are found by their names, in any order. Those that the tree tests are needed;
            the other ones of the fit, and `target`, may be there or not, and columns that the fit did not
            have are refused (`all_columns`). An array must have the columns that the model was fitted to.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        tree, features = self.evaluate(table)
        if not is_linear(tree.classes):
            return tree.predict(features)
        table = table if is_frame(table) else _as_array(table, len(self.columns))
        columns = {name: self._column(table, name).floats() for name in self._leaf_columns()}
        if holes := [name for name, values in columns.items() if not np.isfinite(values).all()]:
            raise ValueError(
                f"the leaves are functions of {holes[0]!r}, which has missing or infinite values"
            )
        return tree.predict(features, columns)

    def readable_tree(self) -> Tree:
        """Return the tree with the conditions of the model, as views need it."""
        if self.tree.conditions is not None:
            return self.tree
        tree = copy.copy(self.tree)
        tree.conditions = tuple(self.conditions)
        return tree

    def apply(self, table: Any) -> NDArray[np.int64]:
        """Return the leaf that each row ends in, as a node of `tree`.

        Parameters
        ----------
        table : frame or array of shape (n, n_columns)
            As for `predict`.

        Returns
        -------
        int64 array of shape (n,)
            Numbers of leaves.
        """
        tree, features = self.evaluate(table)
        return tree.apply(features)

    def predict_proba(self, table: Any) -> NDArray[np.float64]:
        """Return, for each row, the share of each class in the training weight of its leaf.

        Parameters
        ----------
        table : frame or array of shape (n, n_columns)
            As for `predict`.

        Returns
        -------
        array of shape (n, n_classes)
            Shares in the order of ``tree.classes``.
        """
        tree, features = self.evaluate(table)
        return tree.predict_proba(features)

    @functools.cached_property
    def _walk(self) -> Walk:
        from streed.model.one import Walk

        return Walk(self)

    def predict_one(self, row: Mapping[str, Any]) -> Any:
        """Return the prediction of one row, as `predict` would for a table of one row, but much sooner.

        Parameters
        ----------
        row : mapping
            From the names of columns to Python's or NumPy's values; None, NaN, NaT or pandas' NA are missing.
            Columns that the tree does not test are not looked at.

        Returns
        -------
        object
            The label of its leaf, or the value of the linear function there.

        Examples
        --------
        >>> from streed import OptimalTreeClassifier
        >>> from streed.model import Model
        >>> estimator = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
        >>> Model.from_estimator(estimator).predict_one({"x0": 2.5})
        'b'
        """
        return self._walk.predict(row)

    def apply_one(self, row: Mapping[str, Any]) -> int:
        """Return the leaf of one row; see `predict_one`.

        Parameters
        ----------
        row : mapping
            From the names of columns to values.

        Returns
        -------
        int
            The number of the leaf.
        """
        return self._walk.leaf(row)

    def check(self, X: Any, y: Any, sample_weight: Any = None) -> Check:
        """Count the leaves anew on data, and compare the data with those of the record.

        Parameters
        ----------
        X : frame or array of shape (n, n_columns)
            The rows of the fit, or those that are said to be.
        y : array-like of shape (n,) or (n, n_outputs)
            Their labels or targets.
        sample_weight : array-like of shape (n,), optional
            The weights of the fit, if it had any.

        Returns
        -------
        streed.model.check.Check
            ``check.passed``, what differs in words, and whether X and y have the recorded SHA-256.

        Examples
        --------
        >>> from streed import OptimalTreeClassifier
        >>> from streed.model import Model
        >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
        >>> model = Model.from_estimator(OptimalTreeClassifier(max_depth=1).fit(X, y))
        >>> print(model.check(X, y))
        3 rows lead to the recorded leaves and have the recorded SHA-256
        >>> print(model.check([[1.0], [1.0], [3.0]], y))  # doctest: +ELLIPSIS
        X does not have the recorded SHA-256; leaf 1 has 1 rows, the file says 2; leaf ...
        """
        from streed.model.check import check

        return check(self, X, y, sample_weight)

    def predict_output(
        self, table: Any, output: str, *, label: Any = None, at: float | None = None
    ) -> NDArray[Any]:
        """Return what `Tree.to_sql` gives with the same arguments, for each row.

        Parameters
        ----------
        table : frame or array of shape (n, n_columns)
            As for `predict`.
        output : str
            "label", "probability", "leaf", "path", "spread", "quantile", "survival" or "hazard".
        label : object, optional
            The class whose probability is wanted; by default the last one of two.
        at : float, optional
            The level of the quantile, or the time.

        Returns
        -------
        array of shape (n,)
            Values.
        """
        from streed.views.outputs import output_of_rows

        if output == "label":
            return self.predict(table)
        return output_of_rows(self.readable_tree(), self.apply(table), output, label, at)

    def evaluate(self, table: Any) -> tuple[Tree, NDArray[np.bool_]]:
        """Return the tree over those features alone that it tests, and these features of a table.

        Parameters
        ----------
        table : frame or array of shape (n, n_columns)
            As for `predict`.

        Returns
        -------
        tuple of Tree and Boolean array
            The tree, with the features that it tests in their order as its only ones, and their values.
        """
        tested = np.unique(self.tree.feature[self.tree.feature >= 0])
        places = np.searchsorted(tested, np.arange(self.tree.n_features))
        tree = self.tree.over(places, tested.size, None)
        if is_frame(table):
            self._refuse_others(table)
        else:
            table = _as_array(table, len(self.columns))
        columns = {name: self._column(table, name) for name in self.tested_columns}
        features = np.empty((table.shape[0], tested.size), dtype=np.bool_)
        for position, feature in enumerate(tested.tolist()):
            condition = self.conditions[feature]
            features[:, position] = holds(condition, columns[condition.column], self.missing)
        return tree, self._with_missing(tree, features, columns, tested.tolist())

    def _with_missing(
        self,
        tree: Tree,
        features: NDArray[np.bool_],
        columns: Mapping[str, Column],
        tested: Sequence[int],
    ) -> NDArray[np.bool_]:
        """Answer the tests of columns that had no missing values in the fit and have some now."""
        knowing = {condition.column for condition in self.conditions if condition.knows_missing}
        absent = {n: where for n, c in columns.items() if n not in knowing and (where := missing_in(c)).any()}
        if not absent or not check_absent(absent, self.missing_at_predict):
            return features
        names = [self.conditions[feature].column for feature in tested]
        of = {position: absent[name] for position, name in enumerate(names) if name in absent}
        _, answered = answer_absent(tree, dict(enumerate(features.T)), of)
        return np.column_stack([answered[position] for position in range(len(tested))])

    @functools.cached_property
    def _known(self) -> frozenset[str]:
        return frozenset([*self.columns, *filter(None, [self.target])])

    def _refuse_others(self, frame: Any) -> None:
        """Refuse a frame with columns that the fit did not have: it may be another table than meant."""
        if not self.all_columns or self._known.issuperset(names := column_names(frame)):
            return
        others = [name for name in names if name not in self._known]
        raise ValueError(
            f"the table has columns that the fit did not have: {listed(others)}; leave them out, "
            "the tree tests only model.tested_columns"
        )

    def _column(self, table: Any, name: str) -> Column:
        return read_column(table, self.columns, name)

    def summary(self) -> str:
        """Say in a few lines what was fitted and what was proven.

        Returns
        -------
        str
            The objective with its value and proof, and the size of the tree.
        """
        measure = self.proof.get("measure") or self.objective or "objective"
        bound = None if self.proof.get("lower_bound") is None else _shown(self.proof["lower_bound"])
        gap, status = _number(self.proof.get("gap")), self.proof.get("status", "unknown")
        proof = proof_text(bool(self.proof.get("optimal")), bound, gap, str(status))
        value = _shown(self.proof.get("objective"))
        read = "" if self.verified is None else f"\nread from a file: {self._verified_text()}"
        return f"{measure}: {value}, {proof}\n{size_text(self.tree)}{read}"

    def _verified_text(self) -> str:
        """Say what of a file was counted anew."""
        if self.verified:
            return "the value was counted anew from the leaves, the proof is recorded, not verified"
        return "value and proof are recorded, not verified"

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain lists, strings and numbers that can be written as JSON.

        Returns
        -------
        dict
            A versioned description; `from_dict` reads it back.
        """
        from streed.model.file import model_to_dict

        return model_to_dict(self)

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Model:
        """Read what `to_dict` wrote.

        Parameters
        ----------
        description : mapping
            What `to_dict` returned, also after a round trip through JSON.

        Returns
        -------
        Model
            An equal model.

        Raises
        ------
        ValueError
            If it is no description of a model, or of a version that this release cannot read.
        """
        from streed.model.file import model_from_dict

        return model_from_dict(description)

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file.

        Parameters
        ----------
        path : str or Path
            Where to; a file that exists is replaced.
        """
        from streed.model.file import save_model

        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model from a file.

        Parameters
        ----------
        path : str or Path
            A file that `save` wrote.

        Returns
        -------
        Model
            The model.

        Raises
        ------
        ValueError
            If the file holds no model, or one of a version that this release cannot read.
        """
        from streed.model.file import load_model

        return load_model(path)


def read_column(table: Any, columns: Sequence[str], name: str) -> Column:
    """Read a column of a table: of a frame by its name, of an array by its place among `columns`."""
    if not is_frame(table):
        return next(read_columns(table[:, [list(columns).index(name)]], [name]))
    names = column_names(table)
    if name not in names:
        raise ValueError(f"the table has no column {name!r}, which the tree tests; it has {listed(names)}")
    place = names.index(name)
    if is_pandas(table):
        return from_pandas(name, table.iloc[:, place])
    return next(read_columns(table[[table.columns[place]]], [name]))


def _as_array(table: Any, n_columns: int) -> NDArray[Any]:
    """Make an array of a table that is no frame; beside strings, numbers stay numbers."""
    array = table if isinstance(table, np.ndarray) else np.array(table, dtype=object)
    if array.ndim != 2 or array.shape[1] != n_columns:
        raise ValueError(f"a table of {n_columns} columns is needed, got an array of shape {array.shape}")
    return array


def listed(names: Sequence[str], most: int = 12) -> str:
    """Write names in a row, and not too many of them.

    Examples
    --------
    >>> listed(["age", "sex", "colour"], most=2)
    "'age', 'sex' and 1 more"
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _shown(value: object) -> str:
    """Write a value, or the values of several objectives, which a file has as a list."""
    return show(tuple(map(_number, value)) if isinstance(value, list | tuple) else _number(value))


def _number(value: object) -> float:
    """Return a number of a proof; a file may have anything in its place, also integers beyond doubles."""
    try:
        return float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return math.inf
