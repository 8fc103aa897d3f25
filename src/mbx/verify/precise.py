"""A program at one state, in numbers of fifty digits.

Numbers are Python's decimals, which are fast; functions are `mpmath`'s. What depends on a rank
goes by elimination with full pivoting, A = F G with the columns F of A that have pivots and the
reduced rows G,

    A^+ = G^T (G G^T)^-1 (F^T F)^-1 F^T;

so many digits bear that conditions are squared. Unknowns of `solve` that are not unique are
zero here, for only what is unique is compared.
"""

from __future__ import annotations

from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from mpmath import mp  # type: ignore[import-untyped]

from mbx.errors import EquationsError
from mbx.expr.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

    Exact = NDArray[np.object_]

__all__ = ["DIGITS", "evaluate_nodes", "execute", "largest", "pinv", "precisely", "solve"]

DIGITS: Final = 50
_ZERO: Final = Decimal("1e-25")
"""Part of the largest entry below which a pivot counts as zero."""
_STEP: Final = Decimal("1e-20")
_SMALL: Final = Decimal("1e-40")
_ITERATIONS: Final = 100


@contextmanager
def precisely() -> Iterator[None]:
    """Let all decimals and functions inside have fifty digits."""
    with localcontext() as context, mp.workdps(DIGITS):
        context.prec = DIGITS
        yield


def _function(name: str) -> Callable[..., Decimal]:
    def value(*args: Decimal) -> Decimal:
        found = getattr(mp, name)(*(mp.mpf(str(x)) for x in args))
        if not isinstance(found, mp.mpf) or not mp.isfinite(found):
            raise ValueError(f"{name} has no value")
        return Decimal(mp.nstr(found, DIGITS))

    return value


def _sign(x: Decimal) -> Decimal:
    return Decimal((x > 0) - (x < 0))


_NAMES: Final = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log"
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    name: _function(name) for name in _NAMES.split()
} | {
    "abs": abs,
    "sign": _sign,
}


def _constant(value: Any) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def evaluate_nodes(nodes: list[Node], values: Mapping[Node, Decimal]) -> list[Any]:
    """Return the values of expressions."""
    return evaluate(nodes, values, _FUNCTIONS, _constant)


def execute(
    steps: Iterable[Step], values: Mapping[Node, Decimal], known: Mapping[str, Exact] | None = None
) -> dict[str, Exact]:
    """Return all matrices of a program, in order, after those that are known."""
    found = dict(known or {})
    for step in steps:
        if step.op != "given":
            found[step.name] = _matrix(step, found, values)
        elif step.name not in found:
            raise EquationsError(f"the matrix '{step.name}' is not given")
    return found


def _zeros(rows: int, columns: int) -> Exact:
    return np.full((rows, columns), Decimal(0), dtype=object)


def _eye(n: int) -> Exact:
    result = _zeros(n, n)
    np.fill_diagonal(result, Decimal(1))
    return result


def _matrix(step: Step, found: Mapping[str, Exact], values: Mapping[Node, Decimal]) -> Exact:
    args = [found[name] for name in step.args]
    match step.op:
        case "define":
            if args:
                values = {**values, **{node: args[0][k, 0] for k, node in enumerate(step.symbols)}}
            return _entries(step, values)
        case "identity" if step.size is not None:
            return _eye(step.size[0])
        case "product":
            return reduce(_times, args)
        case "sum":
            signs = step.signs or (1,) * len(args)
            return reduce(np.add, [a * s for a, s in zip(args, signs, strict=True)])
        case "transpose":
            return args[0].T
        case "absolute":
            return np.abs(args[0])
        case "block":
            return _block(step, found)
        case "rows":
            return args[0][list(step.indices or ())]
        case "solve":
            return solve(args[0], args[1])
        case "pinv":
            return pinv(args[0])
        case "sqrtm":
            return _square_root(args[0])
        case "nullspace":
            return _nullspace(args[0])
        case _:
            return _implicit(step, found, values)


def _entries(step: Step, values: Mapping[Node, Decimal]) -> Exact:
    rows, columns = step.size or (len(step.entries), len(step.entries[0]) if step.entries else 0)
    result = _zeros(rows, columns)
    numbers = evaluate_nodes([node for row in step.entries for node in row], values)
    if numbers:
        result.flat[:] = numbers
    return result


def _times(a: Exact, b: Exact) -> Exact:
    return a @ b if a.shape[1] else _zeros(a.shape[0], b.shape[1])


def _block(step: Step, found: Mapping[str, Exact]) -> Exact:
    heights = [next(found[n].shape[0] for n in row if n is not None) for row in step.grid]
    columns = list(zip(*step.grid, strict=True))
    widths = [next(found[n].shape[1] for n in c if n is not None) for c in columns]
    return np.block(
        [
            [_zeros(h, w) if n is None else found[n] for n, w in zip(row, widths, strict=True)]
            for row, h in zip(step.grid, heights, strict=True)
        ]
    )


def largest(A: Exact) -> Decimal:
    """Return the largest magnitude in a matrix."""
    entries: list[Decimal] = A.ravel().tolist()
    return max(map(abs, entries), default=Decimal(0))


def _reduced(A: Exact, B: Exact) -> tuple[Exact, list[int]]:
    """Return the rows of [A B] with unit vectors in the columns of the pivots, and these."""
    m, n = A.shape
    work = np.concatenate([A, B], axis=1)
    bound = _ZERO * largest(A)
    pivots: list[int] = []
    free = list(range(n))
    for r in range(min(m, n)):
        part = np.abs(work[r:, free])
        i, j = np.unravel_index(int(part.argmax()), part.shape)
        if part[i, j] <= bound:
            break
        column, row = free.pop(int(j)), r + int(i)
        work[[r, row]] = work[[row, r]]
        work[r] = work[r] / work[r, column]
        for k in range(m):
            if k != r and work[k, column]:
                work[k] = work[k] - work[k, column] * work[r]
        pivots.append(column)
    return work, pivots


def solve(A: Exact, B: Exact) -> Exact:
    """Return x with A x = B; zero for unknowns that nothing determines."""
    work, pivots = _reduced(A, B)
    result = _zeros(A.shape[1], B.shape[1])
    if pivots:
        result[pivots] = work[: len(pivots), A.shape[1] :]
    return result


def pinv(A: Exact) -> Exact:
    """Return the Moore-Penrose inverse."""
    work, pivots = _reduced(A, _zeros(A.shape[0], 0))
    if not pivots:
        return _zeros(A.shape[1], A.shape[0])
    F, G = A[:, pivots], work[: len(pivots)]
    return _times(G.T, solve(_times(G, G.T), solve(_times(F.T, F), F.T)))


def _nullspace(A: Exact) -> Exact:
    n = A.shape[1]
    work, pivots = _reduced(A, _zeros(A.shape[0], 0))
    free = [j for j in range(n) if j not in pivots]
    result = _zeros(n, len(free))
    for b, j in enumerate(free):
        result[j, b] = Decimal(1)
        if pivots:
            result[pivots, b] = -work[: len(pivots), j]
    return result


def _square_root(A: Exact) -> Exact:
    """Return the square root of a positive definite matrix (Denman and Beavers)."""
    one = _eye(len(A))
    Y: Exact
    Z: Exact
    Y, Z = A, one
    for _ in range(_ITERATIONS):
        before = Y
        Y, Z = np.divide(Y + solve(Z, one), 2), np.divide(Z + solve(Y, one), 2)
        if largest(Y - before) <= _SMALL * largest(Y):
            return Y
    raise EquationsError("a square root does not converge")


def _implicit(step: Step, found: Mapping[str, Exact], values: Mapping[Node, Decimal]) -> Exact:
    """Return y with g(y) = 0, by Newton's method with differences."""
    (given,) = (each for each in step.steps if each.name == step.unknown)
    names = [node for row in given.entries for node in row]
    n = given.size[0] if given.size is not None else len(names)

    def g(y: Exact) -> Exact:
        here = {**values, **{node: y[k, 0] for k, node in enumerate(names)}}
        return execute(step.steps, here, {**found, step.unknown: y})[step.residual]

    y = found[step.args[0]] if step.args else _zeros(n, 1)
    for _ in range(_ITERATIONS):
        r = g(y)
        if largest(r) <= _SMALL * (1 + largest(y)):
            return y
        moves = _STEP * _eye(n)
        slopes = [(g(y + moves[:, k : k + 1]) - r) / _STEP for k in range(n)]
        y = y - solve(np.concatenate(slopes, axis=1), r)
    raise EquationsError(f"'{step.name}' does not converge")
