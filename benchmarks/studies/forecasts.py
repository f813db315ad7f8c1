"""Forecasts of `streed.estimate` beside the time and memory that the fits then take."""

from __future__ import annotations

import argparse
import time
from typing import Any

import streed
from benchmarks.data import default_folder, read_classification, set_names
from benchmarks.report import Document, Table, format_seconds, say
from benchmarks.studies.common import add_output

MODELS: dict[str, dict[str, Any]] = {
    "accuracy": {},
    "entropy": {"objective": "entropy"},
    "F1": {"objective": "f1"},
    "leaves of 20": {"min_samples_leaf": 20},
}
"""Parameters of the classifier, by name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument("--data", default=default_folder(), metavar="DIR", help="folder of the data sets")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("--depths", nargs="+", type=int, default=[4, 5], metavar="N", help="greatest depths")
    parser.add_argument("--probe", type=float, default=0.1, metavar="S", help="processor seconds of a probe")
    parser.add_argument(
        "--most", type=float, default=20, metavar="S", help="fits that take longer are left out"
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; fits that end within the probe are left out, since they are measured, not forecast."""
    names = options.sets or set_names(options.data, "classification")
    table = Table([("set", 18), ("task", 13), ("depth", 5), ("forecast", 9), ("taken", 9), ("memory", 7)])
    within = [0, 0]
    n_fits = 0
    for name in names:
        arrays = read_classification(options.data, name)
        X, y = arrays["X"].astype(bool), arrays["y"]
        for task, parameters in MODELS.items():
            for depth in options.depths:
                model = streed.OptimalTreeClassifier(max_depth=depth, **parameters)
                found = streed.estimate(model, X, y, probe_seconds=options.probe)
                if found.measured:
                    continue
                seconds, memory = fit(model, X, y, options.most)
                if seconds is None:
                    continue
                shares = found.seconds / seconds, found.memory / memory
                n_fits += 1
                for place, share in enumerate(shares):
                    within[place] += 1 / 3 <= share <= 3
                cells = [format_seconds(found.seconds), format_seconds(seconds), f"{shares[1]:.2f}x"]
                table.add([name, task, str(depth), *cells])
    Document("forecasts", options).save(summary={"time within": within[0], "memory within": within[1]})
    say(f"within a factor of 3: time {within[0]} of {n_fits}, memory {within[1]} of {n_fits}")
    return 0


def fit(model: streed.OptimalTreeClassifier, X: Any, y: Any, most: float) -> tuple[float | None, float]:
    """Return processor seconds and peak memory of a fit; None if it takes longer than `most`."""
    started = time.process_time()
    model.set_params(progress=lambda _: time.process_time() - started > most).fit(X, y)
    seconds = time.process_time() - started
    memory = float(model.result_.statistics.get("peak_memory", 0)) or 1.0
    return (seconds if model.result_.optimal else None), memory
