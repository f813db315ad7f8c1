"""Which kind of tree a target calls for, and why."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.tasks import REGISTRY

MOST_LABELS = 30
"""A target of more different whole numbers holds numbers to be predicted, unless an option says otherwise."""


@dataclass(frozen=True, slots=True)
class Kind:
    """An estimator, and what there is to say about why it was chosen."""

    estimator: str
    why: str = ""


DOMAINS = {"sensitive_features": "FairTreeClassifier", "event": "SurvivalTree"}
"""The estimator that a column of a role (see `ROLES`) calls for."""


def kind_of(arguments: argparse.Namespace, target: NDArray[Any]) -> Kind:
    """Return the kind of tree: as the options say, else as the target looks."""
    for role, estimator in DOMAINS.items():
        if getattr(arguments, role) is not None:
            return Kind(estimator)
    if regresses(arguments):
        return Kind("OptimalTreeRegressor")
    labels = Kind("OptimalTreeClassifier")
    if (
        arguments.objective is not None
        or arguments.class_weight is not None
        or target.dtype.kind not in "iuf"
    ):
        return labels
    values = np.unique(target)
    whole = bool((values == np.rint(values)).all())
    if whole and values.size <= 2:
        return labels
    found = f"{arguments.target!r} holds {values.size} different {'whole ' if whole else ''}numbers"
    if whole and values.size <= MOST_LABELS:
        return Kind(
            labels.estimator,
            f"{found}: they are taken for labels (a classification tree); to predict numbers add "
            "--objective squared_error",
        )
    return Kind(
        "OptimalTreeRegressor",
        f"{found}: they are predicted as numbers (a regression tree, squared error); if they are labels add "
        "--objective accuracy",
    )


def regresses(arguments: argparse.Namespace) -> bool:
    """Whether the options say that the target is a number: the objective, or the kind of leaves."""
    linear = arguments.leaf_model not in (None, "constant")
    objective = arguments.objective
    return linear or (objective is not None and REGISTRY[objective].estimator == "OptimalTreeRegressor")
