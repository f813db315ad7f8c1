"""What can be reached where no tree keeps all limits: each limit alone, and each with the others kept.

A quantity that is one sum is searched directly: its least or greatest sum, alone and within the other limits.
A parity is many sums, and its least value is found by halving the allowed difference, to a thousandth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from streed.errors import InfeasibleError, Reachable
from streed.limits.limit import Limit
from streed.limits.line import Line, shape_of
from streed.limits.report import kept_limits
from streed.solver import limited_search
from streed.solver.recount import predicted
from streed.solver.run import Run
from streed.tasks.forms import Sums

HALVINGS = 10
"""A share is known to a thousandth after ten halvings."""


def infeasible(run: Run, form: Sums, answer: Mapping[str, Any]) -> InfeasibleError:
    """Say for each limit what can be reached, and what the tree of least total violation has.

    `answer` is that of the search that found no tree; it knows that tree if there was time for it.
    """
    closest = _closest(run, form, answer)
    table = _reachable(run, form) if form.explained else ()
    if form.why is not None:
        return InfeasibleError(form.why(closest), table, closest or ())
    text = "no tree within the limits on its size keeps "
    if table:
        said = [f"{one.limit} ({_words(one)})" for one in table]
        text += f"{'all of the limits' if len(table) > 1 else 'the limit'} {'; '.join(said)}"
    else:
        text += "all limits"
    if closest is not None and len(table) != 1:
        values = zip(form.limits, closest, strict=True)
        near = ", ".join(f"{limit.quantity!r} {value:.6g}" for limit, value in values)
        text += f". The tree of the least total violation has {near}"
    return InfeasibleError(text, table, closest or ())


def _reachable(run: Run, form: Sums) -> tuple[Reachable, ...]:
    """Return for each limit what can be reached alone, and with the others kept."""
    count = len(form.limits)
    table = []
    for k, limit in enumerate(form.limits):
        if not form.lines[k]:
            continue
        others = tuple(line for j in range(count) if j != k for line in form.lines[j])
        alone = _best(run, form, k, ())
        table.append(Reachable(repr(limit), alone, alone if not others else _best(run, form, k, others)))
    return tuple(table)


def _words(one: Reachable) -> str:
    alone = "unknown" if one.alone is None else f"{one.alone:.6g} can be reached"
    if one.alone == one.together:
        return alone
    together = (
        "nothing within the other limits" if one.together is None else f"{one.together:.6g} with the others"
    )
    return f"{alone} alone, {together}"


def _answer(run: Run, costs: Any, lines: tuple[Line, ...], tests: Any = None) -> dict[str, Any] | None:
    """Search within lines; None if there is no tree, or no time."""
    if run.time_left <= 0:
        return None
    answer = limited_search.search(run, costs, 0.0, tests, lines)
    return answer if "feature" in answer else None


def _value(run: Run, form: Sums, k: int, answer: dict[str, Any]) -> float:
    labels = predicted(answer, run.rows)
    return kept_limits(form.limits[k : k + 1], form.limited, labels, shape_of(answer, run.rows))[0].value


def _best(run: Run, form: Sums, k: int, others: tuple[Line, ...]) -> float | None:
    """Return the value of one quantity that is nearest to its limit, within other limits."""
    limit, own = form.limits[k], form.lines[k]
    if limit.quantity.fixed and not (math.isfinite(own[0].lower) and math.isfinite(own[0].upper)):
        sign = 1.0 if math.isfinite(own[0].upper) else -1.0
        answer = _answer(run, sign * own[0].costs, others, own[0].tests)
        return None if answer is None else _value(run, form, k, answer)
    return _halved(run, form, limit, k, others)


def _halved(run: Run, form: Sums, limit: Limit, k: int, others: tuple[Line, ...]) -> float | None:
    """Move the limit towards what can be reached by halving, as far as the time goes."""
    nothing = np.zeros_like(form.lines[k][0].costs)
    low, high = limit.least, limit.most
    step = Fraction(1) if limit.quantity.share else None
    if step is None:
        ends = form.lines[k][0].range()
        step = Fraction(max(abs(ends[0]), abs(ends[1]), 1.0)).limit_denominator() / form.limited.total
    best: float | None = None
    near, far = Fraction(0), step
    for _ in range(HALVINGS + 1):
        middle = far if best is None else (near + far) / 2
        wider = _widened(limit, low, high, middle)
        answer = _answer(run, nothing, (*limit.quantity.lines(form.limited, wider), *others))
        if answer is None:
            if best is None:
                return None
            near = middle
            continue
        best, far = _value(run, form, k, answer), middle
    return best


def _widened(limit: Limit, low: Fraction | None, high: Fraction | None, by: Fraction) -> Limit:
    if limit.quantity.share:
        low = None if low is None else max(low - by, Fraction(0))
        high = None if high is None else min(high + by, Fraction(1))
    else:
        low, high = (None if low is None else low - by), (None if high is None else high + by)
    return Limit(limit.quantity, low, high)


def _closest(run: Run, form: Sums, answer: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Return what the tree whose sums break the limits by the least total is worth in each limit."""
    tree = answer.get("closest_tree")
    if tree is None:
        return None
    labels = predicted(tree, run.rows)
    return tuple(
        one.value for one in kept_limits(form.limits, form.limited, labels, shape_of(tree, run.rows))
    )
