"""A state that keeps the invariants to many digits, from one in doubles.

Of rows that depend on each other, as many are taken as the rank in doubles says; the others
then hold as well, or the state is refused. They hold as far as the numbers of the model do: what
rounding of these leaves of a row, in however many digits, is no violation, and counts as zero
wherever the row itself stands in equations.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import free_symbols
from mbx.numerics.execute.step_kinds import expression_values
from mbx.numerics.multiprecision.digit_numbers import floats, largest, middle, power_of_ten
from mbx.numerics.multiprecision.execute_digits import evaluate_nodes, execute, leading_to, slopes
from mbx.numerics.ranks import MARGIN, factors
from mbx.numerics.states.complete import STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.multiprecision.digit_numbers import Exact, Numbers
    from mbx.numerics.states.manifold import Manifold, Points

__all__ = ["derived_values", "known_values", "precise_state"]

_ITERATIONS: Final = 30


def known_values(
    numbers: Numbers,
    equations: Equations,
    manifold: Manifold,
    point: Points,
    higher: Mapping[str, float],
) -> dict[Node, Any]:
    """Return time, state, parameters of some equations, and the inputs that are said.

    What is said is taken as it is; what parameters are made of follows in many digits.
    """
    signature, values = equations.signature, manifold.values
    known = {signature.t: point.t[0]}
    known |= {one.symbol: point.q[0, k] for k, one in enumerate(signature.q)}
    known |= {one.symbol: point.u[0, k] for k, one in enumerate(signature.u)}
    known |= {one.symbol: higher[one.path] for one in signature.higher}
    for quantities, said in (
        (signature.parameters, values.parameters),
        (signature.inputs, values.inputs),
    ):
        known |= {one.symbol: said[one.path] for one in quantities if one.path in said}
    exact = {node: numbers.exact(_taken(value)) for node, value in known.items()}
    _complete(numbers, list(signature.parameters), exact)
    return exact


def _taken(value: Any) -> Fraction | float:
    """Return a rational as it is, and anything else as a double."""
    return value if isinstance(value, Fraction) else float(value)


def _complete(numbers: Numbers, quantities: list[Quantity], known: dict[Node, Any]) -> None:
    """Add what is made of others."""
    pending = [(one, one.value) for one in quantities if one.symbol not in known]
    while pending:
        left = []
        for one, value in pending:
            if value is not None and all(node in known for node in free_symbols([value])):
                (known[one.symbol],) = evaluate_nodes(numbers, [value], known)
            else:
                left.append((one, value))
        if len(left) == len(pending):
            raise EquationsError(f"'{left[0][0].path}' is made of what has no value")
        pending = left


def derived_values(numbers: Numbers, equations: Equations, known: dict[Node, Any]) -> None:
    """Add the inputs that follow from a state, and the rates that a form is written in."""
    _complete(numbers, [*equations.signature.inputs, *equations.signature.derived], known)


def precise_state(
    numbers: Numbers,
    manifold: Manifold,
    point: Points,
    completing: Equations | None = None,
    higher: Mapping[str, float] | None = None,
    taken: dict[str, list[int]] | None = None,
) -> dict[Node, Any]:
    """Return coordinates, speeds and what else is a state, that keep all that holds of them.

    The expressions of rows that were left out are beside them, with the value zero. `taken` are
    the rows of each column that states are found from, and is filled in where it has none: states
    next to each other must share them, for others may differ by the rounding of the model.
    `completing` are equations whose result `state` is zero where rates beyond the speeds are
    consistent; `higher` are these rates, in doubles.
    """
    equations, system = manifold.equations, manifold.system
    values = known_values(numbers, equations, manifold, point, {})
    nothing: dict[Node, Any] = {}
    taken = {} if taken is None else taken
    for variables, c, J in ((system.q, "c", "Cq"), (system.u, "v", "Vu")):
        symbols = [v.symbol for v in variables]
        values |= _level(numbers, equations, values, symbols, (c, J), taken)
        rows = [row[0] for row in equations.step(c).entries]
        left = [node for k, node in enumerate(rows) if k not in taken[c] and node.args]
        nothing |= dict.fromkeys(left, numbers.exact(0))
    state = nothing | {v.symbol: values[v.symbol] for v in (*system.q, *system.u)}
    if completing is not None and completing.signature.higher:
        state |= _completed(numbers, completing, manifold, point, state, higher or {})
    return state


def _level(
    numbers: Numbers,
    equations: Equations,
    values: Mapping[Node, Any],
    symbols: list[Node],
    names: tuple[str, str],
    taken: dict[str, list[int]],
) -> dict[Node, Any]:
    """Return some variables that make a column zero; `names` are its own and its Jacobian's."""
    steps = leading_to(names, equations.steps)

    def f(x: Exact) -> tuple[Exact, Exact]:
        here = {**values, **dict(zip(symbols, x[:, 0], strict=True))}
        derived_values(numbers, equations, here)
        found = execute(numbers, steps, here)
        return found[names[0]], found[names[1]]

    start = dict(values)
    derived_values(numbers, equations, start)
    here = {node: np.array([float(value)]) for node, value in start.items()}
    known = [step for name in names for step in steps if step.name == name]
    (_, open_c), (_, noise) = expression_values(known, here, {}, 1)
    x = _column([values[s] for s in symbols])
    if names[0] not in taken:
        taken[names[0]] = _independent(floats(f(x)[1]), noise[0])
    x = _onto(numbers, f, x, taken[names[0]], open_c[0])
    return dict(zip(symbols, x[:, 0], strict=True))


def _completed(
    numbers: Numbers,
    equations: Equations,
    manifold: Manifold,
    point: Points,
    state: Mapping[Node, Any],
    higher: Mapping[str, float],
) -> dict[Node, Any]:
    """Return the rates beyond the speeds."""
    values = {**known_values(numbers, equations, manifold, point, higher), **state}
    derived_values(numbers, equations, values)
    symbols = [one.symbol for one in equations.signature.higher]
    x = _column([values[s] for s in symbols])
    if STATE in equations.results:
        name = equations.results[STATE]
        steps = leading_to([name], equations.steps)

        def value(x: Exact) -> Exact:
            here = {**values, **dict(zip(symbols, x[:, 0], strict=True))}
            return execute(numbers, steps, here)[name]

        def f(x: Exact) -> tuple[Exact, Exact]:
            c = value(x)
            return c, slopes(numbers, value, x, middle(numbers, c))

        x = _onto(numbers, f, x, _independent(floats(f(x)[1]), None))
    return dict(zip(symbols, x[:, 0], strict=True))


def _onto(
    numbers: Numbers,
    f: Callable[[Exact], tuple[Exact, Exact]],
    x: Exact,
    rows: list[int],
    noise: Array | None = None,
) -> Exact:
    """Return the point where some rows of f are zero that steps of least length lead to.

    The other rows must be zero there, too, or within the `noise` of the values. Unlike those of
    `gauss_newton`, the numbers have many digits, and the start is on the invariants but for these.
    """
    c, J = f(x)
    if not c.size:
        return x
    small = power_of_ten(numbers, -0.9 * numbers.digits)
    for _ in range(_ITERATIONS):
        size = largest(numbers, J) * largest(numbers, x) + largest(numbers, J)
        if not rows or largest(numbers, middle(numbers, c[rows])) <= small * size:
            break
        some = middle(numbers, J[rows])
        change = numbers.nearly(numbers.product(some, some.T), middle(numbers, c[rows]))
        x = middle(numbers, x - numbers.product(some.T, change))
        c, J = f(x)
    if noise is not None:
        held = [k for k in range(len(c)) if k in rows or abs(float(c[k, 0])) > MARGIN * noise[k, 0]]
        c = c[held]
    if c.size and not largest(numbers, middle(numbers, c)) <= 10 * small * size:
        rest = float(largest(numbers, c))
        raise EquationsError(f"{rest:.0e} remains of the invariants in {numbers.digits} digits")
    return x


def _column(entries: list[Any]) -> Exact:
    return np.array(entries, dtype=object).reshape(-1, 1)


def _independent(J: Array, noise: Array | None) -> list[int]:
    """Return as many rows of a matrix as its rank, the most independent ones."""
    from scipy.linalg import qr  # noqa: PLC0415  slow to import

    if not J.size:
        return []
    parts = factors(J[None], None if noise is None else noise[None])
    order = qr((parts.r[0] * J * parts.c[0]).T, mode="r", pivoting=True)[1]
    return sorted(int(k) for k in order[: int(parts.ranks[0])])
