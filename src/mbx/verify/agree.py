"""Agreement in numbers: one form's accelerations in another form's own equations.

    omega = max_i |r_i| / magnitude_i

is the smallest relative change of the data of the equations that makes the accelerations exact
(Oettli and Prager, Numer. Math. 6, 1964). It depends neither on units nor on conditioning. A row
of magnitude zero counts only if its residual is not zero.

Where a row is zero by symmetry, all its terms are rounding, and so is the quotient. Two rules
tell such rows from wrong ones.

1. *Full size.* The full size of a row is its magnitude where every acceleration is as large as
   the largest one, or as the largest speed squared, or 1, in SI units; no less than the median
   of that over all states. What is below `PASS` of it is taken relative to it. A relative error
   of 1e-6 is hidden by this only in a row whose terms are a millionth of what they are at most
   states, or of that unit, so a wrong term shows at random states.
2. *Void rows.* A row on a complement of the constraints is a combination. Where all that it
   takes with a weight of order 1 is zero, forces remain that it should not take at all, times
   the rounding of the complement. Then the form's own accelerations miss the row, too: it is
   void where they leave more than `PASS` of its magnitude, and both are below `NOISE`, 64 machine
   epsilons, of the largest term at that state. Others are excused there as far as they stay
   below that bound. A row that the form's own accelerations satisfy is never void, however
   small it is.

A form whose own accelerations miss a row by more than rounding fails against itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.formalism.execute import REGULAR, march, run
from mbx.formalism.numerics import EPS
from mbx.formalism.shapes import needs
from mbx.verify.guard import Fault, attempt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.assembly.manifold import Manifold, Points, Values
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.execute import Outcome
    from mbx.formalism.numerics import Array
    from mbx.formalism.program import Residual
    from mbx.verify.forms import Form, Result
    from mbx.verify.guard import Clock

__all__ = [
    "FAIL",
    "NOISE",
    "PASS",
    "Errors",
    "even_out",
    "force_errors",
    "full_size",
    "invariant_errors",
    "median",
    "residual_errors",
    "without",
    "worst_rows",
]

PASS: Final = 1e-12
FAIL: Final = 1e-6
NOISE: Final = 64 * EPS


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """The error of each of F forms at each of N states, and the row where it is; NaN: none."""

    value: Array
    row: NDArray[np.intp]
    labels: tuple[str, ...] = ()
    void: int = 0

    def label(self, form: int, state: int) -> str:
        """Return what the worst row belongs to."""
        k = int(self.row[form, state])
        return self.labels[k] if k < len(self.labels) else f"row {k + 1}"


def residual_errors(
    form: Form,
    own: int,
    results: Sequence[Result],
    values: Values,
    points: Points,
    higher: Mapping[str, Array],
    largest: Array,
    clock: Clock,
) -> list[Errors] | Fault:
    """Return the errors of all forms in the residuals of one, whose own number is `own`.

    `largest` is the largest magnitude of a term at each state.
    """
    F = len(results)
    # the last are the largest acceleration everywhere, for the full size of rows
    ud = np.stack([*(r.ud for r in results), even_out(results[own].ud, points)])

    def work() -> list[Errors]:
        equations = form.equations
        at = values.at(equations, points, higher)
        outcome = run(equations, at, wanted=_needed(equations))
        found = []
        for residual in equations.residuals:
            r, size, regular = _put_into(residual, outcome, at, ud)
            most = np.maximum(largest, size[own].max(axis=1, initial=0.0))
            void = _void(r[own], size[own], most)
            full = full_size(size[F])
            found.append(worst_rows(r[:F], size[:F], full, void, regular[:F], residual.labels))
        return found

    return attempt(work, clock.left)


def _needed(equations: Equations) -> set[str]:
    """Return the matrices of the program that the residuals are made of."""
    used = {name for r in equations.residuals for step in r.steps for name in needs(step)}
    return used & {step.name for step in equations.steps}


COPIES: Final = 256
"""States that are put into residuals at once: matrices of all forms together are large."""


def _put_into(
    residual: Residual, outcome: Outcome, at: Mapping[Node, Array], ud: Array
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return residual and magnitude of some accelerations (T, N, n), and where there are any."""
    T, N = ud.shape[:2]
    symbols = {node: np.broadcast_to(value, N) for node, value in at.items()}
    used = {name for step in residual.steps for name in needs(step)}
    found = []
    for whole in outcome.batches:
        batch = whole.only(used)
        K = len(batch.states)
        some = max(1, COPIES // max(K, 1))
        for first in range(0, T, some):
            # one copy of the states of the batch for each of some accelerations
            given = ud[first : first + some, batch.states]
            copies = np.tile(np.arange(K), len(given))
            states = batch.states[copies]
            start = replace(batch.take(copies), states=np.arange(len(copies)))
            here = {node: value[states] for node, value in symbols.items()}
            given = given.reshape(len(copies), -1, 1)
            _, parts = march(residual.steps, here, start, {"ud": given})
            for part in parts:
                places = first + part.states // K, states[part.states]
                sides = part.matrices[residual.value], part.matrices[residual.magnitude]
                found.append((places, *sides))
    rows = max((value.shape[1] for _, value, _ in found), default=0)
    r, size = np.zeros((T, N, rows)), np.zeros((T, N, rows))
    regular = np.zeros((T, N), dtype=bool)
    for places, value, magnitude in found:
        r[(*places, slice(value.shape[1]))] = np.abs(value[:, :, 0])
        size[(*places, slice(value.shape[1]))] = magnitude[:, :, 0]
        regular[places] = True
    return r, size, regular


def even_out(ud: Array, points: Points) -> Array:
    """Return accelerations that are all as large as the largest, or as a speed squared, or 1.

    Terms that cancel leave their rounding where all accelerations are zero.
    """
    largest = np.abs(ud).max(axis=1, keepdims=True, initial=1.0)
    squared = (points.u**2).max(axis=1, keepdims=True, initial=0.0)
    return np.broadcast_to(np.maximum(largest, squared), ud.shape)


def full_size(size: Array) -> Array:
    """Return the full size of rows, (N, rows), no less than its median over the states."""
    known = np.asarray(np.isfinite(size).all(axis=1))
    if not known.any():
        return size
    return np.maximum(np.where(known[:, None], size, 0.0), np.median(size[known], axis=0))


def _void(r: Array, size: Array, largest: Array) -> Array:
    """Return the bound of each row below which it says nothing; zero where it is not void."""
    bound = np.broadcast_to(NOISE * largest[:, None], r.shape)
    return np.where((r > PASS * size) & (r <= bound) & (size <= bound), bound, 0.0)


def worst_rows(
    r: Array,
    size: Array,
    full: Array,
    void: Array,
    regular: NDArray[np.bool_],
    labels: tuple[str, ...],
    bound: float = PASS,
) -> Errors:
    """Return the worst row of each form (first index) at each state (second)."""
    if not r.shape[2]:
        return Errors(np.where(regular, 0.0, np.nan), np.zeros(regular.shape, dtype=np.intp))
    small = r <= bound * full
    quotient = _quotient(r, np.where(small, np.maximum(size, full), size))
    quotient = np.where((void > 0) & (r <= void), 0.0, quotient)
    value = np.where(regular, quotient.max(axis=2), np.nan)
    return Errors(value, quotient.argmax(axis=2), labels, int((void > 0).sum()))


def _quotient(r: Array, size: Array) -> Array:
    """Return |r| / size; 0 where both are zero, infinite where only the size is."""
    safe = np.where(size > 0, size, 1.0)
    return np.where(size > 0, r / safe, np.where(r > 0, np.inf, 0.0))


def invariant_errors(manifold: Manifold, points: Points, results: Sequence[Result]) -> Errors:
    """Return how far the accelerations of each form are from the invariants, A ud + b = 0."""
    A, b = manifold.at(points, "A", "b")
    ud = np.stack([r.ud for r in results])[:, :, :, None]
    r = np.abs(A @ ud + b)[:, :, :, 0]
    size = (np.abs(A) @ np.abs(ud) + np.abs(b))[:, :, :, 0]
    even = median(np.stack([even_out(one.ud, points) for one in results]))[:, :, None]
    full = full_size((np.abs(A) @ even + np.abs(b))[:, :, 0])
    regular = np.stack([one.status == REGULAR for one in results])
    labels = manifold.equations.step("A").row_labels
    return worst_rows(r, size, full, np.zeros(full.shape), regular, labels)


def force_errors(
    manifold: Manifold, points: Points, results: Sequence[Result], terms: Array | None
) -> Errors:
    """Return the differences of Fc between all forms, (F F) by N, relative to terms.

    The terms are those of the row; what is below `NOISE` of the largest of all rows is taken
    relative to that. What keeps a quaternion at unit length is no force: its direction is
    taken out.
    """
    N = len(points)
    (G,) = manifold.at(points, "G")
    n = len(manifold.system.u)
    forces = np.stack(
        [np.full((N, n), np.nan) if r.Fc is None else without(G, r.Fc) for r in results]
    )
    if terms is None:
        known = np.where(np.isfinite(forces), np.abs(forces), 0.0)
        terms = known.max(axis=(0, 2), initial=0.0)[:, None]
    terms = full_size(np.broadcast_to(terms, (N, n)))
    r = np.abs(forces[:, None] - forces[None]).reshape(len(results) ** 2, N, n)
    largest = np.broadcast_to(terms.max(axis=1, keepdims=True, initial=0.0), terms.shape)
    regular = np.isfinite(r).all(axis=2)
    labels = tuple(v.path for v in manifold.system.u)
    size = np.broadcast_to(terms, r.shape)
    return worst_rows(r, size, largest, np.zeros(terms.shape), regular, labels, NOISE)


def without(G: Array, force: Array) -> Array:
    """Return forces without their components along the rows of G."""
    if not G.shape[1]:
        return force
    sound = np.asarray(np.isfinite(G).all(axis=(1, 2)))
    inverse = np.linalg.pinv(np.where(sound[:, None, None], G, 0.0))
    along = (inverse @ (G @ force[:, :, None]))[:, :, 0]
    return force - along


def median(stack: Array) -> Array:
    """Return medians over the first index, of what is finite; zero where nothing is."""
    known = np.isfinite(stack)
    filled = np.where(known.any(axis=0), np.where(known, stack, np.nan), 0.0)
    return np.asarray(np.nanmedian(filled, axis=0))
