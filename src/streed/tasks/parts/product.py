"""The six components of a product task, from those of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import TaskError
from streed.tolerance import slack

if TYPE_CHECKING:
    from streed.reference import Components
    from streed.tasks.combined import Combined


def product(task: Combined, parts: Sequence[Components[Any, Any]]) -> Components[Any, Any]:
    """Eqs. (g, t, ≻, ⊕, c, s0) of the product; limits compare by the side they limit."""
    from streed.reference import Components

    places = range(len(parts))
    start = tuple(part.initial_state for part in parts)
    everywhere = [(i, limit) for i, limit in task.limits.items() if limit.anti_monotonic]
    at_root = [(i, limit) for i, limit in task.limits.items() if not limit.anti_monotonic]
    promised = [i for i in places if task.tasks[i].worsening]

    def covers(i: int, v: Any, w: Any) -> bool:
        if i in task.limits:
            return task.limits[i].covers(v, w)
        return bool(v == w) or bool(parts[i].better(v, w))

    def join(v: Any, w: Any) -> Any:
        joined = tuple(part.combine(a, b) for part, a, b in zip(parts, v, w, strict=True))
        for i in promised:
            if joined[i] < min(v[i], w[i]) - slack(joined[i]):
                raise TaskError(
                    f"{task.tasks[i].name} says that it is worsening, but {v[i]!r} and {w[i]!r} "
                    f"combine to {joined[i]!r}"
                )
        return joined

    key = _product_key(parts)
    root = start if key is None else key(start)

    def is_root(state: Any) -> bool:
        return bool((state if key is None else key(state)) == root)

    def feasible(v: Any, state: Any) -> bool:
        return (
            all(limit.admits(v[i]) for i, limit in everywhere)
            and (not at_root or not is_root(state) or all(limit.admits(v[i]) for i, limit in at_root))
            and all(part.feasible(v[i], state[i]) for i, part in enumerate(parts))
        )

    return Components(
        cost_leaf=lambda s, label: tuple(part.cost_leaf(s[i], label) for i, part in enumerate(parts)),
        cost_branch=lambda s, f: tuple(part.cost_branch(s[i], f) for i, part in enumerate(parts)),
        transition=lambda s, f, side: tuple(part.transition(s[i], f, side) for i, part in enumerate(parts)),
        better=lambda v, w: v != w and all(covers(i, v[i], w[i]) for i in places),
        combine=join,
        feasible=feasible,
        initial_state=start,
        labels=parts[0].labels,
        features=parts[0].features,
        name=task.name,
        key=key,
        lower_bound=_product_bound(task, parts),
    )


def _product_key(parts: Sequence[Components[Any, Any]]) -> Any:
    keys = [part.key or (lambda state: state) for part in parts]
    if all(part.key is None for part in parts):
        return None
    return lambda s: tuple(key(state) for key, state in zip(keys, s, strict=True))


def _product_bound(task: Combined, parts: Sequence[Components[Any, Any]]) -> Any:
    """Bounds of all parts at once, where each part has one and its limit looks the same way as its order."""
    bounds = [part.lower_bound for part in parts]
    if any(bound is None for bound in bounds):
        return None
    for i, limit in task.limits.items():
        wanted = np.inf if task.tasks[i].maximize else -np.inf
        if (limit.upper_limit if task.tasks[i].maximize else limit.lower_limit) != wanted:
            return None
    return lambda s: tuple(bound(state) for bound, state in zip(bounds, s, strict=True) if bound)


def with_kept_rows(
    whole: Components[Any, Any], X: ArrayLike, kept: NDArray[np.int64], least: int
) -> Components[Any, Any]:
    """Let the set of kept rows (the bits of an integer) go along as the last place of the state."""
    table = np.asarray(X, dtype=bool)[kept]
    sides = {True: table, False: ~table}
    bits = {side: [_bits(column) for column in part.T] for side, part in sides.items()}
    place = {feature: j for j, feature in enumerate(whole.features)}
    key = whole.key
    return replace(
        whole,
        transition=lambda s, f, side: (
            *whole.transition(s[:-1], f, side),
            s[-1] & bits[bool(side)][place[f]],
        ),
        cost_leaf=lambda s, label: whole.cost_leaf(s[:-1], label),
        cost_branch=lambda s, f: whole.cost_branch(s[:-1], f),
        feasible=lambda v, s: s[-1].bit_count() >= least and whole.feasible(v, s[:-1]),
        initial_state=(*whole.initial_state, (1 << len(kept)) - 1),
        key=None if key is None else lambda s: (key(s[:-1]), s[-1]),
        lower_bound=None,
        size=lambda s: s[-1].bit_count(),
    )


def _bits(column: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(column, bitorder="little").tobytes(), "little")
