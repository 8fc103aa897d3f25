"""Members of frames, bodies and reactions, and what may carry primes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import suggestion
from mbx.checking.expressions.quantity import FORCE, LENGTH, TORQUE, UNKNOWN, Quantity
from mbx.language.units import ONE

if TYPE_CHECKING:
    from mbx.checking.expressions.infer import Inference
    from mbx.checking.expressions.scope import Symbol
    from mbx.language.document.expressions import Reference, Segment

__all__ = ["member", "unprimed"]

_AXES = ("x", "y", "z")


def unprimed(inference: Inference, node: Reference, name: str) -> None:
    """Report primes on something that is no variable."""
    if node.primes:
        inference.fault(
            "MBX3040",
            f"'{name}' is no variable and has no rate",
            node.at,
            help="use ddt(…) for the rate of an expression",
        )


def member(
    inference: Inference,
    owner: Quantity,
    segment: Segment,
    node: Reference,
    symbol: Symbol | None = None,
) -> Quantity:
    """Return what a member of a frame, body or reaction is."""
    name = segment.name
    if owner.sort == "unknown":
        if symbol is not None and symbol.kind in {"joint", "state", "branch", "invariant"}:
            _none(inference, node, name, symbol, ())
        return UNKNOWN
    if owner.sort == "wrench":
        known: tuple[str, ...] = ("force", "torque")
        if name in known:
            return Quantity("vector", FORCE if name == "force" else TORQUE, owner.order)
        return _none(inference, node, name, symbol, known)
    kind = symbol.kind if symbol is not None else owner.sort
    known = _members(kind, owner)
    if name not in known or segment.index is not None:
        if owner.sort == "twist" and name in {*_AXES, "origin"}:
            inference.fault(
                "MBX3107",
                f"body '{node.path[0].name}' is known by its twist alone and has no '{name}'",
                node.at,
                help="only its mass centre is known",
            )
            return UNKNOWN
        return _none(inference, node, name, symbol, known)
    if owner.sort == "twist":
        return owner
    if name in _AXES:
        return Quantity("vector", ONE, owner.order, owner.timed)
    return Quantity("point", LENGTH, owner.order, owner.timed)


def _members(kind: str, owner: Quantity) -> tuple[str, ...]:
    match kind:
        case "body":
            return ("com",) if owner.sort == "twist" else (*_AXES, "origin", "com")
        case "particle":
            return ("com",)
        case "frame":
            return (*_AXES, "origin")
    return ()


def _none(
    inference: Inference,
    node: Reference,
    name: str,
    symbol: Symbol | None,
    known: tuple[str, ...],
) -> Quantity:
    owner = symbol.name if symbol is not None else node.path[0].name
    inference.fault(
        "MBX3009",
        f"'{owner}' has no '{name}'",
        node.at,
        help=suggestion(name, known) or ("it has " + ", ".join(known) if known else None),
    )
    return UNKNOWN
