"""Limits in the words of the command line: ``--limit "recall(ill) >= 0.9"``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from streed import limits as lim
from streed.limits import Limit, Quantity
from streed.spelling import did_you_mean

PATTERN = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*(<=|>=|<|>)\s*([^\s<>=]+)\s*")

HELP = (
    "a limit that the tree keeps, such as 'recall(ill) >= 0.9', 'parity(equal_opportunity, by=sex) <= 0.02', "
    "'share(surgery) <= 0.2', 'nodes() <= 5', 'mean(drug=100, surgery=400) <= 120', or for numbers "
    "'mean_prediction(by=sex) <= 500'; may be given several times"
)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument("--limit", dest="limits", action="append", metavar="LIMIT", help=HELP)


def read_limits(texts: list[str] | None, y: Any) -> list[Limit] | None:
    """Read limits; labels are those of the target that are written alike.

    Examples
    --------
    >>> read_limits(["recall(1) >= 0.9", "parity(by=sex) <= 0.02"], [0, 1])
    [recall(1) >= Decimal('0.9'), parity(by='sex') <= Decimal('0.02')]
    """
    if not texts:
        return None
    known = {str(label): label for label in np.unique(np.asarray(y)).tolist()}
    return [_read(text, known) for text in texts]


def _read(text: str, labels: dict[str, Any]) -> Limit:
    found = PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(f"--limit: expected something like 'recall(ill) >= 0.9', got {text!r}")
    name, inside, comparison, number = found.groups()
    if name not in _READERS:
        known = ", ".join(_READERS)
        raise ValueError(f"--limit: quantities are {known}; got {name!r}{did_you_mean(name, _READERS)}")
    try:
        value = Decimal(number)
    except InvalidOperation:
        raise ValueError(f"--limit: {number!r} is no number, in {text!r}") from None
    words = [word.strip() for word in inside.split(",") if word.strip()]
    plain = [labels.get(word, word) for word in words if "=" not in word]
    pairs = [word.split("=", 1) for word in words if "=" in word]
    named = {key.strip(): value.strip() for key, value in pairs}
    try:
        quantity: Quantity = _READERS[name](plain, named, labels)
    except (TypeError, IndexError) as error:
        raise ValueError(f"--limit: {name} does not take {inside!r}, in {text!r}") from error
    if comparison in ("<", ">"):
        return quantity.below(value) if comparison == "<" else quantity.above(value)
    return quantity <= value if comparison == "<=" else quantity >= value


def _of_label(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda plain, named, labels: make(*plain, **{k: labels.get(v, v) for k, v in named.items()})


def _of_groups(make: Callable[..., Any]) -> Callable[..., Any]:
    def read(plain: list[Any], named: dict[str, str], labels: dict[str, Any]) -> Any:
        given: dict[str, Any] = dict(named)
        if "label" in given:
            given["label"] = labels.get(given["label"], given["label"])
        return make(*plain, **given)

    return read


def _mean(plain: list[Any], named: dict[str, str], labels: dict[str, Any]) -> Any:
    if plain or not named:
        raise TypeError("mean takes what labels cost, as in drug=100")
    return lim.mean({labels.get(label, label): float(cost) for label, cost in named.items()})


_READERS: dict[str, Callable[..., Any]] = {
    "recall": _of_label(lim.recall),
    "precision": _of_label(lim.precision),
    "rate": _of_label(lim.rate),
    "share": _of_label(lim.share),
    "errors": _of_label(lim.errors),
    "metric": _of_groups(lim.metric),
    "parity": _of_groups(lim.parity),
    "ratio": _of_groups(lim.ratio),
    "mean": _mean,
    "mean_prediction": _of_groups(lim.mean_prediction),
    "nodes": _of_label(lim.nodes),
}
