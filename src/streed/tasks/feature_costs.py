"""What tests cost: a price per column, with groups in which the first test makes the others cheaper."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.magnitudes import LARGEST, as_float
from streed.table.units import in_units
from streed.tasks.forms import Prices
from streed.tasks.parts.price_rule import price

PriceOfColumns: TypeAlias = Mapping[Any, float] | Sequence[float]
"""Prices by the names or positions of columns, or one per column in order."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One test that can be bought: its name, its group (None for none) and its two prices."""

    name: Any
    group: Any
    full: float
    discounted: float


class FeatureCosts:
    """Prices of tests, per column of the table.

    Every row that reaches a node pays for the node's test: nothing if the same column was tested before on
    the path, the discounted price if another column of its group was, else the full price. All binary
    features that come from one column share its price, and paying once opens all of them. What is given is
    copied: the prices of an object do not change.

    Parameters
    ----------
    costs : mapping or sequence of float
        Price of each column, not negative: by name or position, or one number per column in order. Columns
        that a mapping leaves out are free.
    discounted : mapping or sequence of float, optional
        Price of each column once another column of its group was tested; not above its full price, which it
        is by default.
    groups : mapping or sequence, optional
        Group of each column, any hashable; None for no group.
    attributes : mapping or sequence, optional
        For tests that give several columns at once, such as one-hot columns or a panel of laboratory values:
        the name of the test that each column belongs to. The three other parameters are then mappings from
        the names of tests. Columns that a mapping leaves out are tests by themselves.

    Examples
    --------
    >>> from streed import FeatureCosts
    >>> costs = FeatureCosts({"blood": 7.3, "sugar": 5.0}, discounted={"sugar": 2.0},
    ...                      groups={"blood": "lab", "sugar": "lab"})
    >>> costs.total(["age", "blood", "sugar"])
    9.3
    """

    # What was found for the last table is remembered: fits are often repeated, and small ones take less time.
    _known: tuple[tuple[str, ...], list[Attribute]] | None = None
    _for_features: tuple[tuple[Any, ...], FeatureCosts] | None = None
    own_list: Any = None
    """The `PriceList` where every binary feature is a column."""

    def __init__(
        self,
        costs: PriceOfColumns,
        discounted: PriceOfColumns | None = None,
        groups: Mapping[Any, Any] | Sequence[Any] | None = None,
        attributes: Mapping[Any, Any] | Sequence[Any] | None = None,
    ) -> None:
        self.costs, self.discounted = _copied(costs), _copied(discounted)
        self.groups, self.attributes = _copied(groups), _copied(attributes)
        for name, values in (("costs", costs), ("discounted", discounted)):
            for key, value in _items(name, values):
                _check_price(name, key, value)
        for _, group in _items("groups", groups):
            if not isinstance(group, Hashable):
                raise TypeError(f"a group must be hashable, got {group!r}")
        _items("attributes", attributes)
        if attributes is not None:
            for name, given in (("costs", costs), ("discounted", discounted), ("groups", groups)):
                if given is not None and not isinstance(given, Mapping):
                    raise TypeError(
                        f"with attributes, {name} must be a mapping from the names of tests, got {given!r}"
                    )

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("costs", "discounted", "groups", "attributes")}

    def __repr__(self) -> str:
        given = {"discounted": self.discounted, "groups": self.groups, "attributes": self.attributes}
        parts = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"FeatureCosts({', '.join([repr(self.costs), *parts])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureCosts) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_columns(self) -> int | None:
        """Number of columns, where it follows from a parameter that is a sequence; else None."""
        for given in (self.attributes, self.costs, self.discounted, self.groups):
            if given is not None and not isinstance(given, Mapping):
                return len(given)
        return None

    def tests(self, names: Sequence[str]) -> list[Attribute]:
        """Return the test that each column belongs to.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.

        Returns
        -------
        list of Attribute
            One entry per column; columns of one test have the same.
        """
        if self._known is not None and self._known[0] == tuple(names):
            return self._known[1]
        found = self._tests(names)
        self._known = (tuple(names), found)
        return found

    def _tests(self, names: Sequence[str]) -> list[Attribute]:
        given = _per_column("attributes", self.attributes, names, names, list(names))
        keys = [name if key is None else key for name, key in zip(names, given, strict=True)]
        known = list(dict.fromkeys(keys)) if self.attributes is not None else list(names)
        full = dict(
            zip(known, _per_column("costs", self.costs, known, names, [0.0] * len(known)), strict=True)
        )
        group = dict(
            zip(known, _per_column("groups", self.groups, known, names, [None] * len(known)), strict=True)
        )
        cheap = _per_column("discounted", self.discounted, known, names, [full[key] for key in known])
        tests = {}
        for key, discounted in zip(known, cheap, strict=True):
            if discounted > full[key]:
                raise ValueError(
                    f"the discounted price of {key!r} must not be above its full price {full[key]!r}, "
                    f"got {discounted!r}"
                )
            tests[key] = Attribute(key, group[key], float(full[key]), float(discounted))
        return [tests[key] for key in keys]

    def for_features(self, names: Sequence[str], columns: ArrayLike) -> FeatureCosts:
        """Return the same prices with a test for each binary feature in turn.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        columns : array-like of int, shape (n_features,)
            The column that each binary feature comes from, as a position in `names`.

        Returns
        -------
        FeatureCosts
            Prices by the names of tests, and the test of each feature.
        """
        of = np.asarray(columns, np.intp)
        key = (*names, of.tobytes())
        if self._for_features is None or self._for_features[0] != key:
            tests = self.tests(names)
            tests = [tests[column] for column in of.tolist()]
            by_test = dict.fromkeys(tests)
            made = FeatureCosts(
                {test.name: test.full for test in by_test},
                {test.name: test.discounted for test in by_test},
                {test.name: test.group for test in by_test},
                [test.name for test in tests],
            )
            self._for_features = (key, made)
        return self._for_features[1]

    def prices(self, columns: ArrayLike, names: Sequence[str], unit: float = 1.0) -> Prices:
        """Return the prices of binary features.

        Parameters
        ----------
        columns : array-like of int, shape (n_features,)
            The column that each binary feature comes from, as a position in `names`.
        names : sequence of str
            Names of the columns.
        unit : float, default=1.0
            What the prices are counted in.

        Returns
        -------
        streed.tasks.base.Prices
            The prices in the form that the engine takes.
        """
        tests = self.tests(names)
        attribute = _numbers(test.name for test in tests)
        group = _numbers(test.group for test in tests)
        of = np.asarray(columns, np.intp)
        full = np.array([test.full for test in tests], np.float64)
        discounted = np.array([test.discounted for test in tests], np.float64)
        return Prices(
            attribute=attribute[of],
            group=group[of],
            full=in_units(full, unit)[of],
            discounted=in_units(discounted, unit)[of],
        )

    def total(self, names: Sequence[str]) -> float:
        """Return what it costs to make every test once, in the order of the columns, discounts included.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.

        Returns
        -------
        float
            The sum of the prices: the first test of each group has its full price.
        """
        seen: set[Any] = set()
        prices = []
        for test in dict.fromkeys(self.tests(names)):
            prices.append(price(test.full, test.discounted, tested=False, group_tested=test.group in seen))
            if test.group is not None:
                seen.add(test.group)
        return math.fsum(prices)


def as_feature_costs(given: object) -> FeatureCosts:
    """Return prices of tests: an object of them, or what makes one, a price per column by name or in order.

    Examples
    --------
    >>> from streed.tasks.feature_costs import as_feature_costs
    >>> as_feature_costs({"age": 1}), as_feature_costs([1, 2])
    (FeatureCosts({'age': 1}), FeatureCosts([1, 2]))
    """
    if isinstance(given, FeatureCosts):
        return given
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence | np.ndarray):
        raise TypeError(
            "feature_costs must be a streed.FeatureCosts, a dict from columns to prices, or one price per "
            f"column, got {given!r}"
        )
    return FeatureCosts(given)  # type: ignore[arg-type]


def _copied(given: Any) -> Any:
    """Copy a mapping or a sequence; anything else is refused where it is read."""
    if isinstance(given, Mapping):
        return dict(given)
    return list(given) if isinstance(given, list | tuple | np.ndarray) else given


def _items(name: str, given: object) -> list[tuple[Any, Any]]:
    """Pairs of key and value of a mapping or a sequence."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise TypeError(f"{name} must be a mapping from columns or one value per column, got {given!r}")
    return list(enumerate(given))


def _check_price(name: str, key: object, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must hold numbers, got {value!r} for {key!r}")
    if not 0 <= as_float(value) <= LARGEST:
        raise ValueError(
            f"{name} must be finite (at most {LARGEST:g}) and not negative, got {value!r} for {key!r}"
        )


def _per_column(
    name: str, given: Any, known: Sequence[Any], columns: Sequence[str], default: Sequence[Any]
) -> Iterable[Any]:
    """Values in the order of `known` (columns or tests), defaults where a mapping has none."""
    if given is None:
        return default
    if not isinstance(given, Mapping):
        if len(given) != len(known):
            raise ValueError(
                f"{name} must hold one value for each of the {len(known)} columns, got {len(given)}"
            )
        return list(given)
    values = list(default)
    for key, value in given.items():
        values[_position(name, key, known, columns)] = value
    return values


def _position(name: str, key: Any, known: Sequence[Any], columns: Sequence[str]) -> int:
    if key in known:
        return known.index(key)
    by_position = isinstance(key, numbers.Integral) and not isinstance(key, bool)
    if by_position and len(known) == len(columns) and 0 <= int(key) < len(known):
        return int(key)
    shown = ", ".join(map(repr, known[:12])) + (", ..." if len(known) > 12 else "")
    raise ValueError(f"{name} has {key!r}, which is none of the columns: {shown}")


def _numbers(keys: Iterable[Any]) -> NDArray[np.int32]:
    """Give each distinct key the next number from 0 on, None the number -1."""
    position: dict[Any, int] = {}
    return np.array(
        [-1 if key is None else position.setdefault(key, len(position)) for key in keys], np.int32
    )
