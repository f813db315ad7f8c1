"""A thin layer over HiGHS: variables and rows as NumPy index arrays, then one call.

Models of trees have some ten variables per training row, so that they are built from arrays.

>>> import numpy as np
>>> model = Model()
>>> x = model.variables((2,), cost=np.array([3.0, 2.0]), integer=True)
>>> row = model.rows(1, upper=1.0)
>>> model.add(row[0], x, 1.0)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]
MOST_ENTRIES = 10**8
"""Coefficients that a program may have: more do not fit into the memory of most machines."""


@dataclass(frozen=True)
class Solved:
    """What HiGHS found: values of the variables (None without a solution), objective, bound and gap."""

    values: NDArray[np.float64] | None
    objective: float
    bound: float
    gap: float
    optimal: bool


class Model:
    """An integer program that is maximised; variables lie between 0 and 1.

    Parameters
    ----------
    offset : float, default=0.0
        A constant part of the objective, which relative gaps refer to.
    """

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset
        self.costs: list[NDArray[np.float64]] = []
        self.integer: list[NDArray[np.bool_]] = []
        self.lower: list[NDArray[np.float64]] = []
        self.upper: list[NDArray[np.float64]] = []
        self.entries: list[tuple[Indices, Indices, NDArray[np.float64]]] = []
        self.n_variables = self.n_rows = self.n_entries = 0

    def variables(self, shape: tuple[int, ...], *, cost: ArrayLike = 0.0, integer: bool = False) -> Indices:
        """Add variables; returns their numbers in the given shape."""
        count = math.prod(shape)
        self.costs.append(np.broadcast_to(np.asarray(cost, dtype=np.float64), shape).reshape(-1))
        self.integer.append(np.full(count, integer))
        numbers = np.arange(self.n_variables, self.n_variables + count).reshape(shape)
        self.n_variables += count
        return numbers

    def rows(self, count: int, *, lower: float = -math.inf, upper: float = math.inf) -> Indices:
        """Add empty constraints; returns their numbers."""
        self.lower.append(np.full(count, lower))
        self.upper.append(np.full(count, upper))
        numbers = np.arange(self.n_rows, self.n_rows + count)
        self.n_rows += count
        return numbers

    def add(self, rows: ArrayLike, variables: ArrayLike, values: ArrayLike) -> None:
        """Add terms to constraints; the three arguments are broadcast against each other."""
        r, v, c = np.broadcast_arrays(np.asarray(rows), np.asarray(variables), np.asarray(values, np.float64))
        used = c.reshape(-1) != 0
        self.n_entries += int(np.count_nonzero(used))
        if self.n_entries > MOST_ENTRIES:
            raise MemoryError(f"the program has more than {MOST_ENTRIES:.0e} entries")
        self.entries.append((r.reshape(-1)[used], v.reshape(-1)[used], c.reshape(-1)[used]))

    def solve(self, time_limit: float) -> Solved:
        """Maximise with one thread, to a proof of optimality if time allows."""
        highspy: Any = import_module("highspy")
        solver = highspy.Highs()
        options = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-7}
        for name, value in {**options, "time_limit": max(0.1, time_limit)}.items():
            solver.setOptionValue(name, value)
        solver.passModel(self._program(highspy))
        solver.run()
        info = solver.getInfo()
        found = info.primal_solution_status == 2
        return Solved(
            np.array(solver.getSolution().col_value) if found else None,
            float(info.objective_function_value) if found else -math.inf,
            float(info.mip_dual_bound),
            float(info.mip_gap) if found else math.inf,
            solver.getModelStatus() == highspy.HighsModelStatus.kOptimal,
        )

    def _program(self, highspy: Any) -> Any:
        """Make HiGHS's own description, rows compressed."""
        rows = np.concatenate([one[0] for one in self.entries])
        order = np.argsort(rows, kind="stable")
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.n_variables, self.n_rows
        program.offset_ = self.offset
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = np.concatenate(self.costs)
        program.col_lower_ = np.zeros(self.n_variables)
        program.col_upper_ = np.ones(self.n_variables)
        program.row_lower_ = np.concatenate(self.lower)
        program.row_upper_ = np.concatenate(self.upper)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        starts = np.searchsorted(rows[order], np.arange(self.n_rows + 1))
        program.a_matrix_.start_ = starts.astype(np.int32)
        program.a_matrix_.index_ = np.concatenate([one[1] for one in self.entries])[order].astype(np.int32)
        program.a_matrix_.value_ = np.concatenate([one[2] for one in self.entries])[order]
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        program.integrality_ = [kinds[one] for one in np.concatenate(self.integer).astype(int)]
        return program
