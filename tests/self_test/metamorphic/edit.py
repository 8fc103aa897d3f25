"""Editing a linked model level by level, and what an edited model claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, Source
from mbx.base.errors import MbxError, SourceError
from mbx.checking.expressions.scope import label
from mbx.checking.run_rules import examine
from mbx.language.document.document import InlineSubsystem, Model
from mbx.language.document.expressions import Negative, Number, Reference, Segment
from mbx.language.text.read_text import read_text
from mbx.linking.link import Linked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope
    from mbx.language.document.expressions import Expression

__all__ = [
    "NotApplicableHereError",
    "Variant",
    "at_every_level",
    "bare_model",
    "context_of",
    "fresh",
    "path",
    "place",
    "scopes",
    "signed",
    "with_statements",
]

Body = tuple[Any, ...]


class NotApplicableHereError(MbxError):
    """A change that this model cannot have, or of which nothing is known beforehand."""


@dataclass(frozen=True, eq=False)
class Variant:
    """A model that must mean the same.

    Attributes:
        linked: The model.
        names: What paths are called in it, where they have other names.
        turn: R, where vectors with ground components are R times what they were.
        identity: Whether it must have the same identity, and the same setup.
        written: Whether it is the same model, written out and read again: then a few forms are
            enough to see that it means the same.
    """

    linked: Linked
    names: Callable[[str], str] = field(default=lambda name: name)
    turn: NDArray[np.float64] | None = None
    identity: bool = False
    written: bool = False


def bare_model(linked: Linked) -> Linked:
    """Return a model without its experiments, which say nothing of its equations."""
    items = tuple(one for one in linked.document.items if isinstance(one, Model))
    return Linked(linked.document.model_copy(update={"items": items}))


def with_statements(linked: Linked, text: str) -> Linked:
    """Return a model with more statements at its highest level."""
    report = Report()
    found = read_text(Source("<metamorphic>", f"mbx 1\nmodel Added {{\n{text}\n}}\n"), report)
    if found is None or not report.ok:
        raise SourceError(report)
    more = found.models[0].body
    return at_every_level(linked, lambda body, prefix: body if prefix else (*body, *more))


def at_every_level(linked: Linked, change: Callable[[Body, str], Sequence[Any]]) -> Linked:
    """Return a model with the statements of every level changed, the lower levels first.

    `change` takes the statements of a level and the prefix of its paths.
    """

    def level(body: Body, prefix: str) -> Body:
        below = tuple(
            one.model_copy(update={"body": level(one.body, f"{prefix}{label(one.name)}.")})
            if isinstance(one, InlineSubsystem)
            else one
            for one in body
        )
        return tuple(change(below, prefix))

    model = linked.model
    new = model.model_copy(update={"body": level(model.body, "")})
    items = tuple(new if one is model else one for one in bare_model(linked).document.items)
    return Linked(linked.document.model_copy(update={"items": items}))


def context_of(linked: Linked) -> Context:
    """Return what is known of the names of a model."""
    report = Report()
    context, _ = examine(linked, report)
    if context is None or not report.ok:
        raise SourceError(report)
    return context


def scopes(context: Context) -> Mapping[str, Scope]:
    """Return the levels of a model by the prefixes of their paths."""
    return {scope.prefix: scope for scope in context.root.walk()}


def fresh(linked: Linked, wanted: str) -> str:
    """Return a name that no level of a model has."""
    context = context_of(linked)
    known = {symbol.name.partition("[")[0] for symbol in context.root.all_symbols()}
    while wanted in known:
        wanted += "_"
    return wanted


def path(*names: str) -> Reference:
    """Return a path as an expression."""
    return Reference(tuple(map(Segment, names)))


def place(node: Any) -> str:
    """Return where a node stands in its file, for a reason."""
    return "" if node.at is None else f" (line {node.at.position[0]})"


def signed(text: str, unit: str | None = None) -> Expression:
    """Return a number with its sign as an expression."""
    number = Number(text.removeprefix("-"), unit)
    return Negative(number) if text.startswith("-") else number
