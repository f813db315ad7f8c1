"""Nonlinear metrics: the best F1 score, trees of depth three and four."""

from __future__ import annotations

from collections.abc import Sequence

from experiments import paper
from experiments.findings import (
    Findings,
    Plot,
    compare_values,
    geometric_ratio,
    solved_times,
    speed_sentence,
)
from experiments.runs import Job, Run
from experiments.settings import Settings
from experiments.studies.accuracy import classification_jobs, classification_sets, pick
from experiments.tables import Table, reasons, seconds_cell, size_cells, value_cell

METHODS = ("streed", "streed front", "pystreed", "weighted CART")
DEPTHS = (3, 4)
QUICK_METHODS = {3: METHODS, 4: ("streed", "weighted CART")}


def jobs(settings: Settings) -> list[Job]:
    """All sets, depths and methods; in quick mode small sets, and peers at depth three only."""
    return classification_jobs(
        settings, "f1", QUICK_METHODS if settings.quick else dict.fromkeys(DEPTHS, METHODS)
    )


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the paper's table of run times, a table of F1 scores, and the plots."""
    sets = classification_sets(settings)
    sentences, alarms = compare_values(runs)
    for method in METHODS[1:3]:
        sentences += speed_sentence(runs, method)
    for depth in DEPTHS:
        sentences += against_murtree(runs, depth)
    plots = [
        Plot(
            f"times-{depth}",
            f"F1 score, depth {depth}",
            solved_times(pick(runs, max_depth=depth), METHODS[:3]),
        )
        for depth in DEPTHS
    ]
    tables = [times(runs, sets), scores(runs, sets)]
    tables[0].notes += reasons(runs)
    return Findings(tables, plots, sentences, alarms)


def against_murtree(runs: Sequence[Run], depth: int) -> list[str]:
    """Compare with the paper's figures for MurTree of a second and more; another machine, so roughly."""
    pairs = []
    for run in pick(runs, method="streed", max_depth=depth, repeat=0):
        printed = paper.F1.get(str(run.parameters["problem"]).split("/")[1], {}).get(f"MurTree/{depth}", "-")
        if printed.isdigit() and run.solved:
            pairs.append((float(printed), run.seconds or 0.0))
    ratio, count = geometric_ratio(pairs)
    claim = paper.CLAIMS[f"F1 MurTree / STreeD {depth}"]
    said = f"the paper's own STreeD was {claim} times faster than MurTree"
    if not pairs:
        return [f"Depth {depth}: {said}."]
    return [
        f"Depth {depth}: MurTree as printed takes {ratio:.3g} times streed's time here ({count} sets, "
        f"different machines); {said}."
    ]


def times(runs: Sequence[Run], sets: Sequence[str]) -> Table:
    """Seconds of each method, beside the paper's."""
    columns = ["streed", "streed front", "pystreed", "weighted CART", "STreeD paper", "MurTree paper"]
    table = Table(
        "times",
        "Processor seconds for the best F1 score",
        ["set", "rows", "positives", "features", *(f"d={d} {name}" for d in DEPTHS for name in columns)],
    )
    for name in sets:
        whole = pick(runs, problem=f"classification/{name}")
        cells: list[str | None] = [*size_cells(whole, "rows", "positives", "features")]
        for depth in DEPTHS:
            here = pick(runs, problem=f"classification/{name}", max_depth=depth)
            cells += [seconds_cell(pick(here, method=method)) for method in METHODS]
            printed = paper.F1.get(name, {})
            cells += [printed.get(f"STreeD/{depth}"), printed.get(f"MurTree/{depth}")]
        table.add(name, *cells)
    return table


def scores(runs: Sequence[Run], sets: Sequence[str]) -> Table:
    """F1 score of each method on the training rows."""
    table = Table(
        "scores",
        "F1 score on the training rows (in brackets: without a proof)",
        ["set", *(f"{method} d={depth}" for depth in DEPTHS for method in METHODS)],
    )
    for name in sets:
        here = pick(runs, problem=f"classification/{name}")
        table.add(
            name,
            *(
                value_cell(pick(here, method=method, max_depth=depth), 4)
                for depth in DEPTHS
                for method in METHODS
            ),
        )
    return table
