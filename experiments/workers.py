"""The parent's end of `experiments.nursery`: one process per method, started when it is first needed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.clock import kill_after
from benchmarks.runner import child_environment, describe_crash
from experiments.methods import METHODS
from experiments.nursery import LOADING_SECONDS
from experiments.settings import Settings


class Workers:
    """Nurseries for one thread: `run` does one job at a time.

    Nurseries have a session of their own, so that Ctrl-C reaches only the parent. Once `stop` is set they are
    ended, with what they have forked, within a second.
    """

    def __init__(self, settings: Settings, stop: threading.Event) -> None:
        self.settings, self.stop = settings, stop
        self.folder = Path(tempfile.mkdtemp(prefix="experiments-"))
        self.nurseries: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for nursery in self.nurseries.values():
            end(nursery)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, method: str, arrays: Path, options: dict[str, Any]) -> dict[str, Any]:
        """Run a method on a problem; a crash or a time-out is an answer, too."""
        answer_file, errors_file = self.folder / "answer.json", self.folder / "errors.txt"
        answer_file.unlink(missing_ok=True)
        errors_file.write_text("")
        job = {
            "method": method,
            "arrays": str(arrays),
            "options": options,
            "memory": self.settings.memory,
            "answer": str(answer_file),
            "errors": str(errors_file),
        }
        code, peak = self._ask(method, json.dumps(job), float(options["time_limit"]))
        if answer_file.is_file():
            with contextlib.suppress(json.JSONDecodeError):  # killed while it wrote
                answer: dict[str, Any] = json.loads(answer_file.read_text())
                return {"peak_memory": peak} | answer
        if code in (-signal.SIGALRM, -signal.SIGXCPU):
            return {"status": "time limit", "peak_memory": peak, "message": "killed at the time limit"}
        return {"status": "failed", "peak_memory": peak, "message": describe_crash(code, errors_file)}

    def _ask(self, method: str, line: str, limit: float) -> tuple[int, int]:
        """Send a job to the method's nursery and wait; returns exit code and peak memory.

        A nursery that does not answer in time is ended, and so is its job; the next job gets a new one.
        """
        nursery = self._nursery(method)
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        until = time.monotonic() + 2 * (kill_after(limit) + LOADING_SECONDS)
        reply = ""
        with contextlib.suppress(BrokenPipeError):
            nursery.stdin.write(line + "\n")
            nursery.stdin.flush()
            while not self.stop.is_set() and time.monotonic() < until:
                if select.select([nursery.stdout], [], [], 0.5)[0]:
                    reply = nursery.stdout.readline()
                    break
        if not reply:
            end(self.nurseries.pop(method))
            return -signal.SIGKILL, 0
        told = json.loads(reply)
        return int(told["code"]), int(told["peak_memory"])

    def _nursery(self, method: str) -> subprocess.Popen[str]:
        """Give the nursery of a method, a new one if there is none alive."""
        known = self.nurseries.get(method)
        if known is None or known.poll() is not None:
            python = self.settings.peer_python if METHODS[method].peer else sys.executable
            self.nurseries[method] = subprocess.Popen(
                [python, "-m", "experiments.nursery", method],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=child_environment(),
                start_new_session=True,
            )
        return self.nurseries[method]


def end(nursery: subprocess.Popen[str]) -> None:
    """End a nursery and what it has forked."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(nursery.pid, signal.SIGKILL)
    for stream in (nursery.stdin, nursery.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
    nursery.wait()
