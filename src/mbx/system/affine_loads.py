"""Loads that name accelerations: affine in them, as `effective` is, MBX4021.

Equations of motion are linear in the accelerations that they are solved for. An added mass,
`-m_a*x''`, is one more term of them; a force that goes with `x''^2` is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.expr.algebra.affine import NotAffineError, split
from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["refuse_nonlinear_loads"]


def refuse_nonlinear_loads(system: System, places: Mapping[str, Span | None]) -> None:
    """Raise an error for every load that is not affine in the accelerations."""
    direction = system.rates.direction
    second = [direction[one.rate] for one in system.q] + [direction[v.symbol] for v in system.u]
    accelerations = set(second)
    report = Report()
    told: set[str] = set()
    for path, nodes in _loads(system):
        named = [one for one in free_symbols(nodes) if one in accelerations]
        if not named or path in told:
            continue
        try:
            split(nodes, named)
        except NotAffineError:
            told.add(path)  # a force between two elements is there twice
            report.add(
                "MBX4021",
                f"'{path}' is not affine in the accelerations",
                places.get(path),
                help="accelerations may be added and multiplied by what does not contain them",
            )
    if not report.ok:
        raise SourceError(report)


def _loads(system: System) -> Iterator[tuple[str, Sequence[Node]]]:
    for force in system.forces:
        yield force.path, [*force.force, *force.torque]
    for load in system.generalized:
        yield load.path, [load.value]
    for known in system.effective:
        yield known.path, [known.value]
