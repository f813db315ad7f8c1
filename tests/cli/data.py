"""A table as new users have them, written as CSV: numbers, text, dates as text, gaps, string labels."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ("id", "age", "income", "signed", "member", "plan", "churn")


def rows(n: int = 200, seed: int = 3) -> list[list[Any]]:
    """Customers: those with the basic plan leave when young, up to some noise."""
    rng = np.random.default_rng(seed)
    table = []
    for number in range(n):
        age, plan = int(rng.integers(18, 80)), str(rng.choice(["basic", "plus", "pro"]))
        leaves = (plan == "basic" and age < 40) ^ (rng.random() < 0.05)
        signed = f"20{rng.integers(10, 25)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"
        income = round(float(rng.normal(3000, 800)), 1)
        gaps = rng.random(3) < 0.05
        table.append(
            [
                number,
                "" if gaps[0] else age,
                "NA" if gaps[1] else income,
                signed,
                bool(rng.random() < 0.5),
                "" if gaps[2] else plan,
                "leaves" if leaves else "stays",
            ]
        )
    return table


def write(
    path: Path, table: list[list[Any]], columns: tuple[str, ...] = COLUMNS, separator: str = ","
) -> str:
    """Write a table with its header, and return the path as text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator).writerows([columns, *table])
    return str(path)


def run_streed(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with all warnings as errors."""
    command = [sys.executable, "-W", "error", "-X", "utf8", "-m", "streed", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)
