"""Invariants of order 3 and up: programmes, whose state holds accelerations and beyond.

With s for the highest order of an invariant, the unknown is the rate of order s - 1 of the
speeds; all invariants are lifted to order s, and those of their rates that are below it are
invariants of the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import dot, neg, sub
from mbx.expr.nodes import ONE, ZERO
from mbx.system.find_features import Feature
from mbx.system.kinematics.solve_rates import independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Row, System

__all__ = [
    "Lifted",
    "complement",
    "differentiate",
    "higher_rates",
    "lift",
    "projector",
    "refuse_reactions",
]

_SECOND: Final = 2


@dataclass(frozen=True, slots=True)
class Lifted:
    """All invariants at order s: A x + b = 0 with the unknown x.

    Attributes:
        rows: What they are.
        unknown: Rates of order s - 1 of the speeds.
        A: d inv[s] / d x.
        b: The rest.
        state: Rates of the invariants that hold of the state: those that name accelerations.
    """

    rows: tuple[Row, ...]
    unknown: tuple[Node, ...]
    A: list[list[Node]]
    b: list[Node]
    state: tuple[Node, ...]


def higher_rates(motion: Motion, order: int) -> tuple[Node, ...]:
    """Return the rates of the speeds of some order; of order 0, the speeds."""
    rates = motion.u
    for _ in range(order):
        rates = tuple(motion.system.rates.direction[x] for x in rates)
    return rates


def lift(motion: Motion) -> Lifted:
    """Return the invariants of a motion, lifted to the highest order among them."""
    system = motion.system
    s = system.order
    top: list[Node] = []
    state: list[Node] = []
    for row in system.rows:
        (value,) = motion.express([row.value])
        for order in range(row.order, s):
            if order >= _SECOND:  # below it are position and velocity
                state.append(value)
            (value,) = motion.rate([value])
        top.append(value)
    unknown = higher_rates(motion, s - 1)
    A, b = split(top, unknown)
    return Lifted(system.rows, unknown, A, b, tuple(state))


def differentiate(
    motion: Motion, lifted: Lifted, rows: list[Node]
) -> tuple[list[list[Node]], list[Node], list[Node]]:
    """Return dynamic rows, which are zero at every instant, differentiated s - 2 times.

    K x = k is their condition on the unknown; the last part is their condition on the state.
    """
    state = [*lifted.state]
    for _ in range(motion.system.order - _SECOND):
        state += rows
        rows = motion.rate(rows)
    K, rest = split(rows, lifted.unknown)
    return K, [neg(x) for x in rest], state


def refuse_reactions(system: System) -> None:
    """Refuse loads that name reactions: their rates would be part of the unknowns."""
    named = system.features.get(Feature.REACTION_IN_LOAD)
    if named:
        raise NotApplicableError(
            f"a load that names a reaction ({', '.join(named)}) beside an invariant of order 3"
        )


def projector(A: list[list[Node]]) -> list[list[Node]]:
    """Return 1 - A^P A with A^P = A^T (A A^T)^-1, in symbols; the rows are independent."""
    n = len(A[0])
    G = [[dot(row, other) for other in A] for row in A]
    X = solve_cramer(G, A)  # (A A^T)^-1 A
    return [
        [
            sub(ONE if i == j else ZERO, dot([row[i] for row in A], [row[j] for row in X]))
            for j in range(n)
        ]
        for i in range(n)
    ]


def complement(A: list[list[Node]], n: int, dependent: Sequence[int] = ()) -> list[list[Node]]:
    """Return S with A S = 0: unit rows for independent variables, -A_*^-1 A_# (Orsino (2.29)).

    Columns that are proposed as `dependent` are the first to be so.
    """
    order = [*dependent, *(k for k in range(n) if k not in dependent)]
    chosen, pivots = independent([[row[k] for k in order] for row in A])
    star = [order[k] for k in pivots]
    sharp = [k for k in range(n) if k not in star]
    S = [[ONE if k == j else ZERO for j in sharp] for k in range(n)]
    if star:
        block = [[A[i][j] for j in star] for i in chosen]
        right = [[neg(A[i][j]) for j in sharp] for i in chosen]
        for k, row in zip(star, solve_cramer(block, right), strict=True):
            S[k] = list(row)
    return S
