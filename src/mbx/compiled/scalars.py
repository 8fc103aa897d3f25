"""Expressions of some symbols as a function of one array: machine code, or else Python.

What is no equations of motion needs no signature: the symbols are numbers of one array, in
order, and results come one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.codegen.routine import Argument, Iteration, Routine
from mbx.compiled import llvm
from mbx.compiled.function import Function
from mbx.compiled.layout import Layout
from mbx.compiled.plan import plans
from mbx.expr.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node

__all__ = ["Scalars"]


class Scalars:
    """Results in machine code where llvmlite is there, and else by the kernel in Python.

    Attributes:
        symbols: What goes in, in order.
        results: What comes out, rows of expressions by name.
        backend: llvm or python.
    """

    def __init__(
        self,
        symbols: Sequence[Node],
        results: Mapping[str, Sequence[Sequence[Node]]],
        iterations: Sequence[Iteration] = (),
        *,
        keep: bool = False,
    ) -> None:
        """Compile; with `keep`, machine code is taken from disk and left there."""
        self.symbols = tuple(symbols)
        self.results = {name: tuple(map(tuple, rows)) for name, rows in results.items()}
        self._flat = [node for rows in self.results.values() for row in rows for node in row]
        self._places: dict[str, tuple[int, int, tuple[int, int]]] = {}
        begin = 0
        for name, rows in self.results.items():
            shape = (len(rows), len(rows[0]) if rows else 0)
            self._places[name] = (begin, begin + shape[0] * shape[1], shape)
            begin += shape[0] * shape[1]
        self._function: Function | None = None
        if llvm.available():
            arguments = tuple(
                Argument(symbol, "q", k, str(symbol.value)) for k, symbol in enumerate(self.symbols)
            )
            routine = Routine(arguments, tuple(iterations), self.results, {})
            layout, work = Layout.of(routine), plans(routine)
            code = llvm.LlvmCode(work, layout, keep)
            self._function = Function("llvm", layout, code, len(work.setup.outputs))
        elif iterations:
            raise ValueError("iterations need machine code")
        self._constants = None if self._function is None else self._function.constants()

    @property
    def backend(self) -> str:
        """What evaluates it."""
        return "python" if self._function is None else "llvm"

    def flat(self, x: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all results one after the other, and a status: 0 where all is well.

        They are overwritten by the next call.
        """
        if self._function is not None:
            return self._function.single(x, (), constants=self._constants)
        values = dict(zip(self.symbols, map(float, x), strict=True))
        try:
            found = [float(value) for value in evaluate(self._flat, values)]
        except (ArithmeticError, ValueError):
            return np.array([np.nan] * len(self._flat) + [1.0])
        return np.array([*found, 0.0])

    def __call__(self, x: Sequence[float] | NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the results by name, as matrices."""
        found = self.flat(x)
        return {
            name: found[begin:end].reshape(shape).copy()
            for name, (begin, end, shape) in self._places.items()
        }

    def part(self, found: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        """Return one result out of all, a view."""
        begin, end, shape = self._places[name]
        return found[begin:end].reshape(shape)
