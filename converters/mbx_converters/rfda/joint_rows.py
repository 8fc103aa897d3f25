"""What a joint says of the rates of its two nodes: joint rows, driving rows, and their inverse.

    Q_k y'_j + G_k y'_k = nu_k                    (1)
    Qd_k y'_j + Gd_k y'_k = nud_k + z'_k          (59)
    [E_k D_k] = [G_k; Gd_k]^-1                    (60)

Rows on all three components of a velocity are in ground components, others in those of the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.expr.algebra.small_systems import generic_rank
from mbx.expr.build import divide, neg
from mbx.expr.matrix import NULL, UNIT, dot, matmul, matvec, skew, transposed
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.tree.absolute_hinges import across, hinge
from mbx_converters.rfda.absolute_rates import grid, matrix, vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Matrix, Vector
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = [
    "RATES",
    "driving_rows",
    "full_rank",
    "held",
    "joint_rows",
    "over_hinge",
    "released",
]

Rows = list[list[Node]]
RATES: Final = ("vx", "vy", "vz", "wx", "wy", "wz")
_SIX: Final = 6


def full_rank(rows: Sequence[Sequence[Node]], path: str) -> None:
    """Refuse joint rows that depend on each other: the reactions in them would not be unique."""
    if rows and generic_rank(rows) < len(rows):
        raise EquationsError(f"the joint of '{path}' has dependent rows: G must have full row rank")


def joint_rows(p: NamedProgram, tree: Links, k: int) -> int:
    """Add G and Q of a node and return how many rows they have."""
    link, at = tree.links[k - 1], hinge(tree, k - 1)
    found = across(at.A)
    R = matrix(p, f"Rw_{k}")
    RT = transposed(R)
    lever = None if at.e is NULL else matmul(skew(at.e), RT)
    inverse = grid([[RT, lever], [None, RT]])
    p.derived(f"Ti_{k}", inverse, "rates of the node to a twist at the joint")
    p.transpose(f"AT_{k}", f"A_{k}")
    if found.own is None:
        p.nullspace(f"Z_{k}", f"AT_{k}", meaning=_Z)
        p.transpose(f"ZT_{k}", f"Z_{k}")
        p.product(f"G_{k}", f"ZT_{k}", f"Ti_{k}", meaning=_G)
    else:
        full_rank(found.own, link.path)
        columns = [list(c) for c in zip(*inverse, strict=True)]
        G: Rows = []
        if found.linear:
            G += grid([[UNIT, _arm(p, k, R, at.e)]])
        G += [[dot(z, c) for c in columns] for z in found.own]
        if found.angular:
            G += grid([[None, UNIT]])
        p.derived(f"G_{k}", G, _G, columns=RATES)
    p.transpose(f"GT_{k}", f"G_{k}")
    if link.parent is not None:
        p.product(f"GB_{k}", f"G_{k}", f"B_{k}")
        p.sum(f"Q_{k}", f"GB_{k}", signs=(-1,), meaning="joint rows by the parent, (1)")
        p.transpose(f"QT_{k}", f"Q_{k}")
    p.product(f"gamma_{k}", f"G_{k}", f"d_{k}", meaning="joint rows without accelerations, (3)")
    return _SIX - link.freedoms


_G: Final = "joint rows, (1)"
_Z: Final = "what the hinge does not let happen"


def _arm(p: NamedProgram, k: int, R: Matrix, e: Vector) -> Matrix | None:
    """Return sigma~, sigma the mass centre from the joint in ground components."""
    if e is NULL:
        return None
    sigma = matvec(R, e)
    p.derived(f"sig_{k}", [[x] for x in sigma], "mass centre from the joint")
    return skew(vector([row[0] for row in p.entries(f"sig_{k}")]))


def driving_rows(p: NamedProgram, tree: Links, k: int) -> None:
    """Add Gd and Qd of a node after its joint rows, (58) and (59)."""
    p.product(f"Gb_{k}", f"AT_{k}", f"Ti_{k}", meaning="driving rows before scaling, (58)")
    p.product(f"Hf_{k}", f"AT_{k}", f"A_{k}", meaning="what the rates do to these, (58)")
    p.solve(f"Gd_{k}", f"Hf_{k}", f"Gb_{k}", "positive", meaning="driving rows, (59)")
    p.transpose(f"GdT_{k}", f"Gd_{k}")
    if tree.links[k - 1].parent is not None:
        p.product(f"GdB_{k}", f"Gd_{k}", f"B_{k}")
        p.sum(f"Qd_{k}", f"GdB_{k}", signs=(-1,), meaning="driving rows by the parent, (59)")
        p.transpose(f"QdT_{k}", f"Qd_{k}")
    p.product(f"gammad_{k}", f"Gd_{k}", f"d_{k}", meaning="driving rows without accelerations")


def released(p: NamedProgram, tree: Links, k: int) -> None:
    """Add E and D by inverting joint and driving rows, (60), and H = D, (61)."""
    held = _SIX - tree.links[k - 1].freedoms
    p.block(f"GG_{k}", [[f"G_{k}"], [f"Gd_{k}"]], "joint and driving rows, (59)")
    p.transpose(f"GGT_{k}", f"GG_{k}")
    p.identity(f"I_{k}", _SIX)
    p.solve(f"EDT_{k}", f"GGT_{k}", f"I_{k}", meaning="[E D]^T, (60)")
    p.rows(f"ET_{k}", f"EDT_{k}", range(held))
    p.rows(f"HT_{k}", f"EDT_{k}", range(held, _SIX))
    p.transpose(f"E_{k}", f"ET_{k}", meaning=_E)
    p.transpose(f"H_{k}", f"HT_{k}", meaning="D, rates of the node by those of the hinge, (61)")


def over_hinge(p: NamedProgram, tree: Links, n: str, k: int) -> None:
    """Add z'' = Gd y''_k + Qd y''_j - gammad, from the driving rows (59); from rest with `n`."""
    link = tree.links[k - 1]
    terms, signs = [p.product(f"{n}Gdy_{k}", f"Gd_{k}", f"{n}ydd_{k}")], [1]
    if link.parent is not None:
        terms.append(p.product(f"{n}Qdy_{k}", f"Qd_{k}", f"{n}ydd_{link.parent + 1}"))
        signs.append(1)
    if not n:
        terms.append(f"gammad_{k}")
        signs.append(-1)
    p.sum(f"{n}z_{k}", *terms, signs=tuple(signs), meaning="rates of the hinge's rates")


def held(p: NamedProgram, tree: Links, k: int, *, after_rows: bool = False) -> None:
    """Add E with G E = 1 and Gd E = 0, (60), in closed form: no inverse is needed."""
    at = hinge(tree, k - 1)
    found = across(at.A)
    if found.own is None:
        if not after_rows:
            p.transpose(f"AT_{k}", f"A_{k}")
            p.nullspace(f"Z_{k}", f"AT_{k}", meaning=_Z)
        p.product(f"E_{k}", f"T_{k}", f"Z_{k}", meaning=_E)
        p.transpose(f"ET_{k}", f"E_{k}")
        return
    R = matrix(p, f"Rw_{k}")
    T = grid([[R, None if at.e is NULL else _minus_arm(R, at.e)], [None, R]])
    columns: Rows = []
    if found.linear:
        columns += grid([[UNIT, None]])
    columns += [[dot(row, y) for row in T] for y in map(_scaled, found.own)]
    if found.angular:
        # columns of [-sigma~; 1]: rows of [sigma~, 1]
        lever = None if at.e is NULL else skew(matvec(R, at.e))
        columns += grid([[lever, UNIT]])
    p.derived(f"ET_{k}", columns, columns=RATES)
    p.transpose(f"E_{k}", f"ET_{k}", meaning=_E)


_E: Final = "constrained rates, (60)"


def _minus_arm(R: Matrix, e: Vector) -> Matrix:
    return matmul(R, skew((neg(e[0]), neg(e[1]), neg(e[2]))))


def _scaled(z: Sequence[Node]) -> list[Node]:
    square = dot(z, z)
    return [x if square is ONE or x is ZERO else divide(x, square) for x in z]
