"""Starts runs in an interpreter that has its packages loaded: ``python -m experiments.nursery METHOD``.

Every run is a process of its own, with its own limits, and may crash. Most runs take milliseconds while
loading NumPy and a solver takes half a second, so that a new interpreter for each of some ten thousand runs
would spend hours on imports. Instead one process per method loads the packages and forks for each job. Jobs
come as lines of JSON on standard input; a line with exit code and peak memory goes back for each. Standard
output belongs to the packages, some of which print, so that answers use a descriptor of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from importlib import import_module
from typing import Any

from benchmarks.clock import kill_after
from experiments.methods import METHODS

LOADING_SECONDS = 120.0


def serve(method: str) -> None:
    """Fork for each line of standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    preload(method)
    for line in sys.stdin:
        code, peak = fork(json.loads(line))
        answers.write(json.dumps({"code": code, "peak_memory": peak}) + "\n")
        answers.flush()


def preload(method: str) -> None:
    """Import what the method needs; a package that is missing is reported by the run."""
    for name in ("experiments.child", METHODS[method].module, *METHODS[method].packages):
        with contextlib.suppress(Exception):
            import_module(name)


def fork(job: dict[str, Any]) -> tuple[int, int]:
    """Run one job in a forked process; returns its exit code and its peak memory in bytes."""
    process = os.fork()
    if process == 0:
        try:
            run(job)
        finally:
            os._exit(0)
    _, status, usage = os.wait4(process, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * unit


def run(job: dict[str, Any]) -> None:
    """Set the limits of this process and do the job.

    The clock of the method ends the process at its time limit; the limit of processor time is for a run
    that hangs before or after that.
    """
    os.dup2(os.open(job["errors"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
    if job["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))
    seconds = int(kill_after(float(job["options"]["time_limit"])) + LOADING_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    import_module("experiments.child").answer(job)


if __name__ == "__main__":
    serve(sys.argv[1])
