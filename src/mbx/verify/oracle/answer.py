"""The oracle's answer at a state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mbx.verify.oracle.gauss_principle import void_rows
from mbx.verify.oracle.numbers.many_digit_solve import reduced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from mbx.verify.oracle.gauss_principle import Solution
    from mbx.verify.oracle.numbers.number_fields import Field, Number
    from mbx.verify.oracle.oracle_balance import Balance
    from mbx.verify.oracle.oracle_rows import Row
    from mbx.verify.oracle.oracle_state import State

__all__ = ["Answer", "Posed", "determining", "expanded"]


@dataclass(frozen=True, eq=False)
class Posed:
    """The equations at a state, and their solution."""

    field: Field
    rows: Sequence[Row]
    names: Mapping[int, str]
    """What each column is called."""
    A: Sequence[Mapping[int, Number]]
    b: Sequence[Number]
    balance: Balance
    solution: Solution
    state: State
    missing: list[int]
    """Columns whose speeds were not stated."""
    linear: frozenset[str]
    """Definitions that are linear in rates and speeds."""
    higher: Mapping[str, int]
    """Columns of variables that are declared with order 2 or more, by what is unknown of them."""


@dataclass(frozen=True, eq=False)
class Answer:
    """Accelerations and forces at a state.

    Attributes:
        status: `regular`; `singular` where something is not unique or not finite; `jamming`
            where loads and the reactions that they name have no single solution; `inconsistent`
            where the state is not near a state that keeps the invariants. All but the residuals of
            invariants is empty where it is not regular.
        ud: Rates of the speeds that the state named, by their paths; the highest rates where
            an invariant has order 3 or more.
        quasi: Variables that are declared with order 2 or more, or their highest rates.
        bodies: By path of a mass element its angular acceleration and the acceleration of its
            mass centre, ground components; of a body known by its twist, the first three are
            the rates of the components of its omega.
        Fc: Ideal constraint force for each speed of the state; None where the definitions give
            the other rates in more than one way, for then partial velocities depend on a choice.
        reactions: Force and torque of joints, by path, where requested or needed.
        rank: Rank of the equations that the motion keeps, definitions included.
        freedom: How many motions they allow.
        invariants: Residuals at the levels of position and velocity before the state was
            brought onto the equations, relative to the magnitude of their terms.
        energy: Kinetic and potential energy; the second does not count the weight of elements
            without a position.
    """

    status: str
    ud: Mapping[str, Number] = field(default_factory=dict)
    quasi: Mapping[str, Number] = field(default_factory=dict)
    bodies: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    Fc: Mapping[str, Number] | None = None
    reactions: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    rank: int = 0
    freedom: int = 0
    invariants: Mapping[str, tuple[Number, ...]] = field(default_factory=dict)
    energy: tuple[Number, Number] | None = None
    posed: Posed | None = None

    def residuals(self, ud: Mapping[str, float | Fraction]) -> list[tuple[str, Number, Number]]:
        """Put accelerations of a form into the equations: rows with their magnitudes.

        Declared variables of order 2 and more follow from these, unless they are given, too.
        First come the balances along the motions that are allowed, each named by its free
        variable, then the invariants at the level of the unknowns.
        """
        posed = self.posed
        if posed is None:
            return []
        with posed.field.working():
            return _residuals(posed, ud)

    def apart(self, x: Number, other: Fraction) -> float:
        """Return how far a number of the oracle is from another, in all of its digits."""
        if self.posed is None:
            return float("nan")
        with self.posed.field.working():
            return float(x - self.posed.field.number(other))


def expanded(posed: Posed, ud: Mapping[str, Any]) -> dict[int, Number]:
    """Return all unknowns where those of the speeds are given; the others follow."""
    number = posed.field.number
    x = {column: number(ud[path]) for path, column in posed.state.speeds.items()}
    if posed.missing:
        chosen = kinematic(posed)[0]
        right = []
        for i in chosen:
            known = [v * x[j] for j, v in posed.A[i].items() if j in x]
            right.append(sum(known, start=posed.b[i]))
        reduction = reduced([posed.A[i] for i in chosen], right, posed.missing)
        x |= reduction.offset
    x |= {column: number(ud[path]) for path, column in posed.higher.items() if path in ud}
    absent = [column for column in posed.higher.values() if column not in x]
    if absent:
        chosen = determining(posed, absent)[0]
        right = [
            sum((v * x[j] for j, v in posed.A[i].items() if j in x), start=posed.b[i])
            for i in chosen
        ]
        x |= reduced([posed.A[i] for i in chosen], right, absent).offset
    zero = number(0)
    return {column: x.get(column, zero) for column in posed.names}


def determining(posed: Posed, columns: Sequence[int]) -> tuple[list[int], bool]:
    """Return rows that determine declared variables, and whether there is no other choice.

    These are definitions and, where they do not suffice, invariants.
    """
    wanted = set(columns)
    for kinds in (("definition",), _ALL):
        chosen = [
            i
            for i, row in enumerate(posed.rows)
            if row.kind in kinds and any(j in wanted and v != 0 for j, v in posed.A[i].items())
        ]
        reduction = reduced([posed.A[i] for i in chosen], [0] * len(chosen), columns)
        if not reduction.free:
            return [chosen[i] for i, _ in reduction.pivots], len(chosen) == len(columns)
    return [], False


def kinematic(posed: Posed) -> tuple[list[int], bool]:
    """Return rows that give the rates that are no speeds, and whether there is no other choice.

    These are definitions and, where they do not suffice, norms of quaternions, then invariants.
    """
    A, missing = posed.A, posed.missing
    wanted = set(missing)

    def touching(*kinds: str) -> list[int]:
        return [
            i
            for i, row in enumerate(posed.rows)
            if row.kind in kinds
            and (row.kind != "definition" or row.owner in posed.linear)
            and any(j in wanted and v != 0 for j, v in A[i].items())
        ]

    chosen: list[int] = []
    for kinds in (("definition",), ("definition", "norm"), _ALL):
        chosen = touching(*kinds)
        reduction = reduced([A[i] for i in chosen], [0] * len(chosen), missing)
        if not reduction.free:
            return [chosen[i] for i, _ in reduction.pivots], len(chosen) == len(missing)
    return chosen, False


NOISE: Final = 1e-30
"""Part of the largest row of invariants below which a row is void."""
_ALL: Final = ("definition", "norm", "invariant", "loop", "measure")


def _residuals(
    posed: Posed, ud: Mapping[str, float | Fraction]
) -> list[tuple[str, Number, Number]]:
    x = expanded(posed, ud)
    balance = posed.balance
    forces: dict[int, Number] = {}
    sizes: dict[int, Number] = {}
    zero: Number = posed.field.number(0)
    for i in posed.names:
        terms = [v * x[j] for j, v in balance.M.get(i, {}).items() if j in x]
        forces[i] = sum(terms, start=_entry(balance.k, i, zero))
        sizes[i] = sum((abs(term) for term in terms), start=_entry(balance.size, i, zero))
    residuals = []
    for f, z in posed.solution.Z.items():
        value = sum((v * forces[i] for i, v in z.items()), start=zero)
        size = sum((abs(v) * sizes[i] for i, v in z.items()), start=zero)
        residuals.append((posed.names[f], value, size))
    kept = []
    void = void_rows(posed.A, posed.solution.reduced)
    for k, (row, a, b) in enumerate(zip(posed.rows, posed.A, posed.b, strict=True)):
        if k in void:
            continue
        terms = [v * x[j] for j, v in a.items() if j in x]
        value = sum(terms, start=b)
        kept.append((row.label, value, sum((abs(term) for term in terms), start=abs(b))))
    # a row that holds by itself is nothing but rounding
    most = max((float(size) for _, _, size in kept), default=0.0)
    residuals += [row for row in kept if float(row[2]) > NOISE * most]
    largest = max((abs(v) for v in x.values()), key=float, default=zero)
    for path in posed.state.auxiliary:
        value = posed.field.number(ud.get(path, 0))
        residuals.append((path, value, abs(value) + largest))
    return residuals


def _entry(several: Mapping[int, Number], column: int, zero: Number) -> Number:
    return several.get(column, zero)
