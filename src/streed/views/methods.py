"""The views of a tree, as methods: text, rules, DOT, Python, SQL, a plot and a page.

They are kept apart from the tree itself, which is data; each one is written in a module of its own, which is
imported when the view is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.table.columns import is_frame, numbered_names

if TYPE_CHECKING:
    from streed.tree.tree import Tree
    from streed.views.page.histograms import Rows
    from streed.views.palette import Colors


def rows_to_show(table: Any) -> Rows | None:
    """Return what a page needs of rows: their table, and how a tree sends them to leaves."""
    if table is None:
        return None
    from streed.views.page.histograms import Rows

    return Rows(table if is_frame(table) else np.asarray(table), lambda tree, rows: tree._route_table(rows))


class Views:
    """What a `Tree` can be shown as."""

    __slots__ = ()

    @property
    def _tree(self) -> Tree:
        from streed.tree.tree import Tree

        assert isinstance(self, Tree)
        return self

    def to_text(self) -> str:
        """Draw the tree in plain text, with the training rows of each leaf and the share it gets right."""
        from streed.views.words.text import tree_to_text

        return tree_to_text(self._tree)

    def to_rules(self) -> str:
        """Write the tree as rules, one line per leaf.

        Returns
        -------
        str
            Rules that exclude each other and cover all rows. Tests of the same column are put together where
            the tree knows its `conditions`.

        Examples
        --------
        >>> from streed import Condition, Tree
        >>> tree = Tree([1, -1, 0, -1, -1], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [-1, 0, -1, 0, 1],
        ...             n_samples=[60, 29, 31, 9, 22], classes=["no", "yes"], n_features=2,
        ...             class_weights=[[36, 24], [27, 2], [9, 22], [8, 1], [1, 21]],
        ...             conditions=[Condition("age", "<=", 30.0), Condition("age", "<=", 42.5)])
        >>> print(tree.to_rules())
        if age > 42.5 then no (29 rows, 93.1 %)
        if 30 < age <= 42.5 then no (9 rows, 88.9 %)
        if age <= 30 then yes (22 rows, 95.5 %)
        """
        from streed.views.words.rules import tree_to_rules

        return tree_to_rules(self._tree)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each node, in the order of the nodes.

        Returns
        -------
        pandas.DataFrame
            Columns ``depth``, ``parent`` (-1 at the root) and ``side`` (the answer of the parent's test that
            leads here); ``test`` in words, its ``column``, ``operator``, ``value``, and whether ``missing``
            values satisfy it; the children ``no`` and ``yes`` (-1 at a leaf); ``rows``; ``label`` of a leaf;
            then, as far as the tree knows them, the ``weight of`` each class, the value and the price of the
            test, and mean, spread, events or risk of the rows. What a node does not have is None or NaN.

        Examples
        --------
        >>> from streed import Condition, Tree
        >>> tree = Tree([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[60, 29, 31],
        ...             classes=["no", "yes"], n_features=1, conditions=[Condition("age", "<=", 42.5)])
        >>> print(tree.to_frame()[["parent", "side", "column", "operator", "value", "rows", "label"]])
           parent side column operator value  rows label
        0      -1         age       <=  42.5    60  None
        1       0   no   None     None  None    29    no
        2       0  yes   None     None  None    31   yes
        """
        from streed.views.frame import tree_to_frame

        return tree_to_frame(self._tree)

    def to_dot(self, *, colors: Colors = None) -> str:
        r"""Write the tree in the DOT language, for Graphviz and the programs that read it.

        Parameters
        ----------
        colors : mapping or list of str, optional
            Colours of labels, or of all labels in their order, as ``"#rrggbb"``.

        Returns
        -------
        str
            A directed graph.

        Examples
        --------
        >>> from streed import Tree
        >>> leaf = Tree([-1], [-1], [-1], [0], n_samples=[3], classes=["yes"], n_features=0)
        >>> print(leaf.to_dot().splitlines()[4])
          0 [label="yes\n3 rows", fillcolor="#2f7f86", fontcolor="#ffffff"];
        """
        from streed.views.pictures.dot import tree_to_dot

        return tree_to_dot(self._tree, colors)

    def to_python(
        self, name: str = "predict", *, output: str = "label", label: Any = None, at: float | None = None
    ) -> str:
        """Write the tree as a Python function that needs no package.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function.
        output, label, at
            What the function returns, as for `to_sql`.

        Returns
        -------
        str
            Source of a function of one row, a mapping from names of columns to their values. A tree without
            `conditions` takes the names of its binary features, with values that are true or false.

        Notes
        -----
        Missing values are None, NaN, NaT or pandas' NA. They go where the estimator sends them, if it was
        fitted with ``Binarizer(missing="indicator")``, also in columns that had none then. All names, labels
        and values are written as constants or in comments of one line: the code of a tree from a file that
        another person has written does nothing but predict.

        Examples
        --------
        >>> from streed import Condition, Tree
        >>> tree = Tree([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[60, 29, 31],
        ...             classes=["no", "yes"], n_features=1, conditions=[Condition("age", "<=", 42.5)])
        >>> print(tree.to_python())
        def predict(row):
            \"\"\"Return the label of a row, a mapping from names to values.\"\"\"
        <BLANKLINE>
            def missing(value):
                return value is None or type(value).__name__ == "NAType" or value != value
        <BLANKLINE>
            if not missing(row['age']) and row['age'] <= 42.5:
                return 'yes'  # 31 rows
            return 'no'  # 29 rows
        <BLANKLINE>
        """
        from streed.views.code.source import tree_to_python

        return tree_to_python(self._tree, name, output, label, at)

    def to_sql(
        self,
        *,
        quote: str = '"',
        dates: str | None = None,
        output: str = "label",
        label: Any = None,
        at: float | None = None,
    ) -> str:
        """Write the tree as an SQL expression, for use in a SELECT.

        Parameters
        ----------
        quote : str, default='"'
            What quotes names: a double quote as in the standard, a backtick for MySQL and its relatives,
            ``[`` for SQL Server.
        dates : {"sqlite", "duckdb", "timestamp", "timestamptz"}, optional
            How the dates that the tree compares are stored: as texts of ISO 8601 in SQLite, in any form in
            DuckDB (texts too), elsewhere in columns of a type without or with a time zone.
        output : str, default="label"
            What the expression gives: the "label", the "probability" of one, the number of the "leaf" or the
            "path" to it in words; where leaves predict numbers also the "spread" (standard deviation) of
            their training targets, or a "quantile" of them; for survival trees the probability of "survival"
            up to a time, or the cumulative "hazard".
        label : object, optional
            The class whose probability is wanted; by default the last one of two.
        at : float, optional
            The level of the quantile (0.05, 0.1, 0.25, 0.5, 0.75, 0.9 or 0.95), or the time.

        Returns
        -------
        str
            Nested CASE expressions. NULL counts as missing. Features without `conditions` are columns of
            zeros and ones.

        Notes
        -----
        With backticks, backslashes in strings are doubled, since those databases read them as escapes. Dates
        without a time zone count as UTC, as in a fit. Numbers that databases would not read as exactly the
        same number have an exponent or more digits.

        Raises
        ------
        ValueError
            If the tree compares dates and `dates` does not say how they are stored, if its leaves predict
            several numbers, or if a name, a text or a number of it cannot be written.

        Examples
        --------
        >>> from streed import Condition, Tree
        >>> tree = Tree([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[60, 29, 31],
        ...             classes=["no", "yes"], n_features=1, conditions=[Condition("age", "<=", 42.5)])
        >>> print(tree.to_sql())
        CASE WHEN "age" <= 42.5
          THEN 'yes'
          ELSE 'no'
        END
        >>> print(tree.to_sql(output="path"))
        CASE WHEN "age" <= 42.5
          THEN 'age <= 42.5'
          ELSE 'age > 42.5'
        END
        """
        from streed.views.code.sql import tree_to_sql

        return tree_to_sql(self._tree, quote, dates, output, label, at)

    def plot(self, ax: Any = None, *, title: str | None = None, colors: Colors = None) -> Any:
        """Draw the tree with matplotlib: the root on the left, one line per leaf on the right.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the text shrinks if there is little room. By default a new figure of the size that
            the tree needs.
        title : str, optional
            Heading of the picture.
        colors : mapping or list of str, optional
            Colours of labels, or of all labels in their order, as ``"#rrggbb"``. By default up to 24 classes
            have colours that colour-blind readers, and copies in grey, tell apart.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; ``ax.figure.savefig("tree.pdf")`` stores the picture.

        Examples
        --------
        >>> from streed import Tree
        >>> tree = Tree([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[60, 29, 31],
        ...             classes=["no", "yes"], n_features=1, feature_names=["member"])
        >>> from matplotlib.figure import Figure
        >>> axes = tree.plot(Figure().add_subplot(), title="Who answers")
        >>> axes.get_title(loc="left")
        'Who answers'
        """
        from streed.views.pictures.plot import plot_tree

        return plot_tree(self._tree, ax, title, colors)

    def _route_table(self, table: Any) -> NDArray[np.int64]:
        """Return the leaf of each row of a table of columns."""
        model = self._tree._exported()[0]
        if not is_frame(table):
            model = replace(model, columns=tuple(numbered_names(table.shape[1])))
        leaf: NDArray[np.int64] = replace(model, missing="side").apply(table)
        return leaf

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the interactive page in a frame of its own."""
        from streed.views.page.notebook import framed, height_of

        height = height_of(self._tree.n_leaves, is_front=False)
        return framed(self.to_html(), self.to_text(), title="Decision tree", height=height)

    def to_html(self, *, title: str = "Decision tree", colors: Colors = None, rows: Any = None) -> str:
        """Return an interactive page for the browser, one document that needs no network.

        Parameters
        ----------
        title : str, default="Decision tree"
            Heading of the page.
        colors : mapping or list of str, optional
            Colours of labels, or of all labels in their order, as ``"#rrggbb"``.
        rows : frame or array, optional
            The columns of some rows, such as those of the fit: nodes then show how the values of the column
            that they test are distributed, and the cut.

        Returns
        -------
        str
            An HTML document: nodes fold and unfold, the values of a row light up its path, leaves show
            their statistics, features can be searched for. Write it to a file with ``encoding="utf-8"``.

        Examples
        --------
        >>> from streed import Tree
        >>> leaf = Tree([-1], [-1], [-1], [0], n_samples=[3], classes=["yes"], n_features=0)
        >>> leaf.to_html(title="A leaf").startswith("<!doctype html>")
        True
        """
        from streed.views.page.html import tree_to_html

        return tree_to_html(self._tree, title, colors, rows_to_show(rows))
