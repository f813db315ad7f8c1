"""Trees of any depth with a price per leaf: streed against FastSmallTree, GOSDT and PyStreeD.

All sets of ``classification/`` and ``sparse/`` take hours with four packages. With ``--keep FILE`` finished
runs are taken from the file, so that parts (``--sets``, ``--prices``, ``--peers``) can be run one by one, and
the whole once more for the summary. With ``--give-up`` GOSDT and PyStreeD are not run at the smaller prices
of a set, which are harder, once they have not proven a larger one ("not tried").
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import KeptRuns, digest
from benchmarks.peers.priced import FITS
from benchmarks.report import Document, Table, format_seconds, geometric_mean, say, say_alarms, say_machine
from benchmarks.runner import Contestant, Outcome, run_once
from benchmarks.sparse_data import read_sparse, sparse_names
from benchmarks.studies.common import add_common, add_peers, memory_bytes

BASE, REFERENCE = "streed", "fast_small_tree"
PEERS = [name for name in FITS if name != BASE]
PRICES = [0.1, 0.05, 0.02, 0.01, 0.005]
COUNTED_SECONDS, ALLOWED_SECONDS = 0.1, 0.002
TOLERANCE = 1e-9
NOT_TRIED = "not tried"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[0], repeats=1, limit=30)
    add_peers(parser, PEERS)
    parser.add_argument(
        "--prices", nargs="+", type=float, default=PRICES, metavar="C", help="prices of a leaf"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="take finished runs from this file, and add new ones"
    )
    parser.add_argument(
        "--give-up",
        action="store_true",
        help=f"peers other than {REFERENCE} are not run at smaller prices once one is not proven in time",
    )


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    names = options.sets or sparse_names(options.data)
    contestants = [Contestant(BASE, "priced", sys.executable, {"solver": BASE})]
    if options.without_streed:
        contestants.clear()
    contestants += [
        Contestant(name, "priced", options.peer_python, {"solver": name}) for name in options.peers
    ]
    document, rows, alarms, false = Document("sparse", options), [], [], []
    kept = KeptRuns(options.keep)
    table = Table(
        [("set", 22), ("price", 6), *((f"{one.label} s", 16) for one in contestants), ("value", 12)]
    )
    for name in names:
        out_of_reach: set[str] = set()
        for price in sorted(options.prices, reverse=True):
            running = [one for one in contestants if one.label not in out_of_reach]
            outcomes = dict.fromkeys(out_of_reach, Outcome(NOT_TRIED))
            outcomes |= measure(name, price, running, options, kept)
            for label, outcome in outcomes.items():
                document.note_version(label, outcome)
            if options.give_up:
                out_of_reach |= unproven(outcomes) - {BASE, REFERENCE}
            rows.append({"set": name, "price": price, "outcomes": outcomes})
            best = min((o.value for o in outcomes.values() if o.value is not None), default=float("nan"))
            table.add(
                [name, f"{price:g}", *(cell(outcomes[one.label]) for one in contestants), f"{best:.8f}"]
            )
            found = doubts(name, price, outcomes)
            alarms += [text for mine, text in found if mine]
            false += [text for mine, text in found if not mine]
            for _, text in found:
                say(f"    {text}")
    summary = summarise(rows, [one.label for one in contestants], options.time_limit) | {"false": false}
    plain = [row | {"outcomes": {k: o.to_dict() for k, o in row["outcomes"].items()}} for row in rows]
    document.save(summary=summary, rows=plain)
    say_machine(document.content)
    say_summary(summary)
    say_alarms(alarms)
    return 1 if alarms else 0


def measure(
    name: str, price: float, contestants: list[Contestant], options: argparse.Namespace, kept: KeptRuns
) -> dict[str, Outcome]:
    """Run all contestants on one problem, each in a process of its own; medians by processor time."""
    arrays = read_sparse(options.data, name) | {"price": np.array([price])}
    settings: dict[str, Any] = {"task": "priced", "max_depth": 0, "time_limit": options.time_limit}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, allow_pickle=False, **arrays)
        out = {}
        for one in contestants:
            key = [name, price, digest(arrays), one.label, str(one.python), options.time_limit]
            runs = [
                kept.run(
                    [*key, repeat],
                    lambda one=one: run_once(  # type: ignore[misc]
                        one, path, settings, memory=memory_bytes(options), folder=Path(folder)
                    ),
                )
                for repeat in range(options.repeats)
            ]
            out[one.label] = sorted(runs, key=lambda outcome: seconds(outcome, options.time_limit))[
                len(runs) // 2
            ]
        return out


def unproven(outcomes: dict[str, Outcome]) -> set[str]:
    """Say who ran and did not prove an optimum."""
    return {label for label, one in outcomes.items() if one.status not in ("done", "missing")}


def seconds(outcome: Outcome, limit: float) -> float:
    """Processor time; the limit where the optimum was not proven."""
    return outcome.cpu_seconds if outcome.status == "done" and outcome.proven else limit


def cell(outcome: Outcome) -> str:
    """Time of a proof, or why there is none."""
    return format_seconds(outcome.cpu_seconds) if outcome.status == "done" else outcome.status


def doubts(name: str, price: float, outcomes: dict[str, Outcome]) -> list[tuple[bool, str]]:
    """List claims of an optimum that another tree, scored by hand, beats; true: the claim is streed's."""
    known = [o.value for o in outcomes.values() if o.value is not None]
    found = []
    for label, one in outcomes.items():
        if one.proven and one.value is not None and one.value > min(known) + TOLERANCE:
            text = f"{label} claims {one.value:.8f} on {name} at {price:g}, but {min(known):.8f} was found"
            found.append((label == BASE, text))
    return found


def summarise(rows: list[dict[str, Any]], labels: list[str], limit: float) -> dict[str, Any]:
    """Count proofs, and compare times where the reference needs long enough."""
    proofs, skipped = (
        {label: sum(row["outcomes"][label].status == status for row in rows) for label in labels}
        for status in ("done", NOT_TRIED)
    )
    summary: dict[str, Any] = {"problems": len(rows), "time_limit": limit, "proofs": proofs}
    summary["not_tried"] = {label: count for label, count in skipped.items() if count}
    summary["compared"], summary["equal"] = compared(rows)
    if REFERENCE not in labels or BASE not in labels:
        return summary
    ratios, slower = [], []
    for row in rows:
        ours, theirs = (seconds(row["outcomes"][label], limit) for label in (BASE, REFERENCE))
        ran = row["outcomes"][REFERENCE].status in ("done", "unproven", "time limit")
        solved = any(row["outcomes"][label].status == "done" for label in (BASE, REFERENCE))
        if ran and theirs > COUNTED_SECONDS and solved:
            ratios.append(theirs / ours)
        if ran and ours > theirs + ALLOWED_SECONDS:
            slower.append(f"{row['set']} {row['price']:g}")
    mean = geometric_mean(ratios) if ratios else None
    return summary | {"geometric_mean": mean, "counted": len(ratios), "slower": slower}


def compared(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Count problems of which two packages prove an optimum, and those of which all values are the same."""
    proven = [[o.value for o in row["outcomes"].values() if o.status == "done"] for row in rows]
    several = [values for values in proven if len(values) > 1]
    return len(several), sum(max(values) - min(values) <= TOLERANCE for values in several)


def say_summary(summary: dict[str, Any]) -> None:
    """Print the figures of `summarise`."""
    skipped = summary["not_tried"]
    proofs = ", ".join(
        f"{label} {count}" + (f" ({skipped[label]} not tried)" if label in skipped else "")
        for label, count in summary["proofs"].items()
    )
    say(f"proven of {summary['problems']} in {summary['time_limit']:g} s: {proofs}")
    say(f"proven by two or more: {summary['compared']}, all values equal on {summary['equal']}")
    say(f"false proofs of others, by the value of a better tree: {'; '.join(summary['false']) or 'none'}")
    if summary.get("geometric_mean") is not None:
        counted = f"{summary['counted']} problems on which it needs more than {COUNTED_SECONDS:g} s"
        say(f"{REFERENCE} against streed: geometric mean {summary['geometric_mean']:.1f}x over {counted}")
        say(f"    streed slower by more than 2 ms: {', '.join(summary['slower']) or 'none'}")
