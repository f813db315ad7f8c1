"""Arguments and set-up that several studies share."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import machine
from benchmarks.data import Problem, default_folder, read_classification, set_names

SIMD_LEVELS = ("auto", "baseline", "avx2", "avx512bw", "avx512")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="save everything, also machine and versions"
    )


def add_common(
    parser: argparse.ArgumentParser, *, depths: list[int], repeats: int = 3, limit: float = 300
) -> None:
    """Add the arguments about data, limits and streed's own options."""
    parser.add_argument(
        "--data", type=Path, default=default_folder(), metavar="DIR", help="folder of the data sets"
    )
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("--depths", nargs="+", type=int, default=depths, metavar="N", help="greatest depths")
    parser.add_argument("--repeats", type=int, default=repeats, metavar="N", help="runs, the median counts")
    parser.add_argument(
        "--time-limit", type=float, default=limit, metavar="S", help="seconds for one fit, then it is killed"
    )
    parser.add_argument("--simd", choices=SIMD_LEVELS, default="auto", help="SIMD level of streed")
    parser.add_argument(
        "--entry", choices=("fit", "solve"), default="fit", help="time the estimator or streed.solve"
    )
    parser.add_argument(
        "--memory",
        type=float,
        default=round(0.6 * machine.total_memory() / 2**30, 1),
        metavar="GB",
        help="address space of one run (default: %(default)s, 60 %% of the machine's), 0 = no limit",
    )
    add_output(parser)


def add_peers(parser: argparse.ArgumentParser, default: list[str]) -> None:
    """Add the arguments about the peers."""
    parser.add_argument("--peers", nargs="*", default=default, metavar="NAME", help=" ".join(default))
    parser.add_argument(
        "--peer-python",
        default=sys.executable,
        metavar="PATH",
        help="interpreter in which the peers are installed (default: this one)",
    )
    parser.add_argument("--without-streed", action="store_true", help="run only the peers")
    parser.add_argument(
        "--cached-peers",
        type=Path,
        metavar="FILE",
        help="for development only: take the peers' times from an earlier --json file of this machine",
    )


def add_threads(parser: argparse.ArgumentParser) -> None:
    """Add ``--n-jobs``."""
    parser.add_argument(
        "--n-jobs", type=int, default=1, metavar="N", help="threads of streed; peers have one"
    )


def classification_problems(options: argparse.Namespace, task: str = "accuracy") -> list[Problem]:
    """Make the problems of the chosen sets and depths for a task of labels."""
    names = options.sets or set_names(options.data, "classification")
    arrays = {name: read_classification(options.data, name) for name in names}
    return [Problem(name, task, depth, arrays[name]) for depth in options.depths for name in names]


def memory_bytes(options: argparse.Namespace) -> int:
    """Turn ``--memory`` into bytes."""
    return int(options.memory * 2**30)
