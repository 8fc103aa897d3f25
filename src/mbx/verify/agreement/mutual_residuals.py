"""Agreement in numbers: one form's accelerations in another form's own equations.

    omega = max_i |r_i| / magnitude_i

is the smallest relative change of the data of the equations that makes the accelerations exact
(Oettli and Prager, Numer. Math. 6, 1964). It depends neither on units nor on conditioning. A row
of magnitude zero counts only if its residual is not zero.

Where a row is zero by symmetry, all its terms are rounding, and so is the quotient. Two rules
distinguish such rows from wrong rows; neither lets a large term elsewhere hide a difference.

1. *Nothing.* Where the residual is within the rounding of the accelerations that the row is
   coupled to (`agreement.rounding`), and so is its magnitude, up to `EMPTY` times as much, there
   is nothing to compare. A row is sharp where its rounding is below `TIGHT` of its magnitude;
   there, and everywhere if it is sharp at a `QUARTER` of the states, rounding explains a residual
   by itself.
2. *Excusable.* The full size of a row is its magnitude where every acceleration is as large as
   the largest one, or as the largest speed squared, or 1, in SI units; no less than the median
   of that over all states. A difference that is below `PASS` of it, or within the rounding of the
   row, may be rounding. It is never accepted for its size: the arbiter decides, and the report
   counts it.

A form whose own accelerations miss a row by more than rounding fails against itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.formalism.shapes import needs
from mbx.numerics.execute.execute import REGULAR, march, run
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.verify.agreement.reference.term_sizes import even_out, median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.guard import Clock
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Residual
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points, Values
    from mbx.verify.agreement.reference.term_sizes import Sizes
    from mbx.verify.derived_forms import Form, Result

__all__ = [
    "FAIL",
    "NOISE",
    "PASS",
    "Errors",
    "force_errors",
    "full_size",
    "invariant_errors",
    "needed",
    "quotient",
    "residual_errors",
    "without",
    "worst_rows",
]

PASS: Final = 1e-12
FAIL: Final = 1e-6
NOISE: Final = 64 * EPS
EMPTY: Final = 1e2
"""How many times its rounding the terms of a row may be while there is nothing to compare."""
TIGHT: Final = 1e-8
"""Part of the terms of a row up to which its rounding may explain a residual by itself."""
QUARTER: Final = 0.25
"""Part of the states at which a row must be sharp to be known well enough at the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """The error of each of F forms at each of N states, and the row where it is; NaN: none.

    `excusable` marks where it may be rounding for its size; `nothing` counts rows of rounding.
    """

    value: Array
    row: NDArray[np.intp]
    excusable: NDArray[np.bool_]
    labels: tuple[str, ...] = ()
    nothing: int = 0

    def label(self, form: int, state: int) -> str:
        """Return what the worst row belongs to."""
        k = int(self.row[form, state])
        return self.labels[k] if k < len(self.labels) else f"row {k + 1}"

    @property
    def certain(self) -> Array:
        """The errors, where an excusable error counts as rounding."""
        return np.where(self.excusable, np.minimum(self.value, PASS), self.value)


def residual_errors(
    form: Form,
    judge: int,
    results: Sequence[Result],
    values: Values,
    points: Points,
    higher: Mapping[str, Array],
    sizes: Sizes,
    clock: Clock,
    *,
    by_size: bool = True,
) -> list[Errors] | Fault:
    """Return the errors of all forms in the residuals of one form, which has the number `judge`.

    Without `by_size`, no error is excusable for being small against terms elsewhere.
    """
    F = len(results)
    # behind the forms: the largest acceleration everywhere, for the full size of rows, and what
    # rounding moves, as the difference of two magnitudes
    moved = sizes.ud
    extra = [even_out(results[judge].ud, points), moved, np.zeros_like(moved)]
    ud = np.stack([*(r.ud for r in results), *extra])

    def work() -> list[Errors]:
        equations = form.equations
        at = values.at(equations, points, higher)
        outcome = results[judge].outcome or run(equations, at, wanted=needed(equations))
        errors = []
        for residual in equations.residuals:
            r, size, regular = _put_into(residual, outcome, at, ud)
            largest = np.maximum(sizes.largest, size[judge].max(axis=1, initial=0.0))
            full = np.maximum(full_size(size[F]), NOISE / PASS * largest[:, None])
            full = full if by_size else np.zeros_like(full)
            bound = np.maximum(size[F + 1] - size[F + 2], 0.0)
            errors.append(worst_rows(r[:F], size[:F], full, bound, regular[:F], residual.labels))
        return errors

    return attempt(work, clock.left)


def needed(equations: Equations) -> set[str]:
    """Return the matrices of the program that the residuals are made of."""
    used = {name for r in equations.residuals for step in r.steps for name in needs(step)}
    return used & {step.name for step in equations.steps}


COPIES: Final = 256
"""States that are put into residuals at once: matrices of all forms together are large."""


def _put_into(
    residual: Residual, outcome: Outcome, at: Mapping[Node, Array], ud: Array
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return residual and magnitude of accelerations (T, N, n), and where there are any."""
    T, N = ud.shape[:2]
    symbols = {node: np.broadcast_to(value, N) for node, value in at.items()}
    used = {name for step in residual.steps for name in needs(step)}
    blocks = []
    for whole in outcome.batches:
        batch = whole.only(used)
        K = len(batch.states)
        chunk = max(1, COPIES // max(K, 1))
        for first in range(0, T, chunk):
            # a copy of the states of the batch for each of a chunk of accelerations
            chunk_ud = ud[first : first + chunk, batch.states]
            copies = np.tile(np.arange(K), len(chunk_ud))
            states = batch.states[copies]
            start = replace(batch.take(copies), states=np.arange(len(copies)))
            here = {node: value[states] for node, value in symbols.items()}
            chunk_ud = chunk_ud.reshape(len(copies), -1, 1)
            _, parts = march(residual.steps, here, start, {"ud": chunk_ud})
            for part in parts:
                indices = first + part.states // K, states[part.states]
                sides = part.matrices[residual.value], part.matrices[residual.magnitude]
                blocks.append((indices, *sides))
    rows = max((value.shape[1] for _, value, _ in blocks), default=0)
    r, size = np.zeros((T, N, rows)), np.zeros((T, N, rows))
    regular = np.zeros((T, N), dtype=bool)
    for indices, value, magnitude in blocks:
        r[(*indices, slice(value.shape[1]))] = np.abs(value[:, :, 0])
        size[(*indices, slice(value.shape[1]))] = magnitude[:, :, 0]
        regular[indices] = True
    return r, size, regular


def full_size(size: Array) -> Array:
    """Return the full size of rows, (N, rows), no less than its median over the states."""
    known = np.asarray(np.isfinite(size).all(axis=1))
    if not known.any():
        return size
    return np.maximum(np.where(known[:, None], size, 0.0), np.median(size[known], axis=0))


def worst_rows(
    r: Array,
    size: Array,
    full: Array,
    bound: Array,
    regular: NDArray[np.bool_],
    labels: tuple[str, ...],
    empty: float = EMPTY,
) -> Errors:
    """Return the worst row of each form (first index) at each state (second).

    `bound` is what rounding may leave of a row, and a row with terms of up to `empty` times as
    much has nothing to compare. An error that is certain comes before any that is excusable,
    however large that is.
    """
    if not r.shape[2]:
        none = np.zeros(regular.shape, dtype=np.intp)
        return Errors(np.where(regular, 0.0, np.nan), none, none > 0)
    nothing = (r <= bound) & (r > PASS * size) & (size / empty <= bound)
    error = np.where(nothing, 0.0, quotient(r, size))
    # terms that cancel within the entries of a row are larger than what is left of them
    sharp = (bound <= TIGHT * size) & (size > 0)
    known = sharp.sum(axis=1, keepdims=True) >= QUARTER * regular.sum(axis=1)[:, None, None]
    explained = (r <= bound) & (sharp | (known & (bound <= size)))
    error = np.where(explained, np.minimum(error, PASS), error)
    excusable = (r <= PASS * full) | (r <= bound)
    certain = (error > FAIL) & ~excusable
    key = np.where(certain.any(axis=2, keepdims=True) & ~certain, -1.0, error)
    row = np.where(np.isnan(key), np.inf, key).argmax(axis=2)
    value, excused = (
        np.take_along_axis(x, row[:, :, None], axis=2)[:, :, 0] for x in (error, excusable)
    )
    value = np.where(regular, value, np.nan)
    return Errors(value, row, excused, labels, int(nothing.sum()))


def quotient(r: Array, size: Array) -> Array:
    """Return |r| / size; 0 where both are zero, infinite where only the size is.

    Where both are infinite it is no number.
    """
    safe = np.where(size > 0, size, 1.0)
    with np.errstate(invalid="ignore"):
        return np.where(size > 0, r / safe, np.where(r > 0, np.inf, 0.0))


def invariant_errors(
    manifold: Manifold, points: Points, results: Sequence[Result], sizes: Sizes
) -> Errors:
    """Return how far the accelerations of each form are from the invariants, A ud + b = 0."""
    A, b = manifold.at(points, "A", "b")
    ud = np.stack([r.ud for r in results])[:, :, :, None]
    r = np.abs(A @ ud + b)[:, :, :, 0]
    size = (np.abs(A) @ np.abs(ud) + np.abs(b))[:, :, :, 0]
    even = median(np.stack([even_out(result.ud, points) for result in results]))[:, :, None]
    full = full_size((np.abs(A) @ even + np.abs(b))[:, :, 0])
    regular = np.stack([result.status == REGULAR for result in results])
    labels = manifold.equations.step("A").row_labels
    return worst_rows(r, size, full, sizes.invariants, regular, labels)


def force_errors(
    manifold: Manifold, points: Points, results: Sequence[Result], sizes: Sizes
) -> Errors:
    """Return the differences of Fc between all forms, (F F) by N, relative to terms of the row.

    What keeps a quaternion at unit length is no force: its direction is taken out.
    """
    N = len(points)
    (G,) = manifold.at(points, "G")
    n = len(manifold.system.u)
    forces = np.stack(
        [np.full((N, n), np.nan) if r.Fc is None else without(G, r.Fc) for r in results]
    )
    terms = sizes.terms
    if terms is None:
        known = np.where(np.isfinite(forces), np.abs(forces), 0.0)
        terms = known.max(axis=(0, 2), initial=0.0)[:, None]
    terms = np.broadcast_to(terms, (N, n))
    r = np.abs(forces[:, None] - forces[None]).reshape(len(results) ** 2, N, n)
    full = NOISE / PASS * np.maximum(full_size(terms), sizes.largest[:, None])
    regular = np.isfinite(r).all(axis=2)
    labels = tuple(v.path for v in manifold.system.u)
    return worst_rows(r, np.broadcast_to(terms, r.shape), full, sizes.Fc, regular, labels)


def without(G: Array, force: Array) -> Array:
    """Return forces without their components along the rows of G."""
    if not G.shape[1]:
        return force
    sound = np.asarray(np.isfinite(G).all(axis=(1, 2)))
    inverse = np.linalg.pinv(np.where(sound[:, None, None], G, 0.0))
    along = (inverse @ (G @ force[:, :, None]))[:, :, 0]
    return force - along
