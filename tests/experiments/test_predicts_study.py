"""What the study of predictions concludes from made-up figures, and how it scores probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from experiments.methods import predict
from experiments.predict_data import MOST_ROWS, split_rows
from experiments.runs import Run
from experiments.settings import Settings
from experiments.studies import predicts


def run_of(name: str, split: int, **figures: float) -> Run:
    parameters = {"method": "predicts one fit", "series": name, "split": split, "problem": name, "repeat": 0}
    return Run(parameters, "done", figures={key.replace("_", " "): value for key, value in figures.items()})


def test_wins_are_counted_by_set_over_the_splits_that_both_have() -> None:
    runs = [
        run_of("a", 0, **{"auto accuracy": 0.9, "untuned accuracy": 0.8}),
        run_of("a", 1, **{"auto accuracy": 0.7, "untuned accuracy": 0.75}),
        run_of("a", 2, **{"auto accuracy": 0.1}),
        run_of("b", 0, **{"auto accuracy": 0.5, "untuned accuracy": 0.6}),
        run_of("c", 0, **{"auto accuracy": 0.5, "untuned accuracy": 0.5003}),
    ]
    table = predicts.comparisons(predicts.Scores(runs), ["a", "b", "c", "d"])
    (row,) = table.rows
    assert row[:8] == ["auto", "untuned", "accuracy", "3", "-0.0251", "1", "1", "1"]


def test_less_log_loss_is_better() -> None:
    runs = [run_of("a", 0, **{"auto log loss": 0.2, "auto, raw shares log loss": 0.5})]
    (row,) = predicts.comparisons(predicts.Scores(runs), ["a"]).rows
    assert row[:7] == ["auto", "auto, raw shares", "log loss", "1", "-0.3000", "1", "0"]


def test_critical_differences_are_those_of_the_literature() -> None:
    assert predicts.nemenyi(4, 14) == pytest.approx(1.25, abs=0.005)  # Demsar's example
    assert predicts.nemenyi(2, 10) == pytest.approx(1.960 * np.sqrt(6 / 60), abs=0.001)


def test_splits_are_disjoint_and_fixed() -> None:
    train, test = split_rows(200, 1)
    assert (train.size, test.size) == (140, 60)
    assert not set(train.tolist()) & set(test.tolist())
    assert np.array_equal(split_rows(200, 1)[0], train)
    assert not np.array_equal(split_rows(200, 2)[0], train)
    assert split_rows(100_000, 0)[0].size == MOST_ROWS


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_scored_as_scikit_learn_does(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=60).astype(np.int32)
    found = rng.dirichlet(np.ones(n_classes), size=60)
    split = predict.Split(np.empty((0, 1)), y[:0], np.empty((60, 1)), y, n_classes, 1.0)
    scores = predict.of_probabilities(split, found, np.arange(n_classes, dtype=np.int32))
    assert scores["log loss"] == pytest.approx(log_loss(y, found))
    area = roc_auc_score(y, found[:, 1]) if n_classes == 2 else roc_auc_score(y, found, multi_class="ovr")
    assert scores["AUC"] == pytest.approx(area)


def test_families_make_figures_of_their_methods() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] > 0).astype(np.int32)
    for family, method in (("one fit", "CART as auto"), ("tuned", "CART pruned")):
        found = predict.run(X, y, {"algorithm": family, "split": 0, "time_limit": 5.0})["figures"]
        assert found[f"{method} accuracy"] > 0.8
        assert found[f"{method} leaves"] >= 2
        assert found[f"{method} questions"] >= 1


def test_jobs_take_one_split_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicts, "predict_sets", lambda data: ["a", "b"])
    jobs = predicts.jobs(Settings(tmp_path, tmp_path, "python", splits=2))
    assert [job.options["split"] for job in jobs] == sorted(job.options["split"] for job in jobs)
    assert len(jobs) == 2 * 2 * len(predicts.FAMILIES)
    assert len(predicts.jobs(Settings(tmp_path, tmp_path, "python"))) == 10 * 2 * len(predicts.FAMILIES)
