"""A tree as an SQL expression that predicts without this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streed.tree.conditions import Condition
from streed.tree.line import Line
from streed.tree.tree import Tree
from streed.views.code.constants import sql_constant, sql_number
from streed.views.code.date_parts import PARTS
from streed.views.code.dates import DATES
from streed.views.code.source import is_date, scalar
from streed.views.outputs import leaf_outputs
from streed.views.words.text import plain

CLOSING = {'"': '"', "`": "`", "[": "]"}
"""The characters that quote names in SQL, with their counterparts."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What quotes names, and how dates are stored; see `Tree.to_sql`."""

    quote: str
    dates: str | None

    def name(self, name: str) -> str:
        """Quote a name.

        Of the databases that quote names by backticks, some read a backslash in them as an escape and some do
        not: no way to write it is safe for all.
        """
        closing = CLOSING[self.quote]
        if "\0" in name or (self.quote == "`" and "\\" in name):
            raise ValueError(
                f"the name {name!r} cannot be quoted by {self.quote} for every database: rename it"
            )
        return f"{self.quote}{name.replace(closing, 2 * closing)}{closing}"

    def constant(self, value: object) -> str:
        """Write a text, a number or a Boolean."""
        return sql_constant(scalar(value), self.quote)

    def up_to_date(self, test: Condition) -> str:
        """Write that dates or parts of them are at most a limit; refuse to if their form is not known."""
        if self.dates is None:
            raise ValueError(
                f"the tree compares dates (column {test.column!r}), which databases store in several forms, "
                f"and text compared with text would be wrong: give dates={', '.join(map(repr, DATES))}"
            )
        name = self.name(test.column)
        if test.part:
            return f"{PARTS[self.dates](name, test.part, self.quote)} <= {test.value}"
        return DATES[self.dates](name, test.value, self.quote)


def tree_to_sql(
    tree: Tree,
    quote: str,
    dates: str | None,
    output: str = "label",
    label: Any = None,
    at: float | None = None,
) -> str:
    """Write nested CASE expressions; see `Tree.to_sql`."""
    if quote not in CLOSING:
        raise ValueError(f"quote must be one of {', '.join(CLOSING)}, got {quote!r}")
    if dates is not None and dates not in DATES:
        raise ValueError(f"dates must be one of {', '.join(map(repr, DATES))}, or None, got {dates!r}")
    values = leaf_outputs(tree, output, label, at)
    return "\n".join(_lines(tree, 0, Dialect(quote, dates), values))


def _lines(tree: Tree, node: int, dialect: Dialect, values: Mapping[int, Any]) -> Iterator[str]:
    """Rows whose test is unknown, since a value is NULL, go to ELSE: the side of rows without the feature."""
    if tree.feature[node] < 0:
        yield _leaf(values[node], dialect)
        return
    yield f"CASE WHEN {_test(tree, int(tree.feature[node]), dialect)}"
    for word, child in (("THEN", tree.right[node]), ("ELSE", tree.left[node])):
        first, *others = _lines(tree, int(child), dialect, values)
        yield f"  {word} {first}"
        yield from (f"  {line}" for line in others)
    yield "END"


def _leaf(label: Any, dialect: Dialect) -> str:
    """Write what a leaf gives: a constant, or a linear function of columns."""
    if isinstance(label, Line):
        terms = [f"{sql_number(factor)} * {dialect.name(name)}" for name, factor in label.terms]
        return " + ".join([sql_number(label.intercept), *terms])
    if isinstance(label, tuple):
        raise ValueError(
            f"an SQL expression has one value, but the leaves of this tree predict {len(label)}; "
            "write one tree for each target, or use to_python"
        )
    return dialect.constant(plain(scalar(label)))


def _test(tree: Tree, feature: int, dialect: Dialect) -> str:
    if tree.conditions is None:
        return f"{dialect.name(tree.feature_name(feature))} = 1"
    test: Condition = tree.conditions[feature]
    compared = _of_values(test, dialect)
    return f"{dialect.name(test.column)} IS NULL OR {compared}" if test.missing else compared


def _of_values(test: Condition, dialect: Dialect) -> str:
    name = dialect.name(test.column)
    if test.operator == "is":
        return f"{name} = {dialect.constant(True)}" if test.value is True else f"{name} IS NULL"
    if test.operator == "in":
        return f"{name} IN ({', '.join(map(dialect.constant, test.value))})"
    if is_date(test):
        return dialect.up_to_date(test)
    return f"{name} {test.operator} {dialect.constant(test.value)}"
