"""Matrices as values: operations on matrices, written with operators.

A value holds an operation and its arguments. It becomes a step of a program when it has a name
or when a step needs it; `mbx.formalism.assemble_steps` turns the values of a program into steps.
Equal operations on equal arguments are the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.formalism.program import Op, Step
from mbx.formalism.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.shapes import Shape

__all__ = ["Implicit", "Label", "Matrix", "operate"]

_SIGNS = {(1, 1): " + ", (1, -1): " - "}


@dataclass(frozen=True, slots=True)
class Label:
    """What is written about a step in addition to its operation."""

    name: str
    meaning: str = ""
    symbol: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Implicit:
    """The inner program of an implicit step: from the unknown to the residual."""

    program: Program
    unknown: Matrix
    residual: Matrix


@dataclass(frozen=True, eq=False, slots=True)
class Matrix:
    """A matrix of a program.

    Attributes:
        home: The program that computes it: the innermost program of its arguments.
        template: The operation with its attributes; its arguments are numbered "0", "1", ...
        args: The arguments.
        shape: Rows and columns; None depends on the rank of a matrix.
        implicit: The inner program of an implicit step.
    """

    home: Program
    template: Step
    args: tuple[Matrix, ...]
    shape: Shape
    implicit: Implicit | None = None

    @property
    def op(self) -> Op:
        """The operation."""
        return self.template.op

    @property
    def name(self) -> str:
        """The name of its step, or "" if it has no name of its own."""
        return self.home.name_of(self)

    @property
    def T(self) -> Matrix:  # noqa: N802  as in NumPy
        """The transpose."""
        if self.op == "transpose" and not self.home.name_of(self) and self.args:
            return self.args[0]
        return operate("transpose", (self,))

    @property
    def expressions(self) -> tuple[tuple[Node, ...], ...]:
        """The expressions of its entries, of a matrix of these and of rows of one; else none."""
        if self.op == "rows" and self.args:
            every = self.args[0].expressions
            return tuple(every[k] for k in self.template.indices or ()) if every else ()
        return self.template.entries if self.op == "define" else ()

    def rows(self, indices: Iterable[int]) -> Matrix:
        """Return the rows with these indices."""
        return operate("rows", (self,), indices=tuple(indices))

    def __matmul__(self, other: Matrix) -> Matrix:
        """Return the product."""
        return operate("product", (self, other))

    def __add__(self, other: Matrix) -> Matrix:
        """Return the sum."""
        return operate("sum", (self, other), signs=(1, 1))

    def __sub__(self, other: Matrix) -> Matrix:
        """Return the difference."""
        return operate("sum", (self, other), signs=(1, -1))

    def __neg__(self) -> Matrix:
        """Return the negative."""
        return operate("sum", (self,), signs=(-1,))

    def __abs__(self) -> Matrix:
        """Return the magnitudes of the entries."""
        return operate("absolute", (self,))

    def __str__(self) -> str:
        """Return its name, or the operation on the names of its arguments."""
        if self.name:
            return self.name
        args = [f"({x})" if not x.name and len(x.args) > 1 else str(x) for x in self.args]
        match self.op:
            case "product":
                return " @ ".join(args)
            case "sum" if self.template.signs in _SIGNS:
                return _SIGNS[self.template.signs].join(args)
            case "sum" if self.template.signs == (-1,):
                return f"-{args[0]}"
            case "transpose":
                return f"{args[0]}.T"
            case "absolute":
                return f"abs({args[0]})"
        return f"{self.op}({', '.join(args)})"

    def __repr__(self) -> str:
        """Return what it is, and its size."""
        return f"<Matrix {self}, {_size(self)}>"


def operate(
    op: Op,
    args: Sequence[Matrix],
    *,
    program: Program | None = None,
    signs: tuple[int, ...] = (),
    indices: tuple[int, ...] | None = None,
    grid: tuple[tuple[str | None, ...], ...] = (),
    like: Step | None = None,
) -> Matrix:
    """Return the value of an operation, checking that the sizes of its arguments fit.

    `program` is the home of an operation without arguments; `like` holds further attributes.
    """
    args = tuple(args)
    template = like or Step(name="", op=op, signs=signs, indices=indices, grid=grid)
    if not grid and not template.args:
        template = _numbered(template, len(args))
    home = _home(op, args, program)
    shape = _shape(template, args)
    return home.value(template, args, shape)


def _numbered(template: Step, count: int) -> Step:
    return replace(template, args=tuple(str(k) for k in range(count)))


def _home(op: Op, args: Sequence[Matrix], program: Program | None) -> Program:
    """Return the innermost program of the arguments; each must be of it or of one around it."""
    homes = [arg.home for arg in args] or ([program] if program else [])
    home = max(homes, key=lambda p: len(p.around))
    around = home.around
    for arg in args:
        if all(arg.home is not p for p in around):
            text = ", ".join(map(str, args))
            raise EquationsError(f"{op} of {text}: '{arg}' belongs to another program")
    return home


def _shape(template: Step, args: Sequence[Matrix]) -> Shape:
    try:
        return shape_of(template, {str(k): arg.shape for k, arg in enumerate(args)})
    except ValueError as error:
        of = ", ".join(f"'{arg}' ({_size(arg)})" for arg in args)
        raise EquationsError(f"{template.op} of {of}: {error}") from error


def _size(matrix: Matrix) -> str:
    rows, columns = ("?" if n is None else n for n in matrix.shape)
    return f"{rows} by {columns}"
