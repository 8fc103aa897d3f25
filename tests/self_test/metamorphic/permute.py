"""The statements of a model in another order, and its names renamed."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import RESERVED
from mbx.language.document.bodies import Body, Joint, JointClause, Particle
from mbx.language.document.declarations import Coordinate, Input, Let, Param, Speed
from mbx.language.document.document import ForBlock, IfBlock, InlineSubsystem, Model, State
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import Identifier, Reference, Segment
from mbx.language.document.node import bottom_up, rewrite
from mbx.language.functions import FUNCTIONS
from mbx.language.joints import SLOTS
from self_test.metamorphic.edit import Variant, at_every_level, context_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.language.document.document import Document
    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["renamed", "reversed_file", "reversed_order", "shuffled_order"]

_LISTS: Final = (Param, Input, Let, Coordinate, Speed, State, Initial)
_MEMBERS: Final = frozenset({"x", "y", "z", "w", "origin", "com", "force", "torque"})
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


def reversed_order(linked: Linked) -> Variant:
    """Return a model with the statements of every level backwards, and so what is in them."""
    return Variant(_ordered(linked, lambda items: list(reversed(items))))


def shuffled_order(linked: Linked) -> Variant:
    """Return a model with the statements of every level shuffled."""
    rng = random.Random(1)  # noqa: S311  any order will do

    def shuffled(items: Sequence[Any]) -> list[Any]:
        return rng.sample(list(items), len(items))

    return Variant(_ordered(linked, shuffled))


def reversed_file(document: Document) -> Document:
    """Return a file with its models, experiments and imports backwards, and what is in them."""

    def backwards(items: Sequence[Any]) -> list[Any]:
        return list(reversed(items))

    def block(body: Sequence[Any]) -> tuple[Any, ...]:
        first = [one for one in body if _structural(one)]
        rest = [_inside(one, backwards) for one in body if not _structural(one)]
        return (*first, *backwards([_below(one) for one in rest]))

    def _below(one: Any) -> Any:
        if isinstance(one, ForBlock):
            return one.model_copy(update={"body": block(one.body)})
        if isinstance(one, IfBlock):
            inner = {"body": block(one.body), "otherwise": block(one.otherwise)}
            return one.model_copy(update=inner)
        if isinstance(one, InlineSubsystem):
            return one.model_copy(update={"body": block(one.body)})
        return one

    items = [
        one.model_copy(update={"body": block(one.body)}) if isinstance(one, Model) else one
        for one in document.items
    ]
    return document.model_copy(update={"items": tuple(backwards(items))})


def _ordered(linked: Linked, order: Callable[[Sequence[Any]], list[Any]]) -> Linked:
    def level(body: Sequence[Any], _: str) -> list[Any]:
        first = [one for one in body if _structural(one)]
        rest = [one for one in body if not _structural(one)]
        return [*first, *order([_inside(one, order) for one in rest])]

    return at_every_level(linked, level)


def _structural(statement: Any) -> bool:
    """Return whether a statement has whole numbers, which only those below it can use."""
    return isinstance(statement, Param) and any(one.unit == "integer" for one in statement.items)


def _inside(statement: Any, order: Callable[[Sequence[Any]], list[Any]]) -> Any:
    """Return a statement with its lists in another order: names, clauses, arguments."""
    if isinstance(statement, _LISTS):
        return statement.model_copy(update={"items": tuple(order(statement.items))})
    if isinstance(statement, InlineSubsystem):
        return statement.model_copy(update={"bindings": tuple(order(statement.bindings))})
    if isinstance(statement, (Body, Particle)):
        clauses = order([_inside(one, order) for one in statement.clauses])
        return statement.model_copy(update={"clauses": tuple(clauses)})
    if isinstance(statement, (Joint, JointClause)):
        call = statement.call
        call = call.model_copy(update={"arguments": tuple(order(call.arguments))})
        return statement.model_copy(update={"call": call})
    return statement


def renamed(linked: Linked) -> Variant:
    """Return a model whose names are others, and sort the other way round.

    Words of the language stay, and so do names that could be members or arguments of joints.
    """
    kept = RESERVED | set(FUNCTIONS) | set(SLOTS) | _MEMBERS
    symbols = context_of(linked).root.all_symbols()
    known = sorted({symbol.name.partition("[")[0] for symbol in symbols} - kept)
    new = {name: f"n{len(known) - k:05d}" for k, name in enumerate(known)}

    def expression(node: Expression) -> Expression:
        return bottom_up(node, reference)

    def reference(node: Expression) -> Expression:
        if not isinstance(node, Reference):
            return node
        segments = tuple(Segment(new.get(s.name, s.name), s.index) for s in node.path)
        return Reference(segments, node.primes, at=node.at)

    def identifier(node: Identifier) -> Identifier:
        return Identifier(new.get(node.base, node.base), node.index, node.last, at=node.at)

    def level(body: Sequence[Any], _: str) -> list[Any]:
        return [
            one.model_copy(
                update={
                    "name": identifier(one.name),
                    "bindings": tuple(rewrite(b, expression, identifier) for b in one.bindings),
                }
            )
            if isinstance(one, InlineSubsystem)
            else rewrite(one, expression, identifier)
            for one in body
        ]

    def names(path: str) -> str:
        return _NAME.sub(lambda found: new.get(found[0], found[0]), path)

    return Variant(at_every_level(linked, level), names)
