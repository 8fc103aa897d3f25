"""Reactions, and loads that name them: iterated to their fixed point.

The reaction of an invariant is its multiplier. That of a joint is what keeps its second side from
a small motion: six columns more, which no unknown belongs to. A load that names
reactions rho gives new reactions F(rho); the state jams where F does not contract (spec 6.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.verify.oracle.gauss_principle import force_of, solve
from mbx.verify.oracle.kinematics.declared_world import PlacingJoint
from mbx.verify.oracle.numbers.many_digit_solve import solved
from mbx.verify.oracle.polish import SingularError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.verify.oracle.gauss_principle import Solution
    from mbx.verify.oracle.instant import Instant
    from mbx.verify.oracle.kinematics.declared_world import Named
    from mbx.verify.oracle.numbers.number_fields import Number
    from mbx.verify.oracle.oracle_balance import Balance

__all__ = ["JammingError", "fixed_point", "multiplier_of", "solve_reactive", "wrench_of"]

ITERATIONS: Final = 60
FAR: Final = 1e8
"""How far from the solution F is looked at, in multiples of it."""
POWERS: Final = 40
"""Steps of the power iteration for the growth of F."""
UNIQUE: Final = 1e-9


class JammingError(ArithmeticError):
    """Loads and the reactions that they name have no single solution."""


def multiplier_of(instant: Instant, solution: Solution, owner: str) -> tuple[Number, ...]:
    """Return the multipliers of an invariant, which must be unique."""
    rows = [i for i, row in enumerate(instant.rows) if row.owner == owner]
    for null in solution.reduced.null:
        size = max(abs(float(v)) for v in null.values())
        if any(abs(float(null.get(i, 0))) > UNIQUE * size for i in rows):
            raise SingularError
    zero = instant.e.m.zero.c[0]
    return tuple(solution.lam.get(i, zero) for i in rows)


def wrench_of(
    instant: Instant, solution: Solution, balance: Balance, joint: str, *, unique: bool = True
) -> tuple[Number, ...]:
    """Return force and torque of a joint on its second side, ground components."""
    first = instant.virtual[joint]
    columns = range(first, first + 6)
    placing = isinstance(instant.world.joints[joint], PlacingJoint)
    zero = instant.e.m.zero.c[0]

    def through_rows(lam: Mapping[int, Number], column: int) -> Number:
        several = [v * instant.A[i][column] for i, v in lam.items() if column in instant.A[i]]
        return sum(several, start=zero)

    if unique:
        for null in solution.reduced.null:
            size = max(abs(float(v)) for v in null.values())
            if any(abs(float(through_rows(null, c))) > UNIQUE * size for c in columns):
                raise SingularError
    if not placing:
        return tuple(through_rows(solution.lam, c) for c in columns)
    return tuple(force_of(balance, solution.x, c) - through_rows(solution.lam, c) for c in columns)


def solve_reactive(instant: Instant, named: Sequence[Named]) -> tuple[Solution, Balance]:
    """Return the solution where loads name reactions."""
    zero = instant.e.m.zero.c[0]
    sizes = {reaction.path: _length(instant, reaction) for reaction in named}

    def packed(values: Sequence[Number]) -> dict[str, tuple[Number, ...]]:
        wrenches, at = {}, 0
        for path, size in sizes.items():
            wrenches[path] = tuple(values[at : at + size])
            at += size
        return wrenches

    def F(values: list[Number]) -> list[Number]:  # noqa: N802  the letter of the map
        balance = instant.balance(packed(values))
        solution = solve(instant.A, instant.b, balance, instant.columns)
        result: list[Number] = []
        for reaction in named:
            owner = reaction.node[0]
            if reaction.kind == "multiplier":
                result += multiplier_of(instant, solution, owner)
            else:
                result += wrench_of(instant, solution, balance, owner)
        return [instant.e.m.field.exact(v) for v in result]

    rho = fixed_point(F, [zero] * sum(sizes.values()), instant.e.m.field.digits)
    balance = instant.balance(packed(rho))
    return solve(instant.A, instant.b, balance, instant.columns), balance


def _length(instant: Instant, named: Named) -> int:
    if named.kind == "wrench":
        return 6
    return sum(row.owner == named.node[0] for row in instant.rows)


def fixed_point(
    F: Callable[[list[Number]], list[Number]], start: list[Number], digits: int
) -> list[Number]:
    """Return rho = F(rho) by Newton's method, or refuse where F does not contract."""
    rho = F(start)
    step = 10 ** -(digits // 2)
    for _ in range(ITERATIONS):
        value = F(rho)
        gap = [a - b for a, b in zip(rho, value, strict=True)]
        scale = max(1.0, *(abs(float(v)) for v in value))
        small = max((abs(float(v)) for v in gap), default=0.0) <= scale * 10.0 ** -(digits + 2)
        slopes = _slopes(F, rho, value, scale * step)
        if small:
            break
        matrix = [
            {j: (1 if i == j else 0) - slopes[j][i] for j in range(len(rho))}
            for i in range(len(rho))
        ]
        change = solved(matrix, gap, range(len(rho)))
        if change is None:
            raise JammingError
        rho = [v - change[i] for i, v in enumerate(rho)]
    else:
        raise JammingError
    columns = [[float(v) for v in column] for column in slopes]
    if _radius(columns) >= 1 or _growth(F, value) >= 1:
        raise JammingError
    return value


def _slopes(
    F: Callable[[list[Number]], list[Number]], rho: list[Number], value: list[Number], h: float
) -> list[list[Number]]:
    """Return the derivative of F, by columns."""
    columns = []
    for j in range(len(rho)):
        moved = F([v + h if i == j else v for i, v in enumerate(rho)])
        columns.append([(a - b) / h for a, b in zip(moved, value, strict=True)])
    return columns


def _radius(columns: list[list[float]]) -> float:
    """Return the largest magnitude of an eigenvalue."""
    import numpy as np  # only where loads name reactions

    matrix = np.array(columns, dtype=float)
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))


def _growth(F: Callable[[list[Number]], list[Number]], rho: list[Number]) -> float:
    """Return by what factor F grows far from its solution, in the direction that grows most."""
    still = F([0 * v for v in rho])
    size = max((abs(float(v)) for v in rho), default=0.0)
    if size == 0:
        return 0.0
    ray, factors = [v / size for v in rho], []
    for _ in range(POWERS):
        far = F([v * (FAR * size) for v in ray])
        ray = [(a - b) / (FAR * size) for a, b in zip(far, still, strict=True)]
        largest = max(abs(float(v)) for v in ray)
        factors.append(largest)
        if largest < UNIQUE:
            return 0.0
        ray = [v / largest for v in ray]
    tail = factors[POWERS // 2 :]
    product = 1.0
    for factor in tail:
        product *= factor
    return float(product ** (1 / len(tail)))
