"""What a model states about its configurations: assemblies distinguished, ranks at named states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.checking.expressions.known_values import Evaluator
from mbx.language.document.document import Branch, ExpectRank, State
from mbx.system.lower_expressions import Lowering

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.expr.nodes import Node
    from mbx.system.world import World

__all__ = ["Expectation", "find_branches", "find_expectations"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the constraint matrix is like at a named state; a rank of None is a loss of rank."""

    state: str
    rank: int | None


def find_branches(context: Context, world: World) -> dict[str, Node]:
    """Return the conditions that distinguish assemblies, each 1 or 0, by path."""
    return {
        f"{scope.prefix}{statement.name}": Lowering(world, scope).condition(statement.condition)
        for scope in context.root.walk()
        for statement in scope.of(Branch)
    }


def find_expectations(context: Context) -> tuple[Expectation, ...]:
    """Return what is expected of the constraint matrix at named states."""
    expectations = []
    for scope in context.root.walk():
        expectations += [
            Expectation(f"{scope.prefix}{state.name}", None)
            for state in scope.of(State)
            if state.singular
        ]
        for statement in scope.of(ExpectRank):
            rank = Evaluator(context, scope).in_unit(statement.rank, None)
            if rank is not None:
                expectations.append(Expectation(f"{scope.prefix}{statement.state}", round(rank)))
    return tuple(expectations)
