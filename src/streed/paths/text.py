"""Rows of a path as aligned text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Give columns the width of their longest entry, numbers to the right.

    Examples
    --------
    >>> from streed.paths.text import aligned
    >>> print(aligned(["nodes", "value"], [["0", "12.5"], ["10", "3"]]))
    nodes  value
        0   12.5
       10      3
    """
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]
    )
    return "\n".join(lines)


def shortened(table: str, most: int = 12) -> str:
    """Leave out lines in the middle of a long table.

    Examples
    --------
    >>> from streed.paths.text import shortened
    >>> print(shortened(aligned(["size"], [["1"], ["2"], ["3"], ["4"], ["5"]]), most=4))
    size
       1
    ... 3 more
       5
    """
    lines = table.split("\n")
    if len(lines) <= most:
        return table
    left = len(lines) - most + 1
    return "\n".join([*lines[: most - 2], f"... {left} more", lines[-1]])
