"""`tune`: the size, depth, price and leaf size of an estimator by hold-outs or cross-validation."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from streed.errors import NotProvenWarning, silent_fits, warn_caller
from streed.options import MOST_DEPTH, OPTIONS
from streed.paths.text import aligned
from streed.tuning.advice import advise_tuned
from streed.tuning.clock import Clock
from streed.tuning.fits import INTERRUPTED, Fitted, FoldFit, FoldSearch, Scorer
from streed.tuning.folds import Fold, make_folds
from streed.tuning.shown import Shown


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
    trees : int
        Number of different trees that were scored, the last one included.
    scoring : str
        The name of the score.
    folds : str
        How many folds were searched, over which cuts, and whether any search ended early.
    complete : bool
        Whether all folds were searched to the end, so that no limit and no stop has changed the choice.
    """

    estimator: Any
    params: dict[str, Any]
    results: dict[str, NDArray[Any]]
    index: int
    trees: int
    scoring: str = ""
    folds: str = ""
    complete: bool = True

    @property
    def score(self) -> float:
        """Mean score of the choice on the rows that were held out."""
        return float(self.results["mean_score"][self.index])

    @property
    def optimal(self) -> bool:
        """Whether the tree of the last fit, on all rows, is proven optimal within the chosen parameters."""
        return bool(self.estimator.result_.optimal)

    def table(self, n: int = 10) -> str:
        """Give the best choices as text; the chosen one has a star."""
        names = [name for name in self.results if not name.startswith("split")]
        order = np.argsort(self.results["rank"], kind="stable")[:n]
        rows = [
            ["*" if k == self.index else "", *(_text(self.results[name][k]) for name in names)] for k in order
        ]
        return aligned(["", *names], rows)

    def _repr_html_(self) -> str:
        shown: str = self.estimator.result_.in_notebook(f"{self!r}\n\n{self.table()}")
        return shown

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        score = f"{self.scoring or 'score'} {self.score:.4g}"
        proof = "proven optimal" if self.optimal else f"not proven (gap {self.estimator.result_.gap:.2%})"
        return f"<Tuned: {chosen}, {score}, {self.trees} trees; {self.folds}; last fit {proof}>"


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
    fold_cuts: str = "candidates",
    progress: Any = None,
    fit_params: Mapping[str, Any] | None = None,
) -> Tuned:
    """Choose the size of a tree by how well it does on rows that were held out.

    Folds are searched over candidate cuts, which takes a fraction of the time of a fit; only the last fit, on
    all rows with the chosen size, considers what the estimator considers. The `time_limit` of the estimator
    bounds all of it, folds and last fit; where it is too short to read the folds, they have fewer rows. If it
    ends the folds there is a `streed.NotProvenWarning`, and the choice is the best one so far. Ctrl-C raises
    `KeyboardInterrupt`, as in scikit-learn's searches.

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
        Numbers of branching nodes to try; by default all that the depth and `max_nodes` of the estimator
        allow. All are taken from one path per fold (`estimator.path`).
    cost_complexity : iterable of float, optional
        Prices to try instead of numbers of nodes. With a depth, for plain accuracy: each takes its best tree
        from the sizes of a fold. Where `max_depth` is None every price is a fit of its own, for any
        estimator; prices must then be above zero.
    min_samples_leaf : iterable of int, optional
        What to try; by default what the estimator has.
    cv : "holdout", int or splitter, default="holdout"
        "holdout" is the paper's procedure, five hold-outs of a fifth of the rows; a number means folds. Both
        are stratified for classifiers.
    scoring : str or callable, optional
        As in scikit-learn; by default what the estimator optimises: accuracy (with `class_weight`, if it has
        one), the metric of its objective, Brier score for Gini impurity, log loss for entropy and log loss;
        squared, absolute, pinball or Poisson loss; the deviance of survival trees, mean costs, the estimated
        value of policies. Losses have a minus sign.
    one_standard_error : bool, default=False
        Choose the smallest tree whose mean score is within one standard error of the best.
    random_state : int or RandomState, optional
        For the folds.
    n_jobs : int, optional
        Folds and choices at the same time, by joblib; in threads, unless a context of joblib says otherwise.
    fold_cuts : {"candidates", "full"}, default="candidates"
        What folds are searched over. "candidates": 8 quantiles of each column (up to 16 for regression, fewer
        where columns are many) and the cuts of greedy trees, at most 128 binary features at depth 4 (96 for
        regression), 256 above, 64 at depth 5, 32 below. "full": what a fit considers, with a search for every
        size of every fold; this can take a hundred times as long, and seldom chooses better.
    progress : bool or callable, optional
        True shows folds and sizes on stderr. A function gets a `streed.Progress` about ten times a second and
        stops tuning by returning True; the choice then is the best one so far. By default as the estimator
        says.
    fit_params : mapping, optional
        What `fit` takes beside X and y, one entry per row, e.g. ``{"costs": C}``; `score` gets what it takes
        of it.

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
    if fold_cuts not in FOLD_CUTS:
        raise ValueError(f"fold_cuts must be 'candidates' or 'full', got {fold_cuts!r}")
    sizes = None if max_nodes is None else _listed("max_nodes", max_nodes)
    grid = [_Choice(d, m, estimator, sizes, prices) for d, m in product(depths, leaf_sizes)]
    data = {"X": X, "y": y, **(fit_params or {})} if y is not None else {"X": X, **(fit_params or {})}
    data = estimator._tuning_data(data)
    time_limit = OPTIONS["time_limit"].check(estimator.time_limit)
    at_once = effective_n_jobs(n_jobs)
    folds = make_folds(cv, X, data.get("y"), random_state, stratify=is_classifier(estimator))
    clock = Clock.start(time_limit, len(grid) * len(folds), at_once, math.prod(np.shape(X)))
    scorer = _scorer(estimator, scoring, data)
    search = FoldSearch(estimator, data, scorer, fold_cuts == "candidates", clock)
    watched = estimator.progress if progress is None else progress
    shown = Shown(watched, len(folds), here=at_once == 1)
    found = _search_folds(search, grid, folds, shown, n_jobs)
    done = _comparable(found, len(grid), len(folds))
    rows = [row for g, numbers in done for row in grid[g].rows([found[g, n].fitted for n in numbers])]
    results = _table(rows)
    index = _choose(results, one_standard_error=one_standard_error)
    names = ["max_depth", "min_samples_leaf", "max_nodes" if prices is None else "cost_complexity"]
    chosen = {name: _plain(results[name][index]) for name in names}
    shown.chosen(chosen, f"{scorer.name} {results['mean_score'][index]:.4g}")
    complete = len(found) == clock.n_jobs and not any(fold.ended for fold in found.values())
    with contextlib.nullcontext() if complete else silent_fits():
        final = clone(estimator).set_params(**chosen, time_limit=clock.rest(), progress=watched).fit(**data)
    final.set_params(time_limit=estimator.time_limit, progress=estimator.progress)
    score = f"{scorer.name} {results['mean_score'][index]:.4g} on rows held out"
    advise_tuned(final.result_, results, chosen, score)
    trees = 1 + sum(len(set(fold.fitted.values())) for fold in found.values())
    how = _how(found, clock.n_jobs, search.candidates)
    tuned = Tuned(final, chosen, results, index, trees, scorer.name, how, complete)
    if not complete and not shown.stopped:
        _warn_incomplete(tuned, time_limit, estimator.max_depth)
    return tuned


FOLD_CUTS = ("candidates", "full")


def _scorer(estimator: Any, scoring: Any, data: Mapping[str, Any]) -> Scorer:
    """Return the score: that of scikit-learn by its name, a function, or what the estimator optimises."""
    if scoring is None:
        return Scorer(*estimator._default_score(data))
    name = scoring if isinstance(scoring, str) else str(getattr(scoring, "__name__", scoring))
    return Scorer(name, partial(_by_scorer, check_scoring(estimator, scoring)), lambda model, test: test)


def _by_scorer(scorer: Any, model: Any, test: Mapping[str, Any]) -> float:
    weights = {name: test[name] for name in ("sample_weight",) if name in test}
    return float(scorer(model, test["X"], test.get("y"), **weights))


def _search_folds(
    search: FoldSearch, grid: list[_Choice], folds: list[Fold], shown: Shown, n_jobs: int | None
) -> dict[tuple[int, int], FoldFit]:
    """Search all folds, as far as time and the user allow; each fold for all choices before the next one."""
    jobs = [(g, number) for number in range(len(folds)) for g in range(len(grid))]
    done = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(grid[g].fit)(
            search, grid[g].params, grid[g].values, folds[number], job,
            shown.watcher(grid[g].params, number, grid[g].tried),
        )
        for job, (g, number) in enumerate(jobs)
    )  # fmt: skip
    found: dict[tuple[int, int], FoldFit] = {}
    for (g, number), answer in zip(jobs, done, strict=False):
        if answer is None:
            continue
        if answer.ended == INTERRUPTED and not shown.stopped:
            raise KeyboardInterrupt
        found[g, number] = answer
        if shown.stopped:
            break
        what = f"{len(set(answer.fitted.values()))} trees over {answer.n_features} binary features"
        shown.finished(grid[g].params, number, grid[g].tried, what)
    return found


def _comparable(
    found: Mapping[tuple[int, int], FoldFit], n_choices: int, n_folds: int
) -> list[tuple[int, list[int]]]:
    """Return the choices that can be compared, with their folds: those that all have, else the first one."""
    common = [n for n in range(n_folds) if all((g, n) in found for g in range(n_choices))]
    if common:
        return [(g, common) for g in range(n_choices)]
    return [(g, [0]) for g in range(n_choices) if (g, 0) in found]


def _how(found: Mapping[tuple[int, int], FoldFit], n_jobs: int, candidates: bool) -> str:
    """Say how folds were searched."""
    counts = sorted(fold.n_features for fold in found.values())
    n_features = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
    what = f"{n_features} candidate features" if candidates else "what a fit considers"
    number = f"{len(found)} searches on folds" + (f" of {n_jobs}" if len(found) < n_jobs else "")
    share = min(fold.share for fold in found.values())
    number += f" with {share:.2g} of their rows" if share < 1 else ""
    ended = sum(bool(fold.ended) for fold in found.values())
    return f"{number} over {what}, " + (f"{ended} ended early" if ended else "all finished")


def _warn_incomplete(tuned: Tuned, time_limit: Any, max_depth: int | None) -> None:
    """Warn once of folds, and of a last fit, that a limit ended."""
    limit = "memory_limit" if time_limit is None else f"time_limit={time_limit:g}"
    last = "" if tuned.optimal else f", and its tree has a gap of {tuned.estimator.result_.gap:.2%}"
    depth = f" or max_depth={max_depth - 1}" if max_depth else ""
    warn_caller(
        f"tuning reached {limit} ({tuned.folds}): the choice is the best one so far{last}; "
        f"raise {limit.partition('=')[0]}, or try fewer choices{depth}",
        NotProvenWarning,
    )


class _Choice:
    """A depth and a leaf size, with the sizes or prices to try at them."""

    values: list[Any]

    def __init__(
        self, depth: Any, leaf_size: int, estimator: Any, sizes: list[int] | None, prices: list[float] | None
    ) -> None:
        self.params = {"max_depth": depth, "min_samples_leaf": leaf_size}
        self.prices = prices
        self.by_fits = depth is None and prices is not None
        if prices is not None and depth is not None:
            _check_price(estimator)
        if prices is not None and depth is None:
            if min(prices) <= 0:
                raise ValueError(
                    "cost_complexity must be above zero where max_depth is None, since nothing else limits "
                    f"the tree; got {min(prices)!r}"
                )
            self.values = sorted(set(prices))
        else:
            self.values = _sizes(sizes, depth, estimator.max_nodes)

    @property
    def fit(self) -> Callable[..., FoldFit | None]:
        """What fits and scores all values on a fold."""
        return FoldSearch.fit_prices if self.by_fits else FoldSearch.fit_sizes

    @property
    def tried(self) -> str:
        """The values, in words."""
        what = "prices" if self.by_fits else "sizes"
        return f"{what} {self.values[0]} to {self.values[-1]}"

    def rows(self, folds: list[dict[float, Fitted]]) -> list[dict[str, Any]]:
        """Give the rows of the table; the best tree at a price has the least sum of value and price."""
        if self.prices is None or self.by_fits:
            name = "max_nodes" if self.prices is None else "cost_complexity"
            return [
                self.params | {name: value} | _scores([fold[value] for fold in folds])
                for value in self.values
            ]
        best = {
            price: [min(fold.values(), key=partial(_priced, price)) for fold in folds]
            for price in self.prices
        }
        return [self.params | {"cost_complexity": price} | _scores(best[price]) for price in self.prices]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _listed(name: str, values: Iterable[Any]) -> list[Any]:
    out = list(values)
    if not out:
        raise ValueError(f"{name} must have at least one value to try, got none")
    for value in out:
        OPTIONS[name].check(value)
    return out


def _check_price(estimator: Any) -> None:
    """Refuse objectives whose values and prices do not add up on the rows of a fold."""
    plain = getattr(estimator, "objective", None) == "accuracy" and estimator.class_weight is None
    if not plain or estimator.cost_complexity not in (0, None):
        raise ValueError(
            "cost_complexity can be tuned for objective='accuracy', class_weight=None and cost_complexity=0: "
            f"tune max_nodes instead, got {estimator!r}"
        )


def _choices(name: str, values: Iterable[int] | None, estimator: Any) -> list[Any]:
    if not hasattr(estimator, "max_nodes") or not hasattr(estimator, name):
        raise TypeError(f"estimator must be one of streed's, got {estimator!r}")
    return [getattr(estimator, name)] if values is None else _listed(name, values)


def _sizes(sizes: Sequence[int] | None, depth: int | None, most: int | None) -> list[int]:
    """Give the sizes to try; without a list all that the depth and the estimator allow."""
    if depth is None and sizes is None and most is None:
        raise ValueError(
            "max_depth=None: give a max_depth, or max_nodes to try (up to 20), or prices (cost_complexity)"
        )
    full = MOST_DEPTH if depth is None else 2**depth - 1
    if sizes is None:
        return list(range(min(full, full if most is None else most) + 1))
    valid = sorted({k for k in sizes if k <= full})
    if not valid:
        where = "without a max_depth" if depth is None else f"at depth {depth}"
        raise ValueError(f"no size of max_nodes is possible {where}: {full} at most, got {min(sizes)}")
    return valid


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
