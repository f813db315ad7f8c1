"""What the study of costs concludes from made-up costs."""

from __future__ import annotations

import pytest

from benchmarks.cost_data import LEVELS
from experiments.runs import Run
from experiments.studies.costs import METHODS, Figures, conclusions, means, sizes

SPLITS = 12


def runs_of(name: str, costs: dict[str, float], seconds: dict[str, float]) -> list[Run]:
    """Costs grow a little from split to split, so that all pairs of two methods differ in one direction."""
    return [
        Run(
            {
                "problem": f"cost-sensitive/{name}",
                "algorithm": method,
                "split": split,
                "method": f"costs {method}",
            },
            "done",
            figures={
                f"{level} {figure}": value
                for level in LEVELS
                for figure, value in (
                    ("cost", costs[method] * (1 + split / 100)),
                    ("seconds", seconds.get(method, 1.0) + split / 1000),
                    ("depth", 2.0),
                    ("leaves", 3.0),
                    ("question length", 1.5),
                )
            },
        )
        for method in METHODS
        for split in range(SPLITS)
    ]


def test_conclusions_by_hand() -> None:
    others = dict.fromkeys(METHODS, 0.4)
    figures = Figures(
        runs_of("car", others | {"streed": 0.1, "TMDP": 0.2}, {"streed": 0.5})
        + runs_of("flare", others | {"streed": 0.3, "TMDP": 0.3, "IDX": 0.2}, {"streed": 2.0})
        + runs_of("krk", others | {"streed": 0.1, "TMDP": 0.2}, {"streed": 0.5})
    )
    found = conclusions(figures, ["car", "flare", "krk"])
    factor = 1 + (SPLITS - 1) / 200
    assert f"over 9 scenarios: streed {50 * factor / 3:.2f} %, TMDP {70 * factor / 3:.2f} %" in found[0]
    assert f"Over the 6 of them that its table has for both: streed {20 * factor:.2f} %" in found[1]
    assert "its table: streed 15.72 %, TMDP 17.10 %" in found[1]  # car and flare as printed
    assert "significantly cheaper than TMDP in 6, dearer in 0" in found[2]
    assert found[3].startswith("On 2 of 3 sets")
    assert "not on flare (the paper: 14 of 15)" in found[3]
    assert "on 2 of 3 sets, not on flare" in found[4]
    assert "on 2 of 3 sets, not on flare (the paper: all but iris)" in found[5]
    assert sizes(figures, ["car", "flare", "krk"]).notes[0].startswith("Mean over 2 sets, without krk")


def test_pairs_are_of_the_same_splits() -> None:
    runs = runs_of("car", dict.fromkeys(METHODS, 0.4) | {"streed": 0.1}, {})
    kept = [run for run in runs if run.parameters["algorithm"] != "TMDP" or run.parameters["split"] in (3, 5)]
    ours, theirs = Figures(kept).pair("car", "streed", "TMDP", levels=["low"])
    assert ours == pytest.approx([0.103, 0.105])
    assert theirs == pytest.approx([0.412, 0.42])


def test_scenarios_count_alike() -> None:
    assert means([([0.1, 0.3], [0.2, 0.2]), ([0.6], [0.4])]) == "streed 40.00 %, TMDP 30.00 %"
