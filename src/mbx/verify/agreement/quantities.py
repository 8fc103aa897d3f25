"""What is compared next to accelerations and constraint forces: bodies, reactions, power.

Accelerations of bodies and reactions are differences of results, which grow with condition
numbers: they are forward errors. Each row is relative to the sum of the magnitudes of its terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.newton import row_sizes
from mbx.numerics.tolerances import ENTRY
from mbx.verify.agreement.mutual_residuals import Errors, full_size, worst_rows
from mbx.verify.agreement.reference.term_sizes import even_out, median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.agreement.reference.term_sizes import Sizes
    from mbx.verify.derived_forms import Result

__all__ = ["body_errors", "level_errors", "power_errors", "reaction_errors", "unique_multipliers"]

_THREE: Final = 3


def body_errors(
    kinetics: Kinetics, points: Points, results: Sequence[Result], sizes: Sizes
) -> Errors:
    """Return differences of the accelerations of bodies between all forms, (F F) by N."""
    accelerations = [kinetics.accelerations(r.ud) for r in results]
    values = np.stack([value for value, _ in accelerations])
    size = median(np.stack([size for _, size in accelerations]))
    even = median(np.stack([even_out(r.ud, points) for r in results]))
    full = full_size(kinetics.accelerations(even)[1])
    bound = kinetics.moved(sizes.ud, median(np.stack([r.ud for r in results])))
    return _pairwise(values, size, full, bound, kinetics.labels)


def reaction_errors(
    paths: Sequence[str], results: Sequence[Result], kinetics: Kinetics, unique: NDArray[np.bool_]
) -> Errors:
    """Return differences of reactions between all forms, (F F) by N, where these are unique.

    What a form leaves open is not compared. Forces and torques are relative to all those on the
    bodies that are connected with the joint.
    """
    N = len(unique)
    rows = [np.full((N, 6 * len(paths)), np.nan) for _ in results]
    for row, result in zip(rows, results, strict=True):
        for k, path in enumerate(paths):
            reaction = result.reactions.get(path)
            if reaction is not None and reaction.shape[1] == 2 * _THREE:
                row[:, 6 * k : 6 * k + 6] = np.where(unique[:, None], reaction, np.nan)
    values = np.stack(rows)
    ud = median(np.stack([r.ud for r in results]))
    size = np.concatenate(
        [np.stack(kinetics.loads(ud, path), axis=1).repeat(_THREE, axis=1) for path in paths],
        axis=1,
    )
    known = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=0, initial=0.0)
    size = np.maximum(size, known)
    labels = [f"{path}.{what}.{c}" for path in paths for what in ("force", "torque") for c in "xyz"]
    return _pairwise(values, size, full_size(size), np.zeros(size.shape), tuple(labels))


def _pairwise(
    values: Array, size: Array, full: Array, bound: Array, labels: tuple[str, ...]
) -> Errors:
    """Return the worst rows of the differences of every two forms.

    Entries that either form does not give are left out; where none is left, there is no error.
    These are forward errors, of accelerations that solve the equations: what rounding explains is
    no difference.
    """
    F, N, rows = values.shape
    r = np.abs(values[:, None] - values[None]).reshape(F * F, N, rows)
    known = np.isfinite(r)
    return worst_rows(
        np.where(known, r, 0.0),
        np.broadcast_to(np.where(np.isfinite(size), size, 0.0), r.shape),
        full,
        bound,
        np.asarray(known.any(axis=2)),
        labels,
        empty=np.inf,
    )


def power_errors(
    kinetics: Kinetics, points: Points, results: Sequence[Result], sizes: Sizes
) -> Errors:
    """Return what each form leaves of the balance of power, F by N."""
    balances = [
        kinetics.power(r.ud, np.full_like(r.ud, np.nan) if r.Fc is None else r.Fc) for r in results
    ]
    gap = np.stack([gap for gap, _ in balances])[:, :, None]
    size = np.stack([size for _, size in balances])[:, :, None]
    even = median(np.stack([even_out(r.ud, points) for r in results]))
    full = full_size(kinetics.power(even, np.zeros_like(even))[1][:, None])
    full = np.maximum(full, median(size))
    bound = kinetics.power_moved(sizes.ud, sizes.Fc)[:, None]
    regular = np.isfinite(gap[:, :, 0]) & np.stack([r.status == REGULAR for r in results])
    return worst_rows(gap, size, full, bound, regular, ("power",))


def unique_multipliers(manifold: Manifold, points: Points) -> NDArray[np.bool_]:
    """Return where no invariant depends on the others, so that all reactions are unique."""
    ranks = manifold.ranks(points)
    (A,) = manifold.at(points, "A")
    return np.asarray(ranks == A.shape[1])


def level_errors(manifold: Manifold, points: Points) -> dict[str, Errors]:
    """Return what is left of the invariants at positions and velocities, 1 by N."""
    errors = {}
    variables = {"positions": points.q, "velocities": points.u}
    for (level, x), (c, J) in zip(variables.items(), (("c", "Cq"), ("v", "Vu")), strict=True):
        value, slope = manifold.at(points, c, J)
        r = np.abs(value[:, :, 0])
        # a row that cancels by itself is as large as the terms that its rounding comes from
        (noise,) = manifold.noise(points, c)
        size = np.maximum(row_sizes(slope, x), noise[:, :, 0] / ENTRY)
        if r.shape[1]:
            full = full_size(size)
            regular = np.asarray(np.isfinite(r).all(axis=1))[None]
            errors[level] = worst_rows(r[None], size[None], full, np.zeros(full.shape), regular, ())
    return errors
