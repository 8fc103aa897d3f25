"""Programmes: invariants of order s of 3 or more.

The state goes up to the rates of order s - 1, and those of order s are unknown. That constraints
are ideal means G = A^T lam at every instant, with A the gradient of every invariant with respect
to its own highest rates. This is differentiated s - 2 times,

    M x + k_j = sum over i of binomial(j, i) A^(j-i)T lam_i,   j = 0 .. s - 2,

and holds of the state for j < s - 2. Where an invariant is not affine in its highest rates, those
of order s - 1, A depends on these, and M is less the second derivatives of lam_(s-3) . inv with
respect to them. Derivatives along the motion are central differences in so
many digits that nothing is lost by them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from mbx.verify.oracle.gauss_principle import allowed, multipliers, solve
from mbx.verify.oracle.instant import Instant
from mbx.verify.oracle.numbers.many_digit_solve import reduced
from mbx.verify.oracle.oracle_balance import Balance
from mbx.verify.oracle.polish import SingularError, least_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.verify.oracle.gauss_principle import Solution
    from mbx.verify.oracle.kinematics.declared_world import World
    from mbx.verify.oracle.numbers.jet_scalars import Arithmetic
    from mbx.verify.oracle.numbers.number_fields import Number
    from mbx.verify.oracle.oracle_state import Outside, State

__all__ = ["digits_for", "solve_programme"]


def digits_for(digits: int, order: int) -> int:
    """Return the digits to work in where differences of order s - 2 are taken."""
    return digits * order if order > 2 else digits  # noqa: PLR2004  no differences are needed


@dataclass(eq=False)
class _Path:
    """The motion near a state."""

    world: World
    m: Arithmetic
    order: int
    state: State
    outside: Outside
    step: Number

    def at(self, h: Number) -> Instant:
        """Return the equations a time h later."""
        motion = self.state.later(h).motion(self.m, self.order, self.outside.later(h))
        return Instant(self.world, motion, {})

    def derivative(
        self, what: Callable[[Instant], Mapping[int, Number]], times: int
    ) -> dict[int, Number]:
        """Return a derivative with respect to time, by central differences."""
        total: dict[int, Number] = {}
        for i in range(times + 1):
            h = self.step * (times - 2 * i) / 2
            weight = (-1) ** i * comb(times, i)
            for column, value in what(self.at(h)).items():
                part = value * weight
                total[column] = total[column] + part if column in total else part
        return {column: value / self.step**times for column, value in total.items()}


def solve_programme(
    world: World, m: Arithmetic, order: int, state: State, outside: Outside, digits: int
) -> tuple[Solution, Balance, Instant]:
    """Bring the higher rates of a state onto the equations, and return the highest rates."""
    path = _Path(world, m, order, state, outside, m.field.number(10) ** -digits)
    columns = [variable.column for variable in world.variables]
    known: list[dict[int, Number]] = []
    for level in range(2, order + 1):
        missing = state.missing(world, level) if level < order else []
        for free in (missing, columns) if missing else (columns,):
            instant = path.at(m.zero.c[0])
            balance = _differentiated(path, instant, known, level - 2)
            rows = [i for i, row in enumerate(instant.rows) if row.order(order) <= level]
            A = [instant.A[i] for i in rows]
            b = [instant.level(instant.rows[i], level) for i in rows]
            if level == order:
                return solve(instant.A, instant.b, balance, columns), balance, instant
            step = _onto(instant, balance, A, b, free)
            if free is missing and len(step) < len(missing):
                raise SingularError
            for column, change in step.items():
                state.rates[level][column] = m.field.exact(state.rates[level][column] + change)
        instant = path.at(m.zero.c[0])
        balance = _differentiated(path, instant, known, level - 2)
        reduction = reduced(instant.A, instant.b, columns)
        known.append(multipliers(instant.A, balance, {}, reduction))
    raise SingularError


def _differentiated(
    path: _Path, instant: Instant, known: list[dict[int, Number]], times: int
) -> Balance:
    """Return the balance differentiated, with multipliers that are known on the other side."""
    k = path.derivative(lambda there: there.balance().k, times)
    for i, lam in enumerate(known):
        for row, value in lam.items():
            slope = path.derivative(lambda there, row=row: there.A[row], times - i)  # type: ignore[misc]
            for column, part in slope.items():
                change = comb(times, i) * part * value
                k[column] = k[column] - change if column in k else -change
    now = instant.balance()
    bent = _bent(path, instant, known, times)
    M = bent if bent is not None else now.M
    return Balance(now.top, M, k, {column: abs(value) for column, value in k.items()})


def _bent(
    path: _Path, instant: Instant, known: list[dict[int, Number]], times: int
) -> dict[int, dict[int, Number]] | None:
    """Return M where A depends on the highest rates of the state; None where it does not."""
    curved = [i for i, row in enumerate(instant.rows) if row.order(path.order) == path.order - 1]
    first = path.order - 3
    if not curved or len(known) <= first:
        return None
    factor = comb(times, first)
    M = {i: dict(row) for i, row in instant.balance().M.items()}
    rates = path.state.rates[path.order - 1]
    for column in list(rates):
        here = rates[column]
        rates[column] = here + path.step
        more = path.at(path.m.zero.c[0]).A
        rates[column] = here - path.step
        less = path.at(path.m.zero.c[0]).A
        rates[column] = here
        for i in curved:
            lam = known[first].get(i)
            if lam is None:
                continue
            for j in more[i]:
                change = factor * lam * (more[i][j] - less[i][j]) / (2 * path.step)
                row = M.setdefault(j, {})
                row[column] = row[column] - change if column in row else -change
    return M


def _onto(
    instant: Instant,
    balance: Balance,
    A: list[Mapping[int, Number]],
    b: list[Number],
    columns: list[int],
) -> dict[int, Number]:
    """Return the shortest change of rates that keeps the invariants and the balance."""
    reduction = reduced(instant.A, instant.b, instant.columns)
    rows, right = list(A), list(b)
    for z in allowed(reduction).values():
        row: dict[int, Number] = {}
        total = instant.e.m.zero.c[0]
        for i, v in z.items():
            for j, entry in balance.M.get(i, {}).items():
                row[j] = row[j] + v * entry if j in row else v * entry
            if i in balance.k:
                total = total + v * balance.k[i]
        rows.append(row)
        right.append(total)
    return least_step(rows, right, columns)[0]
