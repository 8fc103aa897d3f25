"""A group written out: Newton's step for its position, then its velocities and accelerations.

Up to three unknowns go by Cramer's rule, which divides by the determinant alone, chi of (20);
more, and redundant rows, by the normal equations without pivots, and then rates are improved
once by what they leave of their own rows, so that they have the digits of the Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.analyses.kinematics.groups.group import rate
from mbx.analyses.kinematics.groups.solve_group import ROUGH
from mbx.codegen.routine import Iteration
from mbx.expr.algebra.elimination import solve_symmetric
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import add, divide, dot, mul, neg, power, sub
from mbx.expr.derivatives import along
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.numerics.tolerances import LEAST_UNKNOWN
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.groups.group import Group

__all__ = ["Rows", "Writer"]

Rows = list[list[Node]]
_CRAMER: Final = 3


class _Factors:
    """A Jacobian whose equations are solved in symbols."""

    def __init__(self, J: Rows) -> None:
        self.J = J
        self.r = len(J[0])
        self._columns = _turned(J)
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
            X = _plus(X, self._normal(left))
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


def _plus(A: Rows, B: Rows) -> Rows:
    return [[add(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def _turned(A: Rows) -> Rows:
    return [list(column) for column in zip(*A, strict=True)]


def _minus(A: Rows) -> Rows:
    return [[neg(a) for a in row] for row in A]


def _column(nodes: Sequence[Node]) -> Rows:
    return [[node] for node in nodes]


@dataclass(frozen=True, slots=True, eq=False)
class Writer:
    """Writes a group out; inputs that do not move have no rates."""

    group: Group
    moving: tuple[bool, ...]

    def written(self, *, tensor: bool) -> tuple[Iteration, dict[str, Rows]]:
        """Return the iteration for its position, and a check, positions and rates."""
        group = self.group
        factors = _Factors(group.Phi_phi)
        step = factors.solve(_column([neg(x) for x in group.rows]), improved=False)
        moves = tuple(row[0] for row in step)
        start = tuple(symbol(f"{s.value}~0") for s in group.phi)
        rounds = Iteration(group.phi, start, tuple(neg(x) for x in moves), moves, ROUGH)
        phid, phidd = self._by_tensor(factors) if tensor else self._by_time(factors)
        check = ZERO if group.square else self._check()
        return rounds, {"check": [[check]], "x": [[*group.phi]], "xd": [phid], "xdd": [phidd]}

    def _check(self) -> Node:
        """Return what is above 1 where least squares end at a position that keeps no row."""
        group = self.group
        left = add(*(power(x, 2) for x in group.rows), ZERO)
        slopes = add(*(power(x, 2) for row in group.Phi_phi for x in row), ZERO)
        size = add(*(power(x, 2) for x in group.phi), number(LEAST_UNKNOWN**2))
        return divide(mul(number(ROUGH**-2), left), mul(slopes, size))

    @property
    def _still(self) -> dict[Node, Node]:
        inputs = zip(self.group.h, self.moving, strict=True)
        return {rate(s, k): ZERO for s, moves in inputs if not moves for k in (1, 2)}

    def _by_time(self, factors: _Factors) -> tuple[list[Node], list[Node]]:
        group, known = self.group, self._still
        v = substitute(group.velocity, known)
        phid = [row[0] for row in factors.solve(_column([neg(x) for x in v]))]
        known |= {rate(s): x for s, x in zip(group.phi, phid, strict=True)}
        a = substitute(group.acceleration, known)
        return phid, [row[0] for row in factors.solve(_column([neg(x) for x in a]))]

    def _by_tensor(self, factors: _Factors) -> tuple[list[Node], list[Node]]:
        """Write (26) and (36), with the term that the paper leaves out; inputs that move alone."""
        group = self.group
        moving = [k for k, moves in enumerate(self.moving) if moves]
        hd = [rate(group.h[k]) for k in moving]
        hdd = [rate(group.h[k], 2) for k in moving]
        H = [[row[k] for k in moving] for row in group.Phi_h]
        T = group.Phi_t
        K = factors.solve(_minus(H)) if moving else [[] for _ in group.phi]
        Sb = [row[0] for row in factors.solve(_column([neg(x) for x in T]))]
        phid = [add(dot(row, hd), b) for row, b in zip(K, Sb, strict=True)]
        phidd = [dot(row, hdd) for row in K]
        left = _plus(_product(factors.J, K), H)

        def slice_along(w: Sequence[Node], z: Mapping[Node, Node], t: Node) -> Rows:
            way = {**dict(zip(group.phi, w, strict=True)), **z, TIME: t}
            Ji = [along(row, way) for row in group.Phi_phi]
            Hi = [along([row[k] for k in moving], way) for row in group.Phi_h]
            more = factors.normal(_product(_turned(Ji), left))
            return _minus(_plus(factors.solve(_plus(_product(Ji, K), Hi)), more))

        for i, k in enumerate(moving):
            L = slice_along([row[i] for row in K], {group.h[k]: ONE}, ZERO)
            phidd = [add(x, mul(hd[i], dot(row, hd))) for x, row in zip(phidd, L, strict=True)]
        if group.rheonomic:
            if moving:
                L = slice_along(Sb, {}, ONE)
                phidd = [add(x, dot(row, hd)) for x, row in zip(phidd, L, strict=True)]
            more = self._of_time(factors, phid, Sb)
            phidd = [sub(x, y) for x, y in zip(phidd, more, strict=True)]
        return phid, phidd

    def _of_time(self, factors: _Factors, phid: list[Node], Sb: list[Node]) -> list[Node]:
        """Return minus d(Sb)/dt, (34) or (42)."""
        group = self.group
        way = dict(zip(group.phi, phid, strict=True)) | {TIME: ONE}
        way |= {s: rate(s) for s, moves in zip(group.h, self.moving, strict=True) if moves}
        Jd = [along(row, way) for row in group.Phi_phi]
        Td = along(group.Phi_t, way)
        first = factors.solve(
            _column([add(dot(row, Sb), x) for row, x in zip(Jd, Td, strict=True)])
        )
        rest = [add(dot(row, Sb), x) for row, x in zip(factors.J, group.Phi_t, strict=True)]
        second = factors.normal(_product(_turned(Jd), _column(rest)))
        return [add(a[0], b[0]) for a, b in zip(first, second, strict=True)]
