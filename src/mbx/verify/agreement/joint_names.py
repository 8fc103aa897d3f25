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
    paths = {}
    for prefix, statement in statements(linked.model.body):
        if isinstance(statement, Joint):
            path = prefix + label(statement.name)
            paths[path if statement.reaction is None else prefix + label(statement.reaction)] = path
        elif isinstance(statement, Body):
            path = prefix + label(statement.name)
            for clause in statement.clauses:
                if clause.kind == "joint":
                    reaction = clause.reaction
                    paths[f"{path}.joint" if reaction is None else prefix + label(reaction)] = path
    return paths
