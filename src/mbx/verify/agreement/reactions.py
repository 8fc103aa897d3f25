"""Checks of reactions: in the balances of the bodies, and in what of them is not unique.

    W X + L lam = Mb twd + gb - Fb

X are the reactions of joints and placements, lam the multipliers of joints that close loops. Any
reactions that balance the bodies are accepted, also where they are not unique.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.nodes import ZERO
from mbx.mechanics import reactions
from mbx.verify.agreement.reference import Doubles
from mbx.verify.agreement.sized import Sized, stack
from mbx.verify.agreement.subject import Difference
from mbx.verify.agreement.wrenches import all_loads, loop_wrenches, rows_of

if TYPE_CHECKING:
    from mbx.formalism.numerics import Array
    from mbx.verify.agreement.subject import Differences, Subject

__all__ = ["check_open", "check_reactions", "check_unknowns"]

_NONE: Final = 1e-9
"""Part of the largest singular value below which one is zero."""
_TOUCHED: Final = 1e-8
"""Entries of null vectors below which a reaction is unique, as `Evaluation` has it."""
_APART: Final = 1e-6
"""Part of null vectors that two ways of finding them may differ by."""


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
        size = 3 if programs.moving.elements[holder.element].element.w_own is None else 6
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


def check_open(subject: Subject) -> Differences:
    """Compare what is not unique with null vectors of the balances and the invariants.

    Only the directions count, not their lengths.
    """
    if not isinstance(subject.reference.source, Doubles):
        return
    programs = subject.reference.programs
    found = subject.reference.numbers("balances")
    A = subject.reference.numbers("invariants")["A"]
    m = A.shape[1]
    names = [f"open:{holder.path}" for holder in reactions.holders(programs.moving)]
    sizes = [3 if one.element.w_own is None else 6 for one in programs.moving.elements]
    loops = [f"open:{path}" for path in reactions.loop_wrenches(programs.every)]
    each = {name: subject.each(name) for name in (*names, *loops) if subject.has(name)}
    error = np.zeros((len(A), len(each), 1))
    for state in range(len(A)):
        if not np.isfinite(A[state]).all() or not np.isfinite(found["W"][state]).all():
            error[state] = np.nan
            continue
        free = _free(A[state], found["L"].shape[2] - m)
        X = -np.linalg.solve(found["W"][state], found["L"][state] @ free)
        blocks = dict(zip(names, np.split(X, np.cumsum(sizes)[:-1]), strict=True))
        Y = found["Y"][state] @ free
        blocks |= {name: Y[6 * k : 6 * k + 6] for k, name in enumerate(loops)}
        for k, (name, values) in enumerate(each.items()):
            error[state, k] = _apart(values[state], blocks[name])
    yield Difference("open", Sized(error, np.ones(error.shape)))


def _free(A: Array, idle: int) -> Array:
    """Return multipliers that do nothing: null vectors of A^T, then those of idle rows."""
    m = len(A)
    N = np.zeros((m, 0))
    if m:
        size = np.abs(A).max(axis=1, initial=0.0)
        scaled = A / np.where(size > 0, size, 1.0)[:, None]
        U, s, _ = np.linalg.svd(scaled)
        rank = int((s > _NONE * s.max(initial=0.0)).sum())
        N = U[:, rank:] / np.where(size > 0, size, 1.0)[:, None]
        N = N / np.maximum(np.linalg.norm(N, axis=0, keepdims=True), 1e-300)
    return np.block([[N, np.zeros((m, idle))], [np.zeros((idle, N.shape[1])), np.eye(idle)]])


def _apart(one: Array, other: Array) -> float:
    """Return how far the spans of two matrices are from each other, zero where that is rounding."""
    if not np.isfinite(one).all():
        return float("nan")
    bases = [_basis(x) for x in (one, other)]
    if bases[0].shape[1] != bases[1].shape[1]:
        return 1.0
    gap = bases[0] - bases[1] @ (bases[1].T @ bases[0])
    error = float(np.abs(gap).max(initial=0.0))
    return error if error > _APART else 0.0


def _basis(x: Array) -> Array:
    """Return an orthonormal basis of the span; columns that are rounding do not count."""
    x = x[:, np.abs(x).max(axis=0, initial=0.0) > _TOUCHED]
    if not x.size:
        return np.zeros((len(x), 0))
    x = x / np.linalg.norm(x, axis=0, keepdims=True)
    U, s, _ = np.linalg.svd(x, full_matrices=False)
    return np.asarray(U[:, s > _TOUCHED * s.max(initial=0.0)])
