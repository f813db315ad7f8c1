"""The sets of the fairness study, whole and split into training and held-out rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.data import Arrays, read_fairness

LIMIT = Fraction(1, 100)
HELD_OUT = 0.2


def read_fair(data: Path, name: str) -> Arrays:
    """Read a set; large ones are packed bits instead of text."""
    packed = data / "fairness" / f"{name}.npz"
    if not packed.is_file():
        return read_fairness(data, name, LIMIT)
    with np.load(packed) as stored:
        rows = int(stored["n_rows"])
        table = np.unpackbits(stored["features"], axis=0)[:rows]
        labels = np.unpackbits(stored["label"])[:rows]
    return {
        "X": np.ascontiguousarray(table[:, 1:]),
        "y": labels.astype(np.int32),
        "group": table[:, 0].astype(np.int32),
        "limit": np.array([LIMIT.numerator, LIMIT.denominator], dtype=np.int64),
    }


def fair_split(data: Path, name: str, number: int, seed: int) -> Arrays:
    """Hold out a fifth of the rows at random."""
    arrays = read_fair(data, name)
    order = np.random.default_rng([seed, number]).permutation(len(arrays["y"]))
    test, train = np.split(order, [round(HELD_OUT * len(order))])
    split: Arrays = {"limit": arrays["limit"]}
    for key in ("X", "y", "group"):
        split[key] = np.ascontiguousarray(arrays[key][train])
        split[f"{key}_test"] = np.ascontiguousarray(arrays[key][test])
    return split


def fair_sets(data: Path) -> list[str]:
    """Names of the sets."""
    folder = data / "fairness"
    names = sorted({path.stem for kind in ("*.csv", "*.npz") for path in folder.glob(kind)})
    if not names:
        raise SystemExit(f"no data sets in {folder}; name the folder with --data or STREED_DATA")
    return names
