"""Mass centres: constant in the axes of their bodies, MBX4160.

Recursions and inertias of composite bodies are built on a constant vector from the origin of a
body to its mass centre. A body whose placement is given by `frame` and a point has its origin in
the mass centre, so that nothing has to be shown there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.checking.rules.placements import rotation_parts
from mbx.language.document.expressions import (
    Call,
    Expression,
    Reference,
    Vector,
    children,
    ungroup,
    walk,
)

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.topology import Parents
    from mbx.language.document.kinematic_statements import Placement

__all__ = ["check_centres"]

_GROUND: Final = ""
_MOTIONS: Final = frozenset({"velocity", "acceleration", "omega", "ddt", "diff"})
_MEASURES: Final = frozenset({"dot", "norm"})
_GEOMETRY: Final = frozenset({"frame", "body", "particle", "point"})


def check_centres(context: Context, parents: Parents) -> None:
    """Check that the mass centre of every body is constant in its axes."""
    rigid = _Rigid(context, parents)
    for symbol in context.order:
        rigid.attach(symbol)
        if symbol.kind != "body":
            continue
        clauses = {c.kind: c for c in symbol.node.clauses}
        com = clauses.get("com")
        if com is None or "velocity" in clauses or "omega" in clauses:
            continue
        bracket = isinstance(ungroup(com.value), Vector)
        if "frame" in clauses and not bracket:
            continue
        attached = rigid.anchors(com.value, symbol.scope, own=rigid.found[symbol])
        if attached is None or attached - {rigid.found[symbol]}:
            context.report.add(
                "MBX4160",
                f"the mass centre of '{symbol.name}' moves in the axes of the body",
                com.value.at,
                help=_remedy(com.value, symbol),
            )


def _remedy(com: Expression, symbol: Symbol) -> str:
    """Return what to write instead: coordinates place a body, they do not move its mass."""
    for node in walk(com):
        found = resolve(node, symbol.scope) if isinstance(node, Reference) else None
        if found is not None and found.symbol.kind in VARIABLES:
            return (
                f"'{found.symbol.name}' has to place the body: use a joint, such as "
                f"prismatic(ground, axis = x, distance = {found.symbol.name}), or "
                "`frame ground` and a point as com, or make it a particle with `at`"
            )
    return "use constants; give a mass that moves in the body a body or a particle of its own"


@dataclass(frozen=True, slots=True)
class _Rigid:
    """Finds what each frame and each point is rigidly attached to, in dependency order."""

    context: Context
    parents: Parents
    found: dict[Symbol, Any] = field(default_factory=dict)

    def attach(self, symbol: Symbol) -> None:
        """Record what a frame, a point or a mass element is attached to: at least itself."""
        if symbol.kind not in _GEOMETRY:
            return
        self.found[symbol] = symbol
        match symbol.kind:
            case "frame":
                anchors = self._placement(symbol.node.placement, symbol.scope)
            case "point":
                anchors = self.anchors(symbol.node.value, symbol.scope, own=_GROUND)
            case "particle":
                at = next((c.value for c in symbol.node.clauses if c.kind == "at"), None)
                anchors = None if at is None else self.anchors(at, symbol.scope, own=_GROUND)
            case _:
                anchors = self._body(symbol)
        if anchors is not None and len(anchors) == 1:
            (self.found[symbol],) = anchors

    def _body(self, symbol: Symbol) -> set[Any] | None:
        clauses = {c.kind: c for c in symbol.node.clauses}
        placing = self.parents.placing.get(symbol)
        if "joint" in clauses:
            call, scope = clauses["joint"].call, symbol.scope
        elif placing is not None:
            call, scope = placing.call, placing.scope
        else:
            return None
        if call.joint != "fixed":
            return None
        joined: set[Any] = set()
        for side in call.sides:
            own = resolve(side.base, scope)
            if side.base.path[0].name == "own" or (own is not None and own.symbol is symbol):
                anchors = self._offset(side, scope, symbol)
            else:
                anchors = self._placement(side, scope)
            if anchors is None:
                return None
            joined |= anchors - {symbol}
        return joined

    def _placement(self, placement: Placement, scope: Scope) -> set[Any] | None:
        base = self._reference(placement.base, scope)
        if base is None or len(base) != 1:
            return None
        (own,) = base
        return self._offset(placement, scope, own)

    def _offset(self, placement: Placement, scope: Scope, own: Any) -> set[Any] | None:
        """Return the anchors of a placement on a known base; None where it moves."""
        joined = {own}
        rotations = [e for r in placement.rotations for e in rotation_parts(r)]
        for expression in (placement.point, *rotations):
            if expression is None:
                continue
            anchors = self.anchors(expression, scope, own=own)
            if anchors is None or anchors - {own}:
                return None
        return joined

    def anchors(self, node: Expression, scope: Scope, *, own: Any) -> set[Any] | None:
        """Return what an expression is attached to; None where it is not constant on anything.

        `own` is what brackets are attached to.
        """
        node = ungroup(node)
        match node:
            case Reference():
                return self._reference(node, scope)
            case Call(function):
                if function in _MOTIONS:
                    return None
                own = _GROUND  # brackets among arguments have ground components
                if function in _MEASURES:
                    return self._measure(node, scope)
        joined: set[Any] = {own} if isinstance(node, Vector) else set()
        for child in children(node):
            anchors = self.anchors(child, scope, own=own)
            if anchors is None:
                return None
            joined |= anchors
        return joined

    def _measure(self, node: Expression, scope: Scope) -> set[Any] | None:
        """Return no anchor for a number that is read off things which do not move apart."""
        joined: set[Any] = set()
        for child in children(node):
            anchors = self.anchors(child, scope, own=_GROUND)
            if anchors is None:
                return None
            joined |= anchors
        return set() if len(joined) <= 1 else None

    def _reference(self, node: Reference, scope: Scope) -> set[Any] | None:
        name = node.path[0].name
        if name in {"t", "pi", "ground"}:
            return None if name == "t" else set() if name == "pi" else {_GROUND}
        found = resolve(node, scope)
        if found is None:
            return set()  # reported as an unknown name
        symbol = found.symbol
        if symbol in self.found:
            return {self.found[symbol]}
        quiet = replace(self.context, report=Report())
        known = Inference(quiet, scope).reference(node)
        if known.sort == "unknown":
            return set()
        if symbol.kind == "let" and known.sort != "scalar":
            return self.anchors(symbol.node.value, symbol.scope, own=_GROUND)
        return None if known.order >= 0 or known.timed else set()
