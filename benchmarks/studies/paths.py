"""Trees of all sizes against one tree; tuning against scikit-learn's grid search with the same estimator."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.data import read_classification, set_names
from benchmarks.report import Document, Table, format_seconds, geometric_mean, say, say_alarms, say_machine
from benchmarks.studies.common import add_common

TUNED = "german-credit"
COST_SETS = ["heart", "hepatitis", "diabetes"]
FOLDS, TEST_SIZE = 5, 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4], repeats=3, limit=100)
    parser.add_argument(
        "--tuned", nargs="*", default=[TUNED], metavar="SET", help="sets on which the size is tuned"
    )
    parser.add_argument(
        "--cost-sets", nargs="*", default=COST_SETS, metavar="SET", help="the same with prices, by hold-outs"
    )


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a size has another value than its own solve."""
    document, alarms = Document("paths", options), []
    names = options.sets or set_names(options.data, "classification")
    rows = []
    table = Table([("set", 18), ("depth", 5), ("one s", 10), ("all s", 10), ("times", 7), ("trees", 5)])
    for name in names:
        for depth in options.depths:
            row = compare_sizes(read_classification(options.data, name), depth, options)
            rows.append({"set": name, "depth": depth, **row})
            times = row["all"] / row["one"]
            cells = [name, str(depth), *(format_seconds(row[which]) for which in ("one", "all"))]
            table.add([*cells, f"{times:.2f}x", str(row["trees"])])
            alarms += [f"{name}/{depth}: {text}" for text in row["doubts"]]
    mean = geometric_mean([row["all"] / row["one"] for row in rows])
    say()
    say(f"all sizes take {mean:.2f} times one tree in the geometric mean over {len(rows)} problems")
    tuned = [compare_tuning(options, name, max(options.depths)) for name in options.tuned]
    tuned += [compare_cost_tuning(options, name, max(options.depths)) for name in options.cost_sets]
    alarms += [f"{row['set']}: {text}" for row in tuned for text in row["doubts"]]
    document.save(summary={"geometric_mean": mean, "tuned": tuned, "alarms": alarms}, rows=rows)
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def compare_sizes(arrays: dict[str, Any], depth: int, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one tree of full size and all sizes, in turns, medians of processor time; check every value."""
    import streed

    task, X = streed.tasks.Accuracy(arrays["y"]), arrays["X"]
    limits = {"max_depth": depth, "time_limit": options.time_limit}
    results = [
        (timed(lambda: streed.solve(task, X, **limits)), timed(lambda: streed.size_path(task, X, **limits)))
        for _ in range(options.repeats)
    ]
    path, one = results[0][1][1], results[0][0][1]
    doubts = [] if path[-1].objective == one.objective or not path.optimal else ["the full size differs"]
    for k in range(0 if path.optimal else len(path), len(path) - 1):
        own = streed.solve(task, X, max_nodes=k, **limits)
        if own.optimal and own.objective != path[k].objective:
            doubts.append(f"{k} nodes: {path[k].objective:g}, alone {own.objective:g}")
    return {
        "one": statistics.median(a[0] for a, _ in results),
        "all": statistics.median(b[0] for _, b in results),
        "proven": path.optimal,
        "trees": len(path.sizes),
        "doubts": doubts,
    }


def compare_tuning(options: argparse.Namespace, name: str, depth: int) -> dict[str, Any]:
    """Measure tuning over all sizes by five folds against a grid search over the same folds."""
    from sklearn.model_selection import StratifiedKFold

    import streed

    arrays = read_classification(options.data, name)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = streed.OptimalTreeClassifier(max_depth=depth)
    return against_grid_search(name, model, arrays["X"].astype(bool), arrays["y"], folds)


def compare_cost_tuning(options: argparse.Namespace, name: str, depth: int) -> dict[str, Any]:
    """Measure the paper's tuning, five hold-outs, with costs of errors and of tests."""
    import numpy as np
    from sklearn.model_selection import StratifiedShuffleSplit

    import streed
    from streed.datasets import read_cost_file

    folder = options.data / "cost-sensitive"
    rows = np.loadtxt(folder / f"{name}.csv", dtype=np.int32)
    costs = read_cost_file(folder / f"{name}-middle-costs.csv")
    model = streed.CostSensitiveTreeClassifier(
        misclassification_costs=costs.matrix, feature_costs=costs.feature_costs, max_depth=depth
    )
    folds = StratifiedShuffleSplit(FOLDS, test_size=TEST_SIZE, random_state=0)
    return against_grid_search(name, model, rows[:, 1:].astype(bool), rows[:, 0], folds)


def against_grid_search(name: str, model: Any, X: Any, y: Any, folds: Any) -> dict[str, Any]:
    """Tune the number of nodes in both ways; ties of a grid search go to the first, the fewest nodes."""
    from sklearn.model_selection import GridSearchCV

    import streed

    depth = model.max_depth
    grid = GridSearchCV(model, {"max_nodes": list(range(2**depth))}, cv=folds)
    ours, tuned = timed(lambda: streed.tune(model, X, y, cv=folds))
    theirs, found = timed(lambda: grid.fit(X, y))
    sizes = tuned.params["max_nodes"], found.best_params_["max_nodes"]
    seconds = f"tune {format_seconds(ours)} s, grid search {format_seconds(theirs)} s"
    say(f"{name}, depth {depth}, {FOLDS} folds: {seconds}, {theirs / ours:.1f} times; sizes {sizes}")
    doubts = [] if sizes[0] == sizes[1] else [f"tune chose {sizes[0]} nodes, the grid search {sizes[1]}"]
    return {"set": name, "tune": ours, "grid": theirs, "sizes": sizes, "doubts": doubts}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Give the processor time of a call and what it returned."""
    begun = time.process_time()
    found = call()
    return time.process_time() - begun, found
