"""Group fairness: fewest errors while rates of two groups differ by at most one per cent."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Sequence

from experiments import paper
from experiments.fair_data import fair_sets, fair_split, read_fair
from experiments.findings import Findings, Plot, compare_values, printed_sentence, speed_sentence
from experiments.runs import Job, Run
from experiments.settings import Settings
from experiments.studies.accuracy import pick
from experiments.tables import Table, reasons, seconds_cell, size_cells, value_cell

TASKS = ("demographic_parity", "equal_opportunity")
TITLES = {"demographic_parity": "demographic parity", "equal_opportunity": "equality of opportunity"}
MIPS = ("Jo MIP", "Aghaei MIP")
METHODS = ("streed", "pystreed", *MIPS)
DEPTHS = (2, 3)
OWN_DEPTH = 4
SPLITS = 5
PAPER_SECONDS = 600.0
QUICK_SETS = ("adult", "compas-recid", "compas-violent", "ricci", "student-mat")
QUICK_MIP_SETS = ("ricci", "student-mat")


def jobs(settings: Settings) -> list[Job]:
    """Run times on whole sets (integer programs: demographic parity only), then held-out rows."""
    found = []
    for repeat in range(settings.repeats):
        for name in sets(settings):
            make = functools.partial(read_fair, settings.data, name)
            for task in TASKS:
                for method, depth in contestants(settings, name, task):
                    options = {"task": task, "max_depth": depth, "time_limit": settings.limit(PAPER_SECONDS)}
                    found.append(Job(method, f"fairness/{name}", options, make, repeat))
    return found + split_jobs(settings)


def contestants(settings: Settings, name: str, task: str) -> list[tuple[str, int]]:
    """Methods and depths that run on a set."""
    found = [("streed", depth) for depth in (*DEPTHS, OWN_DEPTH)]
    found += [("pystreed", depth) for depth in DEPTHS]
    if task == TASKS[0] and not settings.quick:
        found += [(method, depth) for method in MIPS for depth in DEPTHS]
    elif task == TASKS[0] and name in QUICK_MIP_SETS:
        found += [(method, DEPTHS[0]) for method in MIPS]
    return found


def split_jobs(settings: Settings) -> list[Job]:
    """Fair and unfair optimal trees on parts of the rows."""
    return [
        Job(
            "streed",
            f"fairness/{name}/split-{number}",
            {"task": task, "max_depth": depth, "time_limit": settings.limit(PAPER_SECONDS)},
            functools.partial(fair_split, settings.data, name, number, settings.seed),
        )
        for name in sets(settings)
        for number in range(1 if settings.quick else SPLITS)
        for task in ("accuracy", *TASKS)
        for depth in DEPTHS
    ]


def sets(settings: Settings) -> list[str]:
    """Names of the sets, those of quick mode only if asked for."""
    return settings.chosen(fair_sets(settings.data), QUICK_SETS)


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the paper's two tables, gaps, errors, held-out figures, and the plots."""
    whole = [run for run in runs if "/split-" not in str(run.parameters["problem"])]
    names = sets(settings)
    sentences, alarms = compare_values(whole)
    for method in METHODS[1:]:
        sentences += speed_sentence(whole, method)
    parity, opportunity = (pick(whole, task=task) for task in TASKS)
    for column in ("STreeD", "DPF"):
        sentences += printed_sentence(parity, paper.DEMOGRAPHIC_PARITY, column, DEPTHS[1])
    sentences += [
        f"Equality of opportunity: {line}"
        for line in printed_sentence(opportunity, paper.EQUAL_OPPORTUNITY, "STreeD", DEPTHS[1])
    ]
    tables = [parity_times(whole, names), opportunity_times(whole, names), errors(whole, names)]
    tables += [gaps(whole, names), held_out(runs, names)]
    tables[0].notes += reasons(runs)
    plots = [
        Plot.of(
            f"times-{task}",
            f"{TITLES[task].capitalize()}, depth 2 and 3",
            [run for run in pick(whole, task=task) if run.parameters["max_depth"] in DEPTHS],
            METHODS,
        )
        for task in TASKS
    ]
    return Findings(tables, plots, sentences, alarms)


def cells(runs: Sequence[Run], method: str, depths: Sequence[int]) -> list[str]:
    """Seconds of a method at some depths."""
    return [seconds_cell(pick(runs, method=method, max_depth=depth)) for depth in depths]


def parity_times(runs: Sequence[Run], names: Sequence[str]) -> Table:
    """Seconds under demographic parity, beside the paper's."""
    columns = [
        "streed",
        "pystreed",
        "STreeD paper",
        "DPF paper",
        "Jo MIP",
        "Jo paper",
        "Aghaei MIP",
        "Aghaei paper",
    ]
    table = Table(
        "demographic-parity",
        "Processor seconds under demographic parity, difference at most 1 %",
        ["set", "rows", "features", *(f"d={d} {name}" for d in DEPTHS for name in columns), "d=4 streed"],
    )
    for name in names:
        here = pick(runs, problem=f"fairness/{name}", task="demographic_parity")
        printed, row = paper.DEMOGRAPHIC_PARITY.get(name, {}), []
        for depth in DEPTHS:
            ours = {method: cells(here, method, [depth])[0] for method in METHODS}
            row += [
                ours["streed"],
                ours["pystreed"],
                printed.get(f"STreeD/{depth}"),
                printed.get(f"DPF/{depth}"),
            ]
            row += [ours["Jo MIP"], printed.get(f"Jo/{depth}")]
            row += [ours["Aghaei MIP"], printed.get(f"Aghaei/{depth}")]
        sizes = size_cells(here, "rows", "features")
        table.add(name, *sizes, *row, *cells(here, "streed", [OWN_DEPTH]))
    return table


def opportunity_times(runs: Sequence[Run], names: Sequence[str]) -> Table:
    """Seconds under equality of opportunity, beside the paper's."""
    columns = [f"d={depth} {name}" for depth in DEPTHS for name in ("streed", "pystreed", "STreeD paper")]
    table = Table(
        "equal-opportunity",
        "Processor seconds under equality of opportunity, difference at most 1 %",
        ["set", "rows", "features", *columns, f"d={OWN_DEPTH} streed"],
    )
    for name in names:
        here = pick(runs, problem=f"fairness/{name}", task="equal_opportunity")
        printed, row = paper.EQUAL_OPPORTUNITY.get(name, {}), []
        for depth in DEPTHS:
            row += [*cells(here, "streed", [depth]), *cells(here, "pystreed", [depth])]
            row.append(printed.get(f"STreeD/{depth}", ""))
        sizes = size_cells(here, "rows", "features")
        table.add(name, *sizes, *row, *cells(here, "streed", [OWN_DEPTH]))
    return table


def errors(runs: Sequence[Run], names: Sequence[str]) -> Table:
    """Misclassified training rows."""
    columns = [
        (task, method, depth)
        for task, methods in ((TASKS[0], METHODS), (TASKS[1], METHODS[:2]))
        for depth in DEPTHS
        for method in methods
    ]
    short = {TASKS[0]: "DP", TASKS[1]: "EO"}
    table = Table(
        "errors",
        "Misclassified training rows (in brackets: without a proof; inf: the limit is exceeded)",
        ["set", *(f"{short[task]} {method} d={depth}" for task, method, depth in columns)],
    )
    for name in names:
        here = pick(runs, problem=f"fairness/{name}", repeat=0)
        table.add(name, *(value_cell(pick(here, task=t, method=m, max_depth=d)) for t, m, d in columns))
    return table


def gaps(runs: Sequence[Run], names: Sequence[str]) -> Table:
    """Relative gaps of integer programs that reached the time limit with a tree."""
    table = Table(
        "gaps",
        "Gap of the integer programs in per cent when they ended (-: no tree)",
        ["set", *(f"{method} d={depth}" for method in MIPS for depth in DEPTHS)],
    )
    for name in names:
        here = pick(runs, problem=f"fairness/{name}", task=TASKS[0], repeat=0)
        table.add(name, *(gap_cell(pick(here, method=m, max_depth=d)) for m in MIPS for d in DEPTHS))
    return table


def gap_cell(runs: Sequence[Run]) -> str:
    """Show the gap of one program."""
    if not runs or "gap" not in runs[0].figures:
        return "-"
    return f"{100 * runs[0].figures['gap']:.1f}"


def held_out(runs: Sequence[Run], names: Sequence[str]) -> Table:
    """Accuracy and difference between groups on rows that were held out, with and without a limit."""
    columns = [(task, depth) for depth in DEPTHS for task in ("accuracy", *TASKS)]
    short = {"accuracy": "no limit", TASKS[0]: "DP", TASKS[1]: "EO"}
    table = Table(
        "held-out",
        "Held-out accuracy / difference between groups in per cent (mean over splits)",
        ["set", *(f"d={depth} {short[task]}" for task, depth in columns)],
        notes=["Without a limit the difference is that of the selection rates."],
    )
    for name in names:
        own = [run for run in runs if str(run.parameters["problem"]).startswith(f"fairness/{name}/split-")]
        table.add(name, *(pair_cell(pick(own, task=t, max_depth=d)) for t, d in columns))
    return table


def pair_cell(runs: Sequence[Run]) -> str:
    """Mean accuracy and mean difference."""
    figures = [run.figures for run in runs if "test_accuracy" in run.figures]
    if not figures:
        return "-"
    means = [
        100 * statistics.fmean(one[name] for one in figures) for name in ("test_accuracy", "test_difference")
    ]
    return f"{means[0]:.1f} / {means[1]:.1f}"
