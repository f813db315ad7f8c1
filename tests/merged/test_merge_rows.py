"""Merged rows of all sources: the same as in memory, whatever the order, the blocks and the memory."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed.merged import distinct, sources
from streed.merged.distinct import DistinctRows, merge, pack, unpack

pd = pytest.importorskip("pandas")
pytest.importorskip("narwhals")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def table(n: int = 400, seed: int = 0) -> Any:
    """A frame with every kind of column."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 24, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    colour = rng.choice(np.array(["red", "blue", "green"], object), n)
    tall = rng.random(n) < 0.5
    ill = np.where((age > 20) ^ tall ^ (rng.random(n) < 0.2), "yes", "no")
    return pd.DataFrame(
        {
            "age": age,
            "colour": colour,
            "tall": tall,
            "day": pd.to_datetime("2024-03-01") + pd.to_timedelta(rng.integers(0, 4, n), "D"),
            "sex": rng.choice(np.array(["f", "m"], object), n),
            "weight": rng.integers(0, 3, n) / 2,
            "ill": ill.astype(object),
        }
    )


FRAME = table()
USED = ["age", "colour", "tall", "day"]


def as_counts(rows: Any, *names: str) -> dict[tuple[Any, ...], float]:
    """Different rows with their weights."""
    beside = [rows[name].tolist() for name in names]
    found: dict[tuple[Any, ...], float] = {}
    for features, weight, *values in zip(rows.features.tolist(), rows.sample_weight, *beside, strict=True):
        key = (tuple(features), *values)
        assert key not in found, "a row stands twice"
        found[key] = weight
    return found


def by_hand(binarizer: Any, frame: Any, *names: str) -> dict[tuple[Any, ...], float]:
    """The slow twin: rows counted one by one in a dictionary."""
    found: dict[tuple[Any, ...], float] = {}
    features = binarizer.transform(frame[USED]).astype(int).tolist()
    for row, values in zip(features, frame[list(names)].itertuples(index=False), strict=True):
        key = (tuple(row), *values)
        found[key] = found.get(key, 0.0) + 1
    return found


def in_all_forms(folder: Path) -> dict[str, Any]:
    """The frame as everything that is read."""
    half = len(FRAME) // 2
    parts = [FRAME[:half], FRAME[half:]]
    (folder / "parts").mkdir()
    for number, part in enumerate(parts):
        parquet.write_table(pyarrow.Table.from_pandas(part), folder / "parts" / f"{number}.parquet")
    forms: dict[str, Any] = {
        "frame": FRAME,
        "arrow": pyarrow.Table.from_pandas(FRAME),
        "list": parts,
        "function": lambda: iter(parts),
        "folder": folder / "parts",
        "pattern": str(folder / "parts" / "*.parquet"),
        "files": [folder / "parts" / "1.parquet", folder / "parts" / "0.parquet"],
        "other order": [parts[0], parts[1][FRAME.columns[::-1]]],
    }
    return forms


def test_all_sources_give_the_same_rows(tmp_path: Path) -> None:
    expected = None
    for form, source in in_all_forms(tmp_path).items():
        rows = streed.merge_rows(source, "ill", keep=["sex"], drop=["weight"])
        if expected is None:
            expected = by_hand(rows.binarizer, FRAME, "ill", "sex")
        assert as_counts(rows, "ill", "sex") == expected, form
        assert rows.n_rows == len(FRAME)
        assert rows.shape == (len(expected), 4)


def test_dask_frames() -> None:
    """Partition by partition, also where one is empty; a column that one partition lacks is an error."""
    frames = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    expected = by_hand(streed.Binarizer(missing="side").fit(FRAME[USED]), FRAME, "ill")
    whole = frames.from_pandas(FRAME, npartitions=3)
    for source in (whole, frames.concat([whole, frames.from_pandas(FRAME[:0], npartitions=1)])):
        rows = streed.merge_rows(source, "ill", drop=["sex", "weight"])
        assert as_counts(rows, "ill") == expected
        assert rows.n_rows == len(FRAME)

    def lose(part: Any) -> Any:
        return part.drop(columns="age") if 0 in part.index else part

    broken = whole.map_partitions(lose, meta=FRAME[:0])
    with pytest.raises(ValueError, match=r"partition 0|age"):
        streed.merge_rows(broken, "ill")


def test_lazy_frames_and_relations() -> None:
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    binarizer = streed.Binarizer(missing="side").fit(FRAME[USED])
    expected = by_hand(binarizer, FRAME, "ill")
    frame = polars.from_pandas(FRAME)
    relation = duckdb.connect().from_arrow(pyarrow.Table.from_pandas(FRAME))
    for source in (frame, frame.lazy(), relation):
        rows = streed.merge_rows(source, "ill", drop=["sex", "weight"])
        assert as_counts(rows, "ill") == expected


@pytest.mark.parametrize("block", [7, 100])
@pytest.mark.parametrize("memory_limit", [None, 2_000.0])
def test_blocks_and_memory_change_nothing(
    block: int, memory_limit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With little memory, rows go to files, also several times, and come back."""
    monkeypatch.setattr(sources, "BLOCK", block)
    monkeypatch.setattr(distinct, "LEAST", 20)
    seen: list[tuple[int, int]] = []
    rows = streed.merge_rows(
        FRAME, "ill", drop=["sex", "weight"], memory_limit=memory_limit, progress=lambda *at: seen.append(at)
    )
    assert as_counts(rows, "ill") == by_hand(rows.binarizer, FRAME, "ill")
    assert seen[-1][0] == len(FRAME)
    if memory_limit is not None:
        assert min(held for _, held in seen) == 0, "nothing went to a file"


def test_the_tree_is_that_of_all_rows() -> None:
    rows = streed.merge_rows(FRAME, "ill", drop=["sex", "weight"])
    merged = rows.fit_estimator(streed.OptimalTreeClassifier(max_depth=3))
    whole = streed.OptimalTreeClassifier(max_depth=3, binarizer=streed.Binarizer(missing="side"))
    whole.fit(FRAME[USED], FRAME["ill"])
    assert merged.result_.objective == whole.result_.objective
    assert (merged.predict(FRAME[USED]) == whole.predict(FRAME[USED])).all()
    assert (
        merged.predict(rows).tolist() == merged.tree_.classes[merged.tree_.label[merged.apply(rows)]].tolist()
    )
    assert merged.tree_.n_samples.tolist() == merged.decision_path(FRAME[USED]).sum(axis=0).tolist()[0]
    assert "different rows stand for 400" in merged.result_.note
    task = streed.tasks.Accuracy(rows.y, sample_weight=rows.sample_weight)
    assert streed.solve(task, rows, max_depth=3).objective == whole.result_.objective


def test_weights_and_groups() -> None:
    rows = streed.merge_rows(FRAME, "ill", keep=["sex"], sample_weight="weight")
    assert rows.sample_weight.sum() == FRAME["weight"].sum()
    kept = FRAME[FRAME["weight"] > 0]
    assert rows.counts.sum() == (FRAME["weight"] > 0).sum()
    fair = rows.fit_estimator(
        streed.FairTreeClassifier(max_depth=2, max_difference=0.1), sensitive_features="sex"
    )
    whole = streed.FairTreeClassifier(max_depth=2, max_difference=0.1, binarizer=rows.binarizer)
    whole.fit(kept[USED], kept["ill"], sensitive_features=kept["sex"], sample_weight=kept["weight"])
    assert fair.result_.objective == pytest.approx(whole.result_.objective)


def test_numbers_to_predict() -> None:
    frame = FRAME.assign(price=np.where(FRAME["tall"], 1.25, -3.5))[["age", "tall", "price"]]
    rows = streed.merge_rows(frame, "price")
    assert set(rows.y.tolist()) == {1.25, -3.5}
    model = rows.fit_estimator(streed.OptimalTreeRegressor(max_depth=1))
    assert model.result_.objective == pytest.approx(0)


def test_cuts_of_a_sample() -> None:
    """A sample chooses the cuts; it does not change what is counted."""
    frame = pd.DataFrame({"x": np.arange(5000.0), "y": np.arange(5000) % 2})
    few = streed.merge_rows(frame, "y", sample_rows=200)
    again = streed.merge_rows(frame, "y", sample_rows=200)
    everything = streed.merge_rows(frame, "y", sample_rows=5000)
    cuts = [c.value for c in few.binarizer.conditions_]
    assert cuts == [c.value for c in again.binarizer.conditions_]
    known = [c.value for c in everything.binarizer.conditions_]
    assert known == [c.value for c in streed.Binarizer(missing="side").fit(frame[["x"]]).conditions_]
    assert np.abs(np.array(cuts) - known).max() < 1000
    assert few.sample_weight.sum() == 5000


@given(seed=st.integers(0, 2**32 - 1), n_words=st.integers(1, 3), hashed=st.booleans())
@settings(max_examples=40, deadline=None)
def test_different_rows_are_counted(seed: int, n_words: int, hashed: bool) -> None:
    """Words that repeat, also such as a hash would confuse, against a dictionary."""
    rng = np.random.default_rng(seed)
    rows = DistinctRows(float("inf"))
    expected: dict[tuple[int, ...], Any] = {}
    original = distinct._hash
    try:
        if hashed:  # a hash that confuses everything
            distinct._hash = lambda words: words[:, 0] % np.uint64(2)
        for _ in range(int(rng.integers(1, 5))):
            words = rng.integers(0, 3, (int(rng.integers(1, 30)), n_words)).astype(np.uint64)
            counts = rng.integers(1, 4, (len(words), 2)).astype(np.float64)
            rows.add(words, counts)
            for row, count in zip(words.tolist(), counts, strict=True):
                expected[tuple(row)] = expected.get(tuple(row), np.zeros(2)) + count
        (found,) = rows.parts()
    finally:
        distinct._hash = original
    assert {tuple(row): counts.tolist() for row, counts in zip(found[0].tolist(), found[1], strict=True)} == {
        row: counts.tolist() for row, counts in expected.items()
    }


@given(seed=st.integers(0, 2**32 - 1), n_features=st.integers(0, 200))
@settings(max_examples=25, deadline=None)
def test_packed_rows_come_back(seed: int, n_features: int) -> None:
    features = np.random.default_rng(seed).random((5, n_features)) < 0.5
    assert (unpack(pack(features), n_features) == features).all()


def test_words_that_differ_keep_apart() -> None:
    words = np.array([[1, 0], [0, 1], [1, 0]], np.uint64)
    found, counts = merge(words, np.ones((3, 1)))
    assert sorted(zip(found.tolist(), counts[:, 0].tolist(), strict=True)) == [([0, 1], 1), ([1, 0], 2)]


def broken_file(folder: Path) -> Path:
    """A Parquet file that ends early."""
    path = folder / "cut.parquet"
    parquet.write_table(pyarrow.Table.from_pandas(FRAME), path)
    path.write_bytes(path.read_bytes()[:-200])
    return path


def other_columns(folder: Path) -> list[Path]:
    paths = [folder / "a.parquet", folder / "b.parquet"]
    for path, frame in zip(paths, (FRAME, FRAME.drop(columns="tall")), strict=True):
        parquet.write_table(pyarrow.Table.from_pandas(frame), path)
    return paths


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (broken_file, streed.StreedError, "cut.parquet cannot be read as a Parquet file"),
        (other_columns, ValueError, r"b.parquet has other columns than .*a.parquet: without 'tall'"),
        (lambda folder: folder / "none.parquet", FileNotFoundError, "no such file"),
        (lambda folder: folder, FileNotFoundError, r"no \*.parquet in the folder"),
        (lambda _: FRAME[:0], ValueError, "the source has no rows"),
        (lambda _: [], ValueError, "the source has no rows"),
        (lambda _: iter([FRAME]), ValueError, "an iterator can be read only once"),
        (lambda _: [FRAME, {"a": 1}], TypeError, "frame 1: expected a frame with named columns, got a dict"),
        (lambda _: FRAME.rename(columns={"ill": "sick"}), ValueError, "the frame has no column 'ill'"),
        (lambda _: FRAME[["ill"]], ValueError, "has no column beside 'ill'"),
        (lambda _: FRAME.assign(ill=None), ValueError, "'ill' must not have missing values"),
        (lambda _: 7, TypeError, "source must be a Parquet file"),
        (
            lambda _: [FRAME, FRAME.assign(ill=1)],
            TypeError,
            "frame 1: 'ill' holds numbers, but it held texts or objects before",
        ),
        (
            lambda _: [pyarrow.Table.from_pandas(f) for f in (FRAME, FRAME.assign(age="old"))],
            TypeError,
            "the parts of the source hold different types",
        ),
        (
            lambda _: [FRAME, FRAME.assign(age="old")],
            TypeError,
            "column 'age' mixes strings and numbers",
        ),
    ],
)
def test_bad_sources(make: Any, error: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=message):
        streed.merge_rows(make(tmp_path), "ill")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"keep": "sex"}, TypeError, "keep must be a list of names"),
        ({"sample_rows": 0}, ValueError, "sample_rows must be a whole number of at least 1"),
        ({"sample_weight": "age"}, ValueError, "'age' must not have missing values"),
        ({"sample_weight": "sex"}, TypeError, "the weights in 'sex' must be numbers"),
        ({"binarizer": 3}, TypeError, "binarizer must be a streed.Binarizer"),
    ],
)
def test_bad_options(options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        streed.merge_rows(FRAME, "ill", **options)


def test_what_merged_rows_cannot_do_is_refused() -> None:
    rows = streed.merge_rows(FRAME, "ill")
    for model, message in (
        (streed.OptimalTreeClassifier(min_samples_leaf=5), "min_samples_leaf must be 1"),
        (streed.OptimalTreeClassifier(cuts="exact"), "cuts='exact' needs the columns as they were"),
        (streed.OptimalTreeClassifier(binarizer=streed.Binarizer()), "no binarizer can be given"),
    ):
        with pytest.raises(ValueError, match=message):
            rows.fit_estimator(model)
    task = streed.tasks.Accuracy(rows.y)
    with pytest.raises(ValueError, match="min_samples_leaf must be 1"):
        streed.solve(task, rows, max_depth=2, min_samples_leaf=2)
    with pytest.raises(KeyError, match="'sex' was not kept"):
        rows["sex"]


def test_a_fitted_binarizer_reads_an_iterator() -> None:
    binarizer = streed.Binarizer(missing="side").fit(FRAME[USED])
    parts = itertools.chain([FRAME[:100]], [FRAME[100:]])
    rows = streed.merge_rows(parts, "ill", binarizer=binarizer, drop=["sex", "weight"])
    assert as_counts(rows, "ill") == by_hand(binarizer, FRAME, "ill")
