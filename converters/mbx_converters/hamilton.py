"""Hamilton's canonical equations with multipliers: momenta, and derivatives of the Hamiltonian.

Equation numbers are those of Orsino's thesis, section 3.2.6; see spec/formalisms/hamilton.md.

    T = qd^T M qd/2 + c^T qd + T0,    H = (p - c)^T M^-1 (p - c)/2 - T0 + V

The inverse is never written out: derivatives of H are steps of the program, with
d(M^-1)/dq = -M^-1 dM/dq M^-1, and what is stated of the rates there holds for dH/dp.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, divide, mul, neg, scale, sub
from mbx.expr.derivatives import along, gradient, jacobian
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import ZERO, Node, number, symbol
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_constraints import write_conditions
from mbx.formalism.page.page_energies import (
    is_written,
    refuse_large,
    shortest,
    write_conserved,
    write_energies,
)
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_momenta import complete_squares
from mbx.formalism.page.page_multipliers import (
    constraint_forces,
    multiplier_names,
    solve_with_multipliers,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.regular_inertia import refuse_singular
from mbx.mechanics import energy, invariants, loads, motion
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_energies import Energies
    from mbx.formalism.page.page_momenta import Squares
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_LONGER: Final = 3
"""How many operations more a derivative of H in the momenta may have than in the rates."""
_NAMED: Final = 8
"""Operations of a pivot that has a name of its own."""
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


# -- the page --------------------------------------------------------------------------------


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return momenta, the rates by these, H and its derivatives, and the canonical equations."""
    model = PageModel(system, equations, options, in_rates=True)
    title = "Hamilton's canonical equations" + (" with multipliers" if model.rows else "")
    page = PageBuilder(system, title)
    refuse_large(model)
    model.begin(page)
    energies = write_energies(page, model)
    canonical = _write_momenta(page, model, energies)
    _write_rates(page, model, canonical)
    _write_hamiltonian(page, model, energies, canonical)
    named = _write_constraints(page, model, canonical)
    multipliers = multiplier_names(page, model, energies.Q_value)
    _write_canonical(page, model, energies, canonical, multipliers)
    _write_multipliers(page, model, energies, named, multipliers)
    write_conserved(page, model, energies, canonical.H)
    return page.page()


@dataclass(slots=True)
class _Canonical:
    """What the page calls the momenta, and the rates by these.

    Attributes:
        p: The names of the momenta.
        pd: Those of their rates.
        c: The momenta at rest.
        squares: The kinetic energy as a sum of squares; None if the rates are not solved.
        P: What is left of each momentum, in the names of the page.
        D: The pivots, likewise.
        rates: The rates by the momenta, written out where the page solves them.
        H: The name of the Hamiltonian.
        slopes: Its derivatives by the coordinates, in the names of the page.
    """

    p: list[Node]
    pd: list[Node]
    c: list[Node]
    squares: Squares | None
    P: dict[int, Node]
    D: dict[int, Node]
    rates: dict[int, Node]
    H: Node
    slopes: list[Node]


def _write_momenta(page: PageBuilder, model: PageModel, energies: Energies) -> _Canonical:
    """Write p = dT/dq'."""
    page.step("Momenta", "p = ∂T/∂q'.")
    momenta = gradient(energies.T_value, model.u)
    inertia, rest = split(momenta, model.u, symmetric=True)
    inertia = [shortest(row) for row in inertia]
    p: list[Node] = []
    pd: list[Node] = []
    for k, (variable, value) in enumerate(zip(model.system.q, shortest(momenta), strict=True)):
        meaning = f"momentum of {variable.path}"
        unit = _UNITS.get(variable.unit, "")
        name = page.name("p", variable.path, meaning=meaning, unit=unit, is_given=True)
        rate = symbol(f"{name.value}'")
        page.known[str(name.value)] = ("p", k)
        page.known[str(rate.value)] = ("pd", k)
        p.append(name)
        pd.append(rate)
        short = is_written(model, value)
        page.left_out += not short
        page.equal(name, value if short else page.partial(energies.T, model.u[k]))
    squares = complete_squares(inertia, model.positive, model.constant)
    return _Canonical(p, pd, shortest(rest), squares, {}, {}, {}, ZERO, [])


_UNITS: Final = {"m": "kg*m/s", "rad": "kg*m^2/s"}
"""Units of the momenta of coordinates."""


def _write_rates(page: PageBuilder, model: PageModel, canonical: _Canonical) -> None:
    """Write the rates by the momenta, one after the other."""
    squares = canonical.squares
    if squares is None:
        return
    page.step("Solved for the rates", "the last one first; what is divided by does not vanish.")
    paths = [v.path for v in model.system.q]
    for k in squares.order:
        taken = [mul(x, canonical.P[j]) for j, x in squares.factors[k].items()]
        value = sub(canonical.p[k], add(canonical.c[k], *taken))
        canonical.P[k] = value
        if value is not canonical.p[k]:
            canonical.P[k] = page.name("P", paths[k])
            page.equal(canonical.P[k], value)
        canonical.D[k] = squares.D[k]
        if written([squares.D[k]]) > _NAMED:
            canonical.D[k] = page.name("D", paths[k])
            page.equal(canonical.D[k], squares.D[k])
    for k in reversed(squares.order):
        later = [
            mul(squares.factors[j][k], model.u[j]) for j in squares.order if k in squares.factors[j]
        ]
        value = sub(divide(canonical.P[k], canonical.D[k]), add(*later))
        canonical.rates[k] = value
        page.equal(model.u[k], value)


def _write_hamiltonian(
    page: PageBuilder, model: PageModel, energies: Energies, canonical: _Canonical
) -> None:
    """Write H and its derivatives."""
    H = canonical.H = page.name("H", meaning="Hamiltonian")
    (T0,) = substitute([energies.T_value], dict.fromkeys(model.u, ZERO))
    V = ZERO if energies.V is None else energies.V
    if canonical.squares is None:
        page.step("Hamilton's function", "p q' - T + V; by the rates it has no slope.")
        work = add(*map(mul, canonical.p, model.u))
        page.equal(H, Side((work, neg(energies.T), V)))
    else:
        page.step("Hamilton's function", "the squares of what is left of the momenta.")
        squares = [
            divide(mul(canonical.P[k], canonical.P[k]), scale(2, canonical.D[k]))
            for k in canonical.squares.order
        ]
        page.equal(H, Side((*squares, neg(T0), V)))
        page.lines(
            *((page.partial(H, p), rate) for p, rate in zip(canonical.p, model.u, strict=True))
        )
    q = [v.symbol for v in model.system.q]
    lagrangian = sub(energies.T_value, energies.V_value)
    by_rates = shortest([neg(x) for x in gradient(lagrangian, q)])
    canonical.slopes = [
        ZERO if x is ZERO else page.partial(H, s) for x, s in zip(by_rates, q, strict=True)
    ]
    nothing = [(page.partial(H, s), ZERO) for x, s in zip(by_rates, q, strict=True) if x is ZERO]
    if nothing:
        page.lines(*nothing)
    for k, (slope, value) in enumerate(zip(canonical.slopes, by_rates, strict=True)):
        if value is ZERO:
            continue
        best = _slope_in_momenta(model, energies, canonical, k) or value
        if not is_written(model, best) or written([best]) > written([value]) + _LONGER:
            best = value
        if is_written(model, best):
            page.equal(slope, best)
        else:
            page.left_out += 1


def _slope_in_momenta(
    model: PageModel, energies: Energies, canonical: _Canonical, k: int
) -> Node | None:
    """Return dH/dq of a coordinate in the momenta, by differentiating the squares."""
    squares = canonical.squares
    if squares is None:
        return None
    q = model.system.q[k].symbol
    (T0,) = substitute([energies.T_value], dict.fromkeys(model.u, ZERO))
    [rest] = gradient(sub(energies.V_value, T0), [q])
    slopes: dict[int, Node] = {}
    terms = [rest]
    for i in squares.order:
        [c] = gradient(canonical.c[i], [q])
        parts = [c]
        for j, factor in squares.factors[i].items():
            [slope] = gradient(factor, [q])
            parts += [mul(slope, canonical.P[j]), mul(factor, slopes[j])]
        slopes[i] = neg(add(*parts))
        [D] = gradient(squares.D[i], [q])
        ratio = divide(canonical.P[i], canonical.D[i])
        terms += [mul(ratio, slopes[i]), neg(mul(scale(_HALF.value, D), ratio, ratio))]
    return tidy([add(*terms)])[0]


def _write_constraints(page: PageBuilder, model: PageModel, canonical: _Canonical) -> list[Node]:
    """Write the constraints by the momenta where that is short, and return their names."""
    if not model.rows:
        return []
    in_momenta = bool(canonical.rates)
    page.step("Constraints", "in the momenta." if in_momenta else "in the rates.")
    names: list[Node] = []
    for row, value in zip(model.rows, model.velocity, strict=True):
        if value is None or value is ZERO:
            continue
        shown = value
        if in_momenta:
            known = value
            for k in canonical.squares.order if canonical.squares is not None else ():
                [known] = substitute([known], {model.u[k]: canonical.rates[k]})
            [best] = tidy([known])
            if written([best]) <= 2 * written([value]) + _NAMED:
                shown = best
        if not is_written(model, shown):
            page.left_out += 1
            continue
        name = page.name("c", re.sub(r"\W+", "_", row.path))
        page.equal(name, shown, ZERO, note=row.path)
        names.append(name)
    return names


def _write_canonical(
    page: PageBuilder,
    model: PageModel,
    energies: Energies,
    canonical: _Canonical,
    multipliers: Sequence[Node],
) -> None:
    """Write p' = -dH/dq - dD/dq' + Q + A^T lam."""
    terms = ["-∂H/∂q"] + ["- ∂D/∂q'"] * (energies.D is not None)
    terms += ["+ Q"] * any(x is not ZERO for x in energies.Q) + ["+ A^T λ"] * bool(model.rows)
    page.section("Equations of motion", f"q' = ∂H/∂p, and p' = {' '.join(terms)}.")
    forces = constraint_forces(model, multipliers)
    damping = gradient(energies.D_value, model.u)
    for k, rate in enumerate(canonical.pd):
        parts = [neg(canonical.slopes[k])]
        if energies.D is not None and damping[k] is not ZERO:
            parts.append(neg(page.partial(energies.D, model.u[k])))
        page.equal(rate, Side((*parts, energies.Q[k], forces[k])))


def _write_multipliers(
    page: PageBuilder,
    model: PageModel,
    energies: Energies,
    named: Sequence[Node],
    multipliers: Sequence[Node],
) -> None:
    """Write that the constraints stay what they are, and the multipliers that this gives."""
    if not model.rows:
        return
    page.section("Reactions", "from the rates of the constraints.")
    for name in named:
        page.equal(page.rate(name), ZERO)
    operator = energy.lagrange_operator(model.motion, energies.T_value)
    active = energy.active_forces(model.motion)
    rows = [sub(x, f) for x, f in zip(operator, active, strict=True)]
    found = solve_with_multipliers(model, rows, multipliers)
    if found is None:
        return
    unknowns, solved = found
    values = dict(zip(unknowns, solved.values, strict=True))
    page.note("solved")
    for multiplier in multipliers:
        page.equal(multiplier, values[multiplier])
    write_conditions(page, solved.conditions)


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
    write_page=write_page,
)
