"""Lagrange's equations with multipliers, by differentiation of the energies.

Equation numbers are those of Orsino's thesis, sections 3.2.5 to 3.2.7; see
spec/formalisms/lagrange.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, sub
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.algebra.reduced_equations import FREEDOMS, reduce_equations
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_constraints import write_conditions
from mbx.formalism.page.page_energies import (
    is_written,
    operator_values,
    refuse_large,
    shortest,
    write_energies,
    write_rows,
)
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_multipliers import (
    constraint_forces,
    multiplier_names,
    solve_with_multipliers,
    write_matrix,
    write_rates,
)
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import InRates, close, rates_residual, to_speeds
from mbx.mechanics import energy, invariants, loads, motion, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_energies import Energies
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return d/dt dL/dqd - dL/dq = Q' + A^T lam with the invariants."""
    reasons = motion.uses_left_over(system)
    if reasons:
        raise NotApplicableError(*reasons)
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    labels = [s.path for s in moving.speeds]

    inertia = energy.lagrange_operator(moving, energy.kinetic(moving))  # (3.75)
    Q = energy.active_forces(moving)
    second, rest = split(
        [sub(x, f) for x, f in zip(inertia, Q, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", second, "second derivatives of T", rows=labels, columns=labels)
    rows = [r.path for r in levels.rows]
    A = p.define("A", levels.A, "invariants by qdd", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without qdd", rows=rows)
    At = A.T
    Am, bm = p.let("Am", -At), -b
    # [M -A^T; A 0] [qdd; lam] = [h; -b], (3.95) with Fc = A^T lam
    K = p.block([[M, Am], [A, None]] if rows else [[M]])
    n, m = len(labels), len(rows)
    named = reactions.named_in(levels, h)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        k = p.stack(h, bm) if rows else p.stack(h)
        x = p.solve("x", K, k, unique=n + (m if named else 0))
        qdd = p.let("qdd", x.rows(range(n)), "accelerations of the coordinates")
        return qdd, p.let("lam", x.rows(range(n, n + m)), "multipliers")

    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="Q' and gyroscopic terms")
    form = InRates(M, A, b, closed)
    speeds = to_speeds(p, form, motion.change(system), labels, [s.path for s in system.u])
    Z = p.null("Z", A, meaning="motions that the invariants allow")
    Zt = p.let("Zt", Z.T)
    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        speeds.results,
        [rates_residual(p, "Lagrange", form, speeds, Zt)],
        notes=notes,
    )


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return energies, L and its derivatives, and Lagrange's equations with multipliers."""
    model = PageModel(system, equations, options, in_rates=True)
    title = "Lagrange's equations" + (" with multipliers" if model.rows else "")
    page = PageBuilder(system, title)
    refuse_large(model)
    model.begin(page)
    if system.defined:
        page.given("Declared speeds are replaced by what defines them.")
    energies = write_energies(page, model)
    L = _write_lagrangian(page, energies)
    _write_derivatives(page, model, energies, L)
    if model.rows:
        page.step("Constraints", "at the level of velocity, and A, their derivatives by the rates.")
        write_rows(page, model)
        write_matrix(page, model)
    names = multiplier_names(page, model, energies.Q_value)
    rows = _write_equations(page, model, energies, L, names)
    _write_solved(page, model, rows, names)
    return page.page()


def _write_lagrangian(page: PageBuilder, energies: Energies) -> Node:
    """Write L = T - V, and return its name; T where nothing is stored."""
    if energies.V is None:
        return energies.T
    L = page.name("L", meaning="Lagrangian")
    page.equal(L, sub(energies.T, energies.V))
    return L


def _write_derivatives(page: PageBuilder, model: PageModel, energies: Energies, L: Node) -> None:
    """Write the derivatives of L that are short; those that are zero stand on one line."""
    value = sub(energies.T_value, energies.V_value)
    q = [v.symbol for v in model.system.q]
    page.step(f"Derivatives of {L.value}")
    for symbols in (model.u, q):
        slopes = shortest(gradient(value, symbols))
        nothing = [page.partial(L, x) for x, y in zip(symbols, slopes, strict=True) if y is ZERO]
        if nothing:
            page.lines(*((name, ZERO) for name in nothing))
        for symbol, slope in zip(symbols, slopes, strict=True):
            if slope is ZERO:
                continue
            if is_written(model, slope):
                page.equal(page.partial(L, symbol), slope)
            else:
                page.left_out += 1


def _write_equations(
    page: PageBuilder, model: PageModel, energies: Energies, L: Node, names: Sequence[Node]
) -> list[Node]:
    """Write d/dt dL/dq' - dL/dq = Q + A^T lam, and return what is zero but for A^T lam."""
    heading = f"d/dt ∂{L.value}/∂q' - ∂{L.value}/∂q"
    heading += f" + ∂{energies.D.value}/∂q'" if energies.D is not None else ""
    known = " + ".join(
        ["Q"] * any(x is not ZERO for x in energies.Q) + ["A^T λ"] * bool(model.rows)
    )
    page.section("Equations of motion", f"{heading} = {known or '0'}")
    values = operator_values(model, energies)
    forces = constraint_forces(model, names)
    in_L = set(free_symbols([energies.T_value, energies.V_value]))
    in_D = set(free_symbols([energies.D_value]))
    for k, (variable, rate) in enumerate(zip(model.system.q, model.u, strict=True)):
        left = values[k]
        if not is_written(model, left):
            terms = [page.rate(page.partial(L, rate))] if rate in in_L else []
            terms += [neg(page.partial(L, variable.symbol))] if variable.symbol in in_L else []
            if energies.D is not None and rate in in_D:
                terms.append(page.partial(energies.D, rate))
            left = add(*terms)
        page.equal(left, add(energies.Q[k], forces[k]))
    write_rates(page, model)
    return [sub(x, y) for x, y in zip(values, energies.Q_value, strict=True)]


def _write_solved(
    page: PageBuilder, model: PageModel, rows: Sequence[Node], names: Sequence[Node]
) -> None:
    """Write the accelerations and the multipliers where they are short."""
    if model.rows:
        found = solve_with_multipliers(model, rows, names)
        if found is None:
            return
        unknowns, solved = found
    else:
        if len(model.u) > FREEDOMS:
            return
        reduced = reduce_equations(rows, model.u, model.ud, None, model.positive, model.constant)
        if reduced is None or reduced.solved is None:
            return
        unknowns, solved = list(model.ud), reduced.solved
    page.note("solved")
    for symbol, value in zip(unknowns, solved.values, strict=True):
        page.equal(symbol, value)
    write_conditions(page, solved.conditions)


CONVERTER: Final = Converter(
    name="lagrange",
    title="Lagrange's equations with multipliers",
    purpose="energies and multipliers: the textbook form",
    reference="J.-L. Lagrange, Mécanique analytique, 1788; R. M. M. Orsino, doctoral thesis, "
    "USP 2016, (3.76), (3.79), (3.95)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.LEFT_OVER_DEFINITIONS,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
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
