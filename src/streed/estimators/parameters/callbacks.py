"""scikit-learn's callbacks, new in its version 1.9: `set_callbacks`, and a fit seen as a tree of steps.

A fit of streed has `STEPS` steps: each one is a hundredth of the root's features that are settled. So
``sklearn.callback.ProgressBar`` shows how far the search is, also inside pipelines and grid searches, and a
callback whose ``on_fit_task_end`` returns True stops the search, which then keeps its best tree so far.
"""

from __future__ import annotations

from typing import Any

from streed.tree.result import Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the missing class; there is no `set_callbacks` then."""

    def with_callbacks(method: Any) -> Any:
        """Leave a method as it is."""
        return method


__all__ = ["STEPS", "CallbackSupportMixin", "Steps", "with_callbacks"]

STEPS = 100


class Steps:
    """Tells the callbacks of an estimator about the steps of its fit.

    It is to be made and used inside a method that is decorated by `with_callbacks`, and for estimators that
    have callbacks.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        self._done = 0
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"X": X, "y": y, "metadata": metadata}
        self._context = estimator._init_callback_context(max_subtasks=STEPS)
        self._context.call_on_fit_task_begin(estimator=estimator, **self._data)

    def watch(self, progress: Progress) -> bool:
        """Go on to the step that the search has come to; it calls this about ten times a second."""
        stop = False
        while self._done < int(STEPS * progress.root_done):
            stop |= self._step()
        return stop

    def _step(self) -> bool:
        self._done += 1
        step = self._context.subcontext(task_name="search")
        step.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        return bool(step.call_on_fit_task_end(estimator=self._estimator, **self._data))

    def finish(self) -> None:
        """End the fit: the estimator has its attributes now, and callbacks may use it."""
        while self._done < STEPS and self._estimator.result_.optimal:
            self._step()
        fitted = {name: value for name, value in vars(self._estimator).items() if name.endswith("_")}
        self._context.call_on_fit_task_end(
            estimator=self._estimator, **self._data, reconstruction_attributes=fitted
        )
