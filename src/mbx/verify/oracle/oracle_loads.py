"""Loads and known models, each added to the balance of a state (spec 2.15, 2.16).

A load is balanced with the opposite sign. Derivatives of energies are the gradients of their
jets: a potential has order 0, and a dissipation function order 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.language.document.load_statements import Between
from mbx.verify.oracle.kinematics import oracle_poses
from mbx.verify.oracle.kinematics.declared_world import find
from mbx.verify.oracle.kinematics.oracle_geometry import dot, minus
from mbx.verify.oracle.numbers.jet_scalars import value_of
from mbx.verify.oracle.numbers.jets import Jet, ddt
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.language.document.expressions import Reference
    from mbx.verify.oracle.kinematics.declared_world import Level, Named
    from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
    from mbx.verify.oracle.kinematics.oracle_geometry import Three
    from mbx.verify.oracle.oracle_balance import Balance, Element

__all__ = ["add_gravity", "add_load", "potential_of"]


def add_gravity(e: Evaluator, balance: Balance, elements: Mapping[Named, Element]) -> None:
    """Add the weight of every mass element at and below a level that states gravity."""
    for node, level in e.world.gravity:
        G = e.vector(node.value, level)
        for named, mass_element in elements.items():
            if named.level.path.startswith(level.path):
                for k in range(3):
                    balance.add_jet(mass_element.J[k], G[k].scaled(-mass_element.mass))


def add_load(
    e: Evaluator,
    balance: Balance,
    elements: Mapping[Named, Element],
    load: tuple[str, Any, Level],
    order: int,
) -> None:
    """Add one load or effective row."""
    path, node, level = load
    match node.kind:
        case "force":
            F = e.vector(node.value, level)
            on = _element(elements, node.on, level)
            at = None if node.point is None else e.point(node.point, level)
            if at is None and on is not None and on.centre is not None:
                at = oracle_poses.centre(e, on.named)
            _push(balance, on, F, at, -1)
            if node.origin is not None:
                _push(balance, _element(elements, node.origin, level), F, at, 1)
        case "torque":
            T = e.vector(node.value, level)
            _twist(balance, _element(elements, node.on, level), T, -1)
            if node.origin is not None:
                _twist(balance, _element(elements, node.origin, level), T, 1)
        case "spring" | "potential":
            energy = potential_of(e.with_inputs_fixed(), node, level)
            _add_energy(balance, energy, order + 1, path, node)
        case "damper" | "dissipation":
            energy = _dissipation(e.with_inputs_fixed(), node, level)
            _add_energy(balance, energy, order, path, node)
        case "load" | "effective":
            named, _ = find(level, node.on)
            value = e.scalar(node.value, level)
            declared = named.order > 1 and not node.on.primes
            if named.order < 0 or (named.order + node.on.primes != 1 and not declared):
                raise OracleRefusal("this acts on no speed and no rate", path, node.at)
            balance.add_jet({named.column: e.m.one.c[0]}, _negative(value))


def _negative(value: Any) -> Jet:
    negative: Jet = -value
    return negative


def _element(
    elements: Mapping[Named, Element], reference: Reference, level: Level
) -> Element | None:
    """Return the mass element that a load acts on; none is ground."""
    if reference.path[0].name == "ground":
        return None
    named, members = find(level, reference)
    if named not in elements or members:
        raise OracleRefusal("this is no mass element", named.path, reference.at)
    return elements[named]


def _push(balance: Balance, on: Element | None, F: Three, at: Three | None, sign: int) -> None:
    if on is None:
        return
    directions = on.J if at is None else on.material(at)
    for g, f in zip(directions, F, strict=True):
        balance.add_jet(g, f.scaled(sign))


def _twist(balance: Balance, on: Element | None, T: Three, sign: int) -> None:
    if on is not None:
        for g, f in zip(on.W, T, strict=True):
            balance.add_jet(g, f.scaled(sign))


def potential_of(e: Evaluator, node: Any, level: Level) -> Jet:
    """Return the energy of a spring or a potential."""
    if node.kind == "potential":
        return e.scalar(node.value, level)  # type: ignore[return-value]
    k = e.scalar(node.stiffness, level)
    rest = None if node.rest is None else e.scalar(node.rest, level)
    half = Jet((e.m.half,))
    if isinstance(node.line, Between):
        gap = minus(e.point(node.line.second, level), e.point(node.line.first, level))
        square = dot(gap, gap)
        if rest is None:
            return half * k * square  # type: ignore[no-any-return]
        stretch = e.m.sqrt(square) - rest
    else:
        q = e.scalar(node.line.coordinate, level)
        stretch = q if rest is None else q - rest
    return half * k * stretch * stretch  # type: ignore[no-any-return]


def _dissipation(e: Evaluator, node: Any, level: Level) -> Jet:
    if node.kind == "dissipation":
        return e.scalar(node.value, level)  # type: ignore[return-value]
    c = e.scalar(node.damping, level)
    if isinstance(node.line, Between):
        gap = minus(e.point(node.line.second, level), e.point(node.line.first, level))
        rate = ddt(e.m.sqrt(dot(gap, gap)))  # type: ignore[arg-type]
    else:
        rate = ddt(e.scalar(node.line.coordinate, level))  # type: ignore[arg-type]
    return Jet((e.m.half,)) * c * rate * rate  # type: ignore[no-any-return]


def _add_energy(balance: Balance, energy: Jet, length: int, path: str, node: Any) -> None:
    """Add the gradient of an energy with respect to what it may depend on."""
    if energy.n < length:
        raise OracleRefusal("its order is too high", path, node.at)
    if energy.n == length:
        unit = value_of(energy) * 0 + 1
        balance.add(energy.g, unit, {})
