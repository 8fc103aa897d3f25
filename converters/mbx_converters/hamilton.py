"""Hamilton's canonical equations with multipliers: momenta, and derivatives of the Hamiltonian.

Equation numbers are those of Orsino's thesis, section 3.2.6; see spec/formalisms/hamilton.md.

    T = qd^T M qd/2 + c^T qd + T0,    H = (p - c)^T M^-1 (p - c)/2 - T0 + V

The inverse is never written out: derivatives of H are steps of the program, with
d(M^-1)/dq = -M^-1 dM/dq M^-1, and what is stated of the rates there holds for dH/dp.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import along, gradient, jacobian
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import ZERO, Node, number
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.regular_inertia import refuse_singular
from mbx.mechanics import energy, invariants, loads, motion
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_HALF: Final = number(Fraction(1, 2))


def derive(system: System, _variant: str = "") -> Equations:
    """Return qd = dH/dp and pd = -dH/dq + Q' + A^T lam with the invariants."""
    moving = motion.in_rates(system)
    labels = [s.path for s in moving.speeds]

    p = Program()
    H = _hamiltonian(p, moving, labels)
    q1 = {H.p: moving.u}
    forces = [[x] for x in _forces(moving)]
    Q = p.derived("Q", forces, "Q': forces without a potential", rows=labels, of=q1)
    f = p.let("f", Q - H.q, "rates of the momenta without multipliers")
    levels = invariants.levels(moving, rates=True)
    rows = [r.path for r in levels.rows]
    by_rates, b0 = split(levels.velocity, moving.u)
    A = p.define("A", by_rates, "invariants by the rates", rows=rows, columns=labels)
    At = A.T
    turned = iter(moving.rate([x for row in by_rates for x in row]))
    Ad = p.derived(
        "Ad", [[next(turned) for _ in labels] for _ in rows], "dA/dt", "", rows, labels, of=q1
    )
    b0d = p.derived("b0d", [[x] for x in moving.rate(b0)], "db0/dt", rows=rows, of=q1)
    b = p.let("b", Ad @ H.p + b0d, "invariants without accelerations")

    # lam, by differentiation of A H_p + b0 = 0 with respect to time
    drift = H.pq @ H.p
    Hf = p.solve("Hf", H.M, f, "symmetric", meaning="H_pp f")
    a0 = p.let("a0", drift + H.pt + Hf, "accelerations without multipliers")
    off = p.let("off", -(A @ a0) - b)
    HAt = p.solve("HAt", H.M, At, "symmetric", meaning="H_pp A^T")
    lam = p.solve("lam", p.let("AHAt", A @ HAt), off, unique=0, meaning="multipliers")
    Fq = p.let("Fq", At @ lam, "constraint forces on the coordinates")
    pd = p.let("pd", f + Fq, "rates of the momenta, (3.92)")
    Hpd = p.solve("Hpd", H.M, pd, "symmetric", meaning="H_pp pd")
    qdd = p.let("qdd", drift + H.pt + Hpd, "accelerations, d/dt H_p")

    N_, _, P_, r_ = motion.change(system)
    speeds = [s.path for s in system.u]
    P = p.define("P", P_, "ud by qdd", rows=speeds, columns=labels)
    r = p.column("r", r_, "ud without qdd", rows=speeds)
    ud = p.let("ud", P @ qdd + r, "rates of the speeds")
    N = p.define("N", N_, "qdd by ud", rows=labels, columns=speeds)
    Fc = p.let("Fc", N.T @ Fq, "constraint forces on the speeds")

    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    results = {"qd": H.p, "ud": ud, "qdd": qdd, "pd": pd, "p": H.momenta, "H": H.value}
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {**results, "Fc": Fc, "lam": lam, "M": H.M, "A": A, "b": b},
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Hamiltonian:
    """The momenta, H and its derivatives H_p, H_q, H_pq, H_pt, and M, the inverse of H_pp."""

    momenta: Matrix
    value: Matrix
    M: Matrix
    p: Matrix
    q: Matrix
    pq: Matrix
    pt: Matrix


def _hamiltonian(program: Program, moving: Motion, labels: Sequence[str]) -> _Hamiltonian:
    """Add p, H, H_p, H_q, H_pq and H_pt."""
    q = [v.symbol for v in moving.system.q]
    T, V = energy.kinetic(moving), energy.potential(moving)
    momenta = gradient(T, moving.u)  # (3.93): V has no rates in it
    inertia, rest = split(momenta, moving.u, symmetric=True)
    refuse_singular(inertia, labels, moving.system)
    (T0,) = substitute([T], dict.fromkeys(moving.u, ZERO))

    p = program.column("p", momenta, "momenta, (3.93)", rows=labels)
    M = program.define("M", inertia, "inertia, the inverse of H_pp", rows=labels, columns=labels)
    c = program.column("c", rest, "momenta at rest", rows=labels)
    pc = program.let("pc", p - c)
    Hp = program.solve("Hp", M, pc, "symmetric", meaning="rates of the coordinates, (3.90)")
    q1 = {Hp: moving.u}

    L = program.derived("L", [[sub(T, V)]], "T - V", of=q1)
    pHp = program.let("pHp", program.let("ptr", p.T) @ Hp)
    H = program.let("H", pHp - L, "Hamiltonian, (3.94)")

    # d(M^-1) = -M^-1 dM M^-1: with p_q = dM/dq H_p + c_q and U = V - T0,
    # H_q = U_q - (p_q + c_q)^T H_p/2 and H_pq = -M^-1 p_q
    condition = "where H_p is held"
    by_q = jacobian(momenta, q)
    pq = program.derived("pq", by_q, f"dp/dq {condition}", "", labels, labels, of=q1)
    cq = program.define("cq", jacobian(rest, q), "dc/dq", rows=labels, columns=labels)
    pcq = program.let("pcq", pq + cq)
    pcqt = pcq.T
    half = program.define("half", [[_HALF]])
    Kq = program.let("Kq", pcqt @ Hp @ half)
    Uq = program.column("Uq", gradient(sub(V, T0), q), "dU/dq, U = V - T0", rows=labels)
    Hq = program.let("Hq", Uq - Kq, "H_q")

    Hpq = program.solve("Hpq", M, -pq, "symmetric", meaning="H_pq")
    explicit = [[x] for x in _by_time(moving, momenta)]
    pt = program.derived("pt", explicit, f"dp/dt {condition}", rows=labels, of=q1)
    Hpt = program.solve("Hpt", M, -pt, "symmetric", meaning="H_pt")
    return _Hamiltonian(momenta=p, value=H, M=M, p=Hp, q=Hq, pq=Hpq, pt=Hpt)


def _by_time(moving: Motion, nodes: Sequence[Node]) -> list[Node]:
    """Return derivatives by time where coordinates and rates are held."""
    constant = {*(v.symbol for v in moving.system.q), *moving.u}
    direction = moving.system.rates.direction
    return along(nodes, {s: rate for s, rate in direction.items() if s not in constant})


def _forces(moving: Motion) -> list[Node]:
    """Return Q': -dD/dqd, and what no energy stands for."""
    terms = zip(
        [neg(x) for x in gradient(energy.dissipation(moving), moving.u)],
        loads.project(moving, loads.wrenches_without_energy(moving)),
        loads.generalized_loads(moving),
        loads.non_ideal(moving),
        strict=True,
    )
    Q = [add(*each) for each in terms]
    if not set(moving.ud).isdisjoint(ordered(Q)):
        named = ", ".join(loads.accelerated(moving))
        raise NotApplicableError(f"a load depends on accelerations, which H_p has not ({named})")
    return Q


CONVERTER: Final = Converter(
    name="hamilton",
    title="Hamilton's canonical equations with multipliers",
    purpose="coordinates and momenta, with multipliers",
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
