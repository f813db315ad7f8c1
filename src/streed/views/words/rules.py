"""A tree as rules, one per leaf, with the tests of a column put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from streed.tree.conditions import Condition
from streed.tree.tree import Tree
from streed.tree.walk import paths
from streed.views.words.wording import (
    answer,
    is_missing_test,
    leaf_facts,
    leaf_label,
    may_be_missing,
    one_line,
)

Step = tuple[int, bool]


def tree_to_rules(tree: Tree) -> str:
    """Write one rule per leaf."""
    return "\n".join(
        f"{_premise(tree, steps)}{leaf_label(tree, leaf)} ({leaf_facts(tree, leaf)})"
        for leaf, steps in paths(tree)
    )


def _premise(tree: Tree, steps: list[Step]) -> str:
    return f"if {' and '.join(phrases(tree, steps))} then " if steps else "always "


def phrases(tree: Tree, steps: list[Step]) -> Iterator[str]:
    """Say each column's part of a path once, in the order in which the columns are tested first."""
    if tree.conditions is None:
        yield from (answer(tree, feature, holds) for feature, holds in steps)
        return
    columns = dict.fromkeys(tree.conditions[feature].column for feature, _ in steps)
    for column in columns:
        own = [step for step in steps if tree.conditions[step[0]].column == column]
        tests = tree.conditions
        said = any(is_missing_test(tests[feature]) for feature, _ in own)
        reaches = all(tests[feature].knows_missing == holds for feature, holds in own)
        found = any(is_missing_test(tests[feature]) and holds for feature, holds in own)
        if found or (reaches and not said and any(_no_value(tests, part) for part in _by_part(tests, own))):
            yield f"{one_line(column)} is missing"
            continue
        phrases = [
            phrase for part in _by_part(tests, own) for phrase in _column_phrases(tree, _needed(tests, part))
        ]
        if may_be_missing(tree, column) and reaches and not said:
            phrases[-1] += " (or missing)"
        yield from phrases


def _by_part(conditions: tuple[Condition, ...], steps: list[Step]) -> list[list[Step]]:
    """Keep apart what is said of dates and of each part of them, whose cuts cannot be compared."""
    parts = dict.fromkeys(conditions[feature].part for feature, _ in steps)
    return [[step for step in steps if conditions[step[0]].part == part] for part in parts]


def _no_value(conditions: tuple[Condition, ...], steps: list[Step]) -> bool:
    """Whether the answers about a column leave no value but a missing one: above one cut, below a lower."""
    above, below = _tightest(conditions, [step for step in steps if _is_cut(conditions[step[0]])])
    if above is not None and below is not None:
        return bool(_place(conditions[above[0]]) >= _place(conditions[below[0]]))
    yes, no = (
        {replace(conditions[f], missing=False) for f, said in steps if said == side} for side in (True, False)
    )
    return bool(yes & no)


def _needed(conditions: tuple[Condition, ...], steps: list[Step]) -> list[Step]:
    """Leave out what other answers about the same column imply.

    "colour = red" implies "colour is not blue", "age is missing" implies that it is not below any cut, and
    whatever holds for a value implies that it is not missing. Of several cuts the tightest ones stay.
    """
    cuts = [step for step in steps if _is_cut(conditions[step[0]])]
    others = [step for step in dict.fromkeys(steps) if step not in cuts]
    said = [step for step in others if step[1]]
    if said:
        return said
    above, below = _tightest(conditions, cuts)
    ends = [step for step in (above, below) if step is not None]
    return ends if below is not None else [*others, *ends]


def _tightest(conditions: tuple[Condition, ...], cuts: list[Step]) -> tuple[Step | None, Step | None]:
    """Return the highest cut that a path is above, and the lowest one that it is not above."""

    def place(step: Step) -> Any:
        return _place(conditions[step[0]])

    above = max((step for step in cuts if not step[1]), key=place, default=None)
    return above, min((step for step in cuts if step[1]), key=place, default=None)


def _column_phrases(tree: Tree, steps: list[Step]) -> list[str]:
    """Write "30 < age <= 42.5" for two cuts, and any other answers one by one."""
    assert tree.conditions is not None
    tests = [tree.conditions[feature] for feature, _ in steps]
    if len(steps) == 2 and all(map(_is_cut, tests)):
        low = answer(tree, *steps[0]).removeprefix(f"{one_line(tests[0].subject)} > ")
        return [f"{low} < {_of_values(tree, *steps[1])}"]
    return [_of_values(tree, *step) for step in steps]


def _of_values(tree: Tree, feature: int, holds: bool) -> str:
    """Say an answer without a word about missing values, which the rule mentions once for all."""
    assert tree.conditions is not None
    text = answer(tree, feature, holds)
    return text.removesuffix(" or missing") if tree.conditions[feature].missing else text


def _is_cut(test: Condition) -> bool:
    return test.operator == "<=" or test.ordered


def _place(test: Condition) -> Any:
    """Return where a cut lies: categories up to a cut of their order are the more, the higher it is."""
    return len(test.value) if test.ordered else test.value
