"""``streed fit --limit``: limits in words, read with the labels of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streed import limits as lim
from streed.cli import main
from streed.cli.limits import read_limits

Y = np.array(["ill", "well"])


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("recall(ill) >= 0.9", lim.recall("ill") >= 0.9),
        ("parity(equal_opportunity, by=sex) <= 0.02", lim.parity("equal_opportunity", by="sex") <= 0.02),
        ("rate(ill, of=well)<=0.1", lim.rate("ill", of="well") <= 0.1),
        ("nodes() <= 5", lim.nodes() <= 5),
        ("mean(ill=5, well=1) <= 2", lim.mean({"ill": 5.0, "well": 1.0}) <= 2),
        ("share(ill) < 0.5", lim.share("ill").below(0.5)),
    ],
)
def test_limits_in_words(text: str, limit: lim.Limit) -> None:
    read = read_limits([text], Y)
    assert read is not None
    assert read[0].quantity == limit.quantity
    assert (read[0].least, read[0].most, read[0].strict) == (limit.least, limit.most, limit.strict)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recall(ill)", "expected something like"),
        ("recal(ill) >= 0.9", "recall"),
        ("recall() >= 0.9", "does not take"),
        ("recall(ill) >= much", "is no number"),
        ("recall(ill) >= 2", "from 0 to 1"),
    ],
)
def test_words_that_are_no_limit(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_limits([text], Y)


def test_a_fit_keeps_its_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 70, 80), rng.choice(["f", "m"], 80)
    ill = np.where((age > 45) ^ (rng.random(80) < 0.2), "ill", "well")
    table = tmp_path / "rows.csv"
    lines = [f"{a},{s},{i}" for a, s, i in zip(age, sex, ill, strict=True)]
    table.write_text("\n".join(["age,sex,state", *lines]))
    given = ["fit", str(table), "--target", "state", "--depth", "2", "--quiet"]
    assert main([*given, "--limit", "recall(ill) >= 0.9", "--limit", "parity(by=sex) <= 0.1"]) == 0
    out = capsys.readouterr().out
    assert "recall('ill') >= Decimal('0.9'): 0.9" in out or "recall('ill') >= Decimal('0.9'): 1" in out
    assert main([*given, "--limit", "recall(sick) >= 0.9"]) != 0
