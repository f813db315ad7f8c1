"""Tables, plots, comparisons, the page, and a whole study on made-up data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments import paper
from experiments.__main__ import main
from experiments.findings import Findings, Plot, compare_values, solved_times, speed_sentence
from experiments.plots import draw, staircase
from experiments.report import save
from experiments.runs import Run
from experiments.settings import Settings
from experiments.significance import p_value, verdict
from experiments.studies.accuracy import average_ranks
from experiments.tables import Table, reasons, seconds_cell, value_cell


def run(method: str, status: str = "done", repeat: int = 0, **more: object) -> Run:
    parameters = {"method": method, "problem": "p", "task": "accuracy", "max_depth": 3, "repeat": repeat}
    proven = status == "done"
    return Run(parameters, status, **{"seconds": 1.0, "proven": proven, **more})  # type: ignore[arg-type]


def test_table_in_all_forms() -> None:
    table = Table("t", "A title", ["set", "ours", "STreeD paper"], notes=["a note"])
    table.add("x<y", 1.5, None)
    with pytest.raises(ValueError, match="expected 3 cells"):
        table.add("too", "few")
    assert table.to_csv() == "set,ours,STreeD paper\nx<y,1.5,\n"
    assert "x<y   1.5" in table.to_text()
    assert table.to_markdown().splitlines()[2:5] == [
        "| set | ours | STreeD paper |",
        "| --- | --: | --: |",
        "| x<y | 1.5 |  |",
    ]
    shown = table.to_html()
    assert "x&lt;y" in shown
    assert "<td class=paper></td>" in shown
    assert Table(**table.to_dict()) == table


def test_cells() -> None:
    assert seconds_cell([]) == "-"
    assert seconds_cell([run("a", seconds=1.0), run("a", seconds=2.0)]) == "1.500"
    assert seconds_cell([run("a", "time limit", seconds=600.0)]) == ">600"
    assert seconds_cell([run("a", "failed")]) == "-"
    assert value_cell([run("a", value=3.0)]) == "3"
    assert value_cell([run("a", "unproven", value=3.0)]) == "(3)"
    assert value_cell([run("a", "failed")]) == "-"
    assert reasons([run("a", "missing", message="No module"), run("b")]) == [
        '"-": a missing (1 runs): No module'
    ]


def test_a_better_peer_is_an_alarm_and_a_worse_one_is_named() -> None:
    ours = run("streed", value=5.0, objective=5.0)
    _, alarms = compare_values([ours, run("peer", value=4.0)])
    assert len(alarms) == 1
    sentences, alarms = compare_values(
        [ours, run("peer", value=6.0), run("heuristic", "unproven", value=9.0)]
    )
    assert not alarms
    assert "peer calls 6 optimal" in sentences[1]
    assert len(sentences) == 2
    sentences, _ = compare_values([ours, run("peer", value=5.0)])
    assert sentences == ["1 optima of others equal streed's."]
    _, alarms = compare_values([run("streed", value=5.0, objective=4.0)])
    assert "claims 4" in alarms[0]


def test_speed_and_curves() -> None:
    runs = [run("streed", seconds=1.0), run("peer", seconds=8.0), run("late", "time limit", seconds=600.0)]
    (sentence,) = speed_sentence(runs, "peer")
    assert sentence.startswith(
        "peer takes 8 times streed's time (geometric mean of the 1 instances that both solved;"
    )
    assert speed_sentence(runs, "late") == []
    assert solved_times(runs, ["streed", "late", "other"]) == {"streed": [1.0], "late": [None]}
    assert staircase([0.2, None, 0.1, 0.4]) == ([0.1, 0.2, 0.4], [0.25, 0.5, 0.75])


def test_ranks_by_hand() -> None:
    runs = [
        run("streed", seconds=1.0),
        run("pystreed", seconds=2.0),
        run("DL8.5", "time limit", seconds=600.0),
        run("GOSDT", "time limit", seconds=600.0),
    ]
    assert average_ranks(runs) == {"streed": "1.00", "pystreed": "2.00", "DL8.5": "3.50", "GOSDT": "3.50"}


def test_significance_by_hand() -> None:
    base = np.linspace(0.1, 0.2, 12)
    assert p_value(base, base) == 1.0
    assert p_value(base, base + 0.01) == pytest.approx(2 / 2**12)  # all twelve signs agree
    assert verdict(base, base + 0.01) == -1
    assert verdict(base + 0.01, base) == 1
    assert verdict(base, base + np.array([0.01, -0.01] * 6)) == 0


def test_page_is_self_contained(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    settings = Settings(data=tmp_path, out=tmp_path, peer_python="python")
    plot = Plot("times", "Times", {"streed": [0.1, 0.2, None], "none": [None]})
    assert "<svg" in (draw(plot) or "")
    table = Table("t", "Seconds", ["set", "streed", "STreeD paper"])
    table.add("anneal", "0.1", "<1")
    findings = Findings([table], [plot], ["A <sentence>."], ["an alarm"])
    save("accuracy", "A study", findings, [run("streed", version="1.0")], settings)
    page = (tmp_path / "report.html").read_text()
    assert "<svg" in page
    assert "A &lt;sentence&gt;." in page
    assert "an alarm" in page
    assert "src=" not in page
    assert 'href="http' not in page
    assert json.loads((tmp_path / "accuracy" / "findings.json").read_text())["versions"] == {"streed": "1.0"}
    assert (tmp_path / "accuracy" / "t.csv").read_text() == table.to_csv()


def test_paper_figures_are_complete() -> None:
    assert len(paper.ACCURACY) == 22
    assert len(paper.F1) == 25
    assert len(paper.DEMOGRAPHIC_PARITY) == len(paper.EQUAL_OPPORTUNITY) == 12
    assert len(paper.COSTS) == len(paper.COSTS_BY_LEVEL) == 15
    means = [float(row["STreeD"]) for name, row in paper.COSTS.items() if row["TMDP"] != "-"]
    theirs = [float(row["TMDP"]) for row in paper.COSTS.values() if row["TMDP"] != "-"]
    assert np.mean(means) < np.mean(theirs)
    for name, row in paper.COSTS.items():  # the two tables of the paper agree
        levels = [paper.COSTS_BY_LEVEL[name][f"STreeD/{level}"] for level in ("low", "middle", "high")]
        assert np.mean([float(one) for one in levels]) == pytest.approx(float(row["STreeD"]), abs=0.15)


def test_a_study_from_end_to_end_and_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "data" / "classification"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (60, 7))
    np.savetxt(folder / "vote.csv", table, fmt="%d")
    command = [
        "f1",
        "--quick",
        "--data",
        str(tmp_path / "data"),
        "--out",
        str(tmp_path / "out"),
        "--jobs",
        "1",
    ]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "Processor seconds for the best F1 score" in shown
    assert "vote" in shown
    lines = (tmp_path / "out" / "f1" / "runs.jsonl").read_text().splitlines()
    assert {json.loads(line)["status"] for line in lines} <= {"done", "unproven", "missing"}
    assert main([*command, "--report-only"]) == 0
    assert (tmp_path / "out" / "report.html").is_file()
    again = (tmp_path / "out" / "f1" / "runs.jsonl").read_text().splitlines()
    assert again == lines
