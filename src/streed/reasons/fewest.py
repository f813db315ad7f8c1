"""The fewest tests of a path that decide the prediction, whatever the other columns are.

The answers of some tests of a path decide if no leaf with another prediction shares an attainable value with
them in every column. That depends on the leaf alone, so it is found once per leaf: other leaves are excluded
column by column, each by the cells (see `cells.py`) that are left to it. A hitting set over single tests
would be wrong: two tests of one column can exclude together what neither excludes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streed.reasons.cells import Cells
from streed.tree.conditions import Condition
from streed.tree.tree import Tree
from streed.tree.walk import paths

Step = tuple[int, bool]
"""A feature that is tested on a path, and whether it holds."""


@dataclass
class Leaf:
    """A leaf with its path, and the cells that the path leaves to each column."""

    node: int
    steps: list[Step]
    left: dict[str, int] = field(default_factory=dict)

    @property
    def attainable(self) -> bool:
        """Whether some row can end here."""
        return all(self.left.values())


class Leaves:
    """The leaves of a tree that a row can end in.

    Parameters
    ----------
    tree : Tree
        The tree.
    conditions : sequence of Condition
        What its features say.
    same : callable
        Whether two leaves, given as nodes, have the same prediction.
    """

    def __init__(self, tree: Tree, conditions: Sequence[Condition], same: Callable[[int, int], bool]) -> None:
        self.conditions, self._same = conditions, same
        tested: dict[str, list[Condition]] = {}
        for feature in tree.feature[tree.feature >= 0].tolist():
            tested.setdefault(conditions[feature].column, []).append(conditions[feature])
        self.cells = {name: Cells(own) for name, own in tested.items()}
        found = [self._leaf(node, list(dict.fromkeys(steps))) for node, steps in paths(tree)]
        self.by_node = {leaf.node: leaf for leaf in found if leaf.attainable}
        self._reasons: dict[int, tuple[Step, ...]] = {}

    def _leaf(self, node: int, steps: list[Step]) -> Leaf:
        left: dict[str, int] = {}
        for step in steps:
            name = self.conditions[step[0]].column
            left[name] = left.get(name, self.cells[name].all) & self.cells_of(step)
        return Leaf(node, steps, left)

    def cells_of(self, step: Step) -> int:
        """Return the cells in which a test has an answer."""
        condition = self.conditions[step[0]]
        return self.cells[condition.column].satisfying(condition, step[1])

    def others(self, node: int) -> list[Leaf]:
        """Return the leaves with another prediction."""
        return [leaf for leaf in self.by_node.values() if not self._same(node, leaf.node)]

    def reasons(self, node: int) -> tuple[Step, ...]:
        """Return the fewest tests on the path of a leaf that decide its prediction, in the order of the path.

        Of several smallest sets one with fewer columns is taken.
        """
        if node not in self._reasons:
            leaf = self.by_node[node]
            chosen = self._fewest(leaf, self.others(node))
            self._reasons[node] = tuple(leaf.steps[place] for place in sorted(chosen))
        return self._reasons[node]

    def _fewest(self, leaf: Leaf, others: list[Leaf]) -> tuple[int, ...]:
        names = list(leaf.left)
        options = [self._options(leaf, name, others) for name in names]
        able = [_union(excluded for excluded, _ in own) for own in options]
        covered: dict[int, tuple[int, ...]] = {0: ()}
        for number, own in enumerate(options):
            later = _union(able[number + 1 :])
            due = _union(able) & ~later  # what no later column excludes must be excluded by now
            following: dict[int, tuple[int, ...]] = {}
            for before, tests in covered.items():
                for excluded, added in own:
                    now = before | excluded
                    if due & ~now == 0:
                        _keep_better(following, now, tests + added, self._rank(leaf))
            covered = following
        assert len(covered) == 1, "the whole path excludes all other leaves"
        return next(iter(covered.values()))

    def _options(self, leaf: Leaf, name: str, others: list[Leaf]) -> list[tuple[int, tuple[int, ...]]]:
        """Return what the tests of one column can exclude: sets of leaves, each with its fewest tests."""
        cells = self.cells[name]
        smallest: dict[int, tuple[int, ...]] = {cells.all: ()}
        rank = self._rank(leaf)
        for place, step in enumerate(leaf.steps):
            if self.conditions[step[0]].column == name:
                for bits, tests in list(smallest.items()):
                    _keep_better(smallest, bits & self.cells_of(step), (*tests, place), rank)
        found: dict[int, tuple[int, ...]] = {}
        for bits, tests in smallest.items():
            apart = [
                number for number, other in enumerate(others) if not bits & other.left.get(name, cells.all)
            ]
            _keep_better(found, sum(1 << number for number in apart), tests, rank)
        return list(found.items())

    def _rank(self, leaf: Leaf) -> Callable[[tuple[int, ...]], Any]:
        """Return what orders sets of tests: their number, that of their columns, and their places."""
        columns = [self.conditions[feature].column for feature, _ in leaf.steps]
        return lambda tests: (len(tests), len({columns[place] for place in tests}), sorted(tests))


def _union(sets: Iterable[int]) -> int:
    found = 0
    for bits in sets:
        found |= bits
    return found


def _keep_better(
    kept: dict[int, tuple[int, ...]],
    key: int,
    tests: tuple[int, ...],
    rank: Callable[[tuple[int, ...]], Any],
) -> None:
    if key not in kept or rank(tests) < rank(kept[key]):
        kept[key] = tests


def same_prediction(tree: Tree, tolerance: float = 0.0) -> Callable[[int, int], bool]:
    """Return what says whether two leaves have the same prediction; numbers may differ by the tolerance."""
    labels: Mapping[int, Any] = {
        node: tree.classes[tree.label[node]] for node in range(tree.node_count) if tree.feature[node] < 0
    }

    def same(one: int, other: int) -> bool:
        mine, theirs = labels[one], labels[other]
        if tolerance and isinstance(mine, tuple):
            return all(abs(a - b) <= tolerance for a, b in zip(mine, theirs, strict=True))
        return bool(abs(mine - theirs) <= tolerance) if tolerance else bool(mine == theirs)

    return same
