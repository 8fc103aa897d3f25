"""Inputs whose values name variables: whether what the equations need of them can be known.

An input is a function of time to the equations, which name it and its rates. Where its value is
`-k*x`, its second rate is `-k*x''`: an acceleration, which the equations are yet to give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.expr.walk import free_symbols
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["refuse_unknown_inputs"]


def refuse_unknown_inputs(system: System, spans: Mapping[str, Span | None]) -> None:
    """Raise an error for every input that the equations need and a state does not give."""
    unknown = _unknown(system)
    if not unknown:
        return
    report = Report()
    reported: set[str] = set()
    for user, nodes in _needed(system):
        for node in free_symbols(nodes):
            if node not in unknown:
                continue
            path, because = unknown[node]
            if path in reported:
                continue
            reported.add(path)
            what = f"the input '{path}' has a value that"
            if node.value != path:
                what = f"{user} needs {node.value} of the input '{path}', and that"
            report.add(
                "MBX4044",
                f"{what} depends on {because.value}, which no state gives",
                spans.get(path),
                help=f"say '{path}' with let, and what it stands for is followed",
            )
    if not report.ok:
        raise SourceError(report)


def _unknown(system: System) -> dict[Node, tuple[str, Node]]:
    """Return inputs and rates of inputs that no state gives: whose, and by what they depend on."""
    known = _known_symbols(system)
    unknown: dict[Node, tuple[str, Node]] = {}
    chains: dict[Node, tuple[str, Node]] = {}
    for item in system.inputs:
        symbol, value = item.symbol, item.value
        for _ in range(max(2, system.order) + 1):
            if value is None:
                known.add(symbol)
            else:
                chains[symbol] = (item.path, value)
                value = system.rates([value])[0]
            symbol = system.rates.direction.get(symbol, symbol)

    def cause(symbol: Node) -> Node | None:
        """Return what is not known of what an input is made of, through other inputs."""
        for each in free_symbols([chains[symbol][1]]):
            if each in chains:
                inner = cause(each)
                if inner is not None:
                    return inner
            elif each not in known:
                return each
        return None

    for symbol, (path, _) in chains.items():
        because = cause(symbol)
        if because is not None:
            unknown[symbol] = (path, because)
    return unknown


def _known_symbols(system: System) -> set[Node]:
    """Return what every state gives: time, parameters, coordinates, their rates, speeds."""
    known = {TIME, *(parameter.symbol for parameter in system.parameters)}
    known |= {speed.symbol for speed in system.u}
    for variable in system.q:
        known |= {variable.symbol, variable.rate}
    return known


def _needed(system: System) -> Iterator[tuple[str, Sequence[Node]]]:
    """Yield what equations are made of, each with who needs it.

    A potential names no rates, a dissipation only such as a state gives, and what the rates of
    coordinates keep is in these.
    """
    for item in system.inputs:
        yield f"'{item.path}'", [item.symbol]
    for row in system.rows:
        nodes = [row.value]
        for _ in range(max(0, system.order - row.order)):
            nodes.append(system.rates(nodes[-1:])[0])
        yield f"'{row.path}'", nodes
    for rate, value in system.qd.items():
        yield f"the rate {rate.value}", [value, *system.rates([value])]
    for element in system.elements:
        twist = [*element.com.v, *(element.w_local or ())]
        yield f"'{element.path}'", [*twist, *system.rates(twist)]
    for force in system.forces:
        yield f"'{force.path}'", [*force.force, *force.torque]
    for load in system.generalized:
        yield f"'{load.path}'", [load.value]
    for known in system.effective:
        yield f"'{known.path}'", [known.value]
