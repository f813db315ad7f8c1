"""Pickles and model files of version 0.1.0, from before the modules moved, load and predict the same."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import streed
from streed.estimators import Estimate
from streed.model import Model

STORED = Path(__file__).parents[1] / "stored"
EXPECTED = json.loads((STORED / "expected.json").read_text())


def table() -> pd.DataFrame:
    frame = pd.read_csv(STORED / "table.csv")
    return frame.assign(since=pd.to_datetime(frame["since"]))


@pytest.mark.filterwarnings("ignore::streed.InconsistentVersionWarning")
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_pickled_estimators_predict_as_they_did(name: str) -> None:
    model = pickle.loads((STORED / f"{name}.pkl").read_bytes())
    X = table()
    assert model.predict(X[["member"]].to_numpy() if name == "boolean" else X).tolist() == EXPECTED[name]
    assert model.tree_.to_text()
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is type(model)
    assert again.result_.objective == model.result_.objective


@pytest.mark.filterwarnings("ignore::streed.InconsistentVersionWarning")
def test_a_pickled_binarizer_transforms() -> None:
    binarizer = pickle.loads((STORED / "binarizer.pkl").read_bytes())
    features = np.asarray(binarizer.transform(table()))
    assert features.shape == (60, len(binarizer.get_feature_names_out()))


@pytest.mark.parametrize("name", ["optimal", "policy"])
def test_model_files_predict_as_they_did(name: str) -> None:
    assert Model.load(STORED / f"{name}.json").predict(table()).tolist() == EXPECTED[name]


def test_results_pickled_under_the_old_names_of_their_modules_load() -> None:
    value = Estimate(1.0, 0.5)
    stored = pickle.dumps(value, protocol=0)
    old = stored.replace(b"streed.estimators.policies.value", b"streed.estimators.policy_value")
    assert old != stored
    assert pickle.loads(old) == value


OF_0_2 = json.loads((STORED / "expected_0_2.json").read_text())


@pytest.mark.parametrize("name", sorted(OF_0_2))
def test_model_files_of_0_2_predict_as_they_did(name: str) -> None:
    """Files of format 1 with probabilities, numbers, survival curves and missing values."""
    model = Model.load(STORED / f"{name}.json")
    assert model.predict(table()).tolist() == OF_0_2[name]
    assert model.record == {}
    assert model.missing_at_predict == "warn"
    assert model.to_dict()["version"] == 2
    assert Model.from_dict(json.loads(json.dumps(model.to_dict()))).predict(table()).tolist() == OF_0_2[name]


def test_the_old_name_of_a_class() -> None:
    """A limited task was called Threshold, in a module of that name."""
    limited = streed.tasks.Accuracy([0, 1, 1]).at_most(2)
    stored = pickle.dumps(limited, protocol=0).replace(
        b"streed.tasks.limited_task\nLimitedTask", b"streed.tasks.threshold\nThreshold"
    )
    assert b"LimitedTask" not in stored
    again = pickle.loads(stored)
    assert type(again) is streed.tasks.LimitedTask
    assert again.words() == limited.words()
    with pytest.warns(DeprecationWarning, match="is called streed.tasks.LimitedTask"):
        assert streed.tasks.Threshold is streed.tasks.LimitedTask
