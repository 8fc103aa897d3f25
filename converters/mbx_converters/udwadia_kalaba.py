"""Udwadia-Kalaba equations: constrained motion by generalized inverses, from momenta.

Equation numbers are those of Orsino's thesis, section 3.4.2; see
spec/formalisms/udwadia_kalaba.md. The inertia comes from the rates of the momenta of each body,
seen from the ground, on the partial velocities in the same frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.matrix import dot
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.steps.every_order_steps import Extended
from mbx.formalism.steps.programmes import note, solve_programme
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.regular_inertia import is_singular, refuse_singular
from mbx.formalism.steps.speed_scales import scale_speeds
from mbx.mechanics import every_order, invariants, loads, momentum, partials, programme, reactions
from mbx.system.features import Feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_SECOND: Final = 2


def _inertia(moving: Motion) -> tuple[list[list[Node]], list[Node]]:
    """Return M and Q with M ud = Q + Fc, from rates of momenta and active forces."""
    rates = momentum.project_rates(moving, momentum.momentum_rates(moving))
    Q = [
        add(*terms)
        for terms in zip(
            partials.project(moving, loads.wrenches(moving)),
            loads.generalized(moving),
            loads.effective(moving),
            strict=True,
        )
    ]
    M, rest = split(
        [sub(p, f) for p, f in zip(rates, Q, strict=True)],
        moving.ud,
        symmetric=loads.symmetric(moving),
    )
    return M, [neg(x) for x in rest]


def derive(system: System, variant: str = "") -> Equations:
    """Return the accelerations and constraint forces by generalized inverses."""
    moving = every_order.in_variables(system)
    if system.order > _SECOND:
        return _programme(system, moving, variant)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    M, Q = _inertia(moving)
    if variant != "singular":
        _refuse_unsymmetric(moving)
    if variant == "positive":
        refuse_singular(M, labels, system)

    program = Program()
    program.define("M", M, "inertia, from momenta", rows=labels, columns=labels)
    program.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    program.column("b", levels.b, "invariants without ud", rows=rows)
    # Cstar: the work that constraints do beside their ideal part
    star = loads.non_ideal(moving)
    named = reactions.named_in(levels, [*Q, *star])
    program.transpose("At", "A")
    program.pinv("Atp", "At")
    program.identity("one", len(labels))
    units = [s.unit for s in moving.speeds]
    ties = len(rows) - len(system.rows)
    scale_speeds(program, units, symmetric=loads.symmetric(moving), ties=ties)
    program.product("As", "A", "Si", meaning="invariants by the scaled speeds S u")
    extended = Extended(system, every_order.extend(system))
    extended.begin(program, labels)
    inverse = _VARIANTS[variant](program, len(labels), extended.x)

    def solve(p: Program, h: str) -> tuple[str, str]:
        n = len(labels)
        p.rows("Q", h, range(n), "active and gyroscopic forces")
        p.rows("Cstar", h, range(n, 2 * n), "non-ideal constraint forces")
        inverse(p)
        p.product("Mud", "M", extended.x)
        p.sum("Fa", "Q", "Cstar")
        p.sum("Fc", "Mud", "Fa", signs=(1, -1), meaning="constraint forces, the ideal part")
        p.product("lam", "Atp", "Fc", meaning="multipliers")
        return extended.reduce(p)

    Y = reactions.reaction_map(levels, named)
    close(program, [*Q, *star], named, Y, solve, labels=[*labels, *labels])
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        _results(system, extended.finish(program)),
        variant=variant,
    )


def _results(system: System, names: dict[str, str]) -> dict[str, str]:
    """Return the results, with M after the multipliers where it is that of the speeds."""
    first = {key: name for key, name in names.items() if key in {"ud", "Fc", "lam"}}
    return {**first, **({} if system.quasi else {"M": "M"}), **names}


def _programme(system: System, moving: Motion, variant: str) -> Equations:
    """Return the equations under invariants of order s above 2, in the rates of order s - 1.

    P (M ud - Q) = 0 with P = 1 - A^P A holds at every instant; differentiated s - 2 times, P too,
    and projected by P again, it is solved together with A x + b = 0.
    """
    programme.refuse_reactions(system)
    lifted = programme.lift(moving)
    M, Q = _inertia(moving)
    star = loads.non_ideal(moving)
    labels = [s.path for s in moving.speeds]
    if system.quasi and variant == "positive":
        refuse_singular(M, labels, system)
    rows = [r.path for r in lifted.rows]
    open_ = [
        sub(dot(row, moving.ud), add(f, c)) for row, f, c in zip(M, Q, star, strict=True)
    ]  # M ud - Q - Cstar, the constraint forces
    P = programme.projector(lifted.A)
    K, k, state = programme.differentiate(moving, lifted, [dot(row, open_) for row in P])
    # P K = K; off the states where P (M ud - Q) = 0, as within a step, only P k has a solution
    k = [dot(row, k) for row in P]
    program = Program()
    program.define("M", M, "inertia, from momenta", rows=labels, columns=labels)
    solved = solve_programme(
        program,
        Extended(system, every_order.extend(system)),
        (K, k, state),
        (lifted.A, lifted.b),
        open_,
        rows,
        labels,
        together=len(labels),
    )
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        _results(system, solved.names),
        variant=variant,
        notes=[note(system.order)],
    )


def _refuse_unsymmetric(moving: Motion) -> None:
    """Refuse an inertia matrix without a square root."""
    odd = loads.unsymmetric(moving)
    if odd:
        raise NotApplicableError(f"the inertia matrix is not symmetric ({', '.join(odd)})")


def _positive(program: Program, n: int, x: str, more: str = "") -> Callable[[Program], None]:
    """Return the first variant, (3.149), in the speeds S u: M is positive definite."""
    del n
    M = program.product("Mn", "Si", "M", "Si", meaning="inertia of the scaled speeds")
    if more:
        M = program.sum("Mal", "Mn", more, meaning="augmented inertia")
    program.sqrtm("Ms", M, "square root of the inertia")
    program.transpose("Ast", "As")
    program.solve("Act", "Ms", "Ast", "general")
    program.transpose("Ac", "Act", "A M^(-1/2)")
    program.pinv("AcP", "Ac", "its Moore-Penrose inverse")
    program.product("AcPAc", "AcP", "Ac")
    program.sum("rest", "one", "AcPAc", signs=(1, -1))

    def steps(p: Program) -> None:
        p.product("Qs", "Si", "Q")
        p.solve("a0", M, "Qs", "positive", meaning="accelerations without constraints")
        p.product("Aa0", "As", "a0")
        p.sum("off", "Aa0", "b", meaning="by how much they miss the constraints")
        p.product("pull", "AcP", "off")
        p.product("Cs", "Si", "Cstar")
        p.solve("push", "Ms", "Cs", "general")
        p.product("pushed", "rest", "push")
        p.sum("turn", "pushed", "pull", signs=(1, -1))
        p.solve("change", "Ms", "turn", "general")
        p.sum("yd", "a0", "change", meaning="rates of the scaled speeds")
        p.product(x, "Si", "yd", meaning="rates of the speeds")

    return steps


def _singular(program: Program, n: int, x: str) -> Callable[[Program], None]:
    """Return the second variant, (3.155), in the speeds S u: M may be singular."""
    program.pinv("AP", "As", "Moore-Penrose inverse of A")
    program.product("APA", "AP", "As")
    program.sum("rest", "one", "APA", signs=(1, -1), meaning="1 - A^P A")
    program.product("Mr", "rest", "Si", "M", "Si")
    program.block("K", [["Mr"], ["As"]])
    program.sum("bm", "b", signs=(-1,))

    def steps(p: Program) -> None:
        p.sum("QC", "Q", "Cstar")
        p.product("Qr", "rest", "Si", "QC")
        p.block("k", [["Qr"], ["bm"]])
        p.solve("yd", "K", "k", "least_squares", n, n, meaning="rates of the scaled speeds")
        p.product(x, "Si", "yd", meaning="rates of the speeds")

    return steps


def _augmented(program: Program, n: int, x: str) -> Callable[[Program], None]:
    """Return the third variant (Udwadia and Schutte): M + A^P A in the place of M.

    In the speeds S u the two parts have the same unit and about the same size.
    """
    program.pinv("AsP", "As", "Moore-Penrose inverse of A")
    program.product("AsPAs", "AsP", "As")
    return _positive(program, n, x, "AsPAs")


_VARIANTS: Final = {"positive": _positive, "singular": _singular, "augmented": _augmented}


def choose(system: System) -> str:
    """Return the first variant, unless the inertia matrix is singular everywhere."""
    moving = every_order.in_variables(system)
    if system.order > _SECOND and not system.quasi:
        return "positive"
    M, _ = _inertia(moving)
    left_over = Feature.LEFT_OVER_DEFINITIONS in system.features
    if left_over or loads.unsymmetric(moving) or is_singular(M, system):
        return "singular"
    return "positive"


_COMMON: Final = frozenset(
    {
        Feature.HOLONOMIC,
        Feature.NONHOLONOMIC,
        Feature.NONLINEAR_VELOCITY_INVARIANT,
        Feature.ORDER_2_INVARIANT,
        Feature.ORDER_3_INVARIANT,
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
        Feature.HIGHER_VARIABLE,
    }
)

CONVERTER: Final = Converter(
    name="udwadia_kalaba",
    title="Udwadia-Kalaba equations",
    reference="F. E. Udwadia, R. E. Kalaba, Analytical Dynamics: A New Approach, Cambridge 1996; "
    "F. E. Udwadia, A. D. Schutte, Acta Mechanica 213, 2010; R. M. M. Orsino, doctoral thesis, "
    "USP 2016, (3.149) to (3.155)",
    variants=(
        Variant(name="positive", accepts=_COMMON, title="inertia matrix positive definite"),
        Variant(
            name="singular",
            accepts=_COMMON | {Feature.LEFT_OVER_DEFINITIONS},
            title="inertia matrix perhaps singular",
        ),
        Variant(
            name="augmented",
            accepts=_COMMON | {Feature.LEFT_OVER_DEFINITIONS},
            title="augmented inertia matrix",
        ),
    ),
    derive=derive,
    choose=choose,
)
