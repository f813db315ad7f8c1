"""`tune`: the size, depth, price and leaf size of an estimator by hold-outs or cross-validation."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from streed.paths.text import aligned
from streed.tuning.fits import Fitted, fit_sizes
from streed.tuning.folds import make_folds


@dataclass(frozen=True, repr=False)
class Tuned:
    """What was tried, what was chosen, and the estimator fitted with it on all rows.

    Attributes
    ----------
    estimator : estimator
        An ordinary fitted estimator.
    params : dict
        The chosen parameters.
    results : dict of str to array
        A table with one row per choice: the parameters, ``mean_score``, ``std_score``, ``standard_error``,
        ``mean_nodes``, ``rank``, ``split0_score`` and so on; ``pandas.DataFrame(tuned.results)`` is a frame.
    index : int
        The chosen row.
    fits : int
        Number of fits that were needed, the last one included.
    """

    estimator: Any
    params: dict[str, Any]
    results: dict[str, NDArray[Any]]
    index: int
    fits: int

    @property
    def score(self) -> float:
        """Mean score of the choice on the rows that were held out."""
        return float(self.results["mean_score"][self.index])

    def table(self, n: int = 10) -> str:
        """Give the best choices as text; the chosen one has a star."""
        names = [name for name in self.results if not name.startswith("split")]
        order = np.argsort(self.results["rank"], kind="stable")[:n]
        rows = [
            ["*" if k == self.index else "", *(_text(self.results[name][k]) for name in names)] for k in order
        ]
        return aligned(["", *names], rows)

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"<Tuned: {chosen}, score {self.score:.4g}, {self.fits} fits>"


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def tune(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    max_depth: Iterable[int] | None = None,
    max_nodes: Iterable[int] | None = None,
    cost_complexity: Iterable[float] | None = None,
    min_samples_leaf: Iterable[int] | None = None,
    cv: Any = "holdout",
    scoring: Any = None,
    one_standard_error: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    fit_params: Mapping[str, Any] | None = None,
) -> Tuned:
    """Choose the size of a tree by how well it does on rows that were held out.

    Parameters
    ----------
    estimator : estimator
        One of streed's estimators; its other parameters stay as they are.
    X : array-like
        The table.
    y : array-like, optional
        The target, if the estimator takes one.
    max_depth : iterable of int, optional
        What to try; by default what the estimator has.
    max_nodes : iterable of int, optional
        Numbers of branching nodes to try; by default all that the depth allows.
    cost_complexity : iterable of float, optional
        Prices to try instead of numbers of nodes, for plain accuracy: each takes its best tree from the sizes
        of a fold, without a fit of its own.
    min_samples_leaf : iterable of int, optional
        What to try; by default what the estimator has.
    cv : "holdout", int or splitter, default="holdout"
        "holdout" is the paper's procedure, five hold-outs of a fifth of the rows; a number means folds. Both
        are stratified for classifiers.
    scoring : str or callable, optional
        As in scikit-learn; by default the estimator's own ``score``.
    one_standard_error : bool, default=False
        Choose the smallest tree whose mean score is within one standard error of the best.
    random_state : int or RandomState, optional
        For the folds.
    n_jobs : int, optional
        Folds and choices at the same time, by joblib.
    progress : bool, default=False
        Show a line on stderr for every fold that is finished.
    fit_params : mapping, optional
        What `fit` and `score` take beside X and y, one entry per row, e.g. ``{"costs": C}``.

    Returns
    -------
    Tuned
        The choice with its fitted estimator, and the table of results.

    Examples
    --------
    >>> import numpy as np, streed
    >>> from streed.tuning import tune
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(2, size=(200, 5))
    >>> y = X[:, 0] & X[:, 1] ^ (rng.random(200) < 0.1)
    >>> tuned = tune(streed.OptimalTreeClassifier(max_depth=2), X, y, random_state=0)
    >>> tuned.params["max_nodes"]
    2
    """
    depths = _choices("max_depth", max_depth, estimator)
    leaf_sizes = _choices("min_samples_leaf", min_samples_leaf, estimator)
    prices = None if cost_complexity is None else _listed("cost_complexity", cost_complexity)
    if prices is not None and max_nodes is not None:
        raise ValueError("give max_nodes or cost_complexity, not both")
    if prices is not None:
        _check_price(estimator)
    sizes = None if max_nodes is None else _listed("max_nodes", max_nodes)
    data = {"X": X, "y": y, **(fit_params or {})} if y is not None else {"X": X, **(fit_params or {})}
    folds = make_folds(cv, X, y, random_state, stratify=is_classifier(estimator))
    scorer = None if scoring is None else check_scoring(estimator, scoring)
    grid = [{"max_depth": d, "min_samples_leaf": m} for d, m in product(depths, leaf_sizes)]
    jobs = [(params, number) for params in grid for number in range(len(folds))]
    done = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(fit_sizes)(estimator, params, _sizes(sizes, params["max_depth"]), data, folds[number], scorer)
        for params, number in jobs
    )
    found: dict[tuple[int, int], dict[int, Fitted]] = {}
    for k, answer in enumerate(done):
        found[divmod(k, len(folds))] = answer
        if progress:
            params, number = jobs[k]
            sys.stderr.write(
                f"tune: {params}, fold {number + 1} of {len(folds)}: {len(set(answer.values()))} trees\n"
            )
    rows = [row for g, params in enumerate(grid) for row in _rows(params, found, g, len(folds), prices)]
    results = _table(rows)
    index = _choose(results, one_standard_error=one_standard_error)
    names = ["max_depth", "min_samples_leaf", "max_nodes" if prices is None else "cost_complexity"]
    chosen = {name: results[name][index].item() for name in names}
    final = clone(estimator).set_params(**chosen).fit(**data)
    fits = 1 + sum(len(set(answer.values())) for answer in found.values())
    return Tuned(final, chosen, results, index, fits)


def _listed(name: str, values: Iterable[Any]) -> list[Any]:
    out = list(values)
    if not out:
        raise ValueError(f"{name} must have at least one value to try, got none")
    if any(not value >= 0 for value in out):
        raise ValueError(f"{name} must not be negative, got {min(out)!r}")
    return out


def _check_price(estimator: Any) -> None:
    """Refuse objectives whose values and prices do not add up on the rows of a fold."""
    plain = getattr(estimator, "objective", None) == "accuracy" and estimator.class_weight is None
    if not plain or estimator.cost_complexity != 0:
        raise ValueError(
            "cost_complexity can be tuned for objective='accuracy', class_weight=None and cost_complexity=0: "
            f"tune max_nodes instead, got {estimator!r}"
        )


def _choices(name: str, values: Iterable[int] | None, estimator: Any) -> list[Any]:
    if not hasattr(estimator, "max_nodes") or not hasattr(estimator, name):
        raise TypeError(f"estimator must be one of streed's, got {estimator!r}")
    return [getattr(estimator, name)] if values is None else _listed(name, values)


def _sizes(sizes: Sequence[int] | None, depth: int) -> list[int]:
    full = 2**depth - 1
    valid = list(range(full + 1)) if sizes is None else sorted({k for k in sizes if k <= full})
    if not valid:
        least = min(sizes or [0])
        raise ValueError(f"no size of max_nodes is possible at depth {depth}: {full} at most, got {least}")
    return valid


def _rows(
    params: dict[str, Any],
    found: dict[tuple[int, int], dict[int, Fitted]],
    number: int,
    n_folds: int,
    prices: list[float] | None,
) -> list[dict[str, Any]]:
    """Give the rows of the table for one depth and leaf size."""
    paths = [found[number, fold] for fold in range(n_folds)]
    if prices is None:
        return [
            params | {"max_nodes": size} | _scores([path[size] for path in paths])
            for size in sorted(paths[0])
        ]
    rows = []
    for price in prices:
        # The optimal tree at a price is that of the size with the least sum of value and price.
        best = [min(path.values(), key=partial(_priced, price)) for path in paths]
        rows.append(params | {"cost_complexity": price} | _scores(best))
    return rows


def _priced(price: float, fitted: Fitted) -> tuple[float, int]:
    return fitted.value + price * fitted.total * fitted.nodes, fitted.nodes


def _scores(fitted: list[Fitted]) -> dict[str, Any]:
    scores = np.array([f.score for f in fitted])
    spread = float(scores.std(ddof=1)) if scores.size > 1 else 0.0
    return {
        "mean_score": float(scores.mean()),
        "std_score": spread,
        "standard_error": spread / float(np.sqrt(scores.size)),
        "mean_nodes": float(np.mean([f.nodes for f in fitted])),
        **{f"split{k}_score": float(score) for k, score in enumerate(scores)},
    }


def _table(rows: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    order = np.lexsort((table["mean_nodes"], -table["mean_score"]))
    rank = np.empty(len(rows), dtype=int)
    rank[order] = np.arange(1, len(rows) + 1)
    return table | {"rank": rank}


def _choose(table: dict[str, NDArray[Any]], *, one_standard_error: bool) -> int:
    """Choose the best mean score and of those the smallest tree, or the smallest within a standard error."""
    best = int(np.argmin(table["rank"]))
    if not one_standard_error:
        return best
    within = np.flatnonzero(table["mean_score"] >= table["mean_score"][best] - table["standard_error"][best])
    order = np.lexsort((-table["mean_score"][within], table["mean_nodes"][within]))
    return int(within[order[0]])
