"""A page evaluated as printed: every equality that it states, at states of the model.

What is known is the state, the parameters, and what the equations give there: accelerations,
reactions, momenta. A name that is new on the left is defined; every other equality is checked.
What does not depend on the motion being the true one, such as a partial derivative or a velocity
in two ways, is checked at accelerations that the constraints allow but no force causes, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.jets import Jet
from mbx.codegen.pages.check.page_syntax import (
    Derivative,
    Multiply,
    Number,
    ReadEquation,
    Sum,
    Word,
)
from mbx.codegen.pages.check.page_values import PageValues, Value
from mbx.codegen.pages.check.read_text_page import parse_term

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mbx.codegen.pages.check.page_syntax import ReadGrid, ReadPage, Term

__all__ = ["Checked", "KnownState", "Mistake", "check_page"]

TOLERANCE: Final = 1e-8
"""Relative to the largest term of a side; differences of derivatives lose half of the digits."""
_STEP: Final = 1e-6
"""A step of all accelerations, relative to the largest."""
_SHARE: Final = 1e-2
"""The share of the largest acceleration of which the rounding is counted: 1e-10 of it."""
_LEAST: Final = 1e-9
"""What counts as nothing, in SI units: no page is checked below it."""


@dataclass(frozen=True, slots=True)
class KnownState:
    """What is known at a state.

    Attributes:
        values: By name: variables, parameters, inputs, accelerations, reactions.
        rates: How fast names change, by name.
        is_motion: Whether the accelerations are those of the motion.
        only: Numbers of the equations that hold there; None of all.
        accelerations: The names whose values are computed together, with the same rounding.
    """

    values: Mapping[str, float]
    rates: Mapping[str, float]
    is_motion: bool = True
    only: frozenset[int] | None = None
    accelerations: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Mistake:
    """An equality of a page that does not hold."""

    number: int
    text: str
    left: Value
    right: Value
    error: float


@dataclass(slots=True)
class Checked:
    """What was checked.

    Attributes:
        equalities: Number of equalities that were compared at each state.
        entries: Number of entries of matrices that were compared.
        states: Number of states.
        worst: The largest relative difference.
        mistakes: What does not hold.
    """

    equalities: int = 0
    entries: int = 0
    states: int = 0
    worst: float = 0.0
    mistakes: list[Mistake] = field(default_factory=list)


def check_page(
    page: ReadPage,
    states: Sequence[KnownState],
    matrices: Mapping[str, Sequence[Mapping[tuple[str, str], float]]] | None = None,
) -> Checked:
    """Return what holds on a page, and what does not.

    Args:
        page: The mathematics of the page.
        states: States with what is known there.
        matrices: Matrices that are known, entries by labels, a table for each state.
    """
    checked = Checked(states=len(states))
    in_motion = {name for state in states if state.is_motion for name in state.values}
    for k, state in enumerate(states):
        definitions = _definitions(page, in_motion | set(state.values))
        forces = frozenset(in_motion - set(state.values))
        values = PageValues(state.values, state.rates, definitions)
        counted = 0
        for equation in page.equations:
            if state.only is not None and equation.number not in state.only:
                continue
            is_whole = state.is_motion or state.only is not None
            sides = _compared(equation, definitions, forces, is_motion=is_whole)
            if len(sides) < 2:  # noqa: PLR2004  nothing to compare
                continue
            if not state.is_motion and not all(values.is_known(side) for side in sides):
                continue  # reactions belong to the motion
            counted += len(sides) - 1
            sized = max(values.size(side) for side in sides)
            found = [_value(values, x, equation) for x in sides]
            if state.accelerations and _differ(found, sized):
                sized = max(sized, _rounding(state, definitions, equation, sides, found))
            _compare(checked, equation, found, sized)
        for grid in page.grids:
            if state.only is None:
                counted += _compare_rows(checked, values, page, grid)
            known = (matrices or {}).get(grid.name)
            if known is None:
                continue
            table = known[k]
            for row, entries in zip(grid.rows, grid.entries, strict=True):
                for column, entry in zip(grid.columns or ("",), entries, strict=False):
                    expected = table.get((row, column))
                    if expected is None:
                        continue
                    text = f"{grid.name}[{row}, {column}]"
                    equation = _entry(entry, expected, text)
                    checked.entries += k == 0
                    value = _value(values, entry, equation)
                    _compare(checked, equation, [value, expected], values.size(entry))
        checked.equalities = max(checked.equalities, counted)
    return checked


def _compare_rows(checked: Checked, values: PageValues, page: ReadPage, grid: ReadGrid) -> int:
    """Compare what the rows of a matrix give with what they belong to; return how many were.

    C and S give the variables of their rows from those of their columns, or how these depend on
    them where an equation of the page has more in it; M gives Q from the accelerations a.
    """
    counted = 0
    forces = next((g for g in page.grids if g.name == "Q"), None)
    stated = {e.sides[0].text: e.sides[1] for e in page.equations if isinstance(e.sides[0], Word)}
    for k, (label, entries) in enumerate(zip(grid.rows, grid.entries, strict=True)):
        if grid.name in {"C", "S"}:
            right, names = parse_term(label), list(grid.columns)
            if label in stated and values.is_known(stated[label]):
                counted += _compare_slopes(checked, values, grid, k, stated[label])
                continue
        elif grid.name == "M" and forces is not None:
            right, names = forces.entries[k][0], [f"a_{name}" for name in grid.columns]
        else:
            continue
        factors = [parse_term(name) for name in names]
        if not all(values.is_known(x) for x in (right, *factors, *entries)):
            continue
        products = [Multiply(entry, x) for entry, x in zip(entries, factors, strict=True)]
        left = Sum(tuple(products))
        equation = ReadEquation((left, right), f"row {label} of {grid.name}", 0)
        sized = max(values.size(left), values.size(right))
        _compare(checked, equation, [_value(values, x, equation) for x in (left, right)], sized)
        counted += 1
    return counted


def _compare_slopes(
    checked: Checked, values: PageValues, grid: ReadGrid, row: int, value: Term
) -> int:
    """Compare the entries of a row with the derivatives of what the page states."""
    counted = 0
    for name, entry in zip(grid.columns, grid.entries[row], strict=True):
        if name not in values.known or not values.is_known(entry):
            continue
        text = f"{grid.name}[{grid.rows[row]}, {name}]"
        equation = ReadEquation((entry, value), text, 0)
        sides = [_value(values, entry, equation), values.slope(value, name)]
        _compare(checked, equation, sides, values.size(entry))
        counted += 1
    return counted


def _entry(entry: Term, expected: float, text: str) -> ReadEquation:
    return ReadEquation((entry, Number(expected)), text, 0)


def _definitions(page: ReadPage, known: Collection[str]) -> dict[str, Term]:
    definitions: dict[str, Term] = {}
    for equation in page.equations:
        head = equation.sides[0]
        if isinstance(head, Word) and head.text not in known:
            definitions.setdefault(head.text, equation.sides[1])
    return definitions


def _compared(
    equation: ReadEquation,
    definitions: Mapping[str, Term],
    forces: Collection[str],
    *,
    is_motion: bool,
) -> tuple[Term, ...]:
    """Return the sides that are to be equal at a state.

    What is known in the motion only, such as a reaction, is compared there. A derivative that
    is nothing but zero vanishes in the motion, as those of a least value do.
    """
    head, *others = equation.sides
    if isinstance(head, Word) and head.text in forces:
        return ()
    if isinstance(head, Word) and definitions.get(head.text) is others[0]:
        return tuple(others)
    if is_motion or (isinstance(head, Derivative) and others != [Number(0.0)]):
        return equation.sides
    if isinstance(head, Word) and head.text in definitions:
        # a defined name that is zero is an equation of motion
        return () if others == [Number(0.0)] else equation.sides
    return ()


def _value(values: PageValues, side: Term, equation: ReadEquation) -> Value:
    try:
        return values(side)
    except (ArithmeticError, ValueError) as error:
        where = f"equation ({equation.number}) '{equation.text}' has no value at a state"
        raise EquationsError(where) from error


def _compare(
    checked: Checked, equation: ReadEquation, values: Sequence[Value], terms: float
) -> None:
    """Compare the sides of an equation with the first of them; `terms` is what they add up."""
    first, *others = [_flat(value) for value in values]
    for other in others:
        if len(first) != len(other) and other != [0.0]:
            raise EquationsError(f"'{equation.text}' on the page compares unlike things")
        whole = other if len(first) == len(other) else [0.0] * len(first)
        size = max(_LEAST, *(abs(x) for x in (*first, *whole)), terms)
        error = max(abs(x - y) for x, y in zip(first, whole, strict=True)) / size
        checked.worst = max(checked.worst, error)
        if not error < TOLERANCE:
            checked.mistakes.append(Mistake(equation.number, equation.text, first, whole, error))


def _differ(values: Sequence[Value], terms: float) -> bool:
    """Return whether sides seem to differ."""
    first, *others = [_flat(value) for value in values]
    size = max(_LEAST, terms, *map(abs, first)) * TOLERANCE
    return any(
        not abs(x - y) < size
        for other in others
        for x, y in zip(
            first, other if len(other) == len(first) else [0.0] * len(first), strict=True
        )
    )


def _rounding(
    state: KnownState,
    definitions: Mapping[str, Term],
    equation: ReadEquation,
    sides: Sequence[Term],
    found: Sequence[Value],
) -> float:
    """Return how large terms are of which the rounding of the largest acceleration is a part.

    Accelerations that are solved for together are rounded as the largest of them is, so that an
    equation of small ones among them holds to fewer digits.
    """
    largest = max(abs(state.values[name]) for name in state.accelerations)
    step = _STEP * largest
    moved = {
        name: value + (step if name in state.accelerations else 0.0)
        for name, value in state.values.items()
    }
    rates = {
        name: rate + (step if f"{name}'" in state.accelerations else 0.0)
        for name, rate in state.rates.items()
    }
    values = PageValues(moved, rates, definitions)
    changed = [_value(values, side, equation) for side in sides]
    return max(
        abs(x - y) / _STEP * _SHARE
        for one, other in zip(found, changed, strict=True)
        for x, y in zip(_flat(one), _flat(other), strict=True)
    )


def _flat(value: Any) -> list[float]:
    entries = value if isinstance(value, list) else [value]
    plain: list[float] = []
    for each in entries:
        x = each
        while isinstance(x, Jet):
            x = x.value
        plain.append(float(x) if math.isfinite(float(x)) else math.inf)
    return plain
