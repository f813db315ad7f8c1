"""Tables, plots, comparisons, the page, and a whole study on made-up data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments import paper
from experiments.__main__ import main
from experiments.findings import (
    Findings,
    Plot,
    compare_values,
    made_sentence,
    printed_sentence,
    solved_times,
    speed_sentence,
)
from experiments.pages import write_pages
from experiments.plots import draw, staircase, thinned
from experiments.report import save
from experiments.runs import Job, Run
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


def test_a_curve_ends_at_the_limit_of_its_method(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = pytest.importorskip("matplotlib.axes").Axes
    late = run("late", "time limit", seconds=7.0)
    runs = [run("streed", seconds=9.0), run("quick", seconds=1.0), run("late", seconds=2.0), late]
    late.parameters["problem"] = "q"
    plot = Plot.of("times", "Times", runs, ["streed", "quick", "late"])
    assert plot.curves == {"streed": [9.0], "quick": [1.0], "late": [2.0, None]}
    ends: list[tuple[float, float]] = []
    step = axes.step

    def spy(self: object, x: list[float], y: list[float], **rest: object) -> object:
        ends.append((x[-1], y[-1]))
        return step(self, x, y, **rest)

    monkeypatch.setattr(axes, "step", spy)
    draw(plot)
    assert ends == [(9.0, 100.0), (9.0, 100.0), (7.0, 50.0)]


def test_a_long_curve_is_thinned_but_keeps_its_ends() -> None:
    pytest.importorskip("matplotlib")
    seconds: list[float | None] = [k / 1000 for k in range(1, 4001)]
    times, shares = map(thinned, staircase([*seconds, None]))
    assert len(times) == len(shares) == 200
    assert (times[0], times[-1], shares[-1]) == (0.001, 4.0, 4000 / 4001)
    assert all(share == pytest.approx(1000 * time / 4001) for time, share in zip(times, shares, strict=True))
    picture = draw(Plot("times", "Times", {"streed": seconds}))
    assert picture is not None
    assert "streed (4000 of 4000)" in picture
    assert len(picture) < 30_000


def test_a_limit_of_an_unknown_method_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["f1", "--limits", "nobody=3"])
    assert "no method 'nobody'" in capsys.readouterr().err


def test_comparison_with_printed_seconds() -> None:
    printed = {"p": {"STreeD/3": "8", "STreeD/4": "<1"}, "q": {"STreeD/3": "2"}}
    runs = [run("streed", seconds=2.0), run("streed", repeat=1, seconds=7.0), run("peer", seconds=5.0)]
    runs += [run("streed", seconds=0.125), run("streed", "time limit", seconds=600.0)]
    for one, problem in zip(runs, "pppqr", strict=True):
        one.parameters["problem"] = f"set/{problem}"
    (sentence,) = printed_sentence(runs, printed, "STreeD", 3)
    assert "takes 8 times streed's time here (geometric mean of 2 sets" in sentence  # 4 and 16
    assert printed_sentence(runs, printed, "STreeD", 4) == []
    assert printed_sentence(runs, printed, "MurTree", 3) == []


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


def test_the_share_that_was_run_is_told() -> None:
    jobs = [
        Job(method, problem, {"task": "accuracy", "time_limit": 1.0}, dict, repeat)
        for method in ("streed", "CART")
        for problem in "pq"
        for repeat in (0, 1)
    ]
    runs = [run("streed"), run("streed", repeat=1), run("CART", "missing")]
    assert made_sentence(jobs, runs) == "Runs made: streed 1 of 2, CART 0 of 2."


def test_pages_of_the_documentation(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    settings = Settings(data=tmp_path, out=tmp_path, peer_python="python", limits={"GOSDT": 5.0})
    table = Table("t", "Seconds", ["set", "streed"], notes=["first", "second"])
    table.add("anneal", "0.1")
    findings = Findings([table], [Plot("times", "Times", {"streed": [0.1]})], ["A sentence."], ["An alarm"])
    save("f1", "A study.", findings, [run("streed", version="1.0")], settings)
    (page,) = write_pages(tmp_path, tmp_path / "docs")
    text = page.read_text()
    assert page.name == "f1.md"
    assert text.startswith("# A study\n\n`python -m experiments f1`, 2")
    paragraph = " ".join(text.split("\n\n")[1].splitlines())
    assert paragraph.endswith("of some GOSDT 5; repeats 1; runs at a time 1; seed 0; streed 1.0.")
    assert max(map(len, text.splitlines())) <= 110
    assert "- **An alarm**\n- A sentence." in text
    assert "![share solved within a time: times](f1-times.svg)" in text
    assert "| anneal | 0.1 |\n\nfirst\n\nsecond" in text
    assert "<svg" in (page.parent / "f1-times.svg").read_text()


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
