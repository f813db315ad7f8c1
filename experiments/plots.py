"""Plots as SVG: the paper's share of instances that a method solves within a time, and any other figures."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

from experiments.findings import Figures, Plot

LEAST_SECONDS = 1e-5
MOST_CORNERS = 200


def staircase(seconds: list[float | None]) -> tuple[list[float], list[float]]:
    """Corners of the curve: after k of n instances are solved the share is k / n.

    >>> staircase([0.2, None, 0.1, 0.4])
    ([0.1, 0.2, 0.4], [0.25, 0.5, 0.75])
    """
    solved = sorted(max(one, LEAST_SECONDS) for one in seconds if one is not None)
    return solved, [(k + 1) / len(seconds) for k in range(len(solved))]


def thinned(corners: list[float]) -> list[float]:
    """Keep the first, the last and evenly many between them: more corners than pixels only make files large.

    >>> thinned([float(k) for k in range(1000)])[:3]
    [0.0, 5.0, 10.0]
    """
    n = len(corners)
    if n <= MOST_CORNERS:
        return corners
    return [corners[round(k * (n - 1) / (MOST_CORNERS - 1))] for k in range(MOST_CORNERS)]


def draw(plot: Plot | Figures) -> str | None:
    """Draw a plot as SVG; None without matplotlib."""
    try:
        matplotlib = import_module("matplotlib")
    except ModuleNotFoundError:
        return None
    matplotlib.use("Agg")
    matplotlib.rc("svg", fonttype="none", hashsalt=plot.name)
    height = 3.6 if isinstance(plot, Plot) else 4.6
    figure, axes = import_module("matplotlib.pyplot").subplots(figsize=(7.0, height), layout="constrained")
    if isinstance(plot, Plot):
        draw_times(plot, axes)
    else:
        draw_figures(plot, axes)
    axes.set_title(plot.title, fontsize=10)
    axes.grid(alpha=0.3)
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    import_module("matplotlib.pyplot").close(figure)
    return file.getvalue()


def draw_times(plot: Plot, axes: Any) -> None:
    """Draw the share of instances that are solved within a time."""
    measured = [one for curve in plot.curves.values() for one in curve if one is not None]
    longest = max([*measured, *plot.limits.values()], default=1.0)
    for label, seconds in plot.curves.items():
        times, shares = map(thinned, staircase(seconds))
        solved = len(seconds) - seconds.count(None)
        end = max([plot.limits.get(label, longest), *times[-1:]])
        axes.step(
            [times[0], *times, end] if times else [end],
            [0.0, *(100 * share for share in shares), 100 * shares[-1]] if shares else [0.0],
            where="post",
            label=f"{label} ({solved} of {len(seconds)})",
        )
    axes.set_xscale("log")
    axes.set_ylim(0, 103)
    axes.set_xlabel("processor time (s)")
    axes.set_ylabel("solved of those tried (%)")
    axes.legend(fontsize=8, loc="lower right")


def draw_figures(plot: Figures, axes: Any) -> None:
    """Draw lines, points with their names, and levels."""
    for label, corners in plot.lines.items():
        axes.plot(*zip(*corners, strict=True), marker=".", label=label)
    for label, (x, y, reach) in plot.points.items():
        axes.errorbar(
            [x], [y], xerr=[reach] if reach else None, fmt="o", color="0.3", markersize=4, capsize=2
        )
        axes.annotate(label, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)
    for label, level in plot.levels.items():
        axes.axhline(level, linestyle=":", color="0.5")
        axes.annotate(
            label, (0.99, level), xycoords=("axes fraction", "data"), fontsize=7, ha="right", va="bottom"
        )
    axes.set_xlabel(plot.axes[0])
    axes.set_ylabel(plot.axes[1])
    if not plot.axes[1]:
        axes.set_yticks([])
    if plot.lines:
        axes.legend(fontsize=8, loc="lower right")
