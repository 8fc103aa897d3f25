"""A program whose matrices are names: for converters that do not write values yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.program import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual, SolveKind
    from mbx.system.system import System

__all__ = ["NamedProgram", "by_name"]


@dataclass(slots=True)
class NamedProgram:
    """Steps in the making; every method adds one to `values` and returns its name."""

    values: Program = field(default_factory=Program)

    @classmethod
    def after(cls, steps: Iterable[Step]) -> NamedProgram:
        """Return a program that begins with these steps."""
        program = cls()
        for step in steps:
            program.add(step)
        return program

    @property
    def steps(self) -> list[Step]:
        """The steps so far."""
        return self.values.steps

    @property
    def within(self) -> str:
        """What the parts are a part of."""
        return self.values.within

    @within.setter
    def within(self, part: str) -> None:
        self.values.within = part

    def begin(self, part: str) -> None:
        """Begin a part of the algorithm."""
        self.values.begin(part)

    def add(self, step: Step) -> str:
        """Add a step."""
        return self.values.add(step).name

    def find(self, name: str) -> Matrix:
        """Return the value with a name."""
        return self.values.find(name)

    def entries(self, name: str, size: tuple[int, int] | None = None) -> list[list[Node]]:
        """Return the entries of a matrix for expressions in `derived`."""
        return self.values.entries(name, size)

    def derived(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> str:
        """Add a matrix of expressions that also name `entries` of matrices before it."""
        return self.values.derived(name, entries, meaning, symbol, rows, columns).name

    def define(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> str:
        """Add a matrix of expressions."""
        return self.values.define(name, entries, meaning, symbol, rows, columns).name

    def column(
        self,
        name: str,
        entries: Sequence[Node],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
    ) -> str:
        """Add a column of expressions."""
        return self.values.column(name, entries, meaning, symbol, rows).name

    def given(self, name: str, symbols: Sequence[Node] = (), size: int | None = None) -> str:
        """Add a column that comes from outside."""
        return self.values.given(name, symbols, size).name

    def product(self, name: str, *args: str, meaning: str = "", symbol: str = "") -> str:
        """Add a product."""
        return self.add(Step(name=name, op="product", args=args, meaning=meaning, symbol=symbol))

    def sum(
        self,
        name: str,
        *args: str,
        signs: tuple[int, ...] = (),
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add a sum; without signs, all are plus."""
        signs = signs or (1,) * len(args)
        return self.add(
            Step(name=name, op="sum", args=args, signs=signs, meaning=meaning, symbol=symbol)
        )

    def transpose(self, name: str, arg: str, meaning: str = "") -> str:
        """Add a transpose."""
        return self.add(Step(name=name, op="transpose", args=(arg,), meaning=meaning))

    def absolute(self, name: str, arg: str) -> str:
        """Add the magnitudes of a matrix."""
        return self.add(Step(name=name, op="absolute", args=(arg,)))

    def block(self, name: str, grid: Sequence[Sequence[str | None]], meaning: str = "") -> str:
        """Add a matrix of blocks."""
        return self.add(
            Step(name=name, op="block", grid=tuple(tuple(r) for r in grid), meaning=meaning)
        )

    def rows(self, name: str, arg: str, indices: Iterable[int], meaning: str = "") -> str:
        """Add some rows of a matrix."""
        return self.add(
            Step(name=name, op="rows", args=(arg,), indices=tuple(indices), meaning=meaning)
        )

    def solve(
        self,
        name: str,
        matrix: str,
        right: str,
        kind: SolveKind = "general",
        unique: int | None = None,
        together: int = 0,
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add the solution of linear equations."""
        return self.add(
            Step(
                name=name,
                op="solve",
                args=(matrix, right),
                kind=kind,
                unique=unique,
                together=together,
                meaning=meaning,
                symbol=symbol,
            )
        )

    def pinv(self, name: str, arg: str, meaning: str = "") -> str:
        """Add a Moore-Penrose inverse."""
        return self.add(Step(name=name, op="pinv", args=(arg,), meaning=meaning))

    def sqrtm(self, name: str, arg: str, meaning: str = "") -> str:
        """Add the square root of a symmetric positive definite matrix."""
        return self.add(Step(name=name, op="sqrtm", args=(arg,), meaning=meaning))

    def identity(self, name: str, n: int, meaning: str = "") -> str:
        """Add a unit matrix."""
        return self.add(Step(name=name, op="identity", size=(n, n), meaning=meaning))

    def nullspace(
        self,
        name: str,
        arg: str,
        independent: tuple[int, ...] | None = None,
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add columns that a matrix takes to zero."""
        return self.add(
            Step(
                name=name,
                op="nullspace",
                args=(arg,),
                indices=independent,
                meaning=meaning,
                symbol=symbol,
            )
        )

    def equations(
        self,
        system: System,
        formalism: str,
        title: str,
        reference: str,
        results: Mapping[str, str],
        residuals: Sequence[Residual] = (),
        variant: str = "",
        notes: Sequence[str] = (),
    ) -> Equations:
        """Return the finished equations."""
        return self.values.equations(
            system, formalism, title, reference, results, residuals, variant, notes
        )


def by_name(
    solve: Callable[[NamedProgram, str], tuple[str, str]],
) -> Callable[[Program, Matrix], tuple[Matrix, Matrix]]:
    """Return a function of values for one that writes the same with names."""

    def values(p: Program, h: Matrix) -> tuple[Matrix, Matrix]:
        x, lam = solve(NamedProgram(p), h.name)
        return p.find(x), p.find(lam)

    return values
