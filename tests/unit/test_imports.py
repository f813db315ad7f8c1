"""Which package may import which: the floor plan, held to by a test.

Every import statement under ``src/streed`` counts, also those inside functions and under ``TYPE_CHECKING``. A
package may import itself and what `ALLOWED` lists. Exceptions name one module, one import and the reason.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import streed

ROOT = Path(__file__).resolve().parents[2] / "src" / "streed"
if not ROOT.is_dir():  # tests of an installed package
    ROOT = Path(streed.__file__).parent

BASE = {"errors", "options", "magnitudes", "spelling", "tolerance"}
"""Modules that everybody may use; they import nothing else."""

ALLOWED: dict[str, set[str]] = {
    # plain data
    "errors": set(),
    "magnitudes": set(),
    "spelling": set(),
    "options": {"magnitudes"},
    "tolerance": set(),
    "table": BASE,
    "tree": BASE | {"table"},
    "reasons": BASE | {"tree", "table"},
    "views": BASE | {"tree", "table", "reasons"},
    # what is to be optimised: no solver, not even inside a function
    "leaves": BASE | {"tree"},
    "metrics": BASE,
    "fairness": BASE | {"table", "tree"},
    "limits": BASE | {"table", "metrics", "fairness"},
    "reference": BASE,
    "tasks": BASE | {"tree", "table", "leaves", "metrics", "fairness", "limits", "reference"},
    # how it is optimised
    "solver": BASE | {"table", "tree", "leaves", "metrics", "fairness", "reference", "tasks"} | {"limits"},
    "distributed": BASE | {"tree", "tasks", "reference", "solver", "versions"},
    "paths": BASE | {"table", "tree", "tasks", "solver"},
    "tuning": BASE | {"paths", "tree", "solver"},
    "separable": BASE | {"table", "tree", "leaves", "reference", "tasks", "solver"},
    "testing": {"reference", "separable"},
    # what users meet
    "versions": BASE,
    "binarize": BASE | {"table", "tree", "versions"},
    "merged": BASE | {"table", "binarize"},
    "datasets": {"tasks"},
    "model": BASE | {"table", "tree"},
    "interop": BASE | {"table", "tree", "model"},
    "survival": BASE | {"table", "tasks"},
    "report": BASE | {"table", "tree", "tasks", "survival", "model", "views"},
    "explain": BASE | {"table", "tree", "model", "views", "reasons"},
    "thresholds": BASE | {"table", "tree"},
    "estimators": BASE
    | {"survival", "thresholds", "table", "tree", "binarize", "fairness", "limits", "tasks", "solver"}
    | {"distributed", "leaves", "paths", "tuning", "model", "interop", "explain", "report", "versions"},
    "cli": BASE
    | {
        "limits",
        "survival",
        "estimators",
        "table",
        "tree",
        "fairness",
        "tasks",
        "solver",
        "model",
        "views",
        "",
    }
    | {"tuning", "report"},
    "moved": set(),
    "__main__": {"cli"},
}
"""For each package or module of streed the others that it may import; "" is the package streed itself."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "tree.tree",
        "views",
    ): "a tree shows itself: the methods of views.methods load the views when called",
    ("tree.tree", "interop"): "a tree exports itself: the methods load the exports when called",
    ("tree.tree", "model"): "an export needs the columns beside the tree: it is made a model when called",
    ("model.model", "report"): "a model reports on rows: the methods load the report when called",
    ("model.model", "views"): "a model gives what its exports give: the method loads the views when called",
    ("model.model", "explain"): "a model explains rows: the method loads the explanations when called",
    ("model.model", "interop"): "a model exports itself: the methods load the exports when called",
    ("tree.result", "views"): "a result shows itself as a page, by a method that imports views when called",
    ("versions", ""): "asks for streed.__version__ when an estimator is stored",
}
"""Imports against the direction, by module and package."""

ENGINE: dict[str, str] = {
    "solver": "runs its searches and recounts its trees",
    "tree": "rows go down a tree in native code",
    "table.labels": "labels are encoded in native code: it is most of the time of a small fit",
    "thresholds.columns": "small columns are ranked in native code: it is a tenth of the time of a small fit",
    "thresholds.bins": "columns of many rows become bins in native code",
    "table.units": "the largest unit of many numbers is found in native code",
}
"""Who may import the native engine, and why."""


def package(name: str) -> str:
    return name.split(".")[0]


def modules() -> dict[str, Path]:
    """All modules by their name inside streed, as "tree.result"."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = list(path.relative_to(ROOT).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Names inside streed that a file imports, wherever the statement stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            base = node.module or ""
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in (name[len("streed.") :] for name in names if package(name) == "streed"):
            while name and name not in known and name != "_core":
                name = name.rpartition(".")[0]
            found.add(name)
    return found


KNOWN = modules()
TOP = [name for name in KNOWN if name]


@pytest.mark.parametrize("name", TOP)
def test_a_module_imports_only_what_its_package_may(name: str) -> None:
    own = package(name)
    assert own in ALLOWED, f"{own} is new: say in ALLOWED what it may import"
    for other in imports(KNOWN[name], KNOWN):
        if other == "_core":
            assert name in ENGINE or own in ENGINE, f"{name} must not call the engine"
        elif package(other) != own and (name, package(other)) not in EXCEPTIONS:
            assert package(other) in ALLOWED[own], f"{name} must not import streed.{other}"


def test_the_plan_has_no_cycle() -> None:
    """With exceptions left out, packages can be put in an order in which each imports earlier ones only."""
    order: list[str] = []
    left = {name: {other for other in others if other} for name, others in ALLOWED.items()}
    while left:
        free = [name for name, others in left.items() if others <= set(order)]
        assert free, f"a cycle among {sorted(left)}"
        order += free
        left = {name: others for name, others in left.items() if name not in free}


def test_nothing_is_allowed_that_nobody_does() -> None:
    """Permissions and exceptions that are not used any more go."""
    used = {(package(name), package(other)) for name in TOP for other in imports(KNOWN[name], KNOWN)}
    unused = [
        (own, other) for own, others in ALLOWED.items() for other in others - BASE if (own, other) not in used
    ]
    assert unused == []
    for name, other in EXCEPTIONS:
        assert other in {package(found) for found in imports(KNOWN[name], KNOWN)}, (name, other)
    callers = [name for name in TOP if "_core" in imports(KNOWN[name], KNOWN)]
    assert all(any(name == who or package(name) == who for name in callers) for who in ENGINE)


@pytest.mark.parametrize("name", ["solver", "leaves", "estimators"])
def test_the_test_sees_lazy_imports(name: str, tmp_path: Path) -> None:
    path = tmp_path / "lazy.py"
    path.write_text(f"def f():\n    from streed.{name} import x\n    import streed.{name}\n")
    assert imports(path, KNOWN) == {name}
