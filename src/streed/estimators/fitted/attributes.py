"""Attributes that `fit` makes: before it they say so, instead of a bare AttributeError."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError


class _AfterFit:
    """Stands in the class for an attribute that `fit` sets on the instance, which then comes first."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        # It is an AttributeError too, so that `hasattr` is False.
        raise NotFittedError(
            f"this {owner.__name__} has no {self.name} yet: it is not fitted; call fit first, as in "
            f"model = {owner.__name__}(...).fit(X, ...)"
        )


def after_fit() -> Any:
    """Declare an attribute that there is only after `fit`."""
    return _AfterFit()
