"""Checks of what reactions leave open: null vectors of the balances and the invariants.

    W X + L lam = 0,   A^T lam = 0,   Y lam: reactions of joints that close loops

A form declares such vectors in pieces, `open:PATH` for each joint. All pieces of a column belong
to one vector, so that they are put together again and must come from the same lam:

    G lam = [B; 0],   G = [F; A^T],   F = [-W^-1 L; Y] in the rows that are declared

Neither length nor sense of a vector matters. As many must be independent as there are.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.mechanics import reactions
from mbx.numerics.execute.stacked_algebra import NOT_UNIQUE
from mbx.numerics.ranks import equilibrate
from mbx.numerics.tolerances import ENTRY
from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.results.examined_form import Difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_open"]

_NONE: Final = 1e-9
"""Part of the largest pivot below which a pivot is zero."""
_NAME: Final = "open"


def check_open(subject: Subject) -> Differences:
    """Compare what is not unique with null vectors of the balances and the invariants."""
    names, known = _null_vectors(subject)
    if not names:
        return
    pieces = [subject.each(name) for name in names]
    remains = [
        vectors.left(np.concatenate([piece[k] for piece in pieces]))
        for k, vectors in enumerate(known)
    ]
    widest = max(gap.shape[1] for gap, _, _ in remains)
    gap, terms, full = (
        np.stack([_padded(part, widest) for part in parts]) for parts in zip(*remains, strict=True)
    )
    yield Difference(_NAME, Sized(gap, terms), full)


def _null_vectors(subject: Subject) -> tuple[tuple[str, ...], list[_NullVectors]]:
    """Return which pieces a form declares, and what they must fit at each state."""
    reference, programs = subject.reference, subject.reference.programs
    moving = programs.moving
    holders = [f"open:{holder.path}" for holder in reactions.holders(moving)]
    loops = [f"open:{path}" for path in reactions.loop_wrenches(programs.every)]
    names = tuple(name for name in (*holders, *loops) if subject.has(name))
    if names in reference.null_vectors or not names:
        return names, reference.null_vectors.get(names, [])
    numbers = reference.numbers("balances")
    W, L, Y = numbers["W"], numbers["L"], numbers["Y"]
    inverse = _inverses(_doubles(W))
    F = np.concatenate([-reference.source.solve(W, L), Y], axis=1)
    size = np.concatenate([np.abs(inverse) @ np.abs(_doubles(L)), np.abs(_doubles(Y))], axis=1)
    heights = [3 if m.element.w_local is None else 6 for m in moving.elements] + [6] * len(loops)
    declared = np.repeat([name in names for name in (*holders, *loops)], heights)
    A = reference.numbers("invariants")["A"]
    # an entry that cancels is as large as the terms that its rounding comes from
    (noise,) = reference.manifold.noise(reference.source.points, "A")
    terms = np.maximum(np.abs(_doubles(A)), noise / ENTRY)
    At, terms = np.swapaxes(A, 1, 2), np.swapaxes(terms, 1, 2)
    solve = reference.source.solve
    parts = zip(F[:, declared], size[:, declared], At, terms, strict=True)
    each = [_NullVectors(*part, solve) for part in parts]
    reference.null_vectors[names] = each
    return names, each


class _NullVectors:
    """G lam = [B; 0] at one state, and which of its rows and columns are independent."""

    def __init__(
        self,
        F: Array,
        size: Array,
        At: Array,
        terms: Array,
        solve: Callable[[Array, Array], Array],
    ) -> None:
        """Take the rows of what is declared, how large their terms are, A^T, and likewise."""
        idle = F.shape[1] - At.shape[1]
        self.count = len(F)
        none = np.zeros((len(At), idle))
        self.G = np.concatenate([F, np.concatenate([At, none], axis=1)])
        self.size = np.concatenate([size, np.concatenate([terms, none], axis=1)])
        self.solve = solve
        self.known = bool(np.isfinite(self.size).all())
        if not self.known:
            return
        _, (self.r,), (c,) = equilibrate(self.size[None])
        scaled = self.r * _doubles(self.G) * c
        self.rows, self.columns = _independent(scaled)
        self.free = len(self.rows) - len(_independent(scaled[self.count :])[0])
        self.inverse = np.abs(np.linalg.inv(_doubles(self.G[np.ix_(self.rows, self.columns)])))

    def left(self, B: Array) -> tuple[Array, Array, Array]:
        """Return what declared vectors leave of the equations, and how large their terms are.

        The last row counts vectors: it is zero if as many are independent as there are.
        """
        if not self.known or not np.isfinite(_doubles(B)).all():
            shape = len(self.G) + 1, B.shape[1]
            return np.full(shape, np.nan), np.ones(shape), np.ones(shape)
        rows, columns = self.rows, self.columns
        right = np.concatenate([B, np.zeros((len(self.G) - len(B), B.shape[1]))])
        gap, lam = right, right[:0]
        if rows:
            lam = self.solve(self.G[np.ix_(rows, columns)][None], right[rows][None])[0]
            gap = right - self.G[:, columns] @ lam
        size = self.size[:, columns]
        reach = np.abs(_doubles(right)) + size @ np.abs(_doubles(lam))
        reach = np.maximum(reach, NOT_UNIQUE)  # less than that makes nothing open
        # rounding of the equations that lam comes from moves all others
        full = reach + size @ (self.inverse @ reach[rows])
        # vectors have the length 1 with unknowns that are not declared: all else may be rounding
        full = np.maximum(full, np.maximum(self.size.sum(axis=1, keepdims=True), 1.0))
        count = len(_independent(_vectors(self.r[: self.count] * _doubles(B)))[0])
        last = np.full((1, B.shape[1]), 0.0 if self.free == count else 1.0)
        return (
            np.concatenate([gap, last]),
            np.concatenate([reach, np.ones(last.shape)]),
            np.concatenate([full, np.zeros(last.shape)]),
        )


def _vectors(B: Array) -> Array:
    """Return vectors of length 1; those that are rounding do not count."""
    kept = B[:, np.abs(B).max(axis=0, initial=0.0) > NOT_UNIQUE]
    return np.asarray(kept / np.linalg.norm(kept, axis=0, keepdims=True))


def _independent(A: Array) -> tuple[list[int], list[int]]:
    """Return independent rows and columns, by elimination with full pivoting."""
    work = A.copy()
    rows: list[int] = []
    columns: list[int] = []
    least = _NONE * np.abs(work).max(initial=0.0)
    while len(rows) < min(A.shape):
        i, j = np.unravel_index(int(np.abs(work).argmax()), work.shape)
        if not abs(work[i, j]) > least:
            break
        rows.append(int(i))
        columns.append(int(j))
        work = work - np.outer(work[:, j] / work[i, j], work[i])
        work[i], work[:, j] = 0.0, 0.0
    return rows, columns


def _doubles(A: Any) -> Array:
    """Return numbers as doubles, whatever digits they have."""
    return np.asarray(A, dtype=np.float64)


def _inverses(A: Array) -> Array:
    """Return the inverse of each matrix; NaN where there is none."""
    inverses = np.full(A.shape, np.nan)
    for k in range(len(A)):
        with suppress(np.linalg.LinAlgError):
            inverses[k] = np.linalg.inv(A[k])
    return inverses


def _padded(A: Array, columns: int) -> Array:
    """Return a matrix with columns of zeros behind it: there may be fewer vectors here."""
    more = np.zeros((A.shape[0], columns - A.shape[1]))
    return np.concatenate([A, more], axis=1)
