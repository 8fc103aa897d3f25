"""What forms call the reactions of joints, and what the oracle calls the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.scope import label
from mbx.language.document.bodies import Body, Joint
from mbx.language.document.document import InlineSubsystem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.linking.link import Linked

__all__ = ["oracle_names", "statements"]


def statements(body: Sequence[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the statements of a linked model, each with the prefix of its level."""
    for statement in body:
        if isinstance(statement, InlineSubsystem):
            yield from statements(statement.body, f"{prefix}{label(statement.name)}.")
        else:
            yield prefix, statement


def oracle_names(linked: Linked) -> dict[str, str]:
    """Return the path of each joint for the oracle, by the path of its reaction for forms.

    Forms name a reaction as the model does, or after the joint; a joint that places a body is
    called after it.
    """
    found = {}
    for prefix, one in statements(linked.model.body):
        if isinstance(one, Joint):
            path = prefix + label(one.name)
            found[path if one.reaction is None else prefix + label(one.reaction)] = path
        elif isinstance(one, Body):
            path = prefix + label(one.name)
            for clause in one.clauses:
                if clause.kind == "joint":
                    given = clause.reaction
                    found[f"{path}.joint" if given is None else prefix + label(given)] = path
    return found
