"""From the values of a program to its steps.

A value becomes a step if it has a name or if a step needs it. Chains of products and of sums
without names become one step each, unless a part of the chain is used twice. Steps stand in the
order in which their values were written. A sum that only begins other sums is written out in each
of them, as textbooks do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mbx.formalism.automatic_names import automatic_name

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Step

__all__ = ["assemble", "reserve_name"]

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
