"""How large the terms of the equations of motion are, and how far rounding alone moves results.

    K x = k,   K = [[M, -A^T], [A, 0]],   x = (ud, lam),   k = (h, -b)

    |dx| <= |K^-1| (|dK| |x| + |dk|)

to first order (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002,
chapter 7), where dK and dk are rounding bounds of the entries, carried through their expressions.
Where a row decouples at a state by symmetry, an algorithm may still leak the rounding of the rest
of the mechanism into it: the bound is no less than the rounding of the largest scaled term among
all rows that some state connects with it. Neither units nor an unconnected part of the model
changes the bounds.

M, h, A and b come from mechanics, not from a form: a form that may be wrong must not decide how
large an error may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import attempt
from mbx.expr.algebra.elimination import NotAffineError
from mbx.numerics.execute.stacked_algebra import EPS, equilibrate
from mbx.verify.agreement.mechanics_terms import balance_of
from mbx.verify.agreement.reference.term_sizes import Sizes, even_out, median, with_rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.analyses.guard import Clock
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.derived_forms import Result

__all__ = ["sizes_of"]

MARGIN: Final = 16.0
"""How many times the bound counts as rounding: it is of first order, and algorithms differ."""
LOST: Final = 1e8
"""Condition number of the scaled K beyond which bounds are useless."""
DEPENDENT: Final = 1e-12
"""Part of the largest singular value of the scaled K below which a direction is dependent."""
SEPARATE: Final = 1e-13
"""Part of the largest entry of the scaled inverse below which two equations are not coupled."""
_SECOND: Final = 2


def sizes_of(
    manifold: Manifold,
    points: Points,
    results: Sequence[Result],
    kinetics: Kinetics | None,
    clock: Clock,
) -> Sizes:
    """Return the sizes at some states, by the middle of what the forms give there.

    The speeds that move one mass element are connected by it; `kinetics` has which these are.
    """
    A = manifold.equations.step("A")
    none = np.zeros(points.u.shape)
    empty = np.zeros((len(points), len(A.entries)))
    terms = _least(results)
    largest = _largest(terms, len(points))
    unknown = Sizes(terms, largest, none, none, none, empty)
    if not results or manifold.system.order > _SECOND or not points.u.size:
        return unknown  # of a higher order, ud are no accelerations
    ud = median(np.stack([r.ud for r in results]))
    forces = [np.abs(r.Fc) for r in results if r.Fc is not None]
    Fc = median(np.stack(forces)) if forces else none

    def work() -> Sizes | None:
        try:
            balance = balance_of(manifold.system)
        except NotAffineError:
            return None
        return _sizes(manifold, points, balance, (ud, Fc), kinetics)

    sizes = attempt(work, clock.left)
    return sizes if isinstance(sizes, Sizes) else unknown


def _sizes(
    manifold: Manifold,
    points: Points,
    balance: Equations,
    middle: tuple[Array, Array],
    kinetics: Kinetics | None,
) -> Sizes:
    ud, Fc = middle
    (M, dM), (h, dh) = _with_rounding(balance, manifold, points, "M", "h")
    (A, dA), (b, db) = _with_rounding(manifold.equations, manifold, points, "A", "b")
    x = np.abs(ud)[:, :, None]
    terms = _finite((np.abs(M) @ x + np.abs(h))[:, :, 0] + Fc)
    n, m = M.shape[1], A.shape[1]
    K = np.block([[M, -_t(A)], [A, np.zeros((len(A), m, m))]])
    k = np.concatenate([h, -b], axis=1)
    sound = np.isfinite(K).all(axis=(1, 2)) & np.isfinite(k).all(axis=(1, 2))
    inverse, regular = _inverse(np.where(sound[:, None, None], K, 0.0))
    lam = np.abs(inverse[:, n:] @ np.where(sound[:, None, None], k, 0.0))
    dM, dh, dA, db = (
        bound + EPS * np.abs(of) for bound, of in ((dM, M), (dh, h), (dA, A), (db, b))
    )
    forces, rows = dM @ x + dh + _t(dA) @ lam, dA @ x + db
    moved = np.abs(inverse[:, :n]) @ np.concatenate([forces, rows], axis=1)
    every = np.concatenate([np.abs(M) @ x + np.abs(h) + np.abs(_t(A)) @ lam, np.abs(A) @ x], axis=1)
    if kinetics is not None:
        every[:, :n, 0] = np.maximum(every[:, :n, 0], kinetics.handled(ud))
    leak, in_rows = _leak(K, inverse, every, _together(kinetics))
    trusted = (sound & regular)[:, None, None]
    # constants, such as the sine of a fixed angle, are doubles in forms: that leaks once
    data = np.where(trusted, MARGIN * moved + leak[:, :n], 0.0)
    bound = np.where(trusted, MARGIN * (moved + leak[:, :n]), 0.0)
    bounds = (
        bound,
        data,
        np.abs(M) @ bound + MARGIN * (forces + in_rows[:, :n]),
        np.abs(A) @ bound + MARGIN * (rows + in_rows[:, n:]),
    )
    # where nothing acts and nothing moves, terms are as large as they would be otherwise
    full = np.abs(M) @ even_out(ud, points)[:, :, None] + np.abs(h)
    largest = np.maximum(_largest(terms, len(points)), _finite(full).max(axis=(1, 2), initial=0.0))
    return Sizes(terms, largest, *(_finite(bound[:, :, 0]) for bound in bounds))


def _with_rounding(
    equations: Equations, manifold: Manifold, points: Points, *names: str
) -> list[tuple[Array, Array]]:
    """Return matrices of a program, and bounds of the rounding of their entries."""
    values = manifold.values.at(equations, points)
    # the oracle reads numbers as they are written, forms read them as doubles
    digits = {symbol: EPS * np.abs(value) for symbol, value in values.items()}
    return with_rounding([equations.step(name) for name in names], values, digits, len(points))


def _inverse(K: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the inverses, and where they can be trusted; on the range of dependent rows."""
    scaled, r, c = equilibrate(K)
    U, s, Vt = np.linalg.svd(scaled)
    kept = s > DEPENDENT * s[:, :1]
    reciprocal = np.where(kept, 1 / np.where(kept, s, 1.0), 0.0)
    inverse = _t(Vt) @ (reciprocal[:, :, None] * _t(U))
    least = SEPARATE * reciprocal.max(axis=1)[:, None, None]
    inverse = np.where(np.abs(inverse) > least, inverse, 0.0)
    return _t(c) * inverse * _t(r), s[:, 0] * reciprocal.max(axis=1) <= LOST


def _together(kinetics: Kinetics | None) -> list[NDArray[np.intp]]:
    """Return the speeds that move each mass element at any state."""
    if kinetics is None:
        return []
    J = np.nan_to_num(kinetics.matrices["J"])
    moves = (J != 0).any(axis=0).reshape(-1, 6, J.shape[2]).any(axis=1)
    return [np.flatnonzero(row) for row in moves]


def _leak(
    K: Array, inverse: Array, terms: Array, together: Sequence[NDArray[np.intp]]
) -> tuple[Array, Array]:
    """Return the rounding of the largest connected term: in unknowns, and in rows."""
    from scipy.sparse import coo_array  # it takes long to load
    from scipy.sparse.csgraph import connected_components

    _, r, c = equilibrate(K)
    pattern = (np.nan_to_num(K) != 0).any(axis=0)
    for group in together:
        pattern[np.ix_(group, group)] = True
    a, b = np.nonzero(pattern)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=pattern.shape)
    label = connected_components(graph, directed=False)[1]
    gain = np.abs(inverse / (_t(c) * _t(r))).max(axis=2, initial=0.0)
    scaled = (r * terms)[:, :, 0]
    unknowns, rows = np.zeros_like(terms), np.zeros_like(terms)
    for k in range(label.max(initial=-1) + 1):
        group = label == k
        size = EPS * _no_less_than_usual(scaled[:, group].max(axis=1))[:, None]
        rows[:, group, 0] = size / r[:, group, 0]
        unknowns[:, group, 0] = gain[:, group].max(axis=1)[:, None] * size * c[:, 0, group]
    return unknowns, rows


def _no_less_than_usual(size: Array) -> Array:
    """Return sizes that are at least their median: where all terms vanish, joints still carry."""
    known = size[np.isfinite(size)]
    return np.maximum(size, np.median(known)) if len(known) else size


def _least(results: Sequence[Result]) -> Array | None:
    """Return the least of the terms that the forms themselves have."""
    terms = [r.terms for r in results if r.terms is not None]
    if not terms:
        return None
    stack = np.stack(terms)
    least = np.where(np.isfinite(stack), stack, np.inf).min(axis=0)
    return _finite(least)


def _largest(terms: Array | None, count: int) -> Array:
    return np.zeros(count) if terms is None else terms.max(axis=1, initial=0.0)


def _t(A: Array) -> Array:
    return np.swapaxes(A, 1, 2)


def _finite(A: Array) -> Array:
    return np.where(np.isfinite(A), A, 0.0)
