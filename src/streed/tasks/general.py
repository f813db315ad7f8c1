"""A task that is nothing but its six components."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import ArrayLike

from streed.errors import NotNative
from streed.tasks.base import Task
from streed.tasks.forms import Form, SixComponents

if TYPE_CHECKING:
    from streed.reference import Components


class GeneralTask(Task):
    """Base of tasks that the engine cannot take: write `n_rows` and `components`, `solve` does the rest.

    Examples
    --------
    The largest number of errors in one leaf, where ⊕ is max:

    >>> import streed
    >>> from streed.reference import Components
    >>> class LargestLeafError(streed.tasks.GeneralTask):
    ...     name = "largest_leaf_error"
    ...     def __init__(self, y):
    ...         self.y, self.n_rows = y, len(y)
    ...     def components(self, X, *, min_samples_leaf=1):
    ...         return Components(
    ...             cost_leaf=lambda rows, label: sum(self.y[i] != label for i in rows),
    ...             cost_branch=lambda rows, feature: 0,
    ...             transition=lambda rows, f, side: tuple(i for i in rows if X[i][f] == side),
    ...             better=lambda v, w: v < w,
    ...             combine=max,
    ...             feasible=lambda v, rows: len(rows) >= min_samples_leaf,
    ...             initial_state=tuple(range(len(self.y))),
    ...             labels=[0, 1],
    ...             features=range(len(X[0])),
    ...         )
    >>> task = LargestLeafError([0, 1, 1, 1])
    >>> streed.solve(task, [[0, 0], [0, 1], [1, 0], [1, 1]], max_depth=1).objective
    1
    """

    name: ClassVar[str] = "general"
    summary: ClassVar[str] = "whatever its six components say"
    form: ClassVar[type] = SixComponents
    n_rows: int = 0
    """Number of rows of the data the task was made with; to be set by the subclass."""

    def lower(self) -> Form:
        """Say that there is no native form."""
        raise NotNative(f"{self.name} is given by its six components")

    def report(self, cost: float) -> float:
        """Give the value as it is: components are in natural units."""
        return cost

    @abstractmethod
    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the task on binary features `X` as the six components of the paper, in natural units."""
