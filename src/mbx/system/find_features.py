"""Features of a system that not every form supports, with the elements that cause them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.expr.nodes import ZERO, Node
from mbx.expr.walk import ordered
from mbx.system.features import Feature
from mbx.system.kinematics.own_speeds import without_own_speed
from mbx.system.kinematics.twists import not_integrable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mbx.system.system import Energy, System

    _Note = Callable[[Feature, str], None]

__all__ = ["find_features"]

_SECOND, _THIRD = 2, 3


def find_features(system: System) -> System:
    """Return the system with its features."""
    features: dict[Feature, list[str]] = {}

    def note(feature: Feature, path: str) -> None:
        paths = features.setdefault(feature, [])
        if path not in paths:
            paths.append(path)

    _invariants(system, note)
    _speeds(system, note)
    _loads(system, note)
    for variable in system.quasi:
        note(Feature.HIGHER_VARIABLE, variable.path)
    if not _massive(system):
        note(Feature.NO_INERTIA, system.name)
    return replace(system, features={k: tuple(v) for k, v in features.items()})


def _invariants(system: System, note: _Note) -> None:
    for row in system.rows:
        if row.kind == "definition":
            note(Feature.LEFT_OVER_DEFINITIONS, row.path)
        elif row.order == 0:
            note(Feature.HOLONOMIC, row.path)
        elif row.order == 1:
            note(Feature.NONHOLONOMIC, row.path)
        elif row.order == _SECOND and row.affine:
            note(Feature.ORDER_2_INVARIANT, row.path)
        else:
            note(Feature.ORDER_3_INVARIANT, row.path)
        if row.order == 1 and not row.affine and row.kind != "definition":
            note(Feature.NONLINEAR_VELOCITY_INVARIANT, row.path)


def _speeds(system: System, note: _Note) -> None:
    for speed in system.u:
        if speed.base is None:
            note(Feature.DECLARED_SPEEDS, speed.path)
            if speed.symbol not in system.defined:
                note(Feature.SPEED_WITHOUT_RATE, speed.path)
    for coordinate in without_own_speed(system):
        note(Feature.NO_OWN_SPEED, coordinate.path)
    for path in not_integrable(system):
        note(Feature.TWIST_NOT_INTEGRABLE, path)
    for row in system.closed:
        if row.kind == "norm":
            note(Feature.QUATERNION_WITH_SPEEDS, row.path)


def _loads(system: System, note: _Note) -> None:
    reactions = _reactions(system)
    joints = {c for e in system.elements if e.joint is not None for c in e.joint.coordinates}
    moved = {system.rates.direction[c] for c in joints}
    moved |= {s for s, e in system.defined.items() if e in moved}
    rates = {v.rate for v in system.q}
    for load in system.generalized:
        if load.on not in moved:
            note(Feature.GENERALIZED_LOAD, load.path)
        if load.of is not None:
            note(Feature.NON_IDEAL, load.path)
    for energy in system.potentials:
        named = _names(energy, {v.symbol for v in system.q})
        if energy.forces is None and (energy.between or not named <= joints):
            note(Feature.GENERALIZED_LOAD, energy.path)
    for energy in system.dissipations:
        speeds = rates | {v.symbol for v in system.u}
        named = _names(energy, speeds)
        if energy.forces is None and (energy.between or not named <= moved):
            note(Feature.GENERALIZED_LOAD, energy.path)
    for row in system.effective:
        note(Feature.EFFECTIVE_ROWS, row.path)
        if row.on not in rates and row.on not in system.defined:
            note(Feature.EFFECTIVE_WITHOUT_RATE, row.path)
    for path, nodes in _load_nodes(system):
        if reactions.intersection(ordered(nodes)):
            note(Feature.REACTION_IN_LOAD, path)


def _names(energy: Energy, wanted: set[Node]) -> set[Node]:
    return wanted.intersection(ordered([energy.value]))


def _load_nodes(system: System) -> Iterable[tuple[str, list[Node]]]:
    for force in system.forces:
        yield force.path, [*force.force, *force.torque]
    for load in system.generalized:
        yield load.path, [load.value]
    for energy in system.dissipations:
        yield energy.path, [energy.value]
    for row in system.effective:
        yield row.path, [row.value]


def _reactions(system: System) -> set[Node]:
    """Return the symbols of reactions."""
    reactions = {row.reaction for row in system.rows if row.reaction is not None}
    for symbols in system.joint_reactions.values():
        reactions |= set(symbols)
    return reactions


def _massive(system: System) -> bool:
    for element in system.elements:
        if element.m not in (None, ZERO):
            return True
        if element.inertia is not None and any(x is not ZERO for r in element.inertia for x in r):
            return True
    return bool(system.effective)
