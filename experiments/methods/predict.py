"""The methods of the study of predictions on one split: what they say of rows that were held out.

A run makes a family of methods, since some of them depend on each other: CART gets as many leaves as the
optimal tree of the same split has. Figures are named by the method.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import time_once
from benchmarks.peers import Options
from experiments.predict_data import split_rows

DISTRIBUTION = "streed"
DEPTH = 4
FOLDS = 5
LEAVES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32)
"""Leaves that a tuned CART chooses from."""

LEAST = float(np.finfo(np.float64).eps)
"""A probability is at least this, as in scikit-learn's log loss."""


@dataclass(frozen=True)
class Split:
    """The rows of one split."""

    X: NDArray[Any]
    y: NDArray[np.int32]
    X_test: NDArray[Any]
    y_test: NDArray[np.int32]
    n_classes: int
    limit: float

    def timed(self, fit: Callable[[], Any]) -> tuple[Any, float]:
        """Fit a model; returns it and the processor seconds that it took."""
        found: list[Any] = []
        _, processor = time_once(lambda: found.append(fit()), 20 * self.limit)
        return found[0], processor


def run(X: NDArray[Any], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit the methods of a family to the training rows of a split, and score the others."""
    train, test = split_rows(len(y), int(options["split"]))
    limit = float(options["time_limit"])
    split = Split(X[train], y[train], X[test], y[test], int(y.max()) + 1, limit)
    figures: dict[str, float] = {}
    for name, figure in FAMILIES[str(options["algorithm"])](split).items():
        figures |= {f"{name} {what}": value for what, value in figure.items()}
    seconds = sum(value for name, value in figures.items() if name.endswith(" seconds"))
    return {"seconds": seconds, "cpu_seconds": seconds, "proven": True, "figures": figures}


Figures = dict[str, dict[str, float]]


def one_fit(split: Split) -> Figures:
    """Trees of one fit: a price chosen from the data, no price, and CART with as many leaves as either."""
    found: Figures = {}
    for name, price in (("auto", "auto"), ("untuned", None)):
        model = optimal(split, max_depth=DEPTH, cost_complexity=price)
        found[name] = scored(split, *model)
        shares = model[0].tree_.class_weights / model[0].tree_.class_weights.sum(axis=1, keepdims=True)
        found[f"{name}, raw shares"] = of_shares(split, model[0], shares)
        laplace = model[0].tree_.class_weights + 1
        found[f"{name}, Laplace"] = of_shares(split, model[0], laplace / laplace.sum(axis=1, keepdims=True))
        found[f"CART as {name}"] = scored(split, *cart(split, model[0].get_n_leaves()))
    found["CART"] = scored(split, *cart(split, None, max_depth=DEPTH))
    return found


def log_loss(split: Split) -> Figures:
    """Return trees of the log loss, with a price."""
    more: dict[str, Any] = {"cost_complexity": "auto", "time_limit": split.limit}
    model = optimal(split, "log_loss", max_depth=DEPTH, **more)
    return {"log loss auto": scored(split, *model)}


def tuned(split: Split) -> Figures:
    """Trees whose size five folds chose."""
    found = {"tuned": scored(split, *optimal(split, max_depth=DEPTH, tune=FOLDS))}
    choose = import_module("sklearn.model_selection").GridSearchCV
    tree = import_module("sklearn.tree").DecisionTreeClassifier(random_state=0)
    found["CART tuned"] = scored(
        split, *split.timed(lambda: choose(tree, {"max_leaf_nodes": LEAVES}, cv=FOLDS).fit(split.X, split.y))
    )
    alphas = tree.cost_complexity_pruning_path(split.X, split.y).ccp_alphas.clip(min=0)
    some = np.unique(np.quantile(alphas, np.linspace(0, 1, 12)))
    found["CART pruned"] = scored(
        split, *split.timed(lambda: choose(tree, {"ccp_alpha": some}, cv=FOLDS).fit(split.X, split.y))
    )
    return found


def free(split: Split) -> Figures:
    """Trees without a limit of the depth, with a price, and CART with as many leaves."""
    more: dict[str, Any] = {"cost_complexity": "auto", "time_limit": split.limit}
    model = optimal(split, max_depth=None, **more)
    return {
        "auto, no depth": scored(split, *model),
        "CART as auto, no depth": scored(split, *cart(split, model[0].get_n_leaves())),
    }


def ceilings(split: Split) -> Figures:
    """Ensembles, which no single tree is expected to reach."""
    ensemble = import_module("sklearn.ensemble")
    models = {
        "forest": ensemble.RandomForestClassifier(100, random_state=0),
        "boosting": ensemble.HistGradientBoostingClassifier(
            random_state=0, early_stopping=False, max_iter=60
        ),
    }
    return {
        name: scored(split, *split.timed(functools.partial(model.fit, split.X, split.y)))
        for name, model in models.items()
    }


def sizes(split: Split) -> Figures:
    """Trees of each number of leaves: the best ones of depth 4 over quantiles, and those of CART."""
    streed = import_module("streed")
    path, seconds = split.timed(
        lambda: streed.OptimalTreeClassifier(max_depth=DEPTH, cuts="binned", time_limit=split.limit).path(
            split.X, split.y
        )
    )
    found: Figures = {}
    for leaves in LEAVES:
        if leaves <= 2**DEPTH:
            model = path.estimator(leaves - 1)
            found[f"best of {leaves} leaves"] = scored(split, model, seconds)
        found[f"CART of {leaves} leaves"] = scored(split, *cart(split, leaves))
    return found


class Coded:
    """A model of a package that wants labels 0, 1, ... without gaps."""

    def __init__(self, model: Any, leaves: Callable[[Any], int]) -> None:
        self.model, self._leaves = model, leaves

    def fit(self, X: NDArray[Any], y: NDArray[np.int32]) -> Coded:
        """Fit it to the positions of the labels among those that occur."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model.fit(X, codes.reshape(-1).astype(np.int32))
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Return labels as they were."""
        return np.asarray(self.classes_[np.asarray(self.model.predict(X), np.intp)])

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int(self._leaves(self.model))


def figs(split: Split) -> Figures:
    """Return FIGS: a sum of few trees, with twelve splits."""
    model = import_module("imodels").FIGSClassifier(max_rules=12, random_state=0)
    return {"FIGS": scored(split, *split.timed(lambda: model.fit(split.X, split.y) or model))}


def contree(split: Split) -> Figures:
    """Return pycontree's exact trees of depth 3, which is as far as its time goes."""
    tree = import_module("pycontree").ConTree(max_depth=3, time_limit=split.limit)
    model = Coded(tree, lambda tree: tree.get_num_leaf_nodes())
    return {"ConTree": scored(split, *split.timed(lambda: model.fit(split.X, split.y)))}


def pystreed(split: Split, *, tune: bool = False) -> Figures:
    """Return pystreed's trees of depth 4 over its own cuts; tuned by its own folds if asked for."""
    classifier = import_module("pystreed").STreeDClassifier
    tree = classifier(max_depth=DEPTH, time_limit=split.limit, hyper_tune=tune)
    model = Coded(tree, lambda tree: tree.get_n_leaves())
    found = scored(split, *split.timed(lambda: model.fit(split.X, split.y)))
    return {"pystreed tuned" if tune else "pystreed": found}


def fast_small_tree(split: Split) -> Figures:
    """Return FastSmallTree with its default price of a leaf, .05 of the rows, and with .01."""
    classifier = import_module("imodels").FastSmallTreeClassifier
    warnings = import_module("warnings")
    found: Figures = {}
    for price in (0.05, 0.01):
        tree = classifier(regularization=price, time_limit=split.limit)
        model = Coded(tree, lambda tree: tree.n_leaves_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its warning that the time was up
            found[f"FastSmallTree {price}"] = scored(
                split, *split.timed(functools.partial(model.fit, split.X, split.y))
            )
    return found


FAMILIES: dict[str, Callable[[Split], Figures]] = {
    "one fit": one_fit,
    "log loss": log_loss,
    "tuned": tuned,
    "free": free,
    "ceilings": ceilings,
    "sizes": sizes,
    "FIGS": figs,
    "ConTree": contree,
    "pystreed": pystreed,
    "pystreed tuned": functools.partial(pystreed, tune=True),
    "FastSmallTree": fast_small_tree,
}


def optimal(split: Split, objective: str = "accuracy", **parameters: Any) -> tuple[Any, float]:
    """Fit an optimal tree.

    Without a time limit a default fit ends after so much work, which does not depend on the machine's load.
    """
    warnings, streed = import_module("warnings"), import_module("streed")
    model = streed.OptimalTreeClassifier(objective, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.NotProvenWarning)
        return split.timed(lambda: model.fit(split.X, split.y))


def cart(split: Split, leaves: int | None, **parameters: Any) -> tuple[Any, float]:
    """Grow scikit-learn's tree, best first if leaves are limited."""
    if leaves == 1:
        model = import_module("sklearn.dummy").DummyClassifier(strategy="prior")
    else:
        trees = import_module("sklearn.tree")
        model = trees.DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0, **parameters)
    return split.timed(lambda: model.fit(split.X, split.y))


def scored(split: Split, model: Any, seconds: float) -> dict[str, float]:
    """Score a fitted model on the rows that were held out."""
    tree = getattr(model, "best_estimator_", model)
    found = {"accuracy": float((np.asarray(model.predict(split.X_test)) == split.y_test).mean())}
    if hasattr(model, "predict_proba"):
        found |= of_probabilities(split, np.asarray(model.predict_proba(split.X_test)), model.classes_)
    if hasattr(tree, "get_n_leaves"):
        found["leaves"] = float(tree.get_n_leaves())
    if hasattr(tree, "get_n_leaves") and hasattr(tree, "decision_path"):
        found["questions"] = float(tree.decision_path(split.X_test).sum(axis=1).mean() - 1)
    if hasattr(tree, "result_"):
        found["proven"] = float(tree.result_.optimal)
    return found | {"seconds": seconds}


def of_shares(split: Split, model: Any, shares: NDArray[np.float64]) -> dict[str, float]:
    """Score other probabilities of the nodes of a tree."""
    return of_probabilities(split, shares[model.apply(split.X_test)], model.classes_)


def of_probabilities(
    split: Split, probabilities: NDArray[np.float64], classes: NDArray[np.int32]
) -> dict[str, float]:
    """Score probabilities; classes that were not among the training rows have none."""
    table = np.zeros((len(split.y_test), split.n_classes))
    table[:, np.asarray(classes, np.intp)] = probabilities
    own = table[np.arange(len(table)), split.y_test]
    found = {
        "log loss": float(-np.log(np.clip(own, LEAST, 1.0)).mean()),
        "Brier": float(((table - np.eye(split.n_classes)[split.y_test]) ** 2).sum(axis=1).mean()),
    }
    area = import_module("sklearn.metrics").roc_auc_score
    is_class = [split.y_test == k for k in ([1] if split.n_classes == 2 else range(split.n_classes))]
    areas = [
        float(area(own, table[:, 1 if split.n_classes == 2 else k]))
        for k, own in enumerate(is_class)
        if own.any() and not own.all()
    ]
    return found | ({"AUC": float(np.mean(areas))} if areas else {})
