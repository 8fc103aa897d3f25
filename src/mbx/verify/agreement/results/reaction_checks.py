"""Checks of reactions in the balances of the bodies.

    W X + L lam = Mb twd + gb - Fb

X are the reactions of joints and placements, lam the multipliers of joints that close loops. Any
reactions that balance the bodies are accepted, also where they are not unique.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.nodes import ZERO
from mbx.mechanics import reactions
from mbx.verify.agreement.reference.sized import Sized, stack
from mbx.verify.agreement.results.examined_form import Difference
from mbx.verify.agreement.results.wrench_checks import all_loads, loop_wrenches, rows_of

if TYPE_CHECKING:
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_reactions", "check_unknowns"]


def _balance(subject: Subject, name: str, X: Sized, chosen: list[int]) -> Difference:
    """Return what reactions leave of some rows of the balances."""
    reference = subject.reference
    rows = rows_of(reference.programs)
    left = reference.inertia_wrenches(subject.ud) - all_loads(subject) - loop_wrenches(subject)
    W = Sized.vectors(reference.numbers("balances")["W"])
    W = Sized(W.value, np.maximum(W.size, Sized.vectors(W.T.value).size.swapaxes(1, 2)))
    gap = W @ X - left[rows]
    full = subject.coupling.of_elements(gap.size, rows)
    return Difference(name, gap[chosen], full[:, chosen])


def check_unknowns(subject: Subject) -> Differences:
    """Compare all reactions with the balances of the bodies."""
    X = subject.result("X")
    yield _balance(subject, "X in the balances", X, list(range(X.shape[1])))


def check_reactions(subject: Subject) -> Differences:
    """Compare the reactions of joints with the balances of the bodies, and with lam."""
    programs = subject.reference.programs
    parts: list[Sized] = []
    missing: list[int] = []
    for holder in reactions.holders(programs.moving):
        size = 3 if programs.moving.elements[holder.element].element.w_local is None else 6
        meaning = f"reaction:{holder.path}"
        first = sum(part.shape[1] for part in parts)
        if subject.has(meaning):
            parts.append(Sized.vectors(subject.result(meaning).value))
        else:
            parts.append(subject.reference.zeros(size))
            missing += range(first, first + size)
    entries = programs.balances.step("W").entries
    rows = [k for k, row in enumerate(entries) if all(row[j] is ZERO for j in missing)]
    if parts and rows:
        X = stack([[x] for x in parts])
        yield _balance(subject, "reactions in the balances", X, rows)
    Y = subject.reference.numbers("balances")["Y"]
    lam = subject.lam
    for k, path in enumerate(reactions.loop_wrenches(programs.every)):
        meaning = f"reaction:{path}"
        if subject.has(meaning) and lam is not None:
            six = Sized.vectors(Y[:, 6 * k : 6 * k + 6, : lam.shape[1]])
            yield Difference(meaning, subject.result(meaning) - six @ lam)
