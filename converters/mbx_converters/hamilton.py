"""Hamilton's canonical equations with multipliers: momenta, and derivatives of the Hamiltonian.

Equation numbers are those of Orsino's thesis, section 3.2.6; see spec/formalisms/hamilton.md.

    T = qd^T M qd/2 + c^T qd + T0,    H = (p - c)^T M^-1 (p - c)/2 - T0 + V

The inverse is never written out: derivatives of H are steps of the program, with
d(M^-1)/dq = -M^-1 dM/dq M^-1, and what is said of the rates there is said of dH/dp.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import along, gradient, jacobian
from mbx.expr.nodes import ZERO, Node, number
from mbx.expr.subs import substitute
from mbx.expr.walk import ordered
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.program import Step
from mbx.formalism.steps.regular_inertia import refuse_singular
from mbx.mechanics import energy, invariants, loads, motion, partials, rates
from mbx.system.features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_HALF: Final = number(Fraction(1, 2))


def derive(system: System, _variant: str = "") -> Equations:
    """Return qd = dH/dp and pd = -dH/dq + Q' + A^T lam with the invariants."""
    moving = motion.in_rates(system)
    labels = [s.path for s in moving.speeds]

    program = Program()
    _hamiltonian(program, moving, labels)
    _in_rates(
        program,
        moving,
        "Q",
        [[x] for x in _forces(moving)],
        "Q': forces without a potential",
        labels,
    )
    program.sum("f", "Q", "Hq", signs=(1, -1), meaning="rates of the momenta without multipliers")
    _multipliers(program, moving, labels)
    program.product("Fq", "At", "lam", meaning="constraint forces on the coordinates")
    program.sum("pd", "f", "Fq", meaning="rates of the momenta, (3.92)")
    program.solve("Hpd", "M", "pd", "symmetric", meaning="H_pp pd")
    program.sum("qdd", "HpqHp", "Hpt", "Hpd", meaning="accelerations, d/dt H_p")
    _speeds(program, system, labels)

    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    own = ("ud", "qdd", "pd", "p", "H", "Fc", "lam", "M", "A", "b")
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"qd": "Hp", **{name: name for name in own}},
        notes=notes,
    )


def _in_rates(
    program: Program,
    moving: Motion,
    name: str,
    entries: Sequence[Sequence[Node]],
    meaning: str,
    rows: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> None:
    """Add a matrix of expressions in which the rates are H_p."""
    program.add(
        Step(
            name=name,
            op="define",
            args=("Hp",),
            symbols=moving.u,
            entries=tuple(tuple(row) for row in entries),
            size=(len(entries), 1 if columns is None else len(columns)),
            meaning=meaning,
            row_labels=tuple(rows),
            column_labels=tuple(columns or ()),
        )
    )


def _hamiltonian(program: Program, moving: Motion, labels: Sequence[str]) -> None:
    """Add p, H, H_p, H_q, H_pq and H_pt."""
    q = [v.symbol for v in moving.system.q]
    T, V = energy.kinetic(moving), energy.potential(moving)
    p = gradient(T, moving.u)  # (3.93): V has no rates in it
    M, c = split(p, moving.u, symmetric=True)
    refuse_singular(M, labels, moving.system)
    (T0,) = substitute([T], dict.fromkeys(moving.u, ZERO))

    program.column("p", p, "momenta, (3.93)", rows=labels)
    program.define("M", M, "inertia, the inverse of H_pp", rows=labels, columns=labels)
    program.column("c", c, "momenta at rest", rows=labels)
    program.sum("pc", "p", "c", signs=(1, -1))
    program.solve("Hp", "M", "pc", "symmetric", meaning="rates of the coordinates, (3.90)")

    _in_rates(program, moving, "L", [[sub(T, V)]], "T - V")
    program.transpose("ptr", "p")
    program.product("pHp", "ptr", "Hp")
    program.sum("H", "pHp", "L", signs=(1, -1), meaning="Hamiltonian, (3.94)")

    # d(M^-1) = -M^-1 dM M^-1: with p_q = dM/dq H_p + c_q and U = V - T0,
    # H_q = U_q - (p_q + c_q)^T H_p/2 and H_pq = -M^-1 p_q
    held = "where H_p is held"
    _in_rates(program, moving, "pq", jacobian(p, q), f"dp/dq {held}", labels, labels)
    program.define("cq", jacobian(c, q), "dc/dq", rows=labels, columns=labels)
    program.sum("pcq", "pq", "cq")
    program.transpose("pcqt", "pcq")
    program.define("half", [[_HALF]])
    program.product("Kq", "pcqt", "Hp", "half")
    program.column("Uq", gradient(sub(V, T0), q), "dU/dq, U = V - T0", rows=labels)
    program.sum("Hq", "Uq", "Kq", signs=(1, -1), meaning="H_q")

    program.sum("pqm", "pq", signs=(-1,))
    program.solve("Hpq", "M", "pqm", "symmetric", meaning="H_pq")
    explicit = [[x] for x in _by_time(moving, p)]
    _in_rates(program, moving, "pt", explicit, f"dp/dt {held}", labels)
    program.sum("ptm", "pt", signs=(-1,))
    program.solve("Hpt", "M", "ptm", "symmetric", meaning="H_pt")


def _by_time(moving: Motion, nodes: Sequence[Node]) -> list[Node]:
    """Return derivatives by time where coordinates and rates are held."""
    held = {*(v.symbol for v in moving.system.q), *moving.u}
    direction = moving.system.rates.direction
    return along(nodes, {s: rate for s, rate in direction.items() if s not in held})


def _forces(moving: Motion) -> list[Node]:
    """Return Q': -dD/dqd, and what no energy stands for."""
    terms = zip(
        [neg(x) for x in gradient(energy.dissipation(moving), moving.u)],
        partials.project(moving, loads.wrenches_without_energy(moving)),
        loads.generalized_loads(moving),
        loads.non_ideal(moving),
        strict=True,
    )
    Q = [add(*each) for each in terms]
    if not set(moving.ud).isdisjoint(ordered(Q)):
        named = ", ".join(loads.accelerated(moving))
        raise NotApplicableError(f"a load depends on accelerations, which H_p has not ({named})")
    return Q


def _multipliers(program: Program, moving: Motion, labels: Sequence[str]) -> None:
    """Add lam, by differentiation of A H_p + b0 = 0 with respect to time."""
    levels = invariants.levels(moving, rates=True)
    rows = [r.path for r in levels.rows]
    A, b0 = split(levels.velocity, moving.u)
    Ad = iter(moving.rate([x for row in A for x in row]))
    program.define("A", A, "invariants by the rates", rows=rows, columns=labels)
    program.transpose("At", "A")
    Adot = [[next(Ad) for _ in labels] for _ in rows]
    _in_rates(program, moving, "Ad", Adot, "dA/dt", rows, labels)
    _in_rates(program, moving, "b0d", [[x] for x in moving.rate(b0)], "db0/dt", rows)
    program.product("AdHp", "Ad", "Hp")
    program.sum("b", "AdHp", "b0d", meaning="invariants without accelerations")

    program.product("HpqHp", "Hpq", "Hp")
    program.solve("Hf", "M", "f", "symmetric", meaning="H_pp f")
    program.sum("a0", "HpqHp", "Hpt", "Hf", meaning="accelerations without multipliers")
    program.product("Aa0", "A", "a0")
    program.sum("off", "Aa0", "b", signs=(-1, -1))
    program.solve("HAt", "M", "At", "symmetric", meaning="H_pp A^T")
    program.product("AHAt", "A", "HAt")
    program.solve("lam", "AHAt", "off", "least_squares", unique=0, meaning="multipliers")


def _speeds(program: Program, system: System, labels: Sequence[str]) -> None:
    """Add the rates of the speeds, and the constraint forces on them."""
    N, _, P, r = rates.change(system)
    speeds = [s.path for s in system.u]
    program.define("P", P, "ud by qdd", rows=speeds, columns=labels)
    program.column("r", r, "ud without qdd", rows=speeds)
    program.product("Pqdd", "P", "qdd")
    program.sum("ud", "Pqdd", "r", meaning="rates of the speeds")
    program.define("N", N, "qdd by ud", rows=labels, columns=speeds)
    program.transpose("Nt", "N")
    program.product("Fc", "Nt", "Fq", meaning="constraint forces on the speeds")


CONVERTER: Final = Converter(
    name="hamilton",
    title="Hamilton's canonical equations with multipliers",
    reference="W. R. Hamilton, Second essay on a general method in dynamics, Philosophical "
    "Transactions of the Royal Society of London 125, 1835; R. M. M. Orsino, doctoral thesis, "
    "USP 2016, (3.90) to (3.94)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.DECLARED_SPEEDS,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
)
