"""Gravity as a sum of two fields, each with a weight that is a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import resolve
from mbx.language.document.declarations import Declaration, Param
from mbx.language.document.expressions import (
    Group,
    Identifier,
    Product,
    Reference,
    Sum,
    Vector,
    name,
    walk,
)
from mbx.language.document.load_statements import Gravity
from mbx.language.document.node import expressions_of
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    at_every_level,
    context_of,
    fresh,
    place,
    scopes,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["require_linear", "weighted"]

FIRST: Final = ("1.7", "-3.1", "-8.3")
"""In m/s^2, of a model without gravity."""
SECOND: Final = ("-2.3", "4.9", "3.7")
"""In m/s^2, no multiple of an axis."""


def require_linear(linked: Linked) -> None:
    """Raise `NotApplicableHereError` where a load depends on reactions, which is not linear."""
    for scope in scopes(context_of(linked)).values():
        for one in scope.statements:
            for node in expressions_of(one):
                if any(_reaction(e, scope) for e in walk(node)):
                    raise NotApplicableHereError(
                        f"the {one.kind}{place(one)} depends on a reaction, not linearly in gravity"
                    )


def _reaction(node: Expression, scope: Any) -> bool:
    found = resolve(node, scope) if isinstance(node, Reference) else None
    return found is not None and found.symbol.kind == "reaction"


def weighted(linked: Linked) -> tuple[Linked, list[tuple[str, str]]]:
    """Return a model with a second field of gravity, and the paths of the weights of both."""
    one, other = fresh(linked, "first_field"), fresh(linked, "second_field")
    weights: list[tuple[str, str]] = []

    def level(body: Sequence[Any], prefix: str) -> list[Any]:
        values = [x.value for x in body if isinstance(x, Gravity)]
        if not values and not (prefix == "" and not weights):
            return list(body)
        value = values[0] if values else _bracket(FIRST)
        field = Sum((("+", _times(one, value)), ("+", _times(other, _bracket(SECOND)))))
        weights.append((prefix + one, prefix + other))
        params = [Declaration(name=Identifier(x)) for x in (one, other)]
        rest = [x for x in body if not isinstance(x, Gravity)]
        return [
            Param(kind="param", items=tuple(params)),
            *rest,
            Gravity(kind="gravity", value=field),
        ]

    return at_every_level(linked, level), weights


def _times(weight: str, value: Expression) -> Expression:
    return Product((("*", name(weight)), ("*", Group(value))))


def _bracket(numbers: tuple[str, ...]) -> Vector:
    return Vector(tuple(signed(x, "m/s^2") for x in numbers))
