"""Boltzmann-Hamel equations: the kinetic energy in quasi-velocities, with Hamel's terms.

Equation numbers are those of Orsino's thesis, section 3.3.3 and appendix A; see
spec/formalisms/boltzmann_hamel.md, also for what is not as printed in (3.127).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.identity import is_zero
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, mul, neg, scale, sub
from mbx.expr.derivatives import along, gradient, jacobian
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import is_nothing, write_kinematics
from mbx.formalism.page.quasi_velocities import (
    check_length,
    find_quasi_velocities,
    write_generalized_forces,
    write_motion,
    write_quasi_velocities,
    write_relaxed,
)
from mbx.formalism.page.turning import (
    HALF,
    half_square,
    inertia_of,
    state_components,
    state_vectors,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import constraint_residual, projected_residual
from mbx.mechanics import energy, invariants, loads, motion, quasi
from mbx.mechanics.unit_quaternions import UnitMotion
from mbx.system.find_features import Feature
from mbx.system.kinematics.solve_rates import moved_by_tied
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.quasi_velocities import QuasiVelocities
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_COEFFICIENT: Final = 12
"""Operations of a Hamel coefficient that is written by pairs of quasi-velocities."""
_DEFINITION: Final = 24
"""Operations of a quasi-velocity in the rates of the coordinates that is written."""


def derive(system: System, _variant: str = "") -> Equations:
    """Return d/dt dT*/dq1 + Phi^T Gam^T dT*/dq1 - Phi^T dT*/dq = Fa on #, and Fc from *."""
    tied = moved_by_tied(system)
    if tied:
        raise NotApplicableError(
            f"a coordinate without a speed of its own moves inertia ({', '.join(tied)})"
        )
    moving, rates = motion.in_speeds(system), motion.in_rates(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    q, names = [v.symbol for v in system.q], [v.path for v in system.q]

    T = energy.kinetic(moving)  # of all speeds: none is zero before it is differentiated
    momenta = gradient(T, moving.u)
    Fa = active_forces(moving)
    inertia, rest = split(
        [sub(r, f) for r, f in zip(moving.rate(momenta), Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    # the quasi-velocities, (3.100): # are Psi u with Psi fixed at the state, * the constraint
    # functions h. Of all, (A.7); in the second term of (3.127) as printed, those of * are missing
    functions = [*rates.express(moving.u), *_functions(invariants.levels(rates))]
    # ud is in both where h is not affine, and cancels: N^T (d2h/dqd2) N = d2h/du2
    n = len(labels)
    hamel = _without_ud(moving, quasi.hamel_matrix(moving, rates, functions), len(q))
    rates_of_A = moving.rate([x for row in levels.A for x in row])
    turned = _without_ud(moving, [rates_of_A], n)

    p = Program()
    M = p.define("M", inertia, "second derivatives of T by u", rows=labels, columns=labels)
    f = p.column("f", [neg(x) for x in rest], "Fa - d/dt dT/du, without ud", rows=labels)
    A = p.define("A", levels.A, "constraint functions by u", rows=rows, columns=labels)
    b = p.column("b", levels.b, "rates of constraint functions, without ud", rows=rows)
    Phi = p.null("Phi", A, moving.independent, "u by q1_#", r"\Phi_{\#}")
    Phis = p.let("Phis", p.pinv(A), "u by q1_*")
    Psi = p.let("Psi", p.pinv(Phi), "q1_# by u")
    Phit, Phist, Psit = Phi.T, Phis.T, Psi.T
    pu = p.column("pu", momenta, "momenta dT/du", rows=labels)
    po = p.let("po", Psit @ Phit @ pu, "momenta of q1_#, on the speeds")
    ps = p.let("ps", Phist @ pu, "momenta of q1_*")
    # u(t, q, q1) moves in time: d/dt dT*/dq1 = (du/dq1)^T (d/dt dT/du - Ad^T ps),
    Ad = p.define("Ad", turned, "rates of A, without ud", r"\dot{A}", rows, labels)
    Ap = p.let("Ap", Ad.T @ ps)
    # and with q where q1 is held: dT*/dq = dT/dq - hq^T ps
    by_q = jacobian(levels.velocity, q)
    hq = p.define("hq", by_q, "constraint functions by q", "h_q", rows, names)
    hp = p.let("hp", hq.T @ ps)
    Tq = p.let("Tq", p.column("Tu", gradient(T, q), "dT/dq", rows=names) - hp, "dT*/dq")
    Gam = p.define("Gam", hamel, "Hamel matrix, without ud", r"\Gamma", [*labels, *rows], names)
    Gamt = Gam.T
    dual = p.let("p", p.stack(po, ps), "momenta dT*/dq1")
    Tg = p.let("Tg", Tq - p.let("Gp", Gamt @ dual))
    by_u, _ = split([moving.qd[x] for x in q], moving.u)
    N = p.define("N", by_u, "qd by u", rows=names, columns=labels)
    NT = p.let("NT", N.T @ Tg, "Phi^T (dT*/dq - Gam^T p)")
    h = p.let("h", f + Ap + NT, "all without ud")

    # the equations of #, which give ud: the rates of * are zero, A ud + b = 0, so
    # that ud = Phi_# q1d + e
    e = p.let("e", Phis @ p.let("e0", -b), "accelerations that keep the constraints")
    Mr = p.let("Mr", Phit @ M @ Phi, "second derivatives of T* by q1_#")
    hr = p.let("hr", Phit @ p.let("ho", h - M @ e))
    q1d = p.solve("q1d", Mr, hr, meaning="rates of q1_#")
    ud = p.let("ud", p.let("Phid", Phi @ q1d) + e, "rates of the speeds")
    # those of *, which give the constraint forces
    lam = p.let("lam", Phist @ p.let("open", M @ ud - h), "constraint forces on q1_*")
    Fc = p.let("Fc", A.T @ lam, "constraint forces")
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": ud, "Fc": Fc, "lam": lam, "M": M, "h": h, "A": A, "b": b},
        [
            projected_residual(p, "Boltzmann-Hamel", n, M, h, Phi),
            constraint_residual(p, n, A, b, rows),
        ],
    )


def active_forces(moving: Motion) -> list[Node]:
    """Return the generalized active forces on the speeds: Fa."""
    return [
        add(*terms)
        for terms in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]


def _functions(levels: Levels) -> list[Node]:
    """Return the constraint functions, zero for those with no Gam: rates of functions of q."""
    return [
        ZERO if row.order == 0 else value
        for row, value in zip(levels.rows, levels.velocity, strict=True)
    ]


def _without_ud(moving: Motion, entries: list[list[Node]], n: int) -> list[list[Node]]:
    """Return a matrix of n columns where all ud are zero."""
    flat = substitute([x for row in entries for x in row], dict.fromkeys(moving.ud, ZERO))
    return [flat[k : k + n] for k in range(0, len(flat), max(n, 1))]


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return T* in all quasi-velocities, the Hamel coefficients, and a row for each of them."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, "Boltzmann-Hamel equations")
    found = find_quasi_velocities(page, model)
    bodies = found.take_bodies(is_relaxed=True)
    check_length(model, [x for b in bodies for x in (*b.v, *b.w)])
    model.begin(page)
    rates = motion.in_rates(system)
    _write_definitions(page, model, rates)
    write_quasi_velocities(page, found, has_rates=False)
    kept = ", those that are zero, too" if model.rows else ""
    T, value = _write_kinetic_energy(page, found, bodies, f"in all quasi-velocities{kept}.")
    energies = _Energies(found, value)
    momenta = [
        page.partial(T, w) if p is not ZERO else ZERO
        for w, p in zip(found.w, energies.p, strict=True)
    ]
    for name, value in zip(momenta, found.constrain(energies.p), strict=True):
        if name is not ZERO and written([value]) <= options.entry:
            page.equal(name, value)
    coefficients = _write_coefficients(page, found, rates, energies)
    rows = _write_rows(page, energies, T, momenta, coefficients)

    Fa = active_forces(model.motion)
    page.step("Generalized forces", "the power of the loads by the quasi-velocities.")
    Q = write_generalized_forces(page, found, "Q", Fa)
    values = [
        sub(value, force)
        for value, force in zip(energies.rows(coefficients), found.project(Fa), strict=True)
    ]
    named = [sub(row, force) for row, force in zip(rows, Q, strict=True)]
    page.section("Equations of motion", "E = Q for the independent quasi-velocities.")
    alone = [x if k in found.combined else ZERO for k, x in enumerate(found.relax(values))]
    nothing = {x: ZERO for k in found.rows for x in (found.w[k], found.wd[k])}
    reduced = write_motion(page, found, substitute(alone, nothing), named)
    write_kinematics(page, model)
    reason = "the rows of the quasi-velocities that are zero."
    write_relaxed(page, found, named, values, reduced, "", reason, is_projected=True)
    return page.page()


_COEFFICIENTS: Final = (
    "with the quasi-velocities Psi q' and their inverse Phi, γ_r_sk = "
    "(∂Psi_ri/∂q_j - ∂Psi_rj/∂q_i) Phi_is Phi_jk = -γ_r_ks; those that are not zero."
)


class _Energies:
    """The kinetic energy in quasi-velocities, differentiated."""

    def __init__(self, found: QuasiVelocities, kinetic: Node) -> None:
        """Take the energy by the components that are on the page."""
        self.found = found
        tidy = found.model.tidy
        moving = found.model.motion
        self.q = [v.symbol for v in moving.system.q]
        self.p = tidy(gradient(kinetic, found.w))
        nothing = {found.w[k]: ZERO for k in found.rows}
        slopes = tidy(substitute(gradient(kinetic, self.q), nothing))
        self.by_q = [ZERO if is_zero(x) else x for x in slopes]
        qd = substitute(tidy([moving.qd[x] for x in self.q]), found.speeds)
        self.qd = qd
        self.N = [tidy(row) for row in jacobian(qd, found.w)]
        direction = dict(zip(self.q, qd, strict=True))
        direction |= dict(zip(found.w, found.wd, strict=True))
        raw = moving.system.rates.direction
        self.rates = along(self.p, {**raw, **direction, TIME: ONE})

    def rows(self, coefficients: Sequence[Sequence[tuple[Node, Node]]]) -> list[Node]:
        """Return d/dt dT*/ds + gamma dT*/dr - N^T dT*/dq for each quasi-velocity."""
        values: list[Node] = []
        for s, rate in enumerate(self.rates):
            turned = [mul(c[1], p) for c, p in zip(coefficients[s], self.p, strict=True)]
            held = [mul(row[s], slope) for row, slope in zip(self.N, self.by_q, strict=True)]
            values.append(sub(add(rate, *turned), add(*held) if held else ZERO))
        return values


def _by_rates(model: PageModel, rates: Motion, nodes: Sequence[Node]) -> list[Node]:
    """Return expressions in the rates of the coordinates, quaternions of length 1.

    The rates of a quaternion are q' = N w with N = G^T/2, and w = 2 G q' = 4 N^T q'.
    """
    moving = model.motion
    known: dict[Node, Node] = {}
    for turned in moving.turned if isinstance(moving, UnitMotion) else ():
        symbols = [v.symbol for v in moving.system.q if v.rate in turned.rates]
        raw = [v.rate for v in moving.system.q if v.rate in turned.rates]
        columns = jacobian(model.tidy([moving.qd[x] for x in symbols]), turned.speeds)
        for k, speed in enumerate(turned.speeds):
            terms = [mul(row[k], rate) for row, rate in zip(columns, raw, strict=True)]
            known[speed] = scale(4, add(*terms))
    return rates.express(substitute(nodes, known))


def _write_definitions(page: PageBuilder, model: PageModel, rates: Motion) -> None:
    """Write the declared speeds by the rates of the coordinates."""
    declared = [u for u, v in zip(model.u, model.motion.speeds, strict=True) if v.base is None]
    values = model.tidy(_by_rates(model, rates, declared))
    pairs = [
        (u, x)
        for u, x in zip(declared, values, strict=True)
        if u is not x and written([x]) <= _DEFINITION
    ]
    if pairs:
        page.step("Speeds", "by the rates of the coordinates.")
        for u, value in pairs:
            page.equal(u, value)


def _write_kinetic_energy(
    page: PageBuilder, found: QuasiVelocities, bodies: Sequence[Body], reason: str
) -> tuple[Node, Node]:
    """Write velocities and T* by body; return the name of the whole, and its value."""
    page.step("Kinetic energy", reason)
    tidy = found.model.tidy
    moved = {b: tidy(b.v) for b in bodies if b.m is not ZERO}
    moved = {b: v for b, v in moved.items() if not is_nothing(v)}
    turned = {b: tidy(b.w) for b in bodies if b.turns and not is_nothing(b.w)}
    v = state_vectors(page, "v", list(moved.items()))
    is_indexed = sum(len(x) > 1 for x in turned.values()) > 1
    w = {b: state_components(page, "w", b, x, is_indexed=is_indexed) for b, x in turned.items()}
    whole = [scale(HALF, mul(b.m, add(*(mul(x, x) for x in c)))) for b, c in moved.items()]
    whole += [half_square(inertia_of(b), c) for b, c in turned.items()]
    value = add(*whole) if whole else ZERO
    parts: list[Node] = []
    shown = [b for b in bodies if b in v or b in w]
    for b in shown:
        terms = [scale(HALF, mul(b.m, page.dot(v[b].name, v[b].name)))] if b in v else []
        terms += tidy([half_square(inertia_of(b), w[b])]) if b in w else []
        name = page.name("T*", b.word if len(shown) > 1 else "")
        page.equal(name, Side(tuple(terms)))
        parts.append(name)
    if len(parts) == 1:
        return parts[0], value
    T = page.name("T*")
    page.equal(T, add(*parts) if parts else ZERO)
    return T, value


def _write_coefficients(
    page: PageBuilder, found: QuasiVelocities, rates: Motion, energies: _Energies
) -> list[list[tuple[Node, Node]]]:
    """Write the Hamel coefficients; return for each row what every momentum is multiplied by.

    The pairs are in the names of the page, and written out.
    """
    model = found.model
    functions = _by_rates(
        model,
        rates,
        [_function(model, found.rows[k]) if k in found.rows else w for k, w in enumerate(found.w)],
    )
    n = len(energies.q)
    hamel = _without_ud(rates, quasi.hamel_matrix(rates, rates, functions), n)
    moved = dict(zip(rates.u, energies.qd, strict=True))
    hamel = [substitute(row, moved) for row in hamel]
    nothing = {found.w[k]: ZERO for k in found.rows}
    table: list[list[tuple[Node, Node]]] = []
    stated: list[tuple[Node, Node]] = []
    known: dict[tuple[int, int, int], Node] = {}
    for s in range(len(found.w)):
        row: list[tuple[Node, Node]] = []
        for r, p in enumerate(energies.p):
            total = add(*(mul(hamel[r][i], energies.N[i][s]) for i in range(n))) if n else ZERO
            [value] = substitute(substitute([total], found.speeds), nothing)
            [value] = model.tidy([value])
            if p is ZERO or value is ZERO or is_zero(value):
                row.append((ZERO, ZERO))
                continue
            row.append((_name_coefficient(page, found, (r, s), value, known, stated), value))
        table.append(row)
    if stated:
        page.step("Hamel coefficients", _COEFFICIENTS)
        page.lines(*stated)
    else:
        page.step(
            "Hamel coefficients", "all are zero, as the quasi-velocities are rates of functions."
        )
    return table


def _function(model: PageModel, row: int) -> Node:
    value = model.velocity[row]
    return ZERO if value is None else value


def _name_coefficient(
    page: PageBuilder,
    found: QuasiVelocities,
    place: tuple[int, int],
    value: Node,
    known: dict[tuple[int, int, int], Node],
    stated: list[tuple[Node, Node]],
) -> Node:
    """Return the sum of the coefficients of a row and a momentum times quasi-velocities."""
    r, s = place
    slopes = tidy(gradient(value, found.w))
    [rest] = tidy(substitute([value], dict.fromkeys(found.w, ZERO)))
    is_affine = set(found.w).isdisjoint(free_symbols(slopes))
    if not is_affine or rest is not ZERO or any(written([x]) > _COEFFICIENT for x in slopes):
        name = page.name("γ", f"{found.paths[r]}_{found.paths[s]}")
        stated.append((name, value))
        return name
    terms: list[Node] = []
    for k, slope in enumerate(slopes):
        if slope is ZERO:
            continue
        other = known.get((r, k, s))
        if other is not None:
            terms.append(neg(mul(other, found.w[k])))
            continue
        join = "" if len(found.paths[s]) == len(found.paths[k]) == 1 else "_"
        name = page.name("γ", f"{found.paths[r]}_{found.paths[s]}{join}{found.paths[k]}")
        known[r, s, k] = name
        stated.append((name, slope))
        terms.append(mul(name, found.w[k]))
    return add(*terms)


def _write_rows(
    page: PageBuilder,
    energies: _Energies,
    T: Node,
    momenta: Sequence[Node],
    coefficients: Sequence[Sequence[tuple[Node, Node]]],
) -> list[Node]:
    """Write the row of each quasi-velocity, and return their names."""
    found = energies.found
    is_turned = any(c[0] is not ZERO for row in coefficients for c in row)
    turned = " + γ_r_sk k ∂T*/∂r" if is_turned else ""
    sums = "over r, k and i" if is_turned else "over i"
    page.step("Rows", f"E_s = d/dt ∂T*/∂s{turned} - ∂T*/∂q_i Phi_is, summed {sums}.")
    names: list[Node] = []
    values = found.constrain(energies.rows(coefficients))
    for s, path in enumerate(found.paths):
        parts: list[Node] = [page.rate(momenta[s])] if momenta[s] is not ZERO else []
        parts += [
            mul(c[0], p) for c, p in zip(coefficients[s], momenta, strict=True) if c[0] is not ZERO
        ]
        parts += [
            neg(mul(row[s], page.partial(T, q)))
            for row, slope, q in zip(energies.N, energies.by_q, energies.q, strict=True)
            if slope is not ZERO and row[s] is not ZERO
        ]
        if not parts:
            names.append(ZERO)
            continue
        name = page.name("E", path)
        is_short = s in found.combined and written([values[s]]) <= found.model.options.entry
        page.equal(name, Side(tuple(parts)), *([values[s]] if is_short else []))
        names.append(name)
    return names


CONVERTER: Final = Converter(
    name="boltzmann_hamel",
    title="Boltzmann-Hamel equations",
    purpose="Lagrange's equations in quasi-velocities",
    reference="G. Hamel, Die Lagrange-Eulerschen Gleichungen der Mechanik, Zeitschrift für "
    "Mathematik und Physik 50, 1904; R. M. M. Orsino, doctoral thesis, USP 2016, (3.100), "
    "(3.126), (A.3) to (A.7)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.NO_OWN_SPEED,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
    write_page=write_page,
)
