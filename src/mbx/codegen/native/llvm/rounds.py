"""Iterations as instructions: rounds until the steps of all unknowns are small.

The rule is that of `mbx.codegen.routine`: in the first round, after `NEWTON` rounds, and where
some step is no number, y = F(y) is taken, else Newton's step. Where several states go side by
side, those that have ended stay as they are until all have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.codegen.routine import LIMIT, NEWTON
from mbx.numerics.tolerances import LAST_STEP, LEAST_UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.native.llvm.instructions import Body
    from mbx.codegen.native.llvm.llvm_lines import Lines
    from mbx.codegen.native.tape_plan import Loop

__all__ = ["iterate"]


def iterate(body: Body, loop: Loop) -> None:
    """Append the rounds of a loop; a state whose iteration does not end gets the status 2."""
    lines, T, C = body.lines, body.lines.type(), body.lines.type("i1")
    start = [body.operand(x) for x in loop.start]
    _take_before(body, loop)
    before, again, done = lines.block, lines.label("round"), lines.label("done")
    lines.text.append(f"br label %{again}")
    lines.begin(again)
    head = len(lines.text)
    count, still = f"%k{loop.first}", f"%a{loop.first}"
    unknowns = [f"%y{place}" for place in loop.unknowns]
    body.names.update(zip(loop.unknowns, unknowns, strict=True))
    body.write(loop.first + len(unknowns), loop.last)
    moves = _moves(body, loop, count)
    new = [lines.two("fadd", y, move) for y, move in zip(unknowns, moves, strict=True)]
    if lines.width > 1:
        pairs = zip(new, unknowns, strict=True)
        new = [lines.new(f"select {C} {still}, {T} {y}, {T} {old}") for y, old in pairs]
    far, furthest = _far(lines, new, moves)
    if loop.rough:
        far = _still_shrinks(lines, far, furthest, f"%b{loop.first}", loop.rough)
    if lines.width > 1:
        far = lines.new(f"and {C} {far}, {still}")
    following = lines.new(f"add i32 {count}, 1")
    more = lines.new(f"icmp ult i32 {following}, {LIMIT}")
    goes_on = lines.new(f"and i1 {lines.any(far)}, {more}")
    end = lines.block
    lines.text.append(f"br i1 {goes_on}, label %{again}, label %{done}")
    phis = [f"{count} = phi i32 [ 0, %{before} ], [ {following}, %{end} ]"]
    for y, first, next_ in zip(unknowns, start, new, strict=True):
        phis.append(f"{y} = phi {T} [ {first}, %{before} ], [ {next_}, %{end} ]")
    if loop.rough:
        largest, move = lines.number(float("inf")), furthest[0]
        phis.append(f"%b{loop.first} = phi {T} [ {largest}, %{before} ], [ {move}, %{end} ]")
    if lines.width > 1:
        phis.append(f"{still} = phi {C} [ splat (i1 true), %{before} ], [ {far}, %{end} ]")
    lines.text[head:head] = phis
    lines.begin(done)
    _mark(lines, far)
    body.names.update(zip(loop.found, new, strict=True))


def _take_before(body: Body, loop: Loop) -> None:
    """Take what the rounds need from outside before they begin, so that it is known after them."""
    operations = body.plan.operations
    for operation in operations[loop.first : loop.last]:
        if operation.kind in {"take", "sin", "cos"}:
            continue
        for x in operation.operands:
            if isinstance(x, int) and x < loop.first:
                body.operand(x)
    for x in (*loop.residual, *loop.step):
        if isinstance(x, int) and x < loop.first:
            body.operand(x)


def _moves(body: Body, loop: Loop, count: str) -> list[str]:
    """Append by how much each unknown moves in a round."""
    lines, T, C = body.lines, body.lines.type(), body.lines.type("i1")
    steps = [body.operand(x) for x in loop.step]
    others = [lines.neg(body.operand(x)) for x in loop.residual]
    zero = lines.number(0.0)
    sound = zero
    for step in steps:  # zero times what is infinite, or no number, is no number
        sound = lines.fma(step, zero, sound)
    newton = lines.new(f"fcmp ord {T} {sound}, {sound}")
    early = lines.new(f"icmp ult i32 {count}, {NEWTON}")
    first = lines.new(f"icmp eq i32 {count}, 0")
    first_or_late = lines.new(f"select i1 {first}, i1 false, i1 {early}")
    if lines.width > 1:
        none = "zeroinitializer"
        newton = lines.new(f"select i1 {first_or_late}, {C} {newton}, {C} {none}")
    else:
        newton = lines.new(f"and i1 {first_or_late}, {newton}")
    return [
        lines.new(f"select {C} {newton}, {T} {step}, {T} {other}")
        for step, other in zip(steps, others, strict=True)
    ]


def _far(
    lines: Lines, unknowns: Sequence[str], moves: Sequence[str]
) -> tuple[str, tuple[str, str]]:
    """Append whether some unknown still moves; what is no number does not.

    Return it with the largest move and the largest unknown.
    """
    size = _largest(lines, unknowns, LEAST_UNKNOWN)
    move = _largest(lines, moves, 0.0)
    bound = lines.two("fmul", size, lines.number(LAST_STEP))
    return lines.new(f"fcmp ogt {lines.type()} {move}, {bound}"), (move, size)


def _largest(lines: Lines, values: Sequence[str], least: float) -> str:
    T, C = lines.type(), lines.type("i1")
    size = lines.number(least)
    for value in values:
        length = lines.call("fabs", value)
        larger = lines.new(f"fcmp ogt {T} {length}, {size}")
        size = lines.new(f"select {C} {larger}, {T} {length}, {T} {size}")
    return size


def _still_shrinks(
    lines: Lines, far: str, furthest: tuple[str, str], before: str, rough: float
) -> str:
    """Append whether moves are far, and no rounding: large, or less than those before."""
    T, C = lines.type(), lines.type("i1")
    move, size = furthest
    bound = lines.two("fmul", size, lines.number(rough))
    large = lines.new(f"fcmp ogt {T} {move}, {bound}")
    shrinks = lines.new(f"fcmp olt {T} {move}, {before}")
    goes = lines.new(f"or {C} {large}, {shrinks}")
    return lines.new(f"and {C} {far}, {goes}")


def _mark(lines: Lines, far: str) -> None:
    C, integers = lines.type("i1"), lines.type("i32")
    old = lines.new(f"load {integers}, ptr %s")
    two, none = lines.whole(2, 32), lines.whole(0, 32)
    failed = lines.new(f"select {C} {far}, {integers} {two}, {integers} {none}")
    lines.text.append(f"store {integers} {lines.new(f'or {integers} {old}, {failed}')}, ptr %s")
