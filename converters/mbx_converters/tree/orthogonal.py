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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.links import carrying, spatial_inertia
from mbx_converters.tree import block_cholesky
from mbx_converters.tree.right_hand_sides import Ask, hinged, stacked

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.subspaces import Subspace
    from mbx_converters.tree.block_cholesky import Neighbours

__all__ = ["Across", "factors", "kin", "response", "sweep"]

_SIX: Final = 6
_H: Final = "H"


@dataclass(frozen=True, eq=False, slots=True)
class Across:
    """A tree about the mass centres of its links, with what is kept of each."""

    tree: Links
    kept: Sequence[Subspace]

    def whole(self, k: int) -> bool:
        """Return whether all six rows of a link are kept."""
        return len(self.kept[k - 1].kept) == _SIX

    def name(self, letter: str, k: int) -> str:
        """Return the name of a matrix of a link in its kept rows."""
        return f"{letter}_{k}" if self.whole(k) else f"{letter}r_{k}"

    def C(self, k: int, of: str = "C") -> str:  # noqa: N802  the letter of the text
        """Return the name of C, or of `Ct`, between kept rows."""
        up = self.tree.links[k - 1].parent
        both = self.whole(k) and up is not None and self.whole(up + 1)
        return f"{of}_{k}" if both else f"{of}r_{k}"

    def up(self, k: int) -> int | None:
        """Return the number of the link that carries one."""
        up = self.tree.links[k - 1].parent
        return None if up is None else up + 1

    def carried(self, k: int) -> list[int]:
        """Return the numbers of the links that one carries."""
        return [j + 1 for j in self.tree.children[k - 1]]

    def held(self, k: int) -> bool:
        """Return whether the hinge of a link holds anything."""
        return self.kept[k - 1].held > 0

    @property
    def every(self) -> range:
        """The numbers of all links."""
        return range(1, len(self.tree.links) + 1)


def kin(on: Across) -> Neighbours:
    """Return, for each link that is held, the held one that carries it and earlier siblings."""
    found: Neighbours = {}
    for k in on.every:
        up = on.up(k)
        if not on.held(k):
            continue
        family = [] if up is None else [up, *(j for j in on.carried(up) if j < k)]
        found[k] = tuple(j for j in family if on.held(j))
    return found


def factors(p: NamedProgram, on: Across) -> None:
    """Add Z of each link, the blocks of H_Sigma, and its factors."""
    p.begin("rows that have inertia, and what each hinge holds")
    for k in on.every:
        _in_kept_rows(p, on, k)
    near = kin(on)
    for k in near:
        _across(p, on, k)
    p.begin("blocks of H_Sigma, link by link")
    for k in near:
        path = on.tree.links[k - 1].path
        p.product(f"ZMZ_{k}", f"Zt_{k}", f"MZ_{k}")
        terms = [f"ZMZ_{k}"]
        up = on.up(k)
        if up is not None:
            terms.append(p.product(f"ZCY_{k}", f"ZC_{k}", f"MCZ_{k}"))
        p.sum(f"H_{k}_{k}", *terms, meaning=f"block of {path}, (38)")
        for j in near[k]:
            both = f"block of {path} and {on.tree.links[j - 1].path}"
            if j == up:
                p.product(f"ZCMZ_{k}", f"ZC_{k}", f"MZ_{j}")
                p.sum(f"H_{k}_{j}", f"ZCMZ_{k}", signs=(-1,), meaning=both)
            else:
                p.product(f"H_{k}_{j}", f"ZC_{k}", f"MCZ_{j}", meaning=both)
    block_cholesky.factor(p, _H, near)


def _in_kept_rows(p: NamedProgram, on: Across, k: int) -> None:
    """Add A^T A, and A, C and M in the kept rows where some are left out."""
    link, own = on.tree.links[k - 1], on.kept[k - 1].kept
    if not on.whole(k):
        M = spatial_inertia(link)
        p.define(f"Mr_{k}", [[M[i][j] for j in own] for i in own], f"M_{k} where there is inertia")
        if link.freedoms:
            p.rows(f"Ar_{k}", f"A_{k}", own, f"A_{k} where there is inertia")
            p.transpose(f"Atr_{k}", f"Ar_{k}")
    if link.freedoms:
        p.product(f"AA_{k}", on.name("At", k), on.name("A", k))
    up = on.up(k)
    if up is not None and on.C(k) == f"Cr_{k}":
        C, columns = carrying(link), on.kept[up - 1].kept
        rows = [[C[i][j] for j in columns] for i in own]
        p.define(f"Cr_{k}", rows, f"C_{k} where there is inertia")
        p.transpose(f"Ctr_{k}", f"Cr_{k}")


def _across(p: NamedProgram, on: Across, k: int) -> None:
    """Add Z of a link, and what the inertias before and behind its hinge make of it."""
    link, sub = on.tree.links[k - 1], on.kept[k - 1]
    meaning = f"what the hinge of {link.path} holds, A^T Z = 0"
    if sub.Z is not None:
        p.define(f"Z_{k}", sub.Z, meaning)
    else:
        p.nullspace(f"Z_{k}", on.name("At", k), meaning=meaning)
    p.transpose(f"Zt_{k}", f"Z_{k}")
    p.solve(f"MZ_{k}", on.name("M", k), f"Z_{k}", "positive", meaning="M^-1 Z")
    up = on.up(k)
    if up is not None:
        p.product(f"ZC_{k}", f"Zt_{k}", on.C(k))
        p.transpose(f"CZ_{k}", f"ZC_{k}")
        p.solve(
            f"MCZ_{k}", on.name("M", up), f"CZ_{k}", "positive", meaning="the same before the hinge"
        )


def sweep(p: NamedProgram, on: Across, ask: Ask) -> None:
    """Add lam, y and z, and x of the kept rows; x of all rows where wanted."""
    t = ask.mark
    a, e = _transmitted(p, on, ask)
    p.begin("unknowns of the links, without multipliers")
    m = {
        k: p.product(
            f"{t}m_{k}", on.name("A", k), _solved(p, f"{t}Ae_{k}", f"AA_{k}", e[k], "(A^T A)^-1 e")
        )
        for k in e
    }
    first = _without_lam(p, on, ask, a, m)
    b = {k: _kept(p, on, f"{t}b", k, name) for k, name in ask.b.items()}
    near = kin(on)
    right = {}
    for k in near:
        if gap := _gap(p, on, f"{t}off", k, first, b, sign=-1):
            right[k] = p.product(f"{t}Zo_{k}", f"Zt_{k}", gap)
    meanings = {k: f"multipliers of the hinge of {on.tree.links[k - 1].path}" for k in near}
    lam = block_cholesky.solve(p, _H, near, right, f"{t}lam", meanings)
    second = _with_lam(p, on, ask, first, lam)
    for k in hinged(on.tree):
        gap = _gap(p, on, f"{t}over", k, second, b, sign=1)
        p.product(f"{t}As_{k}", on.name("At", k), gap)
        meaning = f"{ask.meanings[2]} {on.tree.links[k - 1].path}" if ask.meanings[2] else ""
        p.solve(f"{ask.z}_{k}", f"AA_{k}", f"{t}As_{k}", "positive", meaning=meaning)
    if ask.x:
        _all_rows_of_x(p, on, ask, second)
    if ask.y:
        _all_rows_of_y(p, on, ask, lam, m)


def _solved(p: NamedProgram, name: str, matrix: str, right: str, meaning: str) -> str:
    return p.solve(name, matrix, right, "positive", meaning=meaning)


def _kept(p: NamedProgram, on: Across, name: str, k: int, six: str) -> str:
    """Return a column in the kept rows of a link."""
    return six if on.whole(k) else p.rows(f"{name}r_{k}", six, on.kept[k - 1].kept)


def _transmitted(p: NamedProgram, on: Across, ask: Ask) -> tuple[dict[int, str], dict[int, str]]:
    """Add a in the kept rows, and e, both with what the other rows transmit."""
    p.begin("backward sweep, leaves to root: what rows without inertia transmit")
    t = ask.mark
    a: dict[int, str] = {}
    e = dict(ask.e)
    passed: dict[int, str] = {}
    for k in reversed(on.every):
        link = on.tree.links[k - 1]
        terms = [ask.a[k]] if k in ask.a else []
        terms += [passed[j] for j in on.carried(k) if j in passed]
        if not terms:
            continue
        six = terms[0] if len(terms) == 1 else p.sum(f"{t}aa_{k}", *terms)
        a[k] = _kept(p, on, f"{t}a", k, six)
        passing = on.kept[k - 1].passing
        if not passing:
            continue
        p.define(f"{t}P_{k}", _chosen(passing), f"rows of {link.path} without inertia")
        p.product(f"{t}ad_{k}", f"{t}P_{k}", six)
        if link.freedoms:
            p.product(f"{t}Aad_{k}", f"At_{k}", f"{t}ad_{k}")
            e[k] = p.sum(f"{t}er_{k}", e[k], f"{t}Aad_{k}", signs=(1, -1))
        if link.parent is not None:
            passed[k] = p.product(f"{t}Cad_{k}", f"Ct_{k}", f"{t}ad_{k}")
    return a, e


def _chosen(rows: Collection[int]) -> list[list[Node]]:
    """Return the matrix that leaves some of six rows and makes the others zero."""
    return [[ONE if i == j and i in rows else ZERO for j in range(_SIX)] for i in range(_SIX)]


def _without_lam(
    p: NamedProgram, on: Across, ask: Ask, a: dict[int, str], m: dict[int, str]
) -> dict[int, str]:
    """Add x0 = M^-1 (S^T m - a)."""
    t = ask.mark
    found = {}
    for k in on.every:
        terms, signs = ([m[k]], [1]) if k in m else ([], [])
        for j in on.carried(k):
            if j in m:
                terms.append(p.product(f"{t}Cm_{j}", on.C(j, "Ct"), m[j]))
                signs.append(-1)
        if k in a:
            terms.append(a[k])
            signs.append(-1)
        if terms:
            p.sum(f"{t}sm_{k}", *terms, signs=tuple(signs))
            found[k] = _solved(
                p, f"{t}x0_{k}", on.name("M", k), f"{t}sm_{k}", "without multipliers"
            )
    return found


def _gap(
    p: NamedProgram,
    on: Across,
    name: str,
    k: int,
    x: dict[int, str],
    b: dict[int, str],
    *,
    sign: int,
) -> str:
    """Add x_k - C_k x_up - b_k, or minus that; return "" where it is zero."""
    terms, signs = [], []
    up = on.up(k)
    if k in x:
        terms.append(x[k])
        signs.append(sign)
    if up is not None and up in x:
        terms.append(p.product(f"{name}C_{k}", on.C(k), x[up]))
        signs.append(-sign)
    if k in b:
        terms.append(b[k])
        signs.append(-sign)
    return p.sum(f"{name}_{k}", *terms, signs=tuple(signs)) if terms else ""


def _with_lam(
    p: NamedProgram, on: Across, ask: Ask, first: dict[int, str], lam: dict[int, str]
) -> dict[int, str]:
    """Add x = x0 + M^-1 S^T Z lam in the kept rows."""
    p.begin("unknowns of the links, by the multipliers")
    t = ask.mark
    found = {}
    for k in on.every:
        terms, signs = ([first[k]], [1]) if k in first else ([], [])
        if k in lam:
            terms.append(p.product(f"{t}MZl_{k}", f"MZ_{k}", lam[k]))
            signs.append(1)
        for j in on.carried(k):
            if j in lam:
                terms.append(p.product(f"{t}Yl_{j}", f"MCZ_{j}", lam[j]))
                signs.append(-1)
        if terms:
            found[k] = p.sum(f"{t}xk_{k}", *terms, signs=tuple(signs))
    return found


def _all_rows_of_x(p: NamedProgram, on: Across, ask: Ask, kept: dict[int, str]) -> None:
    """Add x: what was found, and where rows are left out, from link to link."""
    p.begin(f"forward sweep, root to leaves: {ask.meanings[0]} each link")
    t = ask.mark
    for k in on.every:
        link = on.tree.links[k - 1]
        meaning = f"{ask.meanings[0]} {link.path}"
        if on.whole(k) and k in kept:
            p.sum(f"{ask.x}_{k}", kept[k], meaning=meaning)
            continue
        terms = [ask.b[k]] if k in ask.b else []
        if link.parent is not None:
            terms.append(p.product(f"{t}Cx_{k}", f"C_{k}", f"{ask.x}_{link.parent + 1}"))
        if link.freedoms:
            terms.append(p.product(f"{t}Az_{k}", f"A_{k}", f"{ask.z}_{k}"))
        if terms:
            p.sum(f"{ask.x}_{k}", *terms, meaning=meaning)
        else:
            p.column(f"{ask.x}_{k}", [ZERO] * _SIX, meaning)


def _all_rows_of_y(
    p: NamedProgram, on: Across, ask: Ask, lam: dict[int, str], m: dict[int, str]
) -> None:
    """Add y = Z lam + m, leaves first; rows without inertia balance what acts on them."""
    p.begin(f"backward sweep, leaves to root: {ask.meanings[1]} each link")
    t = ask.mark
    for k in reversed(on.every):
        link, own = on.tree.links[k - 1], on.kept[k - 1].kept
        meaning = f"{ask.meanings[1]} {link.path}"
        terms = [p.product(f"{t}Zl_{k}", f"Z_{k}", lam[k])] if k in lam else []
        terms += [m[k]] if k in m else []
        if on.whole(k) and terms:
            p.sum(f"{ask.y}_{k}", *terms, meaning=meaning)
        else:
            parts = []
            if terms:
                p.sum(f"{t}yk_{k}", *terms)
                placed = [[ONE if i == j else ZERO for j in own] for i in range(_SIX)]
                p.define(f"{t}Pk_{k}", placed, f"rows of {link.path} with inertia")
                parts.append(p.product(f"{t}Py_{k}", f"{t}Pk_{k}", f"{t}yk_{k}"))
            rest = [ask.a[k]] if k in ask.a else []
            rest += [f"{t}C{ask.y}_{j}" for j in on.carried(k)]
            if rest:
                p.sum(f"{t}ya_{k}", *rest)
                others = _chosen([i for i in range(_SIX) if i not in own])
                p.define(f"{t}Pl_{k}", others, f"rows of {link.path} without inertia")
                parts.append(p.product(f"{t}Pya_{k}", f"{t}Pl_{k}", f"{t}ya_{k}"))
            if parts:
                p.sum(f"{ask.y}_{k}", *parts, meaning=meaning)
            else:
                p.column(f"{ask.y}_{k}", [ZERO] * _SIX, meaning)
        if link.parent is not None:
            p.product(f"{t}C{ask.y}_{k}", f"Ct_{k}", f"{ask.y}_{k}")


def response(p: NamedProgram, on: Across, F: str, name: str) -> str:
    """Add `name` = D^-1 F: accelerations by forces on the rates alone, a column each."""
    e = {k: p.rows(f"{name}e_{k}", F, on.tree.links[k - 1].own) for k in hinged(on.tree)}
    sweep(p, on, Ask(x="", z=f"{name}z", e=e, mark=name))
    return stacked(p, on.tree, f"{name}z", name)
