"""Pickles say which version wrote them, and one of another version is not taken for one of this version."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from streed.errors import InconsistentVersionWarning

KEY = "_streed_version"


def current_version() -> str:
    """Return the version of this package."""
    import streed

    return str(streed.__version__)


class VersionedState:
    """Mixin for estimators: their pickles carry the version, and loading another one warns.

    Parameters that the other version did not have yet get their defaults. A fitted object that lacks an
    attribute which this version needs (listed in `_fitted`) is refused, rather than failing later.
    """

    _fitted: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), KEY: current_version()}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written, name = state.pop(KEY, "0.1 or older"), type(self).__name__
        if written != (current := current_version()):
            lacking = [attribute for attribute in self._fitted if attribute not in state]
            if lacking and any(key.endswith("_") for key in state):
                raise ValueError(
                    f"this {name} was pickled by streed {written} and cannot be read by version {current}, "
                    f"since it has no {lacking[0]}: fit it again"
                )
            warnings.warn(
                f"this {name} was pickled by streed {written}, while this is version {current}; it may "
                "behave differently, so it is safer to fit it again",
                InconsistentVersionWarning,
                stacklevel=2,
            )
            defaults = inspect.signature(type(self)).parameters.values()
            state = {**{parameter.name: parameter.default for parameter in defaults}, **state}
        super().__setstate__(state)  # type: ignore[misc]
