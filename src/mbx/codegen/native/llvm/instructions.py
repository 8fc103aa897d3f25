"""Operations of a plan as instructions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from mbx.codegen.native.llvm.angle_instructions import turn
from mbx.codegen.native.llvm.rounds import iterate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.native.llvm.llvm_lines import Lines
    from mbx.codegen.native.tape import Operand, Operation
    from mbx.codegen.native.tape_plan import Plan

__all__ = ["LIBRARY", "Body", "Source"]

LIBRARY: Final = {
    **dict.fromkeys(
        ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"), 1
    ),
    "atan2": 2,
    "pow": 2,
}
"""Functions that are asked of the C library, and how many numbers they take."""

_TWO: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


class Source(Protocol):
    """Where numbers from outside come from."""

    def __call__(self, lines: Lines, name: str, k: int) -> str:
        """Append what takes a number; return its name."""


@dataclass(slots=True)
class Body:
    """Instructions for operations of a plan.

    Attributes:
        plan: What is computed.
        lines: Where the instructions go; `%s` points to the statuses.
        source: Where numbers from outside come from.
        wide: How many angles are turned side by side, where values are plain numbers.
        names: What the results of operations are called.
        head: Instructions that the function begins with.
    """

    plan: Plan
    lines: Lines
    source: Source
    wide: int
    names: dict[int, str] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)

    def write(self, first: int, last: int) -> None:
        """Append the operations from one place on, before another."""
        loops = {loop.first: loop for loop in self.plan.loops}
        place = first
        while place < last:
            if place in loops:
                iterate(self, loops[place])
                place = loops[place].last
            else:
                self._one(place)
                place += 1

    def operand(self, x: Operand) -> str:
        """Return a number, or the name of a result; what comes from outside is taken here."""
        if not isinstance(x, int):
            return self.lines.number(x)
        name = self.names.get(x)
        if name is None:
            operation = self.plan.operations[x]
            name = self.source(self.lines, operation.name, int(operation.operands[0]))
            self.names[x] = name
        return name

    # -- operations --------------------------------------------------------------------------

    def _one(self, place: int) -> None:
        operation = self.plan.operations[place]
        kind = operation.kind
        if kind == "take":
            return  # where it is first needed
        if kind == "turn":
            angles = [self.operand(x) for x in operation.operands]
            self.head += turn(self.lines, place, angles, self.wide)
        elif kind in {"sin", "cos"}:
            which, k = operation.operands
            array = self.lines.at(f"%{kind}{which}", int(k), self.lines.type())
            self.names[place] = self.lines.new(f"load {self.lines.type()}, ptr {array}")
        elif kind != "found":
            operands = [self.operand(x) for x in operation.operands]
            self.names[place] = self._value(operation, operands)

    def _value(self, operation: Operation, a: Sequence[str]) -> str:
        lines, T = self.lines, self.lines.type()
        match operation.kind:
            case "add" | "sub" | "mul" | "div":
                return lines.two(_TWO[operation.kind], *a)
            case "neg":
                return lines.neg(a[0])
            case "fma":
                return lines.fma(*a)
            case "fms":
                return lines.fma(a[0], a[1], lines.neg(a[2]))
            case "fnma":
                return lines.fma(lines.neg(a[0]), a[1], a[2])
            case "sqrt":
                return lines.call("sqrt", a[0])
            case "less":
                below = lines.new(f"fcmp olt {T} {a[0]}, {a[1]}")
                return self._either(below, lines.number(1.0), lines.number(0.0))
            case "choose":
                holds = lines.new(f"fcmp une {T} {a[0]}, {lines.number(0.0)}")
                return self._either(holds, a[1], a[2])
        return self._function(operation.name, a)

    def _either(self, condition: str, yes: str, no: str) -> str:
        T, C = self.lines.type(), self.lines.type("i1")
        return self.lines.new(f"select {C} {condition}, {T} {yes}, {T} {no}")

    def _function(self, name: str, a: Sequence[str]) -> str:
        lines, T = self.lines, self.lines.type()
        if name == "abs":
            return lines.call("fabs", a[0])
        if name == "sign":
            zero, one = lines.number(0.0), lines.number(1.0)
            up = lines.new(f"fcmp ogt {T} {a[0]}, {zero}")
            down = lines.new(f"fcmp olt {T} {a[0]}, {zero}")
            return self._either(up, one, self._either(down, lines.number(-1.0), zero))
        if lines.width == 1:
            return lines.new(f"call double @{name}({', '.join(f'double {x}' for x in a)})")
        found = "poison"
        for k in range(lines.width):
            each = [lines.new(f"extractelement {T} {x}, i64 {k}") for x in a]
            value = lines.new(f"call double @{name}({', '.join(f'double {x}' for x in each)})")
            found = lines.new(f"insertelement {T} {found}, double {value}, i64 {k}")
        return found
