"""Names of parameters as other packages have them, and what they are called here.

The constructors of all estimators, and `set_params`, answer them with the name of ours. The names are those
of scikit-learn's trees, GOSDT, pystreed, pycontree, PyDL8.5, MurTree, rpart, policytree and boosting.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from streed.spelling import did_you_mean


class Ours(NamedTuple):
    """What a name of another package stands for.

    `names` are parameters that serve the purpose: the first one that an estimator has is named. `why` says
    how its meaning differs, or why there is none.
    """

    names: str
    why: str = ""


_PRICE = Ours("cost_complexity", "a price per branching node, in a unit of its own")
_NODES = Ours("max_nodes", "the greatest number of branching nodes; a tree has one leaf more")
_LEAF = Ours("min_samples_leaf", "a number of rows, or a share of them")
_SAME = Ours("", "nothing is random: the same data give the same tree, unless a clock ends the search")
_CUTS = Ours("binarizer", "as streed.Binarizer(n_thresholds=..., max_categories=..., strategy=...)")
_SWITCH = Ours("", "all techniques of the search are always on, none of them changes the tree")
_GOAL = Ours("objective loss", "what is optimised")

FOREIGN: dict[str, Ours] = {
    # scikit-learn
    "max_leaf_nodes": _NODES,
    "ccp_alpha": _PRICE,
    "min_impurity_decrease": _PRICE,
    "criterion": _GOAL,
    "min_samples_split": Ours("min_samples_leaf", "a split leaves at least so many rows on both sides"),
    "min_weight_fraction_leaf": _LEAF,
    "splitter": Ours("cuts", "where numbers are cut; every split is searched, none is drawn at random"),
    "max_features": Ours("", "all columns are searched: leave columns out of X instead"),
    "random_state": _SAME,
    "verbose": Ours("progress"),
    "n_estimators": Ours("", "the model is a single tree"),
    "alpha": Ours("quantile cost_complexity"),
    # GOSDT
    "regularization": _PRICE,
    "depth_budget": Ours("max_depth", "the number of tests on a path, one less than GOSDT's depth_budget"),
    "balance": Ours("class_weight", "'balanced' gives all classes the same weight"),
    "worker_limit": Ours("n_jobs"),
    "similar_support": _SWITCH,
    "look_ahead": _SWITCH,
    "cancellation": _SWITCH,
    "upperbound_guess": _SWITCH,
    "upperbound": _SWITCH,
    "allow_small_reg": Ours("", "any price of a node is taken, however small"),
    "reference_LB": _SWITCH,
    # pystreed and MurTree
    "optimization_task": _GOAL,
    "max_num_nodes": _NODES,
    "min_leaf_node_size": _LEAF,
    "hyper_tune": Ours("tune"),
    "random_seed": _SAME,
    "feature_ordering": _SWITCH,
    "use_branch_caching": _SWITCH,
    "use_dataset_caching": _SWITCH,
    "use_terminal_solver": _SWITCH,
    "use_similarity_lower_bound": _SWITCH,
    "use_upper_bound": _SWITCH,
    "use_lower_bound": _SWITCH,
    "use_task_lower_bound": _SWITCH,
    "continuous_binarize_strategy": _CUTS,
    "n_thresholds": _CUTS,
    "n_categories": _CUTS,
    "regression_lower_bound": _SWITCH,
    "upper_bound": _SWITCH,
    "discrimination_limit": Ours("max_difference", "the greatest difference between groups"),
    "ridge_penalty": Ours("ridge", "the penalty of slopes of linear leaves"),
    "lasso_penalty": Ours("ridge", "slopes of linear leaves have a quadratic penalty"),
    "cost_vector": Ours("feature_costs misclassification_costs"),
    # pycontree, PyDL8.5, rpart, policytree, interpretable AI
    "complexity_cost": _PRICE,
    "max_gap": Ours("time_limit", "the search ends with a bound; result_.gap has the distance"),
    "min_sup": _LEAF,
    "error_function": _GOAL,
    "fast_error_function": _GOAL,
    "cp": _PRICE,
    "minbucket": _LEAF,
    "minsplit": Ours("min_samples_leaf", "a split leaves at least so many rows on both sides"),
    "min_node_size": _LEAF,
    "split_step": _CUTS,
    "depth": Ours("max_depth"),
    # boosting and others
    "num_leaves": _NODES,
    "max_leaves": _NODES,
    "min_child_samples": _LEAF,
    "min_data_in_leaf": _LEAF,
    "scale_pos_weight": Ours("class_weight"),
    "lambda_": _PRICE,
    "timeout": Ours("time_limit", "in seconds"),
    "num_threads": Ours("n_jobs"),
    # ours, on estimators that call it something else
    "objective": Ours("loss", "what is optimised"),
    "loss": Ours("objective", "what is optimised"),
    "costs": Ours("misclassification_costs", "by class; costs per row are an argument of fit"),
    "cost_matrix": Ours("misclassification_costs"),
    "sensitive_features": Ours("", "the groups of the rows are an argument of fit"),
    "sample_weight": Ours("", "the weights of the rows are an argument of fit"),
}
"""By the name that other packages have."""


def unknown_parameter(estimator: type, given: Iterable[str]) -> str:
    """Say what the first unknown parameter is called here; empty where there is nothing to say.

    Examples
    --------
    >>> import streed
    >>> from streed.estimators.parameters.names import unknown_parameter
    >>> unknown_parameter(streed.SurvivalTree, ["max_dpeth"])
    "SurvivalTree has no parameter 'max_dpeth'; did you mean 'max_depth'?"
    """
    known = list(inspect.signature(estimator).parameters)
    name = next((name for name in given if name not in known), None)
    if name is None:
        return ""
    ours = FOREIGN.get(name)
    here = "" if ours is None else next((each for each in ours.names.split() if each in known), "")
    said = f"{estimator.__name__} has no parameter {name!r}"
    if ours is not None and (here or not ours.names):
        return f"{said}: " + ", ".join(filter(None, (here and f"it is {here} here", ours.why)))
    guess = did_you_mean(name, known)
    return said + guess if guess else ""


def answering(init: Callable[..., None]) -> Callable[..., None]:
    """Let a constructor answer the names of other packages; a call that is right costs nothing more."""

    @functools.wraps(init)
    def checked(self: Any, *given: Any, **parameters: Any) -> None:
        try:
            init(self, *given, **parameters)
        except TypeError:
            said = unknown_parameter(type(self), parameters)
            if not said:
                raise
            raise TypeError(said) from None

    return checked
