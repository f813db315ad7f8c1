"""The sections of a report, each from a model and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.report.charts import unit_chart
from streed.report.drift import drift
from streed.report.figures import confusion, group_rows, mean_text, roc, share_text, wilson
from streed.table.columns import is_frame
from streed.views.outputs import leaf_outputs
from streed.views.words.wording import label_text

if TYPE_CHECKING:
    from streed.model.model import Model

REPEATS = 5
"""How often each column is shuffled."""


@dataclass(frozen=True)
class Table:
    """A table: names of columns, and rows of texts."""

    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str
    paragraphs: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    text: str = ""
    """Lines that keep their form, as a tree has."""


@dataclass(frozen=True)
class Rows:
    """Rows with their targets, leaves and predictions."""

    X: Any
    y: Any
    """An array; of survival trees with the fields event and time, of choices a column per label, or None."""
    leaf: NDArray[np.int64]
    predicted: NDArray[Any]
    classes: bool
    """Whether targets are labels."""

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which labels are predicted right."""
        return np.asarray(self.predicted == self.y)


def details(model: Model) -> Section:
    """Say what the model is, who made it, and what is proven."""
    record = model.record
    made = record.get("made_by", {})
    lines = [*model.summary().splitlines()]
    if record.get("covers"):
        lines.append(str(record["covers"]))
    if isinstance(made, dict) and made.get("version"):
        seconds = record.get("seconds")
        took = f" in {seconds:.3g} s" if isinstance(seconds, int | float) else ""
        lines.append(f"{record.get('estimator')} of streed {made['version']}, {record.get('date')}{took}")
    given = record.get("parameters")
    given = given if isinstance(given, dict) and given else model.parameters
    rows = [[str(name), str(value)[:200]] for name, value in given.items() if value is not None]
    return Section("Model details", lines, [Table(["parameter", "value"], rows)])


def use_and_data(model: Model, new: Rows, old: Rows | None, purpose: str) -> Section:
    """Say what the model is for, and which data it was made of and is looked at with."""
    data = model.record.get("data", {})
    said = [f"Intended use: {purpose}" if purpose else "Intended use: not stated."]
    said.append(
        f"It predicts {model.target or 'the target'} from {', '.join(model.tested_columns) or 'no column'}."
    )
    said.append(f"Training data: {int(model.tree.n_samples[0])} rows, {len(model.columns)} columns.")
    if isinstance(data, dict) and isinstance(data.get("sha256"), dict):
        said += [f"SHA-256 of {name}: {found}" for name, found in data["sha256"].items()]
    said.append(f"Evaluation data: {new.leaf.size} rows that are said to be new.")
    if old is not None:
        said.append(f"The training rows are looked at again, too: {old.leaf.size} rows.")
    return Section("Intended use and data", said)


def tree_section(model: Model) -> Section:
    """Show the tree and its rules."""
    tree = model.readable_tree()
    return Section("The tree", [], [], [], f"{tree.to_text()}\n\n{tree.to_rules()}")


def figures(model: Model, new: Rows, old: Rows | None) -> Section:
    """Give errors on new rows, and on those of the fit if they are given."""
    sets = [("new rows", new), *([] if old is None else [("training rows", old)])]
    if not new.classes:
        head = ["rows", "number", "mean absolute error", "mean error (predicted - true)", "R2"]
        rows = [[name, str(each.y.size), *_errors_of_numbers(each)] for name, each in sets]
        return Section("Errors", ["Means with intervals of 95 %."], [Table(head, rows)])
    head = ["rows", "number", "right (95 % interval)", "log loss", "Brier score"]
    rows = [[name, str(each.y.size), share_text(each.right.sum(), each.y.size), *_losses(model, each)]
            for name, each in sets]  # fmt: skip
    tables = [Table(head, rows)]
    labels = model.tree.classes.tolist()
    for name, each in sets:
        counts = confusion(each.y, each.predicted, labels)
        truths = [*map(label_text, labels), "other labels"][: len(counts)]
        body = [[f"{true}", *map(str, row)] for true, row in zip(truths, counts.tolist(), strict=True)]
        tables.append(Table([f"{name}: true", *(f"predicted {label_text(each)}" for each in labels)], body))
    recalls = [
        [
            label_text(label),
            share_text(((new.y == label) & (new.predicted == label)).sum(), (new.y == label).sum()),
            share_text(((new.y == label) & (new.predicted == label)).sum(), (new.predicted == label).sum()),
        ]
        for label in labels
    ]
    tables.append(Table(["new rows: label", "recall", "precision"], recalls))
    return Section("Confusion and errors", ["Intervals are Wilson's, of 95 %."], tables)


def _errors_of_numbers(rows: Rows) -> list[str]:
    errors = rows.predicted.astype(np.float64) - rows.y.astype(np.float64)
    spread = float(((rows.y - rows.y.mean()) ** 2).sum())
    r2 = f"{1 - float((errors**2).sum()) / spread:.4f}" if spread > 0 else "not defined"
    return [mean_text(np.abs(errors)), mean_text(errors), r2]


def _shares(model: Model, rows: Rows) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = model.tree.probabilities()[rows.leaf]
    return shares


def _losses(model: Model, rows: Rows) -> list[str]:
    """Return log loss and Brier score; a label that the model does not know has the probability 0."""
    shares = _shares(model, rows)
    truth = rows.y[:, None] == model.tree.classes[None, :]
    of_true = (shares * truth).sum(axis=1)
    loss = "infinite" if (of_true <= 0).any() else f"{-np.log(of_true).mean():.4f}"
    brier = ((shares - truth) ** 2).sum(axis=1).mean()
    return [loss, f"{brier:.4f}"]


def calibration(model: Model, new: Rows) -> Iterator[Section]:
    """Compare probabilities with shares of new rows, leaf by leaf, and draw the ROC curve for two classes."""
    if not new.classes:
        yield _leaf_means(model, new)
        return
    labels = model.tree.classes.tolist()
    positive = labels[-1]
    scores = _shares(model, new)[:, len(labels) - 1]
    truth = np.asarray(new.y == positive)
    paths = leaf_outputs(model.readable_tree(), "path")
    rows, points, bars = [], [], []
    base = truth.mean()
    for node in sorted(set(new.leaf.tolist()), key=lambda n: -model.tree.probabilities()[n, -1]):
        own = new.leaf == node
        said = float(scores[own][0])
        n, hits = int(own.sum()), int(truth[own].sum())
        low, high = wilson(hits, n)
        lift = f"{hits / n / base:.2f}" if base > 0 else "not defined"
        rows.append([paths[node], str(n), f"{100 * said:.1f} %", share_text(hits, n), lift])
        points.append((said, hits / n))
        bars.append((said, low, high))
    name = label_text(positive)
    head = ["leaf", "new rows", f"probability of {name}", f"share of {name}", "lift"]
    curve, area = roc(scores, truth)
    charts = [unit_chart(points, f"probability of {name}", "share of new rows", line=False, bars=bars)]
    said_of = [f"Each point is a leaf, with the interval of 95 % of its share of {name} among new rows."]
    if curve:
        charts.append(unit_chart(curve, "false positive rate", "true positive rate"))
        said_of.append(f"Area under the ROC curve of {name}: {area:.4f}.")
    yield Section("Calibration and ranking", said_of, [Table(head, rows)], charts)


def _leaf_means(model: Model, new: Rows) -> Section:
    """Compare predictions of numbers with the means of new rows, leaf by leaf."""
    paths = leaf_outputs(model.readable_tree(), "path")
    rows = []
    for node in sorted(set(new.leaf.tolist())):
        own = new.leaf == node
        predicted = float(new.predicted[own].astype(np.float64).mean())
        rows.append(
            [paths[node], str(int(own.sum())), f"{predicted:.5g}", mean_text(new.y[own].astype(float))]
        )
    head = ["leaf", "new rows", "mean prediction", "mean of new rows (95 % interval)"]
    return Section("Calibration", [], [Table(head, rows)])


def by_group(model: Model, new: Rows, groups: NDArray[Any]) -> Section:
    """Give rates for each group."""
    if new.classes:
        positive = model.tree.classes.tolist()[-1]
        name = label_text(positive)
        head = [
            "group",
            "rows",
            f"predicted {name}",
            f"true {name} found",
            f"others taken for {name}",
            "right",
        ]
        rows = group_rows(new.y, new.predicted, groups, positive)
        return Section("Rates by group", ["Intervals are Wilson's, of 95 %."], [Table(head, rows)])
    rows = []
    for group in sorted(set(groups.tolist()), key=str):
        own = groups == group
        errors = new.predicted[own].astype(np.float64) - new.y[own].astype(np.float64)
        rows.append([str(group), str(int(own.sum())), mean_text(np.abs(errors)), mean_text(errors)])
    head = ["group", "rows", "mean absolute error", "mean error (predicted - true)"]
    return Section("Errors by group", [], [Table(head, rows)])


def drifted(model: Model, new: Rows) -> Section:
    """Say whether new rows end in the leaves as the training rows did."""
    found = drift(model, new.X)
    said = (
        f"Population stability index {found.psi:.4f} (small below 0.1, large above 0.25), chi-squared "
        f"{found.chi_squared:.4g}, p = {found.p_value:.3g}."
    )
    rows = [
        [path, f"{100 * expected:.1f} %", f"{100 * share:.1f} %", f"{part:.4f}"]
        for path, expected, share, part in zip(
            found.paths, found.expected, found.found, found.parts, strict=True
        )
    ]
    return Section("Drift of leaves", [said], [Table(["leaf", "training rows", "new rows", "PSI"], rows)])


@dataclass(frozen=True)
class Measure:
    """A figure of predictions: its name, how a change of it is written, and the function of both."""

    name: str
    written: str
    of: Callable[[NDArray[Any], Rows], float]


def sensitivity(model: Model, new: Rows, measure: Measure | None = None) -> Section:
    """Shuffle one column of the new rows at a time, and say how much worse predictions become."""
    if measure is None:
        measure = (
            Measure("share of right labels", "{:+.2f} points", lambda *given: 100 * _score(*given))
            if new.classes
            else Measure("mean absolute error", "{:+.4g}", _score)
        )
    rng = np.random.default_rng(0)
    before = measure.of(new.predicted, new)
    rows = []
    for name in model.tested_columns:
        changes = [
            measure.of(model.predict(_shuffled(model, new.X, name, rng)), new) - before
            for _ in range(REPEATS)
        ]
        rows.append([name, measure.written.format(float(np.mean(changes)))])
    said = f"Change of the {measure.name} when a column of the new rows is shuffled, mean of {REPEATS} times."
    return Section("Sensitivity to each column", [said], [Table(["column", "change"], rows)])


def _score(predicted: NDArray[Any], rows: Rows) -> float:
    if rows.classes:
        return float((predicted == rows.y).mean())
    return float(np.abs(predicted.astype(np.float64) - rows.y.astype(np.float64)).mean())


def _shuffled(model: Model, X: Any, name: str, rng: np.random.Generator) -> Any:
    """Return a table with the rows of one column in another order; only columns that are tested matter."""
    if is_frame(X):
        order = rng.permutation(X.shape[0])
        mixed = X[order.tolist()] if not hasattr(X, "iloc") else X.iloc[order].reset_index(drop=True)
        rest = X if not hasattr(X, "iloc") else X.reset_index(drop=True)
        if hasattr(X, "iloc"):
            return rest.assign(**{name: mixed[name]})
        return rest.with_columns(mixed[name])
    table = np.array(X, dtype=object) if not isinstance(X, np.ndarray) else X.copy()
    place = list(model.columns).index(name)
    table[:, place] = table[rng.permutation(len(table)), place]
    return table


def stability(
    fitted: Any, model: Model, train: Any, resamples: int, target: str = "y", sensitive: Any = None
) -> Iterator[Section]:
    """Fit to bootstrap samples of the training rows, and count how often each column is tested again.

    What `fit` takes the targets as is its argument `target`; trees under limits on groups take the groups.
    """
    if not hasattr(fitted, "get_params"):
        return
    if "sensitive_features" in model.record.get("data", {}).get("sha256", {}) and sensitive is None:
        why = "Not counted: the fit was given groups, give train=(X, y, sensitive_features)."
        yield Section("Stability", [why])
        return
    from sklearn.base import clone

    from streed.errors import InfeasibleError, silent_fits

    X, y = train
    rng = np.random.default_rng(0)
    n = len(model.apply(X))
    targets = y if is_frame(y) else np.asarray(y)
    seen: dict[str, int] = {}
    roots: dict[str, int] = {}
    done = infeasible = 0
    for _ in range(resamples):
        rows = rng.integers(0, n, n)
        table, sample = _taken(X, rows), _taken(targets, rows)
        if model.tree.class_weights is not None and len(set(np.asarray(sample).tolist())) < 2:
            continue
        given = {target: sample}
        if sensitive is not None:
            given["sensitive_features"] = sensitive if isinstance(sensitive, str) else _taken(sensitive, rows)
        try:
            with silent_fits():
                again = clone(fitted).set_params(tune=None, progress=False).fit(table, **given)
        except InfeasibleError:
            infeasible += 1
            continue
        done += 1
        tests = again.tree_.conditions or ()
        columns = {tests[f].column for f in again.tree_.feature.tolist() if f >= 0} if tests else set()
        for name in columns:
            seen[name] = seen.get(name, 0) + 1
        if again.tree_.feature[0] >= 0 and tests:
            root = tests[again.tree_.feature[0]].column
            roots[root] = roots.get(root, 0) + 1
    tested = set(model.tested_columns)
    rows_of = [
        [
            name,
            "yes" if name in tested else "no",
            f"{seen[name]} of {done}",
            f"{roots.get(name, 0)} of {done}",
        ]
        for name in sorted(seen, key=lambda each: -seen[each])
    ]
    head = ["column", "tested by the tree", "tested again", "as the first test"]
    said = [f"The tree was fitted to {done} bootstrap samples of the training rows."]
    if infeasible:
        said.append(f"Of {infeasible} further samples no tree keeps the limits.")
    yield Section("Stability", said, [Table(head, rows_of)])


def _taken(table: Any, rows: NDArray[np.int64]) -> Any:
    """Return rows of a table of any kind."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows.tolist()] if is_frame(table) else np.asarray(table)[rows]


def caveats(model: Model, new: Rows) -> Section:
    """Say what the report does not."""
    said = [
        "What is proven holds for the training rows and the trees that were searched; it says nothing about "
        "new rows. Figures of new rows hold for rows of the same kind."
    ]
    thin = [int(n) for n in set(new.leaf.tolist()) if (new.leaf == n).sum() < 30]
    if thin:
        leaves = "1 leaf has" if len(thin) == 1 else f"{len(thin)} leaves have"
        said.append(f"{leaves} fewer than 30 new rows: the figures there are uncertain.")
    if model.missing_at_predict == "warn":
        said.append("Values that are missing where the fit had none go where the test does not hold.")
    return Section("Ethical considerations, caveats and recommendations", said)
