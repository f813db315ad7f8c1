"""The paper's run-time plot: the share of instances that a method solves within a time, logarithmic axis."""

from __future__ import annotations

import io
from importlib import import_module

from experiments.findings import Plot

LEAST_SECONDS = 1e-5


def staircase(seconds: list[float | None]) -> tuple[list[float], list[float]]:
    """Corners of the curve: after k of n instances are solved the share is k / n.

    >>> staircase([0.2, None, 0.1, 0.4])
    ([0.1, 0.2, 0.4], [0.25, 0.5, 0.75])
    """
    solved = sorted(max(one, LEAST_SECONDS) for one in seconds if one is not None)
    return solved, [(k + 1) / len(seconds) for k in range(len(solved))]


def draw(plot: Plot) -> str | None:
    """Draw a plot as SVG; None without matplotlib."""
    try:
        matplotlib = import_module("matplotlib")
    except ModuleNotFoundError:
        return None
    matplotlib.use("Agg")
    figure, axes = import_module("matplotlib.pyplot").subplots(figsize=(7.0, 3.6), layout="constrained")
    longest = max((one for curve in plot.curves.values() for one in curve if one is not None), default=1.0)
    for label, seconds in plot.curves.items():
        times, shares = staircase(seconds)
        axes.step(
            [times[0], *times, longest] if times else [longest],
            [0.0, *(100 * share for share in shares), 100 * shares[-1]] if shares else [0.0],
            where="post",
            label=f"{label} ({len(times)} of {len(seconds)})",
        )
    axes.set_xscale("log")
    axes.set_ylim(0, 103)
    axes.set_xlabel("processor time (s)")
    axes.set_ylabel("solved of those tried (%)")
    axes.set_title(plot.title, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower right")
    file = io.StringIO()
    figure.savefig(file, format="svg")
    import_module("matplotlib.pyplot").close(figure)
    return file.getvalue()
