"""All groups of a mechanism as one function in machine code, from a time to all rates.

Each group is an iteration for its position, and behind it a straight line for its velocities and
accelerations. Up to three unknowns go by Cramer's rule, which divides by the determinant alone,
chi of (20); more, and redundant rows, by the normal equations without pivots, and then rates are
improved once by what they leave of their own rows, so that they have the digits of the Jacobian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.codegen.routine import Iteration
from mbx.compiled import llvm
from mbx.compiled.scalars import Scalars
from mbx.expr.build import add, mul, neg, sub
from mbx.expr.diff import along
from mbx.expr.factors import solve_symmetric
from mbx.expr.matrix import dot
from mbx.expr.nodes import ONE, ZERO, Node, symbol
from mbx.expr.solve import SingularError, solve_cramer
from mbx.expr.subs import substitute
from mbx.groups.group import rate
from mbx.groups.motion import Instant
from mbx.system.names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.numerics import Array
    from mbx.groups.group import Group
    from mbx.groups.motion import Solution

__all__ = ["LARGEST", "TENSOR", "Machine", "compiled"]

Rows = list[list[Node]]
LARGEST: Final = 24
"""Unknowns of a group that are still written out."""
TENSOR: Final = 6
"""The same by third-order tensors, which are much longer."""
_CRAMER: Final = 3
_ROUGH: Final = 1e-9


class _Factors:
    """A Jacobian whose equations are solved in symbols."""

    def __init__(self, J: Rows) -> None:
        self.J = J
        self.r = len(J[0])
        self._columns = [list(column) for column in zip(*J, strict=True)]
        self._small = len(J) == self.r <= _CRAMER
        self._N: Rows = []
        if not self._small:
            for i, a in enumerate(self._columns):
                lower = [dot(a, b) for b in self._columns[: i + 1]]
                self._N.append(lower)
            self._N = [
                [self._N[max(i, j)][min(i, j)] for j in range(self.r)] for i in range(self.r)
            ]

    def solve(self, B: Rows, *, improved: bool = True) -> Rows:
        """Return X with J X = B by least squares."""
        if self._small:
            return [list(row) for row in solve_cramer(self.J, B)]
        X = self._normal(B)
        if improved:
            left = _less(B, _product(self.J, X))
            X = [
                [add(x, y) for x, y in zip(*rows, strict=True)]
                for rows in zip(X, self._normal(left), strict=True)
            ]
        return X

    def _normal(self, B: Rows) -> Rows:
        return self.normal(_product(self._columns, B))

    def normal(self, B: Rows) -> Rows:
        """Return (J^T J)^-1 B; nothing where J is small and square."""
        if self._small:
            return [[ZERO] * len(row) for row in B]
        return solve_symmetric(self._N, B)


def _product(A: Rows, B: Rows) -> Rows:
    columns = list(zip(*B, strict=True))
    return [[dot(row, column) for column in columns] for row in A]


def _less(A: Rows, B: Rows) -> Rows:
    return [[sub(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def _minus(A: Rows) -> Rows:
    return [[neg(a) for a in row] for row in A]


def _column(nodes: Sequence[Node]) -> Rows:
    return [[node] for node in nodes]


class _Writer:
    """Writes groups one after the other; what is known of each coordinate is kept."""

    def __init__(self, drives: Mapping[Node, Node], *, tensor: bool) -> None:
        self.tensor = tensor
        self.iterations: list[Iteration] = []
        self.residuals: list[Node] = []
        self.values: dict[Node, Node] = dict(drives)
        once = along(list(drives.values()), {TIME: ONE})
        twice = along(once, {TIME: ONE})
        self.known = {rate(s): v for s, v in zip(drives, once, strict=True)}
        self.known |= {rate(s, 2): v for s, v in zip(drives, twice, strict=True)}

    def write(self, group: Group) -> None:
        """Write a group: its iteration, and its rates."""
        put = {s: self.values[s] for s in group.h if s in self.values}
        J = [substitute(row, put) for row in group.Phi_phi]
        Phi = substitute(group.rows, put)
        factors = _Factors(J)
        step = [row[0] for row in factors.solve(_column([neg(x) for x in Phi]), improved=False)]
        start = tuple(symbol(f"{s.value}~0") for s in group.phi)
        left = tuple(neg(x) for x in step)
        self.iterations.append(Iteration(group.phi, start, left, tuple(step)))
        if not group.square:
            self.residuals += Phi
        if self.tensor:
            phid, phidd = self._by_tensor(group, put, factors)
        else:
            phid, phidd = self._by_time(group, put, factors)
        self.known |= {rate(s): v for s, v in zip(group.phi, phid, strict=True)}
        self.known |= {rate(s, 2): v for s, v in zip(group.phi, phidd, strict=True)}

    def _by_time(
        self, group: Group, put: Mapping[Node, Node], factors: _Factors
    ) -> tuple[list[Node], list[Node]]:
        known = {**self.known, **put}
        v = substitute(group.velocity, known)
        phid = [row[0] for row in factors.solve(_column([neg(x) for x in v]))]
        known |= {rate(s): x for s, x in zip(group.phi, phid, strict=True)}
        a = substitute(group.acceleration, known)
        return phid, [row[0] for row in factors.solve(_column([neg(x) for x in a]))]

    def _by_tensor(
        self, group: Group, put: Mapping[Node, Node], factors: _Factors
    ) -> tuple[list[Node], list[Node]]:
        """Write (26) and (36), with the term that the paper leaves out; inputs that move alone."""
        moving = [k for k, s in enumerate(group.h) if self.known[rate(s)] is not ZERO]
        hd = [self.known[rate(group.h[k])] for k in moving]
        hdd = [self.known[rate(group.h[k], 2)] for k in moving]
        H = [[substitute([row[k]], put)[0] for k in moving] for row in group.Phi_h]
        T = substitute(group.Phi_t, put)
        K = factors.solve(_minus(H)) if moving else [[] for _ in group.phi]
        Sb = [row[0] for row in factors.solve(_column([neg(x) for x in T]))]
        phid = [add(dot(row, hd), b) for row, b in zip(K, Sb, strict=True)]
        phidd = [dot(row, hdd) for row in K]
        left = [
            [add(a, b) for a, b in zip(*rows, strict=True)]
            for rows in zip(_product(factors.J, K), H, strict=True)
        ]

        def slice_along(w: Sequence[Node], z: Mapping[Node, Node], t: Node) -> Rows:
            way = {**dict(zip(group.phi, w, strict=True)), **z, TIME: t}
            Ji = [substitute(along(row, way), put) for row in group.Phi_phi]
            Hi = [substitute(along([row[k] for k in moving], way), put) for row in group.Phi_h]
            both = [
                [add(a, b) for a, b in zip(*rows, strict=True)]
                for rows in zip(_product(Ji, K), Hi, strict=True)
            ]
            turned = [list(column) for column in zip(*Ji, strict=True)]
            more = factors.normal(_product(turned, left))
            return _minus(
                [
                    [add(a, b) for a, b in zip(*rows, strict=True)]
                    for rows in zip(factors.solve(both), more, strict=True)
                ]
            )

        for i, k in enumerate(moving):
            L = slice_along([row[i] for row in K], {group.h[k]: ONE}, ZERO)
            phidd = [add(x, mul(hd[i], dot(row, hd))) for x, row in zip(phidd, L, strict=True)]
        if group.rheonomic:
            if moving:
                L = slice_along(Sb, {}, ONE)
                phidd = [add(x, dot(row, hd)) for x, row in zip(phidd, L, strict=True)]
            phidd = self._of_time(group, put, factors, (phid, hd, moving), (Sb, T), phidd)
        return phid, phidd

    def _of_time(
        self,
        group: Group,
        put: Mapping[Node, Node],
        factors: _Factors,
        rates: tuple[list[Node], list[Node], list[int]],
        part: tuple[list[Node], list[Node]],
        phidd: list[Node],
    ) -> list[Node]:
        """Add d(Sb)/dt, (34) or (42)."""
        (phid, hd, moving), (Sb, T) = rates, part
        way = dict(zip(group.phi, phid, strict=True)) | {TIME: ONE}
        way |= {group.h[k]: x for k, x in zip(moving, hd, strict=True)}
        Jd = [substitute(along(row, way), put) for row in group.Phi_phi]
        Td = substitute(along(group.Phi_t, way), put)
        first = factors.solve(
            _column([add(dot(row, Sb), x) for row, x in zip(Jd, Td, strict=True)])
        )
        turned = [list(column) for column in zip(*Jd, strict=True)]
        rest = [add(dot(row, Sb), x) for row, x in zip(factors.J, T, strict=True)]
        second = factors.normal(_product(turned, _column(rest)))
        return [sub(x, add(a[0], b[0])) for x, a, b in zip(phidd, first, second, strict=True)]


class Machine:
    """A modular solution in machine code; where it does not end, the solution itself is asked."""

    def __init__(self, solution: Solution) -> None:
        """Write all groups out, and compile them."""
        self.solution = solution
        writer = _Writer(solution.view.drives, tensor=solution.method == "3ot")
        for group in solution.groups:
            writer.write(group)
        given = list(solution.view.drives)
        unknowns = solution.symbols[len(given) :]
        self._count = len(given)
        self._size = len(solution.symbols)
        values = [*(writer.values[s] for s in given), *unknowns]
        rates = [[writer.known[rate(s, k)] for s in solution.symbols] for k in (1, 2)]
        results = {"x": [values], "xd": [rates[0]], "xdd": [rates[1]]}
        if writer.residuals:
            results["Phi"] = [writer.residuals]
        starts = [symbol(f"{s.value}~0") for s in unknowns]
        self._function = Scalars([TIME, *starts], results, writer.iterations)
        self._in = np.zeros(1 + len(unknowns))

    def at(self, t: float, near: Array) -> Instant:
        """Return positions, velocities and accelerations at a time, near some positions."""
        self._in[0] = t
        self._in[1:] = near[self._count :]
        found = self._function.flat(self._in)
        n = self._size
        x = found[:n].copy()
        left = found[3 * n : -1]
        if found[-1] != 0 or (left.size and np.abs(left).max() > _ROUGH * np.abs(x).max() ** 2):
            return self.solution.at(t, near)
        return Instant(t, x, found[n : 2 * n].copy(), found[2 * n : 3 * n].copy())


def compiled(solution: Solution) -> Machine | Solution:
    """Return a modular solution in machine code, or as it is where it cannot be written out."""
    most = TENSOR if solution.method == "3ot" else LARGEST
    small = all(len(group.phi) <= most for group in solution.groups)
    if solution.method not in {"td", "3ot"} or not small or not llvm.available():
        return solution
    try:
        return Machine(solution)
    except SingularError:  # a group without a position: the solution says which, and why
        return solution
