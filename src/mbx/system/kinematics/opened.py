"""The invariants of a model with its joints released: in the poses of its bodies.

A joint that places a body makes its frame an expression of coordinates, and an
invariant of the body becomes one, too. Here such bodies have symbols for their position and axes
(`mbx.system.kinematics.frames.free_frame`), so that an invariant is seen to name the bodies that
it ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.checking.expressions.known_values import fill_values
from mbx.checking.run_rules import examine
from mbx.system.build_world import build_world
from mbx.system.invariant_rows import declared_rows

if TYPE_CHECKING:
    from mbx.linking.link import Linked
    from mbx.system.system import Row

__all__ = ["opened_invariants"]

_HIGHEST = 3


def opened_invariants(linked: Linked) -> tuple[Row, ...]:
    """Return the invariants of positions, in the poses of the bodies that joints place."""
    report = Report()
    context, parents = examine(linked, report)
    if context is None or not report.ok:
        raise SourceError(report)
    fill_values(context)
    world = build_world(context, parents, _HIGHEST, opened=True)
    rows, _ = declared_rows(context, world)
    return tuple(row for row in rows if row.kind == "invariant" and row.order == 0)
