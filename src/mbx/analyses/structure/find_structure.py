"""The structure of a system, evaluated at random consistent states and at named ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.structure.independent import judged, suggested
from mbx.analyses.structure.integrability import integrability
from mbx.analyses.structure.rank_survey import groups, left_null, ranks, scales, touched
from mbx.analyses.structure.reaction_uniqueness import reactions_of
from mbx.analyses.structure.recursive_rates import recursive_rates
from mbx.analyses.structure.singular_states import met, search
from mbx.analyses.structure.structure_matrices import matrices_of, skeleton_of
from mbx.analyses.structure.structure_report import Accelerations, Dependent, Freedoms, Structure
from mbx.analyses.structure.structure_warnings import warnings_of
from mbx.formalism import registry
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values, special

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.analyses.structure.structure_matrices import Matrices, Skeleton
    from mbx.numerics.states.sample import Sample
    from mbx.system.system import Row, System

__all__ = ["find_structure"]

STATES: Final = 16
SECONDS: Final = 20.0
"""How long the search for singular states may take; small models need far less."""
_SECOND: Final = 2


def find_structure(system: System, seed: int = 1) -> Structure:
    """Return the structure of a system."""
    rng = np.random.default_rng(seed)
    manifold = Manifold(system, draw_values(system, rng))
    sample = special(manifold, rng).and_then(draw(manifold, rng, STATES))
    skeleton = skeleton_of(system)
    matrices = matrices_of(skeleton, manifold.values, sample.points)
    rank = ranks(matrices.A)
    full = rank.full & matrices.sound
    paths = [row.path for row in skeleton.rows]
    free = left_null(matrices.A, rank, full)
    singular = met(sample, matrices.A, rank, paths, system.q) if full.any() else []
    searched = 0
    random = full & np.array([n.startswith("random") for n in sample.names], dtype=bool)
    generic = sample.points.some(random if random.any() else full)
    if rank.generic and system.order == _SECOND and system.q and len(generic):
        more, searched = search(manifold, generic, rank.generic, singular, SECONDS)
        singular += more
    names = [s.path for s in skeleton.motion.speeds]
    r, c = scales(matrices.A)
    A = r * matrices.A[full] * c
    declared = skeleton.motion.independent
    idle = [row.path for row in skeleton.idle]
    result = Structure(
        model=system.name,
        coordinates=len(system.q),
        speeds=len(system.u),
        bodies=len(system.elements),
        joints=len({*skeleton.holders, *skeleton.joints}),
        rows=_by_order(skeleton.rows),
        idle=tuple(idle),
        constraint_order=max((_affine_at(row) for row in skeleton.rows), default=0),
        freedoms=_freedoms(system, manifold, sample, skeleton, matrices, full)
        if full.any()
        else None,
        rank=rank.generic if full.any() else None,
        gap=float(rank.gap[full].min(initial=np.inf)),
        near_singular=_names_at(sample, rank.near & rank.full),
        states=sample.names,
        refused=sample.refused,
        redundant=tuple(
            Dependent(tuple(paths[k] for k in rows), tuple(paths[k] for k in out))
            for rows, out in groups(free, len(paths))
        ),
        multipliers=(
            *(p for p, is_open in zip(paths, touched(free, len(paths)), strict=True) if is_open),
            *idle,
        ),
        reactions=tuple(reactions_of(skeleton, matrices, full, free)),
        accelerations=_accelerations(skeleton, matrices, sample, full) if full.any() else None,
        integrability=integrability(system, manifold, generic),
        recursive=recursive_rates(system),
        singular=tuple(singular),
        searched=searched,
        independent=suggested(A, rank.generic, names, declared) if len(A) else None,
        declared=judged(A, rank.generic, names, declared) if declared and len(A) else None,
        features={f.name.lower(): tuple(e) for f, e in system.features.items()},
        forms={
            form.name: tuple(x.sentence for x in registry.refusals(system, form.name))
            for form in registry.survey()[0]
        },
    )
    return warnings_of(system, skeleton, result)


def _by_order(rows: tuple[Row, ...]) -> dict[int, int]:
    orders = [row.order for row in rows]
    return {order: orders.count(order) for order in sorted(set(orders))}


def _affine_at(row: Row) -> int:
    """Return the order at which a row is affine in its highest rates (Orsino, section 2.3)."""
    return max(1, row.order + (not row.affine))


def _names_at(sample: Sample, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, is_in in zip(sample.names, chosen, strict=True) if is_in)


def _freedoms(
    system: System,
    manifold: Manifold,
    sample: Sample,
    skeleton: Skeleton,
    matrices: Matrices,
    full: NDArray[np.bool_],
) -> Freedoms:
    low = [row.order <= 1 for row in skeleton.rows]
    (Cq,) = manifold.at(sample.points.some(full), "Cq")
    n = len(system.u)
    A = matrices.A[full]
    return Freedoms(
        position=len(system.q) - ranks(Cq).generic,
        velocity=n - ranks(A[:, low]).generic,
        acceleration=n - ranks(A).generic,
        counted=n - len(skeleton.rows) - len(skeleton.idle),
    )


def _accelerations(
    skeleton: Skeleton, matrices: Matrices, sample: Sample, full: NDArray[np.bool_]
) -> Accelerations:
    """Return whether ker M and ker A have nothing in common, and what they share if not."""
    stacked = np.concatenate([matrices.M, matrices.A], axis=1)
    rank = ranks(stacked)
    n = stacked.shape[2]
    bad = full & (rank.each < n)
    loose = touched(left_null(np.swapaxes(stacked, 1, 2), rank, bad), n)
    return Accelerations(
        not bad.any(),
        tuple(s.path for s, is_in in zip(skeleton.motion.speeds, loose, strict=True) if is_in),
        _names_at(sample, bad),
    )
