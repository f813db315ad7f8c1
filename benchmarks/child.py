"""The process of one run: ``python -m benchmarks.child JOB``, started by `benchmarks.runner`.

The job is a JSON file, and so is the answer: standard output belongs to the packages, some of which print.
"""

from __future__ import annotations

import json
import platform
import resource
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import version_of
from benchmarks.peers import MODULES
from benchmarks.scores import SCORES


def main(job_file: str) -> None:
    """Run the job and write the answer, whatever happens."""
    job: dict[str, Any] = json.loads(Path(job_file).read_text())
    if job["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (job["memory"], job["memory"]))
    try:
        answer = perform(job)
    except MemoryError:
        answer = {"status": "failed", "message": "out of memory"}
    except ModuleNotFoundError as error:
        answer = {"status": "missing", "message": str(error)}
    except Exception as error:
        answer = {"status": "failed", "message": f"{type(error).__name__}: {error}"}
    Path(job["answer"]).write_text(json.dumps(answer))


def perform(job: dict[str, Any]) -> dict[str, Any]:
    """Load the data, run the package, score its prediction."""
    with np.load(job["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    module = import_module(MODULES[job["package"]])
    others = {name: array for name, array in arrays.items() if name not in ("X", "y")}
    answer: dict[str, Any] = module.run(arrays["X"], arrays["y"], job["options"] | others)
    prediction = np.asarray(answer.pop("prediction"))
    answer["value"] = SCORES[job["options"]["task"]].function(arrays, prediction)
    answer["version"] = version_of(module.DISTRIBUTION)
    answer["python"] = platform.python_version()
    answer["status"] = "done"
    return answer


if __name__ == "__main__":
    main(sys.argv[1])
