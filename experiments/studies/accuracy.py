"""Accuracy: optimal trees of depth four and five for binary labels."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence

from benchmarks.data import read_classification, set_names
from experiments import paper
from experiments.findings import (
    Findings,
    Plot,
    compare_values,
    grouped,
    instance,
    printed_sentence,
    speed_sentence,
)
from experiments.runs import Job, Run
from experiments.settings import Settings
from experiments.tables import Table, reasons, seconds_cell, size_cells, value_cell

METHODS = ("streed", "pystreed", "DL8.5", "GOSDT", "CART")
DEPTHS = (4, 5)
PAPER_SECONDS = 600.0
QUICK_SETS = ("hepatitis", "lymph", "primary-tumor", "soybean", "tic-tac-toe", "vote", "anneal", "compas")
QUICK_METHODS = {4: METHODS, 5: ("streed", "CART")}


def jobs(settings: Settings) -> list[Job]:
    """All sets, depths and methods; in quick mode small sets, and peers at depth four only."""
    return classification_jobs(
        settings, "accuracy", QUICK_METHODS if settings.quick else dict.fromkeys(DEPTHS, METHODS)
    )


def classification_jobs(settings: Settings, task: str, methods: dict[int, tuple[str, ...]]) -> list[Job]:
    """Make the jobs of a task of labels: methods per depth, on all sets, small sets first."""
    return [
        Job(
            method,
            f"classification/{name}",
            {"task": task, "max_depth": depth, "time_limit": settings.limit(PAPER_SECONDS)},
            functools.partial(read_classification, settings.data, name),
            repeat,
        )
        for repeat in range(settings.repeats)
        for depth in methods
        for name in classification_sets(settings)
        for method in methods[depth]
    ]


def classification_sets(settings: Settings) -> list[str]:
    """Names of the sets, those of quick mode only if asked for."""
    return settings.chosen(set_names(settings.data, "classification"), QUICK_SETS)


def pick(runs: Sequence[Run], **wanted: object) -> list[Run]:
    """Choose the runs with these parameters."""
    return [run for run in runs if all(run.parameters.get(name) == value for name, value in wanted.items())]


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the paper's table of run times, a table of errors, and the plot."""
    sets = classification_sets(settings)
    sentences, alarms = compare_values(runs)
    for method in METHODS[1:4]:
        sentences += speed_sentence(runs, method)
    for depth in DEPTHS:
        for column in ("STreeD", "MurTree"):
            sentences += printed_sentence(runs, paper.ACCURACY, column, depth)
    claim = paper.CLAIMS["DL8.5 / STreeD"]
    sentences.append(f"The paper: DL8.5 takes {claim} times STreeD's time (geometric mean).")
    plots = [
        Plot.of(f"times-{depth}", f"Accuracy, depth {depth}", pick(runs, max_depth=depth), METHODS[:4])
        for depth in DEPTHS
    ]
    tables = [times(runs, sets, depth) for depth in DEPTHS] + [errors(runs, sets)]
    tables[0].notes += reasons(runs)
    return Findings(tables, plots, sentences, alarms)


def times(runs: Sequence[Run], sets: Sequence[str], depth: int) -> Table:
    """Seconds of each method, beside the paper's."""
    columns = ["streed", "pystreed", "STreeD paper", "DL8.5", "DL8.5 paper", "MurTree paper", "GOSDT", "CART"]
    table = Table(
        f"times-{depth}",
        f"Processor seconds for the best accuracy, depth {depth}",
        ["set", "rows", "features", *columns],
    )
    for name in sets:
        here = pick(runs, problem=f"classification/{name}", max_depth=depth)
        ours = {method: seconds_cell(pick(here, method=method)) for method in METHODS}
        cells = ours | in_paper(paper.ACCURACY.get(name, {}), depth)
        table.add(name, *size_cells(here, "rows", "features"), *(cells.get(column) for column in columns))
    cells = average_ranks(pick(runs, max_depth=depth, repeat=0)) | in_paper(paper.ACCURACY_RANKS, depth)
    table.add("average rank", "", "", *(cells.get(column) for column in columns))
    table.notes += [
        "Sets without figures of the paper were solved by all its methods within a second.",
        "Ranks: among streed, pystreed, DL8.5 and GOSDT here, among DL8.5, MurTree and STreeD in the paper.",
    ]
    return table


def in_paper(printed: dict[str, str], depth: int) -> dict[str, str]:
    """Figures of the paper by the names of our columns."""
    return {f"{key.split('/')[0]} paper": text for key, text in printed.items() if key.endswith(f"/{depth}")}


def average_ranks(runs: Sequence[Run]) -> dict[str, str]:
    """Mean rank by time of the methods that claim the optimum; time-outs and failures share the last."""
    methods = [method for method in METHODS[:4] if any(run.tried for run in pick(runs, method=method))]
    ranks: dict[str, list[float]] = {method: [] for method in methods}
    for some in grouped(runs, instance).values():
        seconds = {
            run.method: run.seconds if run.solved and run.seconds is not None else math.inf for run in some
        }
        order = [seconds.get(method, math.inf) for method in methods]
        for method, own in zip(methods, order, strict=True):
            ties = order.count(own)
            ranks[method].append(sum(other < own for other in order) + (ties + 1) / 2)
    return {method: f"{statistics.fmean(some):.2f}" for method, some in ranks.items() if some}


def errors(runs: Sequence[Run], sets: Sequence[str]) -> Table:
    """Misclassified training rows of each method; brackets: not proven to be the fewest."""
    table = Table(
        "errors",
        "Misclassified training rows (in brackets: without a proof)",
        ["set", *(f"{method} d={depth}" for depth in DEPTHS for method in METHODS)],
    )
    for name in sets:
        here = pick(runs, problem=f"classification/{name}")
        table.add(
            name,
            *(
                value_cell(pick(here, method=method, max_depth=depth))
                for depth in DEPTHS
                for method in METHODS
            ),
        )
    return table
