"""Models as JSON files: versioned, self-contained, and readable by people.

A file holds the tree, what each of its binary features says about a column, the labels, and what was asked
for and proven. Reading it needs neither pickle nor scikit-learn. `Model.save` and `Model.load` come in here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streed.model.model import Model
from streed.tree.tree import Tree

FORMAT = "streed.model"
VERSION = 1
"""Raise it when a file of the old form can no longer be read by the code below, or an old release would
misread a new file."""

MISSING = ("error", "indicator", "side")

_ENTRIES: Mapping[str, tuple[type, ...]] = {
    "objective": (str,),
    "target": (str, type(None)),
    "parameters": (dict,),
    "proof": (dict,),
    "missing": (str,),
    "columns": (list,),
    "conditions": (list,),
    "tree": (dict,),
}


def model_to_dict(model: Model) -> dict[str, Any]:
    """Describe a model by plain lists, strings and numbers; it has the conditions, the tree has not."""
    tree = {name: entry for name, entry in model.tree.to_dict().items() if name != "conditions"}
    return {
        "format": FORMAT,
        "version": VERSION,
        "objective": model.objective,
        "target": model.target,
        "parameters": {name: _plain(value) for name, value in model.parameters.items()},
        "proof": {name: _plain(value) for name, value in model.proof.items()},
        "missing": model.missing,
        "columns": list(model.columns),
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
    if (version := description.get("version")) != VERSION:
        raise ValueError(f"this release reads version {VERSION} of {FORMAT}, got version {version!r}")
    for name, kinds in _ENTRIES.items():
        if name not in description or not isinstance(description[name], kinds):
            raise ValueError(f"the entry {name!r} of the model is missing or of the wrong type")
    entries = {name: description[name] for name in _ENTRIES}
    if not all(isinstance(name, str) for name in entries["columns"]):
        raise ValueError("the columns of the model must be names")
    if entries["missing"] not in MISSING:
        raise ValueError(
            f"missing must be one of {', '.join(map(repr, MISSING))}, got {entries['missing'][:80]!r}"
        )
    entries["tree"] = Tree.from_dict({**entries["tree"], "conditions": entries["conditions"]})
    entries["conditions"] = entries["tree"].conditions
    entries["columns"] = tuple(entries["columns"])
    return Model(**entries)


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
