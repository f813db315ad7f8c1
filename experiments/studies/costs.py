"""Cost-sensitive classification: costs of errors and of tests on held-out rows."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterable, Sequence

from benchmarks.cost_data import LEVELS
from benchmarks.report import format_seconds
from experiments import paper
from experiments.cost_data import cost_sets, read_costs
from experiments.findings import Findings, Plot
from experiments.runs import TIME_OUTS, Job, Run
from experiments.settings import Settings
from experiments.significance import verdict
from experiments.studies.accuracy import pick
from experiments.tables import Table, reasons

METHODS = ("C4.5", "CSID3", "EG2", "IDX", "MetaCost", "TMDP", "streed")
HEURISTICS = METHODS[:4]
DEPTH = 4
PAPER_SECONDS = 300.0
QUICK_SETS = ("breast", "car", "diabetes", "glass", "hepatitis", "iris", "tictactoe")
IN_PAPER = {"streed": "STreeD"}
Pair = tuple[list[float], list[float]]
LATE_IN_PAPER = tuple(name for name, row in paper.COSTS.items() if row["TMDP"] == "-")


def jobs(settings: Settings) -> list[Job]:
    """All methods on all splits of all sets; a method that ran out of time three times stops there."""
    return [
        Job(
            f"costs {method}",
            f"cost-sensitive/{name}",
            {
                "task": "cost_sensitive",
                "algorithm": method,
                "max_depth": DEPTH,
                "split": split,
                "seed": settings.seed,
                "time_limit": settings.limit(PAPER_SECONDS) * (3 if settings.quick else 1),
            },
            functools.partial(read_costs, settings.data, name),
            series=f"cost-sensitive/{name}",
        )
        for split in range(settings.splits)
        for name in sets(settings)
        for method in METHODS
    ]


def sets(settings: Settings) -> list[str]:
    """Names of the sets, those of quick mode only if asked for."""
    return settings.chosen(cost_sets(settings.data), QUICK_SETS)


class Figures:
    """Figures of the runs by set, method and split; None for a method that ran out of time on a set."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.values: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
        late: dict[tuple[str, str], int] = {}
        for run in runs:
            key = str(run.parameters["problem"]).split("/")[1], str(run.parameters["algorithm"])
            late[key] = late.get(key, 0) + (run.status == "time limit")
            if run.solved:
                self.values.setdefault(key, {})[int(run.parameters["split"])] = run.figures
        for key, count in late.items():
            if count >= TIME_OUTS:
                self.values.pop(key, None)

    def by_split(
        self, name: str, method: str, figure: str, levels: Sequence[str] = LEVELS
    ) -> dict[int, float]:
        """One number per split: the mean of a figure over levels."""
        found = self.values.get((name, method), {})
        return {
            split: statistics.fmean(one[f"{level} {figure}"] for level in levels)
            for split, one in found.items()
        }

    def of(self, name: str, method: str, figure: str, levels: Sequence[str] = LEVELS) -> list[float]:
        """Give the numbers without their splits."""
        return list(self.by_split(name, method, figure, levels).values())

    def pair(
        self, name: str, first: str, second: str, figure: str = "cost", levels: Sequence[str] = LEVELS
    ) -> Pair:
        """Figures of two methods on the splits that both have."""
        ours, theirs = (self.by_split(name, method, figure, levels) for method in (first, second))
        both = sorted(ours.keys() & theirs.keys())
        return [ours[split] for split in both], [theirs[split] for split in both]


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the paper's three tables, run times, the tests of significance, and the plot."""
    names, figures = sets(settings), Figures(runs)
    tables = [
        all_methods(figures, names),
        by_level(figures, names),
        sizes(figures, names),
        times(figures, names),
    ]
    tables[0].notes += reasons(runs)
    curves = {
        label: [value for name in names for method in methods for value in seconds_of(figures, name, method)]
        for label, methods in (("streed", ("streed",)), ("TMDP", ("TMDP",)), ("heuristics", HEURISTICS))
    }
    for run in pick(runs, method="costs TMDP"):
        curves["TMDP"] += [None] * len(LEVELS) if run.status == "time limit" else []
    plot = Plot("times", "Costs: time to train on one split (streed: with tuning)", curves)
    return Findings(tables, [plot], conclusions(figures, names))


def seconds_of(figures: Figures, name: str, method: str) -> list[float | None]:
    """Seconds of all splits and levels."""
    found = figures.values.get((name, method), {})
    return [one[f"{level} seconds"] for one in found.values() for level in LEVELS]


def mean_cell(values: Sequence[float], digits: int = 1, factor: float = 100.0) -> str:
    """Mean in per cent."""
    return f"{factor * statistics.fmean(values):.{digits}f}" if values else "-"


def all_methods(figures: Figures, names: Sequence[str]) -> Table:
    """Normalised costs, mean over splits and levels."""
    columns = [column for method in METHODS for column in (method, f"{IN_PAPER.get(method, method)} paper")]
    table = Table("costs", "Held-out normalised costs (%), mean over the three levels", ["set", *columns])
    for name in names:
        row: list[str | None] = []
        for method in METHODS:
            row.append(mean_cell(figures.of(name, method, "cost")))
            row += [paper.COSTS.get(name, {}).get(IN_PAPER.get(method, method))]
        table.add(name, *row)
    return table


def by_level(figures: Figures, names: Sequence[str]) -> Table:
    """Costs of streed and TMDP for each level; a star marks a significant difference."""
    columns = [
        f"{level} {one}" for level in LEVELS for one in ("streed", "STreeD paper", "TMDP", "TMDP paper")
    ]
    table = Table(
        "costs-by-level",
        "Held-out normalised costs (%) by misclassification costs (*: significantly lower, p < 5 %)",
        ["set", *columns],
        notes=["Wilcoxon's signed rank test over the splits that both methods have."],
    )
    for name in names:
        row = []
        for level in LEVELS:
            sign = verdict(*figures.pair(name, "streed", "TMDP", levels=[level]))
            printed = paper.COSTS_BY_LEVEL.get(name, {})
            ours, theirs = (
                mean_cell(figures.of(name, method, "cost", [level])) for method in ("streed", "TMDP")
            )
            row += [ours + "*" * (sign < 0), printed.get(f"STreeD/{level}")]
            row += [theirs + "*" * (sign > 0), printed.get(f"TMDP/{level}")]
        table.add(name, *row)
    return table


def sizes(figures: Figures, names: Sequence[str]) -> Table:
    """Depth, leaves and question length, without the sets on which TMDP has no tree here or in the paper."""
    common = [name for name in names if (name, "TMDP") in figures.values and name not in LATE_IN_PAPER]
    columns = [column for method in METHODS for column in (method, f"{IN_PAPER.get(method, method)} paper")]
    table = Table(
        "interpretability",
        "Size of the trees",
        ["measure", *columns],
        notes=[
            f"Mean over {len(common)} sets, without {', '.join(LATE_IN_PAPER)}, as in the paper.",
            "Question length: mean number of tests on the path of a held-out row.",
        ],
    )
    labels = {"depth": "tree-depth", "leaves": "leaf-nodes", "question length": "question-length"}
    for figure, printed in labels.items():
        row = []
        for method in METHODS:
            means = [statistics.fmean(some) for name in common if (some := figures.of(name, method, figure))]
            row += [mean_cell(means, factor=1.0)]
            row += [paper.INTERPRETABILITY[printed][IN_PAPER.get(method, method)]]
        table.add(figure, *row)
    return table


def times(figures: Figures, names: Sequence[str]) -> Table:
    """Mean training time of one split and level."""
    table = Table(
        "times", "Processor seconds to train on one split (streed: with tuning of nodes)", ["set", *METHODS]
    )
    for name in names:
        seconds = [figures.of(name, method, "seconds") for method in METHODS]
        table.add(name, *(format_seconds(statistics.fmean(some)) if some else "-" for some in seconds))
    return table


def conclusions(figures: Figures, names: Sequence[str]) -> list[str]:
    """Mean costs and the number of scenarios won and lost against TMDP, beside the paper's."""
    scenarios = [(name, level) for name in names for level in LEVELS]
    pairs = {key: figures.pair(key[0], "streed", "TMDP", levels=[key[1]]) for key in scenarios}
    pairs = {key: pair for key, pair in pairs.items() if pair[0]}
    if not pairs:
        return ["No set on which both streed and TMDP have trees."]
    verdicts = [verdict(*pair) for pair in pairs.values()]
    claims = paper.CLAIMS
    shared = {key: pair for key, pair in pairs.items() if key[0] in paper.COSTS.keys() - LATE_IN_PAPER}
    compared = "The paper's table has none of them for both."
    if shared:
        compared = (
            f"Over the {len(shared)} of them that its table has for both: {means(shared.values())}; "
            f"its table: {means(printed_pairs(shared))}."
        )
    return [
        f"Mean normalised cost over {len(pairs)} scenarios: {means(pairs.values())} (the paper's text: "
        f"{claims['cost STreeD']} % and {claims['cost TMDP']} %).",
        compared,
        f"Of {len(verdicts)} scenarios streed is significantly cheaper than TMDP in {verdicts.count(-1)}, "
        f"dearer in {verdicts.count(1)} (the paper, of 45: {claims['cost scenarios won']} and "
        f"{claims['cost scenarios lost']}).",
        *standing(figures, names),
    ]


def standing(figures: Figures, names: Sequence[str]) -> list[str]:
    """Compare streed with the best of the others on each set, and its time with TMDP's."""
    best = {
        name: min(known, key=lambda method: statistics.fmean(figures.of(name, method, "cost")))
        for name in names
        if (known := [method for method in METHODS if (name, method) in figures.values])
    }
    worse = [name for name, method in best.items() if verdict(*figures.pair(name, "streed", method)) > 0]
    heuristics = [method for method in METHODS if method not in ("streed", "TMDP")]
    beaten = [
        name
        for name in best
        if all(verdict(*figures.pair(name, "streed", method)) < 0 for method in heuristics)
    ]
    times = {name: verdict(*figures.pair(name, "streed", "TMDP", "seconds")) for name in best}
    slow = [name for name, sign in times.items() if sign >= 0]
    n, won = len(best), paper.CLAIMS["cost sets best"]
    return [
        f"On {n - len(worse)} of {n} sets streed has the least mean cost or is not significantly dearer than "
        f"the method that has it{but(worse)} (the paper: {won} of 15).",
        f"All heuristics are significantly dearer than streed on {len(beaten)} of {n} sets"
        f"{but([name for name in best if name not in beaten])} (the paper: all but flare).",
        f"streed with tuning is significantly faster than TMDP on {n - len(slow)} of {n} sets{but(slow)} "
        "(the paper: all but iris).",
    ]


def but(names: Sequence[str]) -> str:
    """Name the exceptions, if there are any."""
    return f", not on {', '.join(names)}" if names else ""


def means(pairs: Iterable[Pair]) -> str:
    """Mean costs of both methods: the mean of each scenario first."""
    scenarios = [[statistics.fmean(costs) for costs in pair] for pair in pairs]
    ours, theirs = (100 * statistics.fmean(one[i] for one in scenarios) for i in (0, 1))
    return f"streed {ours:.2f} %, TMDP {theirs:.2f} %"


def printed_pairs(scenarios: Iterable[tuple[str, str]]) -> list[Pair]:
    """Costs in the paper's own table."""
    return [
        ([float(row[f"STreeD/{level}"]) / 100], [float(row[f"TMDP/{level}"]) / 100])
        for row, level in ((paper.COSTS_BY_LEVEL[name], level) for name, level in scenarios)
    ]
