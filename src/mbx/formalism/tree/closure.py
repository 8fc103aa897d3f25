"""Closing a tree that is solved by sweeps: no matrix of the whole tree is written.

    z'' = z0 + Lc lam - Lm e,    Lc = D^-1 C^T,  Lm = D^-1 Ma
    [ -Me          E^T  ] [ e   ]   [ -he       ]
    [ E - C Lm     C Lc ] [ lam ] = [ -b - C z0 ]

z0 and the columns of Lc and Lm come from the sweeps of the form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.steps.shared_steps import close
from mbx.mechanics import reactions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.ties import Ties

    Rows = Sequence[Sequence[Node]]

__all__ = ["Swept", "close_tree", "constraint_forces"]


@dataclass(frozen=True, slots=True)
class Swept:
    """What closing gave: loads, rates of the speeds, of the tree, multipliers.

    `lam` has a row for each invariant of the model, `ties` for all rows of C; `named` are the
    reactions that loads depend on.
    """

    h: Matrix
    ud: Matrix
    zdd: Matrix
    lam: Matrix
    ties: Matrix
    named: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Closing:
    """The matrices that close the tree; Lm is None without speeds beside it."""

    C: Matrix
    b: Matrix
    Lc: Matrix
    Lm: Matrix | None
    K: Matrix


def close_tree(
    program: Program,
    closing: Ties,
    levels: Levels,
    loaded: Callable[[Program, Matrix], Matrix],
    response: Callable[[Program, Matrix, str], Matrix],
) -> Swept:
    """Add the loads and the steps from them to ud and lam.

    `loaded(p, h)` adds the sweep under loads, h = (six a link; Q; he), and returns z0;
    `response(p, F, name)` adds the sweep for forces F on the rates alone, a column each, from
    rest and without loads, and returns the matrix `name`.
    """
    named = reactions.named_in(levels, closing.h)
    links, n, e = len(closing.wrenches), len(closing.rates), len(closing.beside)
    labels = [f"load {k + 1}.{part}" for k in range(links) for part in "xyzuvw"]
    labels += [*closing.rates, *closing.beside]
    of = None if closing.open else _prepare(program, closing, response)
    program.within = ""

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        z0 = loaded(p, h)
        p.begin("rates of the speeds" if of is None else "multipliers and the whole motion")
        if of is None:
            ud = p.let("ud", z0.rows(closing.order), "rates of the speeds")
            lam = p.define("lam", [], "multipliers", columns=["lam"])
            return ud, lam, z0, lam
        off = p.let("off", -(of.C @ z0) - of.b, "what the tree alone leaves open")
        right = off
        if e:
            first = 6 * links + n
            he = p.let("he", h.rows(range(first, first + e)), "loads beside the tree")
            right = p.let("k", p.stack(-he, off))
        unique = e + len(closing.rows) if named else e
        x = p.solve("x", of.K, right, unique=unique)
        rows = range(e, e + len(closing.rows))
        ties = p.let("ties", x.rows(rows), "multipliers of invariants and ties")
        zdd = z0 + p.let("Yl", of.Lc @ ties)
        parts = []
        if of.Lm is not None:
            parts = [p.let("e", x.rows(range(e)), "rates of the speeds beside the tree")]
            zdd -= p.let("Yae", of.Lm @ parts[0])
        zdd = p.let("zdd", zdd, "rates of the hinges' rates")
        every = p.let("zdde", p.stack(zdd, *parts)) if e else zdd
        ud = p.let("ud", every.rows(closing.order), "rates of the speeds")
        return ud, p.let("lam", ties.rows(range(closing.invariants)), "multipliers"), zdd, ties

    program.begin("loads")
    Y = reactions.reaction_map(levels, named)
    closed = close(program, closing.h, named, Y, solve, labels=labels, meaning="loads")
    program.begin("constraint forces")
    zdd, ties = closed.others
    return Swept(closed.h, closed.ud, zdd, closed.lam, ties, tuple(named))


def _prepare(
    p: Program, closing: Ties, response: Callable[[Program, Matrix, str], Matrix]
) -> _Closing:
    """Add K: what multipliers and speeds beside the tree do to the rows."""
    rates, extra, rows = closing.rates, closing.beside, closing.rows
    p.within = "loops"
    p.begin("invariants and ties")
    C = p.define("C", closing.C, "invariants and ties by z''", rows=rows, columns=rates)
    b = p.column("b", closing.b, "invariants and ties without rates", rows=rows)
    Lc = response(p, p.let("Ct", C.T), "Lc")
    p.begin("what multipliers do to the rows")
    CY = p.let("CY", C @ Lc, "what multipliers do to the rows")
    if not extra:
        return _Closing(C, b, Lc, None, p.let("K", CY))
    E = p.define("E", closing.E, "invariants and ties by e", rows=rows, columns=extra)
    Ma = p.define("Ma", closing.Ma, "inertia that loads add", rows=rates, columns=extra)
    Me = p.define("Me", closing.Me, "inertia beside the tree", rows=extra, columns=extra)
    Lm = response(p, Ma, "Lm")
    p.begin("what multipliers and speeds beside the tree do to the rows")
    Ea = p.let("Ea", E - p.let("CYa", C @ Lm))
    Et, Mem = E.T, -Me
    return _Closing(C, b, Lc, Lm, p.let("K", p.block([[Mem, Et], [Ea, CY]])))


def constraint_forces(p: Program, levels: Levels, lam: Matrix) -> dict[str, Matrix]:
    """Add the invariants on the speeds, and Fc = A^T lam; return these as results."""
    u = [s.path for s in levels.motion.speeds]
    rows = [r.path for r in levels.rows]
    A = p.define("Au", levels.A, "invariants by ud", rows=rows, columns=u)
    b = p.column("bu", levels.b, "invariants without ud", rows=rows)
    Fc = p.let("Fc", A.T @ lam, "constraint forces")
    return {"Fc": Fc, "lam": lam, "A": A, "b": b}
