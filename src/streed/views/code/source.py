"""A tree as a Python function that predicts without this package; `sql.py` writes an SQL expression."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterator, Mapping
from typing import Any

from streed.tree.conditions import Condition
from streed.tree.line import Line
from streed.tree.tree import Tree
from streed.views.outputs import leaf_outputs
from streed.views.words.text import plain
from streed.views.words.wording import leaf_facts

MISSING_HELPER = """    def missing(value):
        return value is None or type(value).__name__ == "NAType" or value != value
""".splitlines()
"""None, NaN and NaT, and pandas' NA, which has no truth value: it cannot be compared before."""

DATE_HELPER = """    def date(value):
        parsed = datetime.fromisoformat(str(value))
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)
""".splitlines()


PARTS = {
    "month": "date({}).astimezone(timezone.utc).month",
    "weekday": "date({}).astimezone(timezone.utc).isoweekday()",
    "hour": "date({}).astimezone(timezone.utc).hour",
}
"""How Python says parts of dates."""


def tree_to_python(
    tree: Tree, name: str, output: str = "label", label: Any = None, at: float | None = None
) -> str:
    """Write a function of a row; see `Tree.to_python`."""
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise ValueError(f"the name of the function must be a Python identifier, got {name!r}")
    tests = [tree.conditions[f] for f in tree.feature.tolist() if f >= 0] if tree.conditions else []
    dates = any(map(is_date, tests))
    values = leaf_outputs(tree, output, label, at)
    lines = [
        *(["from datetime import datetime, timezone", "", ""] if dates else []),
        f"def {name}(row):",
        f'    """Return the {output} of a row, a mapping from names to values."""',
        *(["", *MISSING_HELPER, ""] if tests else []),
        *([*DATE_HELPER, ""] if dates else []),
        *(f"    {line}" for line in _python(tree, 0, values)),
    ]
    return "\n".join(lines) + "\n"


def is_date(test: Condition) -> bool:
    """Whether a test compares dates or parts of them."""
    return test.operator == "<=" and (isinstance(test.value, str) or bool(test.part))


def _python(tree: Tree, node: int, values: Mapping[int, Any]) -> Iterator[str]:
    if tree.feature[node] < 0:
        yield f"return {_python_value(values[node])}  # {leaf_facts(tree, node)}"
        return
    yield f"if {_python_test(tree, int(tree.feature[node]))}:"
    yield from (f"    {line}" for line in _python(tree, int(tree.right[node]), values))
    yield from _python(tree, int(tree.left[node]), values)


def _python_value(label: Any) -> str:
    """Write what a leaf gives: a constant, several of them, or a linear function of the row."""
    if isinstance(label, Line):
        terms = [f"{factor!r} * row[{name!r}]" for name, factor in label.terms]
        return " + ".join([repr(label.intercept), *terms])
    if isinstance(label, tuple):
        return repr(tuple(plain(part) for part in label))
    return _constant(plain(scalar(label)))


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
    if test.part:
        return f"{PARTS[test.part].format(value)} <= {limit}"
    return f"date({value}) <= date({limit})" if is_date(test) else f"{value} <= {limit}"


def scalar(value: Any) -> Any:
    """Return the Python object of a NumPy scalar, whose representation would need NumPy."""
    return value.item() if hasattr(value, "item") else value


def _constant(value: Any) -> str:
    """Write a text or a number as Python reads it; anything else could be code."""
    value = scalar(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, str | int | float):
        return repr(value)
    raise TypeError(f"only strings and numbers can be written as source code, got {value!r}")
