"""Start values and named states, as numbers in SI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.language.document.document import State
from mbx.language.document.experiments import Initial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope

__all__ = ["assigned", "find_starts", "find_states"]


def find_starts(context: Context) -> dict[str, float]:
    """Return the starts of variables: that of the highest level that names a variable."""
    starts: dict[str, float] = {}
    for symbol in context.order:
        if symbol.kind in VARIABLES and symbol.node.value is not None:
            value = Evaluator(context, symbol.scope).in_unit(symbol.node.value, symbol.unit)
            if value is not None:
                starts[symbol.path] = value
    for scope in reversed(list(context.root.walk())):  # the highest level comes last and wins
        for statement in scope.of(Initial):
            starts |= assigned(statement.items, context, scope)
    return starts


def find_states(context: Context) -> dict[str, dict[str, float]]:
    """Return the named states, by path."""
    return {
        f"{scope.prefix}{statement.name}": assigned(statement.items, context, scope)
        for scope in context.root.walk()
        for statement in scope.of(State)
    }


def assigned(items: Iterable[Any], context: Context, scope: Scope) -> dict[str, float]:
    """Return the values that assignments give, by path; of rates with their primes."""
    starts: dict[str, float] = {}
    evaluator = Evaluator(context, scope)
    for item in items:
        target = resolve(item.target, scope)
        if target is None:
            continue
        unit = None if item.target.primes else target.symbol.unit
        value = evaluator.in_unit(item.value, unit)
        if value is not None:
            starts[target.symbol.path + "'" * item.target.primes] = value
    return starts
