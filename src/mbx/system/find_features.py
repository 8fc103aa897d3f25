"""Features of a system that not every form supports, with the elements that cause them.

An input is a function of time to the equations, which name it and its rates. Where its value is
`-k*x`, its second rate is `-k*x''`: an acceleration, which the equations are yet to give.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.expr.evaluate import free_symbols, ordered
from mbx.expr.nodes import ZERO, Node
from mbx.system.kinematics.frame_placements import not_integrable
from mbx.system.kinematics.solve_rates import without_own_speed
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.system.system import Energy, System

    _Note = Callable[["Feature", str], None]

__all__ = ["Feature", "find_features", "refuse_unknown_inputs"]


class Feature(Enum):
    """A property of a system; the value is its name in messages."""

    HOLONOMIC = "an invariant of order 0"
    NONHOLONOMIC = "an invariant of order 1"
    NONLINEAR_VELOCITY_INVARIANT = "an invariant that is nonlinear in the velocities"
    ORDER_2_INVARIANT = "an invariant of order 2"
    ORDER_3_INVARIANT = "an invariant of order 3 or more"
    DECLARED_SPEEDS = "a declared speed"
    SPEED_WITHOUT_RATE = "a speed without a rate"
    TWIST_NOT_INTEGRABLE = "a twist that is not known to be the rate of a placement"
    NO_OWN_SPEED = "a coordinate without a speed of its own"
    LEFT_OVER_DEFINITIONS = "a definition beyond those that give the rates"
    QUATERNION_WITH_SPEEDS = "a quaternion with speeds"
    EFFECTIVE_ROWS = "an effective row"
    EFFECTIVE_WITHOUT_RATE = "an effective row on a variable without a rate"
    REACTION_IN_LOAD = "a load that names a reaction"
    GENERALIZED_LOAD = "a generalized load that is no wrench and on no joint coordinate"
    NON_IDEAL = "a non-ideal constraint"
    HIGHER_VARIABLE = "a declared variable of order 2 or more"
    NO_INERTIA = "no inertia at all"


def refuse_unknown_inputs(system: System, spans: Mapping[str, Span | None]) -> None:
    """Raise an error for every input that the equations need and a state does not give."""
    unknown = _unknown(system)
    if not unknown:
        return
    report = Report()
    reported: set[str] = set()
    for user, nodes in _needed(system):
        for node in free_symbols(nodes):
            if node not in unknown:
                continue
            path, because = unknown[node]
            if path in reported:
                continue
            reported.add(path)
            what = f"the input '{path}' has a value that"
            if node.value != path:
                what = f"{user} needs {node.value} of the input '{path}', and that"
            report.add(
                "MBX4044",
                f"{what} depends on {because.value}, which no state gives",
                spans.get(path),
                help=f"say '{path}' with let, and what it stands for is followed",
            )
    if not report.ok:
        raise SourceError(report)


def _unknown(system: System) -> dict[Node, tuple[str, Node]]:
    """Return inputs and rates of inputs that no state gives: whose, and by what they depend on."""
    known = _known_symbols(system)
    unknown: dict[Node, tuple[str, Node]] = {}
    chains: dict[Node, tuple[str, Node]] = {}
    for item in system.inputs:
        symbol, value = item.symbol, item.value
        for _ in range(max(2, system.order) + 1):
            if value is None:
                known.add(symbol)
            else:
                chains[symbol] = (item.path, value)
                value = system.rates([value])[0]
            symbol = system.rates.direction.get(symbol, symbol)

    def cause(symbol: Node) -> Node | None:
        """Return what is not known of what an input is made of, through other inputs."""
        for each in free_symbols([chains[symbol][1]]):
            if each in chains:
                inner = cause(each)
                if inner is not None:
                    return inner
            elif each not in known:
                return each
        return None

    for symbol, (path, _) in chains.items():
        because = cause(symbol)
        if because is not None:
            unknown[symbol] = (path, because)
    return unknown


def _known_symbols(system: System) -> set[Node]:
    """Return what every state gives: time, parameters, coordinates, their rates, speeds."""
    known = {TIME, *(parameter.symbol for parameter in system.parameters)}
    known |= {speed.symbol for speed in system.u}
    for variable in system.q:
        known |= {variable.symbol, variable.rate}
    return known


def _needed(system: System) -> Iterator[tuple[str, Sequence[Node]]]:
    """Yield what equations are made of, each with who needs it.

    A potential names no rates, a dissipation only such as a state gives, and what the rates of
    coordinates keep is in these.
    """
    for item in system.inputs:
        yield f"'{item.path}'", [item.symbol]
    for row in system.rows:
        nodes = [row.value]
        for _ in range(max(0, system.order - row.order)):
            nodes.append(system.rates(nodes[-1:])[0])
        yield f"'{row.path}'", nodes
    for rate, value in system.qd.items():
        yield f"the rate {rate.value}", [value, *system.rates([value])]
    for element in system.elements:
        twist = [*element.com.v, *(element.w_local or ())]
        yield f"'{element.path}'", [*twist, *system.rates(twist)]
    for force in system.forces:
        yield f"'{force.path}'", [*force.force, *force.torque]
    for load in system.generalized:
        yield f"'{load.path}'", [load.value]
    for known in system.effective:
        yield f"'{known.path}'", [known.value]


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
