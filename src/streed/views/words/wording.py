"""How views say things: what is in a leaf, what a test asks, and what it means when the answer is no."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streed.tree.details import Curves, Numbers

if TYPE_CHECKING:
    from streed.tree.conditions import Condition
    from streed.tree.tree import Tree


LARGE, MILLION, THOUSAND = 1e15, 1e6, 1e3
"""Numbers from here on have an exponent; labels from here on, and other numbers from here on, no decimals."""


def leaf_label(tree: Tree, node: int) -> str:
    """Return the label of a leaf as a text of one line; real numbers get six digits."""
    return one_line(tree_label(tree, int(tree.label[node])))


def tree_label(tree: Tree, label: int) -> str:
    """Return a label of a tree as a text: of times to events the hazard, by its name and in its unit."""
    value = tree.classes[label]
    if isinstance(tree.details, Curves) and isinstance(value, float | np.floating):
        return f"hazard {number_words(float(value), 2)} of average"
    return label_text(value)


def label_text(label: object) -> str:
    """Return a label as text; real numbers get six digits, also several of them.

    Examples
    --------
    >>> from streed.views.words.wording import label_text
    >>> label_text(2 / 3), label_text((0.5, 1 / 3)), label_text("yes")
    ('0.666667', '0.5, 0.333333', 'yes')
    """
    if isinstance(label, tuple):
        return ", ".join(map(label_text, label))
    if not isinstance(label, float | np.floating):
        return str(label)
    number = float(label)
    return f"{number:,.0f}" if MILLION <= abs(number) < LARGE else f"{number:.6g}"


def one_line(text: str) -> str:
    r"""Write what cannot be printed, such as the end of a line, as an escape: nothing leaves its place.

    Examples
    --------
    >>> one_line("a line\nand another"), one_line("Größe")
    ('a line\\nand another', 'Größe')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def number_words(number: float, digits: int = 4) -> str:
    """Write a number as a person reads it: few digits, thousands apart, no exponent where it can be helped.

    Examples
    --------
    >>> number_words(21960.0), number_words(0.0961315), number_words(-3.0), number_words(1234567.8)
    ('21,960', '0.09613', '-3', '1,234,568')
    >>> number_words(12.3456), number_words(2.5e-7), number_words(4.2e19)
    ('12.35', '2.5e-07', '4.2e+19')
    """
    if abs(number) < LARGE and (number == round(number) or abs(number) >= THOUSAND):
        return f"{number + 0.0:,.0f}"
    return f"{number:.{digits}g}"


def rows_text(rows: int) -> str:
    """Return a number of rows in words."""
    return f"{rows} {'row' if rows == 1 else 'rows'}"


def leaf_facts(tree: Tree, node: int) -> str:
    """Say how many training rows a leaf has, what they are worth or how many are right, what they paid."""
    facts = [rows_text(int(tree.n_samples[node]))]
    if tree.values is not None:
        facts.append(f"{value_name(tree)} {number_words(float(tree.values[node]))}")
    elif tree.class_weights is not None:
        facts.append(share_text(tree, node))
    facts += detail_facts(tree, node)
    if tree.prices is not None:
        facts.append(f"tests {tree.paid()[node]:.6g}")
    return ", ".join(facts)


def detail_facts(tree: Tree, node: int) -> list[str]:
    """Say how much the targets at a node spread, or how many events there were and when half had occurred."""
    details = tree.details
    if isinstance(details, Numbers):
        spreads = np.atleast_1d(details.spread[node]).tolist()
        return [f"± {', '.join(map(number_words, spreads))}"]
    if isinstance(details, Curves):
        events = number_words(float(details.events[node]), 6)
        half = median_time(details, node)
        later = "" if details.times.size == 0 else f" > {number_words(float(details.times[-1]))}"
        shown = f"median{later}" if half is None else f"median {number_words(half)}"
        return (
            [f"{events} {'event' if events == '1' else 'events'}", shown]
            if details.times.size
            else [f"{events} events"]
        )
    return []


def median_time(curves: Curves, node: int) -> float | None:
    """Return the first time at which at most half of the rows of a node survive; None if more always do."""
    reached = np.flatnonzero(curves.survival[node] <= 0.5)
    return float(curves.times[reached[0]]) if reached.size else None


def value_name(tree: Tree) -> str:
    """Return what the values of a tree are called."""
    return one_line(tree.value_name) or "value"


def label_share(tree: Tree, node: int) -> float | None:
    """Return the share of a leaf's training weight that has the leaf's label; None without classes."""
    if tree.class_weights is None:
        return None
    weights = tree.class_weights[node]
    total = float(weights.sum())
    return float(weights[tree.label[node]]) / total if total > 0 else 0.0


def is_weighted(tree: Tree) -> bool:
    """Whether shares of the weight of rows are not the shares of the rows themselves."""
    if tree.class_weights is None:
        return False
    return tree.class_counts is not None or not np.allclose(tree.class_weights.sum(axis=1), tree.n_samples)


def share_text(tree: Tree, node: int) -> str:
    """Say which share of the rows of a leaf has its label; where rows have weights, by weight beside it.

    Examples
    --------
    >>> from streed import Tree
    >>> leaf = Tree([-1], [-1], [-1], [1], n_samples=[4], class_weights=[[3, 9]], class_counts=[[3, 1]],
    ...             classes=["paid", "default"], n_features=0)
    >>> share_text(leaf, 0)
    '25.0 %, weighted 75.0 %'
    """
    by_weight = f"{100 * (label_share(tree, node) or 0.0):.1f} %"
    against = ", labelled against most rows" if lost_by_label(tree, node) > 0 else ""
    if not is_weighted(tree):
        return by_weight + against
    if tree.class_counts is None:
        return f"weighted {by_weight}{against}"
    share = tree.class_counts[node, tree.label[node]] / max(1, tree.n_samples[node])
    return f"{100 * share:.1f} %, weighted {by_weight}{against}"


def lost_by_label(tree: Tree, node: int) -> float:
    """Return the weight of the rows that a leaf gets wrong beyond those that its most frequent class would.

    It is above zero where a leaf is labelled against its rows, to keep a limit or since errors differ in
    cost. The tolerance is that of sums of weights.

    Examples
    --------
    >>> from streed import Tree
    >>> leaf = Tree([-1], [-1], [-1], [1], n_samples=[10], class_weights=[[9, 1]], classes=["no", "yes"],
    ...             n_features=0)
    >>> lost_by_label(leaf, 0), share_text(leaf, 0)
    (8.0, '10.0 %, labelled against most rows')
    """
    if tree.class_weights is None or tree.feature[node] >= 0:
        return 0.0
    weights = tree.class_weights[node]
    lost = float(weights.max() - weights[tree.label[node]])
    return lost if lost > 1e-9 * float(weights.sum()) else 0.0


def may_be_missing(tree: Tree, column: str) -> bool:
    """Whether the binarizer saw missing values in a column: then it has a condition that says so."""
    return tree.conditions is not None and any(
        test.column == column and test.knows_missing for test in tree.conditions
    )


def answer(tree: Tree, feature: int, holds: bool) -> str:
    """Say in words that the condition of a feature holds, or that it does not.

    Examples
    --------
    >>> from streed import Condition, Tree
    >>> from streed.views.words.wording import answer
    >>> tests = [Condition("age", "<=", 42.5), Condition("colour", "=", "red")]
    >>> tree = Tree([-1], [-1], [-1], [0], n_samples=[1], classes=["yes"], n_features=2, conditions=tests)
    >>> answer(tree, 0, False), answer(tree, 1, False)
    ('age > 42.5', 'colour is not red')
    """
    return one_line(_answer(tree, feature, holds))


def _answer(tree: Tree, feature: int, holds: bool) -> str:
    name = tree.feature_name(feature)
    if holds:
        return name
    if tree.conditions is None:
        return f"not ({name})" if " " in name else f"not {name}"
    test = tree.conditions[feature]
    if test.operator == "is":
        return f"{test.column} is not missing" if is_missing_test(test) else f"not {test.column}"
    # The name may show more digits than the condition alone would: cuts that lie close together.
    sign = "<=" if test.ordered else test.operator
    prefix = f"{test.subject} {sign} "
    shown = (name if name.startswith(prefix) else str(test)).removeprefix(prefix)
    shown = shown.removesuffix(" or missing") if test.missing else shown
    negations = {"<=": ">", "=": "is not", "in": "not in"}
    return f"{test.subject} {negations[sign]} {shown}"


def is_missing_test(test: Condition) -> bool:
    """Whether a condition asks for missing values."""
    return test.operator == "is" and test.value is None
