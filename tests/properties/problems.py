"""Random problems for Hypothesis, made awkward on purpose and kept small enough for the naive twin.

Up to 16 rows are drawn bit by bit, so that a failure shrinks to few rows; more rows (also more than 64 and
more than 512, the widths of words and vector registers) come from a seeded generator, with many equal rows
among them. Columns may be constant, copies or complements of others; weights may be integers of any size or
tenths, which have no exact double. Hypothesis likes the first of several choices best, so ordinary values
come first and trivial ones (no feature, depth 0, one class) last.
"""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from tests.properties.naive import Problem

EXAMPLES: int = settings().max_examples
SIZES = st.one_of(st.integers(1, 16), st.integers(17, 40), st.integers(41, 140), st.integers(500, 1100))
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def drawn_rows(draw: st.DrawFn, n_rows: int, n_features: int, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels, each row drawn by itself."""
    row = st.tuples(st.integers(0, 2**n_features - 1), st.integers(0, n_labels - 1))
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    bits = [[bits >> f & 1 for f in range(n_features)] for bits, _ in rows]
    return np.array(bits, np.uint8).reshape(n_rows, n_features), np.array([y for _, y in rows], np.int32)


@st.composite
def seeded_rows(
    draw: st.DrawFn, n_rows: int, n_features: int, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Copies of a few different rows, labelled by a random function of three features with noise."""
    rng = np.random.default_rng(draw(SEEDS))
    n_different = draw(st.integers(2, 60))
    if draw(st.booleans()):
        different = categories_and_thresholds(rng, n_different, n_features)
    else:
        different = rng.random((n_different, n_features)) < draw(st.sampled_from([0.5, 0.1, 0.9]))
    X = different[rng.integers(n_different, size=n_rows)].astype(np.uint8)
    code = X[:, :3] @ (2 ** np.arange(min(3, n_features)))
    y = rng.integers(n_labels, size=8)[code]
    noisy = rng.random(n_rows) < draw(st.sampled_from([0.05, 0.3, 1.0]))
    return X, np.where(noisy, rng.integers(n_labels, size=n_rows), y).astype(np.int32)


def categories_and_thresholds(rng: np.random.Generator, n_rows: int, n_features: int) -> np.ndarray:
    """One category one-hot and one number cut at thresholds: most columns are constant below a split."""
    n_categories = n_features // 2
    category = rng.integers(max(1, n_categories), size=n_rows)
    number = rng.integers(n_features - n_categories + 1, size=n_rows)
    one_hot = category[:, None] == np.arange(n_categories)
    return np.concatenate([one_hot, number[:, None] <= np.arange(n_features - n_categories)], axis=1)


@st.composite
def awkward_columns(draw: st.DrawFn, bits: np.ndarray) -> np.ndarray:
    """Append constants, copies and complements, and shuffle the columns."""
    n_rows, n_features = bits.shape
    columns = list(bits.T)
    for kind in draw(st.lists(st.sampled_from(["zeros", "ones", "copy", "complement"]), max_size=5)):
        if kind in ("zeros", "ones"):
            columns.append(np.full(n_rows, kind == "ones", dtype=np.uint8))
        elif n_features:
            source = columns[draw(st.integers(0, n_features - 1))]
            columns.append(source if kind == "copy" else 1 - source)
    order = draw(st.permutations(range(len(columns))))
    return np.ascontiguousarray(
        np.array([columns[i] for i in order]).reshape(len(columns), n_rows).T, np.uint8
    )


@st.composite
def weights(draw: st.DrawFn, y: np.ndarray, n_labels: int) -> np.ndarray:
    """Ones, small or large integers, tenths, or one weight per class."""
    kind = draw(st.sampled_from(["ones", "integers", "large", "tenths", "per class", "per class tenths"]))
    if kind == "ones":
        return np.ones(len(y))
    if kind.startswith("per class"):
        per_class = draw(st.lists(st.integers(1, 50), min_size=n_labels, max_size=n_labels))
        w: np.ndarray = np.array(per_class, dtype=float)[y]
    else:
        w = np.random.default_rng(draw(SEEDS)).integers(1, 10, size=len(y)).astype(float)
    if kind == "large":
        w = w * draw(st.sampled_from([100.0, 10_007.0, 1e6 + 3, 1e9 + 7]))
    elif kind.endswith("tenths"):
        w = w / 10
    return w


@st.composite
def branch_costs(draw: st.DrawFn, w: np.ndarray) -> float:
    """Nothing, a multiple of half the least weight (ties are likely), or a share of the total weight."""
    kind = draw(st.sampled_from(["none", "halves", "share", "none"]))
    if kind == "none":
        return 0.0
    if kind == "halves":
        return draw(st.integers(1, 6)) * float(w.min()) / 2
    return draw(st.sampled_from([0.001, 0.01, 0.05])) * float(w.sum())


@st.composite
def problems(
    draw: st.DrawFn,
    sizes: st.SearchStrategy[int] = SIZES,
    max_features: int = 9,
    max_depth: int = 5,
    max_labels: int = 6,
) -> Problem:
    """A whole problem: data and options."""
    n_rows, n_labels = draw(sizes), draw(ordinary_first(2, max_labels, 1))
    n_features = draw(ordinary_first(min(4, max_features), max_features, 0))
    X, y = draw((drawn_rows if n_rows <= 16 else seeded_rows)(n_rows, n_features, n_labels))
    w = draw(weights(y, n_labels))
    depth = draw(ordinary_first(min(3, max_depth), max_depth, 0))
    full = 2**depth - 1
    return Problem(
        X=draw(awkward_columns(X)),
        y=y,
        w=w,
        n_labels=n_labels,
        max_depth=depth,
        max_nodes=draw(st.one_of(st.just(full), st.integers(min(2, full), full))),
        min_samples_leaf=draw(
            st.one_of(st.just(1), st.integers(1, min(3, n_rows)), st.integers(1, 1 + n_rows // 4))
        ),
        branch_cost=draw(branch_costs(w)),
    )


def ordinary_first(ordinary: int, most: int, least: int) -> st.SearchStrategy[int]:
    """Any number from `least` to `most`, preferably from `ordinary` on."""
    preferred = list(range(ordinary, most + 1))
    return st.sampled_from(preferred * 2 + list(reversed(range(least, ordinary))))
