"""A tree as source code: a Python function and an SQL expression that predict without this package."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterator
from typing import Any

from streed.tree.conditions import Condition
from streed.tree.line import Line
from streed.tree.tree import Tree
from streed.views.text import plain
from streed.views.wording import leaf_facts

CLOSING = {'"': '"', "`": "`", "[": "]"}
"""The characters that quote names in SQL, with their counterparts."""


MISSING_HELPER = """    def missing(value):
        return value is None or type(value).__name__ == "NAType" or value != value
""".splitlines()
"""None, NaN and NaT, and pandas' NA, which has no truth value: it cannot be compared before."""

DATE_HELPER = """    def date(value):
        parsed = datetime.fromisoformat(str(value))
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)
""".splitlines()


def tree_to_python(tree: Tree, name: str) -> str:
    """Write a function of a row; see `Tree.to_python`."""
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise ValueError(f"the name of the function must be a Python identifier, got {name!r}")
    tests = [tree.conditions[f] for f in tree.feature.tolist() if f >= 0] if tree.conditions else []
    dates = any(map(_is_date, tests))
    lines = [
        *(["from datetime import datetime, timezone", "", ""] if dates else []),
        f"def {name}(row):",
        '    """Return the label of a row, a mapping from names to values."""',
        *(["", *MISSING_HELPER, ""] if tests else []),
        *([*DATE_HELPER, ""] if dates else []),
        *(f"    {line}" for line in _python(tree, 0)),
    ]
    return "\n".join(lines) + "\n"


def _is_date(test: Condition) -> bool:
    return test.operator == "<=" and isinstance(test.value, str)


def _python(tree: Tree, node: int) -> Iterator[str]:
    if tree.feature[node] < 0:
        yield f"return {_python_value(tree, node)}  # {leaf_facts(tree, node)}"
        return
    yield f"if {_python_test(tree, int(tree.feature[node]))}:"
    yield from (f"    {line}" for line in _python(tree, int(tree.right[node])))
    yield from _python(tree, int(tree.left[node]))


def _python_value(tree: Tree, node: int) -> str:
    """Write what a leaf predicts: a constant, several of them, or a linear function of the row."""
    label = tree.classes[tree.label[node]]
    if isinstance(label, Line):
        terms = [f"{factor!r} * row[{name!r}]" for name, factor in label.terms]
        return " + ".join([repr(label.intercept), *terms])
    if isinstance(label, tuple):
        return repr(tuple(plain(part) for part in label))
    return _constant(_literal(tree, node))


def _literal(tree: Tree, node: int) -> str | int | float:
    label = tree.classes[tree.label[node]]
    return plain(label.item() if hasattr(label, "item") else label)


def _python_test(tree: Tree, feature: int) -> str:
    """Write what is true for the rows that go right.

    Missing values go right where the test says so. They may also be missing where they were not when the tree
    was made: such rows go left.
    """
    if tree.conditions is None:
        return f"row[{tree.feature_name(feature)!r}]"
    test = tree.conditions[feature]
    value = f"row[{test.column!r}]"
    if test.operator == "is" and test.value is None:
        return f"missing({value})"
    if test.missing:
        return f"missing({value}) or {_comparison(test, value)}"
    return f"not missing({value}) and {_comparison(test, value)}"


def _comparison(test: Condition, value: str) -> str:
    """Write the test of a value that is there."""
    if test.operator == "is":
        return f"{value} == 1"
    if test.operator == "in":
        items = [_constant(item) for item in test.value]
        return f"{value} in ({', '.join(items)}{',' if len(items) == 1 else ''})"
    limit = _constant(test.value)
    if test.operator == "=":
        return f"{value} == {limit}"
    return f"date({value}) <= date({limit})" if _is_date(test) else f"{value} <= {limit}"


def _item(value: Any) -> Any:
    """Return the Python object of a NumPy scalar, whose representation would need NumPy."""
    return value.item() if hasattr(value, "item") else value


def _constant(value: Any) -> str:
    """Write a text or a number as Python reads it; anything else could be code."""
    value = _item(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, str | int | float):
        return repr(value)
    raise TypeError(f"only strings and numbers can be written as source code, got {value!r}")


def tree_to_sql(tree: Tree, quote: str) -> str:
    """Write nested CASE expressions; see `Tree.to_sql`."""
    if quote not in CLOSING:
        raise ValueError(f"quote must be one of {', '.join(CLOSING)}, got {quote!r}")
    return "\n".join(_sql(tree, 0, quote))


def _sql(tree: Tree, node: int, quote: str) -> Iterator[str]:
    """Rows whose test is unknown, since a value is NULL, go to ELSE: the side of rows without the feature."""
    if tree.feature[node] < 0:
        yield _sql_leaf(tree, node, quote)
        return
    yield f"CASE WHEN {_sql_test(tree, int(tree.feature[node]), quote)}"
    for word, child in (("THEN", tree.right[node]), ("ELSE", tree.left[node])):
        first, *others = _sql(tree, int(child), quote)
        yield f"  {word} {first}"
        yield from (f"  {line}" for line in others)
    yield "END"


def _sql_leaf(tree: Tree, node: int, quote: str) -> str:
    """Write what a leaf predicts: a constant, or a linear function of columns."""
    label = tree.classes[tree.label[node]]
    if isinstance(label, Line):
        terms = [f"{factor!r} * {_sql_name(name, quote)}" for name, factor in label.terms]
        return " + ".join([repr(label.intercept), *terms])
    if isinstance(label, tuple):
        raise ValueError(
            f"an SQL expression has one value, but the leaves of this tree predict {len(label)}; "
            "write one tree for each target, or use to_python"
        )
    return _sql_value(_literal(tree, node), quote)


def _sql_test(tree: Tree, feature: int, quote: str) -> str:
    if tree.conditions is None:
        return f"{_sql_name(tree.feature_name(feature), quote)} = 1"
    test: Condition = tree.conditions[feature]
    compared = _sql_of_values(test, quote)
    return f"{_sql_name(test.column, quote)} IS NULL OR {compared}" if test.missing else compared


def _sql_of_values(test: Condition, quote: str) -> str:
    name = _sql_name(test.column, quote)
    if test.operator == "is":
        return f"{name} = {_sql_value(True, quote)}" if test.value is True else f"{name} IS NULL"
    if test.operator == "in":
        return f"{name} IN ({', '.join(_sql_value(_item(value), quote) for value in test.value)})"
    return f"{name} {test.operator} {_sql_value(_item(test.value), quote)}"


def _sql_name(name: str, quote: str) -> str:
    """Quote a name.

    Of the databases that quote names by backticks, some read a backslash in them as an escape and some do
    not: no way to write it is safe for all.
    """
    closing = CLOSING[quote]
    if "\0" in name or (quote == "`" and "\\" in name):
        raise ValueError(f"the name {name!r} cannot be quoted by {quote} for every database: rename it")
    return f"{quote}{name.replace(closing, 2 * closing)}{closing}"


def _sql_value(value: Any, quote: str) -> str:
    """Write a constant.

    SQL Server has no Boolean constants, and databases that quote names by backticks read a backslash in a
    string as an escape.
    """
    if isinstance(value, bool):
        return repr(int(value)) if quote == "[" else repr(value).upper()
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"SQL has no constant for the text {value!r}")
        escaped = value.replace("\\", "\\\\") if quote == "`" else value
        return "'" + escaped.replace("'", "''") + "'"
    if not isinstance(value, int | float):
        raise TypeError(f"only strings and numbers can be written as SQL, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"SQL has no constant for the number {value!r}")
    return repr(value)
