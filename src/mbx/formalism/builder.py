"""A program under construction: what converters write with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER
from mbx.formalism.equations import Equations, signature
from mbx.formalism.matrix_value import Implicit, Label, Matrix, assemble, operate, reserve_name
from mbx.formalism.program import Residual, SolveKind, Step, entries_of
from mbx.formalism.shapes import needs, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.shapes import Shape
    from mbx.system.system import System

__all__ = ["Program"]


@dataclass(slots=True, eq=False)
class Program:
    """Matrix values in the order in which they were written.

    Attributes:
        outer: The program whose values this one may use, for the inner program of an implicit
            step or a residual.
        apart: Whether values of the outer program that are no steps of it are computed here,
            as a residual does, which adds nothing to the program.
        part: The part of the algorithm that values written now belong to.
        within: What that part is itself a part of.
        order: The values, and those of an outer program that are named here.
        labels: Names of values, with meanings.
        names: Values by name.
        automatic: Names of the steps that have no name of their own.
        hints: Names proposed for such steps.
        parts: The parts of values.
        replaced: What replaces symbols in expressions that are written from now on.
        owners: For symbols that stand for entries of matrices, the matrix and all its symbols.
    """

    outer: Program | None = None
    apart: bool = False
    part: str = ""
    within: str = ""
    order: list[Matrix] = field(default_factory=list)
    labels: dict[Matrix, Label] = field(default_factory=dict)
    names: dict[str, Matrix] = field(default_factory=dict)
    automatic: dict[Matrix, str] = field(default_factory=dict)
    hints: dict[Matrix, str] = field(default_factory=dict)
    parts: dict[Matrix, str] = field(default_factory=dict)
    replaced: dict[Node, Node] = field(default_factory=dict)
    owners: dict[Node, tuple[str, tuple[Node, ...]]] = field(default_factory=dict)
    _known: dict[tuple[Step, tuple[Matrix, ...]], Matrix] = field(default_factory=dict)

    @property
    def around(self) -> tuple[Program, ...]:
        """This program and those around it, outwards."""
        return (self, *(self.outer.around if self.outer else ()))

    @property
    def steps(self) -> list[Step]:
        """The steps of all values that have a name, and of those that they need."""
        return assemble(self)

    def begin(self, part: str) -> None:
        """Begin a part of the algorithm, such as a sweep."""
        self.part = f"{self.within}: {part}" if self.within else part

    def name_of(self, matrix: Matrix) -> str:
        """Return the name that a value has in this program or in one around it, or ""."""
        for program in self.around:
            if matrix in program.labels:
                return program.labels[matrix].name
        return ""

    def find(self, name: str) -> Matrix:
        """Return the value with a name, of this program or of one around it."""
        for program in self.around:
            if name in program.names:
                return program.names[name]
        raise EquationsError(f"no matrix is called '{name}'")

    def value(
        self,
        template: Step,
        args: tuple[Matrix, ...],
        size: Shape,
        implicit: Implicit | None = None,
    ) -> Matrix:
        """Return the value of an operation: the one that was written before, or a new one."""
        alike = (template, args) if args else None
        if alike and alike in self._known:
            return self._known[alike]
        matrix = Matrix(self, template, args, size, implicit)
        if alike:
            self._known[alike] = matrix
        self.place(matrix)
        return matrix

    def place(self, matrix: Matrix) -> Matrix:
        """Put the step of a value, if it becomes one, here in the order of this program."""
        if matrix not in self.parts:
            self.order.append(matrix)
            self.parts[matrix] = self.part
        return matrix

    def let(
        self,
        name: str,
        value: Matrix,
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> Matrix:
        """Give a value a name; return it.

        A value that already has a name of its own in this program gets a second step.
        """
        while value in self.labels:
            value = operate("sum", (value,), signs=(1,))
        if value in self.automatic:
            raise EquationsError(f"'{name}': the value is already '{self.automatic[value]}'")
        if name in self.names or name in self.automatic.values():
            raise EquationsError(f"two matrices are called '{name}'")
        self.place(value)
        self.labels[value] = Label(name, meaning, symbol, tuple(rows), tuple(columns))
        self.names[name] = value
        return value

    def add(self, step: Step) -> Matrix:
        """Add a step that names its arguments."""
        try:
            size = shape(step, {name: self.find(name).shape for name in needs(step)})
        except EquationsError:  # of matrices that this program does not know
            size = (None, None)
        matrix = self.value(step, (), size)
        return self.let(step.name, matrix, step.meaning, step.symbol, step.row_labels)

    def define(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> Matrix:
        """Add a matrix of expressions."""
        return self._define(name, entries, (meaning, symbol), tuple(rows), tuple(columns), {})

    def column(
        self,
        name: str,
        entries: Sequence[Node],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
    ) -> Matrix:
        """Add a column of expressions."""
        return self._define(name, [[x] for x in entries], (meaning, symbol), tuple(rows), (), {}, 1)

    def derived(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] | None = None,
        of: Mapping[Matrix, Sequence[Node]] | None = None,
    ) -> Matrix:
        """Add a matrix of expressions of entries of other matrices.

        The expressions name the `entries` of these, or the symbols that `of` has for the entries
        of each, row by row.
        """
        stand = {self._name(matrix): tuple(symbols) for matrix, symbols in (of or {}).items()}
        width = 1 if columns is None and of is not None and not entries else None
        labels = tuple(columns or ())
        return self._define(name, entries, (meaning, symbol), tuple(rows), labels, stand, width)

    def _define(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        labels: tuple[str, str],
        rows: tuple[str, ...],
        columns: tuple[str, ...],
        stand: Mapping[str, tuple[Node, ...]],
        width: int | None = None,
    ) -> Matrix:
        if width is None:
            width = len(entries[0]) if entries else len(columns)
        for program in self.around:
            if program.replaced:
                entries = [substitute(row, program.replaced) for row in entries]
        owning = [program.owners for program in self.around if program.owners]
        used = free_symbols(node for row in entries for node in row) if owning else ()
        stand = {**stand, **dict(owners[x] for x in used for owners in owning if x in owners)}
        step = Step(
            name=name,
            op="define",
            args=tuple(stand),
            symbols=tuple(x for symbols in stand.values() for x in symbols),
            entries=tuple(tuple(row) for row in entries),
            size=(len(entries), width),
            meaning=labels[0],
            symbol=labels[1],
            row_labels=rows,
            column_labels=columns,
        )
        return self.add(step)

    def given(self, name: str, symbols: Sequence[Node] = (), size: int | None = None) -> Matrix:
        """Add a column that comes from outside; symbols stand for its entries, if any."""
        count = len(symbols) if size is None else size
        entries = tuple((s,) for s in symbols)
        return self.add(Step(name=name, op="given", size=(count, 1), entries=entries))

    def identity(self, n: int) -> Matrix:
        """Return a unit matrix."""
        step = Step(name="", op="identity", size=(n, n))
        return operate("identity", (), program=self, like=step)

    def sum(self, values: Sequence[Matrix]) -> Matrix:
        """Return the sum of one value or more."""
        return operate("sum", values, signs=(1,) * len(values))

    def product(self, *factors: Matrix) -> Matrix:
        """Return a product that is one step, whatever else its first factors begin."""
        return operate("product", factors)

    def stack(self, *blocks: Matrix) -> Matrix:
        """Return matrices one below the other."""
        return self.block([[each] for each in blocks])

    def block(self, grid: Sequence[Sequence[Matrix | None]]) -> Matrix:
        """Return a matrix of blocks; None is a block of zeros."""
        args = [x for row in grid for x in row if x is not None]
        numbers = iter(range(len(args)))
        names = tuple(tuple(None if x is None else str(next(numbers)) for x in row) for row in grid)
        return operate("block", args, program=self, grid=names)

    def diagonal(self, *blocks: Matrix) -> Matrix:
        """Return a matrix with these blocks on its diagonal, and zeros."""
        n = range(len(blocks))
        return self.block([[blocks[i] if i == j else None for j in n] for i in n])

    def pinv(self, matrix: Matrix) -> Matrix:
        """Return the Moore-Penrose inverse."""
        return operate("pinv", (matrix,))

    def sqrtm(self, matrix: Matrix) -> Matrix:
        """Return the square root of a symmetric positive definite matrix."""
        return operate("sqrtm", (matrix,))

    def null(
        self,
        name: str,
        matrix: Matrix,
        independent: tuple[int, ...] | None = None,
        meaning: str = "",
        symbol: str = "",
    ) -> Matrix:
        """Add columns that a matrix takes to zero.

        They are the unit matrix in the `independent` rows; without these, orthonormal.
        """
        return self.let(name, operate("nullspace", (matrix,), indices=independent), meaning, symbol)

    def solve(
        self,
        name: str,
        matrix: Matrix,
        right: Matrix,
        kind: SolveKind | None = None,
        unique: int | None = None,
        together: int = 0,
        meaning: str = "",
        symbol: str = "",
    ) -> Matrix:
        """Add the solution of linear equations: without a kind, of square ones.

        With `unique`, rows may be dependent, and that many first unknowns must be unique.
        """
        kind = kind or ("general" if unique is None else "least_squares")
        step = Step(name="", op="solve", kind=kind, unique=unique, together=together)
        value = operate("solve", (matrix, right), like=step)
        for arg, hint in ((matrix, "K"), (right, "k")):
            if arg.op == "block":
                arg.home.hints.setdefault(arg, hint)
        return self.let(name, value, meaning, symbol)

    def implicit(
        self,
        name: str,
        inner: Program,
        unknown: Matrix,
        residual: Matrix,
        meaning: str = "",
        rows: Iterable[str] = (),
    ) -> Matrix:
        """Add the unknown of an inner program for which its residual is zero."""
        if unknown.shape[1] != 1 or residual.shape != unknown.shape:
            message = f"the unknown '{unknown}' and the residual '{residual}' differ in size"
            raise EquationsError(f"'{name}': {message}")
        step = Step(name="", op="implicit")
        value = self.value(step, (), unknown.shape, Implicit(inner, unknown, residual))
        return self.let(name, value, meaning, rows=rows)

    def entries(
        self, matrix: Matrix | str, size: tuple[int, int] | None = None
    ) -> list[list[Node]]:
        """Return the entries of a matrix for expressions: numbers, or symbols.

        An entry that is a number is that number, so that zeros are seen, also in rows of a matrix
        of expressions. A name with a size stands for a matrix that is no value of this program.
        """
        name = matrix if isinstance(matrix, str) else self._name(matrix)
        expressions: Sequence[Sequence[Node]] = ()
        if size is None:
            value = self.find(name)
            rows, columns = value.shape
            if rows is None or columns is None:
                raise EquationsError(f"the size of '{name}' depends on a rank")
            size = rows, columns
            expressions = value.expressions
        named = entries_of(name, *size)
        symbols = tuple(x for row in named for x in row)
        self.owners |= dict.fromkeys(symbols, (name, symbols))
        return [
            [x if x.op is NUMBER else s for x, s in zip(xs, ss, strict=True)]
            for xs, ss in zip(expressions or named, named, strict=True)
        ]

    def elements(self, column: Matrix) -> list[Node]:
        """Return the entries of a column for expressions, from the top."""
        return [x for (x,) in self.entries(column)]

    def _name(self, matrix: Matrix) -> str:
        """Return the name of a value; a value without one gets its automatic name for good."""
        if not self.name_of(matrix):
            matrix.home.let(reserve_name(matrix.home, matrix), matrix)
        return self.name_of(matrix)

    def residual(
        self, name: str, value: Matrix, magnitude: Matrix, labels: Sequence[str] = ()
    ) -> Residual:
        """Return equations to put accelerations into, which are the steps of this program."""
        return Residual(
            name=name,
            steps=tuple(self.steps),  # which gives automatic names
            value=self.name_of(value) or self.automatic[value],
            magnitude=self.name_of(magnitude) or self.automatic[magnitude],
            labels=tuple(labels),
        )

    def equations(
        self,
        system: System,
        formalism: str,
        title: str,
        reference: str,
        results: Mapping[str, Matrix | str],
        residuals: Sequence[Residual] = (),
        variant: str = "",
        notes: Sequence[str] = (),
    ) -> Equations:
        """Return the finished equations; the kinematics qd = N u + n is the same in all forms."""
        names = {k: x if isinstance(x, str) else self._name(x) for k, x in results.items()}
        if self.part:
            self.begin("rates of the coordinates")
        if "qd" not in results and system.q:
            rates = [system.qd[v.rate] for v in system.q]
            labels = [v.path for v in system.q]
            names["qd"] = self.column("qd", rates, "rates of the coordinates", rows=labels).name
        steps = tuple(self.steps)
        return Equations(
            formalism=formalism,
            variant=variant,
            title=title,
            reference=reference,
            model=system.name,
            signature=signature(system, steps, residuals),
            steps=steps,
            results=names,
            residuals=tuple(residuals),
            notes=(*system.notes, *notes),
        )
