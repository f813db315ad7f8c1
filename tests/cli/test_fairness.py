"""`streed fit` and `streed front` with groups: fair trees, and errors against fairness."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import streed
from streed.cli import main
from streed.fairness import CONSTRAINTS
from streed.model.model import Model


@pytest.fixture(name="people", scope="module")
def make_people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Applicants of two groups, of which one has fewer degrees."""
    rng = np.random.default_rng(7)
    group = rng.choice(["a", "b"], 200)
    table = pd.DataFrame({"degree": rng.random(200) < np.where(group == "a", 0.7, 0.3), "group": group})
    table["years"] = rng.integers(0, 20, 200)
    table["weight"] = rng.integers(1, 3, 200)
    table["hired"] = np.where((table["degree"] & (table["years"] > 4)) ^ (rng.random(200) < 0.1), "yes", "no")
    path = tmp_path_factory.mktemp("fair") / "people.csv"
    table.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_fair_tree(
    constraint: str, people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.json"
    options = ["--target", "hired", "--sensitive", "group", "--weights", "weight", "--depth", "2"]
    asked = ["--constraint", constraint, "--max-difference", "0.3", "--out", str(out)]
    assert main(["fit", people, *options, *asked]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"misclassified weight under {constraint.replace('_', ' ')}: ")
    for rate in CONSTRAINTS[constraint].rates:
        assert re.search(rf"^{rate.name.replace('_', ' ')}: a \d\.\d+, b \d\.\d+$", printed, re.MULTILINE)
    found = re.search(r"^difference (\S+), ratio (\S+)$", printed, re.MULTILINE)
    assert found is not None
    assert float(found[1]) <= 0.3
    table = pd.read_csv(people)
    model = streed.FairTreeClassifier(constraint, max_difference=0.3, max_depth=2)
    model.fit(
        table[["degree", "years"]],
        table["hired"],
        sensitive_features=table["group"],
        sample_weight=table["weight"],
    )
    assert Model.load(out).columns == ("degree", "years")
    assert Model.load(out).tree.to_text() == model.tree_.to_text()
    assert float(found[1]) == pytest.approx(model.difference_, rel=1e-3)


def test_a_ratio_and_no_groups(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    fit = ["fit", people, "--target", "hired", "--drop", "weight"]
    assert main([*fit, "--sensitive", "group", "--min-ratio", "0.8", "--depth", "2"]) == 0
    found = re.search(r"ratio (\S+)$", capsys.readouterr().out, re.MULTILINE)
    assert found is not None
    assert float(found[1]) >= 0.8
    assert main([*fit, "--max-difference", "0.1"]) == 1
    assert "--max-difference needs groups: name their column by --sensitive" in capsys.readouterr().err
    assert main([*fit, "--sensitive", "group", "--max-difference", "2"]) == 1
    assert "max_difference must be a number from 0 to 1, got 2" in capsys.readouterr().err
    assert main([*fit, "--sensitive", "group", "--objective", "f1", "--max-difference", "0.2"]) == 0
    out = capsys.readouterr().out
    assert "f1: " in out or "F1" in out


def test_no_fair_tree(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    fit = ["fit", people, "--target", "hired", "--sensitive", "group", "--depth", "0", "--drop", "weight"]
    assert main([*fit, "--constraint", "accuracy_parity", "--max-difference", "0"]) == 3
    assert "infeasible: no tree within the limits" in capsys.readouterr().err


def test_errors_against_fairness(people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, out = tmp_path / "front.html", tmp_path / "model.json"
    front = ["front", people, "--target", "hired", "--sensitive", "group", "--drop", "weight", "--depth", "2"]
    assert main([*front, "--html", str(page), "--pick", "2", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    head, *lines = printed.partition("\n\n")[0].splitlines()
    names = ["errors", "difference (demographic parity)", "nodes", "depth"]
    assert re.split(r"  +", head.strip()) == names
    points = [tuple(map(float, line.split()[1:3])) for line in lines]
    assert points == sorted(points)
    assert [p[1] for p in points] == sorted((p[1] for p in points), reverse=True)
    model = Model.load(out)
    assert model.proof["objective"] == pytest.approx(points[1], rel=1e-5)
    assert model.summary().startswith(f"{names[0]}, {names[1]}: ({points[1][0]:g}, ")
    assert model.tree.to_text() in printed
    assert "years" in page.read_text(encoding="utf-8")


def test_a_front_needs_one_of_two(people: str, capsys: pytest.CaptureFixture[str]) -> None:
    front = ["front", people, "--target", "hired"]
    for more in ([], ["--sensitive", "group", "--objectives", "accuracy,balanced_accuracy"]):
        assert main([*front, *more]) == 1
        assert "either --objectives NAMES, or groups: --sensitive COLUMN" in capsys.readouterr().err
    assert main([*front, "--objectives", "accuracy,f1"]) == 2
    assert "unknown objective 'f1' (choose from accuracy, balanced_accuracy)" in capsys.readouterr().err
