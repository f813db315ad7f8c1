"""The paper's Warfarin study: who gets a low, a middle or a high dose, learnt from simulated records.

The consortium's dosing formula (N Engl J Med 2009, 360:753, supplement S1e) with a little noise says which of
three doses is right for a patient. Doses given before are either random, or come from the formula with its
coefficients disturbed, for each patient anew, by up to 6 or 11 per cent. A policy tree is fitted to what was
given and whether it was right, by each of the three teachers, and tested on patients it has not seen. Run

    python -m experiments.warfarin --data DIR

where DIR holds ``policy/warfarin-raw.csv``. The table has the share of test patients that get the right dose,
with its standard error over the simulated records (splits and teachers of one record are averaged first,
since they are not independent), beside the paper's.

The prepared data of the study differ from the supplement in two points, found by comparing shares of doses:
a patient of 60 to 69 years counts seven decades, and enzyme inducers are left out. This script does the same;
``--formula supplement`` does as the supplement says (low doses are rarer then). ``--files`` runs on the three
prepared pairs of training and test files instead: one split for each setup, so with larger standard errors.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from streed import solve
from streed.estimators.teachers import Models, Trial, scores_of
from streed.tasks import PolicyReward

PAPER = {1: 83.1, 2: 84.6, 3: 86.6, 4: 88.0, 5: 89.7}
TEACHERS = ("direct", "inverse_propensity", "doubly_robust")
SETUPS = (None, 0.06, 0.11)
VKORC1 = "VKORC1 -1639 consensus"
INDUCERS = ("Carbamazepine (Tegretol)", "Phenytoin (Dilantin)", "Rifampin or Rifampicin")
AGES = (2, 4, 6, 7)
NEEDED = ("Age", "Height (cm)", "Weight (kg)")

COEFFICIENTS = {
    "intercept": 5.6044,
    "age in decades": -0.2614,
    "height": 0.0087,
    "weight": 0.0128,
    "VKORC1 A/G": -0.8677,
    "VKORC1 A/A": -1.6974,
    "VKORC1 unknown": -0.4854,
    "CYP2C9 *1/*2": -0.5211,
    "CYP2C9 *1/*3": -0.9357,
    "CYP2C9 *2/*2": -1.0616,
    "CYP2C9 *2/*3": -1.9206,
    "CYP2C9 *3/*3": -2.3312,
    "CYP2C9 unknown": -0.2188,
    "Asian": -0.1092,
    "Black": -0.2760,
    "race unknown": -0.1032,
    "enzyme inducer": 1.1816,
    "amiodarone": -0.5503,
}


def vkorc1(patient: dict[str, str]) -> str:
    """Genotype at -1639, filled in from its neighbours by the rules of the supplement where it is missing."""
    known = patient[VKORC1]
    if known in ("A/A", "A/G", "G/G"):
        return known
    linked = {"C/C": "G/G", "C/T": "A/G", "T/T": "A/A"}
    if patient["VKORC1 1173 consensus"] in linked:
        return linked[patient["VKORC1 1173 consensus"]]
    if patient["Race (OMB)"] in ("White", "Asian"):
        if patient["VKORC1 2255 consensus"] in linked:
            return linked[patient["VKORC1 2255 consensus"]]
        mirrored = {"G/G": "G/G", "C/G": "A/G", "C/C": "A/A"}
        if patient["VKORC1 1542 consensus"] in mirrored:
            return mirrored[patient["VKORC1 1542 consensus"]]
    return "unknown"


def design_row(patient: dict[str, str]) -> list[float]:
    """Return the formula's variables for one patient, in the order of `COEFFICIENTS`."""
    gene, cyp, race = vkorc1(patient), patient["CYP2C9 consensus"], patient["Race (OMB)"]
    alleles = ("*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3")
    return [
        1.0,
        float(patient["Age"][0]),
        float(patient["Height (cm)"]),
        float(patient["Weight (kg)"]),
        *(gene == name for name in ("A/G", "A/A", "unknown")),
        *(cyp == name for name in alleles),
        cyp in ("NA", ""),
        race == "Asian",
        race == "Black or African American",
        race == "Unknown",
        any(patient[name] == "1" for name in INDUCERS),
        patient["Amiodarone (Cordarone)"] == "1",
    ]


def read_patients(path: Path) -> NDArray[np.float64]:
    """Read the patients with known age, height and weight, as the formula's variables."""
    with path.open(encoding="utf-8", newline="") as file:
        patients = list(csv.DictReader(file))
    complete = [one for one in patients if all(one[name] not in ("NA", "") for name in NEEDED)]
    return np.array([design_row(patient) for patient in complete], dtype=np.float64)


def as_prepared(design: NDArray[np.float64]) -> NDArray[np.float64]:
    """Change the formula's variables to what the study's prepared data have."""
    names = list(COEFFICIENTS)
    changed = design.copy()
    changed[:, names.index("age in decades")] += 1
    changed[:, names.index("enzyme inducer")] = 0
    return changed


def binary_features(design: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cut age, height and weight into five buckets; the other variables are binary.

    Age is known in decades only: below 20, 40, 60, 70 years and above. The others have buckets of a size.
    """
    age = design[:, 1]
    columns = [np.digitize(age, AGES) == bucket for bucket in range(5)]
    for values in design[:, 2:4].T:
        cuts = np.quantile(values, [0.2, 0.4, 0.6, 0.8])
        columns += [np.searchsorted(cuts, values) == bucket for bucket in range(5)]
    return np.column_stack([*columns, design[:, 4:] != 0])


def treatment(root: NDArray[np.float64]) -> NDArray[np.int64]:
    """0 for less than 3 mg a day, 1 up to 7 mg, 2 for more."""
    return np.digitize(root**2 / 7, [3.0, 7.0]).astype(np.int64)


def records(
    design: NDArray[np.float64], n_records: int, rng: np.random.Generator
) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
    """Simulate records: the setup, the right treatment of each patient, and the one that was given."""
    formula = np.array(list(COEFFICIENTS.values()))
    for setup in SETUPS:
        for _ in range(n_records):
            best = treatment(design @ formula + rng.normal(scale=0.02, size=len(design)))
            if setup is None:
                given = rng.integers(3, size=len(design))
            else:
                disturbed = formula * (1 + rng.uniform(-setup, setup, size=design.shape))
                given = treatment((design * disturbed).sum(axis=1))
            yield str(setup or "random"), best, given


def on_columns(columns: slice, model: Any) -> Any:
    """Make a model that sees only some columns."""
    return make_pipeline(ColumnTransformer([("own", "passthrough", columns)]), model)


def right_doses(
    design: NDArray[np.float64],
    best: NDArray[np.int64],
    given: NDArray[np.int64],
    depths: list[int],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Split the patients, fit trees by all teachers, and return their shares of right doses.

    As in the study's prepared data, outcomes are predicted from the variables as they are, propensities from
    the binary features, and no row is held out from the models.
    """
    X, k = binary_features(design), design.shape[1]
    order = rng.permutation(len(X))
    train, test = np.split(order, [round(0.75 * len(X))])
    outcome = (given[train] == best[train]).astype(np.float64)
    trial = Trial(np.hstack([design, X])[train], given[train], outcome, range(3))
    models = Models(
        on_columns(slice(1, k), RandomForestRegressor(random_state=0)),
        on_columns(slice(k, None), DecisionTreeClassifier(random_state=0)),
        folds=1,
        clip=0.0,
    )
    shares = np.empty((len(TEACHERS), len(depths)))
    for i, teacher in enumerate(TEACHERS):
        task = PolicyReward(scores_of(teacher, trial, models))
        for j, depth in enumerate(depths):
            tree = solve(task, X[train], max_depth=depth).tree
            shares[i, j] = np.mean(tree.predict(X[test]) == best[test])
    return shares


def prepared_files(folder: Path, depths: list[int]) -> NDArray[np.float64]:
    """Fit trees to the prepared files and return their shares of right doses, (files, teachers, depths)."""
    shares = np.empty((len(SETUPS), len(TEACHERS), len(depths)))
    for f, setup in enumerate(SETUPS):
        train, test = (
            np.loadtxt(folder / f"warfarin-{setup or 'random'}-{part}.csv") for part in ("train", "test")
        )
        rows, given = np.arange(len(train)), train[:, 1].astype(int)
        for i, teacher in enumerate(TEACHERS):
            scores = np.zeros((len(train), 3)) if teacher == "inverse_propensity" else train[:, 4:7].copy()
            if teacher != "direct":
                scores[rows, given] += (train[:, 2] - scores[rows, given]) / train[:, 3]
            for j, depth in enumerate(depths):
                tree = solve(PolicyReward(scores), train[:, 11:], max_depth=depth).tree
                shares[f, i, j] = np.mean(tree.predict(test[:, 11:]) == test[:, 7])
    return shares


def main(arguments: list[str] | None = None) -> int:
    """Run the study and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the data sets")
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--records", type=int, default=5, help="simulated records per setup")
    parser.add_argument("--splits", type=int, default=5, help="splits per record")
    parser.add_argument("--formula", choices=("prepared", "supplement"), default="prepared")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", action="store_true", help="use the prepared files")
    options = parser.parse_args(arguments)
    if options.files:
        say_table(100 * prepared_files(options.data / "policy", options.depths), options.depths)
        return 0
    rng = np.random.default_rng(options.seed)
    patients = read_patients(options.data / "policy" / "warfarin-raw.csv")
    design = as_prepared(patients) if options.formula == "prepared" else patients
    sys.stdout.write(f"{len(patients)} patients, {binary_features(patients).shape[1]} binary features\n")
    found = []
    for setup, best, given in records(design, options.records, rng):
        splits = [right_doses(patients, best, given, options.depths, rng) for _ in range(options.splits)]
        found.append(np.mean(splits, axis=0))
        shown = "  ".join(f"{100 * share:.1f}" for share in found[-1].mean(axis=0))
        sys.stdout.write(f"{setup:6}  right before {100 * np.mean(best == given):.1f} %, now {shown} %\n")
        sys.stdout.flush()
    say_table(100 * np.array(found), options.depths)
    return 0


def say_table(found: NDArray[np.float64], depths: list[int]) -> None:
    """Print means over records, teachers apart and together, with standard errors and the paper's figures."""
    sys.stdout.write(f"\ndepth  {'  '.join(f'{teacher:>18}' for teacher in TEACHERS)}  all ± s.e.    paper\n")
    for j, depth in enumerate(depths):
        together = found[:, :, j].mean(axis=1)
        error = together.std(ddof=1) / np.sqrt(len(together)) if len(together) > 1 else np.nan
        apart = "  ".join(f"{value:18.1f}" for value in found[:, :, j].mean(axis=0))
        paper = f"{PAPER[depth]:.1f}" if depth in PAPER else "-"
        sys.stdout.write(f"{depth:5}  {apart}  {together.mean():.1f} ± {error:.2f}   {paper:>7}\n")


if __name__ == "__main__":
    sys.exit(main())
