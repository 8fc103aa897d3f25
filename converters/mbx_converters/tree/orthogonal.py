"""The orthogonal projection of M_Sigma: H_Sigma = Z^T S M^-1 S^T Z, (38), in blocks of two links.

    H_ii = Z_i^T (M_i^-1 + C_i M_k^-1 C_i^T) Z_i          k the link that carries i
    H_ik = -Z_i^T C_i M_k^-1 Z_k
    H_ij = Z_i^T C_i M_k^-1 C_j^T Z_j                     j another link that k carries

    H_Sigma lam = Z^T (b - S M^-1 (S^T m - a)),  m = A (A^T A)^-1 e
    y = Z lam + m,  x = M^-1 (S^T y - a),  z = (A^T A)^-1 A^T (S x - b)                 (36), (37)

Twists are taken at the mass centres, and in the rows that have inertia (`mbx.mechanics.
subspaces`): of a matrix in these rows the name has an `r`. A row without inertia transmits what
acts on it: it is summed with its parent, and with the loads on the hinge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import sub
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.links import carrying, spatial_inertia
from mbx_converters.tree import block_cholesky
from mbx_converters.tree.right_hand_sides import Request, Unknowns, stack_hinges

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.subspaces import Subspace
    from mbx_converters.tree.block_cholesky import Neighbours
    from mbx_converters.tree.link_kinematics import ByLink, Hinges

__all__ = ["Orthogonal", "factorize", "kin"]

_SIX: Final = 6
_H: Final = "H"


def kin(tree: Links, kept: Sequence[Subspace]) -> Neighbours:
    """Return, for each link that is held, the held one that carries it and earlier siblings."""
    near: Neighbours = {}
    for k, (link, space) in enumerate(zip(tree.links, kept, strict=True)):
        if not space.constrained:
            continue
        up = link.parent
        family = [] if up is None else [up, *(j for j in tree.children[up] if j < k)]
        near[k + 1] = tuple(j + 1 for j in family if kept[j].constrained)
    return near


@dataclass(frozen=True, slots=True)
class _Kept:
    """A, C and M of links in the rows that are kept."""

    A: dict[int, Matrix] = field(default_factory=dict)
    C: dict[int, Matrix] = field(default_factory=dict)
    M: dict[int, Matrix] = field(default_factory=dict)
    AA: dict[int, Matrix] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Across:
    """Z of links, and M^-1 Z: by the inertia behind a hinge, and by that before it."""

    Z: dict[int, Matrix] = field(default_factory=dict)
    MZ: dict[int, Matrix] = field(default_factory=dict)
    ZC: dict[int, Matrix] = field(default_factory=dict)
    MCZ: dict[int, Matrix] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orthogonal:
    """H_Sigma of a tree about the mass centres of its links, factorized.

    Attributes:
        on: The hinges.
        kept: What is kept of each link.
        rows: Matrices of the links in the rows that are kept.
        across: What each hinge holds.
        H: The factors.
    """

    on: Hinges
    kept: Sequence[Subspace]
    rows: _Kept
    across: _Across
    H: block_cholesky.Factors

    def sweep(self, p: Program, request: Request) -> Unknowns:
        """Add lam, y and z, and x of the kept rows; x of all rows where wanted."""
        t, on, A, AA = request.mark, self.on, self.rows.A, self.rows.AA
        a, e = self._transmitted(p, request)
        p.begin("unknowns of the links, without multipliers")
        m = {
            k: p.let(f"{t}m_{k}", A[k] @ _divide(p, f"{t}Ae_{k}", AA[k], e[k], "(A^T A)^-1 e"))
            for k in e
        }
        x0 = self._without_lam(p, request, a, m)
        b = {k: self._keep(p, f"{t}b", k, six) for k, six in request.b.items()}
        right = {}
        for k in self.H.neighbours:
            direct, moved = [x0[k]] if k in x0 else [], self._moved(k, x0, b)
            if direct or moved:
                off = p.let(f"{t}off_{k}", -_subtract(p, direct, moved))
                right[k] = p.let(f"{t}Zo_{k}", self.across.Z[k].T @ off)
        meanings = {k: f"multipliers of the hinge of {on.link(k).path}" for k in self.H.neighbours}
        lam = self.H.solve(p, right, f"{t}lam", meanings)
        x = self._with_lam(p, request, x0, lam)
        z = {}
        for k in on.free:
            gap = _subtract(p, [x[k]], self._moved(k, x, b))
            meaning = f"{request.meanings[2]} {on.link(k).path}" if request.meanings[2] else ""
            z[k] = _divide(p, f"{request.z}_{k}", AA[k], A[k].T @ gap, meaning)
        return Unknowns(
            self._all_rows_of_x(p, request, x, z) if request.x else {},
            self._all_rows_of_y(p, request, lam, m) if request.y else {},
            z,
        )

    def _is_whole(self, k: int) -> bool:
        """Return whether all six rows of a link are kept."""
        return len(self.kept[k - 1].kept) == _SIX

    def _keep(self, p: Program, name: str, k: int, six: Matrix) -> Matrix:
        """Return a column in the kept rows of a link."""
        if self._is_whole(k):
            return six
        return p.let(f"{name}r_{k}", six.rows(self.kept[k - 1].kept))

    def _transmitted(self, p: Program, request: Request) -> tuple[ByLink, ByLink]:
        """Add a in the kept rows, and e, both with what the other rows transmit."""
        p.begin("backward sweep, leaves to root: what rows without inertia transmit")
        t, on = request.mark, self.on
        a: dict[int, Matrix] = {}
        e = dict(request.e)
        passed: dict[int, Matrix] = {}
        for k, link in reversed(on.links):
            terms = [request.a[k]] if k in request.a else []
            terms += [passed[j] for j in on.children(k) if j in passed]
            if not terms:
                continue
            six = terms[0] if len(terms) == 1 else p.let(f"{t}aa_{k}", p.sum(terms))
            a[k] = self._keep(p, f"{t}a", k, six)
            passing = self.kept[k - 1].passing
            if not passing:
                continue
            P = p.define(f"{t}P_{k}", _choose(passing), f"rows of {link.path} without inertia")
            ad = p.let(f"{t}ad_{k}", P @ six)
            if link.freedoms:
                e[k] = p.let(f"{t}er_{k}", e[k] - on.A[k].T @ ad)
            if link.parent is not None:
                passed[k] = p.let(f"{t}Cad_{k}", on.C[k].T @ ad)
        return a, e

    def _without_lam(self, p: Program, request: Request, a: ByLink, m: ByLink) -> ByLink:
        """Add x0 = M^-1 (S^T m - a)."""
        t, on, C, M = request.mark, self.on, self.rows.C, self.rows.M
        x0 = {}
        for k, _ in on.links:
            plus = [m[k]] if k in m else []
            minus = [C[j].T @ m[j] for j in on.children(k) if j in m]
            minus += [a[k]] if k in a else []
            if plus or minus:
                right = p.let(f"{t}sm_{k}", _subtract(p, plus, minus))
                x0[k] = _divide(p, f"{t}x0_{k}", M[k], right, "without multipliers")
        return x0

    def _moved(self, k: int, x: ByLink, b: ByLink) -> list[Matrix]:
        """Return C_k x_up and b_k, what moves a link while its own rates are zero."""
        up = self.on.parent(k)
        carried = [self.rows.C[k] @ x[up]] if up in x else []
        return [*carried, b[k]] if k in b else carried

    def _with_lam(self, p: Program, request: Request, x0: ByLink, lam: ByLink) -> ByLink:
        """Add x = x0 + M^-1 S^T Z lam in the kept rows."""
        p.begin("unknowns of the links, by the multipliers")
        x = {}
        for k, _ in self.on.links:
            plus = [x0[k]] if k in x0 else []
            plus += [self.across.MZ[k] @ lam[k]] if k in lam else []
            minus = [self.across.MCZ[j] @ lam[j] for j in self.on.children(k) if j in lam]
            if plus or minus:
                x[k] = p.let(f"{request.mark}xk_{k}", _subtract(p, plus, minus))
        return x

    def _all_rows_of_x(
        self, p: Program, request: Request, kept: ByLink, z: ByLink
    ) -> dict[int, Matrix]:
        """Add x: of whole links as it is, of others from link to link."""
        p.begin(f"forward sweep, root to leaves: {request.meanings[0]} each link")
        on = self.on
        x: dict[int, Matrix] = {}
        for k, link in on.links:
            name, meaning = f"{request.x}_{k}", f"{request.meanings[0]} {link.path}"
            if self._is_whole(k) and k in kept:
                x[k] = p.let(name, kept[k], meaning)
                continue
            terms = [request.b[k]] if k in request.b else []
            terms += [on.C[k] @ x[on.parent(k)]] if on.parent(k) else []
            terms += [on.A[k] @ z[k]] if link.freedoms else []
            if terms:
                x[k] = p.let(name, p.sum(terms), meaning)
            else:
                x[k] = p.column(name, [ZERO] * _SIX, meaning)
        return x

    def _all_rows_of_y(
        self, p: Program, request: Request, lam: ByLink, m: ByLink
    ) -> dict[int, Matrix]:
        """Add y = Z lam + m, leaves first; rows without inertia balance what acts on them."""
        p.begin(f"backward sweep, leaves to root: {request.meanings[1]} each link")
        on = self.on
        y: dict[int, Matrix] = {}
        Cy: dict[int, Matrix] = {}
        for k, link in reversed(on.links):
            terms = [self.across.Z[k] @ lam[k]] if k in lam else []
            terms += [m[k]] if k in m else []
            name, meaning = f"{request.y}_{k}", f"{request.meanings[1]} {link.path}"
            if not (self._is_whole(k) and terms):
                rest = [request.a[k]] if k in request.a else []
                rest += [Cy[j] for j in on.children(k)]
                terms = self._in_all_rows(p, request.mark, k, terms, rest)
            if terms:
                y[k] = p.let(name, p.sum(terms), meaning)
            else:
                y[k] = p.column(name, [ZERO] * _SIX, meaning)
            if link.parent is not None:
                Cy[k] = on.C[k].T @ y[k]
        return y

    def _in_all_rows(
        self, p: Program, t: str, k: int, reactions: Sequence[Matrix], rest: Sequence[Matrix]
    ) -> list[Matrix]:
        """Return what the hinge holds in the kept rows, and the rest in the others."""
        path, kept = self.on.link(k).path, self.kept[k - 1].kept
        parts = []
        if reactions:
            yk = p.let(f"{t}yk_{k}", p.sum(reactions))
            placed = [[ONE if i == j else ZERO for j in kept] for i in range(_SIX)]
            parts.append(p.define(f"{t}Pk_{k}", placed, f"rows of {path} with inertia") @ yk)
        if rest:
            ya = p.let(f"{t}ya_{k}", p.sum(rest))
            left_out = _choose([i for i in range(_SIX) if i not in kept])
            parts.append(p.define(f"{t}Pl_{k}", left_out, f"rows of {path} without inertia") @ ya)
        return parts

    def response(self, p: Program, F: Matrix, name: str) -> Matrix:
        """Add `name` = D^-1 F: accelerations by forces on the rates alone, a column each."""
        e = {k: p.let(f"{name}e_{k}", F.rows(self.on.link(k).own)) for k in self.on.free}
        unknowns = self.sweep(p, Request(x="", z=f"{name}z", e=e, mark=name))
        return stack_hinges(p, self.on, unknowns.z, name)


def _divide(p: Program, name: str, matrix: Matrix, right: Matrix, meaning: str) -> Matrix:
    return p.solve(name, matrix, right, "positive", meaning=meaning)


def _subtract(p: Program, plus: Sequence[Matrix], minus: Sequence[Matrix]) -> Matrix:
    """Return a sum of matrices less others."""
    return reduce(sub, minus, p.sum(plus)) if plus else reduce(sub, minus[1:], -minus[0])


def _choose(rows: Collection[int]) -> list[list[Node]]:
    """Return the matrix that leaves some of six rows and makes the others zero."""
    return [[ONE if i == j and i in rows else ZERO for j in range(_SIX)] for i in range(_SIX)]


def factorize(p: Program, on: Hinges, M: ByLink, kept: Sequence[Subspace]) -> Orthogonal:
    """Add Z of each link, the blocks of H_Sigma, and its factors."""
    p.begin("rows that have inertia, and what each hinge holds")
    rows = _in_kept_rows(p, on, M, kept)
    near = kin(on.tree, kept)
    across = _across(p, on, rows, [(k, kept[k - 1]) for k in near])
    p.begin("blocks of H_Sigma, link by link")
    H: dict[tuple[int, int], Matrix] = {}
    for k in near:
        path, up = on.link(k).path, on.parent(k)
        terms = [across.Z[k].T @ across.MZ[k]]
        terms += [across.ZC[k] @ across.MCZ[k]] if up else []
        H[k, k] = p.let(f"{_H}_{k}_{k}", p.sum(terms), f"block of {path}, (38)")
        for j in near[k]:
            both = f"block of {path} and {on.link(j).path}"
            by = -(across.ZC[k] @ across.MZ[j]) if j == up else across.ZC[k] @ across.MCZ[j]
            H[k, j] = p.let(f"{_H}_{k}_{j}", by, both)
    return Orthogonal(on, kept, rows, across, block_cholesky.factorize(p, _H, near, H))


def _in_kept_rows(p: Program, on: Hinges, M: ByLink, kept: Sequence[Subspace]) -> _Kept:
    """Add A^T A, and A, C and M in the kept rows where some are left out."""
    rows = _Kept(dict(on.A), dict(on.C), dict(M))
    for k, link in on.links:
        rows_kept, up = kept[k - 1].kept, on.parent(k)
        columns = kept[up - 1].kept if up else range(_SIX)
        if len(rows_kept) < _SIX:
            inertia = spatial_inertia(link)
            Mr = [[inertia[i][j] for j in rows_kept] for i in rows_kept]
            rows.M[k] = p.define(f"Mr_{k}", Mr, f"M_{k} where there is inertia")
            if link.freedoms:
                meaning = f"A_{k} where there is inertia"
                rows.A[k] = p.let(f"Ar_{k}", on.A[k].rows(rows_kept), meaning)
        if link.freedoms:
            rows.AA[k] = p.let(f"AA_{k}", rows.A[k].T @ rows.A[k])
        if up and (len(rows_kept) < _SIX or len(columns) < _SIX):
            C = carrying(link)
            Cr = [[C[i][j] for j in columns] for i in rows_kept]
            rows.C[k] = p.define(f"Cr_{k}", Cr, f"C_{k} where there is inertia")
            p.place(rows.C[k].T)
    return rows


def _across(p: Program, on: Hinges, rows: _Kept, spaces: Sequence[tuple[int, Subspace]]) -> _Across:
    """Add Z of each link, and what the inertias before and behind its hinge make of it."""
    made = _Across()
    for k, space in spaces:
        meaning = f"what the hinge of {on.link(k).path} holds, A^T Z = 0"
        if space.Z is not None:
            Z = p.define(f"Z_{k}", space.Z, meaning)
        else:
            Z = p.null(f"Z_{k}", rows.A[k].T, meaning=meaning)
        p.place(Z.T)
        made.Z[k] = Z
        made.MZ[k] = _divide(p, f"MZ_{k}", rows.M[k], Z, "M^-1 Z")
        up = on.parent(k)
        if up:
            ZC = made.ZC[k] = p.let(f"ZC_{k}", Z.T @ rows.C[k])
            made.MCZ[k] = _divide(p, f"MCZ_{k}", rows.M[up], ZC.T, "the same before the hinge")
    return made
