"""Kane's equations: generalized active and inertia forces on partial velocities, Fr + Fr* = 0.

Equation numbers are those of Orsino's thesis, section 3.4.1; see spec/formalisms/kane.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, mul, neg
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_constraints import describe_constraints, write_constraints
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import (
    as_vector,
    depends,
    gradient_column,
    is_nothing,
    positions,
    write_accelerations,
    write_equations,
    write_forces,
    write_kinematics,
    write_reactions,
    write_velocities,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import balance, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Sided
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.page_sections import BodyNames
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return Kane's equations, F + F* = 0 on the independent speeds."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]

    F, F_star = generalized_forces(moving)
    total = [
        add(a, b, c) for a, b, c in zip(F, F_star, loads.effective(moving), strict=True)
    ]  # (3.135), before the constraints
    slopes, h = split(total, moving.ud, symmetric=loads.symmetric(moving))
    inertia = [[neg(x) for x in row] for row in slopes]

    p = Program()
    M = p.define("M", inertia, "coefficients of -ud in F*", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    A = p.define("A", levels.A, "constraints on ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "constraints without ud", rows=rows)
    # u = Cb u_# + db, A Cb = 0, (3.130), (3.131): partial velocities of the independent speeds
    meaning = "speeds in terms of the independent ones"
    Cb = p.null("Cb", A, moving.independent, meaning, r"\bar{C}")
    Mr = p.let("Mr", Cb.T @ M, "F* on the independent partial velocities")
    K = p.stack(Mr, A)
    # auxiliary speeds: one for each constraint, along the columns of A^P
    Cs = p.let("Cs", p.pinv(A), "partial velocities of the auxiliary speeds")
    Cst, bm = Cs.T, -b

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        hr = p.let("hr", Cb.T @ h, "F on the independent partial velocities")
        ud = p.solve("ud", K, p.stack(hr, bm), unique=len(labels))
        open_ = p.let("open", M @ ud - h, "-(F + F*)")
        return ud, p.let("lam", Cst @ open_, "reactions on the auxiliary speeds")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="F and F* without ud")
    Fc = p.let("Fc", A.T @ closed.lam, "constraint forces")
    n = len(labels)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "F + F*", n, M, closed.h, Cb),
            constraint_residual(p, n, A, b, rows),
        ],
    )


def generalized_forces(moving: Motion) -> tuple[list[Node], list[Node]]:
    """Return the active and the inertia forces on the partial velocities: F_r and F*_r."""
    # F_r: active forces on the partial velocities, (3.134)
    F = [
        add(a, b, c)
        for a, b, c in zip(
            loads.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.non_ideal(moving),
            strict=True,
        )
    ]
    # F*_r: f = -m a, t = -(I wd + w x I w), (3.133)
    inertial = [balance.inertia_wrench(m) for m in moving.elements]
    return F, [neg(x) for x in loads.project(moving, inertial)]


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return partial velocities, F_r and F*_r, and F_r + F*_r = 0 on the independent speeds."""
    model = PageModel(system, equations, options)
    model.insert_dependent()
    page = PageBuilder(system, "Kane's equations")
    model.begin(page)

    if model.inserted:
        page.step("Constraints", *describe_constraints(model))
        write_constraints(page, model)
    page.step("Velocities", "of the mass centres, and of what turns, in the speeds.")
    names = write_velocities(page, model)
    if model.rows and not model.inserted:
        page.step("Constraints", *describe_constraints(model))
        write_constraints(page, model)

    page.step("Partial velocities", "the coefficients of the speeds in the velocities.")
    for k in positions(model):
        u = model.u[k]
        parts = list(_partials(page, names, u))
        if parts:
            page.lines(*parts)
        elif k in model.free:
            page.note("Nothing with inertia moves with ", u, ".")

    page.step("Accelerations", "of the mass centres, and T*, minus the rates of angular momenta.")
    write_accelerations(page, model, names)

    F, F_star = generalized_forces(model.motion)
    effective = loads.effective(model.motion)
    page.step("Generalized active forces", "forces and torques on the partial velocities.")
    active = write_forces(page, model, "F", [add(a, e) for a, e in zip(F, effective, strict=True)])
    page.step("Generalized inertia forces", "-m a and T* on the partial velocities.")
    inertia = write_forces(
        page,
        model,
        "F*",
        F_star,
        _inertia_sides(page, names, [model.u[k] for k in positions(model)]),
    )

    page.section("Equations of motion", "F_r + F*_r = 0 for the independent speeds.")
    rows = [neg(add(*parts)) for parts in zip(F, F_star, effective, strict=True)]
    sums = [add(a, b) for a, b in zip(active, inertia, strict=True)]
    write_equations(page, model, rows, sums)
    write_kinematics(page, model)
    reason = "the speeds that depend on others, as auxiliary speeds."
    write_reactions(page, model, [neg(x) for x in sums], rows, "Reactions", reason)
    return page.page()


def _partials(
    page: PageBuilder, names: Sequence[BodyNames], u: Node
) -> Iterator[tuple[Sided, Sided]]:
    """Yield the partial velocities by a speed that are not zero."""
    for each in names:
        if each.v is not None:
            by = tidy(gradient_column(each.body.v, u))
            if not is_nothing(by):
                yield page.partial(each.v, u), as_vector(by)
        if each.w is not None:
            by = tidy(gradient_column(each.body.w, u))
            if not is_nothing(by):
                yield page.partial(each.w, u), as_vector(by)


def _inertia_sides(
    page: PageBuilder, names: Sequence[BodyNames], speeds: Sequence[Node]
) -> list[Node]:
    """Return F*_r in the names of the page: -m a . dv/du_r + T* . dw/du_r."""
    sides: list[Node] = []
    for u in speeds:
        terms: list[Node] = []
        for each in names:
            if each.v is not None and each.a is not None and depends(each.body.v, u):
                pull = page.dot(each.a, page.partial(each.v, u))
                terms.append(neg(mul(each.body.m, pull)))
            if each.w is not None and each.moment is not None and depends(each.body.w, u):
                turned = page.partial(each.w, u)
                product = (
                    mul(each.moment, turned)
                    if len(each.body.w) == 1
                    else page.dot(each.moment, turned)
                )
                terms.append(product)
        sides.append(add(*terms) if terms else ZERO)
    return sides


CONVERTER: Final = Converter(
    name="kane",
    title="Kane's equations",
    purpose="compact equations in independent speeds",
    reference="T. R. Kane, D. A. Levinson, Dynamics: Theory and Applications, McGraw-Hill 1985; "
    "R. M. M. Orsino, doctoral thesis, USP 2016, (3.128) to (3.135)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
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
