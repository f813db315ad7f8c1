"""The methods by which estimators and models report on new rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streed.model.model import Model
    from streed.report.drift import Drift
    from streed.report.report import Report


class Reports:
    """What can report."""

    __slots__ = ()

    def _exported(self) -> tuple[Model, Mapping[str, Any]]:
        """Return the model, and what the fit saw of its columns as far as that is known."""
        raise NotImplementedError

    def drift(self, X: Any) -> Drift:
        """Compare the leaves that new rows end in with those of the training rows.

        Parameters
        ----------
        X : frame or array of shape (n, n_columns)
            The new rows.

        Returns
        -------
        streed.report.Drift
            The population stability index (PSI) of each leaf and as a whole, and a chi-squared test; prints
            as a table.

        Examples
        --------
        >>> from streed import OptimalTreeClassifier
        >>> model = OptimalTreeClassifier(max_depth=1).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
        >>> print(model.drift([[1], [2], [2], [4]]))
        PSI 0.2747, chi-squared 1 (p = 0.317), 4 rows
        leaf  training     now     PSI  path
           1     50.0%   25.0%  0.1733  x0 > 2.5
           2     50.0%   75.0%  0.1014  x0 <= 2.5
        """
        from streed.report.drift import drift

        return drift(self._exported()[0], X)

    def report(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        train: tuple[Any, ...] | None = None,
        resamples: int = 20,
        title: str = "",
        purpose: str = "",
    ) -> Report:
        """Report on the model for those who decide about it, with figures of rows that it has not seen.

        Parameters
        ----------
        X : frame or array of shape (n, n_columns)
            Rows that were not used for the fit.
        y : array-like of shape (n,), or table
            Their labels or numbers. Of survival trees the events and times, as `SurvivalTree.fit` takes
            them; of policies the rewards and of trees of costs per row the costs, one column for each label,
            or None where these are not known.
        groups : array-like of shape (n,), optional
            The group of each row, for rates by group.
        train : table, targets and sensitive features of the fit, optional
            The rows of the fit, for figures beside those of the new rows; an estimator is then also fitted to
            `resamples` bootstrap samples of them, to say how often each column is tested again. The
            `sensitive_features` belong to it only if the fit was given them.
        resamples : int, default=20
            Number of bootstrap samples; 0 for none.
        title : str, optional
            Heading.
        purpose : str, optional
            What the model is for; stands in the report as it is given.

        Returns
        -------
        streed.report.Report
            ``to_html()`` is one page that needs no network, ``to_markdown()`` the same as text; ``save``
            writes either.
        """
        from streed.report.report import make_report

        return make_report(
            self, self._exported()[0], X, y, groups, train, resamples, title=title, purpose=purpose
        )
