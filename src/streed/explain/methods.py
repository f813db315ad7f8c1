"""The method by which models and estimators explain rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streed.explain.explanations import Explanations
    from streed.model.model import Model


class Explains:
    """What can explain rows."""

    __slots__ = ()

    def _exported(self) -> tuple[Model, Mapping[str, Any]]:
        """Return the model, and what the fit saw of its columns as far as that is known."""
        raise NotImplementedError

    def explain(self, rows: Any, *, fixed: Sequence[str] = (), tolerance: float = 0.0) -> Explanations:
        """Say why each row gets its prediction, and what would have to change for another one.

        Parameters
        ----------
        rows : frame or array of shape (n, n_columns)
            The rows.
        fixed : list of str, default=()
            Columns that cannot change, such as an age.
        tolerance : float, default=0.0
            Predictions of numbers that differ by no more count as the same.

        Returns
        -------
        Explanations
            A sequence with an `Explanation` for each row. Its reasons are the fewest tests on the path of the
            row that decide the prediction whatever the values of all other columns are. Its changes are, for
            each other prediction, the fewest columns that have to change, with the nearest values in them.

        Examples
        --------
        >>> import pandas as pd
        >>> from streed import OptimalTreeClassifier
        >>> table = pd.DataFrame({"age": [23, 31, 38, 44, 52, 60], "member": [True, False] * 3})
        >>> model = OptimalTreeClassifier(max_depth=2).fit(table, ["a", "a", "b", "a", "b", "a"])
        >>> print(model.explain(table[:3]).to_text())
        a, because age <= 27
          b, if age > 27 (now 23)
        a, because not member
          b, if member (now False)
        b, because age > 27 and member
          a, if age <= 27 (now 38)
        """
        from streed.explain.explanations import explain

        return explain(self._exported()[0], rows, fixed=fixed, tolerance=tolerance)
