"""Udwadia-Kalaba equations: constrained motion by generalized inverses, from momenta.

Equation numbers are those of Orsino's thesis, section 3.4.2; see
spec/formalisms/udwadia_kalaba.md. The inertia comes from the rates of the momenta of each body,
seen from the ground, on the partial velocities in the same frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, dot, neg, sub
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.every_order_steps import Extended, Solution
from mbx.formalism.steps.programmes import note, solve_programme
from mbx.formalism.steps.regular_inertia import is_singular, refuse_singular
from mbx.formalism.steps.shared_steps import close
from mbx.formalism.steps.speed_scales import scale_speeds
from mbx.mechanics import every_order, invariants, loads, momentum, programme, reactions
from mbx.system.find_features import Feature
from mbx_converters.udwadia_kalaba.correction_page import write_correction_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

    _Accelerations = Callable[[Program, Matrix, Matrix], Matrix]
    """Adds the rates of the scaled speeds under Q and Cstar."""

__all__ = ["CONVERTER", "derive", "write_page"]

_SECOND: Final = 2


def _inertia(moving: Motion) -> tuple[list[list[Node]], list[Node]]:
    """Return M and Q with M ud = Q + Fc, from rates of momenta and active forces."""
    rates = momentum.project_rates(moving, momentum.momentum_rates(moving))
    Q = [
        add(*terms)
        for terms in zip(
            loads.project(moving, loads.wrenches(moving)),
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
    inertia, forces = _inertia(moving)
    if variant != "singular":
        _refuse_unsymmetric(moving)
    if variant == "positive":
        refuse_singular(inertia, labels, system)

    p = Program()
    M = p.define("M", inertia, "inertia, from momenta", rows=labels, columns=labels)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # Cstar: the work that constraints do in addition to their ideal part
    star = loads.non_ideal(moving)
    named = reactions.named_in(levels, [*forces, *star])
    Atp = p.pinv(A.T)
    identity = p.let("one", p.identity(len(labels)))
    units = [s.dimension for s in moving.speeds]
    ties = len(rows) - len(system.rows)
    Si = scale_speeds(p, M, A, units, symmetric=loads.symmetric(moving), ties=ties)
    As = p.let("As", A @ Si, "invariants by the scaled speeds S u")
    extended = Extended(system, every_order.extend(system))
    extending = extended.begin(p, A, b, labels)
    accelerations = _VARIANTS[variant](p, _Scaled(M, Si, As, b, identity))

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        n = len(labels)
        Q = p.let("Q", h.rows(range(n)), "active and gyroscopic forces")
        Cstar = p.let("Cstar", h.rows(range(n, 2 * n)), "non-ideal constraint forces")
        yd = accelerations(p, Q, Cstar)
        x = p.let(extended.x, Si @ yd, "rates of the speeds")
        Mud = p.let("Mud", M @ x)
        Fa = p.let("Fa", Q + Cstar)
        Fc = p.let("Fc", Mud - Fa, "constraint forces, the ideal part")
        lam = p.let("lam", Atp @ Fc, "multipliers")
        solution = extended.reduce(p, Solution(x, Fc, lam), extending)
        return solution.x, lam, solution.Fc, x, solution.lam

    Y = reactions.reaction_map(levels, named)
    closed = close(p, [*forces, *star], named, Y, solve, labels=[*labels, *labels])
    Fc, x, lam = closed.others
    if extending is not None:
        A, b = extending.A, extending.b
    results = {"ud": closed.ud, "Fc": Fc, "lam": lam, "A": A, "b": b}
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        _results(system, M, results | extended.declared(p, x)),
        variant=variant,
    )


def _results(system: System, M: Matrix, results: dict[str, Matrix]) -> dict[str, Matrix]:
    """Return the results, with M after the multipliers where it is that of the speeds."""
    first = {key: value for key, value in results.items() if key in {"ud", "Fc", "lam"}}
    return {**first, **({} if system.quasi else {"M": M}), **results}


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
    inertia = program.define("M", M, "inertia, from momenta", rows=labels, columns=labels)
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
        _results(system, inertia, solved.results),
        variant=variant,
        notes=[note(system.order)],
    )


def _refuse_unsymmetric(moving: Motion) -> None:
    """Refuse an inertia matrix without a square root."""
    odd = loads.unsymmetric(moving)
    if odd:
        raise NotApplicableError(f"the inertia matrix is not symmetric ({', '.join(odd)})")


@dataclass(frozen=True, slots=True)
class _Scaled:
    """The equations in the speeds S u: M, S^-1, A S^-1, b and the unit matrix."""

    M: Matrix
    Si: Matrix
    A: Matrix
    b: Matrix
    identity: Matrix


def _positive(p: Program, of: _Scaled, more: Matrix | None = None) -> _Accelerations:
    """Return the first variant, (3.149), in the speeds S u: M is positive definite."""
    Si, As = of.Si, of.A
    M = p.let("Mn", Si @ of.M @ Si, "inertia of the scaled speeds")
    if more is not None:
        M = p.let("Mal", M + more, "augmented inertia")
    Ms = p.let("Ms", p.sqrtm(M), "square root of the inertia")
    Act = p.solve("Act", Ms, As.T)
    Ac = p.let("Ac", Act.T, "A M^(-1/2)")
    AcP = p.let("AcP", p.pinv(Ac), "its Moore-Penrose inverse")
    rest = p.let("rest", of.identity - AcP @ Ac)

    def accelerations(p: Program, Q: Matrix, Cstar: Matrix) -> Matrix:
        Qs = p.let("Qs", Si @ Q)
        a0 = p.solve("a0", M, Qs, "positive", meaning="accelerations without constraints")
        off = p.let("off", As @ a0 + of.b, "by how much they miss the constraints")
        pull = p.let("pull", AcP @ off)
        push = p.solve("push", Ms, p.let("Cs", Si @ Cstar))
        turn = p.let("turn", p.let("pushed", rest @ push) - pull)
        change = p.solve("change", Ms, turn)
        return p.let("yd", a0 + change, "rates of the scaled speeds")

    return accelerations


def _singular(p: Program, of: _Scaled) -> _Accelerations:
    """Return the second variant, (3.155), in the speeds S u: M may be singular."""
    Si, As = of.Si, of.A
    AP = p.let("AP", p.pinv(As), "Moore-Penrose inverse of A")
    rest = p.let("rest", of.identity - p.let("APA", AP @ As), "1 - A^P A")
    K = p.stack(p.let("Mr", rest @ Si @ of.M @ Si), As)
    bm, n = -of.b, of.M.shape[0]

    def accelerations(p: Program, Q: Matrix, Cstar: Matrix) -> Matrix:
        QC = p.let("QC", Q + Cstar)
        k = p.stack(p.let("Qr", rest @ Si @ QC), bm)
        meaning = "rates of the scaled speeds"
        return p.solve("yd", K, k, unique=n, together=n or 0, meaning=meaning)

    return accelerations


def _augmented(p: Program, of: _Scaled) -> _Accelerations:
    """Return the third variant (Udwadia and Schutte): M + A^P A in the place of M.

    In the speeds S u the two parts have the same unit and about the same size.
    """
    AsP = p.let("AsP", p.pinv(of.A), "Moore-Penrose inverse of A")
    return _positive(p, of, AsP @ of.A)


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


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return M, Q, the motion without the constraints, and what these add to it."""
    return write_correction_page(system, equations, options, _inertia)


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
    purpose="redundant constraints and singular masses",
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
    write_page=write_page,
)
