"""A state brought onto the oracle's equations, to full precision, by steps of least length.

States come as rounded numbers. Coordinates and speeds are changed as little as possible; rates
that were not stated follow from the equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
from mbx.verify.oracle.numbers.many_digit_solve import RANK, reduced, solved
from mbx.verify.oracle.oracle_rows import linear_definitions, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.oracle.kinematics.declared_world import World
    from mbx.verify.oracle.numbers.jet_scalars import Arithmetic
    from mbx.verify.oracle.numbers.number_fields import Number
    from mbx.verify.oracle.oracle_rows import Row
    from mbx.verify.oracle.oracle_state import Outside, State

__all__ = ["Residuals", "SingularError", "least_step", "polish"]

STEPS: Final = 12
SMALL: Final = 1e-2
"""Magnitude, in SI units, that the largest variable has at least."""
_SECOND: Final = 2
LEAST: Final = 1e-6
"""Part of the largest row that every row counts as."""
OF_JOINT: Final = 1e-2
"""Part of the largest row of its joint that every row counts as."""

Residuals = dict[str, list["Number"]]


class SingularError(ArithmeticError):
    """Something that should be unique is not."""


def least_step(
    A: Sequence[Mapping[int, Number]], b: Sequence[Number], columns: Sequence[int]
) -> tuple[dict[int, Number], int]:
    """Return the shortest x with A x + b = 0 in its independent rows, and how many these are."""
    reduction = reduced(A, b, columns)
    chosen = [i for i, _ in reduction.pivots]
    wanted = set(columns)
    rows_ = {i: {j: v for j, v in A[i].items() if j in wanted} for i in chosen}
    square = [
        {
            k: sum((v * rows_[k][j] for j, v in rows_[i].items() if j in rows_[k]), start=0 * b[i])
            for k in chosen
        }
        for i in chosen
    ]
    # the product has the square of the condition, and more digits than that
    y = solved(square, [-b[i] for i in chosen], chosen, RANK**2)
    if y is None:
        raise SingularError
    x: dict[int, Number] = {}
    for i in chosen:
        for j, v in rows_[i].items():
            x[j] = x[j] + v * y[i] if j in x else v * y[i]
    return x, reduction.rank


def polish(world: World, m: Arithmetic, state: State, outside: Outside, noted: Residuals) -> None:
    """Bring positions and velocities of a state onto the equations, and note what was missing.

    The residual of every row at both levels is relative to the magnitude of its terms, as it
    was before.
    """
    for level in (0, 1):
        missing = state.missing(world, level)
        if missing:
            _fill(world, m, state, outside, missing)
        columns = [variable.column for variable in world.variables if variable.order <= level]
        worst = None
        for step_number in range(STEPS):
            here = _rows_at(world, m, state, outside, level)
            relative = _relative(here, state.rates[level])
            if step_number == 0:
                for (row, _), residual in zip(here, relative, strict=True):
                    noted.setdefault(row.label, []).append(residual)
            size = max(map(float, relative), default=0.0)
            if size <= 10.0 ** -(m.field.digits + 5) or (worst is not None and size >= worst):
                break
            worst = size
            A = [row.value.g for row, _ in here]
            step, _ = least_step(A, [c for _, c in here], columns)
            for column, change in step.items():
                value = state.rates[level][column] + change
                state.rates[level][column] = m.field.exact(value)


def _rows_at(
    world: World, m: Arithmetic, state: State, outside: Outside, level: int
) -> list[tuple[Row, Number]]:
    """Return the rows that bind the rates of an order, with their values at its level."""
    e = Evaluator(world, state.motion(m, level + 1, outside))
    binding = []
    for row in rows(e, lower=True):
        k = level - row.order(level + 1)
        if k >= 0:
            c = row.value.c
            binding.append((row, m.field.exact(c[k]) if k < len(c) else m.zero.c[0]))
    return binding


def _fill(world: World, m: Arithmetic, state: State, outside: Outside, missing: list[int]) -> None:
    """Find the rates that were not stated, with all others fixed.

    They follow from what is linear in rates: of an invariant that is not, another root may lie
    as near.
    """
    linear = linear_definitions(Evaluator(world, state.motion(m, 1, outside)))
    for _ in range(3):
        here = [
            (row, c)
            for row, c in _rows_at(world, m, state, outside, 1)
            if row.owner in linear or row.order(_SECOND) == 0
        ]
        reduction = reduced([row.value.g for row, _ in here], [c for _, c in here], missing)
        if reduction.free:
            raise SingularError
        for column, change in reduction.offset.items():
            state.rates[1][column] = m.field.exact(state.rates[1][column] + change)


def _relative(here: Sequence[tuple[Row, Number]], known: Mapping[int, Number]) -> list[Number]:
    """Return the values of rows, relative to what their terms may be.

    Every variable counts as the largest: terms that cancel before they are seen leave the
    rounding of what they were. A row counts as a part of the largest, at least, and as a larger
    part of the largest of its joint: across the plane of a loop a joint may hold by itself.
    """
    least = max((abs(float(v)) for v in known.values()), default=0.0)
    least = max(least, SMALL)
    sizes = [
        abs(float(c))
        + sum(
            abs(float(slope)) * max(abs(float(known[column])), least)
            for column, slope in row.value.g.items()
            if column in known
        )
        for row, c in here
    ]
    floor = LEAST * max(sizes, default=0.0)
    of_owner: dict[str, float] = {}
    for (row, _), size in zip(here, sizes, strict=True):
        of_owner[row.owner] = max(of_owner.get(row.owner, 0.0), OF_JOINT * size)
    return [
        abs(c) / max(size, floor, of_owner[row.owner]) if size > 0 else c
        for (row, c), size in zip(here, sizes, strict=True)
    ]
