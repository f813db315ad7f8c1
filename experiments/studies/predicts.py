"""Predictions: what trees say of rows that they were not fitted to, beside greedy trees and ensembles.

The rules, written down before the first split was run:

- Sets: all of `experiments.predict_data.predict_sets`, in the order of a digest of their names. The verdicts
  are about the first 40 of them; figures of the others are shown beside.
- Splits: at most 1,000 rows and 70 % of them to fit on, at most 5,000 to score on, by seeds from 34,000 on.
  Ten splits are wanted; what is reported is as many as were run on all 40 sets, for each family by itself.
- Prices, strengths and limits of work were chosen on 40 sets, the first 20 and the 20 after the first 40, by
  splits with seeds from 90,000 on. The 20 sets between them were not looked at; comparisons are shown for
  them alone, too.
- A set counts once: its figure is the mean over its splits. One method wins a set if its figure is better by
  more than 0.0005; sets that differ by less are ties.
- "auto" is `cost_complexity="auto"`, depth 4, cuts as by default, one fit, and nothing chosen by hand.
  CART "as auto" is scikit-learn's best-first tree with as many leaves on the same split.
- Wanted: "auto" against CART as auto at least 24 wins and at most 10 losses of 40, the mean at least +.010;
  against its own tuning by five folds at least -.003, at a tenth of its processor time; the log loss of
  default probabilities better than that of raw shares on at least 36 of 40, for trees with a price and
  without; without a depth, against CART with a tuned number of leaves, 24 wins.
- Other packages have their defaults, a time limit of 8 s, and their own cuts; fewer splits where they are
  slow. FastSmallTree has its default price and a fifth of it, and no limit of the depth; ConTree has depth 3.
- Trees of the log loss, without a depth and of all sizes have 20 s each; other trees of streed end by
  themselves.
- Before the first tree without a depth was fitted, CART with as many leaves as it has was added.
- Figures that fall short are shown with the others.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import chain

import numpy as np

from experiments.findings import Figures, Findings
from experiments.methods.predict import DEPTH, LEAVES
from experiments.predict_data import DEVELOPED, predict_sets, read_predict
from experiments.runs import Job, Run
from experiments.settings import Settings
from experiments.significance import p_value
from experiments.tables import Table, reasons

PEERS = ("FIGS", "pystreed", "pystreed tuned", "FastSmallTree", "ConTree")
FAMILIES = ("one fit", "tuned", "ceilings", "log loss", "sizes", "free", *PEERS)
QUICK_SETS = ("sklearn/iris", "sklearn/wine", "cost-sensitive/glass", "classification/lymph", "sparse/monk1")
SECONDS, PEER_SECONDS = 20.0, 8.0
"""Time limit of trees of the log loss, without a depth and of all sizes, and of other packages."""
SPLITS = 10
FIRST = 40
"""Sets that the verdicts are about."""

TIE = 0.0005
MOST_SETS = 0.9
"""A method has a rank and a point in the plot if it has figures of this share of the sets."""

DIGITS = 5
"""Decimals of figures, so that the summary, which has as many, gives the same counts and p-values."""

FIGURES = ("accuracy", "log loss", "Brier", "AUC", "leaves", "questions", "seconds")
LESS_IS_BETTER = ("log loss", "Brier")
PAIRS = (
    ("auto", "CART as auto", "accuracy"),
    ("untuned", "CART as untuned", "accuracy"),
    ("auto", "untuned", "accuracy"),
    ("auto", "tuned", "accuracy"),
    ("auto", "CART", "accuracy"),
    ("auto", "CART tuned", "accuracy"),
    ("auto", "CART pruned", "accuracy"),
    ("tuned", "CART tuned", "accuracy"),
    ("auto, no depth", "CART tuned", "accuracy"),
    ("auto, no depth", "CART as auto, no depth", "accuracy"),
    ("auto, no depth", "auto", "accuracy"),
    ("auto", "forest", "accuracy"),
    ("auto", "boosting", "accuracy"),
    ("auto", "FIGS", "accuracy"),
    ("auto", "ConTree", "accuracy"),
    ("auto", "pystreed", "accuracy"),
    ("auto", "pystreed tuned", "accuracy"),
    ("auto", "FastSmallTree 0.05", "accuracy"),
    ("auto", "FastSmallTree 0.01", "accuracy"),
    ("auto", "auto, raw shares", "log loss"),
    ("untuned", "untuned, raw shares", "log loss"),
    ("auto", "auto, Laplace", "log loss"),
    ("untuned", "untuned, Laplace", "log loss"),
    ("auto", "CART as auto", "log loss"),
    ("log loss auto", "auto", "log loss"),
    ("log loss auto", "auto", "AUC"),
    ("log loss auto", "auto", "accuracy"),
    ("log loss auto", "CART tuned", "AUC"),
)
"""What is compared with what."""


def jobs(settings: Settings) -> list[Job]:
    """All families on all sets, one split after the other."""
    return [
        Job(
            f"predicts {family}",
            f"predicts/{name}",
            {
                "task": "accuracy",
                "algorithm": family,
                "split": split,
                "time_limit": settings.limit(PEER_SECONDS if family in PEERS else SECONDS),
            },
            functools.partial(read_predict, settings.data, name),
            series=name,
        )
        for split in range(splits(settings))
        for family in FAMILIES
        for name in sets(settings)
    ]


def splits(settings: Settings) -> int:
    """Return the number of splits: ten, unless another one than that of the study of costs is asked for."""
    return SPLITS if settings.splits == 100 else settings.splits


def sets(settings: Settings) -> list[str]:
    """Names of the sets, those of quick mode only if asked for."""
    return settings.chosen(predict_sets(settings.data), QUICK_SETS)


class Scores:
    """Mean figures by method, set and figure."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.by_split: dict[tuple[str, str, str], dict[int, float]] = {}
        self.unproven: dict[str, list[bool]] = {}
        for run in runs:
            name = str(run.parameters["series"])
            for key, value in run.figures.items():
                method, figure = self._parts(key)
                if figure == "proven":
                    self.unproven.setdefault(method, []).append(not value)
                elif figure:
                    found = self.by_split.setdefault((method, name, figure), {})
                    known = value if figure == "seconds" else round(value, DIGITS)
                    found[int(run.parameters["split"])] = known

    @staticmethod
    def _parts(key: str) -> tuple[str, str]:
        for figure in (*FIGURES, "proven"):
            if key.endswith(f" {figure}"):
                return key.removesuffix(f" {figure}"), figure
        return key, ""

    @property
    def methods(self) -> list[str]:
        """The methods with an accuracy, in the order of the pairs."""
        known = {method for method, _, figure in self.by_split if figure == "accuracy"}
        named = dict.fromkeys(chain.from_iterable((first, second) for first, second, _ in PAIRS))
        return [method for method in named if method in known]

    def of(self, method: str, name: str, figure: str) -> float | None:
        """Return the mean over the splits of a set, None if there is none."""
        found = self.by_split.get((method, name, figure))
        return statistics.fmean(found.values()) if found else None

    def mean(self, method: str, figure: str, names: Sequence[str]) -> float | None:
        """Return the mean over the sets that have the figure, None if there is none."""
        found = [value for name in names if (value := self.of(method, name, figure)) is not None]
        return statistics.fmean(found) if found else None

    def pairs(
        self, first: str, second: str, figure: str, names: Sequence[str]
    ) -> tuple[list[float], list[float]]:
        """Return the figures of two methods on the sets that both have, over the splits that both have."""
        ours, theirs = [], []
        for name in names:
            mine = self.by_split.get((first, name, figure), {})
            other = self.by_split.get((second, name, figure), {})
            both = sorted(mine.keys() & other.keys())
            if both:
                ours.append(statistics.fmean(mine[split] for split in both))
                theirs.append(statistics.fmean(other[split] for split in both))
        return ours, theirs


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the tables: comparisons, means, ranks, and accuracy by set; and the plots."""
    names, scores = sets(settings), Scores(runs)
    first = names[:FIRST]
    fresh = predict_sets(settings.data)[DEVELOPED:FIRST]
    tables = [
        comparisons(scores, first),
        comparisons(scores, [name for name in first if name in fresh], "fresh", "that served no development"),
        means(scores, first),
        ranks(scores, first),
        by_set(scores, names),
    ]
    tables[0].notes += reasons(runs)
    said = [f"{len(first)} sets."] + [
        f"{family}: {count} splits of each set." for family, count in whole_splits(runs, first).items()
    ]
    for method, unproven in scores.unproven.items():
        if method not in scores.methods:
            continue
        said.append(f"{method}: {sum(unproven)} of {len(unproven)} trees were not proven.")
    said += times(scores, "auto", "tuned", first)
    plots = [over_leaves(scores, first), of_ranks(scores, first)]
    return Findings(
        tables, [plot for plot in plots if plot is not None], said, summary=summary(scores, first)
    )


def whole_splits(runs: Sequence[Run], names: Sequence[str]) -> dict[str, int | str]:
    """Say on how many splits each family was run, as "2 to 3" where sets have different numbers."""
    found: dict[str, int | str] = {}
    for family in FAMILIES:
        own = [run for run in runs if run.parameters.get("algorithm") == family and run.status != "missing"]
        counts = [sum(run.parameters["series"] == name for run in own) for name in names]
        if any(counts):
            found[family] = counts[0] if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"
    return found


def times(scores: Scores, first: str, second: str, names: Sequence[str]) -> list[str]:
    """Compare the processor time of two methods: means, and ratios over sets."""
    ours, theirs = scores.pairs(first, second, "seconds", names)
    if not ours:
        return []
    ratios = np.divide(ours, theirs)
    return [
        f"Processor time of {first} over that of {second}: {sum(ours) / sum(theirs):.2f} of the sums, "
        f"{np.median(ratios):.2f} in the median of the sets, {np.exp(np.log(ratios).mean()):.2f} in the "
        "geometric mean."
    ]


def over_leaves(scores: Scores, names: Sequence[str]) -> Figures | None:
    """Plot the mean accuracy over the number of leaves."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for kind, label in (("best", "best tree of a size, depth 4, quantiles"), ("CART", "CART, best first")):
        for leaves in LEAVES:
            own = scores.mean(f"{kind} of {leaves} leaves", "accuracy", names)
            if own is not None:
                lines.setdefault(label, []).append((float(leaves), own))
    points: dict[str, tuple[float, float, float]] = {}
    levels: dict[str, float] = {}
    for method in scores.methods:
        if sum(scores.of(method, name, "accuracy") is not None for name in names) < MOST_SETS * len(names):
            continue
        accuracy, size = (scores.mean(method, figure, names) for figure in ("accuracy", "leaves"))
        if accuracy is not None and size is not None and size <= 2 * 2**DEPTH:
            points[method] = (size, accuracy, 0.0)
        elif accuracy is not None and method in ("forest", "boosting"):
            levels[method] = accuracy
    if not points:
        return None
    title = f"Accuracy on rows held out, mean over {len(names)} sets"
    return Figures("accuracy-over-leaves", title, ("leaves", "accuracy"), lines, points, levels)


def of_ranks(scores: Scores, names: Sequence[str]) -> Figures | None:
    """Plot mean ranks by accuracy with half of Nemenyi's difference to both sides."""
    found = mean_ranks(scores, "accuracy", names)
    if found is None:
        return None
    columns, shared = found
    reach = nemenyi(len(columns), shared) / 2
    order = sorted(columns, key=lambda method: columns[method])
    points = {method: (columns[method], float(-place), reach) for place, method in enumerate(order)}
    title = f"Mean rank by accuracy on {shared} sets; intervals that do not meet differ (Nemenyi, 5 %)"
    return Figures("ranks", title, ("mean rank", ""), points=points)


def summary(scores: Scores, names: Sequence[str]) -> str:
    """Return what the comparisons are counted from: a line per method, figure and set, a value per split."""
    wanted = dict.fromkeys((method, figure) for *pair, figure in PAIRS for method in pair)
    lines = ["method,figure,set,split:value"]
    for method, figure in wanted:
        for name in names:
            found = scores.by_split.get((method, name, figure), {})
            if found:
                values = " ".join(f"{split}:{found[split]:.{DIGITS}f}" for split in sorted(found))
                lines.append(f"{quoted(method)},{figure},{name},{values}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return a cell of a CSV file."""
    return f'"{text}"' if "," in text else text


def comparisons(
    scores: Scores, names: Sequence[str], table_name: str = "comparisons", which: str = "of the verdicts"
) -> Table:
    """Wins and losses over sets, with Wilcoxon's signed rank test."""
    table = Table(
        table_name,
        f"Two methods, mean over splits, on the {len(names)} sets {which}",
        ["first", "second", "figure", "sets", "mean difference", "wins", "losses", "ties", "p"],
        notes=[
            f"Difference: first less second. Ties differ by at most {TIE}. p: Wilcoxon's signed rank test "
            "over sets.",
        ],
    )
    for first, second, figure in PAIRS:
        ours, theirs = scores.pairs(first, second, figure, names)
        if not ours:
            continue
        difference = np.subtract(ours, theirs)
        gain = -difference if figure in LESS_IS_BETTER else difference
        wins, losses = int((gain > TIE).sum()), int((gain < -TIE).sum())
        table.add(
            first, second, figure, len(ours), f"{difference.mean():+.4f}", wins, losses,
            len(ours) - wins - losses, f"{p_value(ours, theirs):.2g}",
        )  # fmt: skip
    return table


def means(scores: Scores, names: Sequence[str]) -> Table:
    """Mean figures of each method over the sets that all methods of the table have."""
    table = Table("means", "Mean over sets", ["method", "sets", *FIGURES])
    for method in scores.methods:
        cells = []
        for figure in FIGURES:
            known = [value for name in names if (value := scores.of(method, name, figure)) is not None]
            digits = 1 if figure in ("leaves", "questions") else 4 if figure != "seconds" else 2
            cells.append(f"{statistics.fmean(known):.{digits}f}" if known else "-")
        count = sum(scores.of(method, name, "accuracy") is not None for name in names)
        table.add(method, count, *cells)
    table.notes.append(
        "Seconds: processor time of the fit. Questions: mean number of tests on the path of a held-out row."
    )
    return table


def ranks(scores: Scores, names: Sequence[str]) -> Table:
    """Mean ranks by accuracy and log loss, with Nemenyi's critical difference, where all methods have it."""
    table = Table("ranks", "Mean rank (1 is best)", ["method", "accuracy", "log loss"])
    columns: dict[str, dict[str, float]] = {}
    for figure in ("accuracy", "log loss"):
        found = mean_ranks(scores, figure, names)
        if found is not None:
            columns[figure], shared = found
            table.notes.append(
                f"By {figure}: {shared} sets, ranks that differ by less than "
                f"{nemenyi(len(columns[figure]), shared):.2f} (Nemenyi, 5 %) are not told apart."
            )
    for method in scores.methods:
        cells = [columns.get(figure, {}).get(method) for figure in ("accuracy", "log loss")]
        table.add(method, *("-" if cell is None else f"{cell:.2f}" for cell in cells))
    return table


def mean_ranks(scores: Scores, figure: str, names: Sequence[str]) -> tuple[dict[str, float], int] | None:
    """Return mean ranks of the methods by a figure, and the number of sets that all of them have.

    Methods that failed on many sets have no rank: the others would be ranked on few sets for them.
    """
    least = MOST_SETS * len(names)
    methods = [m for m in scores.methods if sum(scores.of(m, n, figure) is not None for n in names) >= least]
    shared = [n for n in names if all(scores.of(m, n, figure) is not None for m in methods)]
    if len(methods) < 2 or not shared:
        return None
    values = np.array([[scores.of(m, n, figure) for n in shared] for m in methods], dtype=float)
    sign = 1.0 if figure in LESS_IS_BETTER else -1.0
    found = np.array([mean_rank(sign * column) for column in values.T]).mean(axis=0)
    return dict(zip(methods, found.tolist(), strict=True)), len(shared)


def mean_rank(values: np.ndarray) -> np.ndarray:
    """Rank numbers from 1, equal ones by their mean rank.

    Examples
    --------
    >>> mean_rank(np.array([3.0, 1.0, 1.0])).tolist()
    [3.0, 1.5, 1.5]
    """
    less = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return np.asarray(less + (equal + 1) / 2)


def nemenyi(n_methods: int, n_sets: int) -> float:
    """Return the difference of mean ranks that is significant at 5 % (Demsar 2006)."""
    distribution = import_module("scipy.stats").studentized_range
    quantile = float(distribution.ppf(0.95, n_methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))


def by_set(scores: Scores, names: Sequence[str]) -> Table:
    """Return the accuracy of each method on each set."""
    methods = scores.methods
    table = Table("accuracy", "Accuracy (%) on rows held out", ["set", *methods])
    for name in names:
        found = [scores.of(method, name, "accuracy") for method in methods]
        if any(value is not None for value in found):
            table.add(name, *("-" if value is None else f"{100 * value:.1f}" for value in found))
    return table
