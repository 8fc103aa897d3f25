"""Sampled states of equations as plain data, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.errors import EquationsError
from mbx.formalism.equations import SampledStates, sampled_symbols

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.json.equations_schema import StatesForm

__all__ = ["check_states", "read_states", "write_states"]


def write_states(states: SampledStates, indices: Mapping[Node, int]) -> dict[str, Any]:
    """Return states as plain data; `places` are the numbers of nodes."""
    return {
        "invariants": states.invariants,
        "independent": states.independent,
        "constants": [indices[node] for node in states.constants],
        "values": list(states.constants.values()),
        "symbols": [indices[node] for node in states.symbols],
        "general": [list(row) for row in states.general],
        "further": [list(row) for row in states.further],
        "reason": states.reason,
    }


def read_states(form: StatesForm, nodes: Sequence[Node]) -> SampledStates:
    """Return states from plain data whose parts have the right types."""
    if len(form.values) != len(form.constants) or len(set(form.constants)) != len(form.constants):
        message = "/states/values: they are not one for each of the constants"
        raise EquationsError(message, "/states/values")
    return SampledStates(
        invariants=form.invariants,
        independent=form.independent,
        constants={nodes[k]: x for k, x in zip(form.constants, form.values, strict=True)},
        symbols=tuple(nodes[k] for k in form.symbols),
        general=tuple(tuple(row) for row in form.general),
        further=tuple(tuple(row) for row in form.further),
        reason=form.reason,
    )


def check_states(equations: Equations) -> None:
    """Raise an error unless each state has one value for every symbol of the equations."""
    states = equations.states
    if states is None:
        return
    for group in ("general", "further"):
        for k, row in enumerate(getattr(states, group)):
            if len(row) != len(states.symbols):
                pointer = f"/states/{group}/{k}"
                message = f"{pointer}: {len(row)} values for {len(states.symbols)} symbols"
                raise EquationsError(message, pointer)
    known = {*states.constants, *states.symbols}
    if len(known) < len(states.constants) + len(states.symbols):
        raise EquationsError("/states/symbols: a symbol has two values", "/states/symbols")
    if not (states.general or states.further):
        return
    for node in sampled_symbols(equations.signature):
        if node not in known:
            message = f"/states/symbols: '{node.value}' has no value"
            raise EquationsError(message, "/states/symbols")
