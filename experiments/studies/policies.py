"""Prescriptive policies: Warfarin doses and synthetic trials."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence

from benchmarks.report import format_seconds
from experiments import paper, synthetic, warfarin
from experiments.findings import Findings, Plot, compare_values, grouped, speed_sentence
from experiments.runs import Job, Run
from experiments.settings import Settings
from experiments.studies.accuracy import pick
from experiments.tables import Table, reasons

METHODS = ("streed", "pystreed", "CAIPWL-opt", "Jo MIP")
WARFARIN_DEPTHS = (1, 2, 3, 4, 5)
SYNTHETIC_DEPTHS = (1, 2, 3)
PAPER_SECONDS = 300.0
SAMPLED_TEACHERS = ("DM lr", "IPW dt", "DR dt lr")
SAMPLED_PROBABILITY = 0.5


def jobs(settings: Settings) -> list[Job]:
    """Warfarin, then synthetic trials.

    Methods that need minutes run on a sample (the first record, split and repetition; three teachers): the
    integer program at depths 1 to 3, the exhaustive search on Warfarin at depths 4 and 5. ``--every-mip``
    lifts that.
    """
    return warfarin_jobs(settings) + synthetic_jobs(settings)


def make_job(
    settings: Settings, method: str, problem: str, depth: int, teacher: str, kind: str, make: object
) -> Job:
    """Make one job; `kind` is the teacher's kind, which pystreed is told."""
    options = {"task": "policy", "max_depth": depth, "time_limit": settings.limit(PAPER_SECONDS)}
    return Job(method, problem, options | {"teacher": kind, "scores": teacher}, make)  # type: ignore[arg-type]


def warfarin_jobs(settings: Settings) -> list[Job]:
    """225 scenarios: three ways of dosing, five records, five splits, three teachers."""
    records, splits = (1, 1) if settings.quick else (warfarin.RECORDS, warfarin.SPLITS)
    found = []
    for setup in warfarin.SETUPS:
        for record in range(records):
            for split in range(splits):
                for teacher in warfarin.TEACHERS:
                    name = f"policy/warfarin-{setup or 'random'}-{record}-{split}-{teacher}"
                    make = functools.partial(
                        warfarin.warfarin_problem, settings.data, setup, record, split, teacher, settings.seed
                    )
                    found += [
                        make_job(settings, method, name, depth, teacher, teacher, make)
                        for method, depth in warfarin_contestants(settings, sampled=record == split == 0)
                    ]
    return found


def warfarin_contestants(settings: Settings, *, sampled: bool) -> list[tuple[str, int]]:
    """Methods and depths on one scenario."""
    if settings.quick:
        depths = {"streed": (1, 2, 3, 4, 5), "pystreed": (1, 2, 3), "CAIPWL-opt": (1, 2)}
    elif sampled or settings.every_mip:
        depths = dict.fromkeys(METHODS[:3], WARFARIN_DEPTHS) | {"Jo MIP": (1, 2, 3)}
    else:
        depths = dict.fromkeys(METHODS[:2], WARFARIN_DEPTHS) | {"CAIPWL-opt": (1, 2, 3)}
    return [(method, depth) for method in depths for depth in depths[method]]


def synthetic_jobs(settings: Settings) -> list[Job]:
    """75 scenarios times 11 teachers; in quick mode one scenario for 2 and for 10 variables."""
    found = []
    for variables in (2, 10) if settings.quick else synthetic.VARIABLES:
        for probability in (SAMPLED_PROBABILITY,) if settings.quick else synthetic.PROBABILITIES:
            for repetition in range(1 if settings.quick else synthetic.REPETITIONS):
                for teacher, (kind, _, _) in synthetic.TEACHERS.items():
                    name = (
                        f"policy/synthetic-{variables}-{probability}-{repetition}-{teacher.replace(' ', '-')}"
                    )
                    make = functools.partial(
                        synthetic.synthetic_problem,
                        variables,
                        probability,
                        repetition,
                        teacher,
                        settings.seed,
                    )
                    sampled = (
                        probability == SAMPLED_PROBABILITY and repetition == 0 and teacher in SAMPLED_TEACHERS
                    )
                    found += [
                        make_job(settings, method, name, depth, teacher, kind, make)
                        for method, depth in synthetic_contestants(settings, variables, sampled=sampled)
                    ]
    return found


def synthetic_contestants(settings: Settings, variables: int, *, sampled: bool) -> list[tuple[str, int]]:
    """Methods and depths on one scenario."""
    depths = (1, 2) if settings.quick else SYNTHETIC_DEPTHS
    found = [(method, depth) for method in METHODS[:3] for depth in depths]
    if settings.quick:
        return found + ([("Jo MIP", 1)] if sampled and variables == 2 else [])
    return found + ([("Jo MIP", depth) for depth in depths] if sampled or settings.every_mip else [])


def findings(runs: Sequence[Run], settings: Settings) -> Findings:
    """Make the paper's table, held-out figures by setup and teacher, the synthetic tables, and the plots."""
    doses = [run for run in runs if str(run.parameters["problem"]).startswith("policy/warfarin")]
    trials = [run for run in runs if str(run.parameters["problem"]).startswith("policy/synthetic")]
    sentences, alarms = compare_values(runs)
    for method in METHODS[1:]:
        sentences += speed_sentence(runs, method)
    tables = [doses_table(doses), parts_table(doses), trials_table(trials), teachers_table(trials)]
    tables[0].notes += reasons(runs)
    plots = [
        Plot.of("times", "Policies: Warfarin and synthetic trials, all depths", runs, METHODS),
        Plot.of("times-synthetic", "Policies: synthetic trials, depth 1 to 3", trials, METHODS),
    ]
    return Findings(tables, plots, sentences, alarms)


def solved_cell(runs: Sequence[Run]) -> str:
    """Mean seconds of the runs that did not run out of time."""
    seconds = [run.seconds or 0.0 for run in runs if run.solved]
    return format_seconds(statistics.fmean(seconds)) if seconds else "-"


def late_cell(runs: Sequence[Run]) -> str:
    """Share of time-outs, with the number of runs."""
    tried = [run for run in runs if run.tried]
    late = sum(run.status == "time limit" for run in tried)
    return f"{100 * late / len(tried):.0f} % of {len(tried)}" if tried else "-"


def right_cell(runs: Sequence[Run]) -> str:
    """Mean share of right treatments, with its standard error over records.

    Splits and teachers of one record are averaged first, since they are not independent.
    """
    records = grouped(
        (run for run in runs if "test_right" in run.figures),
        lambda run: "-".join(str(run.parameters["problem"]).split("-")[:3]),
    )
    means = [100 * statistics.fmean(run.figures["test_right"] for run in some) for some in records.values()]
    if not means:
        return "-"
    spread = f" ± {statistics.stdev(means) / math.sqrt(len(means)):.1f}" if len(means) > 1 else ""
    return f"{statistics.fmean(means):.1f}{spread}"


def doses_table(runs: Sequence[Run]) -> Table:
    """Make the paper's table for Warfarin."""
    table = Table(
        "warfarin",
        "Warfarin: mean seconds of runs without a time-out, time-outs (%), right treatments (%)",
        [
            "depth",
            *("streed", "pystreed", "STreeD paper"),
            *("CAIPWL-opt", "CAIPWL paper", "late", "CAIPWL late paper"),
            *("Jo MIP", "Jo paper", "late MIP", "Jo late paper"),
            *("right (%)", "right paper"),
        ],
        notes=["Right treatments: held-out patients, streed's trees; ± standard error over records."],
    )
    for depth in WARFARIN_DEPTHS:
        here = {method: pick(runs, method=method, max_depth=depth) for method in METHODS}
        printed = paper.WARFARIN[str(depth)]
        table.add(
            depth,
            *(solved_cell(here["streed"]), solved_cell(here["pystreed"]), printed["STreeD"]),
            *(solved_cell(here["CAIPWL-opt"]), printed["CAIPWL"]),
            *(late_cell(here["CAIPWL-opt"]), printed["CAIPWL-timeouts"]),
            *(solved_cell(here["Jo MIP"]), printed["Jo"], late_cell(here["Jo MIP"]), printed["Jo-timeouts"]),
            *(right_cell(here["streed"]), printed["right"]),
        )
    return table


def parts_table(runs: Sequence[Run]) -> Table:
    """Show right treatments apart for the ways of dosing and the teachers."""
    parts = [(str(setup or "random"), teacher) for setup in warfarin.SETUPS for teacher in warfarin.TEACHERS]
    table = Table(
        "warfarin-parts",
        "Warfarin: right treatments of held-out patients (%) by dosing before and teacher",
        ["dosing, teacher", *(f"d={depth}" for depth in WARFARIN_DEPTHS)],
    )
    for setup, teacher in parts:
        own = [
            run
            for run in pick(runs, method="streed", scores=teacher)
            if str(run.parameters["problem"]).startswith(f"policy/warfarin-{setup}-")
        ]
        table.add(f"{setup}, {teacher}", *(right_cell(pick(own, max_depth=d)) for d in WARFARIN_DEPTHS))
    return table


def trials_table(runs: Sequence[Run]) -> Table:
    """Show times and time-outs on synthetic trials by number of variables and depth."""
    columns = [column for method in METHODS for column in (method, f"{method} late")]
    table = Table(
        "synthetic",
        "Synthetic trials: mean seconds of runs without a time-out, time-outs in per cent",
        ["variables, depth", *columns],
    )
    for variables in synthetic.VARIABLES:
        own = [
            run for run in runs if str(run.parameters["problem"]).startswith(f"policy/synthetic-{variables}-")
        ]
        for depth in SYNTHETIC_DEPTHS:
            here = [pick(own, method=method, max_depth=depth) for method in METHODS]
            table.add(
                f"{variables}, {depth}", *(c for some in here for c in (solved_cell(some), late_cell(some)))
            )
    return table


def teachers_table(runs: Sequence[Run]) -> Table:
    """Show right treatments and mean true outcomes of held-out rows by teacher."""
    keys = [(variables, depth) for variables in synthetic.VARIABLES for depth in SYNTHETIC_DEPTHS]
    table = Table(
        "synthetic-teachers",
        "Synthetic trials, held-out rows: right treatments (%) / mean outcome, by variables and depth",
        ["teacher", *(f"f={variables} d={depth}" for variables, depth in keys)],
    )
    for teacher in synthetic.TEACHERS:
        own = pick(runs, method="streed", scores=teacher)
        table.add(teacher, *(outcome_cell(own, variables, depth) for variables, depth in keys))
    return table


def outcome_cell(runs: Sequence[Run], variables: int, depth: int) -> str:
    """Mean share of right treatments and mean outcome."""
    figures = [
        run.figures
        for run in pick(runs, max_depth=depth)
        if str(run.parameters["problem"]).startswith(f"policy/synthetic-{variables}-")
    ]
    if not figures:
        return "-"
    right, value = (statistics.fmean(one[name] for one in figures) for name in ("test_right", "test_value"))
    return f"{100 * right:.1f} / {value:.3f}"
