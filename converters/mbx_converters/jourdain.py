"""Jourdain's principle: the virtual power of all forces vanishes on admissible velocities.

Equation numbers are those of Orsino's thesis, section 3.2.2; see spec/formalisms/jourdain.md. The
power is one scalar in the virtual speeds; its rows come from differentiating it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import NULL, add, dot, mul, neg, sub
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import (
    as_vector,
    gradient_column,
    is_nothing,
    reaction_names,
    write_kinematics,
)
from mbx.formalism.page.quasi_velocities import (
    find_quasi_velocities,
    write_generalized_forces,
    write_motion,
    write_quasi_velocities,
    write_relaxed,
)
from mbx.formalism.page.relaxed_bodies import RelaxedBodies
from mbx.formalism.page.turning import state_vectors
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import invariants, loads, motion, power, reactions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.quasi_velocities import QuasiVelocities
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_DIRECT: Final = 7
"""Operations of what turns that has no name of its own."""
_LISTED: Final = 4
"""Virtual velocities that are listed."""
_SORTED: Final = 30
"""Operations of a virtual power that is written in one piece."""


def _virtual_power(moving: Motion, virtual: list[Node]) -> Node:
    """Return the power of active minus inertia forces on virtual speeds, (3.54) with rho = 1."""
    varied = power.virtual_velocities(moving, virtual)
    generalized = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
    return add(
        sub(
            power.active_power(loads.wrenches(moving), varied),
            power.inertia_power(moving, varied),
        ),
        *(dot(forces, virtual) for forces in generalized),
    )


def _virtual_forces(moving: Motion) -> list[Node]:
    """Return the factors of the virtual speeds in the virtual power."""
    virtual = power.virtual_speeds(moving)
    return gradient(_virtual_power(moving, virtual), virtual)


def derive(system: System, _variant: str = "") -> Equations:
    """Return P = 0 on a basis of the admissible virtual speeds, with the invariants."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in levels.rows]
    n = len(labels)

    # P is linear in the virtual speeds and affine in ud: P = du^T (h - M ud)
    slopes = _virtual_forces(moving)
    by_ud, h = split(slopes, moving.ud, symmetric=loads.symmetric(moving))

    p = Program()
    inertia = [[neg(x) for x in row] for row in by_ud]
    M = p.define("M", inertia, "virtual power against ud", rows=labels, columns=labels)
    A = p.define("A", levels.A, "invariants by ud", rows=rows, columns=labels)
    b = p.column("b", levels.b, "invariants without ud", rows=rows)
    # admissible: A du = 0; positions and time are not varied
    D = p.null("D", A, meaning="admissible virtual speeds")
    PM = p.let("PM", D.T @ M, "virtual power against ud, on admissible speeds")
    K, bm = p.stack(PM, A), -b
    Atp = p.pinv(A.T)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        Ph = p.let("Ph", D.T @ h, "virtual power without ud, on admissible speeds")
        ud = p.solve("ud", K, p.stack(Ph, bm), unique=n, meaning="rates of the speeds")
        # on speeds that are not admissible, constraint forces make up for the power
        Fc = p.let("Fc", M @ ud - h, "constraint forces")
        return ud, p.let("lam", Atp @ Fc, "multipliers"), Fc

    named = reactions.named_in(levels, h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, h, named, Y, solve, labels=labels, meaning="virtual power without ud")
    (Fc,) = closed.others
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": closed.lam, "M": M, "h": closed.h, "A": A, "b": b},
        [
            projected_residual(p, "virtual power", n, M, closed.h, D),
            constraint_residual(p, n, A, b, rows),
        ],
    )


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the virtual power by body, sorted by the virtual velocities."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, "Jourdain's principle of virtual power")
    quasi = find_quasi_velocities(page, model)
    relaxed = RelaxedBodies(page, quasi)
    model.begin(page)
    δ = [page.variation(w) for w in quasi.w]  # noqa: PLC2401  the letter of every text
    page.given(*_meanings(quasi, δ))
    write_quasi_velocities(page, quasi, "Constraints")
    P = _write_power(page, relaxed, δ)

    slopes = _virtual_forces(model.motion)
    values = quasi.constrain(quasi.project(slopes))
    page.step("Sorted by the virtual velocities", "the factor of each.")
    if written(values) <= _SORTED:
        page.equal(
            P, Side(tuple(mul(x, d) for x, d in zip(values, δ, strict=True) if x is not ZERO))
        )
    else:
        for k, (d, value) in enumerate(zip(δ, values, strict=True)):
            if k not in quasi.combined:
                continue
            if written([value]) <= options.entry:
                page.equal(page.partial(P, d), value)
            else:
                page.left_out += 1

    allowed = (
        "those that the constraints allow are arbitrary" if model.rows else "all are arbitrary"
    )
    page.section("Equations of motion", f"{allowed}, so their factors vanish.")
    rows = [neg(slope) for slope in slopes]
    named = [page.partial(P, d) for d in δ]
    reduced = write_motion(page, quasi, rows, named, is_inertia=False)
    write_kinematics(page, model)
    reason = "the factors of what the constraints forbid."
    write_relaxed(page, quasi, [neg(x) for x in named], rows, reduced, "", reason)
    return page.page()


def _meanings(quasi: QuasiVelocities, δ: Sequence[Node]) -> list[str | Node]:  # noqa: PLC2401
    """Return what the virtual velocities are, in words."""
    words: list[str | Node] = []
    if len(δ) > _LISTED:
        return [δ[0], " is the virtual velocity of ", quasi.w[0], ", and so on."]
    for k, each in enumerate(δ):
        words += [", " if k else "", each]
    return [*words, " are virtual velocities." if len(δ) > 1 else " is a virtual velocity."]


def _write_power(
    page: PageBuilder,
    relaxed: RelaxedBodies,
    δ: Sequence[Node],  # noqa: PLC2401
) -> Node:
    """Write the virtual power of loads and inertia by body, and return its name."""
    quasi, bodies = relaxed.quasi, relaxed.bodies
    page.step(
        "Virtual velocities", "of mass centres and of what turns; position and time are held."
    )
    moved = [(b, _varied(quasi, relaxed.relaxed[b].v, δ)) for b in bodies]
    δv = state_vectors(page, "δv", [(b, v) for b, v in moved if not is_nothing(v)])  # noqa: PLC2401
    δw: dict[Body, Node] = {}  # noqa: PLC2401
    for b in bodies:
        w = _varied(quasi, relaxed.relaxed[b].w, δ)
        if b.moving.element.w_local is not None and not is_nothing(w):
            δw[b] = _state(page, "δw", b, w)

    inert = [b for b in relaxed.turned() if b in δw]
    is_named = any(len(b.w) > 1 or not _is_direct(b.moment) for b in inert)
    also = ", and T*, minus the rates of angular momenta" if is_named else ""
    page.step("Accelerations", f"of mass centres{also}.")
    a = relaxed.accelerations("a", is_constrained=True)
    torques: dict[Body, list[Node]] = {}
    for b in inert:
        found = relaxed.inertia_torque(b)
        if not isinstance(found, list):
            torques[b] = [found]
        elif not is_nothing(found):
            torques[b] = [_state(page, "T*", b, found)]
    forces = _write_loads(page, quasi, bodies, torques)
    page.step("Virtual power", "of loads and inertia, with the constraints cut open.")
    parts: list[Node] = []
    others = _generalized(quasi.model.motion)
    is_alone = all(x is ZERO for x in others)
    shown = [b for b in bodies if (b in δv and (b in a or b in forces)) or b in torques]
    for b in shown:
        terms = _power_of(page, b, (forces.get(b), a[b].name if b in a else None), δv)
        terms += _power_of_torques(page, b, torques.get(b, []), δw)
        name = page.name("P", b.word if len(shown) > 1 or not is_alone else "")
        page.equal(name, Side(tuple(terms)))
        parts.append(name)
    if is_alone and len(parts) == 1:
        P = parts[0]
    else:
        if not is_alone:
            Q = write_generalized_forces(page, quasi, "Q", others, is_added=True)
            parts += [mul(x, d) for x, d in zip(Q, δ, strict=True)]
        P = page.name("P")
        page.equal(P, Side(tuple(x for x in parts if x is not ZERO) or (ZERO,)))
    _write_principle(page, quasi, P, δ)
    return P


def _generalized(motion: Motion) -> list[Node]:
    """Return the forces on speeds that are no wrench."""
    kinds = (loads.generalized(motion), loads.non_ideal(motion), loads.effective(motion))
    return [add(*terms) for terms in zip(*kinds, strict=True)]


def _varied(quasi: QuasiVelocities, v: Sequence[Node], δ: Sequence[Node]) -> list[Node]:  # noqa: PLC2401
    """Return the virtual change of a vector."""
    columns = [gradient_column(v, w) for w in quasi.w]
    sums = [add(*(mul(c[k], d) for c, d in zip(columns, δ, strict=True))) for k in range(len(v))]
    return quasi.constrain(sums)


def _is_direct(components: Sequence[Node]) -> bool:
    """Return whether what turns is a number that is short."""
    return len(components) == 1 and cost(components) <= _DIRECT


def _state(page: PageBuilder, letter: str, b: Body, components: Sequence[Node]) -> Node:
    """Return a vector of what turns, with a name if it is one or long."""
    if _is_direct(components):
        return components[0]
    name = page.name(letter, b.word, is_vector=len(components) > 1)
    page.equal(name, as_vector(components))
    return name


def _write_loads(
    page: PageBuilder,
    quasi: QuasiVelocities,
    bodies: Sequence[Body],
    torques: dict[Body, list[Node]],
) -> dict[Body, Node]:
    """Write the resultant of the loads on each body; add its torques to those of inertia."""
    pushed: list[tuple[Body, Sequence[Node]]] = []
    turned: list[tuple[Body, list[Node]]] = []
    for b, (force, torque) in zip(bodies, loads.wrenches(quasi.model.motion), strict=True):
        f = quasi.constrain(b.shown(force)) if force is not NULL else []
        if not is_nothing(f):
            pushed.append((b, f))
        t = quasi.constrain(b.turned(torque)) if torque is not NULL else []
        if not is_nothing(t) and b.moving.element.w_local is not None:
            turned.append((b, t))
    words = ["the forces"] if pushed else []
    words += (
        ["the torques about the mass centres"] if any(not _is_direct(t) for _, t in turned) else []
    )
    if words:
        page.step("Loads", f"{' and '.join(words)}, by body.")
    for b, t in turned:
        torques.setdefault(b, []).append(_state(page, "t", b, t))
    return {b: stated.name for b, stated in state_vectors(page, "f", pushed).items()}


def _power_of(
    page: PageBuilder,
    b: Body,
    pushed: tuple[Node | None, Node | None],
    δv: Mapping[Body, object],  # noqa: PLC2401
) -> list[Node]:
    """Return the virtual power of a force and of an acceleration, given their names."""
    force, a = pushed
    if b not in δv or (force is None and a is None):
        return []
    along = δv[b].name  # type: ignore[attr-defined]
    if force is None:
        return [neg(mul(b.m, page.dot(a, along)))] if a is not None else []
    if a is None:
        return [page.dot(force, along)]
    return [page.dot(Side((force, neg(mul(b.m, a)))), along)]


def _power_of_torques(
    page: PageBuilder,
    b: Body,
    torques: Sequence[Node],
    δw: Mapping[Body, Node],  # noqa: PLC2401
) -> list[Node]:
    """Return the virtual power of torques."""
    if not torques:
        return []
    if len(b.w) == 1:
        return [mul(torque, δw[b]) for torque in torques]
    return [page.dot(Side(tuple(torques)), δw[b])]


def _write_principle(
    page: PageBuilder,
    quasi: QuasiVelocities,
    P: Node,
    δ: Sequence[Node],  # noqa: PLC2401
) -> None:
    """Write that the virtual power vanishes with that of the reactions, if these are short."""
    model = quasi.model
    elimination = model.elimination
    if elimination is None:
        return
    pulls = [quasi.project(row) for row in model.A]
    changed = [add(*(mul(x, d) for x, d in zip(row, δ, strict=True))) for row in pulls]
    short = tidy(changed)
    if written(short) > _SORTED:
        return
    multipliers = reaction_names(page, model)
    parts = [mul(lam, x) for lam, x in zip(multipliers, short, strict=True)]
    page.note("with the reactions, for all virtual velocities")
    page.equal(Side((P, *parts)), ZERO)


CONVERTER: Final = Converter(
    name="jourdain",
    title="Jourdain's principle of virtual power",
    purpose="virtual power; allows nonlinear velocity constraints",
    reference="P. E. B. Jourdain, Note on an analogue of Gauss' principle of least constraint, "
    "Quarterly Journal of Pure and Applied Mathematics 40, 1909; R. M. M. Orsino, doctoral "
    "thesis, USP 2016, (3.51) to (3.54)",
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
