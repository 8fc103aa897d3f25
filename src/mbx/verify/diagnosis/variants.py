"""The same model with less in it: without a load, or with constant loads alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import label
from mbx.language.document.document import InlineSubsystem, Model
from mbx.language.document.expressions import (
    Number,
    Reference,
    Segment,
)
from mbx.language.document.load_statements import (
    Damper,
    Dissipation,
    Effective,
    Force,
    GeneralizedLoad,
    Gravity,
    Potential,
    Spring,
    Torque,
)
from mbx.linking.link import Linked
from mbx.verify.agreement.joint_names import statements

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = ["Part", "loads_of", "probed", "without"]

_LOADS: Final = (
    Gravity,
    Force,
    Torque,
    Spring,
    Damper,
    Potential,
    Dissipation,
    GeneralizedLoad,
    Effective,
)
_SEGMENT: Final = re.compile(r"(?P<name>[^\[\].']+)(?:\[(?P<index>\d+)\])?")


@dataclass(frozen=True, eq=False)
class Part:
    """A load of a model: what it is called, and its statement."""

    title: str
    path: str
    statement: Any


def _place(statement: Any) -> str:
    return "" if statement.at is None else f" (line {statement.at.position[0]})"


def loads_of(linked: Linked) -> list[Part]:
    """Return the loads of a model, gravity among them."""
    found = []
    for prefix, one in statements(linked.model.body):
        if isinstance(one, _LOADS):
            given = getattr(one, "name", None)
            path = prefix + (one.kind if given is None else label(given))
            title = f"{one.kind} {path}" if given is not None else path
            found.append(Part(f"{title}{_place(one)}", path, one))
    return found


def _changed(linked: Linked, change: Callable[[Any], Any], more: Sequence[Any] = ()) -> Linked:
    """Return a model with other statements; `change` returns None for one that goes."""

    def block(body: Sequence[Any]) -> tuple[Any, ...]:
        found = []
        for statement in body:
            if isinstance(statement, InlineSubsystem):
                found.append(statement.model_copy(update={"body": block(statement.body)}))
            elif (new := change(statement)) is not None:
                found.append(new)
        return tuple(found)

    model = linked.model
    new = model.model_copy(update={"body": (*block(model.body), *more)})
    items = tuple(
        new if one is model else one for one in linked.document.items if isinstance(one, Model)
    )
    return Linked(linked.document.model_copy(update={"items": items}))


def without(linked: Linked, parts: Sequence[Part]) -> Linked:
    """Return a model without some of its loads."""
    gone = {id(part.statement) for part in parts}
    return _changed(linked, lambda one: None if id(one) in gone else one)


def probed(linked: Linked, speeds: Sequence[str]) -> Linked:
    """Return a model whose only loads are constant ones on its speeds."""
    gone = {id(part.statement) for part in loads_of(linked) if part.statement.kind != "effective"}
    probes = [
        GeneralizedLoad(kind="load", on=_reference(path), value=Number(str(2 + k % 3)))
        for k, path in enumerate(speeds)
    ]
    return _changed(linked, lambda one: None if id(one) in gone else one, probes)


def _reference(path: str) -> Reference:
    primes = len(path) - len(path.rstrip("'"))
    found = []
    for piece in path.rstrip("'").split("."):
        match = _SEGMENT.fullmatch(piece)
        if match is None:
            raise ValueError(path)
        index = None if match["index"] is None else Number(match["index"])
        found.append(Segment(match["name"], index))
    return Reference(tuple(found), primes)
