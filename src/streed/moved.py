"""Old names of modules and classes that pickles of earlier versions refer to.

A pickle names each class and its module. The modules below have moved; a finder makes their old names
importable, so that the pickles load. Nothing else may use the old names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

MOVED = {
    "streed.columns": "streed.table.columns",
    "streed.conditions": "streed.tree.conditions",
    "streed.estimators.policy_value": "streed.estimators.policies.value",
    "streed.estimators.stability": "streed.estimators.fitted.stability",
    "streed.features": "streed.binarize.features",
    "streed.result": "streed.tree.result",
    "streed.tasks.threshold": "streed.tasks.limited_task",
}

RENAMED = {"streed.tasks.threshold": {"Threshold": "LimitedTask"}}
"""Old names of classes, by the old name of their module."""


class _OldNames:
    """A finder and loader; the base classes of ``importlib.abc`` take a fifth of the time of an import."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None  # an ordinary module

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, cast("Loader", self)) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        present = vars(import_module(MOVED[module.__name__]))
        vars(module).update({name: value for name, value in present.items() if not name.startswith("__")})
        for old, new in RENAMED.get(module.__name__, {}).items():
            setattr(module, old, present[new])


def make_importable() -> None:
    """Let the old names be imported, once."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        sys.meta_path.append(_OldNames())
