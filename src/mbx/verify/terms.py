"""How large the terms of the equations of motion are, row by row.

Constraint forces are compared in relation to them. They come from mechanics itself, since a
form that may be wrong must not say how large an error may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.build import add, sub
from mbx.expr.linear import NotAffineError, split
from mbx.expr.nodes import ZERO
from mbx.expr.subs import substitute
from mbx.formalism.builder import Program
from mbx.formalism.execute import run
from mbx.mechanics import balance, invariants, loads, motion, partials, reactions
from mbx.verify.agree import NOISE, even_out, median
from mbx.verify.guard import attempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.assembly.manifold import Manifold, Points
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.system.system import System
    from mbx.verify.forms import Result
    from mbx.verify.guard import Clock

__all__ = ["balance_of", "terms_of"]


def balance_of(system: System) -> Equations:
    """Return M and h of M ud = h + Fc as a program; named reactions count as zero."""
    moving = motion.in_speeds(system)
    wrenches = [balance.inertia_wrench(m) for m in moving.elements]
    parts = zip(
        partials.project(moving, wrenches),
        partials.project(moving, loads.wrenches(moving)),
        loads.generalized(moving),
        loads.non_ideal(moving),
        loads.effective(moving),
        strict=True,
    )
    rows = [sub(inertia, add(*active)) for inertia, *active in parts]
    named = reactions.named_in(invariants.levels(moving), rows)
    rows = substitute(rows, dict.fromkeys(named, ZERO))
    M, h = split(rows, moving.ud)
    program = Program()
    labels = [s.path for s in moving.speeds]
    program.define("M", M, rows=labels, columns=labels)
    program.column("h", h, rows=labels)
    return program.equations(system, "balance", "Balance", "", {"M": "M", "h": "h"})


def terms_of(
    manifold: Manifold, points: Points, results: Sequence[Result], clock: Clock
) -> Array | None:
    """Return |M| |ud| + |h| + |Fc| of each row, (N, n); None where mechanics cannot say them.

    Where nothing acts and nothing accelerates, these are rounding. All rows of such a state
    count as large as the largest would be with every acceleration at its full size.
    """
    if not results or manifold.system.order > 2:  # noqa: PLR2004  then ud are no accelerations
        return _least(results)

    def work() -> Array | None:
        try:
            equations = balance_of(manifold.system)
        except NotAffineError:
            return None
        outcome = run(equations, manifold.values.at(equations, points))
        M, h = (np.abs(outcome.matrix(name)) for name in ("M", "h"))
        ud = median(np.stack([np.abs(r.ud) for r in results]))
        terms: Array = (M @ ud[:, :, None] + h)[:, :, 0]
        forces = [np.abs(r.Fc) for r in results if r.Fc is not None]
        if forces:
            terms = terms + median(np.stack(forces))
        full = (M @ even_out(ud, points)[:, :, None] + h)[:, :, 0].max(axis=1, initial=0.0)
        still = terms.max(axis=1, initial=0.0) <= NOISE * full
        terms = np.where(still[:, None], full[:, None], terms)
        return np.where(np.isfinite(terms), terms, 0.0)

    found = attempt(work, clock.left)
    return found if isinstance(found, np.ndarray) else _least(results)


def _least(results: Sequence[Result]) -> Array | None:
    """Return the least of what the forms themselves say."""
    found = [r.terms for r in results if r.terms is not None]
    if not found:
        return None
    stack = np.stack(found)
    least = np.where(np.isfinite(stack), stack, np.inf).min(axis=0)
    return np.where(np.isfinite(least), least, 0.0)
