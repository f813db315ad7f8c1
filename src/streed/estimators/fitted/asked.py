"""What scikit-learn's users ask of a tree: its size, what columns are worth, logarithms of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from streed.estimators.fitted.importance import NodeCosts, drops_of_columns, importances
from streed.table.columns import numbered_names
from streed.tree.tree import Tree


def _has_probabilities(estimator: Any) -> bool:
    return hasattr(estimator, "predict_proba")


class Asked:
    """Mixin of estimators with a fitted tree."""

    tree_: Tree
    n_features_in_: int
    predict_proba: Any
    _node_costs: NodeCosts | None
    _columns_of_features: Any

    def get_depth(self) -> int:
        """Return the depth of the fitted tree: the greatest number of tests from the root to a leaf.

        Returns
        -------
        int
            0 for a single leaf.
        """
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the fitted tree.

        Returns
        -------
        int
            One more than the branching nodes.
        """
        return self.tree_.n_leaves

    @property
    def n_leaves_(self) -> int:
        """Number of leaves of the fitted tree."""
        return self.tree_.n_leaves

    @property
    def feature_drops_(self) -> NDArray[np.float64]:
        """How much each column lowers the objective, against a single leaf, in units of the objective.

        The drop of a split is what its node costs as a leaf, less what its children do. It is shared equally
        by the columns that are tested on the way to it, its own included, so that a split that only prepares
        others counts, too. Prices of tests and of nodes are left out.
        """
        tree = self.tree_
        names = list(getattr(self, "feature_names_in_", numbered_names(self.n_features_in_)))
        costs = self._node_costs
        return drops_of_columns(tree, costs, self._columns_of_features(tree.n_features), names)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The shares of the columns in what the tree saves against a single leaf; they add up to 1.

        See `feature_drops_` for the drops themselves. All are 0 where the tree saves nothing.
        """
        return importances(self.feature_drops_)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of what `predict_proba` returns.

        Parameters
        ----------
        X : array-like or frame of shape (n, n_features_in_)
            The rows.

        Returns
        -------
        array of shape (n, n_classes)
            Minus infinity where a probability is 0, as shares that are not smoothed may be.
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms
