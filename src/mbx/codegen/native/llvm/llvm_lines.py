"""Lines of LLVM's assembly language: instructions on one number, or on several side by side.

Every name in them is made here, from a letter and a count. Numbers are written as their bits.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Lines", "bits"]

UNLIKELY: Final = "!prof !0"
"""Mark of a branch that is hardly ever taken; `!0` has its weights."""


def bits(value: float) -> str:
    """Return a number as LLVM reads it without rounding."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


@dataclass(slots=True)
class Lines:
    """Instructions of one function, on numbers `width` at a time.

    Attributes:
        width: How many numbers a value holds; 1 is a plain number.
        fused: Whether the machine multiplies and adds in one operation.
        block: Name of the basic block that is written to.
    """

    width: int
    fused: bool
    text: list[str] = field(default_factory=list)
    block: str = "entry"
    count: int = 0

    def type(self, element: str = "double") -> str:
        """Return the type of a value with such elements."""
        return element if self.width == 1 else f"<{self.width} x {element}>"

    @property
    def suffix(self) -> str:
        """What the names of LLVM's own functions end in."""
        return "f64" if self.width == 1 else f"v{self.width}f64"

    def number(self, value: float) -> str:
        """Return a constant, the same for all."""
        return bits(value) if self.width == 1 else f"splat (double {bits(value)})"

    def whole(self, value: int, size: int = 64) -> str:
        """Return a whole constant of so many bits."""
        return str(value) if self.width == 1 else f"splat (i{size} {value})"

    def new(self, instruction: str) -> str:
        """Append an instruction; return the name of what it gives."""
        self.count += 1
        name = f"%n{self.count}"
        self.text.append(f"{name} = {instruction}")
        return name

    def begin(self, block: str) -> None:
        """Begin a basic block."""
        self.text.append(f"{block}:")
        self.block = block

    def label(self, what: str) -> str:
        """Return a name for a basic block."""
        self.count += 1
        return f"{what}{self.count}"

    def at(self, pointer: str, k: int, element: str = "double") -> str:
        """Return the address of an element of an array."""
        if k == 0:
            return pointer
        return self.new(f"getelementptr inbounds {element}, ptr {pointer}, i64 {k}")

    # -- arithmetic --------------------------------------------------------------------------

    def two(self, operation: str, a: str, b: str) -> str:
        """Return an operation on two values: fadd, fsub, fmul, fdiv."""
        return self.new(f"{operation} {self.type()} {a}, {b}")

    def neg(self, a: str) -> str:
        """Return minus a value."""
        return self.new(f"fneg {self.type()} {a}")

    def call(self, function: str, *values: str) -> str:
        """Return one of LLVM's own functions, such as fma, sqrt, fabs."""
        T = self.type()
        listed = ", ".join(f"{T} {value}" for value in values)
        return self.new(f"call {T} @llvm.{function}.{self.suffix}({listed})")

    def fma(self, a: str, b: str, c: str) -> str:
        """Return a b + c."""
        if self.fused:
            return self.call("fma", a, b, c)
        return self.two("fadd", self.two("fmul", a, b), c)

    def any(self, condition: str) -> str:
        """Return whether a condition holds for one of the numbers."""
        if self.width == 1:
            return condition
        packed = self.new(f"bitcast {self.type('i1')} {condition} to i{self.width}")
        return self.new(f"icmp ne i{self.width} {packed}, 0")
