"""Optimal trees over all thresholds: streed against ConTree and pytrees-rs, in processor time."""

from __future__ import annotations

import argparse

from benchmarks.data import Problem, read_continuous, set_names
from benchmarks.studies.common import add_common, add_peers, add_threads
from benchmarks.studies.side_by_side import Study, run_study

PEERS = ["pycontree", "pytrees-rs"]
OWN = ["breast_cancer", "digits", "iris", "wine"]
"""scikit-learn's own sets."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[3, 4], repeats=1, limit=600)
    add_peers(parser, PEERS)
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    names = options.sets or [*OWN, *set_names(options.data, "continuous")]
    arrays = {name: read_continuous(options.data, name, own=name in OWN) for name in names}
    problems = [
        Problem(name, "continuous", depth, arrays[name]) for depth in options.depths for name in names
    ]
    return run_study(Study("continuous", PEERS, counted_seconds=0.0), problems, options)
