"""Nonlinear metrics: the best F1 score, trees of depth three and four."""

from __future__ import annotations

from collections.abc import Sequence

from experiments import paper
from experiments.findings import (
    Findings,
    Plot,
    compare_values,
    printed_sentence,
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
        for column in ("STreeD", "MurTree"):
            sentences += printed_sentence(runs, paper.F1, column, depth)
        claim = paper.CLAIMS[f"F1 MurTree / STreeD {depth}"]
        sentences.append(f"Depth {depth}: the paper's STreeD is {claim} times faster than MurTree.")
    plots = [
        Plot.of(f"times-{depth}", f"F1 score, depth {depth}", pick(runs, max_depth=depth), METHODS[:3])
        for depth in DEPTHS
    ]
    tables = [times(runs, sets), scores(runs, sets)]
    tables[0].notes += reasons(runs)
    return Findings(tables, plots, sentences, alarms)


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
