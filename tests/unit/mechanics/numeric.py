"""The equations of motion put together in NumPy from the parts of `mbx.mechanics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.algebra.elimination import split
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import Node, symbol
from mbx.mechanics import balance, invariants, loads, motion, reactions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.system.system import System

__all__ = ["Solution", "solve"]

_ROUNDS = 200


@dataclass(frozen=True)
class Solution:
    """Accelerations and multipliers at a state, and the named reactions by their symbols."""

    ud: dict[str, float]
    lam: np.ndarray
    rows: tuple[str, ...]
    reactions: dict[str, float]
    rank: int


def solve(system: System, state: Mapping[str, float], t: float = 0.0) -> Solution:
    """Return what M ud = h + A^T lam and A ud + b = 0 give; reactions in loads by iteration."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    known: dict[Node, float] = {symbol("t"): t}
    for one in (*system.q, *system.u):
        known[one.symbol] = float(state[one.path])
    for given in (*system.parameters, *system.inputs):
        if given.value is not None:
            (known[given.symbol],) = evaluate([given.value], known)

    def at(nodes: list[Node]) -> np.ndarray:
        return np.array([float(x) for x in evaluate(nodes, known)])

    n = len(moving.u)
    J = at([x for row in loads.partial_velocities(moving) for x in row]).reshape(-1, n)
    jb = at(loads.accelerations_without_rates(moving))
    size = 6 * len(moving.elements)
    Mb, gb = np.zeros((size, size)), np.zeros(size)
    for k, body in enumerate(moving.elements):
        block = at([x for row in balance.mass_block(body) for x in row]).reshape(6, 6)
        Mb[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
        force, torque = balance.gyroscopic(body)
        gb[6 * k : 6 * k + 6] = at([*force, *torque])
    A = at([x for row in levels.A for x in row]).reshape(-1, n)
    b = at(levels.b)
    symbols = [s for six in system.joint_reactions.values() for s in six]
    symbols += [row.reaction for row in levels.rows if row.reaction is not None]
    Y = reactions.reaction_map(levels, symbols)
    known |= dict.fromkeys(symbols, 0.0)
    Ymap = at([x for row in Y for x in row]).reshape(len(symbols), len(A))
    Me, he = split(loads.effective(moving), moving.ud)
    Me_ = at([x for row in Me for x in row]).reshape(n, n)
    M = J.T @ Mb @ J - Me_
    K = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    x = np.zeros(n + len(A))
    for _ in range(_ROUNDS):
        Fb = at([c for pair in loads.wrenches(moving) for v in pair for c in v])
        h = J.T @ (Fb - gb - Mb @ jb)
        h += at(loads.generalized(moving)) + at(loads.non_ideal(moving)) + at(he)
        before = x
        x = np.linalg.lstsq(K, np.concatenate([h, -b]), rcond=None)[0]
        known |= dict(zip(symbols, Ymap @ x[n:], strict=True))
        if np.abs(x - before).max(initial=0.0) < 1e-14:
            break
    return Solution(
        {u.path: float(v) for u, v in zip(system.u, x[:n], strict=True)},
        x[n:],
        tuple(row.path for row in levels.rows),
        {s.value: float(known[s]) for s in symbols},
        int(np.linalg.matrix_rank(A)) if A.size else 0,
    )
