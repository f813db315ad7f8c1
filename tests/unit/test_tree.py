"""The flat tree: routing, views, storage, and what it refuses."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import Tree


def make(**changes: Any) -> Tree:
    """A tree that tests feature 2 and, on the right, feature 0; with some arguments changed."""
    arguments: dict[str, Any] = {
        "feature": [2, -1, 0, -1, -1],
        "left": [1, -1, 3, -1, -1],
        "right": [2, -1, 4, -1, -1],
        "label": [-1, 0, -1, 0, 1],
        "n_samples": [6, 3, 3, 1, 2],
        "class_weights": [[4, 2], [3, 0], [1, 2], [0.5, 0.25], [0, 2]],
        "classes": ["no", "yes"],
        "n_features": 3,
    }
    return Tree(**(arguments | changes))


ROWS = np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]])


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Random trees over four features and three classes."""
    nodes: list[list[int]] = []

    def grow(depth: int) -> int:
        number = len(nodes)
        nodes.append([-1, -1, -1, draw(st.integers(0, 2))])
        if depth and draw(st.booleans()):
            nodes[number] = [draw(st.integers(0, 3)), grow(depth - 1), grow(depth - 1), -1]
        return number

    grow(4)
    feature, left, right, label = zip(*nodes, strict=True)
    size = len(nodes)
    names = draw(st.sampled_from([None, "abcd"]))
    known: dict[str, Any] = {
        "n_samples": range(size),
        "class_weights": np.ones((size, 3)),
        "feature_names": names,
    }
    return Tree(feature, left, right, label, classes=[-1, 5, 7], n_features=4, **known)


def naive_path(tree: Tree, row: Any) -> list[int]:
    path = [0]
    while tree.feature[path[-1]] >= 0:
        children = tree.right if row[tree.feature[path[-1]]] else tree.left
        path.append(int(children[path[-1]]))
    return path


def test_shape() -> None:
    tree = make()
    assert (tree.node_count, tree.n_nodes, tree.n_leaves, tree.depth) == (5, 2, 3, 2)
    assert repr(tree) == "Tree(depth=2, n_nodes=2, n_leaves=3)"


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32])
def test_rows_find_their_leaves(dtype: Any) -> None:
    tree = make()
    X = ROWS.astype(dtype)
    assert tree.apply(X).tolist() == [1, 1, 3, 4]
    assert tree.predict(X).tolist() == ["no", "no", "no", "yes"]
    assert tree.predict_proba(X)[2].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert tree.decision_path(X).toarray().tolist() == [
        [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 1, 0], [1, 0, 1, 0, 1]]  # fmt: skip


def test_a_tree_that_is_a_leaf() -> None:
    leaf = Tree([-1], [-1], [-1], [0], n_samples=[2], class_weights=[[2.0]], classes=[7], n_features=0)
    assert (leaf.n_nodes, leaf.n_leaves, leaf.depth) == (0, 1, 0)
    assert leaf.predict(np.empty((3, 0))).tolist() == [7, 7, 7]
    assert leaf.decision_path(np.empty((2, 0))).toarray().tolist() == [[1], [1]]
    assert leaf.to_text() == "7  (2 rows, 100.0 %)"


@given(trees(), st.lists(st.lists(st.booleans(), min_size=4, max_size=4), max_size=6))
def test_routing_is_that_of_a_walk_down_the_tree(tree: Tree, rows: list[list[bool]]) -> None:
    X = np.array(rows, dtype=bool).reshape(len(rows), 4)
    paths = [naive_path(tree, row) for row in rows]
    assert tree.apply(X).tolist() == [path[-1] for path in paths]
    dense = np.zeros((len(rows), tree.node_count), dtype=int)
    for i, path in enumerate(paths):
        dense[i, path] = 1
    assert np.array_equal(tree.decision_path(X).toarray(), dense)


@given(trees())
def test_a_tree_survives_storage(tree: Tree) -> None:
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree


@pytest.mark.parametrize(
    "classes",
    [
        ["no", "yes"],
        [False, True],
        [-3, 10**15],
        [0.1, 0.30000000000000004],
        np.array(["a", 2], dtype=object),
    ],
)
def test_labels_keep_their_type(classes: Any) -> None:
    tree = make(classes=classes)
    copy_of_it = Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert copy_of_it.classes.dtype == tree.classes.dtype
    assert copy_of_it.classes.tolist() == tree.classes.tolist()


def test_labels_that_cannot_be_stored() -> None:
    with pytest.raises(TypeError, match="strings or numbers can be stored"):
        make(classes=np.array(["2020", "2021"], dtype="M8[Y]")).to_dict()


def test_equality() -> None:
    assert make() == make()
    assert make() != make(classes=["no", "maybe"])
    assert make() != make(feature_names=["a", "b", "c"])
    assert make() != make(feature=[1, -1, 0, -1, -1])
    assert make() != "a tree"


def test_text_uses_the_names() -> None:
    text = make(feature_names=["age <= 40", "b", "colour = red"]).to_text()
    assert text.splitlines() == [
        "colour = red?",
        "├─ no:  no  (3 rows, weighted 100.0 %)",
        "└─ yes: age <= 40?",
        "        ├─ no:  no  (1 row, weighted 66.7 %)",
        "        └─ yes: yes  (2 rows, weighted 100.0 %)",
    ]


def test_the_dictionary_reads_well() -> None:
    description = make(feature_names=["a", "b", "c"]).to_dict()
    assert (description["format"], description["version"]) == ("streed.tree", 1)
    known = {"n_samples": 6, "class_weights": [4.0, 2.0]}
    assert description["nodes"][0] == {"feature": 2, "condition": "c", "left": 1, "right": 2, **known}
    assert description["nodes"][4] == {"label": 1, "n_samples": 2, "class_weights": [0.0, 2.0]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feature": [2, -1, 0, -1]}, "arrays of one length"),
        ({"feature": [], "left": [], "right": [], "label": [], "n_samples": []}, "at least 1"),
        ({"feature": [3, -1, 0, -1, -1]}, "between 0 and 2"),
        ({"feature": [2, -1, -2, -1, -1]}, "between 0 and 2"),
        ({"label": [-1, 2, -1, 0, 1]}, "label of a leaf must lie between 0 and 1"),
        ({"label": [-1, -1, -1, 0, 1]}, "label of a leaf"),
        ({"left": [1, -1, 1, -1, -1]}, "child of exactly one node"),
        ({"left": [0, -1, 3, -1, -1]}, "child of exactly one node"),
        ({"right": [2, -1, 40, -1, -1]}, "child of exactly one node"),
        ({"left": [3, -1, 1, -1, -1]}, "exactly one node before it"),
        ({"class_weights": [[1, 2]]}, r"shape \(nodes, classes\) = \(5, 2\), got \(1, 2\)"),
        ({"classes": ["one"]}, "class_weights must have shape"),
        ({"feature_names": ["a"]}, "3 feature names are needed, got 1"),
    ],
)
def test_arrays_that_are_no_tree(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**changes)


def broken(path: list[Any], value: Any) -> Any:
    """The description of a tree with one entry replaced, or removed if the value is `...`."""
    description = json.loads(json.dumps(make().to_dict()))
    place = description
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return description


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "other", "format 'streed.tree'"),
        (["version"], 99, "reads version 1 of streed.tree, got 99"),
        (["nodes"], ..., "'nodes' must be of type list"),
        (["nodes"], [], "at least 1"),
        (["nodes", 0], 5, "node 0 must have either a feature or a label"),
        (["nodes", 1, "label"], ..., "node 1 must have either"),
        (["nodes", 1, "feature"], 1, "node 1 must have either"),
        (["nodes", 0, "left"], ..., "'left' of node 0 must be an integer >= 0, got None"),
        (["nodes", 0, "left"], 1.5, "'left' of node 0"),
        (["nodes", 0, "feature"], True, "'feature' of node 0"),
        (["nodes", 0, "feature"], 2**40, "'feature' of node 0"),
        (["nodes", 0, "feature"], -1, "'feature' of node 0"),
        (["nodes", 3, "n_samples"], ..., "'n_samples' of node 3"),
        (["nodes", 3, "class_weights"], ..., "class_weights"),
        (["nodes", 3, "class_weights"], [1], "class_weights"),
        (["nodes", 3, "class_weights"], [1, "x"], "class_weights"),
        (["nodes", 3, "class_weights"], [1, -1], "not negative"),
        (["classes"], "ab", "'classes' must be of type list"),
        (["classes"], [1, 2], "classes"),
        (["classes"], [None, {}], "cannot be read"),
        (["classes_dtype"], "M8[s]", "no type of labels"),
        (["classes_dtype"], "nonsense", "cannot be read"),
        (["classes_dtype"], "<U1", "do not fit the type"),
        (["n_features"], "3", "'n_features' must be of type int"),
        (["n_features"], 1, "between 0 and 0"),
        (["feature_names"], ["a", 2, "c"], "list of strings"),
        (["feature_names"], ["a"], "3 feature names are needed"),
    ],
)
def test_descriptions_that_are_refused(path: list[Any], value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tree.from_dict(broken(path, value))


@pytest.mark.parametrize("other", [None, [], "tree", {}])
def test_what_is_no_description(other: Any) -> None:
    with pytest.raises(ValueError, match="is a mapping with format"):
        Tree.from_dict(other)


def test_rows_of_the_wrong_width() -> None:
    with pytest.raises(ValueError, match="must have 3 features, got 2"):
        make().predict([[0, 1]])


def test_tests_and_frames_name_columns() -> None:
    X = pd.DataFrame({"age": [20, 30, 40, 50], "home": ["rent", "own", "own", "rent"]})
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X, ["a", "b", "c", "c"])
    tree = model.tree_
    assert [None if test is None else str(test) for test in tree.tests] == [
        tree.feature_name(f) if f >= 0 else None for f in tree.feature.tolist()
    ]
    frame = tree.to_frame()
    assert frame["rows"].tolist() == tree.n_samples.tolist()
    assert frame["column"].dropna().isin(X.columns).all()
    assert frame["label"].dropna().tolist() == [tree.classes[k] for k in tree.label.tolist() if k >= 0]
    for node, row in frame.iloc[1:].iterrows():
        assert frame.loc[row["parent"], row["side"]] == node
        assert frame.loc[row["parent"], "depth"] == row["depth"] - 1
    assert (frame[["weight of a", "weight of b", "weight of c"]].sum(axis=1) == frame["rows"]).all()


def test_frames_of_other_trees() -> None:
    y = np.array([1.0, 2, 3, 9])
    X = np.array([[0, 1], [0, 0], [1, 0], [1, 1]])
    numbers = streed.OptimalTreeRegressor(max_depth=1).fit(X, y).tree_.to_frame()
    assert numbers.loc[0, "mean"] == y.mean()
    two = streed.OptimalTreeRegressor(max_depth=1).fit(X, np.column_stack([y, -y])).tree_.to_frame()
    assert two.loc[0, ["mean 0", "mean 1"]].tolist() == [y.mean(), -y.mean()]
    bare = streed.solve(streed.tasks.Accuracy([0, 0, 1, 1]), X, max_depth=1).tree
    assert [None if t is None else str(t) for t in bare.tests] == ["x0", None, None]
    leaf = streed.solve(streed.tasks.Accuracy([0, 0]), [[0], [1]], max_depth=1).tree
    assert leaf.to_frame()["label"].tolist() == [0]
