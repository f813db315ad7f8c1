"""Trees with the best F1 score: streed against pystreed on the sets of classification/."""

from __future__ import annotations

import argparse

from benchmarks.studies.common import add_common, add_peers, add_threads, classification_problems
from benchmarks.studies.side_by_side import Study, run_study

PEERS = ["pystreed"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[3, 4])
    add_peers(parser, PEERS)
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    study = Study("f1", PEERS, value="F1", digits=4, smaller_is_better=False)
    return run_study(study, classification_problems(options, "f1"), options)
