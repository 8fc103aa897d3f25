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


def _location(statement: Any) -> str:
    return "" if statement.at is None else f" (line {statement.at.position[0]})"


def loads_of(linked: Linked) -> list[Part]:
    """Return the loads of a model, gravity among them."""
    loads = []
    for prefix, statement in statements(linked.model.body):
        if isinstance(statement, _LOADS):
            name = getattr(statement, "name", None)
            path = prefix + (statement.kind if name is None else label(name))
            title = f"{statement.kind} {path}" if name is not None else path
            loads.append(Part(f"{title}{_location(statement)}", path, statement))
    return loads


def _changed(linked: Linked, change: Callable[[Any], Any], more: Sequence[Any] = ()) -> Linked:
    """Return a model with other statements; `change` returns None for a statement that goes."""

    def block(body: Sequence[Any]) -> tuple[Any, ...]:
        statements = []
        for statement in body:
            if isinstance(statement, InlineSubsystem):
                statements.append(statement.model_copy(update={"body": block(statement.body)}))
            elif (new := change(statement)) is not None:
                statements.append(new)
        return tuple(statements)

    model = linked.model
    new = model.model_copy(update={"body": (*block(model.body), *more)})
    items = tuple(
        new if item is model else item for item in linked.document.items if isinstance(item, Model)
    )
    return Linked(linked.document.model_copy(update={"items": items}))


def without(linked: Linked, parts: Sequence[Part]) -> Linked:
    """Return a model without these loads."""
    gone = {id(part.statement) for part in parts}
    return _changed(linked, lambda statement: None if id(statement) in gone else statement)


def probed(linked: Linked, speeds: Sequence[str]) -> Linked:
    """Return a model whose only loads are constant loads on its speeds."""
    gone = {id(part.statement) for part in loads_of(linked) if part.statement.kind != "effective"}
    probes = [
        GeneralizedLoad(kind="load", on=_reference(path), value=Number(str(2 + k % 3)))
        for k, path in enumerate(speeds)
    ]
    return _changed(linked, lambda statement: None if id(statement) in gone else statement, probes)


def _reference(path: str) -> Reference:
    primes = len(path) - len(path.rstrip("'"))
    segments = []
    for piece in path.rstrip("'").split("."):
        match = _SEGMENT.fullmatch(piece)
        if match is None:
            raise ValueError(path)
        index = None if match["index"] is None else Number(match["index"])
        segments.append(Segment(match["name"], index))
    return Reference(tuple(segments), primes)
