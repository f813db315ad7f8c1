"""Reports and drift: their figures against a plain count, in a browser, and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import streed
from streed.cli import main
from streed.model import Model
from streed.report.figures import confusion, roc, wilson
from streed.report.report import Report
from streed.report.survival import kaplan_meier
from streed.survival import concordance_index, survival_target
from tests.views import browser
from tests.views.browser import Page

shared_page = pytest.fixture(scope="module", name="shared_page")(browser.pages)
RNG = np.random.default_rng(0)
N = 500
HOSTILE = '<script>alert(1)</script>|`_*"'
X = pd.DataFrame(
    {
        "income": RNG.normal(40, 12, N).round(1),
        "job": RNG.choice(["a", HOSTILE, "c"], N),
        "sex": RNG.choice(["f", "m"], N),
    }
)
Y = np.where(RNG.random(N) < 0.1 + 0.5 * (X.income < 32) + 0.3 * (X.job == HOSTILE), "default", "paid")
OLD, NEW = slice(0, 300), slice(300, N)
ESTIMATOR = streed.OptimalTreeClassifier("gini", max_depth=2).fit(X[OLD], Y[OLD])
REPORT = ESTIMATOR.report(
    X[NEW], Y[NEW], groups=X.sex[NEW], train=(X[OLD], Y[OLD]), resamples=4, purpose=f"Credit {HOSTILE}"
)
TABLES = {section.title: section.tables for section in REPORT.sections}


def test_figures_of_new_rows_are_those_of_scikit_learn() -> None:
    row = TABLES["Confusion and errors"][0].rows[0]
    shares = ESTIMATOR.predict_proba(X[NEW])
    right = (ESTIMATOR.predict(X[NEW]) == Y[NEW]).mean()
    assert row[2].startswith(f"{100 * right:.1f} %")
    assert float(row[3]) == pytest.approx(log_loss(Y[NEW], shares), abs=1e-4)
    brier = brier_score_loss(Y[NEW] == "paid", shares[:, 1])
    assert float(row[4]) == pytest.approx(2 * brier, abs=1e-4)
    area = roc_auc_score(Y[NEW] == "paid", shares[:, 1])
    calibration = next(section for section in REPORT.sections if section.title == "Calibration and ranking")
    assert f"{area:.4f}" in calibration.paragraphs[1]
    assert len(calibration.charts) == 2


def test_the_confusion_counts_every_row() -> None:
    table = TABLES["Confusion and errors"][1]
    counts = np.array([[int(cell) for cell in row[1:]] for row in table.rows])
    assert counts.sum() == N - 300
    assert counts.trace() == (ESTIMATOR.predict(X[NEW]) == Y[NEW]).sum()
    unknown = confusion(np.array(["a", "z"]), np.array(["a", "b"]), ["a", "b"])
    assert unknown.tolist() == [[1, 0], [0, 0], [0, 1]]


def test_rates_by_group() -> None:
    rows = {row[0]: row for row in TABLES["Rates by group"][0].rows}
    for group in "fm":
        own = (X.sex[NEW] == group).to_numpy()
        predicted = ESTIMATOR.predict(X[NEW])[own]
        assert rows[group][1] == str(own.sum())
        assert rows[group][2].startswith(f"{100 * (predicted == 'paid').mean():.1f} %")


def test_wilson_covers_and_roc_needs_both_classes() -> None:
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)
    assert wilson(0, 0) == (0.0, 1.0)
    points, area = roc(np.array([1.0, 2.0]), np.array([True, True]))
    assert points == []
    assert np.isnan(area)


def test_stability_and_sensitivity_have_the_tested_columns() -> None:
    tested = Model.from_estimator(ESTIMATOR).tested_columns
    assert [row[0] for row in TABLES["Sensitivity to each column"][0].rows] == tested
    again = {row[0]: row for row in TABLES["Stability"][0].rows}
    assert again["income"][1:3] == ["yes", "4 of 4"]


@pytest.mark.parametrize("kind", [lambda X: X, pl.from_pandas, lambda X: X.to_numpy()])
def test_tables_of_all_kinds(kind: Any) -> None:
    model = Model.from_estimator(ESTIMATOR, target="answer")
    said = model.report(kind(X[NEW]), Y[NEW].tolist()).to_markdown()
    assert said.startswith("# Report on the prediction of answer")
    assert "## Stability" not in said


def test_numbers() -> None:
    target = X.income.to_numpy() + RNG.normal(size=N)
    model = streed.OptimalTreeRegressor(max_depth=2).fit(X[OLD], target[OLD])
    report = model.report(X[NEW], target[NEW], groups=X.sex[NEW])
    errors = next(section for section in report.sections if section.title == "Errors").tables[0].rows[0]
    assert errors[2].startswith(f"{np.abs(model.predict(X[NEW]) - target[NEW]).mean():.5g}")
    assert float(errors[4]) == pytest.approx(model.score(X[NEW], target[NEW]), abs=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": Y[:3]}, "y must have one entry for each of 200 rows"),
        ({"groups": [1, 2]}, "groups must have one entry for each of 200 rows"),
        ({"train": X}, "train must be a pair"),
        ({"resamples": -1}, "resamples must be an integer >= 0"),
        ({"y": np.full(200, None)}, "missing|None"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    given = {"X": X[NEW], "y": Y[NEW], **change}
    with pytest.raises(ValueError, match=message):
        ESTIMATOR.report(**given)


def tables_of(report: Report) -> dict[str, Any]:
    return {section.title: section.tables for section in report.sections}


TIMES = survival_target(RNG.random(N) < 0.7, RNG.exponential(np.where(X.income < 32, 1.0, 3.0)).round(2))
SURVIVAL = streed.SurvivalTree(max_depth=1, cuts="binned").fit(X[OLD], TIMES[OLD])


def test_survival() -> None:
    report = SURVIVAL.report(X[NEW], TIMES[NEW], groups=X.sex[NEW], train=(X[OLD], TIMES[OLD]), resamples=2)
    found = tables_of(report)
    new, old = found["Ranking and events"][0].rows
    index = concordance_index(TIMES[NEW]["event"], TIMES[NEW]["time"], SURVIVAL.predict(X[NEW]))
    assert new[1:3] == ["200", str(TIMES[NEW]["event"].sum())]
    assert new[4] == f"{index:.4f}"
    low, high = map(float, new[5].split(" to "))
    assert 0 <= low < index < high <= 1
    hazards = SURVIVAL.predict_cumulative_hazard_function(X[NEW])
    end = TIMES[OLD]["time"].max()
    expected = sum(
        float(hazard(min(time, end))) for hazard, time in zip(hazards, TIMES[NEW]["time"], strict=True)
    )
    assert float(new[3]) == pytest.approx(expected, abs=0.051)
    assert float(old[3]) == pytest.approx(int(old[2]), abs=0.051)  # the curves are those of these rows
    assert sum(int(row[1]) for row in found["Calibration"][0].rows) == 200
    assert [row[0] for row in found["Figures by group"][0].rows] == ["f", "m"]
    assert found["Stability"][0].rows[0][0] == "income"
    assert float(found["Sensitivity to each column"][0].rows[0][1]) < 0


def test_survival_of_a_leaf_by_kaplan_and_meier() -> None:
    raw = clone(SURVIVAL).set_params(smoothing=None).fit(X[OLD], TIMES[OLD])
    leaf = raw.apply(X[OLD])
    curves = raw.predict_survival_function(X[OLD])
    for row in (0, 1, 2):
        own = TIMES[OLD][leaf == leaf[row]]
        assert kaplan_meier(own, 1.0) == pytest.approx(curves[row](1.0))


REWARDS = pd.DataFrame({"none": RNG.normal(size=N), "drug": (40 - X.income) / 10 + RNG.normal(size=N)})


def test_policies() -> None:
    policy = streed.PolicyTree(max_depth=1).fit(X[OLD], rewards=REWARDS[OLD])
    report = policy.report(X[NEW], REWARDS[NEW], groups=X.sex[NEW], train=(X[OLD], REWARDS[OLD]), resamples=2)
    found = tables_of(report)
    shares, worth = found["Choices and their worth"]
    value = policy.value(X[NEW], rewards=REWARDS[NEW])
    prescribed = policy.predict(X[NEW])
    assert shares.rows[0][2].startswith(f"{100 * (prescribed == policy.treatments_[0]).mean():.1f} %")
    assert worth.rows[0][1].startswith(f"{value.value:.5g} ")
    assert worth.rows[0][2].startswith(
        f"{value.best_constant}: {value.constants[value.best_constant].value:.5g}"
    )
    assert worth.rows[0][3].startswith(f"{value.gain_over_constant.value:.5g} ")
    assert sum(int(row[1]) for row in found["Leaves"][0].rows) == 200
    assert len(found["Choices by group"][0].rows) == 2
    assert found["Stability"][0].rows[0][1] == "yes"
    swapped = policy.report(pl.from_pandas(X[NEW]), REWARDS[NEW][["drug", "none"]])
    assert tables_of(swapped)["Choices and their worth"][1].rows == worth.rows[:1]


def test_policies_without_rewards_and_costs_of_rows() -> None:
    policy = streed.PolicyTree(max_depth=1).fit(X[OLD], rewards=REWARDS[OLD])
    model = Model.from_dict(Model.from_estimator(policy).to_dict())
    said = model.report(X[NEW]).to_markdown()
    assert "No rewards of these rows are known." in said
    assert "share of rows that get what they got" in said
    costs = streed.CostSensitiveTreeClassifier(max_depth=1).fit(X[OLD], costs=-REWARDS[OLD])
    worth = tables_of(costs.report(X[NEW], -REWARDS[NEW]))["Choices and their worth"][1].rows[0]
    assert worth[1].startswith(f"{-costs.score(X[NEW], costs=-REWARDS[NEW]):.5g} ")
    assert worth[2].startswith(f"{REWARDS[NEW].mean().idxmax()}: ")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(200), "y must be the rewards of each row, one column for each of"),
        (np.zeros((200, 3)), r"y must have the shape \(200, 2\), got \(200, 3\)"),
        (REWARDS[NEW][["drug"]], r"y must have the columns \['none', 'drug'\], got \['drug'\]"),
        (np.full((200, 2), np.nan), "y must be finite"),
    ],
)
def test_bad_rewards(y: Any, message: str) -> None:
    policy = streed.PolicyTree(max_depth=1).fit(X[OLD], rewards=REWARDS[OLD])
    with pytest.raises(ValueError, match=message):
        policy.report(X[NEW], y)


def test_bad_times() -> None:
    with pytest.raises(TypeError, match="y must be events and times"):
        SURVIVAL.report(X[NEW], np.zeros(200))
    with pytest.raises(ValueError, match="y must have one entry for each of 200 rows"):
        SURVIVAL.report(X[NEW], TIMES)


def test_limits_have_their_price() -> None:
    table, y, recall = X[["income"]], Y, streed.limits.recall("default")
    free = streed.OptimalTreeClassifier(max_depth=1).fit(table[OLD], y[OLD])
    limited = streed.OptimalTreeClassifier(max_depth=1, constraints=[recall >= 0.9]).fit(table[OLD], y[OLD])
    cost = limited.result_.objective - free.result_.objective
    assert cost > 0
    report = limited.report(table[NEW], y[NEW], train=(table[OLD], y[OLD]), resamples=0)
    said = {section.title: section.paragraphs for section in report.sections}["What the limits cost"]
    assert said[0].endswith(f"is proven to have {free.result_.objective:g}: the limits cost {cost:g}.")
    other = limited.report(table[NEW], y[NEW], train=(table[NEW], y[NEW]), resamples=0)
    assert "Not counted: the rows of train are not those of the fit." in other.to_markdown()
    none = free.report(table[NEW], y[NEW], train=(table[OLD], y[OLD]), resamples=0)
    assert "What the limits cost" not in none.to_markdown()


def test_a_fair_tree_has_its_price() -> None:
    fair = streed.FairTreeClassifier(max_depth=1, max_difference=0.0)
    fair.fit(X[OLD], Y[OLD], sensitive_features=(X.income < 32)[OLD])
    free = streed.OptimalTreeClassifier(max_depth=1).fit(X[OLD], Y[OLD])
    said = fair.report(X[NEW], Y[NEW], train=(X[OLD], Y[OLD]), resamples=0).to_markdown()
    assert f"the limits cost {fair.result_.objective - free.result_.objective:g}." in said


@pytest.fixture
def page(shared_page: Page) -> Iterator[Page]:
    shared_page.errors()
    yield shared_page
    assert shared_page.errors() == []
    loaded = shared_page.js("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert loaded == []


def test_stability_of_fair_trees_is_counted_with_their_groups() -> None:
    groups = np.array(X.income < 32)
    fair = streed.FairTreeClassifier(max_depth=1, max_difference=0.5)
    fair.fit(X[OLD], Y[OLD], sensitive_features=groups[OLD])
    without = fair.report(X[NEW], Y[NEW], train=(X[OLD], Y[OLD]), resamples=2).to_markdown()
    assert "Not counted: the fit was given groups, give train=(X, y, sensitive\\_features)" in without
    report = fair.report(X[NEW], Y[NEW], train=(X[OLD], Y[OLD], groups[OLD]), resamples=3)
    (table,) = tables_of(report)["Stability"]
    assert table.rows
    assert all(row[2].endswith(" of 3") for row in table.rows)


def test_samples_whose_limits_no_tree_keeps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = np.array(X.sex)
    fair = streed.FairTreeClassifier(max_depth=1).fit(X[OLD], Y[OLD], sensitive_features=groups[OLD])

    fit = streed.FairTreeClassifier.fit

    def infeasible(model: Any, *given: Any, **named: Any) -> Any:
        if "sensitive_features" in named:
            raise streed.InfeasibleError("none")
        return fit(model, *given, **named)

    monkeypatch.setattr(streed.FairTreeClassifier, "fit", infeasible)
    report = fair.report(X[NEW], Y[NEW], train=(X[OLD], Y[OLD], groups[OLD]), resamples=2)
    assert "Of 2 further samples no tree keeps the limits" in report.to_markdown()


def test_the_page_in_a_browser(page: Page) -> None:
    page.open(REPORT.to_html())
    assert page.driver.title == page.one("h1").text == "Report on a tree"
    assert page.shown("h2") == [section.title for section in REPORT.sections]
    assert page.js("return document.scripts.length") == 0
    assert f"Intended use: Credit {HOSTILE}" in page.shown("p")
    assert len(page.all("svg")) == 2
    sizes = page.js(
        "return [...document.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().width)"
    )
    assert min(sizes) > 100
    assert len(page.all("table")) == sum(len(tables) for tables in TABLES.values())
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")


def test_markdown_reads_nothing_into_texts() -> None:
    said = REPORT.to_markdown()
    assert "<script>" not in said.replace("```text", "").split("## The tree")[0]
    rows = [line for line in said.splitlines() if line.startswith("| ")]
    tables = [table for tables in TABLES.values() for table in tables]
    assert len(rows) == sum(2 + len(table.rows) for table in tables)


def test_drift_is_a_plain_count() -> None:
    found = ESTIMATOR.drift(X[NEW])
    leaf = ESTIMATOR.apply(X[NEW])
    expected = np.array([ESTIMATOR.tree_.n_samples[node] for node in found.leaves]) / 300
    counts = np.array([(leaf == node).sum() for node in found.leaves])
    assert np.allclose(found.found, counts / 200)
    assert found.psi == pytest.approx(((counts / 200 - expected) * np.log(counts / 200 / expected)).sum())
    test = chisquare(counts, expected * 200)
    assert (found.chi_squared, found.p_value) == pytest.approx((test.statistic, test.pvalue))


def test_drift_of_the_training_rows_is_none_and_of_others_large() -> None:
    same = ESTIMATOR.drift(X[OLD])
    assert (same.psi, same.chi_squared, same.p_value) == (0.0, 0.0, 1.0)
    moved = ESTIMATOR.drift(X[NEW].assign(income=1.0))
    assert moved.psi > 0.25
    assert moved.p_value < 1e-6
    assert "PSI" in str(moved)
    leaf = streed.OptimalTreeClassifier(max_depth=0).fit(X, Y).drift(X)
    assert (leaf.psi, leaf.p_value) == (0.0, 1.0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Model.from_estimator(ESTIMATOR, target="answer").save(tmp_path / "model.json")
    X[NEW].assign(answer=Y[NEW]).to_csv(tmp_path / "new.csv", index=False)
    files = [str(tmp_path / "model.json"), str(tmp_path / "new.csv")]
    assert main(["report", *files, "--group", "sex"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Report on the prediction of answer")
    assert "## Rates by group" in out
    assert main(["report", *files, "--out", str(tmp_path / "r.html"), "--title", "A title"]) == 0
    assert "<h1>A title</h1>" in (tmp_path / "r.html").read_text()
    assert main(["report", *files, "--group", "nothing"]) == 1
    assert "there is no column 'nothing'" in capsys.readouterr().err


def test_the_command_with_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Model.from_estimator(SURVIVAL, target="days").save(tmp_path / "model.json")
    frame = X[NEW].assign(days=TIMES[NEW]["time"], died=TIMES[NEW]["event"].astype(int))
    frame.to_csv(tmp_path / "new.csv", index=False)
    files = [str(tmp_path / "model.json"), str(tmp_path / "new.csv")]
    assert main(["report", *files, "--event", "died"]) == 0
    index = concordance_index(TIMES[NEW]["event"], TIMES[NEW]["time"], SURVIVAL.predict(X[NEW]))
    assert f"| {index:.4f} |" in capsys.readouterr().out
    assert main(["report", *files]) == 1
    assert "the model needs --event" in capsys.readouterr().err
    policy = streed.PolicyTree(max_depth=1).fit(X[OLD], rewards=REWARDS[OLD])
    Model.from_estimator(policy).save(tmp_path / "model.json")
    assert main(["report", *files]) == 0
    assert "gets drug" in capsys.readouterr().out
    assert main(["report", *files, "--event", "died"]) == 1
    assert "is no survival tree and takes no --event" in capsys.readouterr().err
