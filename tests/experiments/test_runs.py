"""Runs are kept, repeated, skipped and reported; a crash is an answer."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.methods import METHODS, Method
from experiments.progress import Progress
from experiments.runs import Crew, Job, Kept, Run, chosen, clock_seconds, perform
from experiments.settings import Settings

QUIET = Progress("test", shown=False)


def arrays() -> dict[str, np.ndarray]:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, dtype=np.uint8)
    return {"X": X, "y": (X[:, 0] ^ X[:, 1]).astype(np.int32)}


def job(method: str = "streed", **more: object) -> Job:
    options = {"task": "accuracy", "max_depth": 2, "time_limit": 20.0, **more}
    return Job(method, "small", options, arrays)


def settings_in(folder: Path, **more: object) -> Settings:
    return Settings(data=folder, out=folder, peer_python=sys.executable, **more)  # type: ignore[arg-type]


def test_a_run_is_scored_and_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    (run,) = perform([job()], kept, settings_in(tmp_path), QUIET)
    assert (run.status, run.value, run.objective, run.proven) == ("done", 0.0, 0.0, True)
    assert run.seconds is not None
    assert 0 < run.seconds < 5
    assert (tmp_path / "arrays" / "small.npz").is_file()
    again = Kept(tmp_path / "runs.jsonl")
    assert again.find(job()) == run
    assert again.find(job(max_depth=1)) is None


def test_finished_runs_are_not_run_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    perform([job()], kept, settings_in(tmp_path), QUIET)
    first = kept.runs[job().key]
    runs = perform([job(), job(max_depth=1)], kept, settings_in(tmp_path, jobs=2), QUIET)
    assert runs[0] is first
    assert runs[1].value == 6
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 2


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    kept.add(job(), Run(job().parameters, "done", value=1.0))
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write('{"key": "abc", "sta')
    again = Kept(tmp_path / "runs.jsonl")
    assert list(again.runs) == [job().key]
    again.add(job(max_depth=1), Run(job(max_depth=1).parameters, "done"))
    assert len(Kept(tmp_path / "runs.jsonl").runs) == 2
    assert Kept(tmp_path / "runs.jsonl", fresh=True).runs == {}


def test_missing_packages_are_tried_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    kept.add(job(), Run(job().parameters, "missing", message="No module named 'x'"))
    assert kept.find(job()) is None
    assert len(kept.of([job()])) == 1


@pytest.fixture
def bad_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods that go wrong, which the forked processes find through sitecustomize."""
    bodies = {
        "crash": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "raise": "raise RuntimeError('no such luck')",
        "absent": "import a_package_that_nobody_has",
        "hang": (
            "from benchmarks.clock import measure\n"
            "    def endless():\n"
            "        while True: pass\n"
            "    measure(endless, options['time_limit'])"
        ),
        "hungry": "import numpy; numpy.ones(10**10)",
    }
    lines = ["from experiments.methods import METHODS, Method"]
    for name, body in bodies.items():
        (tmp_path / f"bad_{name}.py").write_text(
            f"DISTRIBUTION = 'numpy'\ndef run(X, y, options):\n    {body}\n"
        )
        lines.append(f"METHODS['{name}'] = Method('bad_{name}')")
        monkeypatch.setitem(METHODS, name, Method(f"bad_{name}"))
    (tmp_path / "usercustomize.py").write_text("")
    (tmp_path / "sitecustomize.py").write_text("\n".join(lines))
    root = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{root}")


@pytest.mark.usefixtures("bad_methods")
def test_what_goes_wrong_is_an_answer(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    wanted = [job("crash"), job("raise"), job("absent"), job("hang", time_limit=0.2), job("hungry"), job()]
    runs = perform(wanted, kept, settings_in(tmp_path, memory=8 * 2**30), QUIET)
    assert [run.status for run in runs] == ["failed", "failed", "missing", "time limit", "failed", "done"]
    assert "SIGSEGV" in runs[0].message
    assert runs[1].message == "RuntimeError: no such luck"
    assert "a_package_that_nobody_has" in runs[2].message
    assert runs[3].seconds == 0.2
    assert "memory" in runs[4].message


def test_repeats_are_made_only_of_runs_that_were_quick(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    slow, quick = job(max_depth=1), job()
    kept.add(slow, Run(slow.parameters, "done", seconds=100.0))
    wanted = [slow, quick, dataclasses.replace(slow, repeat=1), dataclasses.replace(quick, repeat=1)]
    runs = perform(wanted, kept, settings_in(tmp_path), QUIET)
    assert [run.parameters["repeat"] for run in runs] == [0, 0, 1]
    assert runs[2].parameters["max_depth"] == 2


def test_a_series_ends_after_three_time_outs(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "runs.jsonl")
    late = [dataclasses.replace(job(split=k), series="s") for k in range(5)]
    for one in late[:3]:
        kept.add(one, Run(one.parameters, "time limit", seconds=20.0))
    other = dataclasses.replace(job(split=9), series="t")
    runs = perform([*late, other], kept, settings_in(tmp_path), QUIET)
    assert [run.status for run in runs] == ["time limit"] * 3 + ["done"]


def test_an_error_of_our_own_is_raised(tmp_path: Path) -> None:
    def broken() -> dict[str, np.ndarray]:
        raise FileNotFoundError("no such set")

    bad = Job("streed", "broken", job().options, broken)
    with pytest.raises(FileNotFoundError, match="no such set"):
        Crew([bad], Kept(tmp_path / "runs.jsonl"), settings_in(tmp_path), QUIET).run()


def test_an_interrupted_study_goes_on(tmp_path: Path) -> None:
    def interrupted() -> dict[str, np.ndarray]:
        raise KeyboardInterrupt

    kept = Kept(tmp_path / "runs.jsonl")
    second = Job("streed", "second", job().options, interrupted)
    with pytest.raises(KeyboardInterrupt):
        perform([job(), second], kept, settings_in(tmp_path), QUIET)
    first = (tmp_path / "runs.jsonl").read_text()
    assert len(first.splitlines()) == 1
    again = Kept(tmp_path / "runs.jsonl")
    runs = perform([job(), dataclasses.replace(second, make=arrays)], again, settings_in(tmp_path), QUIET)
    assert len(runs) == 2
    assert (tmp_path / "runs.jsonl").read_text().startswith(first)


def test_keys_depend_on_all_parameters() -> None:
    others = [job("CART"), job(max_depth=3), job(time_limit=1.0), dataclasses.replace(job(), repeat=1)]
    assert len({job().key, *(one.key for one in others)}) == 5
    assert job().key == job().key


def test_methods_are_chosen_and_have_limits_of_their_own(tmp_path: Path) -> None:
    wanted = [job("streed"), job("CART"), job("costs TMDP", algorithm="TMDP")]
    assert chosen(wanted, settings_in(tmp_path)) == wanted
    some = chosen(wanted, settings_in(tmp_path, methods=("CART", "TMDP"), limits={"TMDP": 7.0}))
    assert [one.method for one in some] == ["CART", "costs TMDP"]
    assert [one.options["time_limit"] for one in some] == [20.0, 7.0]
    assert wanted[2].options["time_limit"] == 20.0


def test_status_of_answers() -> None:
    unproven = {"status": "done", "proven": False, "seconds": 1.0, "cpu_seconds": 0.9}
    assert Run.of(job(), unproven).status == "unproven"
    assert Run.of(job(), unproven | {"seconds": 19.9}).status == "time limit"
    assert Run.of(job(), unproven | {"proven": True}).seconds == 0.9
    assert json.dumps(dataclasses.asdict(Run.of(job(), {"status": "failed", "message": "x"})))


def test_short_calls_have_wall_time() -> None:
    assert clock_seconds(0.05, 0.0) == 0.05
    assert clock_seconds(3.0, 1.5) == 1.5
    assert clock_seconds(None, None) is None
