"""The studies, one module each.

A study has a title (the first line of its module), ``jobs(settings)``, which lists the runs that it wants,
and ``findings(runs, settings)``, which makes tables and plots of those that are there.
"""

from __future__ import annotations

STUDIES: dict[str, str] = {
    "accuracy": "experiments.studies.accuracy",
    "f1": "experiments.studies.f1",
    "fairness": "experiments.studies.fairness",
    "costs": "experiments.studies.costs",
    "predicts": "experiments.studies.predicts",
    "policies": "experiments.studies.policies",
}
