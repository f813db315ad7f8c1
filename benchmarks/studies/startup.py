"""Time to import streed in a fresh process, and the first fit of iris at depth three."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from typing import Any

from benchmarks.report import Document, say, say_alarms, say_machine
from benchmarks.runner import child_environment
from benchmarks.studies.common import add_output

PROBE_SECONDS = 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="fresh processes per figure")
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a probe fails or importing streed also imports scikit-learn."""
    document = Document("startup", options)
    alarms: list[str] = []
    summary: dict[str, Any] = {"runs": {}}
    probes = {
        "import numpy": ["benchmarks.probes.imports", "numpy"],
        "import streed; streed.solve": ["benchmarks.probes.imports", "streed", "solve"],
        "iris": ["benchmarks.probes.iris"],
    }
    for name, command in probes.items():
        answers = [probe(command) for _ in range(options.repeats)]
        summary["runs"][name] = answers
        failed = [answer["error"] for answer in answers if "error" in answer]
        if failed:
            alarms.append(f"{name}: {failed[0]}")
        elif name == "iris":
            document.content["versions"]["streed"] = answers[0]["version"]
            say_iris(answers, summary)
        else:
            seconds = [answer["seconds"] for answer in answers]
            summary[name] = statistics.median(seconds)
            spread = f"{min(seconds):.3f} to {max(seconds):.3f}"
            say(f"{name}: {summary[name]:.3f} s (median of {len(seconds)}, {spread})")
            if any(answer["scikit_learn"] for answer in answers):
                alarms.append(f"{name} also imports scikit-learn")
    document.save(summary=summary | {"alarms": alarms})
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def probe(command: list[str]) -> dict[str, Any]:
    """Run a probe in a fresh process and read the JSON line that it prints last."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        env=child_environment(),
        timeout=PROBE_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"exit code {done.returncode}"}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def say_iris(answers: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Print and keep the figures of the iris probe."""
    for key, what in {
        "first": "iris at depth 3, first fit after import",
        "later": "iris at depth 3, later fits",
        "import": "import of the estimator (with scikit-learn)",
    }.items():
        values = [answer[key] for answer in answers]
        summary[f"iris {key}"] = statistics.median(values)
        say(f"{what}: {1000 * summary[f'iris {key}']:.2f} ms (median of {len(values)} processes)")
