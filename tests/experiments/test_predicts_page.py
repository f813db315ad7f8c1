"""The figures of the pages on predictions, counted again from the summary that lies beside them."""

from __future__ import annotations

import csv
import statistics
from pathlib import Path

import pytest

from experiments.significance import p_value

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "docs" / "experiments" / "predicts.md"
PAGE = ROOT / "docs" / "predictions.md"
TIE = 0.0005
LESS_IS_BETTER = ("log loss", "Brier")

Values = dict[int, float]


def summary() -> dict[tuple[str, str], dict[str, Values]]:
    """Values by method and figure, set and split; sets in the order of the study."""
    found: dict[tuple[str, str], dict[str, Values]] = {}
    with (ROOT / "docs" / "experiments" / "predicts.csv").open() as file:
        for row in csv.DictReader(file):
            values = (pair.split(":") for pair in row["split:value"].split())
            own = {int(split): float(value) for split, value in values}
            found.setdefault((row["method"], row["figure"]), {})[row["set"]] = own
    return found


def rows_of(page: Path, first_cell: str, title: str = "") -> list[list[str]]:
    """The rows of the first table below a title whose head begins with a cell."""
    text = page.read_text()
    lines = text[text.index(title) :].splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {first_cell} |"))
    found = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return [found[0], *found[2:]]


SUMMARY = summary()
SETS = list(dict.fromkeys(name for own in SUMMARY.values() for name in own))
FRESH = rows_of(STUDY, "set", "**Accuracy (%)")[21:41]


def counted(first: str, second: str, figure: str, sets: list[str]) -> tuple[int, float, int, int, float]:
    """Number of sets, mean difference, wins, losses and p of two methods, over the splits that both have."""
    ours, theirs = [], []
    for name in sets:
        mine = SUMMARY.get((first, figure), {}).get(name, {})
        other = SUMMARY.get((second, figure), {}).get(name, {})
        both = sorted(mine.keys() & other.keys())
        if both:
            ours.append(statistics.fmean(mine[k] for k in both))
            theirs.append(statistics.fmean(other[k] for k in both))
    gains = [a - b for a, b in zip(ours, theirs, strict=True)]
    sign = -1 if figure in LESS_IS_BETTER else 1
    wins = sum(sign * gain > TIE for gain in gains)
    losses = sum(sign * gain < -TIE for gain in gains)
    return len(gains), statistics.fmean(gains), wins, losses, p_value(ours, theirs)


@pytest.mark.parametrize(("title", "sets"), [
    ("**Two methods, mean over splits, on the 40 sets of the verdicts", SETS),
    ("**Two methods, mean over splits, on the 20 sets that served no", [row[0] for row in FRESH]),
])  # fmt: skip
def test_comparisons_of_the_study(title: str, sets: list[str]) -> None:
    rows = rows_of(STUDY, "first", title)[1:]
    assert len(rows) > 15
    for first, second, figure, n_sets, mean, wins, losses, ties, p in rows:
        found = counted(first, second, figure, sets)
        assert (found[0], found[0] - found[2] - found[3]) == (int(n_sets), int(ties)), (first, second)
        assert found[2:4] == (int(wins), int(losses)), (first, second, figure)
        assert found[1] == pytest.approx(float(mean), abs=6e-5)
        assert found[4] == pytest.approx(float(p), rel=0.06)


def test_comparisons_of_the_page() -> None:
    for title, sets in (("Two methods, means", SETS), ("On the 20 sets", [row[0] for row in FRESH])):
        for first, second, figure, mean, wins, losses, ties, p in rows_of(PAGE, "first", title)[1:]:
            n_sets, difference, won, lost, value = counted(first, second, figure, sets)
            assert (won, lost, n_sets - won - lost) == (int(wins), int(losses), int(ties)), (first, second)
            assert difference == pytest.approx(float(mean), abs=6e-5)
            assert value < 0.001 if p == "< .001" else value == pytest.approx(float(p), abs=6e-4)


def test_means_and_ranks_of_the_page_are_those_of_the_study() -> None:
    head, *rows = rows_of(PAGE, "method")
    means = {row[0]: dict(zip(FIGURES, row[1:], strict=True)) for row in rows_of(STUDY, "method")[1:]}
    ranks = {row[0]: row[1] for row in rows_of(STUDY, "method", "**Mean rank")[1:]}
    digits = {"accuracy": 3, "log loss": 3, "AUC": 3, "leaves": 1, "questions": 1, "seconds": 2}
    for row in rows:
        for figure, cell in zip(head[1:-1], row[1:-1], strict=True):
            known = means[row[0]][figure]
            if cell:
                assert float(cell) == pytest.approx(float(known), abs=0.51 * 10 ** -digits[figure]), row[0]
            else:
                assert known == "-"
        assert (row[-1] or "-") == (ranks[row[0]] if not row[-1] else f"{float(ranks[row[0]]):.1f}")


FIGURES = ("sets", "accuracy", "log loss", "Brier", "AUC", "leaves", "questions", "seconds")


def test_the_first_screen_says_what_the_page_says() -> None:
    text = " ".join((ROOT / "README.md").read_text().split())
    for first, second in (("auto, no depth", "CART as auto, no depth"), ("auto, no depth", "CART tuned")):
        _, mean, wins, losses, _ = counted(first, second, "accuracy", SETS)
        assert f"({wins} wins, {losses} losses)" in text
        assert f"{abs(mean):.3f}".removeprefix("0") in text
