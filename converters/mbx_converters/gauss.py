"""Gauss's principle of least constraint, as a quadratic programme in the accelerations.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/gauss.md. The
programme is made of the deviations of single bodies, each from the motion that its loads alone
would give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import written
from mbx.expr.build import NULL, add, cross, divide, dot, matvec, minus, mul, neg, scale, sub, times
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ONE, ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import is_nothing, write_kinematics
from mbx.formalism.page.quasi_velocities import (
    find_quasi_velocities,
    put_in_solution,
    write_generalized_forces,
    write_motion,
    write_quasi_velocities,
    write_relaxed,
)
from mbx.formalism.page.relaxed_bodies import RelaxedBodies
from mbx.formalism.page.turning import (
    HALF,
    gyroscopic,
    half_square,
    inertia_of,
    state_components,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.quasi_velocities import QuasiVelocities
    from mbx.formalism.page.reduced_equations import Reduced
    from mbx.formalism.program import Residual
    from mbx.mechanics.motion import Motion, Moving
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_PARTS: Final = ("vx", "vy", "vz", "wx", "wy", "wz")
_LEAST: Final = 24
"""Operations of the least value of Z that is written."""
_SUBSTITUTED: Final = 400
"""Operations of Z into which the accelerations are put."""


def derive(system: System, _variant: str = "") -> Equations:
    """Return the least of 1/2 ud^T H ud + c^T ud among all ud with A ud + b = 0."""
    moving = motion.in_speeds(system)
    odd = loads.unsymmetric(moving)
    if odd:
        raise NotApplicableError(f"no deviation has an unsymmetric Hessian ({', '.join(odd)})")
    levels = invariants.levels(moving)
    u = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    kept = _kept(moving)
    names = [f"{moving.elements[k // 6].path}.{_PARTS[k % 6]}" for k in kept]
    n, r, m = len(u), len(kept), len(rows)

    p = Program()
    weights, gb = balance.stacked(moving, kept)
    Mb = p.define("Mb", weights, "weights of the deviations", rows=names, columns=names)
    twists = loads.partial_velocities(moving)
    J = p.define("J", [twists[k] for k in kept], "twists by u", rows=names, columns=u)
    rates = loads.accelerations_without_rates(moving)
    jb = p.column("jb", [rates[k] for k in kept], "rates of the twists without ud", rows=names)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=u)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # Mb times the rates of the twist of a body that nothing holds, and forces without a body
    wrenches = [x for force, torque in loads.wrenches(moving) for x in (*force, *torque)]
    free = [sub(wrenches[k], g) for k, g in zip(kept, gb, strict=True)]
    generalized = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    by_ud, h = split([*free, *(add(*terms) for terms in zip(*generalized, strict=True))], moving.ud)
    added = [[neg(x) for x in row] for row in by_ud]
    Ma = p.define("Ma", added[:r], "inertia that loads add to bodies", rows=names, columns=u)
    Me = p.define("Me", added[r:], "inertia of known models", rows=u, columns=u)

    # Z = 1/2 (twd - Mb^-1 F)^T Mb (twd - Mb^-1 F) of all bodies, (3.55), with twd = J ud + jb
    Jt = J.T
    JtMb = p.let("JtMb", Jt @ Mb)
    H0 = p.let("H0", JtMb @ J, "Hessian of the deviations of all bodies")
    H = p.let("H", H0 + p.let("Ha", Jt @ Ma) + Me, "Hessian of the programme")
    c0 = p.let("c0", JtMb @ jb)
    At = A.T
    Am, bm = p.let("Am", -At), -b
    K = p.block([[H, Am], [A, None]] if rows else [[H]])
    named = reactions.named_in(levels, h)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        F = p.let("F", h.rows(range(r)), "wrenches on bodies that nothing holds")
        Q = p.let("Q", h.rows(range(r, r + n)), "forces without a body")
        c = p.let("c", c0 - Jt @ F - Q, "linear term of the programme")
        # dZ = 0, (3.57), for all changes of ud with A dud = 0: H ud + c = A^T lam
        cm = -c
        k = p.stack(cm, bm) if rows else p.stack(cm)
        x = p.solve("x", K, k, unique=n + (m if named else 0))
        ud = p.let("ud", x.rows(range(n)), "accelerations of least constraint")
        lam = p.let("lam", x.rows(range(n, n + m)), "multipliers of the programme")
        return ud, lam, F, Q, c, cm

    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=[*names, *u], meaning="loads")
    Fc = p.let("Fc", At @ closed.lam, "constraint forces")
    E = p.null("E", A, meaning="changes of ud that the invariants allow")
    F, Q, c, cm = closed.others
    results = {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "H": H, "c": c}
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {**results, "M": H, "h": cm, "A": A, "b": b},
        [_gradient(p, E, H, c, (Jt, Mb, jb, F, Q)), constraint_residual(p, n, A, b, rows)],
        notes=[_programme(least=loads.symmetric(moving))],
    )


def _programme(*, least: bool) -> str:
    """Return the programme in words; with inertia of loads, perhaps nothing is least."""
    return (
        "of all ud that keep A ud + b = 0, the accelerations make 1/2 ud^T H ud + c^T ud "
        f"{'least' if least else 'stationary'}"
    )


def _kept(moving: Motion) -> list[int]:
    """Return which of six rows an element are there: a particle has the first three only."""
    sizes = [3 if m.element.w_local is None else 6 for m in moving.elements]
    return [6 * k + i for k, size in enumerate(sizes) for i in range(size)]


def _gradient(
    program: Program, E: Matrix, H: Matrix, c: Matrix, parts: tuple[Matrix, ...]
) -> Residual:
    """Return dZ/dud along the changes that the invariants allow, magnitudes from the bodies.

    `parts` are those of c: Jt, Mb, jb, F and Q.
    """
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=H.shape[0])
    dZ = p.let("r_all", p.let("r_H", H @ ud) + c, "dZ/dud")
    Et = p.let("r_Et", E.T)
    value = p.let("r_value", Et @ dZ)
    leaves = (H, ud, *parts, Et)
    sizes = [p.place(abs(x)) for x in leaves]
    s_H, s_ud, s_Jt, s_Mb, s_jb, s_F, s_Q, s_Et = sizes
    along = s_H @ s_ud
    body = p.let("s_body", s_Jt @ p.let("s_wrench", s_Mb @ s_jb + s_F))
    most = p.let("s_all", along + body + s_Q)
    return p.residual("dZ = 0", value, p.let("r_magnitude", s_Et @ most))


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the deviations by body, Z, and where its derivatives vanish."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, "Gauss's principle of least constraint")
    quasi = find_quasi_velocities(page, model)
    relaxed = RelaxedBodies(page, quasi)
    model.begin(page)
    write_quasi_velocities(page, quasi, "What may be varied")

    alone, together = _loads(model.motion)
    Z_by_ud = [
        sub(slope, force)
        for slope, force in zip(
            gradient(_constraint(model.motion, alone), model.ud), together, strict=True
        )
    ]
    terms = _write_deviations(page, relaxed, alone)
    page.step(
        "The constraint Z (Zwang)",
        "half of the masses times the squares of the deviations"
        + ("; forces on speeds add -Q times the rate." if any(map(_stands, together)) else "."),
    )
    Z = _write_constraint(page, quasi, terms, together)
    least = "least" if loads.symmetric(model.motion) else "stationary"
    page.step("Minimum", f"Z is {least} where it does not change with what may be varied.")
    named = [page.partial(Z, rate) for rate in quasi.wd]
    values = quasi.constrain(quasi.project(Z_by_ud))
    for k, value in enumerate(values):
        if k in quasi.combined:
            if written([value]) <= options.entry:
                page.equal(named[k], value)
            else:
                page.left_out += 1

    page.section("Equations of motion", "∂Z/∂(rate) = 0 for what may be varied.")
    reduced = write_motion(page, quasi, Z_by_ud, named)
    write_kinematics(page, model)
    reason = "the slopes of Z by what is held."
    write_relaxed(page, quasi, named, Z_by_ud, reduced, "", reason)
    if not any(map(_stands, together)):
        _write_least(page, model, Z, _squares(model.motion, alone), reduced)
    return page.page()


def _loads(motion: Motion) -> tuple[list[tuple[Vector, Vector]], list[Node]]:
    """Return the wrenches that give single bodies an acceleration, and all else on the speeds."""
    alone: list[tuple[Vector, Vector]] = []
    others: list[tuple[Vector, Vector]] = []
    rates = set(motion.ud)
    for moving, (force, torque) in zip(motion.elements, loads.wrenches(motion), strict=True):
        pushes = moving.m is not ZERO and rates.isdisjoint(free_symbols(force))
        turns = _has_inverse(moving) and rates.isdisjoint(free_symbols(torque))
        alone.append((force if pushes else NULL, torque if turns else NULL))
        others.append((NULL if pushes else force, NULL if turns else torque))
    together = zip(
        loads.project(motion, others),
        loads.generalized(motion),
        loads.non_ideal(motion),
        loads.effective(motion),
        strict=True,
    )
    return alone, [add(*terms) for terms in together]


def _stands(node: Node) -> bool:
    return node is not ZERO


def _has_inverse(moving: Moving) -> bool:
    """Return whether a body has principal moments of inertia about all axes that it turns about."""
    inertia, axes = moving.inertia, _turning(moving)
    return moving.turns and all((inertia[i][j] is ZERO) != (i == j) for i in axes for j in axes)


def _turning(moving: Moving) -> list[int]:
    return [k for k in range(3) if moving.w[k] is not ZERO]


def _constraint(motion: Motion, alone: Sequence[tuple[Vector, Vector]]) -> Node:
    """Return Z but for what holds no accelerations: m a.a/2 - f.a + wd.(I wd/2 + w x I w - t)."""
    terms: list[Node] = []
    for moving, (force, torque) in zip(motion.elements, alone, strict=True):
        if moving.m is not ZERO:
            terms += [
                scale(HALF, mul(moving.m, dot(moving.a, moving.a))),
                neg(dot(force, moving.a)),
            ]
        if moving.turns:
            turning = matvec(moving.inertia, moving.wd)
            left = minus(cross(moving.w, matvec(moving.inertia, moving.w)), torque)
            terms += [scale(HALF, dot(moving.wd, turning)), dot(moving.wd, left)]
    return add(*terms) if terms else ZERO


def _squares(motion: Motion, alone: Sequence[tuple[Vector, Vector]]) -> Node | None:
    """Return Z as a sum of squares; None where a deviation has no square."""
    terms: list[Node] = []
    for moving, (force, torque) in zip(motion.elements, alone, strict=True):
        if moving.m is not ZERO:
            off = minus(moving.a, times(divide(ONE, moving.m), force))
            terms.append(scale(HALF, mul(moving.m, dot(off, off))))
        if moving.turns:
            if not _has_inverse(moving):
                return None
            spin = matvec(moving.inertia, moving.w)
            left = minus(cross(moving.w, spin), torque)
            for k in _turning(moving):
                off_k = add(moving.wd[k], divide(left[k], moving.inertia[k][k]))
                terms.append(scale(HALF, mul(moving.inertia[k][k], mul(off_k, off_k))))
    return add(*terms) if terms else ZERO


def _write_deviations(
    page: PageBuilder,
    relaxed: RelaxedBodies,
    alone: Sequence[tuple[Vector, Vector]],
) -> dict[Body, list[Node]]:
    """Write by how much accelerations differ from those of the loads alone; return terms of Z."""
    page.step(
        "Deviations",
        "accelerations minus those that the loads alone would give to each body.",
    )
    free = {
        b: b.shown(times(divide(ONE, b.m), force))
        for b, (force, _) in zip(relaxed.bodies, alone, strict=True)
        if b.m is not ZERO and force is not NULL
    }
    terms: dict[Body, list[Node]] = {}
    for b, stated in relaxed.accelerations("e", free).items():
        square = page.dot(stated.name, stated.name)
        terms[b] = [scale(HALF, mul(b.m, square))]
    turning = relaxed.turned()
    is_indexed = sum(len(b.w) > 1 for b in turning) > 1
    for b, (_, torque) in zip(relaxed.bodies, alone, strict=True):
        if b in turning:
            found = _turned(page, relaxed, b, torque, is_indexed=is_indexed)
            if found:
                terms.setdefault(b, []).extend(found)
    return terms


def _turned(
    page: PageBuilder, relaxed: RelaxedBodies, b: Body, torque: Vector, *, is_indexed: bool
) -> list[Node]:
    """Write the deviation of a rotation, and return its terms of Z."""
    inertia = inertia_of(b)
    if len(b.w) == 1:
        [pushed] = b.turned(torque)
        if is_nothing(b.alpha):
            return []
        turned = b.relative(b.alpha, [divide(pushed, b.J)]) if pushed is not ZERO else b.alpha
        return [half_square(inertia, state_components(page, "ε", b, turned, is_indexed=True))]
    own, w, alpha = relaxed.rotations(b, is_indexed=is_indexed)
    if is_nothing(alpha):
        return []
    left = [sub(x, t) for x, t in zip(gyroscopic(own, w), own.turned(torque), strict=True)]
    if _has_inverse(b.moving):
        pairs = zip(alpha, left, range(3), strict=True)
        off = [ZERO if x is ZERO else add(x, divide(y, inertia[k][k])) for x, y, k in pairs]
        ε = state_components(page, "ε", own, off, is_indexed=is_indexed)  # noqa: PLC2401
        return tidy([half_square(inertia, ε)])
    α = state_components(page, "α", own, alpha, is_indexed=is_indexed)  # noqa: PLC2401
    return [x for x in tidy([half_square(inertia, α), dot_of(α, left)]) if x is not ZERO]


def dot_of(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Return the scalar product of components."""
    return add(*(mul(x, y) for x, y in zip(a, b, strict=True)))


def _write_constraint(
    page: PageBuilder,
    quasi: QuasiVelocities,
    terms: dict[Body, list[Node]],
    together: Sequence[Node],
) -> Node:
    """Write Z by body, and return its name."""
    parts: list[Node] = []
    projected = quasi.relax(quasi.project(together))
    by_rates, rest = split(projected, quasi.wd)
    is_alone = len(terms) == 1 and all(x is ZERO for x in projected)
    for b, found in terms.items():
        name = page.name("Z", "" if is_alone else b.word)
        page.equal(name, Side(tuple(found)))
        parts.append(name)
    if is_alone:
        return parts[0]
    if any(x is not ZERO for x in rest):
        Q = write_generalized_forces(page, quasi, "Q", rest, is_projected=True, is_added=True)
        parts += [neg(mul(force, rate)) for force, rate in zip(Q, quasi.wd, strict=True)]
    added = [
        mul(x, quasi.wd[i], quasi.wd[j])
        for i, row in enumerate(by_rates)
        for j, x in enumerate(row)
    ]
    parts += tidy([scale(-HALF, add(*added))])
    Z = page.name("Z")
    page.equal(Z, Side(tuple(x for x in parts if x is not ZERO) or (ZERO,)))
    return Z


def _write_least(
    page: PageBuilder, model: PageModel, Z: Node, value: Node | None, reduced: Reduced | None
) -> None:
    """Write the value of Z in the motion, if it is short."""
    if not model.rows or reduced is None or value is None or written([value]) > _SUBSTITUTED:
        return
    found = put_in_solution(model, [value], reduced)
    if found is not None and found[0] is not ZERO and written(found) <= _LEAST:
        page.section("Least value", "of Z, in the motion.")
        [twice] = tidy([scale(2, found[0])])
        page.equal(scale(2, Z), twice)


CONVERTER: Final = Converter(
    name="gauss",
    title="Gauss's principle of least constraint",
    purpose="accelerations as a quadratic programme",
    reference="C. F. Gauss, Über ein neues allgemeines Grundgesetz der Mechanik, Journal für die "
    "reine und angewandte Mathematik 4, 1829; R. M. M. Orsino, doctoral thesis, USP 2016, "
    "(3.54) to (3.57)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
                    Feature.LEFT_OVER_DEFINITIONS,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
                    Feature.EFFECTIVE_WITHOUT_RATE,
                    Feature.REACTION_IN_LOAD,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                }
            )
        ),
    ),
    derive=derive,
    write_page=write_page,
)
