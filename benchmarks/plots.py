"""Plots of studies; nothing is drawn without matplotlib."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.report import say


def draw_progress(
    folder: Path,
    title: str,
    found: dict[float, dict[str, Any]],
    peers: dict[float, float | None],
    greedy: float,
) -> None:
    """Draw tree and bound of streed over time, the peer's trees, and a greedy tree as a line."""
    try:
        matplotlib = import_module("matplotlib")
    except ModuleNotFoundError:
        say("no plots: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    figure, axes = import_module("matplotlib.pyplot").subplots(figsize=(5, 3.2), layout="constrained")
    limits = sorted(found)
    axes.plot(limits, [found[limit]["cost"] for limit in limits], "o-", label="streed")
    axes.plot(limits, [found[limit]["bound"] for limit in limits], "o--", color="C0", label="streed, proven")
    others = [(limit, cost) for limit, cost in sorted(peers.items()) if cost is not None]
    if others:
        axes.plot(*zip(*others, strict=True), "s-", color="C1", label="pytrees-rs")
    axes.axhline(greedy, color="0.5", label="scikit-learn")
    axes.set(xscale="log", xlabel="seconds", ylabel="errors", title=title, ylim=(0, None))
    axes.legend(fontsize="small")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / (title.replace(", ", "-").replace(" ", "-") + ".svg"))
    import_module("matplotlib.pyplot").close(figure)
