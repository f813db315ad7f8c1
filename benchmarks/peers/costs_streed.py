"""streed on problems with costs and policies; `benchmarks.peers.streed` times what these return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Options

TASKS = ("cost_sensitive", "instance_costs", "policy")


def fit_estimator(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Fit the estimator of the task; returns the result and what predicts."""
    limits = {name: options[name] for name in ("max_depth", "time_limit", "n_jobs")}
    task = options["task"]
    if task == "cost_sensitive":
        model = package.CostSensitiveTreeClassifier(
            misclassification_costs=options["matrix"], feature_costs=options["feature_costs"], **limits
        ).fit(X, y)
    elif task == "instance_costs":
        model = package.CostSensitiveTreeClassifier(**limits).fit(X, costs=options["costs"])
    else:
        model = package.PolicyTree(**limits).fit(X, rewards=options["rewards"])
    return model.result_, model


def fit_solve(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Call `streed.solve`; returns the result and what predicts."""
    tasks, task = package.tasks, options["task"]
    if task == "cost_sensitive":
        made = tasks.CostMatrix(y, options["matrix"], feature_costs=options["feature_costs"])
    elif task == "instance_costs":
        made = tasks.LabelCosts(options["costs"])
    else:
        made = tasks.PolicyReward(options["rewards"])
    limits = {name: options[name] for name in ("max_depth", "time_limit", "n_jobs")}
    result = package.solve(made, X, **limits)
    return result, result.tree


def prices(package: Any, options: Options) -> Any:
    """Prices as a user gives them: one per attribute, with the attribute of each binary column."""
    attribute = options["attribute"].tolist()
    first = [attribute.index(k) for k in sorted(set(attribute))]

    def per_attribute(name: str) -> dict[int, Any]:
        values = options[name].tolist()
        return {attribute[j]: values[j] for j in first}

    groups = {key: None if group < 0 else group for key, group in per_attribute("group").items()}
    return package.FeatureCosts(per_attribute("full"), per_attribute("discounted"), groups, attribute)


def prepared(package: Any, options: Options) -> Options:
    """Join the options and the prices of tests, which are an object of the package as they are for peers."""
    if options["task"] != "cost_sensitive":
        return options
    return options | {"feature_costs": prices(package, options)}


def warm_options(options: Options) -> Options:
    """Options of the tiny fit that comes before the one that counts: costs for eight rows, two labels."""
    table = np.array([[0.0, 1.0]] * 4 + [[2.0, 0.0]] * 4)
    small = {"matrix": 1.0 - np.eye(2), "costs": table, "rewards": table}
    three = np.arange(3)
    small |= {"attribute": three, "group": three - 1, "full": 0.1 * three, "discounted": 0.1 * three}
    return options | small


def answer(task: str, result: Any, predictor: Any, X: NDArray[Any]) -> NDArray[Any]:
    """Return what is re-scored: the tree itself where tests cost something, else the label of each row."""
    if task == "cost_sensitive":
        tree = result.tree
        return np.stack([tree.feature, tree.left, tree.right, tree.label], axis=1)
    return np.asarray(predictor.predict(X))
