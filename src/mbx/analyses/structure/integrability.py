"""Which invariants of order 1 are invariants of order 0 in disguise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.structure.pfaff import is_closed, pfaffian, without_definitions
from mbx.analyses.structure.potential import potential
from mbx.analyses.structure.rank_survey import ranks
from mbx.analyses.structure.reachable import leaf
from mbx.analyses.structure.structure_report import Exact, Integrability
from mbx.expr.algebra.simplify import simplify
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.expr.nodes import ZERO
from mbx.expr.show import show
from mbx.numerics.execute.stacked_algebra import equilibrate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.structure.pfaff import Pfaffian
    from mbx.analyses.structure.reachable import Leaf
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.system.system import System

__all__ = ["integrability"]

LARGEST: Final = 30
"""Most coordinates for which motions are followed."""
SHOWN: Final = 200
"""Longest text of an expression."""
STARTS: Final = 2
"""From how many states motions are followed."""


def integrability(system: System, manifold: Manifold, points: Points) -> Integrability:
    """Return which invariants of order 1 are integrable; `points` are generic states."""
    if all(row.order != 1 for row in system.rows):
        return Integrability(rows=())
    form = pfaffian(system)
    first = [k for k, row in enumerate(form.rows) if row.order == 1]
    exact = {}
    for k in first:
        text = None if form.names_speeds(k) else _expression(form, k)
        if text is not None:
            path = form.rows[k].path
            exact[k] = Exact(path, system.lines.get(path, ""), text)
    report = Integrability(
        rows=tuple(form.rows[k].path for k in first),
        exact=tuple(exact.values()),
        nonlinear=tuple(row.path for row in form.nonlinear),
        without_coordinates=tuple(form.rows[k].path for k in first if form.names_speeds(k)),
    )
    rows = without_definitions(form)
    if not any(form.rows[k].order == 1 for k in rows):
        return report
    form = _active(form, rows)
    return _counted(form, report, manifold, points)


def _expression(form: Pfaffian, row: int) -> str | None:
    """Return the function that a row is the rate of; empty if it has no short text."""
    a = form.A[row][: len(form.x)]
    if not is_closed(a, form.x):
        return None
    primitive = potential(a, form.x)
    text = "" if primitive is None else show(simplify([primitive])[0], limit=SHOWN)
    return "" if len(text) > SHOWN else text


def _active(form: Pfaffian, rows: list[int]) -> Pfaffian:
    """Return some of the rows, in the coordinates that take part in them."""
    lines = [form.A[k] for k in rows]
    used = set(free_symbols([a for line in lines for a in line]))
    n = len(form.x)
    kept = [j for j in range(n) if form.x[j] in used or any(a[j] is not ZERO for a in lines)]
    speeds = [j for j in range(n, len(lines[0])) if any(a[j] is not ZERO for a in lines)]
    return replace(
        form,
        rows=tuple(form.rows[k] for k in rows),
        x=tuple(form.x[j] for j in kept),
        A=tuple(tuple(line[j] for j in (*kept, *speeds)) for line in lines),
    )


def _counted(
    form: Pfaffian, report: Integrability, manifold: Manifold, points: Points
) -> Integrability:
    """Add how many combinations are integrable, and which other rows are."""
    if len(form.x) > LARGEST:
        return replace(report, undecided=f"more than {LARGEST} coordinates take part")
    rng = np.random.default_rng(0)
    at = manifold.values.at(manifold.equations, points)
    each = {s: np.broadcast_to(value, len(points)) for s, value in at.items()}
    A = _numbers(form, each, len(points))
    # units in which the largest coefficient of each column is about one
    _, _, columns = equilibrate(np.abs(np.where(np.isfinite(A), A, 0.0)).max(axis=0)[None])
    best: tuple[Leaf, Array] | None = None
    for k in range(min(STARTS, len(points))):
        known = {symbol: float(value[k]) for symbol, value in each.items()}
        here = leaf(form.A, form.x, known, columns[0, 0], rng)
        # a leaf may be smaller at a special point
        if here is not None and (best is None or here.dimension > best[0].dimension):
            best = here, A[k]
        if best is not None and best[0].dimension == len(form.x):
            break  # no leaf is larger
    if best is None:
        return replace(report, undecided="no motion could be followed to a clear end")
    where, here_A = best
    x = here_A[:, : len(form.x)]
    order = np.array([row.order for row in form.rows])
    known_rank = ranks(A[:, order == 0, : len(form.x)]).generic
    everything = len(form.x) - where.allowed - known_rank
    integrable = len(form.x) - where.dimension - known_rank
    exact = {item.row for item in report.exact}
    return replace(
        report,
        integrable=tuple(
            row.path
            for k, row in enumerate(form.rows)
            if row.order == 1
            and row.path not in exact
            and not form.names_speeds(k)
            and where.keeps(x[k])
        ),
        integrable_count=integrable,
        nonholonomic_count=everything - integrable,
    )


def _numbers(form: Pfaffian, known: Mapping[Node, Array], count: int) -> Array:
    """Return the coefficients at all states, (K, rows, columns)."""
    flat = evaluate_arrays([a for line in form.A for a in line], known)
    stacked = np.array([np.broadcast_to(a, count) for a in flat])
    return stacked.T.reshape(count, len(form.A), -1)
