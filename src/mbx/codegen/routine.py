"""Equations as a routine of scalars: arguments, unknowns to iterate for, results.

Every entry of a result is one expression of the arguments, and of unknowns where a step is
implicit. What depends on a rank is written out for the rank at a consistent state in general
position; a root of a matrix cannot be written out, and is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.base.errors import EquationsError
from mbx.expr.algebra.elimination import solve_general
from mbx.expr.build import add, choose, neg, power, sub
from mbx.expr.conditions import either
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node, number
from mbx.formalism.shapes import Matrix
from mbx.numerics.execute.straight_line import straight_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Number
    from mbx.formalism.equations import Quantity, Signature
    from mbx.numerics.execute.straight_line import Unknown

__all__ = [
    "GROUPS",
    "LIMIT",
    "NEWTON",
    "Argument",
    "Iteration",
    "Routine",
    "require_accelerations",
    "routine",
]

Group = Literal["t", "q", "u", "higher", "inputs", "parameters"]

GROUPS: Final[tuple[Group, ...]] = ("t", "q", "u", "higher", "inputs", "parameters")
"""The groups of arguments, in order."""
ACCURATE: Final = 1e-13
"""Part by which solutions may be off before pivots are chosen by their values."""
LIMIT: Final = 400
"""Most rounds of an iteration."""
NEWTON: Final = 20
"""Rounds before it, but for the first, take Newton's steps; all others, and those in which such a
step is no number, take y = F(y), which is slow and ends wherever F contracts. The first does,
because the norm of a reaction has no slope at zero, where most unknowns start."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A number that a routine takes in: its symbol, group and place, and what it is."""

    symbol: Node
    group: Group
    index: int
    path: str
    unit: str = ""
    meaning: str = ""
    default: float | None = None


@dataclass(frozen=True, slots=True)
class Iteration:
    """Unknowns y with g(y) = y - F(y) = 0: where they start, g, and Newton's step.

    `rough` is the part of the largest unknown below which steps that shrink no more are rounding,
    and end the iteration; with 0 they never do.
    """

    unknowns: tuple[Node, ...]
    start: tuple[Node, ...]
    residual: tuple[Node, ...]
    step: tuple[Node, ...]
    rough: float = 0.0


@dataclass(frozen=True, slots=True)
class Routine:
    """A computation on numbers.

    Attributes:
        arguments: All symbols that it may name, by group and place.
        iterations: Unknowns, in order; one may depend on those before it.
        results: Rows of expressions by meaning.
        left_out: Results that were asked for and cannot be written out, with the reason.
    """

    arguments: tuple[Argument, ...]
    iterations: tuple[Iteration, ...]
    results: Mapping[str, tuple[tuple[Node, ...], ...]]
    left_out: Mapping[str, str]

    def group(self, name: Group) -> tuple[Argument, ...]:
        """Return the arguments of a group, in order."""
        return tuple(one for one in self.arguments if one.group == name)

    def only(self, *names: str) -> Routine:
        """Return the routine of some results, where they are there; one left out is an error."""
        for name in names:
            if name in self.left_out:
                raise EquationsError(self.left_out[name])
        kept = {name: self.results[name] for name in names if name in self.results}
        return Routine(self.arguments, self.iterations, kept, {})

    @property
    def entries(self) -> list[Node]:
        """All entries of the results, row by row."""
        return [node for rows in self.results.values() for row in rows for node in row]


def routine(subject: Subject, wanted: Iterable[str] = ("ud",), *, rest: bool = False) -> Routine:
    """Return results as a routine; with `rest`, one that cannot be written out is left out.

    Parameters and inputs that are made of others follow these; those with a number of their own,
    or with none, are arguments. One that has a value in the subject is that number.
    """
    equations = subject.equations
    follow = _following(equations.signature, subject.values)
    arguments = tuple(_arguments(equations.signature, follow))
    wanted = tuple(wanted)
    at = _place(subject, wanted)
    unknowns: list[Unknown] = []
    doubts: list[Node] | None = [] if subject.guarded else None
    found, left = _lines(subject, wanted, at, unknowns, doubts)
    if left and not rest:
        raise EquationsError(next(iter(left.values())))
    if doubts:
        found = _guarded(found, doubts)
    iterations = tuple(_iteration(one, follow, at) for one in unknowns)
    results = {
        name: tuple(tuple(row) for row in _replaced(rows, follow)) for name, rows in found.items()
    }
    return Routine(arguments, iterations, results, left)


def require_accelerations(subject: Subject) -> None:
    """Refuse equations that take accelerations and do not give them, as a regressor."""
    if "ud" not in subject.equations.results:
        raise EquationsError("it gives no accelerations")


# -- arguments -------------------------------------------------------------------------------


def _following(signature: Signature, values: Mapping[Node, Number]) -> dict[Node, Node]:
    """Return what stands in the place of parameters and inputs that are made of others."""
    found = {node: number(value) for node, value in values.items()}
    for one in (*signature.parameters, *signature.inputs):
        if one.value is None or one.symbol in found:
            continue
        (value,) = substitute([one.value], found)
        if value.op is not NUMBER:
            found[one.symbol] = value
    return found


def _arguments(signature: Signature, follow: Mapping[Node, Node]) -> Iterable[Argument]:
    yield Argument(signature.t, "t", 0, "t", "s", "time")
    groups: dict[Group, Sequence[Quantity]] = {
        "q": signature.q,
        "u": signature.u,
        "higher": signature.higher,
        "inputs": [one for one in signature.inputs if one.symbol not in follow],
        "parameters": [one for one in signature.parameters if one.symbol not in follow],
    }
    for group, quantities in groups.items():
        for k, one in enumerate(quantities):
            yield Argument(
                one.symbol, group, k, one.path, one.unit, one.meaning, _default(one, follow)
            )


def _default(one: Quantity, follow: Mapping[Node, Node]) -> float | None:
    if one.value is None:
        return None
    (value,) = substitute([one.value], follow)
    return float(value.value) if value.op is NUMBER else None


# -- results ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _States:
    """The values of all symbols, unknowns included: in general position, and where it starts."""

    general: dict[Node, float]
    others: list[dict[Node, float]]


def _place(subject: Subject, results: Sequence[str]) -> _States | None:
    """Return states of the model, unless all results can be written out without one.

    Where there are invariants, pivots are looked at in any case.
    """
    equations = subject.equations
    implicit = [step.name for step in equations.steps if step.op == "implicit"]
    if equations.states is None or not results:
        return None
    if not (equations.states.invariants or implicit) and _plain(subject, results):
        return None
    from mbx.numerics.execute import evaluate_equations  # noqa: PLC0415  NumPy

    values = {node: float(x) for node, x in subject.values.items()}
    general = {**evaluate_equations.general_values(equations, implicit), **values}
    further = evaluate_equations.further_values(equations, implicit)
    return _States(general, [{**one, **values} for one in further])


def _plain(subject: Subject, results: Sequence[str]) -> bool:
    """Return whether results can be written out with pivots that are chosen by zeros alone.

    Where all matrices are positive definite they can; else it is tried out.
    """
    equations = subject.equations
    try:
        found = straight_line(equations, results, subject.values)
    except EquationsError:
        return False
    solved = {step.kind for step in equations.steps if step.op == "solve"}
    if solved <= {"positive"} or subject.values:
        return True
    from mbx.numerics.execute.evaluate_equations import inexact_results  # noqa: PLC0415  NumPy

    return not inexact_results(equations, found)


def _lines(
    subject: Subject,
    wanted: Sequence[str],
    at: _States | None,
    unknowns: list[Unknown],
    doubts: list[Node] | None,
) -> tuple[dict[str, list[list[Node]]], dict[str, str]]:
    """Return results written out, and why some cannot be; all at once, for they share parts."""
    equations, left = subject.equations, {}
    try:
        found = _straight(subject, wanted, at, unknowns, doubts)
    except EquationsError:
        found = {}
        if doubts is not None:
            doubts.clear()
        for one in wanted:
            own: list[Unknown] = []
            try:
                found |= _straight(subject, (one,), at, own, doubts)
            except EquationsError as refused:
                left[one] = str(refused)
                continue
            known = {each.symbols for each in unknowns}
            unknowns += [each for each in own if each.symbols not in known]
    if at is not None and not subject.values:
        from mbx.numerics.execute.evaluate_equations import inexact_results  # noqa: PLC0415  NumPy

        implicit = [step.name for step in equations.steps if step.op == "implicit"]
        for one, reason in inexact_results(equations, found, implicit if unknowns else ()).items():
            left[one] = f"{one}: {reason}"
            del found[one]
    return found, left


def _straight(
    subject: Subject,
    wanted: Sequence[str],
    at: _States | None,
    unknowns: list[Unknown],
    doubts: list[Node] | None,
) -> dict[str, list[list[Node]]]:
    general, others = (None, ()) if at is None else (at.general, at.others)
    return straight_line(
        subject.equations, wanted, subject.values, general, unknowns, others, ACCURATE, doubts
    )


def _guarded(
    found: Mapping[str, list[list[Node]]], doubts: Sequence[Node]
) -> dict[str, list[list[Node]]]:
    """Return results of which one entry is infinite where one of some conditions holds."""
    nothing = sub(power(choose(either(*doubts), ZERO, ONE), -1), ONE)  # 1/1 - 1, or 1/0 - 1
    results = {name: [list(row) for row in rows] for name, rows in found.items()}
    row = next((row for rows in results.values() for row in rows if row), None)
    if row is not None:
        row[0] = add(row[0], nothing)
    return results


def _replaced(rows: Sequence[Sequence[Node]], follow: Mapping[Node, Node]) -> list[list[Node]]:
    flat = [node for row in rows for node in row]
    named = free_symbols(flat)
    new = iter(substitute(flat, {one: follow[one] for one in named if one in follow}))
    return [[next(new) for _ in row] for row in rows]


def _iteration(one: Unknown, follow: Mapping[Node, Node], at: _States | None) -> Iteration:
    """Return an unknown with Newton's step, -(dg/dy)^-1 g."""
    start, residual = (_replaced([part], follow)[0] for part in (one.start, one.residual))
    step = _newton(residual, one.symbols, at)
    return Iteration(one.symbols, tuple(start), tuple(residual), tuple(step))


def _newton(residual: Sequence[Node], unknowns: Sequence[Node], at: _States | None) -> list[Node]:
    """Return Newton's step; where its matrix is singular, that of y = F(y)."""
    G = [list(row) for row in jacobian(residual, list(unknowns))]
    right = [[neg(g)] for g in residual]
    try:
        if at is None:
            step = solve_general(G, right)
        else:
            from mbx.numerics.bounds import Point  # noqa: PLC0415  NumPy
            from mbx.numerics.execute.ranked import solved_at  # noqa: PLC0415  likewise

            point = Point(at.general, at.others, ACCURATE)
            step = solved_at(Matrix(G, len(G)), Matrix(right, 1), point).rows
    except ValueError:
        step = right
    return [row[0] for row in step]
