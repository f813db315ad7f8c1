"""What a solve returns: plain data."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from streed.tree.baseline import Baseline
from streed.tree.conditions import Condition
from streed.tree.tree import Tree

if TYPE_CHECKING:
    from streed.views.palette import Colors


@dataclass(frozen=True)
class Solution:
    """A tree and its values, one per objective.

    Attributes
    ----------
    values : tuple
        The values.
    tree : Tree
        The tree.
    supported : bool
        Whether it has a proof of its own that no tree within the limits dominates it: a weighted sum of the
        objectives, all weights above zero, of which it has the proven least value; or, in a trade-off of
        fairness, the searches for what could have beaten it.
    """

    values: tuple[Any, ...]
    tree: Tree
    supported: bool = False


class DepthProof(NamedTuple):
    """What a search has proven of trees of fewer levels than it was asked for."""

    depth: int
    bound: float
    """No tree of this depth within the other limits is better."""
    attained: bool
    """Whether the best tree of this depth has this value."""


class LimitCost(NamedTuple):
    """The best value without the limits on other quantities, over the same tests, as far as it is known."""

    objective: float | None
    """Value of the best tree without limits that was found; None: none was searched for."""
    bound: float | None
    """Proven bound on that value; equal to it if it is proven."""

    def text(self, result: Result) -> str:
        """Say what the limits of a result cost.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> result = SimpleNamespace(objective=60.0, optimal=True, measure="errors under demographic parity")
        >>> LimitCost(52.0, 52.0).text(result)
        'the limits cost 8 errors: without them the best tree has 52'
        >>> LimitCost(52.0, 40.0).text(result)
        'the limits cost 8 to 20 errors: without them a tree has 52, and none less than 40'
        >>> LimitCost(None, None).text(result)
        'what the limits cost is not known: there was no time for a search without them'
        """
        if self.objective is None or self.bound is None:
            return "what the limits cost is not known: there was no time for a search without them"
        unit = result.measure.partition(" under ")[0]
        least, most = (abs(float(result.objective) - value) for value in (self.objective, self.bound))
        if not math.isfinite(most):
            known = f"without them a tree has {show(self.objective)}"
            return f"the limits cost at least {show(least)} {unit}: {known}"
        if least == most:
            at_most = "" if result.optimal else "at most "
            known = f"without them the best tree has {show(self.objective)}"
            return f"the limits cost {at_most}{show(least)} {unit}: {known}".replace("cost 0 ", "cost no ")
        than = "more" if self.bound > self.objective else "less"
        known = f"without them a tree has {show(self.objective)}, and none {than} than {show(self.bound)}"
        return f"the limits cost {show(least)} to {show(most)} {unit}: {known}"


@dataclass(frozen=True)
class Progress:
    """State of a running search, in natural units.

    Attributes
    ----------
    elapsed : float
        Seconds since the search began.
    objective : float
        Value of the best tree so far.
    lower_bound : float
        Proven bound on the optimum; an upper bound if the objective is maximised.
    gap : float
        Relative difference of the two, 0 when optimality is proven.
    root_done : float
        Share of the root's features that are settled, from 0 to 1.
    memory : float
        Bytes in the solver's own structures.
    total : float
        Seconds that the running search takes in all, if it goes on at its pace; NaN while that is not known.
    """

    elapsed: float
    objective: float
    lower_bound: float
    gap: float
    root_done: float
    memory: float
    total: float = field(default=math.nan, compare=False)


@dataclass(frozen=True, repr=False)
class Result:
    """The best tree that was found, and what was proven about it.

    Attributes
    ----------
    objective : float
        Value of the tree in natural units, counted anew from the tree. A task whose values are not numbers
        has the value itself here; a combination of several objectives the tuple of their values.
    lower_bound : float
        Proven bound on the optimum in the same units; an upper bound if the objective is maximised. For
        values that are not numbers it equals `objective` if that is proven, else it is None.
    gap : float
        Distance of the two, relative to the larger one; 0 if the tree (or the front) is proven optimal, and
        infinite if nothing is known about the optimum.
    optimal : bool
        Whether no better tree exists within the limits.
    status : {"optimal", "time_limit", "work_limit", "memory_limit", "interrupted", "depth_limit"}
        Why the search ended. "work_limit": a default fit has searched all thresholds as far as is cheap, and
        `gap` says how far the tree is from the best one at most. A memory limit ends searches for several
        objectives or under limits, whose
        lists of points cannot be given up; in other searches only the caches stop growing. Without a limit of
        the depth, "depth_limit" means that the tree is the best of 20 levels, and deeper ones could pay.
    tree : Tree
        The tree.
    front : list of Solution
        All nondominated trees if the task has several objectives; else one entry, the tree. A search that was
        cut short has those that it found; `proven` are the ones that are known to be on the front.
    seconds : float
        Seconds that the solve took.
    statistics : mapping
        Work counters of the engine.
    task : str
        Name of the task.
    objectives : tuple of str
        Names of the objectives, in the order of `Solution.values`; empty if they have no names.
    engine : {"native", "general"}
        Whether the tree comes from the compiled engine or from the general search in Python.
    measure : str
        What `objective` is called in summaries; empty: the name of the task.
    note : str
        What else there is to say about how the task was solved, as why the engine was not used.
    limits : tuple of streed.limits.KeptLimit
        What the tree is worth in each limit of `constraints`, and how much is left; prints as a table.
    record : mapping
        Of the fit of an estimator: who made the tree and when, with which parameters, of which data (rows,
        kinds of columns, SHA-256), and what its proof covers. Empty for results of `solve`.
    baseline : Baseline or None
        What simpler models are worth on the same rows, as far as a fit of an estimator knows it: the best
        single leaf (``baseline.single_leaf``), and a tree of the same limits that was grown greedily, as
        scikit-learn grows it (``baseline.greedy``).
    advice : str
        The next sensible step, as far as a fit of an estimator knows one.
    depths : tuple of DepthProof
        What was proven of trees of fewer levels, where the search went up by depth (binary features, one
        value): their best value if it is ``attained``, else a bound on it.
    limit_cost : LimitCost or None
        What is known of the best tree without the limits on other quantities; only fits of estimators under
        such limits search for it, for no longer than the tree itself took.
    node_price : float
        What each branching node adds to `objective`, or takes from it where it is maximised; fits of
        estimators say it. 0: nothing.
    """

    objective: Any
    lower_bound: Any
    gap: float
    optimal: bool
    status: str
    tree: Tree
    front: list[Solution]
    seconds: float
    statistics: Mapping[str, float] = field(default_factory=dict)
    task: str = ""
    objectives: tuple[str, ...] = ()
    engine: str = "native"
    measure: str = ""
    note: str = ""
    limits: tuple[Any, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    baseline: Baseline | None = field(default=None, compare=False)
    advice: str = field(default="", compare=False)
    depths: tuple[DepthProof, ...] = ()
    limit_cost: LimitCost | None = field(default=None, compare=False)
    node_price: float = 0.0

    @classmethod
    def trusted(cls, **attributes: Any) -> Result:
        """Make a result of checked attributes; a frozen class would set them one by one, which is slow."""
        result = cls.__new__(cls)
        result.__dict__.update(attributes)
        result.__dict__.setdefault("record", {})
        return result

    if not TYPE_CHECKING:  # else any name would pass for an attribute

        def __getattr__(self, name: str) -> Any:
            """Write the record when it is asked for; every other attribute is there."""
            write = self.__dict__.pop("_write_record", None) if name == "record" else None
            if write is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            record = self.__dict__["record"] = write(self)
            return record

    def __getstate__(self) -> dict[str, Any]:
        """Store the record itself, not what writes it."""
        return self.__dict__ if self.record is not None else {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read a pickle, also one of a version that had no records."""
        self.__dict__.update({"record": {}, **state})

    def record_later(self, write: Callable[[Result], Mapping[str, Any]]) -> None:
        """Let the record be written when it is first asked for: that takes longer than a small fit."""
        self.__dict__.pop("record", None)
        self.__dict__["_write_record"] = write

    def complete(self, baseline: Baseline | None, advice: str) -> None:
        """Add what a fit knows beside the search; a copy of a frozen object takes longer than a small fit."""
        self.__dict__.update(baseline=baseline, advice=advice)

    @property
    def proven(self) -> list[Solution]:
        """The part of the front that no tree within the limits dominates: all of it if it is complete."""
        return self.front if self.optimal else [point for point in self.front if point.supported]

    def summary(self) -> str:
        """Say in a few lines what was found, what was proven, how good that is, and what to do next.

        Examples
        --------
        >>> import streed
        >>> result = streed.solve(streed.tasks.Accuracy([0, 0, 1]), [[0, 1], [1, 1], [1, 0]], max_depth=1)
        >>> print(result.summary())  # doctest: +ELLIPSIS
        errors: 0, proven optimal (... s)
        tree of depth 1 with 1 branching node and 2 leaves
        accuracy 100 % (3 of 3 rows right); always 0: 66.7 %
        class  predicted
               0 1
        0      2 0
        1      0 1
        """
        from streed.views.words.answers import confusion

        return "\n".join(self.said(confusion(self.tree)))

    def said(self, table: Sequence[str] = ()) -> list[str]:
        """Return the lines of the summary, with a confusion matrix in the place where it belongs."""
        from streed.views.words.answers import answers

        bound = None if self.lower_bound is None else show(self.lower_bound)
        proof = proof_text(self.optimal, bound, self.gap, self.status)
        measure = self.measure or self.task or "objective"
        lines = [f"{measure}: {show(self.objective)}, {proof} ({self.seconds:.3g} s)", size_text(self.tree)]
        if len(self.front) > 1:
            part = "" if self.optimal else f", {len(self.proven)} of them proven to be on it"
            lines.append(f"the first of {len(self.front)} trees of the front{part}")
        if not self.optimal and self.depths:
            lines.append(depths_text(self))
        lines += [*answers(self), *table, *(f"{one.limit!r}: {show(one.value)}" for one in self.limits)]
        return [*lines, *filter(None, (self.note, self.advice and f"next: {self.advice}"))]

    def explain(self, conditions: Sequence[Condition]) -> None:
        """Tell all trees what their binary features say about columns, so that their views say it too.

        Parameters
        ----------
        conditions : sequence of Condition
            One for each binary feature, e.g. ``binarizer.conditions_``.

        Examples
        --------
        >>> import numpy as np, streed
        >>> binarizer = streed.Binarizer().fit(np.array([[20], [30], [40]]))
        >>> X = binarizer.transform(np.array([[20], [30], [40]]))
        >>> result = streed.solve(streed.tasks.Accuracy(["yes", "no", "no"]), X, max_depth=1)
        >>> result.explain(binarizer.conditions_)
        >>> print(result.tree.to_rules())
        if x0 > 25 then no (2 rows, 100.0 %)
        if x0 <= 25 then yes (1 row, 100.0 %)
        """
        said = tuple(conditions)
        for tree in [self.tree, *[solution.tree for solution in self.front]]:
            if len(said) != tree.n_features:
                raise ValueError(f"{tree.n_features} conditions are needed, got {len(said)}")
            tree.conditions = said

    def to_html(self, *, title: str | None = None, colors: Colors = None, rows: Any = None) -> str:
        """Return a page for the browser: the tree, what was proven about it, and the front if there is one.

        Parameters
        ----------
        title : str, optional
            Heading of the page; by default the name of the task.
        colors, rows : optional
            Colours of labels, and rows whose values nodes show, as in `Tree.to_html`.

        Returns
        -------
        str
            One self-contained HTML document, as `Tree.to_html` returns it. If `front` has several entries, it
            shows them as a plot, and the tree of the point that is chosen there.

        Examples
        --------
        >>> import streed
        >>> result = streed.solve(streed.tasks.Accuracy([0, 0, 1]), [[0, 1], [1, 1], [1, 0]], max_depth=1)
        >>> page = result.to_html(title="Three rows")
        >>> "<title>Three rows</title>" in page
        True
        """
        from streed.views.methods import rows_to_show
        from streed.views.page.html import result_to_html

        return result_to_html(self, title, colors, rows_to_show(rows))

    def in_notebook(self, text: str = "") -> str:
        """Return what a notebook shows: the interactive page in a frame of its own, and a text that unfolds.

        Parameters
        ----------
        text : str, optional
            The text; by default the summary and the tree.

        Returns
        -------
        str
            A piece of HTML.
        """
        from streed.views.page.notebook import framed, height_of

        text = text or f"{self.summary()}\n\n{self.tree.to_text()}"
        height = height_of(self.tree.n_leaves, is_front=len(self.front) > 1)
        return framed(self.to_html(), text, title=self.task or "Decision tree", height=height)

    def _repr_html_(self) -> str:
        return self.in_notebook()

    def __repr__(self) -> str:
        return (
            f"Result(objective={show(self.objective)}, lower_bound={show(self.lower_bound)}, "
            f"gap={self.gap:.4g}, optimal={self.optimal}, status={self.status!r}, tree={self.tree!r}, "
            f"seconds={self.seconds:.3g})"
        )


def with_features(
    results: Iterable[Result], features: ArrayLike, n_features: int, names: Sequence[str] | None
) -> list[Result]:
    """Return results whose trees are over other features (`Tree.over`); those that share a tree still do."""
    made: dict[int, Tree] = {}

    def over(tree: Tree) -> Tree:
        if id(tree) not in made:
            made[id(tree)] = tree.over(features, n_features, names)
        return made[id(tree)]

    return [
        replace(
            result,
            tree=over(result.tree),
            front=[replace(solution, tree=over(solution.tree)) for solution in result.front],
        )
        for result in list(results)
    ]


def proof_text(optimal: bool, bound: str | None, gap: float, status: str) -> str:
    """Say what was proven.

    Examples
    --------
    >>> proof_text(False, "8", 0.2, "time_limit"), proof_text(False, None, float("inf"), "interrupted")
    ('bound 8, gap 20.00%, time_limit', 'not proven optimal, interrupted')
    """
    if optimal:
        return "proven optimal"
    return f"not proven optimal, {status}" if bound is None else f"bound {bound}, gap {gap:.2%}, {status}"


def depths_text(result: Result) -> str:
    """Say what is proven of trees of fewer levels: of the deepest one whose best tree is known, and above.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> known = (DepthProof(3, 61.0, True), DepthProof(4, 48.0, True), DepthProof(5, 30.0, False))
    >>> result = SimpleNamespace(depths=known, measure="errors", objective=33.0, lower_bound=20.0)
    >>> print(depths_text(result))
    depth 4 is proven: 48 errors; no tree of depth 5 has less than 30
    """
    best = max((each for each in result.depths if each.attained), default=None)
    last = max(result.depths)
    said = [] if best is None else [f"depth {best.depth} is proven: {show(best.bound)} {result.measure}"]
    if last != best:
        unit = "" if said else f" {result.measure}"
        than = "more" if result.lower_bound > result.objective else "less"
        said.append(f"no tree of depth {last.depth} has {than} than {show(last.bound)}{unit}")
    return "; ".join(said)


def size_text(tree: Tree) -> str:
    """Say how large a tree is."""
    nodes = f"{tree.n_nodes} branching node{'' if tree.n_nodes == 1 else 's'}"
    leaves = f"{tree.n_leaves} lea{'f' if tree.n_leaves == 1 else 'ves'}"
    return f"tree of depth {tree.depth} with {nodes} and {leaves}"


def show(value: Any) -> str:
    """Write a value briefly, whatever it is.

    Examples
    --------
    >>> from streed.tree.result import show
    >>> show(0.25), show((1.0, 1 / 3)), show("low"), show(1410620.4)
    ('0.25', '(1, 0.333333)', "'low'", '1,410,620')
    """
    if isinstance(value, numbers.Real):
        number = float(value)
        return f"{number:,.0f}" if 1e6 <= abs(number) < 1e15 else f"{number:g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def relative_gap(objective: float, bound: float) -> float:
    """Return the distance of two values, relative to the larger one in size.

    Examples
    --------
    >>> from streed.tree.result import relative_gap
    >>> relative_gap(10, 8), relative_gap(0.8, 1.0), relative_gap(0, 0)
    (0.2, 0.19999999999999996, 0.0)
    """
    if math.isinf(bound) or math.isinf(objective):
        return 0.0 if objective == bound else math.inf
    return 0.0 if objective == bound else abs(objective - bound) / max(abs(objective), abs(bound))
