"""Whether every part of every statement has the sort and dimension that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import article
from mbx.checking.context import describe
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.quantity import (
    ACCELERATION,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    POWER,
    TIME,
    TORQUE,
    Quantity,
    fits,
    over,
    times,
    to_power,
)
from mbx.checking.expressions.scope import VARIABLES, label, resolve
from mbx.checking.rules.placements import check_axis, joint_quantity
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import Reference, Vector, ungroup
from mbx.language.document.load_statements import Along
from mbx.language.joints import JOINTS, SLOTS
from mbx.language.units import ONE
from mbx.linking.expand import bare, pure_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.checking.context import Context
    from mbx.language.document.bodies import Body, Joint, Particle
    from mbx.language.document.load_statements import Between
    from mbx.language.units import Dimension

__all__ = ["check_slots"]


def check_slots(context: Context) -> None:
    """Check the statements of all levels."""
    for scope in context.root.walk():
        inference = Inference(context, scope)
        _once([a for s in scope.of(Initial) for a in s.items], inference)
        for statement in scope.statements:
            rule = _SLOTS.get(statement.kind)
            if rule is not None:
                rule(statement, inference)


def _gravity(node: Any, i: Inference) -> None:
    i.vector(node.value, ACCELERATION, "gravity")


def _force(node: Any, i: Inference) -> None:
    i.vector(node.value, FORCE, "a force")
    _on(node.on, i, ("body", "particle"))
    if node.point is not None:
        i.point(node.point, "where a force acts")
        if i.reference(node.on).sort == "twist":
            i.fault(
                "MBX3107",
                f"'{node.on.path[-1].name}' is known by its twist alone: a force on it acts at "
                "its mass centre",
                node.point.at,
                help="leave out 'at'",
            )
    _from(node.origin, i)


def _torque(node: Any, i: Inference) -> None:
    i.vector(node.value, TORQUE, "a torque")
    _on(node.on, i, ("body",))
    _from(node.origin, i)


def _damper(node: Any, i: Inference) -> None:
    length = _line(node.line, i)
    i.scalar(node.damping, over(times(ENERGY, TIME), to_power(length, 2)), "damping")


def _potential(node: Any, i: Inference) -> None:
    quantity = i.scalar(node.value, ENERGY, "a potential")
    if quantity.order > 0:
        i.fault("MBX4023", "a potential does not depend on rates or speeds", node.at)


def _dissipation(node: Any, i: Inference) -> None:
    i.scalar(node.value, POWER, "a dissipation")


def _effective(node: Any, i: Inference) -> None:
    dimension = _rate(node.on, i, "effective")
    i.scalar(node.value, over(POWER, dimension), "the effective force")


def _independent(node: Any, i: Inference) -> None:
    seen: set[Reference] = set()
    for reference in node.items:
        _rate(reference, i, "independent")
        if reference in seen:
            i.fault("MBX4028", "one thing is said twice", reference.at, help="keep one")
        seen.add(reference)


def _assignments(node: Any, i: Inference) -> None:
    for assignment in node.items:
        _assign(assignment, i)
    if node.kind == "state":
        _once(node.items, i)


def _once(assignments: Sequence[Any], i: Inference) -> None:
    """Report a second value of the same variable."""
    seen: set[Reference] = set()
    for assignment in assignments:
        if assignment.target in seen:
            i.fault("MBX4028", "one thing is said twice", assignment.at, help="keep one")
        seen.add(assignment.target)


def _expect_rank(node: Any, i: Inference) -> None:
    rank = pure_value(node.rank) if bare(node.rank) else None
    if (
        i.scalar(node.rank, ONE, "a rank").sort == "scalar"
        and rank is not None
        and (rank != int(rank) or rank < 0)
    ):
        i.fault("MBX4042", "a rank is a whole number", node.rank.at)
    _require_name(node.state, "state", i)


def _branch(node: Any, i: Inference) -> None:
    i.condition(node.condition)


def _mass_element(node: Body | Particle, i: Inference) -> None:
    for clause in node.clauses:
        match clause.kind:
            case "mass":
                _constant(i.scalar(clause.value, MASS, "mass"), clause, i)
            case "com":
                if isinstance(ungroup(clause.value), Vector):
                    i.vector(clause.value, LENGTH, "com")
                else:
                    i.point(clause.value, "com")
            case "inertia" if clause.about is not None:
                _constant(i.scalar(clause.value, INERTIA, "inertia"), clause, i)
                check_axis(i, clause.about)
            case "inertia":
                quantity = i.expect(
                    clause.value,
                    "tensor",
                    INERTIA,
                    "inertia without an axis",
                    remedy="name the axis, as in `inertia J about z`, or write diag(a, b, c)",
                )
                _constant(quantity, clause, i)


def _constant(quantity: Quantity, clause: Any, i: Inference) -> None:
    if quantity.order >= 0 or quantity.timed:
        i.fault(
            "MBX4025",
            f"{clause.kind} is not constant",
            clause.value.at,
            help="masses and inertias are constant; what changes acts by `effective`, as a load",
        )


def _joint(node: Joint, i: Inference) -> None:
    joint_quantity(i, node.call)
    if node.measure is None:
        return
    target = resolve(node.measure, i.scope, i.context.report)
    if target is None:
        return
    if target.symbol.kind != "coordinate" or node.measure.primes:
        i.fault(
            "MBX3010",
            f"'{target.symbol.name}' is {article(target.symbol.kind)}, and a joint measures a "
            "coordinate",
            node.measure.at,
        )
        return
    motion = JOINTS[node.call.joint].motion if node.call.joint in JOINTS else ()
    if len(motion) != 1 or motion[0] not in {"angle", "distance"}:
        i.fault(
            "MBX4039",
            f"joint '{node.call.joint}' has no one motion to measure",
            node.measure.at,
            help="measure a revolute, prismatic or screw joint",
        )
        return
    i.scalar(node.measure, SLOTS[motion[0]][1], f"the measured {motion[0]}")


def _on(reference: Reference, i: Inference, kinds: tuple[str, ...]) -> None:
    if reference.path[0].name == "ground" and len(reference.path) == 1:
        return
    target = resolve(reference, i.scope, i.context.report)
    if target is not None and (target.symbol.kind not in kinds or target.members):
        i.fault(
            "MBX3010",
            f"'{target.symbol.name}' is {article(target.symbol.kind)}, and a load acts on a "
            f"{' or '.join(kinds)}",
            reference.at,
        )


def _from(reference: Reference | None, i: Inference) -> None:
    if reference is not None:
        _on(reference, i, ("body", "particle"))


def _line(line: Between | Along, i: Inference) -> Dimension | None:
    """Check what a spring or damper lies along; return the dimension of its length."""
    if isinstance(line, Along):
        target = resolve(line.coordinate, i.scope, i.context.report)
        if target is not None and (target.symbol.kind != "coordinate" or line.coordinate.primes):
            i.fault(
                "MBX3010",
                f"'{target.symbol.name}' is no coordinate to put a spring or damper on",
                line.coordinate.at,
            )
            return None
        return i.reference(line.coordinate).dimension
    i.point(line.first, "an end")
    i.point(line.second, "an end")
    return LENGTH


def _spring(node: Any, i: Inference) -> None:
    length = _line(node.line, i)
    i.scalar(node.stiffness, over(ENERGY, to_power(length, 2)), "stiffness")
    if node.rest is not None:
        i.scalar(node.rest, length, "rest")


def _rate(reference: Reference, i: Inference, what: str) -> Dimension | None:
    """Require a speed, the rate of a coordinate or a variable of a higher order.

    Return the dimension of what it is at the level of speeds: force times that is a power.
    """
    target = resolve(reference, i.scope, i.context.report)
    if target is None:
        return None
    known = i.reference(reference)
    declared = known.order > 1 and not reference.primes
    if target.symbol.kind not in VARIABLES or not (known.order == 1 or declared):
        i.fault(
            "MBX4022",
            f"'{what}' takes a speed, the rate of a coordinate or a variable of a higher order",
            reference.at,
            help=f"write {target.symbol.name}'" if target.symbol.kind == "coordinate" else None,
        )
        return None
    return times(known.dimension, to_power(TIME, known.order - 1))


def _load(node: Any, i: Inference) -> None:
    dimension = _rate(node.on, i, "load on")
    i.scalar(node.value, over(POWER, dimension), "the load")
    if node.of is not None:
        target = resolve(node.of, i.scope, i.context.report)
        if target is not None and target.symbol.kind != "invariant":
            i.fault(
                "MBX3010",
                f"'{target.symbol.name}' is {article(target.symbol.kind)}, and a non-ideal part "
                "belongs to an invariant",
                node.of.at,
            )


def _assign(assignment: Any, i: Inference) -> None:
    named = resolve(assignment.target, i.scope, i.context.report)
    if named is None:
        return
    if named.symbol.kind not in VARIABLES:
        i.fault(
            "MBX3010",
            f"'{named.symbol.name}' is {article(named.symbol.kind)}, and only variables have a "
            "state",
            assignment.target.at,
        )
        return
    target = i.reference(assignment.target)
    if assignment.target.primes:
        value = i.scalar(assignment.value, None, "a start value")
        if not fits(value.dimension, target.dimension):
            i.mismatch(
                "MBX4115",
                f"the rate has {describe(target.dimension)}, and this has "
                f"{describe(value.dimension)}",
                assignment.value.at,
            )
    else:
        value = i.in_unit(assignment.value, named.symbol.unit, f"'{named.symbol.name}'")
    if value.order >= 0 or value.timed:
        i.fault("MBX4024", "a state is made of constants", assignment.value.at)


def _require_name(identifier: Any, kind: str, i: Inference) -> None:
    symbol = i.scope.symbols.get(label(identifier))
    if symbol is None or symbol.kind != kind:
        i.fault("MBX3025", f"there is no {kind} '{identifier}'", identifier.at)


def _kept_rate(node: Any, i: Inference) -> None:
    target = resolve(node.rate, i.scope, i.context.report)
    if target is not None and target.symbol.kind != "coordinate":
        i.fault(
            "MBX3010",
            f"'{target.symbol.name}' is {article(target.symbol.kind)}, and only the rate of a "
            "coordinate can be kept",
            node.at,
        )


_SLOTS: Final[dict[str, Callable[[Any, Inference], None]]] = {
    "body": _mass_element,
    "particle": _mass_element,
    "joint": _joint,
    "gravity": _gravity,
    "force": _force,
    "torque": _torque,
    "spring": _spring,
    "damper": _damper,
    "potential": _potential,
    "dissipation": _dissipation,
    "load": _load,
    "effective": _effective,
    "independent": _independent,
    "initial": _assignments,
    "state": _assignments,
    "expect_rank": _expect_rank,
    "branch": _branch,
    "kept_rate": _kept_rate,
}
"""What is required of each kind of statement."""
