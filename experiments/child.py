"""One run, in its own process: load the arrays, run the method, score what it predicts, write the answer."""

from __future__ import annotations

import json
import platform
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import version_of
from benchmarks.scores import SCORES
from experiments.held_out import held_out_figures
from experiments.methods import METHODS


def answer(job: dict[str, Any]) -> None:
    """Do the job and write the answer, whatever happens."""
    try:
        found = perform(job)
    except MemoryError as error:
        found = {"status": "failed", "message": f"out of memory {error}".strip()}
    except ModuleNotFoundError as error:
        found = {"status": "missing", "message": str(error)}
    except Exception as error:
        found = {"status": "failed", "message": f"{type(error).__name__}: {error}"}
    Path(job["answer"]).write_text(json.dumps(found))


def perform(job: dict[str, Any]) -> dict[str, Any]:
    """Run the method.

    No method is believed: the value is scored anew from its predictions for the training rows. Where it
    gives a tree and there are held-out rows, they are scored, too.
    """
    with np.load(job["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    module = import_module(METHODS[job["method"]].module)
    others = {name: array for name, array in arrays.items() if name not in ("X", "y")}
    found: dict[str, Any] = module.run(arrays["X"], arrays["y"], others | job["options"])
    prediction, tree = found.pop("prediction", None), found.pop("tree", None)
    figures: dict[str, float] = found.setdefault("figures", {})
    figures |= {"rows": float(len(arrays["y"])), "features": float(arrays["X"].shape[1])}
    figures["positives"] = float(np.count_nonzero(arrays["y"] == 1))
    if prediction is not None:
        found["value"] = SCORES[job["options"]["task"]].function(arrays, np.asarray(prediction))
    if isinstance(tree, np.ndarray):
        figures |= held_out_figures(job["options"]["task"], arrays, tree)
    return found | {
        "status": "done",
        "version": version_of(module.DISTRIBUTION),
        "python": platform.python_version(),
    }
