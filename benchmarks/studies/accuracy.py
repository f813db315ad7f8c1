"""Optimal accuracy trees: streed against the peers on the sets of classification/."""

from __future__ import annotations

import argparse

from benchmarks.studies.common import add_common, add_peers, add_threads, classification_problems
from benchmarks.studies.side_by_side import Study, run_study

PEERS = ["pystreed", "pydl8.5", "gosdt"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4, 5])
    add_peers(parser, PEERS)
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    return run_study(Study("accuracy", PEERS), classification_problems(options), options)
