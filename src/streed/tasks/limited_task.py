"""A task as a constraint: the value of the whole tree lies within limits (paper, "LimitedTask constraints").

Where the value can only get worse towards the limit as subtrees are put together (⊕ is *worsening*), a part
beyond the limit cannot be part of a feasible tree: the constraint is anti-monotonic and prunes at every node.
That is so for an upper limit if no leaf and no branching node lowers the value (or the largest leaf is what
counts), and for a lower limit if none raises it. Any other limit (a lower limit on a sum of costs, both
limits, a sum of signed things) is checked on whole trees only. That is exact as well, since the search
keeps every value of the constrained task that could still matter; it only prunes less.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import ArrayLike

from streed.errors import TaskError
from streed.magnitudes import as_float
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue, Sums
from streed.tolerance import slack

if TYPE_CHECKING:
    from streed.reference import Components
    from streed.tasks.combined import Combined


class LimitedTask(Task):
    """A task whose value must stay within limits; made by `Task.at_most` and `Task.at_least`.

    Parameters
    ----------
    task : Task
        The task whose value is limited.
    lower : float, default=-inf
        The least value that is allowed, in natural units.
    upper : float, default=inf
        The largest value that is allowed.

    Examples
    --------
    >>> import streed
    >>> limit = streed.tasks.Accuracy([0, 1, 1]).at_most(1)
    >>> limit.anti_monotonic, limit.describe()
    (True, 'accuracy at most 1 (prunes at every node)')
    >>> limit.at_least(1).describe()
    'accuracy at least 1 and at most 1 (checked on whole trees: a further subtree may raise the value)'
    """

    name: ClassVar[str] = "limited"
    summary: ClassVar[str] = "a task whose value must stay within limits"
    form: ClassVar[type] = Sums

    def __init__(self, task: Task, lower: float = -math.inf, upper: float = math.inf) -> None:
        if not isinstance(task, Task) or isinstance(task, LimitedTask):
            raise TypeError(f"only a task can have limits, got {task!r}")
        if hasattr(task, "parts"):
            raise TypeError("a combination has several values: set limits on its parts, as in a.at_most(1)")
        self.task = task
        self.lower_limit = _number("lower limit", lower)
        self.upper_limit = _number("upper limit", upper)
        if self.lower_limit > self.upper_limit:
            raise ValueError(
                f"no value of {task.name} is at least {self.lower_limit:g} and at most {self.upper_limit:g}"
            )

    def at_most(self, limit: float) -> LimitedTask:
        """Limit the value from above, too.

        Parameters
        ----------
        limit : float
            The largest value that is allowed, in natural units.

        Returns
        -------
        LimitedTask
            A new constraint with the tighter of both upper limits.
        """
        upper = min(self.upper_limit, _number("limit of at_most", limit))
        return LimitedTask(self.task, self.lower_limit, upper)

    def at_least(self, limit: float) -> LimitedTask:
        """Limit the value from below, too.

        Parameters
        ----------
        limit : float
            The least value that is allowed, in natural units.

        Returns
        -------
        LimitedTask
            A new constraint with the tighter of both lower limits.
        """
        lower = max(self.lower_limit, _number("limit of at_least", limit))
        return LimitedTask(self.task, lower, self.upper_limit)

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with."""
        return self.task.n_rows

    @property
    def anti_monotonic(self) -> bool:
        """Whether a subtree beyond the limits can never be part of a tree within them."""
        return not self._why_not()

    def _why_not(self) -> str:
        """Why the constraint cannot prune subtrees, empty if it can."""
        falls, rises = moves(self.task)
        if math.isfinite(self.upper_limit) and falls:
            return "a further subtree may lower the value"
        if math.isfinite(self.lower_limit) and rises:
            return "a further subtree may raise the value"
        return ""

    def admits(self, value: Any) -> bool:
        """Whether a value is within the limits, up to rounding."""
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TaskError(f"{self.task.name}: a limit needs values that are numbers, got {value!r}")
        low, high = self.widened()
        return low <= float(value) <= high

    def widened(self) -> tuple[float, float]:
        """Return both limits, widened by the tolerance."""
        return self.lower_limit - slack(self.lower_limit), self.upper_limit + slack(self.upper_limit)

    def covers(self, v: Any, w: Any) -> bool:
        """Whether v is at least as far within the limits as w, whatever is added to both."""
        if math.isinf(self.lower_limit):
            return bool(v <= w)
        return bool(v >= w) if math.isinf(self.upper_limit) else bool(v == w)

    def words(self) -> str:
        """Say what is limited."""
        parts = [f"at least {self.lower_limit:g}"] if math.isfinite(self.lower_limit) else []
        parts += [f"at most {self.upper_limit:g}"] if math.isfinite(self.upper_limit) else []
        return f"{self.task.name} {' and '.join(parts) or 'of any value'}"

    def describe(self) -> str:
        """Say what is limited and how the general search uses it."""
        why = self._why_not()
        use = f"checked on whole trees: {why}" if why else "prunes at every node"
        return f"{self.words()} ({use})"

    def lower(self) -> Sums:
        """Give the limited task as objective and constraint at once."""
        return self._combined().lower()

    def report(self, cost: float) -> float:
        """Turn a cost in engine units into natural units."""
        return self.task.report(cost)

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the limited task, as objective and constraint at once, as six components."""
        return self._combined().components(X, min_samples_leaf=min_samples_leaf)

    def _combined(self) -> Combined:
        from streed.tasks.combined import Combined

        return Combined((self.task, self))


def moves(task: Task) -> tuple[bool, bool]:
    """Whether a leaf or branching node of a task can lower its value, and whether one can raise it.

    A task may declare that nothing lowers it (`Task.worsening`). Else it is read off the numbers for the
    engine, where natural values are a multiple of them; what cannot be seen counts as possible.
    """
    if task.worsening:
        return False, True
    form = form_of(task)
    if not isinstance(form, OneValue):
        return True, True
    least, most = form.leaf.row_range()
    charged = form.branch_cost > 0 or form.prices is not None
    if task.report(0.0) != 0.0 or form.branch_cost < 0:
        return True, True
    falls, rises = (False, True) if form.combination == "max" else (least < 0, most > 0 or charged)
    return (rises, falls) if task.report(1.0) < 0 else (falls, rises)


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"the {what} must be a number, got {value!r} ({type(value).__name__})")
    number = as_float(value)
    if math.isnan(number):
        raise ValueError(f"the {what} must be a number, got NaN")
    return number
