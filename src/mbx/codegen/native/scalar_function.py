"""Expressions of some symbols as a function of one array: machine code, or else Python.

What is no equations of motion needs no signature: the symbols are numbers of one array, in
order, and results come one after the other. Parameters are numbers that stay: the same code
serves other values of them (`with_values`).
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from mbx.codegen.native.argument_layout import Layout
from mbx.codegen.native.function import Function
from mbx.codegen.native.llvm import llvm_backend
from mbx.codegen.native.tape_plan import plans
from mbx.codegen.routine import Argument, Iteration, Routine
from mbx.expr.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node

__all__ = ["Scalars", "function_of"]


def function_of(routine: Routine, *, keep: bool = False) -> Function:
    """Return a routine in machine code by llvmlite; with `keep`, it may be on disk already."""
    layout, work = Layout.of(routine), plans(routine)
    return Function(
        "llvm", layout, llvm_backend.LlvmCode(work, layout, keep), len(work.setup.outputs)
    )


class Scalars:
    """Results in machine code where llvmlite is there, and else by the kernel in Python.

    Attributes:
        symbols: What goes in, in order.
        results: What comes out, rows of expressions by name.
        parameters: What stays, in order; `values` are its numbers.
        function: The machine code, if there is some.
        backend: llvm or python.
    """

    def __init__(
        self,
        symbols: Sequence[Node],
        results: Mapping[str, Sequence[Sequence[Node]]],
        iterations: Sequence[Iteration] = (),
        *,
        parameters: Mapping[Node, float] | None = None,
        keep: bool = False,
    ) -> None:
        """Compile; with `keep`, machine code is taken from disk and left there."""
        self.symbols = tuple(symbols)
        self.parameters = tuple(parameters or ())
        self.values = tuple((parameters or {}).values())
        self.results = {name: tuple(map(tuple, rows)) for name, rows in results.items()}
        self._flat = [node for rows in self.results.values() for row in rows for node in row]
        self._places: dict[str, tuple[int, int, tuple[int, int]]] = {}
        begin = 0
        for name, rows in self.results.items():
            shape = (len(rows), len(rows[0]) if rows else 0)
            self._places[name] = (begin, begin + shape[0] * shape[1], shape)
            begin += shape[0] * shape[1]
        self.function: Function | None = None
        if llvm_backend.available():
            arguments = [Argument(s, "q", k, str(s.value)) for k, s in enumerate(self.symbols)]
            arguments += [
                Argument(s, "parameters", k, str(s.value)) for k, s in enumerate(self.parameters)
            ]
            routine = Routine(tuple(arguments), tuple(iterations), self.results, {})
            self.function = function_of(routine, keep=keep)
        elif iterations:
            raise ValueError("iterations need machine code")
        self.put(self.values)

    def put(self, values: Sequence[float]) -> Scalars:
        """Take other values of the parameters."""
        self.values = tuple(values)
        made = None if self.function is None else self.function.constants(self.values)
        self._constants = made
        return self

    def with_values(self, values: Sequence[float]) -> Scalars:
        """Return the same code with other values of its parameters."""
        return copy(self).put(values)

    @property
    def backend(self) -> str:
        """What evaluates it."""
        return "python" if self.function is None else "llvm"

    def flat(self, x: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all results one after the other, and a status: 0 where all is well.

        They are overwritten by the next call.
        """
        if self.function is not None:
            return self.function.single(x, (), constants=self._constants)
        values = dict(zip(self.symbols, map(float, x), strict=True))
        values |= dict(zip(self.parameters, self.values, strict=True))
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

    def many(self, x: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return the results at several places, by name: the first axis counts places."""
        if self.function is None:
            each = np.array([self.flat(one)[:-1] for one in x]).reshape(len(x), -1)
        else:
            arguments = (x, np.zeros(0), 0.0, None, self.values)
            given = self.function(*arguments)
            parts = [np.asarray(given[name]).reshape(len(x), -1) for name in self.results]
            each = np.concatenate(parts, axis=1)
        return {
            name: each[:, begin:end].reshape(len(x), *shape)
            for name, (begin, end, shape) in self._places.items()
        }

    def part(self, found: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        """Return one result out of all, a view."""
        begin, end, shape = self._places[name]
        return found[begin:end].reshape(shape)
