"""Every study in quick form within ten minutes, compared with the last run that was kept."""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.data import default_folder
from benchmarks.report import say
from benchmarks.runner import child_environment

ALONE = ["--peers"]  # without peers
DEPTH_3 = ["--depths", "3", "--repeats", "1"]

QUICK: dict[str, list[str]] = {
    "instructions": [],
    "startup": ["--repeats", "3"],
    "accuracy": ["--sets", "german-credit", "vehicle", "anneal", "--depths", "4", "--repeats", "3", *ALONE],
    "continuous": ["--sets", "bank", "wilt", "page", "rice", *DEPTH_3, *ALONE],
    "costs": ["--sets", "heart", "car", *DEPTH_3, "--levels", "middle", *ALONE],
    "policy": [*DEPTH_3, "--synthetic-depths", *ALONE],
    "regression": ["--sets", "airfoil", "concrete", *DEPTH_3, "--without-greedy", *ALONE],
    "survival": ["--sets", "colon", *DEPTH_3, "--without-greedy", *ALONE],
    "f1": ["--sets", "german-credit", "vehicle", *DEPTH_3, *ALONE],
    "fairness": ["--sets", "german-credit", "student-mat", "--depths", "2", "--repeats", "1", *ALONE],
    "sparse": ["--sets", "compas", "tic-tac-toe", "--prices", "0.02", "--time-limit", "10", *ALONE],
    "paths": ["--sets", "heart-cleveland", *DEPTH_3, "--tuned", "--cost-sets"],
    "own_tasks": ["--sets", "german-credit", "--depths", "3", "--repeats", "3", *ALONE],
    "threads": ["--sets", "splice-1", "--depths", "4", "--repeats", "1"],
    "memory": ["--rows", "100000"],
    "scale": ["--quick", "--repeats", "1"],
    "forecasts": ["--sets", "german-credit", "vehicle", "--depths", "4", "--most", "5"],
    "anytime": ["--quick", "--sets", "magic", "eeg"],
}
"""Arguments of each study; every study has to be here."""

WITHOUT_DATA = {"instructions", "startup", "scale"}
"""Studies that make their tables."""

SECONDS = 600.0
"""Studies that have not begun by then are left out, and said to be."""

NOISE, LEAST_SECONDS = 1.5, 0.05
"""Times that differ by less than this factor, or by fewer seconds, are taken for equal: other processes share
the machine. Of instructions a hundredth is a difference."""

DIFFERENT = 0.01

OUT_OF_TIME = "out of time"
"""Of a study that the ten minutes have ended, which is no failure of it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument("--data", type=Path, default=default_folder(), metavar="DIR", help="data sets")
    parser.add_argument("--studies", nargs="+", choices=QUICK, default=list(QUICK), metavar="STUDY")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/bench-all"), metavar="DIR", help="where runs are kept"
    )
    parser.add_argument("--keep", action="store_true", help="compare the next runs with this one")


def run(options: argparse.Namespace) -> int:
    """Run the studies; the exit code is 1 when one fails."""
    now, kept = options.folder / "now", options.folder / "kept"
    shutil.rmtree(now, ignore_errors=True)
    now.mkdir(parents=True)
    started, failed = time.monotonic(), []
    for name in options.studies:
        gone = time.monotonic() - started
        if gone > SECONDS:
            say(f"{name}: left out after {gone:.0f} s")
            continue
        code = run_study(name, options.data, now / f"{name}.json", SECONDS - gone)
        how = {0: "ended", OUT_OF_TIME: OUT_OF_TIME}.get(code, f"FAILED ({code})")
        say(f"{name}: {how} after {time.monotonic() - started:.0f} s")
        failed += [name] if code not in (0, OUT_OF_TIME) else []
        for line in changes(read(kept / f"{name}.json"), read(now / f"{name}.json")):
            say(f"    {line}")
    if options.keep or not kept.exists():
        kept.mkdir(exist_ok=True)
        for path in now.glob("*.json"):
            shutil.copy(path, kept / path.name)
        say(f"kept in {kept}")
    if failed:
        say(f"!!!!!! failed: {', '.join(failed)} !!!!!!")
    return 1 if failed else 0


def run_study(name: str, data: Path, out: Path, seconds: float) -> int | str:
    """Run one study in a process of its own; what it prints goes into a file beside its results."""
    command = [sys.executable, "-m", "benchmarks", name, *QUICK[name], "--json", str(out)]
    command += [] if name in WITHOUT_DATA else ["--data", str(data)]
    with out.with_suffix(".txt").open("w") as log:
        try:
            ended = subprocess.run(
                command,
                env=child_environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return OUT_OF_TIME
    return ended.returncode


def read(path: Path) -> dict[str, float]:
    """Return the figures of a run by name; none if there is no file."""
    if not path.is_file():
        return {}
    content = json.loads(path.read_text())
    found: dict[str, float | None] = dict(_numbers("", content.get("summary")))
    for problem in content.get("problems", ()):
        label = " ".join(str(problem[name]) for name in ("set", "task", "max_depth", "settings"))
        for who, one in problem["measured"].items():
            found[f"{label}, {who}: value"] = one["value"]
            found[f"{label}, {who}: seconds"] = min(_times(one["runs"]), default=None)
    return {name: float(value) for name, value in found.items() if value is not None}


def _times(runs: list[dict[str, Any]]) -> Iterator[float]:
    for run in runs:
        if (seconds := run.get("cpu_seconds") or run.get("seconds")) is not None:
            yield seconds


def _numbers(name: str, content: Any) -> Iterator[tuple[str, float]]:
    """Give the numbers in nested tables with their places."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _numbers(f"{name}, {key}" if name else str(key), value)
    elif isinstance(content, list):
        for k, value in enumerate(content):
            yield from _numbers(f"{name}, {k}", value)
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield name, content


def changes(before: dict[str, float], now: dict[str, float]) -> Iterator[str]:
    """Say which figures differ from those of the run that was kept, by more than noise."""
    for name, value in now.items():
        known = before.get(name)
        if known is None or known == value or (math.isnan(known) and math.isnan(value)):
            continue
        ratio = value / known if known else math.inf
        if name.endswith("instructions"):
            notable = abs(ratio - 1) > DIFFERENT
        elif name.endswith(("value", "errors", "objective")):
            notable = abs(value - known) > 1e-9 * max(abs(value), abs(known))
        else:
            notable = not 1 / NOISE < ratio < NOISE and abs(value - known) > LEAST_SECONDS
        if notable:
            yield f"{name}: {known:g} -> {value:g} ({ratio:.2f} times)"
