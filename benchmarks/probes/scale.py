"""Time one default fit of a made table, and its memory: ``python -m benchmarks.probes.scale JOB`` (JSON)."""

from __future__ import annotations

import json
import resource
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.machine import version_of
from benchmarks.scale_data import errors_of, make_table


def main(given: str) -> None:
    """Print the processor seconds, the memory above that of the data, and the errors or squared error."""
    job: dict[str, Any] = json.loads(given)
    X, y = make_table(job["rows"], job["columns"], job["classes"])
    module, name = {
        ("streed", False): ("streed", "OptimalTreeClassifier"),
        ("streed", True): ("streed", "OptimalTreeRegressor"),
        ("scikit-learn", False): ("sklearn.tree", "DecisionTreeClassifier"),
        ("scikit-learn", True): ("sklearn.tree", "DecisionTreeRegressor"),
    }[job["package"], job["classes"] == 0]
    model = getattr(import_module(module), name)(max_depth=job["depth"])
    small = slice(0, 200)
    model.fit(X[small], y[small])  # imports and first calls
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    predicted = model.predict(X)
    answer = {
        "seconds": fitted - start,
        "predict": time.process_time() - fitted,
        "megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3,
        "value": errors_of(y, predicted, job["classes"]),
        "version": version_of("streed" if job["package"] == "streed" else "scikit-learn"),
    }
    result = getattr(model, "result_", None)
    if result is not None:
        answer |= {"gap": min(float(result.gap), 1.0), "status": result.status}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(sys.argv[1])
