"""What a person asks of a result beside its value: how good is that, against what, and what to do next.

A result answers from its tree: accuracy and confusion from the weights of the classes at its nodes, R2 and
the typical error from the spread of the targets, hazards from the curves. `Result.baseline` has what simpler
models are worth, where a fit knows it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from streed.tree.baseline import Baseline
from streed.tree.details import Curves, Numbers
from streed.tree.line import is_linear
from streed.tree.tree import Tree
from streed.views.words.wording import is_weighted, label_text, number_words, one_line, value_name

MOST_CLASSES = 12
"""Confusion matrices of more classes are too wide to be read."""
LONGEST = 14
"""Letters of a label in a confusion matrix."""
ERRORS = ("errors", "misclassified weight")
"""Measures that count what accuracy counts."""


def answers(result: Any) -> list[str]:
    """Return lines that say how good the tree of a result is, in the words of its task."""
    tree, baseline = result.tree, result.baseline or Baseline()
    if isinstance(tree.details, Numbers):
        return [_of_numbers(result, tree, tree.details, baseline)]
    if isinstance(tree.details, Curves):
        return [_of_curves(result, tree, tree.details, baseline)]
    lines = [_of_values(result, tree, baseline)] if tree.values is not None else []
    if tree.class_weights is not None and tree.class_weights.shape[1] == tree.classes.size > 0:
        lines.append(_accuracy(result, tree, baseline))
    return [line for line in lines if line]


def share_text(share: float) -> str:
    """Write a share in per cent, so that what is not all is not called 100 %.

    Examples
    --------
    >>> share_text(0.7824), share_text(0.99996), share_text(1.0), share_text(0.00001)
    ('78.2 %', '>99.9 %', '100 %', '<0.1 %')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if share > 0.9995:
        return ">99.9 %"
    return "<0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"


def _accuracy(result: Any, tree: Tree, baseline: Baseline) -> str:
    weights = tree.class_weights
    leaves = np.flatnonzero(tree.feature < 0)
    right, total = float(weights[leaves, tree.label[leaves]].sum()), float(weights[0].sum())
    if total <= 0:
        return ""
    rows, weighted = int(tree.n_samples[0]), is_weighted(tree)
    counts = tree.class_counts if weighted else weights
    if counts is None:
        said = [f"accuracy {share_text(right / total)} of the weight"]
    else:
        n_right = int(counts[leaves, tree.label[leaves]].sum())
        said = [f"accuracy {share_text(n_right / rows)} ({n_right:,} of {rows:,} rows right)"]
        if weighted:
            said[0] += f", weighted {share_text(right / total)}"
    most = int(weights[0].argmax())
    said.append(f"always {_short(label_text(tree.classes[most]))}: {share_text(weights[0, most] / total)}")
    if result.measure in ERRORS and baseline.greedy is not None:
        said.append(f"a greedy tree of the same limits: {share_text(1 - baseline.greedy / total)}")
    return "; ".join(said)


def confusion(tree: Tree) -> list[str]:
    """Return the confusion matrix as a table: a row for each class, a column for each prediction.

    Empty for trees that count no classes, or very many.
    """
    weights = tree.class_weights
    n_classes = tree.classes.size
    if weights is None or tree.details is not None or weights.shape[1] != n_classes:
        return []
    if not 2 <= n_classes <= MOST_CLASSES:
        return []
    table = np.zeros((n_classes, n_classes))
    known = weights if tree.class_counts is None else tree.class_counts
    for leaf in np.flatnonzero(tree.feature < 0).tolist():
        table[:, tree.label[leaf]] += known[leaf]
    names = [_short(label_text(label)) for label in tree.classes.tolist()]
    cells = [[number_words(cell) for cell in row] for row in table.tolist()]
    width = max(len(text) for row in [names, *cells] for text in row)
    left = max(map(len, [*names, "class"]))
    head = " ".join(name.rjust(width) for name in names)
    lines = [f"{'class'.ljust(left)}  predicted", f"{''.ljust(left)}  {head}"]
    for name, row in zip(names, cells, strict=True):
        lines.append(f"{name.ljust(left)}  {' '.join(cell.rjust(width) for cell in row)}")
    return lines


def _short(text: str) -> str:
    text = one_line(text)
    half = (LONGEST - 1) // 2
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1 - half]}…{text[-half:]}"


def _of_numbers(result: Any, tree: Tree, details: Numbers, baseline: Baseline) -> str:
    """Say how far predictions of numbers are off, and how far they would be without a tree."""
    weights = details.counts.sum(axis=1)
    total = float(weights[0])
    squares = (details.spread.reshape(tree.node_count, -1) ** 2).sum(axis=1) * weights
    leaves = tree.feature < 0
    left, whole = float(squares[leaves].sum()), float(squares[0])
    if total <= 0:
        return ""
    if "squared error" not in result.measure:
        mean = f"{result.measure} per row {number_words(result.objective / total)}"
        return "; ".join([mean, *_against(baseline, result, lambda value: number_words(value / total))])
    if is_linear(tree.classes):
        left = float(result.objective)  # with the penalty of the lines
    if not math.isfinite(whole) or whole <= 0:
        return f"typical error ± {number_words(math.sqrt(left / total))} (standard deviation)"
    said = [
        f"R2 {1 - left / whole:.3f}: typical error ± {number_words(math.sqrt(left / total))} (standard "
        f"deviation), without a tree ± {number_words(math.sqrt(whole / total))}"
    ]
    if baseline.greedy is not None:
        said.append(f"a greedy tree of the same limits: R2 {1 - baseline.greedy / whole:.3f}")
    return "; ".join(said)


def _of_curves(result: Any, tree: Tree, details: Curves, baseline: Baseline) -> str:
    """Say how far the hazards of leaves are apart, and what they explain."""
    leaves = tree.feature < 0
    low, high = float(details.risk[leaves].min()), float(details.risk[leaves].max())
    said = [f"hazards of leaves from {low:.2g} to {high:.2g} times the average"]
    if baseline.single_leaf is not None and baseline.single_leaf > 0:
        explained = 1 - result.objective / baseline.single_leaf
        said.append(f"{share_text(explained)} of the deviance of a single leaf is explained")
    events, rows = float(details.events[0]), int(tree.n_samples[0])
    said.append(f"{number_words(events)} events in {rows:,} rows")
    return "; ".join(said)


def _of_values(result: Any, tree: Tree, baseline: Baseline) -> str:
    """Say what a row is worth on average, and what it would be without a tree."""
    if not isinstance(result.objective, float | int) or tree.values is None:
        return ""
    rows, objective = max(1, int(tree.n_samples[0])), float(result.objective)
    mean = float(tree.values[0] + _paid(tree))
    per_row = f"{value_name(tree)} per row {number_words(mean)}"
    scale = 1.0 if math.isclose(mean, objective, rel_tol=1e-9) else 1.0 / rows
    return "; ".join([per_row, *_against(baseline, result, lambda value: number_words(value * scale))])


def _paid(tree: Tree) -> float:
    """Return what a row pays for tests on average."""
    if tree.prices is None:
        return 0.0
    leaves = tree.feature < 0
    return float((tree.paid() * tree.n_samples)[leaves].sum() / max(1, int(tree.n_samples[0])))


def _against(baseline: Baseline, result: Any, words: Any) -> list[str]:
    """Say what simpler models are worth."""
    known = [("a single leaf", baseline.single_leaf), ("a greedy tree of the same limits", baseline.greedy)]
    return [f"{name}: {words(value)}" for name, value in known if value is not None]
