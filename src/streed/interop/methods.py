"""The methods by which trees, models and estimators become those of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streed.model.model import Model


class Exports:
    """What can be exported."""

    __slots__ = ()

    def _exported(self) -> tuple[Model, Mapping[str, Any]]:
        """Return the model, and what the fit saw of its columns as far as that is known."""
        raise NotImplementedError

    def to_sklearn(
        self,
        X: Any = None,
        *,
        pipeline: bool = False,
        leaves: str = "shares",
        dtype: str | None = None,
    ) -> Any:
        """Return the tree as a fitted tree of scikit-learn, for all tools that read those.

        Parameters
        ----------
        X : frame or array, optional
            Rows to check: the export is refused if one of them would end in another leaf.
        pipeline : bool, default=False
            Whether to return a `Pipeline` that takes the table as it is. Its last step is the tree, the step
            before makes the columns of the tree: numbers, Booleans and zeros and ones stay as they are, each
            test on categories or dates becomes a column of zeros and ones.
        leaves : {"shares", "labels"}, default="shares"
            What the leaves of a classifier hold: the shares of the classes, as `predict_proba` returns them,
            or 1 for their label. With shares a tree is refused if a leaf does not predict its most frequent
            class, as with some costs, limits on fairness, and policies.
        dtype : {"float64", "float32"}, optional
            Type of the numbers that will be predicted, since no cut is right for both. By default that of
            the columns of the fit; "float64" for trees and for models from files.

        Returns
        -------
        DecisionTreeClassifier, DecisionTreeRegressor or Pipeline
            A fitted estimator. Survival trees become regressors of the risk.

        Raises
        ------
        streed.ExportError
            If scikit-learn has no equal tree; the message says which test or leaf has none.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import export_text
        >>> from streed import OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> tree = OptimalTreeClassifier(max_depth=1).fit(X, y).to_sklearn()
        >>> print(export_text(tree, feature_names=list(X.columns)), end="")
        |--- petal length (cm) <= 2.00
        |   |--- class: 0
        |--- petal length (cm) >  2.00
        |   |--- class: 1
        """
        from streed.interop.sklearn_tree import to_sklearn

        model, seen = self._exported()
        return to_sklearn(model, seen, X, pipeline=pipeline, leaves=leaves, dtype=dtype)

    def to_onnx(self, path: str | Path | None = None) -> Any:
        """Return the tree as a model of ONNX that takes the columns of the table, and write it to a file.

        Parameters
        ----------
        path : str or Path, optional
            File to write; by default none is written.

        Returns
        -------
        onnx.ModelProto
            The model. It compares doubles, so that every row ends in the leaf that `predict` finds.

        Raises
        ------
        streed.ExportError
            If the tree has no equal in ONNX; the message says which test or leaf has none.
        """
        from streed.interop.onnx_graph import to_onnx

        model, seen = self._exported()
        return to_onnx(model, seen, path)
