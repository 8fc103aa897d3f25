"""Closing a tree that is solved by sweeps: no matrix of the whole tree is written.

    z'' = z0 + Lc lam - Lm e,    Lc = D^-1 C^T,  Lm = D^-1 Ma
    [ -Me          E^T  ] [ e   ]   [ -he       ]
    [ E - C Lm     C Lc ] [ lam ] = [ -b - C z0 ]

z0 and the columns of Lc and Lm come from sweeps of the form's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.steps.reactive_loads import close
from mbx.mechanics import reactions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.ties import Ties

    Rows = Sequence[Sequence[Node]]

__all__ = ["Swept", "close_tree", "constraint_forces"]


@dataclass(frozen=True, slots=True)
class Swept:
    """Names of what closing gave: loads, rates of the speeds, of the tree, multipliers.

    `lam` has a row for each invariant of the model, `ties` for all rows of C; `named` are the
    reactions that loads depend on.
    """

    h: str
    ud: str
    zdd: str
    lam: str
    ties: str
    named: tuple[Node, ...]


def close_tree(
    program: Program,
    closing: Ties,
    levels: Levels,
    loaded: Callable[[Program, str], str],
    response: Callable[[Program, str, str], str],
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
    if not closing.open:
        _prepare(program, closing, response)
        program.within = ""

    def solve(p: Program, h: str) -> tuple[str, str]:
        z0 = loaded(p, h)
        p.begin("rates of the speeds" if closing.open else "multipliers and the whole motion")
        if closing.open:
            p.rows("ud", z0, closing.order, "rates of the speeds")
            return "ud", p.define("lam", [], "multipliers", columns=["lam"])
        p.product("Cz0", "C", z0)
        p.sum("off", "Cz0", "b", signs=(-1, -1), meaning="what the tree alone leaves open")
        right = "off"
        if e:
            first = 6 * links + n
            p.rows("he", h, range(first, first + e), "loads beside the tree")
            p.sum("hem", "he", signs=(-1,))
            right = p.block("k", [["hem"], ["off"]])
        p.solve("x", "K", right, "least_squares", unique=e + len(closing.rows) if named else e)
        rows = range(e, e + len(closing.rows))
        p.rows("ties", "x", rows, "multipliers of invariants and ties")
        p.product("Yl", "Lc", "ties")
        terms, signs = [z0, "Yl"], [1, 1]
        if e:
            p.rows("e", "x", range(e), "rates of the speeds beside the tree")
            p.product("Yae", "Lm", "e")
            terms.append("Yae")
            signs.append(-1)
        p.sum("zdd", *terms, signs=tuple(signs), meaning="rates of the hinges' rates")
        every = p.block("zdde", [["zdd"], ["e"]]) if e else "zdd"
        p.rows("ud", every, closing.order, "rates of the speeds")
        p.rows("lam", "ties", range(closing.invariants), "multipliers")
        return "ud", "lam"

    program.begin("loads")
    Y = reactions.reaction_map(levels, named)
    closed = close(program, closing.h, named, Y, solve, labels=labels, meaning="loads")
    program.begin("constraint forces")
    names = {step.name for step in program.steps}
    zdd = "zdd" if "zdd" in names else closed.ud
    ties = "lam" if closing.open else "ties"
    return Swept(closed.h, closed.ud, zdd, closed.lam, ties, tuple(named))


def _prepare(program: Program, closing: Ties, response: Callable[[Program, str, str], str]) -> None:
    """Add K: what multipliers and speeds beside the tree do to the rows."""
    rates, beside, rows = closing.rates, closing.beside, closing.rows
    program.within = "loops"
    program.begin("invariants and ties")
    program.define("C", closing.C, "invariants and ties by z''", rows=rows, columns=rates)
    program.column("b", closing.b, "invariants and ties without rates", rows=rows)
    program.transpose("Ct", "C")
    response(program, "Ct", "Lc")
    program.begin("what multipliers do to the rows")
    program.product("CY", "C", "Lc", meaning="what multipliers do to the rows")
    if not beside:
        program.sum("K", "CY")
        return
    program.define("E", closing.E, "invariants and ties by e", rows=rows, columns=beside)
    program.define("Ma", closing.Ma, "inertia that loads add", rows=rates, columns=beside)
    program.define("Me", closing.Me, "inertia beside the tree", rows=beside, columns=beside)
    response(program, "Ma", "Lm")
    program.begin("what multipliers and speeds beside the tree do to the rows")
    program.product("CYa", "C", "Lm")
    program.sum("Ea", "E", "CYa", signs=(1, -1))
    program.transpose("Et", "E")
    program.sum("Mem", "Me", signs=(-1,))
    program.block("K", [["Mem", "Et"], ["Ea", "CY"]])


def constraint_forces(program: Program, levels: Levels, lam: str) -> dict[str, str]:
    """Add the invariants on the speeds, and Fc = A^T lam; return these as results."""
    u = [s.path for s in levels.motion.speeds]
    rows = [r.path for r in levels.rows]
    program.define("Au", levels.A, "invariants by ud", rows=rows, columns=u)
    program.column("bu", levels.b, "invariants without ud", rows=rows)
    program.transpose("Aut", "Au")
    program.product("Fc", "Aut", lam, meaning="constraint forces")
    return {"Fc": "Fc", "lam": lam, "A": "Au", "b": "bu"}
