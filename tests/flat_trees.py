"""Random trees as flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st


@st.composite
def trees(draw: st.DrawFn) -> tuple[Any, ...]:
    """Draw a tree by splitting one leaf after the other; gives the number of features and the arrays."""
    n_features = draw(st.integers(1, 6))
    feature, left, right = [-1], [-1], [-1]
    for _ in range(draw(st.integers(0, 40))):
        node = draw(st.sampled_from([node for node, tested in enumerate(feature) if tested < 0]))
        children = draw(st.permutations([len(feature), len(feature) + 1]))
        feature[node], (left[node], right[node]) = draw(st.integers(0, n_features - 1)), children
        for array in (feature, left, right):
            array += [-1, -1]
    return n_features, *(np.array(array, np.int32) for array in (feature, left, right))
