"""Maggi's equations: Lagrange's operator on the kinetic energy, projected on a complement.

Equation numbers are those of Orsino's thesis, section 3.3.2; see spec/formalisms/maggi.md. The
multipliers have the sign of this project, Fc = A^T lam.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, mul, neg, sub
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_change import change_of
from mbx.formalism.page.page_constraints import describe_constraints, write_constraints
from mbx.formalism.page.page_energies import (
    is_written,
    operator_in_names,
    operator_values,
    refuse_large,
    write_energies,
    write_rows,
)
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_multipliers import (
    constraint_forces,
    multiplier_names,
    write_grid,
)
from mbx.formalism.page.page_sections import write_equations, write_in_turn
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
    from mbx.formalism.page.page_builder import Sided
    from mbx.formalism.page.page_change import Change
    from mbx.formalism.page.page_energies import Energies
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return C*^T (d/dt dT/dqd - dT/dq - Fa) = 0 with the invariants."""
    reasons = motion.uses_left_over(system)
    if reasons:
        raise NotApplicableError(*reasons)
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    n = len(labels)

    operator = energy.lagrange_operator(moving, energy.kinetic(moving))
    Fa = energy.active_forces(moving)
    inertia, rest = split(
        [sub(x, f) for x, f in zip(operator, Fa, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    h = [neg(x) for x in rest]

    p = Program()
    M = p.define("M", inertia, "inertia", rows=labels, columns=labels)
    A = p.define("A", levels.A, "A_*: invariants by qdd", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without qdd", rows=rows)
    # A^-1 = [C_* C_#] with A_* C_* = 0 and A_* C_# = 1, (3.117), (3.118)
    C = p.null("C", A, moving.independent, "C_*: motions that are allowed", "C_*")
    Cs = p.let("Cs", p.pinv(A), "C_#")
    Ct, Cst = C.T, Cs.T
    K = p.stack(p.let("CM", Ct @ M), A)  # (3.124)
    bm = -b

    def solve(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        k = p.stack(p.let("Ch", Ct @ h), bm)
        qdd = p.solve("qdd", K, k, unique=n, meaning="accelerations")
        open_ = p.let("open", M @ qdd - h)
        return qdd, p.let("lam", Cst @ open_, "multipliers, (3.125)")

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    form = InRates(M, A, b, close(p, h, named, Y, solve, labels=labels, meaning="Fa and Fg"))
    speeds = to_speeds(p, form, motion.change(system), labels, [s.path for s in system.u])
    notes = ["declared speeds are replaced by their definitions"] if system.defined else []
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        speeds.results,
        [rates_residual(p, "Maggi", form, speeds, Ct)],
        notes=notes,
    )


# -- the page --------------------------------------------------------------------------------


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return T, Lagrange's operator, the rates that the constraints allow, and C^T E = 0."""
    model = PageModel(system, equations, options, in_rates=True)
    page = PageBuilder(system, "Maggi's equations")
    refuse_large(model)
    model.begin(page)
    energies = write_energies(page, model)
    E, values = _write_operators(page, model, energies)
    change = change_of(model)
    if change is not None and change.model.is_reduced:
        _write_in_speeds(page, model, change, E, values)
    elif model.is_reduced:
        _write_in_rates(page, model, E, values)
    else:
        _write_null_space(page, model)
    multipliers = multiplier_names(page, model, energies.Q_value)
    if change is not None and change.model.is_reduced:
        by_row = dict(zip([row.path for row in model.rows], multipliers, strict=True))
        names = [by_row[row.path] for row in change.model.rows]
        _write_reactions(page, change.model, change.project(E), names)
    elif model.is_reduced:
        _write_reactions(page, model, E, multipliers)
    else:
        for name, force in zip(E, constraint_forces(model, multipliers), strict=True):
            page.equal(force, name)
    return page.page()


def _write_operators(
    page: PageBuilder, model: PageModel, energies: Energies
) -> tuple[list[Node], list[Node]]:
    """Write E for each coordinate, and return its names and its values."""
    terms = ["d/dt ∂T/∂q'", "- ∂T/∂q"]
    terms += ["+ ∂V/∂q"] * (energies.V is not None) + ["+ ∂D/∂q'"] * (energies.D is not None)
    terms += ["- Q"] * any(x is not ZERO for x in energies.Q)
    page.step("Lagrange's operator", f"E = {' '.join(terms)}, without the constraints.")
    named = operator_in_names(page, model, energies)
    values = operator_values(model, energies)
    E: list[Node] = []
    rows: list[Node] = []
    for k, variable in enumerate(model.system.q):
        name = page.name("E", variable.path)
        E.append(name)
        rows.append(sub(values[k], energies.Q_value[k]))
        sides: list[Sided] = [name, Side((named[k], neg(energies.Q[k])))]
        if is_written(model, rows[k]):
            if rows[k] is not sub(named[k], energies.Q[k]):
                sides.append(rows[k])
        else:
            page.left_out += 1
        page.equal(*sides)
    return E, rows


def _write_in_rates(
    page: PageBuilder, model: PageModel, E: Sequence[Node], values: Sequence[Node]
) -> None:
    """Write the projection on the independent rates of coordinates."""
    elimination = model.elimination
    reason = "E = 0, as nothing constrains the rates."
    if elimination is not None:
        page.step("Constraints", *describe_constraints(model))
        write_constraints(page, model)
        columns = [model.u[k] for k in elimination.free]
        write_grid(page, "C", model.u, columns, model.ratios or elimination.C)
        reason = "C^T E = 0, one for each independent rate."
    page.section("Equations of motion", reason)
    write_equations(page, model, values, E)


def _write_in_speeds(
    page: PageBuilder,
    model: PageModel,
    change: Change,
    E: Sequence[Node],
    values: Sequence[Node],
) -> None:
    """Write the projection on the independent ones of the declared speeds."""
    speeds = change.model
    if model.rows:
        page.step("Constraints", "at the level of velocity.")
        write_rows(page, model)
    free = [speeds.u[k] for k in speeds.free]
    allowed = [] if model.rows == () else [" that the constraints allow"]
    page.step("Rates" + "".join(allowed), "q' = C u with the declared speeds, A C = 0.")
    elimination = speeds.elimination
    C: list[list[Node]] = [list(row) for row in change.N]
    if elimination is not None:
        C = [
            tidy(
                [
                    add(*(mul(x, elimination.C[j][k]) for j, x in enumerate(row)))
                    for k in range(len(free))
                ]
            )
            for row in change.N
        ]
    write_grid(page, "C", model.u, free, C)
    known: dict[Node, Node] = {}
    if elimination is not None:
        for k in elimination.dependent:
            known[speeds.u[k]] = speeds.dependent_speed(k)
            known[speeds.ud[k]] = speeds.dependent_rate(k)
    rates = tidy(substitute(change.qd, known))
    for rate, value in zip(model.u, rates, strict=True):
        if rate is not value:
            page.equal(rate, value)
    further = [add(*map(mul, row, speeds.ud), n) for row, n in zip(change.N, change.n, strict=True)]
    for rate, value in zip(model.ud, substitute(further, known), strict=True):
        [short] = tidy([value])
        if rate is short:
            continue
        if is_written(model, short):
            page.equal(rate, short)
        else:
            page.left_out += 1
    page.section("Equations of motion", "C^T E = 0, one for each independent speed.")
    write_equations(page, speeds, change.express(values), change.project(E))


def _write_null_space(page: PageBuilder, model: PageModel) -> None:
    """Write the constraints where their null space has no short form."""
    page.step("Constraints", *describe_constraints(model))
    write_rows(page, model)
    page.section(
        "Equations of motion",
        "C^T E = 0, where the columns of C span the rates that the constraints allow: A C = 0. "
        "So E is a sum of the rows of A, and the factors are the reactions.",
    )


def _write_reactions(
    page: PageBuilder, model: PageModel, E: Sequence[Node], names: Sequence[Node]
) -> None:
    """Write the rows of E = A^T lam that C leaves out."""
    elimination = model.elimination
    if elimination is None:
        return
    page.section("Reactions", "the rows of E = A^T λ that C leaves out.")
    write_in_turn(
        page,
        [
            (E[k], {lam: row[k] for lam, row in zip(names, model.A, strict=True)})
            for k in elimination.dependent
        ],
    )


CONVERTER: Final = Converter(
    name="maggi",
    title="Maggi's equations",
    purpose="Lagrange without multipliers, projected",
    reference="G. A. Maggi, Di alcune nuove forme delle equazioni della dinamica, Rendiconti "
    "della Reale Accademia dei Lincei 10, 1901; R. M. M. Orsino, doctoral thesis, USP 2016, "
    "(3.116) to (3.125)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
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
