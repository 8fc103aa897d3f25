"""Inverse dynamics in the form Y pi + tau0, as a matrix program.

    Y pi + tau0 = B v + A^T lam

Y holds the forces on the speeds that each inertial parameter takes by itself, gravity included;
tau0 is what all other loads leave, with the inputs v at zero; B are the forces of the inputs.
Where invariants are, Z are motions that they allow, A Z = 0, and multipliers drop out:

    Z^T (Y pi + tau0) = Z^T B v
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.regressor.inertial_parameters import inertial_parameters
from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import NotAffineError, split, vanishes
from mbx.expr.build import NULL, add, mul, neg, plus, sub
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import NUMBER, ONE, ZERO, symbol
from mbx.formalism.builder import Program
from mbx.formalism.equations import Equations, Quantity, signature
from mbx.mechanics import invariants, loads
from mbx.mechanics import motion as motions
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.regressor.inertial_parameters import InertialParameter
    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Signature
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Step
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

__all__ = ["Composition", "Derived", "derive", "write_equations"]

NAME: Final = "regressor"
TITLE: Final = "Inverse dynamics, linear in the inertial parameters"
REFERENCE: Final = (
    "C. G. Atkeson, C. H. An, J. M. Hollerbach, Estimation of inertial parameters of manipulator "
    "loads and links, Int. J. Robotics Research 5(3), 1986; M. Gautier, W. Khalil, Direct "
    "calculation of minimum set of inertial parameters of serial robots, IEEE Trans. Robotics and "
    "Automation 6(3), 1990"
)
_REFUSED: Final = (Feature.ORDER_3_INVARIANT, Feature.HIGHER_VARIABLE, Feature.REACTION_IN_LOAD)


@dataclass(frozen=True, slots=True)
class Derived:
    """The parts of the inverse dynamics of a system.

    Attributes:
        system: The system.
        motion: Its motion in speeds.
        levels: Its invariants.
        parameters: The inertial parameters that count.
        idle: Names of those that have no effect on any motion.
        remainder: tau0, a row for each speed.
        inputs: Paths of the inputs whose forces are apart.
        by_inputs: B, a row for each speed.
    """

    system: System
    motion: Motion
    levels: Levels
    parameters: tuple[InertialParameter, ...]
    idle: tuple[str, ...]
    remainder: tuple[Node, ...]
    inputs: tuple[str, ...]
    by_inputs: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Composition:
    """The base parameters: which inertial parameters they are named after, and what adds to each.

    Attributes:
        kept: Positions of the inertial parameters whose columns are independent.
        terms: For each of them, positions and coefficients of all that it is composed of, itself
            the first.
        notes: What a reader has to know of the coefficients.
    """

    kept: tuple[int, ...]
    terms: tuple[tuple[tuple[int, Node], ...], ...]
    notes: tuple[str, ...] = ()


def derive(system: System) -> Derived:
    """Return the parts of the inverse dynamics; refuse a system that is not linear in this way."""
    reasons = [
        f"{feature.value} ({', '.join(system.features[feature])})"
        for feature in _REFUSED
        if feature in system.features
    ]
    if reasons:
        raise NotApplicableError(*reasons)
    if not system.u:
        raise NotApplicableError("the model has no speeds")
    motion = motions.in_speeds(system)
    every = inertial_parameters(motion)
    counting = tuple(one for one in every if one.counts)
    if not counting:
        raise NotApplicableError("no mass and no inertia has an effect on the motion")
    forces = _forces(motion)
    inputs = _inputs(system, forces)
    columns, rest = split(forces, [one.symbol for one in inputs])
    return Derived(
        system=system,
        motion=motion,
        levels=invariants.levels(motion),
        parameters=counting,
        idle=tuple(one.path for one in every if not one.counts),
        remainder=tuple(neg(x) for x in rest),
        inputs=tuple(one.path for one in inputs),
        by_inputs=tuple(tuple(map(_settled, row)) for row in columns),
    )


def _forces(motion: Motion) -> list[Node]:
    """Return the generalized forces of all loads but weights, which Y has."""
    system = motion.system
    energies = [*system.potentials, *system.dissipations]
    every = [*system.forces, *(f for one in energies for f in one.forces or ())]
    on: dict[str, list[tuple[Vector, Vector]]] = {m.path: [] for m in motion.elements}
    for load in every:
        six = motion.express([*load.force, *load.torque])
        on[load.on].append(((six[0], six[1], six[2]), (six[3], six[4], six[5])))
    wrenches = [
        (plus(NULL, *(f for f, _ in on[m.path])), plus(NULL, *(t for _, t in on[m.path])))
        for m in motion.elements
    ]
    parts = (
        loads.project(motion, wrenches),
        loads.generalized(motion),
        loads.non_ideal(motion),
        loads.effective(motion),
    )
    return [add(*terms) for terms in zip(*parts, strict=True)]


def _inputs(system: System, forces: Sequence[Node]) -> list[Quantity]:
    """Return the inputs in which forces are affine; none, unless they are in all."""
    named = set(free_symbols(forces))
    chosen = [
        Quantity(symbol=one.symbol, path=one.path, unit=one.unit)
        for one in system.inputs
        if one.symbol in named
    ]
    try:
        split(forces, [one.symbol for one in chosen])
    except NotAffineError:
        return []
    return chosen


def _settled(entry: Node) -> Node:
    """Return 0, 1 or -1 where an entry is one of them at every state, as that of a motor is."""
    if entry.op is NUMBER:
        return entry
    known = (x for x in (ZERO, ONE, neg(ONE)) if vanishes(sub(entry, x)))
    return next(known, entry)


# -- the program -----------------------------------------------------------------------------


def write_equations(
    derived: Derived, independent: Sequence[int] | None, composition: Composition | None
) -> Equations:
    """Return the program: Y, pi and tau0, for loops their projection, and the base parameters.

    `independent` are the speeds that Z has its unit matrix at, where there are invariants.
    """
    system, motion = derived.system, derived.motion
    u = [s.path for s in motion.speeds]
    names = [one.path for one in derived.parameters]
    rows = [r.path for r in derived.levels.rows]
    symbols = [symbol(name) for name in names]
    p = Program()
    columns = [one.forces for one in derived.parameters]
    Y = p.define(
        "Y",
        [list(row) for row in zip(*columns, strict=True)],
        "forces on the speeds by inertial parameters",
        rows=u,
        columns=names,
    )
    pi = p.column("pi", symbols, "inertial parameters", rows=names)
    tau0 = p.column("tau0", derived.remainder, "forces without inertia", rows=u)
    tau = p.let("tau", Y @ pi + tau0, "forces on the speeds that the motion takes")
    results: dict[str, Matrix] = {"tau": tau, "Y": Y, "pi": pi, "tau0": tau0}
    if derived.inputs:
        results["B"] = p.define(
            "B", derived.by_inputs, "forces on the speeds by inputs", rows=u, columns=derived.inputs
        )
    if rows:
        A = p.define("A", derived.levels.A, "invariants by accelerations", rows=rows, columns=u)
        Z = p.null("Z", A, None if independent is None else tuple(independent), "allowed motions")
        Zt = Z.T
        Y = p.let("YZ", Zt @ Y, "forces on the independent speeds by inertial parameters")
        tau = p.let("tauZ", Zt @ tau, "forces on the independent speeds")
        results |= {"A": A, "Z": Z, "YZ": Y, "tauZ": tau}
    notes = [_linear(derived)]
    if composition is not None:
        kept = composition.kept
        base = [names[k] for k in kept]
        Yb = p.let("Yb", Y.T.rows(kept).T, "forces by base parameters", columns=base)
        sums = [add(*(mul(c, symbols[k]) for k, c in terms)) for terms in composition.terms]
        results |= {"Yb": Yb, "beta": p.column("beta", sums, "base parameters", rows=base)}
        notes += composition.notes
    used = set(free_symbols(derived.remainder))
    inside = [one.path for one in system.inputs if one.symbol in used]
    if inside and not derived.inputs:
        notes.append(f"loads are not affine in the inputs, which tau0 has: {', '.join(inside)}")
    if derived.idle:
        notes.append(f"without effect on any motion: {', '.join(derived.idle)}")
    steps = tuple(p.steps)
    return Equations(
        formalism=NAME,
        title=TITLE,
        reference=REFERENCE,
        model=system.name,
        signature=_with_arguments(derived, steps),
        steps=steps,
        results={key: p.name_of(matrix) for key, matrix in results.items()},
        notes=(*system.notes, *notes),
    )


def _linear(derived: Derived) -> str:
    """Return what the equations are, in a line."""
    right = "B v" if derived.inputs else "tau"
    means = ", where v are the inputs" if derived.inputs else ""
    if derived.levels.rows:
        return (
            f"Y pi + tau0 = {right} + A^T lam, with the forces A^T lam of the invariants; "
            f"tauZ = YZ pi + Z^T tau0 = Z^T {right} is without these{means}"
        )
    return f"tau = Y pi + tau0 = {right}{means}" if derived.inputs else "tau = Y pi + tau0"


def _with_arguments(derived: Derived, steps: Sequence[Step]) -> Signature:
    """Return the signature with accelerations and inertial parameters as arguments."""
    own = signature(derived.system, steps)
    inertial = tuple(
        Quantity(
            symbol=symbol(one.path),
            path=one.path,
            unit=one.unit,
            meaning=one.meaning,
            latex=one.latex,
            value=one.value,
        )
        for one in derived.parameters
    )
    return replace(own, higher=own.highest, highest=(), parameters=(*own.parameters, *inertial))
