"""The studies, one file each.

A study is a module with a first docstring line for the help text, `add_arguments(parser)` and
`run(options) -> exit code`. A new one needs its file, a line here, and a line in `benchmarks.scores` if its
task is new.
"""

from __future__ import annotations

STUDIES = {
    "accuracy": "benchmarks.studies.accuracy",
    "continuous": "benchmarks.studies.continuous",
    "costs": "benchmarks.studies.costs",
    "policy": "benchmarks.studies.policy",
    "regression": "benchmarks.studies.regression",
    "survival": "benchmarks.studies.survival",
    "f1": "benchmarks.studies.f1",
    "fairness": "benchmarks.studies.fairness",
    "sparse": "benchmarks.studies.sparse",
    "paths": "benchmarks.studies.paths",
    "own_tasks": "benchmarks.studies.own_tasks",
    "threads": "benchmarks.studies.threads",
    "startup": "benchmarks.studies.startup",
    "memory": "benchmarks.studies.memory",
    "scale": "benchmarks.studies.scale",
    "forecasts": "benchmarks.studies.forecasts",
    "anytime": "benchmarks.studies.anytime",
    "instructions": "benchmarks.studies.instructions",
    "all": "benchmarks.studies.everything",
}
