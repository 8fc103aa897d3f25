"""Placements and rotations: what they are made of, how they move, and unit quaternions.

Constant quaternions are rotations (MBX4161), and so are the starts of coordinates (MBX4162).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.expressions.known_values import Evaluator, fill_values
from mbx.checking.expressions.quantity import FRAME, RATE, SPEED, TWIST, UNKNOWN, Quantity
from mbx.checking.expressions.scope import VARIABLES, binding_of, resolve
from mbx.language.document.document import State
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import Expression, Group, Negative, Reference, walk
from mbx.language.document.kinematic_statements import (
    AxisRotation,
    EulerRotation,
    Placement,
    QuaternionRotation,
)
from mbx.language.document.node import nodes_of
from mbx.language.joints import JOINTS, SLOTS
from mbx.language.units import ONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mbx.base.diagnostics import Span
    from mbx.checking.context import Context
    from mbx.checking.expressions.infer import Inference
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.language.document.bodies import JointCall


__all__ = [
    "Start",
    "axis_letter",
    "check_axis",
    "check_model_starts",
    "check_rotations",
    "check_starts",
    "collect_starts",
    "joint_quantity",
    "placement_quantity",
    "rotation_parts",
    "twist_quantity",
]

UNIT: Final = 1e-12
"""Largest deviation of the norm of a constant quaternion from 1: twelve digits are written."""
ROUNDED: Final = 1e-3
"""Likewise of a start, which is brought onto the norm: digits that were left out."""
_SCALES: Final = (1.0, 100.0, 10_000.0, 1e-4)
"""Sizes of times and inputs that norms are tried at: what changes early or late is seen, too."""
_PROBES: Final = len(_SCALES)
_SAME: Final = 1e-9
"""Below it, norms at random values are the same: they have the rounding of sines and cosines."""
_FOUR: Final = ("w", "x", "y", "z")


@dataclass(frozen=True, slots=True)
class Start:
    """A value that a model or an experiment gives to a variable, and where."""

    value: float
    at: Span | None


def check_rotations(context: Context) -> None:
    """Check the norm of every quaternion, unless variables change it: then it is an invariant."""
    for scope, rotation in _quaternions(context):
        parts = _parts(rotation)
        if parts is None:
            continue
        variables = _variables(parts, scope)
        values = [Evaluator(context, scope).value(part) for part in parts]
        if not variables and all(value is not None for value in values):
            _require_unit([float(v or 0.0) for v in values], rotation, context)
            continue
        moved = "variables" if variables else "parameters, inputs and time"
        unvalued = _unvalued(parts, scope, context)
        norms = _probed(parts, scope, context, moving=bool(variables))
        if variables and max(norms, default=1.0) - min(norms, default=0.0) > _SAME:
            continue
        if any(abs(norm - 1) > _SAME for norm in norms):
            worst = max(norms, key=_off)
            context.report.add(
                "MBX4161",
                f"the quaternion has the norm {worst:.6g} for some values of its {moved},"
                " and nothing makes it 1",
                rotation.at,
                severity="warning" if unvalued else "error",
                help="a rotation by an angle a about z has w = cos(a/2) and z = sin(a/2); a"
                " parameter without a value needs one",
            )


def check_starts(context: Context, starts: Mapping[Symbol, Start], *, of: str) -> None:
    """Check the norms of quaternions whose variables all start at stated values."""
    if not starts:
        return
    numbers = {symbol: start.value for symbol, start in starts.items()}
    started = replace(context, report=Report(), values={**context.values, **numbers})
    for scope, rotation in _quaternions(context):
        parts = _parts(rotation)
        variables = [] if parts is None else _variables(parts, scope)
        if parts is None or not variables or any(v not in starts for v in variables):
            continue
        values = [Evaluator(started, scope).value(part) for part in parts]
        if any(v is None for v in values) or abs(_norm(values) - 1) <= ROUNDED:
            continue
        names = ", ".join(f"'{v.name}'" for v in variables)
        context.report.add(
            "MBX4162",
            f"the quaternion of {names} has the norm {_norm(values):.6g} {of}, and not 1",
            starts[variables[0]].at,
            help=_normalised(values) if len(variables) == len(_FOUR) else None,
        )


def collect_starts(items: Iterable[Any], context: Context, scope: Scope) -> dict[Symbol, Start]:
    """Return the values that assignments give to variables; rates are left out."""
    starts: dict[Symbol, Start] = {}
    evaluator = Evaluator(context, scope)
    for item in items:
        target = resolve(item.target, scope)
        if target is None or item.target.primes or target.symbol.kind not in VARIABLES:
            continue
        value = evaluator.in_unit(item.value, target.symbol.unit)
        if value is not None:
            starts[target.symbol] = Start(value, item.value.at)
    return starts


def _starts_of(context: Context) -> dict[Symbol, Start]:
    """Return the starts of the model: that of the highest level that names a variable."""
    starts: dict[Symbol, Start] = {}
    for symbol in context.order:
        if symbol.kind in VARIABLES and symbol.node.value is not None:
            value = Evaluator(context, symbol.scope).in_unit(symbol.node.value, symbol.unit)
            if value is not None:
                starts[symbol] = Start(value, symbol.node.value.at)
    for scope in reversed(list(context.root.walk())):
        for statement in scope.of(Initial):
            starts |= collect_starts(statement.items, context, scope)
    return starts


def check_model_starts(context: Context) -> None:
    """Check the quaternions of the start and of the named states of a model."""
    check_starts(context, _starts_of(context), of="at the start")
    for scope in context.root.walk():
        for state in scope.of(State):
            starts = collect_starts(state.items, context, scope)
            check_starts(context, starts, of=f"at state '{state.name}'")


def _quaternions(context: Context) -> Iterator[tuple[Scope, QuaternionRotation]]:
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind != "inline_subsystem":
                for node in nodes_of(statement):
                    if isinstance(node, QuaternionRotation):
                        yield scope, node


def _parts(rotation: QuaternionRotation) -> list[Expression] | None:
    """Return w, x, y and z; None where they are not all there, which is reported elsewhere."""
    parts = {p.name.base: p.value for p in rotation.parts}
    return [parts[name] for name in _FOUR] if set(parts) == set(_FOUR) else None


def _variables(parts: Iterable[Expression], scope: Scope) -> list[Symbol]:
    """Return the variables that parts are made of, and frames or points that these may move."""
    return [s for s in _symbols(parts, scope) if s.kind not in {"param", "input", "let"}]


def _unvalued(parts: Iterable[Expression], scope: Scope, context: Context) -> bool:
    """Return whether parts need a parameter that has no value yet."""
    return any(s.kind == "param" and s not in context.values for s in _symbols(parts, scope))


def _symbols(parts: Iterable[Expression], scope: Scope) -> list[Symbol]:
    """Return all that parts are made of, also through definitions."""
    symbols: dict[Symbol, None] = {}
    left = [(part, scope) for part in parts]
    while left:
        part, here = left.pop(0)
        for node in walk(part):
            target = resolve(node, here) if isinstance(node, Reference) else None
            if target is None or target.symbol in symbols:
                continue
            symbols[target.symbol] = None
            if target.symbol.kind == "let":
                left.append((target.symbol.node.value, target.symbol.scope))
    return list(symbols)


def _probed(
    parts: Iterable[Expression], scope: Scope, context: Context, *, moving: bool
) -> list[float]:
    """Return the norm at random values: of variables, or of all else that has no known value."""
    norms: list[float] = []
    for seed in range(_PROBES):
        probe, time = _probe(context, 0 if moving else seed, seed)
        values = [Evaluator(probe, scope, time).value(part) for part in parts]
        if all(x is not None for x in values):
            norms.append(_norm(values))
    return norms


def _probe(context: Context, seed: int, moved: int) -> tuple[Context, float]:
    """Return the context with random values of what has none, and a random time."""
    draw, move = Random(seed), Random(moved)  # noqa: S311  no secret
    probe = replace(context, report=Report(), values={})
    pinned: dict[str, float] = {}
    for symbol in context.order:
        if symbol.kind in VARIABLES:
            probe.values[symbol] = move.uniform(0.1, 1.0)
        elif symbol.kind == "input":
            probe.values[symbol] = draw.uniform(0.1, 1.0) * _SCALES[moved]
        elif symbol.kind == "param" and symbol in context.values:  # also one that is put in
            pinned[symbol.path] = context.values[symbol]
        elif symbol.kind == "param" and binding_of(symbol) is None and symbol.node.value is None:
            pinned[symbol.path] = draw.uniform(0.1, 1.0)
    fill_values(probe, pinned)
    return probe, draw.uniform(0.1, 1.0) * _SCALES[moved]


def _norm(values: Iterable[float | None]) -> float:
    return sqrt(sum((v or 0.0) ** 2 for v in values))


def _off(norm: float) -> float:
    return abs(norm - 1)


def _require_unit(values: list[float], rotation: QuaternionRotation, context: Context) -> None:
    norm = _norm(values)
    if abs(norm - 1) > UNIT:
        context.report.add(
            "MBX4161",
            f"the quaternion has the norm {norm:.10g}, which differs from 1 by {norm - 1:.1e}",
            rotation.at,
            help=_normalised(values),
        )


def _normalised(values: Iterable[float | None]) -> str | None:
    numbers = [v or 0.0 for v in values]
    norm = _norm(numbers)
    if not norm:
        return "no rotation is quaternion(w = 1, x = 0, y = 0, z = 0)"
    parts = ", ".join(f"{p} = {v / norm:.17g}" for p, v in zip(_FOUR, numbers, strict=True))
    return f"if only its direction counts, write quaternion({parts})"


_AXES = frozenset({"x", "y", "z"})
_ANGLES = 3


def axis_letter(node: Expression) -> str | None:
    """Return which axis a bare x, y or z (or its negative) in an axis slot is."""
    match node:
        case Group(x) | Negative(x):
            return axis_letter(x)
        case Reference((segment,), 0) if segment.index is None and segment.name in _AXES:
            return segment.name
    return None


def check_axis(inference: Inference, node: Expression) -> Quantity:
    """Require a direction; bare x, y, z are axes whatever else has these names."""
    if axis_letter(node) is not None:
        return Quantity("vector", ONE)
    return inference.vector(node, None, "an axis")


def rotation_parts(rotation: Any) -> list[Expression]:
    """Return the expressions of a rotation; a bare letter is an axis and no name."""
    match rotation.kind:
        case "axis":
            letter = axis_letter(rotation.axis) is not None
            return [rotation.angle] if letter else [rotation.axis, rotation.angle]
        case "euler":
            return list(rotation.angles)
    return [p.value for p in rotation.parts]


def _rotation(inference: Inference, rotation: Any) -> list[Quantity]:
    match rotation:
        case AxisRotation():
            return [
                check_axis(inference, rotation.axis),
                inference.scalar(rotation.angle, ONE, "an angle"),
            ]
        case EulerRotation():
            letters = rotation.sequence
            if (
                len(letters) != _ANGLES
                or set(letters) - _AXES
                or any(a == b for a, b in itertools.pairwise(letters))
            ):
                inference.fault(
                    "MBX1030",
                    f"'{letters}' is no sequence of axes",
                    rotation.at,
                    help="three of x, y, z, no two alike in a row: zxy, zyx, zxz …",
                )
            return [inference.scalar(a, ONE, "an angle") for a in rotation.angles]
        case QuaternionRotation():
            names = sorted(p.name.base for p in rotation.parts)
            if names != sorted(_FOUR):
                inference.fault(
                    "MBX1031",
                    "a quaternion has the parts w, x, y and z, each once",
                    rotation.at,
                    help="quaternion(w = …, x = …, y = …, z = …)",
                )
            return [
                inference.scalar(p.value, ONE, "a part of a quaternion") for p in rotation.parts
            ]
    raise TypeError(rotation)


def _joined(parts: list[Quantity]) -> Quantity:
    if any(q.sort == "unknown" for q in parts):
        return UNKNOWN
    return Quantity(
        "frame", None, max((q.order for q in parts), default=-1), any(q.timed for q in parts)
    )


def _base(inference: Inference, reference: Reference, *, in_joint: bool) -> Quantity:
    if reference.path[0].name == "own" and len(reference.path) == 1:
        if not in_joint:
            inference.fault(
                "MBX3116",
                "'own' has a meaning only in a body's joint",
                reference.at,
                help="name the body",
            )
            return UNKNOWN
        return FRAME
    base = inference.reference(reference)
    if base.sort == "twist":
        inference.fault(
            "MBX3106",
            f"'{reference.path[-1].name}' is known by its twist alone, and "
            "nothing can be joined to it or placed on it",
            reference.at,
        )
        return UNKNOWN
    if base.sort not in {"frame", "unknown"}:
        inference.fault(
            "MBX3010",
            f"'{reference.path[-1].name}' is a {base.sort}, and a frame or body is needed here",
            reference.at,
        )
        return UNKNOWN
    return base


def placement_quantity(
    inference: Inference, placement: Placement, *, in_joint: bool = False
) -> Quantity:
    """Return the frame that a placement makes."""
    parts = [_base(inference, placement.base, in_joint=in_joint)]
    if placement.point is not None:
        parts.append(inference.point(placement.point, "a place"))
    for rotation in placement.rotations:
        parts += _rotation(inference, rotation)
    return _joined(parts)


def joint_quantity(inference: Inference, call: JointCall) -> Quantity:
    """Return the frame of a body that a joint places."""
    kind = JOINTS.get(call.joint)
    parts = [placement_quantity(inference, side, in_joint=True) for side in call.sides]
    for rotation in call.rotations:
        parts += _rotation(inference, rotation)
    for argument in call.arguments:
        name = argument.name.base
        if kind is None or name not in SLOTS:
            continue
        slot, dimension = SLOTS[name]
        if slot == "axis":
            parts.append(check_axis(inference, argument.value))
        elif slot == "scalar":
            parts.append(inference.scalar(argument.value, dimension, f"'{name}'"))
        else:
            parts.append(inference.vector(argument.value, dimension, f"'{name}'"))
    return _joined(parts)


def twist_quantity(
    inference: Inference, velocity: Expression | None, omega: Expression | None
) -> Quantity:
    """Check the twist of a body that is known by nothing else."""
    if velocity is not None:
        inference.vector(velocity, SPEED, "a velocity")
    if omega is not None:
        inference.vector(omega, RATE, "an angular velocity")
    return TWIST
