"""Which reactions are unique: those that no change of the multipliers within null(A^T) moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism.builder import Program
from mbx.mechanics import invariants, motion
from mbx.mechanics.reactions import reaction_map
from mbx.numerics.states.manifold import Points, Values
from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.observe import Place
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["open_components", "unique_reactions"]

MOVED: Final = 1e-8
"""Part of a unit multiplier by which a reaction that is not unique moves at least."""


def unique_reactions(
    plan: Plan, samples: Sequence[Place], named: Mapping[str, Node]
) -> tuple[dict[str, Node], tuple[str, ...]]:
    """Return the reactions that are unique at all samples, and the names of the others."""
    system = plan.system
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    known = {row.reaction for row in levels.rows} | {
        symbol
        for path, six in system.joint_reactions.items()
        if any(row.joint == path for row in levels.rows)
        for symbol in six
    }
    requested = {name: node for name, node in named.items() if node in known}
    Y = [moving.express(row) for row in reaction_map(levels, list(requested.values()))]
    mask = open_components(system, levels.A, Y, samples)
    idle = {
        symbol
        for row in system.idle
        if row.joint is not None and row.joint in system.joint_reactions and row.wrench is not None
        for symbol, x in zip(
            system.joint_reactions[row.joint], (*row.wrench[0], *row.wrench[1]), strict=True
        )
        if x.op != "number" or x.value
    }
    bad = {name for name, is_open in zip(requested, mask, strict=True) if is_open}
    bad |= {name for name, node in named.items() if node in idle}
    good = {name: node for name, node in named.items() if name not in bad}
    return good, tuple(name for name in named if name in bad)


def open_components(
    system: System,
    A: Sequence[Sequence[Node]],
    Y: Sequence[Sequence[Node]],
    samples: Sequence[Place],
) -> Array:
    """Return which rows of Y lam are open at some sample, with A^T lam what is known of lam."""
    program = Program()
    program.define("A", A, columns=[v.path for v in system.u])
    equations = program.equations(system, "", "", "", {})
    t = np.array([sample.t for sample in samples])
    q, u = (
        np.array([[sample.state[v.path] for v in variables] for sample in samples]).reshape(
            len(t), len(variables)
        )
        for variables in (system.q, system.u)
    )
    first = samples[0]
    values = Values(first.parameters, first.inputs).at(equations, Points(t, q, u), {})
    rows, columns = len(A), len(system.u)
    matrix, map_ = (
        np.stack(
            [
                np.broadcast_to(np.asarray(x, dtype=float), len(t))
                for x in evaluate_arrays([x for row in table for x in row], values)
            ],
            axis=1,
        ).reshape(len(t), height, width)
        if height and width
        else np.zeros((len(t), height, width))
        for table, height, width in ((A, rows, columns), (Y, len(Y), rows))
    )
    flags = np.zeros(len(Y), dtype=bool)
    if not rows or not len(Y):
        return flags
    size = np.abs(matrix).max(axis=(0, 2), keepdims=True)[0]
    size = np.where(size > 0, size, 1.0)
    U, s, _ = np.linalg.svd(matrix / size)
    for k in range(len(t)):
        r = int((s[k] > DEPENDENT * s[k].max(initial=0.0)).sum())
        null = U[k][:, r:] / size
        flags |= np.abs(map_[k] @ null).max(axis=1, initial=0.0) > MOVED * np.abs(null).max(
            initial=1e-300
        )
    return flags
