"""The methods that are run, one line each.

To add one: a module with ``DISTRIBUTION`` (the package whose version is shown) and ``run(X, y, options)`` as
described in `benchmarks.peers`, and a line in `METHODS`. Beside what is said there, the answer may hold
``tree`` (rows of feature, left, right, label), from which held-out rows are scored, and ``figures`` (numbers
with names). The modules of `benchmarks.peers` are used as they are. ``options`` also holds all arrays of the
problem beside ``X`` and ``y``. `experiments.nursery` imports ``packages`` before it forks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method: its module, whether it runs with the peers' interpreter, and packages to load beforehand."""

    module: str
    peer: bool = False
    packages: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    "streed": Method("experiments.methods.streed", packages=("streed",)),
    "streed front": Method("experiments.methods.streed_front", packages=("streed",)),
    "pystreed": Method("benchmarks.peers.pystreed", peer=True, packages=("pystreed",)),
    "DL8.5": Method("benchmarks.peers.pydl85", peer=True, packages=("pydl85",)),
    "GOSDT": Method("benchmarks.peers.gosdt", peer=True, packages=("gosdt",)),
    "CART": Method("experiments.methods.cart", packages=("sklearn.tree",)),
    "weighted CART": Method("experiments.methods.weighted_cart", packages=("sklearn.tree",)),
    "Jo MIP": Method("experiments.methods.jo_mip", peer=True, packages=("highspy",)),
    "Aghaei MIP": Method("experiments.methods.aghaei_mip", peer=True, packages=("highspy",)),
    "CAIPWL-opt": Method("experiments.methods.caipwl"),
    **{
        f"predicts {family}": Method("experiments.methods.predict", peer, ("streed", "sklearn.tree"))
        for peer, families in (
            (False, ("one fit", "log loss", "tuned", "free", "ceilings", "sizes")),
            (True, ("FIGS", "ConTree", "pystreed", "pystreed tuned", "FastSmallTree")),
        )
        for family in families
    },
    **{
        f"costs {algorithm}": Method("experiments.methods.cost_sensitive", packages=("streed",))
        for algorithm in ("streed", "TMDP", "C4.5", "CSID3", "EG2", "IDX", "MetaCost")
    },
}
