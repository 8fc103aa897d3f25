"""A program at one state, in many digits.

What a run in doubles decided is followed: ranks must be the same, the unknown of an implicit
step starts from the one that was found, an orthonormal basis is the nearest to the one there.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import SYMBOL
from mbx.formalism.shapes import needs
from mbx.numerics.multiprecision import algebra
from mbx.numerics.multiprecision.digit_numbers import (
    eye,
    floats,
    largest,
    middle,
    power_of_ten,
    zeros,
)
from mbx.numerics.ranks import factors
from mbx.numerics.tolerances import LEAST_UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.execute.step_kinds import Batch
    from mbx.numerics.multiprecision.digit_numbers import Exact, Numbers

__all__ = ["Decided", "evaluate_nodes", "execute", "leading_to", "slopes"]

_ITERATIONS: Final = 30
_SAME_ROOT: Final = 1e-4
"""Part of its magnitude by which an unknown may differ from what was found in doubles."""


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What a run in doubles decided: ranks, unknowns and bases by name of their step."""

    ranks: Mapping[str, int] = field(default_factory=dict)
    matrices: Mapping[str, Array] = field(default_factory=dict)
    scales: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    @classmethod
    def by(cls, steps: Iterable[Step], batch: Batch) -> Decided:
        """Return what a run of one state decided."""
        ranks, matrices, scales = {}, {}, {}
        for step in steps:
            if step.name not in batch.matrices:
                continue
            if step.op in {"nullspace", "implicit"}:
                matrices[step.name] = batch.matrices[step.name][0]
            if step.op == "nullspace":
                n, free = matrices[step.name].shape
                ranks[step.name] = n - free
            elif step.op == "pinv" or step.kind == "least_squares":
                name = step.args[0]
                A, noise = batch.matrices[name], batch.noise[name]
                parts = factors(A, noise, step.together)
                ranks[step.name] = int(parts.ranks[0])
                scales[step.name] = parts.r[0], parts.c[0]
        return cls(ranks, matrices, scales)


def leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that some matrices need, in order."""
    names, kept = set(wanted), []
    for step in reversed(steps):
        if step.name in names:
            names |= needs(step)
            kept.append(step)
    return kept[::-1]


def evaluate_nodes(
    numbers: Numbers, nodes: Sequence[Node], values: Mapping[Node, Any]
) -> list[Any]:
    """Return the values of expressions; an expression among the values has the one given there."""
    known = {node: value for node, value in values.items() if node.op is not SYMBOL}
    found = evaluate(nodes, values, numbers.functions, numbers.exact, known or None)
    if not all(map(numbers.is_finite, found)):
        raise EquationsError("an expression has no value")
    return found


def execute(
    numbers: Numbers,
    steps: Sequence[Step],
    values: Mapping[Node, Any],
    known: Mapping[str, Exact] | None = None,
    decided: Decided | None = None,
) -> dict[str, Exact]:
    """Return all matrices of a program, in order, after those that are known."""
    found = dict(known or {})
    values = dict(values)
    for step in steps:
        if step.op == "given":
            if step.name not in found:
                raise EquationsError(f"the matrix '{step.name}' is not given")
            for i, row in enumerate(step.entries):
                values |= {node: found[step.name][i, j] for j, node in enumerate(row)}
    written = _written(numbers, steps, values)
    run = _Run(numbers, values, decided or Decided())
    for step in steps:
        if step.op == "given":
            continue
        try:
            found[step.name] = written[step.name] if _is_plain(step) else run.matrix(step, found)
        except ZeroDivisionError as error:
            raise EquationsError(f"'{step.name}': {error}") from error
    return found


def _is_plain(step: Step) -> bool:
    return step.op == "define" and not step.args


def _written(
    numbers: Numbers, steps: Sequence[Step], values: Mapping[Node, Any]
) -> dict[str, Exact]:
    """Return the matrices of expressions, all at once, for they share parts."""
    plain = [step for step in steps if _is_plain(step)]
    nodes = [node for step in plain for row in step.entries for node in row]
    entries = iter(evaluate_nodes(numbers, nodes, values))
    return {step.name: _entries(numbers, step, entries) for step in plain}


def _entries(numbers: Numbers, step: Step, entries: Iterable[Any]) -> Exact:
    columns = len(step.entries[0]) if step.entries else len(step.column_labels)
    result = zeros(numbers, *(step.size or (len(step.entries), columns)))
    if step.entries:
        result.ravel()[:] = list(islice(entries, result.size))
    return result


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of a program."""

    numbers: Numbers
    values: dict[Node, Any]
    decided: Decided

    def matrix(self, step: Step, found: Mapping[str, Exact]) -> Exact:
        """Return what a step makes of the matrices before it."""
        numbers = self.numbers
        args = [found[name] for name in step.args]
        match step.op:
            case "define":
                own = dict(zip(step.symbols, (x for a in args for x in a.flat), strict=True))
                nodes = [node for row in step.entries for node in row]
                values = evaluate_nodes(numbers, nodes, ChainMap(own, self.values))
                return _entries(numbers, step, iter(values))
            case "identity" if step.size is not None:
                return eye(numbers, step.size[0])
            case "product":
                return reduce(numbers.product, args)
            case "sum":
                signs = step.signs or (1,) * len(args)
                return reduce(np.add, [a * s for a, s in zip(args, signs, strict=True)])
            case "transpose":
                return args[0].T
            case "absolute":
                return np.abs(args[0])
            case "block":
                return self._block(step, found)
            case "rows":
                return args[0][list(step.indices or ())]
            case "sqrtm":
                return algebra.sqrtm(numbers, args[0])
            case "implicit":
                return self._implicit(step, found)
        return self._ranked(step, args)

    def _ranked(self, step: Step, args: Sequence[Exact]) -> Exact:
        """Return what depends on a rank, which must be the one that was found in doubles."""
        numbers = self.numbers
        A, most = args[0], self.decided.ranks.get(step.name)
        match step.op:
            case "solve" if step.kind != "least_squares":
                return numbers.solve(A, args[1])
            case "solve":
                scales = self.decided.scales.get(step.name)
                known = None if most is None or scales is None else (most, *scales)
                more = step.unique, step.together, known
                value, rank = algebra.least_squares(numbers, A, args[1], *more)
            case "nullspace":
                like = self.decided.matrices.get(step.name)
                value, rank = algebra.nullspace(numbers, A, step.indices, like, most)
            case _:
                parts = algebra.factors(numbers, A, most)
                value, rank = algebra.pinv(numbers, A, parts), parts.rank
        expected = self.decided.ranks.get(step.name, rank)
        if rank != expected:
            message = f"rank {rank} in {numbers.digits} digits, {expected} in doubles"
            raise EquationsError(f"'{step.name}': {message}")
        return value

    def _block(self, step: Step, found: Mapping[str, Exact]) -> Exact:
        heights = [next(found[n].shape[0] for n in row if n is not None) for row in step.grid]
        columns = list(zip(*step.grid, strict=True))
        widths = [next(found[n].shape[1] for n in c if n is not None) for c in columns]
        return np.block(
            [
                [
                    zeros(self.numbers, h, w) if n is None else found[n]
                    for n, w in zip(row, widths, strict=True)
                ]
                for row, h in zip(step.grid, heights, strict=True)
            ]
        )

    def _implicit(self, step: Step, found: Mapping[str, Exact]) -> Exact:
        """Return y with g(y) = 0, by Newton's method; what is left of g widens it."""
        numbers = self.numbers
        (given,) = (each for each in step.steps if each.name == step.unknown)
        n = given.size[0] if given.size is not None else len(given.entries)

        def g(y: Exact) -> Exact:
            inner = execute(
                numbers, step.steps, self.values, {**found, step.unknown: y}, self.decided
            )
            return inner[step.residual]

        start = self.decided.matrices.get(step.name)
        y = middle(numbers, found[step.args[0]]) if step.args else zeros(numbers, n, 1)
        if start is not None:
            y = np.array([[numbers.exact(float(x))] for x in start[:, 0]], dtype=object)
        if not n:
            return y
        for _ in range(_ITERATIONS):
            value = g(y)
            J = slopes(numbers, g, y, middle(numbers, value))
            change = numbers.solve(J, value)
            size = largest(numbers, y) + numbers.exact(LEAST_UNKNOWN)
            y_new = middle(numbers, y - change)
            if largest(numbers, change) <= power_of_ten(numbers, -0.7 * numbers.digits) * size:
                rest = numbers.solve(J, g(y_new))
                wide = [
                    [numbers.widened(x, 2 * by)]
                    for x, by in zip(y_new[:, 0], rest[:, 0], strict=True)
                ]
                return _same_root(step.name, np.array(wide, dtype=object), start)
            y = y_new
        raise EquationsError(f"'{step.name}' does not converge")


def _same_root(name: str, y: Exact, start: Array | None) -> Exact:
    if start is not None:
        size = np.abs(start).max() + LEAST_UNKNOWN
        if not np.abs(floats(y) - start).max() <= _SAME_ROOT * size:
            raise EquationsError(f"'{name}': not what was found in doubles")
    return y


def slopes(numbers: Numbers, g: Any, y: Exact, value: Exact) -> Exact:
    """Return the derivatives of a function by differences, without what is not known of them."""
    step = power_of_ten(numbers, -0.4 * numbers.digits)
    columns = []
    for k in range(len(y)):
        h = step * (numbers.upper(y[k, 0]) + numbers.exact(LEAST_UNKNOWN))
        moved = y.copy()
        moved[k, 0] = numbers.middle(y[k, 0] + h)
        columns.append(middle(numbers, (g(moved) - value) / (moved[k, 0] - y[k, 0])))
    return np.concatenate(columns, axis=1)
