"""What is compared beside accelerations and constraint forces: bodies, reactions, power.

Accelerations of bodies and reactions are differences of results, which grow with condition
numbers: they are forward errors. Each row is relative to the sum of the magnitudes of its terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.assembly.manifold import row_sizes
from mbx.formalism.execute import REGULAR
from mbx.verify.agree import Errors, even_out, full_size, median, worst_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.assembly.manifold import Manifold, Points
    from mbx.formalism.numerics import Array
    from mbx.verify.forms import Result
    from mbx.verify.kinetics import Kinetics

__all__ = ["body_errors", "level_errors", "power_errors", "reaction_errors", "unique_multipliers"]

_THREE: Final = 3


def body_errors(kinetics: Kinetics, points: Points, results: Sequence[Result]) -> Errors:
    """Return differences of the accelerations of bodies between all forms, (F F) by N."""
    found = [kinetics.accelerations(r.ud) for r in results]
    values = np.stack([value for value, _ in found])
    size = median(np.stack([size for _, size in found]))
    even = median(np.stack([even_out(r.ud, points) for r in results]))
    return _pairwise(values, size, full_size(kinetics.accelerations(even)[1]), kinetics.labels)


def reaction_errors(
    paths: Sequence[str], results: Sequence[Result], kinetics: Kinetics, unique: NDArray[np.bool_]
) -> Errors:
    """Return differences of reactions between all forms, (F F) by N, where these are unique.

    What a form leaves open is not compared. Forces are relative to all forces on the bodies and
    to all torques at the largest distance of the model, torques to these and to such forces.
    """
    N = len(unique)
    rows = [np.full((N, 6 * len(paths)), np.nan) for _ in results]
    for row, result in zip(rows, results, strict=True):
        for k, path in enumerate(paths):
            found = result.reactions.get(path)
            if found is not None and found.shape[1] == 2 * _THREE:
                row[:, 6 * k : 6 * k + 6] = np.where(unique[:, None], found, np.nan)
    values = np.stack(rows)
    ud = median(np.stack([r.ud for r in results]))
    force, torque = kinetics.loads(ud)
    known = np.where(np.isfinite(values), np.abs(values), 0.0).reshape(len(results), N, -1, 6)
    force = np.maximum(force, known[..., :_THREE].max(axis=(0, 2, 3), initial=0.0))
    torque = np.maximum(torque, known[..., _THREE:].max(axis=(0, 2, 3), initial=0.0))
    reach = kinetics.reach
    one = np.stack([force + torque / reach, torque + force * reach], axis=1).repeat(_THREE, axis=1)
    labels = [f"{path}.{what}.{c}" for path in paths for what in ("force", "torque") for c in "xyz"]
    size = np.tile(one, (1, len(paths)))
    return _pairwise(values, size, full_size(size), tuple(labels))


def _pairwise(values: Array, size: Array, full: Array, labels: tuple[str, ...]) -> Errors:
    """Return the worst rows of the differences of every two forms.

    Entries that one of them does not give are left out; where none is left, there is no error.
    """
    F, N, rows = values.shape
    r = np.abs(values[:, None] - values[None]).reshape(F * F, N, rows)
    known = np.isfinite(r)
    return worst_rows(
        np.where(known, r, 0.0),
        np.broadcast_to(np.where(np.isfinite(size), size, 0.0), r.shape),
        full,
        np.zeros(full.shape),
        np.asarray(known.any(axis=2)),
        labels,
    )


def power_errors(kinetics: Kinetics, points: Points, results: Sequence[Result]) -> Errors:
    """Return what each form leaves of the balance of power, F by N."""
    found = [
        kinetics.power(r.ud, np.full_like(r.ud, np.nan) if r.Fc is None else r.Fc) for r in results
    ]
    gap = np.stack([gap for gap, _ in found])[:, :, None]
    size = np.stack([size for _, size in found])[:, :, None]
    even = median(np.stack([even_out(r.ud, points) for r in results]))
    full = full_size(kinetics.power(even, np.zeros_like(even))[1][:, None])
    full = np.maximum(full, median(size))
    regular = np.isfinite(gap[:, :, 0]) & np.stack([r.status == REGULAR for r in results])
    return worst_rows(gap, size, full, np.zeros(full.shape), regular, ("power",))


def unique_multipliers(manifold: Manifold, points: Points) -> NDArray[np.bool_]:
    """Return where no invariant depends on the others, so that all reactions are unique."""
    ranks = manifold.ranks(points)
    (A,) = manifold.at(points, "A")
    return np.asarray(ranks == A.shape[1])


def level_errors(manifold: Manifold, points: Points) -> dict[str, Errors]:
    """Return what is left of the invariants at positions and velocities, 1 by N."""
    found = {}
    variables = {"positions": points.q, "velocities": points.u}
    for (level, x), (c, J) in zip(variables.items(), (("c", "Cq"), ("v", "Vu")), strict=True):
        value, slope = manifold.at(points, c, J)
        r = np.abs(value[:, :, 0])
        size = row_sizes(slope, x)
        if r.shape[1]:
            full = full_size(size)
            regular = np.asarray(np.isfinite(r).all(axis=1))[None]
            found[level] = worst_rows(r[None], size[None], full, np.zeros(full.shape), regular, ())
    return found
