"""Time an import: ``python -m benchmarks.probes.imports MODULE [ATTRIBUTE ...]``."""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module


def main(name: str, *attributes: str) -> None:
    """Import a module, touch the attributes, and print the seconds that took."""
    start = time.perf_counter()
    module = import_module(name)
    for attribute in attributes:
        getattr(module, attribute)
    seconds = time.perf_counter() - start
    sys.stdout.write(json.dumps({"seconds": seconds, "scikit_learn": "sklearn" in sys.modules}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
