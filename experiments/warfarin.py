"""The data of the paper's Warfarin study: who gets a low, a middle or a high dose, from simulated records.

The consortium's dosing formula (N Engl J Med 2009, 360:753, supplement S1e) with a little noise says which of
three doses is right for a patient. Doses given before are either random, or come from the formula with its
coefficients disturbed, for each patient anew, by up to 6 or 11 per cent. Records are split at random, and the
teachers' models are fitted to what was given and whether it was right.

The prepared data of the study differ from the supplement in two points, found by comparing shares of doses:
a patient of 60 to 69 years counts seven decades, and enzyme inducers are left out. `as_prepared` does so.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

from benchmarks.cost_data import policy_arrays
from benchmarks.data import Arrays

TEACHERS = ("direct", "inverse_propensity", "doubly_robust")
SETUPS = (None, 0.06, 0.11)
RECORDS = SPLITS = 5
TRAIN_SHARE = 0.75
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


def simulate(
    design: NDArray[np.float64], setup: float | None, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Simulate a record: the right treatment of each patient, and the one that was given."""
    formula = np.array(list(COEFFICIENTS.values()))
    best = treatment(design @ formula + rng.normal(scale=0.02, size=len(design)))
    if setup is None:
        return best, rng.integers(3, size=len(design))
    disturbed = formula * (1 + rng.uniform(-setup, setup, size=design.shape))
    return best, treatment((design * disturbed).sum(axis=1))


def predicted_outcomes(
    design: NDArray[np.float64], given: NDArray[np.int64], outcome: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Predict every patient's outcome under each dose: a random forest per dose, on the variables themselves.

    As in the study's prepared data no row is held out from the models.
    """
    predicted = np.empty((len(given), 3))
    for k in range(3):
        own = given == k
        forest = RandomForestRegressor(random_state=0).fit(design[own, 1:], outcome[own])
        predicted[:, k] = forest.predict(design[:, 1:])
    return predicted


def propensities(X: NDArray[np.bool_], given: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probability of the dose that each patient got: a decision tree on the binary features."""
    tree = DecisionTreeClassifier(random_state=0).fit(X, given)
    columns = np.searchsorted(tree.classes_, given)
    return np.asarray(tree.predict_proba(X)[np.arange(len(X)), columns])


@functools.lru_cache(maxsize=1)
def patients(data: Path) -> NDArray[np.float64]:
    """Read the patients once."""
    return read_patients(data / "policy" / "warfarin-raw.csv")


@functools.lru_cache(maxsize=2)
def scored_split(data: Path, setup: float | None, record: int, split: int, seed: int) -> Arrays:
    """Simulate a record, split it, and fit the models: everything that the three teachers share."""
    design = patients(data)
    number = SETUPS.index(setup)
    best, given = simulate(as_prepared(design), setup, np.random.default_rng([seed, number, record]))
    order = np.random.default_rng([seed, number, record, split]).permutation(len(design))
    train, test = np.split(order, [round(TRAIN_SHARE * len(order))])
    X = binary_features(design)
    outcome = (given[train] == best[train]).astype(np.float64)
    return {
        "X": X[train].astype(np.uint8),
        "given": given[train].astype(np.int32),
        "outcome": outcome,
        "propensity": propensities(X[train], given[train]),
        "predicted": predicted_outcomes(design[train], given[train], outcome),
        "X_test": X[test].astype(np.uint8),
        "potential_test": (best[test, None] == np.arange(3)).astype(np.float64),
    }


def warfarin_problem(
    data: Path, setup: float | None, record: int, split: int, teacher: str, seed: int
) -> Arrays:
    """Make the arrays of one scenario as one teacher scores it."""
    parts = scored_split(data, setup, record, split, seed)
    arrays = policy_arrays(
        parts["X"], parts["given"], parts["outcome"], parts["propensity"], parts["predicted"], teacher
    )
    return arrays | {name: parts[name] for name in ("X_test", "potential_test")}
