"""The paper's choice of the number of nodes: repeated hold-out within the training rows.

"This is done by using part of the training data as validation data and train on the rest of the training data
for an increasing number of nodes. This is repeated five times and the number of nodes that yields on average
the best result is used" (appendix on sparse trees). Ties go to fewer nodes.

`streed.tuning.tune` with the same hold-outs chooses the same trees: on split 0 of all 15 sets and all three
levels of costs both gave the same held-out costs. It is not used here because it fits estimators, which check
their input and turn costs per class into costs per row: 4 to 13 ms more than 2 to 11 ms on the small sets,
2.2 instead of 1.5 s on krk with high costs. The study times the search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
REPEATS = 5
HELD_OUT = 0.2


class Sized(Protocol):
    """A tree that knows its number of branching nodes."""

    @property
    def n_nodes(self) -> int:
        """Number of branching nodes."""
        ...


T = TypeVar("T", bound=Sized)


def path_of_trees(fit: Callable[[int], T], most_nodes: int) -> list[T]:
    """Fit trees with at most 0, 1, ..., `most_nodes` nodes.

    The tree with the largest budget comes first: if it has m nodes it is optimal for all budgets from m on.
    """
    largest = fit(most_nodes)
    few = min(largest.n_nodes, most_nodes)
    return [fit(nodes) for nodes in range(few)] + [largest] * (most_nodes + 1 - few)


def hold_outs(n_rows: int, rng: np.random.Generator) -> list[tuple[Rows, Rows]]:
    """Divide the rows at random, several times: rows to fit on, rows to score on."""
    parts = []
    for _ in range(REPEATS):
        held_out, rest = np.split(rng.permutation(n_rows), [round(HELD_OUT * n_rows)])
        parts.append((np.sort(rest), held_out))
    return parts


def choose_nodes(
    fit: Callable[[Rows, int], T],
    cost: Callable[[T, Rows], float],
    n_rows: int,
    most_nodes: int,
    rng: np.random.Generator,
) -> int:
    """Choose the number of nodes with the least mean cost on held-out rows."""
    costs = np.zeros(most_nodes + 1)
    for rest, held_out in hold_outs(n_rows, rng):
        trees = path_of_trees(lambda nodes, rows=rest: fit(rows, nodes), most_nodes)  # type: ignore[misc]
        known: dict[int, float] = {}
        for nodes, tree in enumerate(trees):
            if id(tree) not in known:
                known[id(tree)] = cost(tree, held_out)
            costs[nodes] += known[id(tree)]
    return int(np.flatnonzero(costs <= costs.min() + 1e-9 * abs(costs.min()))[0])
