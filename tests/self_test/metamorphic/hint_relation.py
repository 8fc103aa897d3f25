"""A model without its hints, and without all that is no physics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.language.document.bodies import Joint
from mbx.language.document.declarations import Coordinate, Speed, Variable
from mbx.language.document.document import Branch, ExpectRank, Independent, State
from mbx.language.document.experiments import Initial
from self_test.metamorphic.edit import NotApplicableHereError, Variant, at_every_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.linking.link import Linked

__all__ = ["without_hints", "without_setup"]

_SETUP: Final = (Independent, Initial, State, Branch, ExpectRank)


def without_hints(linked: Linked) -> Variant:
    """Return a model without `independent` and `cut` (chapter 2.18)."""
    found = 0

    def level(body: Sequence[Any], _: str) -> list[Any]:
        nonlocal found
        kept = [_uncut(one) for one in body if not isinstance(one, Independent)]
        found += sum(isinstance(one, Independent) or getattr(one, "cut", False) for one in body)
        return kept

    new = at_every_level(linked, level)
    if not found:
        raise NotApplicableHereError("it has no hints")
    return Variant(new)


def without_setup(linked: Linked) -> Variant:
    """Return a model without hints, start values, states, branches and ranges of variables."""

    def level(body: Sequence[Any], _: str) -> list[Any]:
        return [_unstarted(_uncut(one)) for one in body if not isinstance(one, _SETUP)]

    return Variant(at_every_level(linked, level))


def _uncut(statement: Any) -> Any:
    if isinstance(statement, Joint) and statement.cut:
        return statement.model_copy(update={"cut": False})
    return statement


def _unstarted(statement: Any) -> Any:
    bare = {"value": None, "range": None}
    if isinstance(statement, (Coordinate, Speed)):
        items = tuple(one.model_copy(update=bare) for one in statement.items)
        return statement.model_copy(update={"items": items})
    if isinstance(statement, Variable):
        return statement.model_copy(update={"item": statement.item.model_copy(update=bare)})
    return statement
