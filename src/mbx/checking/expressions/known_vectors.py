"""Vectors whose components are known: brackets, axes of ground, and what is made of them.

Components are those of the slot's frame, or of ground. Vectors of both kinds are not added up,
for where the slot's frame points is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import resolve
from mbx.language.document.expressions import (
    Call,
    Expression,
    Negative,
    Product,
    Reference,
    Sum,
    Vector,
    ungroup,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.checking.expressions.scope import Scope

__all__ = ["Components", "Known", "Vectors", "let_behind"]

Components = tuple[float, float, float]
"""The components of a vector."""

Known = tuple[Components, bool]
"""Components, and whether they are those of the slot's frame."""

_GROUND: Final = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
}


def let_behind(node: Expression, scope: Scope) -> tuple[Expression, Scope] | None:
    """Return the expression that a name stands for, and where that is written."""
    target = resolve(node, scope) if isinstance(node, Reference) else None
    if target is None or target.symbol.kind != "let" or target.members:
        return None
    return target.symbol.node.value, target.symbol.scope


@dataclass(frozen=True, slots=True)
class Vectors:
    """Finds known vectors of a level; results are kept, so that sharing is cheap."""

    scope: Scope
    scalar: Callable[[Expression, Scope], float | None]
    seen: dict[tuple[int, int, bool], Known | None]

    def of(self, node: Expression, *, slot: bool) -> Known | None:
        """Return the components of a vector, and whether they are those of the slot's frame.

        None where they are not known. Brackets are in the slot's frame if `slot` is true, else
        in that of ground: those of definitions and among the arguments of functions are.
        """
        node = ungroup(node)
        key = id(node), id(self.scope), slot
        if key not in self.seen:
            self.seen[key] = None  # a definition by itself, which is reported elsewhere
            self.seen[key] = self._of(node, slot=slot)
        return self.seen[key]

    def _of(self, node: Expression, *, slot: bool) -> Known | None:
        match node:
            case Vector(items):
                return _bracket([self.scalar(item, self.scope) for item in items], slot=slot)
            case Reference(path, 0) if path[0].name == "ground":
                axis = _GROUND.get(path[-1].name)
                return None if axis is None else (axis, False)
            case Reference():
                behind = let_behind(node, self.scope)
                return None if behind is None else self._inside(behind[1]).of(behind[0], slot=False)
            case Negative(x):
                return _scaled(-1.0, self.of(x, slot=slot))
            case Sum(terms):
                return _sum([(sign, self.of(term, slot=slot)) for sign, term in terms])
            case Product(factors):
                return self._product(factors, slot=slot)
            case Call("cross", (a, b)):
                return _cross(self.of(a, slot=False), self.of(b, slot=False))
            case Call("unit", (a,)):
                vector = self.of(a, slot=False)
                length = None if vector is None else hypot(*vector[0])
                return _scaled(1 / length, vector) if length else None
        return None

    def _inside(self, scope: Scope) -> Vectors:
        return replace(self, scope=scope)

    def _product(self, factors: Any, *, slot: bool) -> Known | None:
        vector: Known | None = None
        factor = 1.0
        for sign, node in factors:
            known = self.of(node, slot=slot)
            value = None if known is not None else self.scalar(node, self.scope)
            if known is not None and vector is None and sign == "*":
                vector = known
            elif value is not None and (sign == "*" or value):
                factor = factor * value if sign == "*" else factor / value
            else:
                return None
        return _scaled(factor, vector)


def _bracket(values: list[float | None], *, slot: bool) -> Known | None:
    match values:
        case [float() as a, float() as b, float() as c]:
            return (a, b, c), slot
    return None


def _scaled(factor: float, vector: Known | None) -> Known | None:
    if vector is None:
        return None
    a, b, c = vector[0]
    return (factor * a, factor * b, factor * c), vector[1]


def _sum(
    terms: list[tuple[str, Known | None]],
) -> Known | None:
    known = [(1.0 if sign == "+" else -1.0, v) for sign, v in terms if v is not None]
    if len(known) < len(terms) or len({slot for _, (_, slot) in known}) != 1:
        return None
    a, b, c = (sum(sign * v[k] for sign, (v, _) in known) for k in range(3))
    return (a, b, c), known[0][1][1]


def _cross(a: Known | None, b: Known | None) -> Known | None:
    if a is None or b is None:
        return None
    (ax, ay, az), (bx, by, bz) = a[0], b[0]
    return (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), False
