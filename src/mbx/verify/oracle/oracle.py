"""The oracle: built once for a model, and evaluated at states."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from mbx.verify.oracle.answer import Answer, Posed, determining, kinematic
from mbx.verify.oracle.gauss_principle import force_of, solve
from mbx.verify.oracle.instant import Instant, named_reactions
from mbx.verify.oracle.kinematics.declared_world import PlacingJoint, survey
from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
from mbx.verify.oracle.kinematics.oracle_poses import second_side
from mbx.verify.oracle.numbers.jet_scalars import Arithmetic, value_of
from mbx.verify.oracle.numbers.jets import NonlinearError, OrderError
from mbx.verify.oracle.numbers.many_digit_solve import reduced
from mbx.verify.oracle.numbers.number_fields import make_field
from mbx.verify.oracle.oracle_balance import kinetic_energy
from mbx.verify.oracle.oracle_loads import potential_of
from mbx.verify.oracle.oracle_programmes import digits_for, solve_programme
from mbx.verify.oracle.oracle_reactive import JammingError, solve_reactive, wrench_of
from mbx.verify.oracle.oracle_rows import linear_definitions, rows
from mbx.verify.oracle.oracle_state import read_outside, read_state
from mbx.verify.oracle.polish import SingularError, polish
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from mbx.linking.link import Linked
    from mbx.verify.oracle.gauss_principle import Solution
    from mbx.verify.oracle.kinematics.declared_world import Named
    from mbx.verify.oracle.numbers.number_fields import Field, Number
    from mbx.verify.oracle.oracle_balance import Balance
    from mbx.verify.oracle.oracle_state import Outside, State
    from mbx.verify.oracle.polish import Residuals

    Request = tuple[
        Mapping[str, float | Fraction | str], float, Mapping[str, float], Mapping[str, float]
    ]

__all__ = ["Oracle"]

HIGHEST: Final = 9
"""Highest order of an unknown: 1 more than the language has."""
CLOSE: Final = 1e-6
"""Part of its terms that a row may be off at a state; more is another state."""
CALLS: Final = 20_000
"""How deeply poses may depend on poses."""


@contextmanager
def _deep() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Oracle:
    """The dynamics of a linked model, evaluated in numbers of many digits."""

    def __init__(
        self, linked: Linked, digits: int = 50, field: Callable[[int], Field] = make_field
    ) -> None:
        """Look through the model; `field` makes numbers of so many digits."""
        self.world = survey(linked)
        self.digits = digits
        self._make = field
        self._field = field(digits)
        self._reactive = named_reactions(self.world)
        self._order = 0

    def at(
        self,
        state: Mapping[str, float | Fraction | str],
        time: float = 0.0,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        *,
        reactions: bool = False,
    ) -> Answer:
        """Return the accelerations and forces at a state.

        The state has every coordinate and every speed of the system by its path; parameters and
        inputs are those without a value, inputs also with their rates. With `reactions` those
        of all joints are in the answer, too.
        """
        request = (state, time, parameters or {}, inputs or {})
        if not self._order:
            self._find_order(request)
        with _deep(), self._field.working():
            m = Arithmetic(self._field)
            known, outside = self._read(request, self._order)
            noted: Residuals = {}
            try:
                polish(self.world, m, known, outside, noted)
                if any(float(value) > CLOSE for several in noted.values() for value in several):
                    return Answer("inconsistent", invariants=_tuples(noted))
                return self._answer(m, known, outside, noted, reactions=reactions)
            except (SingularError, ZeroDivisionError, ValueError):
                return Answer("singular", invariants=_tuples(noted))
            except JammingError:
                return Answer("jamming", invariants=_tuples(noted))

    def _read(self, request: Request, order: int) -> tuple[State, Outside]:
        state, time, parameters, inputs = request
        outside = read_outside(self._field, time, parameters, inputs)
        return read_state(self.world, self._field, state, order), outside

    def _find_order(self, request: Request) -> None:
        """Find the least order of the unknowns in which every equation is affine."""
        with _deep(), self._field.working():
            m = Arithmetic(self._field)
            for order in range(2, HIGHEST + 1):
                known, outside = self._read(request, order)
                try:
                    rows(Evaluator(self.world, known.motion(m, order, outside)))
                except (OrderError, NonlinearError):
                    continue
                except (ZeroDivisionError, ValueError):
                    pass  # singular there, which another evaluation will show
                self._order = order
                break
            else:
                raise OracleRefusal(f"an invariant has an order above {HIGHEST - 1}")
        self._field = self._make(digits_for(self.digits, self._order))

    def _answer(
        self, m: Arithmetic, known: State, outside: Outside, noted: Residuals, *, reactions: bool
    ) -> Answer:
        named = list(
            {
                reaction.path: reaction for many in self._reactive.values() for reaction in many
            }.values()
        )
        virtual = self._virtual(named, reactions=reactions)
        if self._order > 2:  # noqa: PLR2004  a programme
            if named:
                raise OracleRefusal("a load names a reaction under a programme", named[0].path)
            virtual = {}
            solution, balance, instant = solve_programme(
                self.world, m, self._order, known, outside, self.digits
            )
        else:
            instant = Instant(
                self.world, known.motion(m, 2, outside), virtual, tuple(self._reactive)
            )
            solution, balance = _solved(instant, named)
        linear = linear_definitions(Evaluator(self.world, known.motion(m, 1, outside)))
        posed = Posed(
            self._field,
            instant.rows,
            {v.column: v.path + "'" * max(0, 1 - v.order) for v in self.world.variables},
            instant.A,
            instant.b,
            balance,
            solution,
            known,
            known.missing(self.world, 1),
            frozenset(linear),
            {
                v.path + "'" * (self._order - v.order): v.column
                for v in self.world.variables
                if v.order > 1
            },
        )
        ud = {path: solution.x[column] for path, column in known.speeds.items()}
        return Answer(
            "regular",
            ud | dict.fromkeys(known.auxiliary, m.zero.c[0]),
            {path: solution.x[column] for path, column in posed.higher.items()},
            _bodies(instant, solution),
            _constraint_force(posed, instant),
            {path: wrench_of(instant, solution, balance, path, unique=False) for path in virtual},
            solution.reduced.rank,
            len(solution.reduced.free),
            _tuples(noted),
            _energy(instant),
            posed,
        )

    def _virtual(self, named: list[Named], *, reactions: bool) -> dict[str, int]:
        """Return the columns of joints that let go, behind those of the variables."""
        wanted = [reaction.node[0] for reaction in named if reaction.kind == "wrench"]
        if reactions:
            wanted += [path for path in self.world.joints if path not in wanted]
        first = len(self.world.variables)
        return {path: first + 6 * k for k, path in enumerate(dict.fromkeys(wanted))}


def _tuples(residuals: Mapping[str, Any]) -> dict[str, tuple[Number, ...]]:
    return {label: tuple(several) for label, several in residuals.items()}


def _solved(instant: Instant, named: list[Named]) -> tuple[Solution, Balance]:
    """Return the accelerations, with loads that name reactions at their fixed point."""
    if named:
        return solve_reactive(instant, named)
    balance = instant.balance()
    return solve(instant.A, instant.b, balance, instant.columns), balance


def _bodies(instant: Instant, solution: Solution) -> dict[str, tuple[Number, ...]]:
    """Return the accelerations of the mass elements."""
    zero = instant.e.m.zero

    def now(part: Any) -> Number:
        total = part.c[0]
        if part.n == instant.order - 1 == 1:
            for j, v in part.g.items():
                if j in solution.x:
                    total = total + v * solution.x[j]
        return total

    return {
        named.path: tuple(
            now(part) for part in (*(element.alpha or (zero, zero, zero)), *element.a)
        )
        for named, element in instant.elements.items()
    }


def _constraint_force(posed: Posed, instant: Instant) -> dict[str, Number] | None:
    """Return N^T G, where (q', w, a~) = N u + n are the rates by the speeds of the state.

    A declared variable of order 2 moves with the speeds as its definition relates accelerations.
    """
    known = instant.order > 2  # noqa: PLR2004  then all accelerations are in the state
    x = {} if known else posed.solution.x
    balance = instant.balance() if known else posed.balance
    G = {i: force_of(balance, x, i) for i in posed.names}
    N: dict[int, dict[int, Number]] = {}
    loaded = [column for column in posed.higher.values() if G[column] != 0]
    if posed.missing or loaded:
        chosen, single = kinematic(posed)
        every = list(posed.higher.values())
        higher, alone = determining(posed, every) if loaded else ([], True)
        if not (single and alone):
            return None
        speeds = list(posed.state.speeds.values())
        rows = [posed.A[i] for i in (*chosen, *higher)]
        tied = [*posed.missing, *every]
        reduction = reduced(rows, [0] * len(rows), [*tied, *speeds], last=speeds)
        N = {p: row for p, row in reduction.Z.items() if p in posed.missing or p in loaded}
    Fc = {}
    for path, column in posed.state.speeds.items():
        total = G[column]
        for p, row in N.items():
            if column in row:
                total = total + row[column] * G[p]
        Fc[path] = total
    for path, (reaction, k) in posed.state.auxiliary.items():
        Fc[path] = _let_go(posed, instant, reaction, k)
    return Fc


def _let_go(posed: Posed, instant: Instant, reaction: str, k: int) -> Number:
    """Return the force on a joint that lets go, along or about an axis of its second side."""
    for joint, first in instant.virtual.items():
        placing = instant.world.joints[joint]
        if isinstance(placing, PlacingJoint) and placing.reaction == reaction:
            axis = second_side(instant.e, placing).axes[k % 3]
            columns = range(first + 3 * (k // 3), first + 3 * (k // 3) + 3)
            return sum(
                value_of(a) * force_of(posed.balance, posed.solution.x, c)
                for a, c in zip(axis, columns, strict=True)
            )
    raise OracleRefusal("there is no such reaction of a placing joint", reaction)


def _energy(instant: Instant) -> tuple[Number, Number]:
    """Return the kinetic and the potential energy."""
    e = instant.e
    zero = e.m.zero.c[0]
    T = sum((kinetic_energy(e, element) for element in instant.elements.values()), start=zero)
    V = zero
    for _, node, level in instant.world.loads:
        if node.kind in {"spring", "potential"}:
            V = V + potential_of(e, node, level).c[0]
    for node, level in instant.world.gravity:
        G = [value_of(part) for part in e.vector(node.value, level)]
        for named, element in instant.elements.items():
            if element.centre is not None and named.level.path.startswith(level.path):
                V = V - element.mass * sum(g * p for g, p in zip(G, element.centre, strict=True))
    return T, V
