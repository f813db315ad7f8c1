"""Models as JSON files: versioned, self-contained, and readable by people.

A file holds the tree, what each of its binary features says about a column, the labels, and what was asked
for and proven. Reading it needs neither pickle nor scikit-learn. `Model.save` and `Model.load` come in here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from streed.model.model import Model
from streed.model.recount import recount
from streed.options import MISSING_AT_PREDICT
from streed.table.columns import Kind
from streed.tree.tree import Tree

FORMAT = "streed.model"
VERSION = 2
"""Raise it when an old release would misread a new file. Version 1 had no record, and nothing for values that
are missing where they were not in the fit."""
READ = (1, 2)
"""The versions that this release reads."""

CHOICES = {"missing": ("error", "indicator", "side"), "missing_at_predict": MISSING_AT_PREDICT}

_ENTRIES: Mapping[str, tuple[type, ...]] = {
    "objective": (str,),
    "target": (str, type(None)),
    "parameters": (dict,),
    "proof": (dict,),
    "missing": (str,),
    "missing_at_predict": (str,),
    "record": (dict,),
    "columns": (list,),
    "all_columns": (bool,),
    "conditions": (list,),
    "tree": (dict,),
}


def model_to_dict(model: Model) -> dict[str, Any]:
    """Describe a model by plain lists, strings and numbers; it has the conditions, the tree has not."""
    described = model.tree.to_dict(keep_unused=True)
    tree = {name: entry for name, entry in described.items() if name != "conditions"}
    return {
        "format": FORMAT,
        "version": VERSION,
        "objective": model.objective,
        "target": model.target,
        "parameters": {name: _plain(value) for name, value in model.parameters.items()},
        "proof": {name: _plain(value) for name, value in model.proof.items()},
        "missing": model.missing,
        "missing_at_predict": model.missing_at_predict,
        "record": dict(model.record),
        "columns": list(model.columns),
        "all_columns": model.all_columns,
        "conditions": [condition.to_dict() for condition in model.conditions],
        "tree": tree,
    }


def _plain(value: Any) -> Any:
    """Turn NumPy's numbers into Python's, and infinity, which JSON does not have, into null."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def model_from_dict(description: Mapping[str, Any]) -> Model:
    """Read a model from its description, and check everything in it."""
    found = description.get("format") if isinstance(description, Mapping) else None
    if found != FORMAT:
        what = "it has no format" if found is None else f"its format is {found!r}"
        raise ValueError(f"a model is a JSON object with the format {FORMAT!r}, but {what}")
    version = description.get("version")
    if type(version) is not int or version not in READ:
        known = " and ".join(map(str, READ))
        raise ValueError(f"this release reads the versions {known} of {FORMAT}, got version {version!r}")
    description = {"all_columns": False, **(_ADDED if version == 1 else {}), **description}
    for name, kinds in _ENTRIES.items():
        if name not in description or not isinstance(description[name], kinds):
            raise ValueError(f"the entry {name!r} of the model is missing or of the wrong type")
    entries = {name: description[name] for name in _ENTRIES}
    if not all(isinstance(name, str) for name in entries["columns"]):
        raise ValueError("the columns of the model must be names")
    for name, allowed in CHOICES.items():
        if entries[name] not in allowed:
            raise ValueError(
                f"{name} must be one of {', '.join(map(repr, allowed))}, got {entries[name][:80]!r}"
            )
    check_record(entries["record"])
    entries["tree"] = Tree.from_dict({**entries["tree"], "conditions": entries["conditions"]})
    entries["conditions"] = entries["tree"].conditions
    entries["columns"] = tuple(entries["columns"])
    model = Model(**entries)
    return replace(model, verified=recount(model))


_ADDED: Mapping[str, Any] = {"missing_at_predict": "warn", "record": {}}
"""Entries that files of version 1 do not have, with what they stood for."""


def check_record(record: Mapping[str, Any]) -> None:
    """Refuse a record whose columns are not names with kinds, which exports look at."""
    data = record.get("data", {})
    columns = data.get("columns", []) if isinstance(data, dict) else None
    kinds = {"", *map(str, Kind)}
    fine = isinstance(columns, list) and all(
        isinstance(each, dict) and isinstance(each.get("name"), str) and _is_one(each.get("kind"), kinds)
        for each in columns
    )
    if not fine:
        raise ValueError("the columns in the record of the model must have a name and a kind each")


def _is_one(value: object, known: Collection[str]) -> bool:
    return isinstance(value, str) and value in known


def save_model(model: Model, path: str | Path) -> None:
    """Write a model to a file."""
    text = json.dumps(model.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def load_model(path: str | Path) -> Model:
    """Read a model from a file; the error says which file, and what is wrong with it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return model_from_dict(json.loads(text, parse_constant=_no_number))
    except RecursionError as error:
        raise ValueError(f"{path} is no model file of streed: it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no model file of streed: it is not JSON ({error})") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no model file of streed: it is not text") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a model: {error}") from error


def _no_number(name: str) -> None:
    """Refuse what Python's reader takes beyond JSON."""
    raise ValueError(f"it holds {name}, which is no number of JSON")
