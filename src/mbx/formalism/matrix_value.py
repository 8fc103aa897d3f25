"""Matrices as values: operations written with operators, their names, and the steps they become.

A value holds an operation and its arguments. It becomes a step if it has a name or if a step needs
it. Equal operations on equal arguments are the same value. Chains of products and of sums without
names become one step each, unless a part of the chain is used twice; steps stand in the order in
which their values were written. A step without a name gets the name that a reader would give it:
the transpose of A is `At`, minus b is `bm`, the product of Ct and M is `CtM`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.formalism.program import Op, Step
from mbx.formalism.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.shapes import Shape


__all__ = ["Implicit", "Label", "Matrix", "assemble", "automatic_name", "operate", "reserve_name"]

_ENDINGS: Final = {
    "transpose": "t",
    "absolute": "a",
    "rows": "r",
    "pinv": "p",
    "sqrtm": "s",
    "nullspace": "n",
}
_LONGEST: Final = 16
_NUMBERED: Final = re.compile(r"(.*?)(_?\d*)", re.DOTALL)


def automatic_name(
    program: Program, matrix: Matrix, args: Sequence[str], taken: Collection[str]
) -> str:
    """Return a name for a value with these names of its arguments, unlike all in use."""
    name = program.hints.get(matrix) or _join_apart(program, matrix, args)
    used = {*program.names, *program.automatic.values(), *taken}
    if name not in used:
        return name
    count = 2
    while f"{name}_{count}" in used:
        count += 1
    return f"{name}_{count}"


def _join_apart(program: Program, matrix: Matrix, args: Sequence[str]) -> str:
    """Return names joined; in a residual, values begin with `r_` and magnitudes with `s_`."""
    if not program.apart:
        return _join(matrix, args)
    if matrix.op == "absolute":
        return f"s_{args[0]}"
    start = "s_" if args and all(arg.startswith("s_") for arg in args) else "r_"
    return start + _join(matrix, [arg[2:] if arg[:2] in {"r_", "s_"} else arg for arg in args])


def _join(matrix: Matrix, args: Sequence[str]) -> str:
    """Return the names of the arguments with a sign of the operation, if that is short."""
    if not args:
        return {"identity": "one"}.get(matrix.op, matrix.op)
    split = [_NUMBERED.fullmatch(arg) for arg in args]
    parts = [(m[1], m[2]) if m else (arg, "") for m, arg in zip(split, args, strict=True)]
    number = parts[0][1]
    if any(n != number for _, n in parts):
        parts, number = [(arg, "") for arg in args], ""
    stems = [stem for stem, _ in parts]
    match matrix.op:
        case "sum" if matrix.template.signs == (-1,):
            stem = f"{stems[0]}m"
        case "sum":
            signs = ["p" if sign > 0 else "m" for sign in matrix.template.signs]
            stem = stems[0] + "".join(
                f"{sign}{each}" for sign, each in zip(signs[1:], stems[1:], strict=False)
            )
        case "product" | "block":
            stem = "".join(stems)
        case "solve":
            stem = f"{stems[0]}i{stems[1]}"
        case _:
            stem = stems[0] + _ENDINGS.get(matrix.op, "")
    if len(stem) > _LONGEST:
        stem = matrix.op
    return stem + number


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


_CHAINS = ("product", "sum")


def assemble(program: Program) -> list[Step]:
    """Return the steps of a program; automatic names are kept for the next time."""
    plan = _Plan(program)
    plan.collect()
    return plan.write()


def reserve_name(program: Program, matrix: Matrix) -> str:
    """Return the automatic name of a value without a name."""
    if matrix in program.automatic:
        return program.automatic.pop(matrix)
    args = [program.name_of(arg) or reserve_name(program, arg) for arg in matrix.args]
    return automatic_name(program, matrix, args, set())


@dataclass(slots=True)
class _Plan:
    """Which values are steps of a program, how often steps use them, and their names."""

    program: Program
    outer: _Plan | None = None
    live: set[Matrix] = field(default_factory=set)
    uses: Counter[Matrix] = field(default_factory=Counter)
    summed: Counter[Matrix] = field(default_factory=Counter)
    inner: dict[Matrix, _Plan] = field(default_factory=dict)
    names: dict[Matrix, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def collect(self) -> None:
        """Collect what is a step."""
        if self.program.apart and self.program.outer is not None:
            self.outer = _Plan(self.program.outer)
            self.outer.collect()
            self.outer.write()
        for matrix in self.program.labels:
            self.visit(matrix)

    def visit(self, matrix: Matrix) -> None:
        """Make a value and what it needs steps of this plan."""
        if matrix in self.live:
            return
        self.live.add(matrix)
        for arg in matrix.args:
            self.use(arg)
        if matrix.op == "sum" and matrix.args:
            self.summed[matrix.args[0]] += 1
        if matrix.implicit is not None:
            inner = self.inner[matrix] = _Plan(matrix.implicit.program, self)
            for each in (*inner.program.labels, matrix.implicit.unknown, matrix.implicit.residual):
                inner.visit(each)

    def use(self, matrix: Matrix) -> None:
        """Count a use of a value by a step, where it is computed."""
        if self.computes(matrix):
            self.uses[matrix] += 1
            self.visit(matrix)
        elif not self.program.apart and self.outer is not None:
            self.outer.use(matrix)

    def computes(self, matrix: Matrix) -> bool:
        """Return whether this program computes a value."""
        if matrix.home is self.program or matrix in self.program.labels or self.outer is None:
            return True
        return self.program.apart and not self.outer.has(matrix)

    def has(self, matrix: Matrix) -> bool:
        """Return whether a value is a step of this program or of one around it."""
        return matrix in self.names or (self.outer is not None and self.outer.has(matrix))

    def write(self) -> list[Step]:
        """Return the steps in their order."""
        steps: list[Step] = []
        absorbed: set[Matrix] = set()
        for matrix in self.live:
            self._terms(matrix, absorbed)
        for matrix in self.program.order:
            if matrix in self.live and matrix not in absorbed:
                self._emit(matrix, steps)
        return steps

    def _emit(self, matrix: Matrix, steps: list[Step]) -> None:
        """Add the step of a value behind those of its arguments."""
        if matrix in self.names:
            return
        terms = self._terms(matrix)
        for _, arg in terms:
            if self.computes(arg):
                self._emit(arg, steps)
        args = [self.name(arg) for _, arg in terms]
        label = self.program.labels.get(matrix)
        automatic = self.program.automatic
        if label is not None:
            name = label.name
        else:
            if matrix not in automatic:
                automatic[matrix] = automatic_name(self.program, matrix, args, self.seen)
            name = automatic[matrix]
        self.names[matrix] = name
        template = matrix.template
        if matrix.op in _CHAINS and matrix.args:
            signs = tuple(sign for sign, _ in terms) if matrix.op == "sum" else ()
            template = replace(template, args=tuple(args), signs=signs)
        elif template.grid and matrix.args:
            grid = tuple(
                tuple(None if x is None else args[int(x)] for x in row) for row in template.grid
            )
            template = replace(template, grid=grid)
        elif matrix.args:
            template = replace(template, args=tuple(args))
        if matrix.implicit is not None:
            inner = self.inner[matrix]
            inner_steps = tuple(inner.write())
            template = replace(
                template,
                steps=inner_steps,
                unknown=inner.names[matrix.implicit.unknown],
                residual=inner.names[matrix.implicit.residual],
            )
        if label is not None:
            columns = label.columns or template.column_labels  # expressions have theirs
            template = replace(
                template,
                meaning=label.meaning,
                symbol=label.symbol,
                row_labels=label.rows,
                column_labels=columns,
            )
        part = self.program.parts.get(matrix, "")
        steps.append(replace(template, name=name, part=part))

    def name(self, matrix: Matrix) -> str:
        """Return the name of a step of this program or of one around it."""
        if matrix in self.names:
            return self.names[matrix]
        assert self.outer is not None  # noqa: S101
        name = self.outer.name(matrix)
        self.seen.add(name)
        return name

    def _terms(
        self, matrix: Matrix, absorbed: set[Matrix] | None = None
    ) -> list[tuple[int, Matrix]]:
        """Return the arguments with signs; a chain that nothing else uses is one operation."""
        signs = matrix.template.signs or (1,) * len(matrix.args)
        if matrix.op not in _CHAINS or not matrix.args:
            return [(1, arg) for arg in matrix.args]
        terms = list(zip(signs, matrix.args, strict=True))
        sign, first = terms[0]
        if (
            first.op != matrix.op
            or not first.args
            or not self.computes(first)
            or first in self.program.labels
            or self.uses[first] > (self.summed[first] if matrix.op == "sum" else 1)
        ):
            return terms
        if absorbed is not None:
            absorbed.add(first)
        return [(sign * s, arg) for s, arg in self._terms(first, absorbed)] + terms[1:]
