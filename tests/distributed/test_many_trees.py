"""Many trees on a cluster are joblib's business: the same scores, and no more threads than cores."""

from __future__ import annotations

import os
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.model_selection import cross_validate

import streed
from tests.distributed.support import bits, within

pytest.importorskip("distributed", reason="Dask is not installed")

X, Y = bits(4, 400, 20)
TABLE = X.astype(bool)


def threads_of(model: Any, *_: Any) -> float:
    """Return how many threads the search of a fitted tree has had."""
    return float(model.result_.statistics["threads"])


def process_of(*_: Any) -> float:
    """Return the process that scores, which is the one that has fitted."""
    return float(os.getpid())


def test_folds_on_a_cluster_have_the_scores_of_folds_here(client: Any) -> None:
    model = streed.OptimalTreeClassifier(max_depth=3)
    asked: dict[str, Any] = {"cv": 6, "scoring": {"threads": threads_of, "process": process_of}}
    asked["scoring"]["accuracy"] = "accuracy"
    here = cross_validate(model, TABLE, Y, **asked)

    def there() -> Any:
        with joblib.parallel_config(backend="dask", client=client):
            return cross_validate(model, TABLE, Y, **asked)

    found = within(there)
    np.testing.assert_array_equal(found["test_accuracy"], here["test_accuracy"])
    workers = client.run(os.getpid)
    assert set(found["test_process"]) <= {float(pid) for pid in workers.values()}
    threads = sum(client.nthreads().values())  # outside: one fit at a time for each
    assert threads == 2
    assert found["test_threads"].max() * threads <= max(2, os.cpu_count() or 1)


def test_tuning_and_paths_of_folds(client: Any) -> None:
    """Sizes are chosen and paths found inside of fits that joblib has sent out."""
    models = [
        streed.OptimalTreeClassifier(max_depth=3, tune=3),
        streed.OptimalTreeClassifier(max_depth=2),
    ]
    here = [model.fit(TABLE, Y).tree_.n_nodes for model in models]

    def fit(model: Any) -> int:
        return int(model.fit(TABLE, Y).tree_.n_nodes)

    def there() -> Any:
        with joblib.parallel_config(backend="dask", client=client):
            return joblib.Parallel()(joblib.delayed(fit)(model) for model in models)

    assert within(there) == here


def test_paths_of_parts_of_the_data(client: Any) -> None:
    """Any function of streed is a task of Dask."""

    def values(first: int) -> list[float]:
        task = streed.tasks.Accuracy(Y[first::2])
        path = streed.size_path(task, X[first::2], max_depth=2, max_nodes=3)
        return [float(path[nodes].objective) for nodes in range(4)]

    futures = client.map(values, range(2), pure=False)
    assert within(lambda: client.gather(futures)) == [values(first) for first in range(2)]
