"""Trees for other programs: scikit-learn and everything that reads its trees, and ONNX.

`inputs.py` says which columns an exported tree reads, `encoder.py` makes them of a table, `sklearn_tree.py`
and `onnx_graph.py` write the tree, and `methods.py` has the methods that trees, models and estimators share.
"""

from __future__ import annotations

from typing import Any

__all__ = ["onnx_inputs"]


def __getattr__(name: str) -> Any:
    """Load a function when it is asked for: trees import this package for their methods."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from streed.interop.onnx_graph import onnx_inputs

    return onnx_inputs
