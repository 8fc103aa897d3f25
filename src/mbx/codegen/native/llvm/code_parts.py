"""Long plans in parts: functions of bounded length that share a workspace.

A compiler takes more than linear time for one long function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.schedule import shared_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.codegen.native.tape import Operation
    from mbx.codegen.native.tape_plan import Plan

__all__ = ["LENGTH", "Part", "Parts", "parts"]

LENGTH: Final = 500
"""Operations in a function, about; with more, registers are used worse and compiling is slower."""
_AGAIN: Final = frozenset({"take"})
"""What each part takes for itself."""


@dataclass(frozen=True, slots=True)
class Part:
    """Operations from `first` on and before `last`, and those that it leaves for others."""

    first: int
    last: int
    leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """A plan in parts; `slots` says where in a workspace of some size results stand."""

    parts: tuple[Part, ...]
    slots: dict[int, int]
    size: int


def parts(plan: Plan, length: int = LENGTH) -> Parts:
    """Return a plan in parts; one, without a workspace, if it is short."""
    count = len(plan.operations)
    if count <= 3 * length // 2:
        return Parts((Part(0, count, ()),), {}, 0)
    bounds = list(_bounds(plan, length))
    home = {place: k for k, (first, end) in enumerate(bounds) for place in range(first, end)}
    needed = [
        {operand for place in range(first, end) for operand in used(plan, place)}
        for first, end in bounds
    ]
    outputs = {x for x in plan.outputs if isinstance(x, int)}
    last = shared_until([range(*each) for each in bounds], [*needed, outputs])
    shared = sorted(place for place in last if plan.operations[place].kind not in _AGAIN)
    slots, size = _slots(shared, home, last)
    return Parts(
        tuple(
            Part(first, end, tuple(place for place in shared if first <= place < end))
            for first, end in bounds
        ),
        slots,
        size,
    )


def used(plan: Plan, place: int) -> Iterator[int]:
    """Yield the operations that one needs; the first of a loop needs where that starts."""
    operation: Operation = plan.operations[place]
    if operation.kind in {"sin", "cos"}:
        yield int(operation.operands[0])
    elif operation.kind not in _AGAIN:
        yield from (x for x in operation.operands if isinstance(x, int))
    for loop in plan.loops:
        if loop.first == place:
            yield from (x for x in loop.start if isinstance(x, int))


def _bounds(plan: Plan, length: int) -> Iterator[tuple[int, int]]:
    """Yield where parts begin and end: not within a loop, nor within what is turned at once."""
    closed = {x for loop in plan.loops for x in range(loop.first + 1, loop.last + 1)}
    closed |= {x for loop in plan.loops for x in loop.found}
    closed |= {k for k, one in enumerate(plan.operations) if one.kind in {"sin", "cos"}}
    first = 0
    for place in range(1, len(plan.operations)):
        if place - first >= length and place not in closed:
            yield first, place
            first = place
    yield first, len(plan.operations)


def _slots(
    shared: list[int], home: dict[int, int], last: dict[int, int]
) -> tuple[dict[int, int], int]:
    """Return a place in the workspace for each result; one that is done with is used again."""
    slots: dict[int, int] = {}
    free: list[int] = []
    leaving: dict[int, list[int]] = {}
    size = number = 0
    for place in shared:
        while number < home[place]:
            # what the part before used last can be overwritten by this one's results
            free += leaving.pop(number, [])
            number += 1
        if not free:
            free.append(size)
            size += 1
        slots[place] = free.pop()
        leaving.setdefault(last[place], []).append(slots[place])
    return slots, size
