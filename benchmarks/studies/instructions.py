"""Instructions of small problems of every engine, counted by callgrind (AVX2), whatever the load."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import Document, Table, say, say_alarms, say_machine
from benchmarks.runner import child_environment
from benchmarks.studies.common import add_output

TOTAL = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument("--problems", nargs="*", default=[], metavar="NAME", help="only these problems")
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a problem fails. Without valgrind nothing is counted."""
    document = Document("instructions", options)
    if shutil.which("valgrind") is None:
        say("valgrind is not installed: nothing is counted")
        document.save(summary={})
        return 0
    counted, error = count(options.problems)
    table = Table([("problem", 42), ("million instructions", 20)])
    for name, number in counted.items():
        table.add([name, f"{number / 1e6:.1f}"])
    alarms = [error] if error else []
    document.save(summary={f"{name}: instructions": number for name, number in counted.items()})
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def count(problems: list[str]) -> tuple[dict[str, int], str]:
    """Return the instructions by problem, and what went wrong, if anything did."""
    with tempfile.TemporaryDirectory(prefix="instructions-") as folder:
        out = Path(folder) / "counted"
        command = ["valgrind", "--tool=callgrind", "--dump-before=getppid", f"--callgrind-out-file={out}"]
        command += [sys.executable, "-m", "benchmarks.probes.instructions", *problems]
        environment = child_environment() | {"PYTHONHASHSEED": "0"}
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        names = ended.stdout.splitlines()
        files = sorted(Path(folder).glob("counted.*"), key=lambda path: int(path.suffix[1:]))
        totals = [TOTAL.search(path.read_text()) for path in files]
    numbers = [int(total.group(1)) for total in totals if total is not None]
    # Before the first problem is what loads packages and makes tables.
    counted = dict(zip(names, numbers[1:], strict=False))
    last = ended.stderr.strip().splitlines()[-1:] if ended.returncode or len(counted) < len(names) else []
    return counted, "; ".join(last)
