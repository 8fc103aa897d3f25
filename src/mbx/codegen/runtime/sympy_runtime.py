"""Equations of motion as objects of SymPy, with the attributes that SymPy's own methods have.

Expressions name intermediates, which `replacements` define in order, as the result of
`sympy.cse` does; `written_out` puts them in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence  # noqa: TC003  as copied
from typing import Any

import sympy as sm
from sympy.physics.mechanics import dynamicsymbols

__all__ = ["SymbolicEquations"]


class SymbolicEquations:
    """M u' = h + A^T lam, q' = qd, A u' + b = 0, as far as a form has these.

    Attributes:
        t: Time.
        q, u: Coordinates and speeds, columns of functions of time.
        x: Accelerations and beyond that belong to the state; mostly none.
        inputs: Inputs, a column of functions of time.
        parameters: Parameters, a column of symbols.
        replacements: Intermediates and what they stand for, in order.
        results: Matrices by name.
    """

    def __init__(
        self,
        groups: Mapping[str, Sequence[Any]],
        replacements: Sequence[tuple[Any, Any]],
        results: Mapping[str, Any],
    ) -> None:
        """Take symbols by group, intermediates, and results."""
        self.t = dynamicsymbols._t  # noqa: SLF001  SymPy's own way to time
        self.q, self.u, self.x, self.inputs, self.parameters = (
            sm.Matrix(len(groups[name]), 1, list(groups[name]))
            for name in ("q", "u", "x", "inputs", "parameters")
        )
        self.replacements = list(replacements)
        self.results = dict(results)

    def _result(self, name: str) -> Any:
        if name not in self.results:
            raise AttributeError(f"this form has no {name}, only {', '.join(self.results)}")
        return self.results[name]

    @property
    def mass_matrix(self) -> Any:
        """M."""
        return self._result("M")

    @property
    def forcing(self) -> Any:
        """The column h."""
        return self._result("h")

    @property
    def mass_matrix_full(self) -> Any:
        """The matrix of q', u' and, where there are constraints, of the multipliers."""
        M, A, _ = self._full()
        n, m, k = len(self.q), M.rows, A.rows
        full = sm.zeros(n + m + k)
        full[:n, :n] = sm.eye(n)
        full[n : n + m, n : n + m] = M
        if k:
            full[n : n + m, n + m :] = -A.T
            full[n + m :, n : n + m] = A
        return full

    @property
    def forcing_full(self) -> Any:
        """The right side of q', u' and, where there are constraints, of these."""
        _, _, b = self._full()
        return sm.Matrix.vstack(self._result("qd"), self.forcing, -b)

    def _full(self) -> tuple[Any, Any, Any]:
        M, m = self.mass_matrix, len(self.u)
        if self.results.get("qdd", self.results["ud"]) != self.results["ud"] or M.rows != m:
            raise AttributeError("this form is written in second rates of q, and not in rates of u")
        A = self.results.get("A", sm.zeros(0, m))
        return M, A, self._result("b") if A.rows else sm.zeros(0, 1)

    def kindiffdict(self) -> dict[Any, Any]:
        """Return the rates of q in terms of q, u and t."""
        return dict(zip(self.q.diff(self.t), self._result("qd"), strict=True))

    def rhs(self) -> Any:
        """Return the rates of q and u, one column, solved for."""
        return sm.Matrix.vstack(self._result("qd"), self._result("ud"))

    def written_out(self, expression: Any) -> Any:
        """Return an expression or a matrix without intermediates; it may be long."""
        for symbol, value in reversed(self.replacements):
            expression = expression.xreplace({symbol: value})
        return expression

    def lambdify(self, *names: str, modules: str = "numpy") -> Callable[..., Any]:
        """Return a function of t, q, u, inputs and parameters that gives results by these names.

        `x` comes after u where there are any. Every argument but t is a sequence of numbers.
        """
        wanted = [self._result(name) for name in names]
        groups = [self.q, self.u, *((self.x,) if self.x else ()), self.inputs, self.parameters]
        needed = self._needed(wanted)
        function: Callable[..., Any] = sm.lambdify(
            [self.t, *(list(group) for group in groups)],
            wanted,
            modules,
            cse=lambda expressions: (needed, expressions),
        )
        return function

    def _needed(self, wanted: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return the intermediates that some results need, in order."""
        names = set().union(*(one.free_symbols for one in wanted))
        kept = []
        for symbol, value in reversed(self.replacements):
            if symbol in names:
                names |= value.free_symbols
                kept.append((symbol, value))
        return kept[::-1]
