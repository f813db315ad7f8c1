"""Times of peers from an earlier session, for development only.

A peer that needs minutes per problem need not be run again for every change of our own code. Ratios with such
times are not measured side by side: the tables mark them, and no published figure may rest on them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.data import Problem
from benchmarks.runner import Outcome

SAME_MACHINE = ("cpu", "cpus", "memory", "system")
OWN = "streed"


class CachedRuns:
    """The peers' runs in a file that ``--json`` wrote on this machine.

    Parameters
    ----------
    path : Path
        The file; one from another machine is refused.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        document: dict[str, Any] = json.loads(path.read_text())
        here, there = machine.describe(), document["machine"]
        for name in SAME_MACHINE:
            if here[name] != there.get(name):
                raise SystemExit(
                    f"{path} was measured on another machine: {name} is {there.get(name)!r} there and "
                    f"{here[name]!r} here"
                )
        self.time_limit = float(document["options"]["time_limit"])
        self.records: list[dict[str, Any]] = document["problems"]

    def find(self, problem: Problem, label: str, time_limit: float) -> list[Outcome]:
        """Find runs of a peer on the very same problem that hold for this time limit.

        A time-out under a shorter limit tells nothing, and neither does a failure: both are run again.
        """
        if label == OWN:
            return []
        for record in self.records:
            same = (
                record["set"] == problem.name
                and record["task"] == problem.task
                and record["max_depth"] == problem.max_depth
                and record["settings"] == problem.settings
                and record["fingerprint"] == problem.fingerprint()
            )
            if same and label in record["measured"]:
                runs = [Outcome.from_dict(run) for run in record["measured"][label]["runs"]]
                return [cut(run, time_limit) for run in runs] if self.tells(runs, time_limit) else []
        return []

    def tells(self, runs: list[Outcome], time_limit: float) -> bool:
        """Whether the runs hold for this time limit."""
        return all(
            run.status == "done" or (run.status == "time limit" and self.time_limit >= time_limit)
            for run in runs
        )


def cut(run: Outcome, time_limit: float) -> Outcome:
    """Mark a run as cached, and as a time-out where it took longer than the limit of now.

    The lesser of wall time and processor time counts: the machine may have been busy with other things
    then, and a peer must not look slower for that.
    """
    run.cached = True
    if run.cpu_seconds < run.seconds:
        run.seconds = run.cpu_seconds
    if run.status == "done" and run.seconds > time_limit:
        run.status, run.value, run.proven = "time limit", None, False
    if run.status == "time limit":
        run.seconds = time_limit
    return run
