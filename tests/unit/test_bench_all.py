"""The comparison of all studies with a run that was kept."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("benchmarks", reason="tests of an installed package")
from benchmarks.studies import STUDIES, everything, instructions


def test_every_study_has_a_quick_form() -> None:
    assert set(everything.QUICK) == set(STUDIES) - {"all"}


@pytest.mark.parametrize("name", everything.QUICK)
def test_studies_take_the_arguments_of_their_quick_form(name: str, tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    import_module(STUDIES[name]).add_arguments(parser)
    data = [] if name in everything.WITHOUT_DATA else ["--data", str(tmp_path)]
    options = parser.parse_args([*everything.QUICK[name], "--json", str(tmp_path / "out.json"), *data])
    assert options.json.name == "out.json"


def test_figures_are_read_from_problems_and_summaries(tmp_path: Path) -> None:
    runs = [{"cpu_seconds": 0.4, "seconds": 0.9}, {"cpu_seconds": None, "seconds": 0.3}]
    problem = {"set": "iris", "task": "accuracy", "max_depth": 2, "settings": {}}
    problem["measured"] = {"streed": {"value": 4.0, "runs": runs}}
    content = {"summary": {"a": {"seconds": [1.5, 2]}, "alarms": ["no number"]}, "problems": [problem]}
    path = tmp_path / "study.json"
    assert everything.read(path) == {}
    path.write_text(json.dumps(content))
    assert everything.read(path) == {
        "a, seconds, 0": 1.5,
        "a, seconds, 1": 2.0,
        "iris accuracy 2 {}, streed: value": 4.0,
        "iris accuracy 2 {}, streed: seconds": 0.3,
    }


@pytest.mark.parametrize(
    ("name", "before", "now", "noted"),
    [
        ("fit: instructions", 1000.0, 1009.0, False),
        ("fit: instructions", 1000.0, 985.0, True),
        ("iris: value", 4.0, 4.0, False),
        ("iris: value", 4.0, 5.0, True),
        ("iris: seconds", 1.0, 1.4, False),
        ("iris: seconds", 1.0, 1.6, True),
        ("iris: seconds", 1.0, 0.5, True),
        ("iris: seconds", 0.01, 0.04, False),
        ("new: seconds", 0.0, 0.0, False),
    ],
)
def test_differences_are_told_from_noise(name: str, before: float, now: float, noted: bool) -> None:
    assert bool(list(everything.changes({name: before}, {name: now, "unknown": 1.0}))) is noted


def test_counters_are_found_in_files_of_callgrind() -> None:
    found = instructions.TOTAL.search("version: 1\nsummary: 123\n\nfn=(1)\n")
    assert found is not None
    assert found.group(1) == "123"
