"""Errors and warnings of streed.

Bad arguments raise ``ValueError`` or ``TypeError``, as in scikit-learn. The classes below are for what can
only be known later: a limit that no tree meets, a task that breaks its contract, a search that was stopped by
hand.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple


class StreedError(Exception):
    """Base of all errors that are particular to streed."""


class Reachable(NamedTuple):
    """What can be reached of one limit where no tree keeps all of them.

    Attributes
    ----------
    limit : str
        The limit as it was given.
    alone : float or None
        The value nearest to the limit that a tree can have, whatever the other limits; None if unknown.
    together : float or None
        The same among the trees that keep all other limits; None if there are none, or if time was up.
    """

    limit: str
    alone: float | None
    together: float | None


class InfeasibleError(StreedError):
    """No tree meets the limits; the message says which limit, and what the best possible value is.

    Attributes
    ----------
    reachable : tuple of Reachable
        For each limit of `constraints`, what can be reached.
    closest : tuple of float
        What the tree that breaks the limits by the least total has in each of them; empty if it is not known.
    """

    def __init__(
        self, message: str, reachable: tuple[Reachable, ...] = (), closest: tuple[float, ...] = ()
    ) -> None:
        super().__init__(message, reachable, closest)
        self.reachable, self.closest = reachable, closest

    def __str__(self) -> str:
        return str(self.args[0])


class TaskError(StreedError):
    """A task breaks its contract; the message names the task and the cause."""


class ExportError(StreedError, ValueError):
    """A tree has no equal in another program's format; the message names the test or leaf that has none."""


class InconsistentVersionWarning(UserWarning):
    """A pickle was written by another version of streed; it was read, but may behave differently."""


class InterruptedWarning(UserWarning):
    """The search was stopped by Ctrl-C; the best tree found so far was returned."""


class NotProvenWarning(UserWarning):
    """A limit ended a fit before its tree was proven optimal; the message has the gap and what to do."""


class NoEventsWarning(UserWarning):
    """A survival tree was fitted to rows that are all censored: its curves are 1 throughout."""


class IdentifierWarning(UserWarning):
    """A column was left out since it names rows: nearly all of its texts or whole numbers are different."""


class MissingAtPredictWarning(UserWarning):
    """Rows have missing values in a column that had none in the fit, so that no test says where they go."""


class CutsWarning(UserWarning):
    """``cuts="exact"`` is not possible for a task: numbers are cut at chosen places instead."""


class NotNative(StreedError):  # noqa: N818  (a message to `solve`, not an error that users see)
    """Raised by `Task.lower`: the task has no form for the engine, the message says why.

    `solve` then takes the six components and says so in `Result.engine` and `Result.note`. Where the task
    gives a `relaxed` problem, that one is searched instead (see `streed.tasks.forms.Relaxed`).
    """

    def __init__(self, why: str, relaxed: Any = None) -> None:
        super().__init__(why, relaxed)
        self.relaxed = relaxed

    def __str__(self) -> str:
        return str(self.args[0])


_SILENT = contextvars.ContextVar("streed_fits_are_silent", default=False)


@contextlib.contextmanager
def silent_fits() -> Iterator[None]:
    """Keep fits from a `NotProvenWarning` each, for what makes many of them and reports all together."""
    token = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(token)


def fits_are_silent() -> bool:
    """Whether a path or tuning makes the fit, and will report it."""
    return _SILENT.get()


_INSIDE = f"{os.path.dirname(__file__)}{os.sep}"  # noqa: PTH120 (pathlib takes long to import)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside streed that called it, however many calls inside lie between."""
    if sys.version_info >= (3, 12):
        warnings.warn(message, category, skip_file_prefixes=(_INSIDE,))
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
