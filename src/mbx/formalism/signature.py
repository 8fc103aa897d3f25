"""The signature of a system: the symbols that its equations take in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.expr.walk import free_symbols
from mbx.formalism.equations import Quantity, Signature
from mbx.language.units import per_second
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Residual, Step
    from mbx.system.system import Parameter, System, Variable

__all__ = ["inputs_and_rates", "signature"]


def _quantity(item: Variable | Parameter) -> Quantity:
    return Quantity(
        symbol=item.symbol,
        path=item.path,
        unit=item.unit,
        meaning=item.meaning,
        latex=item.latex,
        value=getattr(item, "value", None),
        start=getattr(item, "start", None),
    )


def signature(
    system: System, steps: Iterable[Step] = (), residuals: Iterable[Residual] = ()
) -> Signature:
    """Return the symbols that equations of a system take in."""
    u = tuple(_quantity(v) for v in system.u)
    known = {x.symbol for x in u}
    used: set[Node] = set()
    if system.inputs or any(v.rate not in known for v in system.q):
        used = set(_symbols([*steps, *(s for r in residuals for s in r.steps)]))
    inputs = _inputs(system, used)
    derived = tuple(
        Quantity(
            symbol=v.rate,
            path=v.path + "'",
            unit=per_second(v.unit),
            meaning=f"rate of {v.path}",
            value=system.qd[v.rate],
        )
        for v in system.q
        if v.rate not in known and v.rate in used
    )
    rates = [_rates(system, k) for k in range(1, system.order)]
    return Signature(
        t=TIME,
        q=tuple(_quantity(v) for v in system.q),
        u=u,
        higher=tuple(x for level in rates[:-1] for x in level),
        highest=rates[-1],
        inputs=inputs,
        parameters=tuple(_quantity(p) for p in system.parameters),
        derived=derived,
    )


def _rates(system: System, order: int) -> tuple[Quantity, ...]:
    """Return the rates of the speeds of some order."""
    rates = []
    for v in system.u:
        symbol = v.symbol
        for _ in range(order):
            symbol = system.rates.direction[symbol]
        rates.append(
            Quantity(
                symbol=symbol,
                path=str(symbol.value),
                unit=per_second(v.unit, order),
                meaning=f"rate of {v.path}",
            )
        )
    return tuple(rates)


def inputs_and_rates(system: System) -> dict[Node, Quantity]:
    """Return the inputs of a system and their rates, each by its symbol."""
    chains: dict[Node, Quantity] = {}
    for item in system.inputs:
        symbol, value = item.symbol, item.value
        chains[symbol] = _quantity(item)
        for order in range(1, max(2, system.order) + 1):
            symbol = system.rates.direction[symbol]
            value = None if value is None else system.rates([value])[0]
            path: str = symbol.value
            unit = per_second(item.unit, order)
            chains[symbol] = replace(
                _quantity(item), symbol=symbol, path=path, unit=unit, value=value, latex=""
            )
    return chains


def _inputs(system: System, used: set[Node]) -> tuple[Quantity, ...]:
    """Return the inputs, and the rates of inputs that the equations need.

    What the values of these name, rates of other inputs among it, is used from then on.
    """
    chains = inputs_and_rates(system)
    pending = [symbol for symbol in chains if symbol in used]
    pending += [item.symbol for item in system.inputs if item.symbol not in used]
    while pending:
        needed = chains[pending.pop()]
        used.add(needed.symbol)
        new = [s for s in free_symbols([needed.value] if needed.value else []) if s not in used]
        used.update(new)
        pending += [symbol for symbol in new if symbol in chains]
    return tuple(item for symbol, item in chains.items() if symbol in used)


def _symbols(steps: Iterable[Step]) -> list[Node]:
    entries: list[Node] = []
    for step in steps:
        if step.op == "define":
            entries += [e for row in step.entries for e in row]
        entries += _symbols(step.steps)
    return free_symbols(entries)
