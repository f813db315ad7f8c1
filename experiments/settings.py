"""How the studies are run: folders, limits, repeats. Every option of the command line is a field here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """How a study is run.

    Parameters
    ----------
    data : Path
        Folder of the data sets.
    out : Path
        Folder of finished runs, arrays, tables, plots and the page.
    peer_python : str
        Interpreter in which the peers and HiGHS are installed.
    quick : bool
        Run only a small part of each study, with short limits.
    time_limit : float, optional
        Seconds of one run; by default the paper's, 5 in quick mode.
    limits : mapping of str to float
        Time limits of methods that have one of their own.
    memory : int
        Address space of one run in bytes, 0 for no limit.
    jobs : int
        Runs at a time; with more than one they disturb each other's times.
    repeats : int
        How often a run is timed; runs over `experiments.runs.SLOW_SECONDS` are timed once.
    splits : int
        Random splits per scenario of the cost-sensitive study.
    every_mip : bool
        Run integer programs on all policy problems, not only on a sample.
    sets : tuple of str
        Only these sets, in the studies that have sets; empty for those of the mode.
    methods : tuple of str
        Only these methods; empty for all.
    seed : int
        Seed of splits and simulations.
    """

    data: Path
    out: Path
    peer_python: str
    quick: bool = False
    time_limit: float | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    memory: int = 0
    jobs: int = 1
    repeats: int = 1
    splits: int = 100
    every_mip: bool = False
    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seed: int = 0

    def chosen(self, names: list[str], quick: Collection[str]) -> list[str]:
        """Choose among the sets of a study: those asked for, those of quick mode, or all."""
        unknown = [name for name in self.sets if name not in names]
        if unknown:
            raise SystemExit(f"no data set {', '.join(unknown)} in this study, only {', '.join(names)}")
        wanted = self.sets or (quick if self.quick else names)
        return [name for name in names if name in wanted]

    def limit(self, paper: float) -> float:
        """Give the time limit of a run whose limit in the paper is `paper` seconds."""
        if self.time_limit is not None:
            return self.time_limit
        return QUICK_SECONDS if self.quick else paper


QUICK_SECONDS = 5.0
