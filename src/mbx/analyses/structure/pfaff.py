"""Invariants of order 0 and 1 as one-forms: what they state about the rates of the coordinates.

A y = 0 with y = (q', t', rates of inputs; speeds that no coordinate integrates) and t' = 1, so
that time and inputs are coordinates like any other. A row is exact where its coefficients are
the slopes of a function of the coordinates: da_j/dx_l = da_l/dx_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import NotAffineError, split, vanishes
from mbx.expr.build import sub
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ZERO
from mbx.mechanics.motion import in_rates
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import Row, System

__all__ = ["Pfaffian", "is_closed", "pfaffian", "without_definitions"]


@dataclass(frozen=True)
class Pfaffian:
    """One-forms of invariants.

    Attributes:
        rows: What they are, those of order 0 too.
        x: Coordinates, with time and inputs where they take part.
        A: A row of coefficients each: first those of x, then of speeds without coordinates.
        nonlinear: Invariants of order 1 that are no one-forms.
    """

    rows: tuple[Row, ...]
    x: tuple[Node, ...]
    A: tuple[tuple[Node, ...], ...]
    nonlinear: tuple[Row, ...]

    def names_speeds(self, row: int) -> bool:
        """Return whether a row names speeds that no coordinate integrates."""
        return any(a is not ZERO for a in self.A[row][len(self.x) :])


def pfaffian(system: System) -> Pfaffian:
    """Return the invariants of order 0 and 1 of a system as one-forms."""
    moving = in_rates(system)
    direction = system.rates.direction
    low = [r for r in (*system.closed, *system.rows) if r.order <= 1 and r.kind != "definition"]
    values = [
        (moving.rate([r.value]) if r.order == 0 else moving.express([r.value]))[0] for r in low
    ]
    used = set(free_symbols(values))
    inputs = [p.symbol for p in system.inputs if used & {p.symbol, direction[p.symbol]}]
    q = [v.symbol for v in system.q]
    rates = [v.rate for v in system.q]
    speeds = [v.symbol for v in system.u if v.symbol in used and v.symbol not in set(rates)]
    y = [*rates, *(direction[i] for i in inputs), *speeds]
    rows, lines, rest, nonlinear = [], [], [], []
    for row, value in zip(low, values, strict=True):
        try:
            ((line,), (b,)) = split([value], y)
        except NotAffineError:
            nonlinear.append(row)
            continue
        rows.append(row)
        # what cancels would leave a column of rounding
        lines.append([ZERO if vanishes(a) else a for a in line])
        rest.append(ZERO if vanishes(b) else b)
    moves = any(b is not ZERO for b in rest) or TIME in used
    n = len(q)
    A = tuple(
        (*line[:n], *([b] if moves else []), *line[n:]) for line, b in zip(lines, rest, strict=True)
    )
    x = (*q, *([TIME] if moves else []), *inputs)
    return Pfaffian(tuple(rows), x, A, tuple(nonlinear))


def is_closed(a: Sequence[Node], x: Sequence[Node]) -> bool:
    """Return whether coefficients are the slopes of a function, at least near every point."""
    slopes = jacobian(a, x)
    return all(vanishes(sub(slopes[i][j], slopes[j][i])) for i in range(len(x)) for j in range(i))


def without_definitions(form: Pfaffian) -> list[int]:
    """Return the rows that restrict the coordinates.

    A row that alone names a speed without coordinate defines that speed, and no more.
    """
    left = set(range(len(form.rows)))
    speeds = set(range(len(form.x), len(form.A[0]) if form.A else len(form.x)))
    while True:
        owners = {s: [k for k in left if form.A[k][s] is not ZERO] for s in speeds}
        alone = next(((s, who[0]) for s, who in owners.items() if len(who) == 1), None)
        if alone is None:
            return sorted(left)
        speeds.discard(alone[0])
        left.discard(alone[1])
