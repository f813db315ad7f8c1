"""The command line: ``python -m experiments NAME --data DIR [--quick]``, NAME a study or "all"."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks.data import default_folder
from benchmarks.machine import total_memory
from experiments.findings import made_sentence
from experiments.methods import METHODS
from experiments.progress import Progress
from experiments.report import save, say
from experiments.runs import Kept, chosen, perform
from experiments.settings import Settings
from experiments.studies import STUDIES

NAMES = list(dict.fromkeys(name.removeprefix("costs ").removeprefix("predicts ") for name in METHODS))


def named_limit(text: str) -> tuple[str, float]:
    """Read "METHOD=SECONDS"."""
    name, _, seconds = text.partition("=")
    if name not in NAMES:
        raise argparse.ArgumentTypeError(f"no method {name!r}, only {', '.join(NAMES)}")
    return name, float(seconds)


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m experiments", description="Rerun the paper's studies.")
    made.add_argument("study", choices=[*STUDIES, "all"], help="which study")
    made.add_argument("--data", type=Path, default=default_folder(), help="folder of the data sets")
    made.add_argument("--quick", action="store_true", help="a small part of each study")
    made.add_argument("--out", type=Path, help="folder of results (default: results, results-quick)")
    made.add_argument("--peer-python", default=sys.executable, help="interpreter with peers and HiGHS")
    made.add_argument("--time-limit", type=float, help="seconds of one run (default: the paper's)")
    made.add_argument(
        "--limits", nargs="+", default=[], type=named_limit, metavar="METHOD=SECONDS", help="limits of some"
    )
    made.add_argument("--memory", type=float, default=0.6 * total_memory() / 2**30, metavar="GB")
    made.add_argument("--jobs", type=int, help="runs at a time (default: 1; quick: as many as processors)")
    made.add_argument("--repeats", type=int, help="how often a run is timed (default: 5; quick: 1)")
    made.add_argument("--splits", type=int, help="splits in the study of costs (default: 100; quick: 3)")
    made.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="only these sets")
    made.add_argument("--methods", nargs="+", default=[], metavar="NAME", choices=NAMES, help="only these")
    made.add_argument("--every-mip", action="store_true", help="integer programs on all policy problems")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--fresh", action="store_true", help="forget finished runs")
    made.add_argument("--report-only", action="store_true", help="run nothing, only show what is there")
    return made


def settings_of(options: argparse.Namespace) -> Settings:
    """Fill in what was left open, which depends on ``--quick``."""
    quick = options.quick

    def either(value: int | None, short: int, full: int) -> int:
        return value if value is not None else short if quick else full

    return Settings(
        data=options.data,
        out=options.out or Path("results-quick" if quick else "results"),
        peer_python=options.peer_python,
        quick=quick,
        time_limit=options.time_limit,
        limits=dict(options.limits),
        memory=int(options.memory * 2**30),
        jobs=either(options.jobs, os.cpu_count() or 1, 1),
        repeats=either(options.repeats, 1, 5),
        splits=either(options.splits, 3, 100),
        every_mip=options.every_mip,
        sets=tuple(options.sets),
        methods=tuple(options.methods),
        seed=options.seed,
    )


def run_study(name: str, settings: Settings, *, fresh: bool, report_only: bool) -> bool:
    """Run one study and show it; returns whether all answers of streed are beyond doubt."""
    module = import_module(STUDIES[name])
    title = str(module.__doc__).splitlines()[0]
    say(f"\n{name}: {title}")
    kept = Kept(settings.out / name / "runs.jsonl", fresh=fresh)
    wanted = chosen(module.jobs(settings), replace(settings, methods=()))
    jobs = chosen(wanted, settings)
    if not report_only:
        perform(jobs, kept, settings, Progress(name))
    runs = kept.of(jobs)
    findings = module.findings(runs, settings)
    findings.sentences.append(made_sentence(wanted, runs))
    save(name, title, findings, runs, settings)
    return not findings.alarms


def main(arguments: list[str] | None = None) -> int:
    """Run the studies; the exit code is 1 when an answer of streed is in doubt."""
    options = parser().parse_args(arguments)
    settings = settings_of(options)
    names = list(STUDIES) if options.study == "all" else [options.study]
    sure = [run_study(name, settings, fresh=options.fresh, report_only=options.report_only) for name in names]
    say(f"\nall tables and plots: {settings.out / 'report.html'}")
    return 0 if all(sure) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; finished runs are kept")
        sys.exit(130)
