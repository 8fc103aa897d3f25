"""Inertia and forces of the equations of motion, from mechanics itself and not from a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, sub
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.mechanics import balance, invariants, loads, motion, reactions

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["balance_of"]


def balance_of(system: System) -> Equations:
    """Return M and h of M ud = h + Fc as a program; named reactions count as zero."""
    moving = motion.in_speeds(system)
    wrenches = [balance.inertia_wrench(m) for m in moving.elements]
    parts = zip(
        loads.project(moving, wrenches),
        loads.project(moving, loads.wrenches(moving)),
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
