"""Values with running bounds of their rounding errors, to first order.

Every operation adds its own rounding to what it makes of the errors of its arguments (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3), in quadrature (section
2.8). A product of matrices that is zero leaves noise, and scaling would blow it up to a row or a
column like any other: where a rank is decided, entries below their noise are therefore zero.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.build import function
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate, evaluate_arrays, free_symbols, ordered
from mbx.expr.nodes import ADD, NUMBER, PRODUCT, SCALE, SYMBOL, Node, intern, symbol
from mbx.numerics.ranks import EPS, MARGIN, blocks, cleaned, factors, rows_to_one, singular_values
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.formalism.program import Step
    from mbx.numerics.ranks import Array


__all__ = ["Bounds", "Point", "States", "bounds_of", "literal_error", "moved_by", "noise_of"]

_SHORT: Final = 2**26
"""A rational with a smaller power of two as denominator is meant as it is, such as 1/2."""


def literal_error(value: Fraction | float) -> float:
    """Return the error of a constant: none if it is whole or a short binary fraction."""
    try:
        exact = Fraction(value)
        short = exact.denominator < _SHORT and exact.denominator & (exact.denominator - 1) == 0
        return 0.0 if short else EPS * abs(float(value))
    except (OverflowError, ValueError):  # beyond the floats, or no number
        return 0.0


def moved_by(node: Node, parts: Sequence[Any], args: Sequence[Any], value: Any) -> Any:
    """Return the error of an operation from those of its arguments, and its own rounding.

    Errors are added in quadrature: they are independent for the most part, and sums of their
    magnitudes would exceed them a thousandfold in long chains of operations.
    """
    match node.op:
        case "add":
            error = literal_error(node.value or 0)
            rounded = (EPS * a for a in (*args, float(node.value or 0)))
            return reduce(np.hypot, [*parts, error, *rounded])
        case "scale":
            error = literal_error(node.value) + EPS * abs(float(node.value))
            return np.hypot(float(node.value) * parts[0], error * args[0])
        case "product":
            moved = np.hypot(args[0] * parts[1], args[1] * parts[0])
            return np.hypot(moved, EPS * value)
        case "power":
            n = float(node.value)
            return np.hypot(n * np.abs(args[0]) ** (n - 1) * parts[0], EPS * value)
        case "less":
            return 0.0 * parts[0]
        case "choose":
            return np.where(args[0], parts[1], parts[2])
    symbols, slopes = _slopes(node.value, len(args))
    by = evaluate_arrays(slopes, dict(zip(symbols, args, strict=True)))
    return reduce(np.hypot, [*(s * d for s, d in zip(by, parts, strict=True)), EPS * value])


@cache
def _slopes(name: str, count: int) -> tuple[list[Node], list[Node]]:
    """Return symbols, and the derivatives of a function of them."""
    symbols = [symbol(f"x{k}") for k in range(count)]
    return symbols, gradient(function(name, *symbols), symbols)


_ROOM: Final = 2_000_000
"""Numbers that are held at once; more states are taken in parts."""
_KEPT: Final = 200_000
"""Operations whose order is kept; the graphs that were used last have it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Operations of one kind on what is known before them: places of results and arguments."""

    node: Node
    at: NDArray[np.intp]
    args: NDArray[np.intp]
    constant: Array
    error: Array


class Bounds:
    """Expressions in an order in which many of them are evaluated at once."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Sort the operations of a graph by what they wait for."""
        every = ordered(nodes)
        place = {node: k for k, node in enumerate(every)}
        self.size = len(every)
        self._wanted = np.array([place[node] for node in nodes], dtype=np.intp)
        self._symbols = [(node, place[node]) for node in every if node.op is SYMBOL]
        numbers = [node for node in every if node.op is NUMBER]
        self._numbers = np.array([place[node] for node in numbers], dtype=np.intp)
        self._constants = np.array([[_float(node.value)] for node in numbers]).reshape(-1, 1)
        errors = [[literal_error(node.value)] for node in numbers]
        self._errors = np.array(errors).reshape(-1, 1)
        self._groups = _groups(every, place)

    def run(
        self, values: Mapping[Node, Any], errors: Mapping[Node, Any], count: int
    ) -> tuple[Array, Array]:
        """Return values and bounds of the expressions at states, (expressions, states).

        `errors` are those of symbols; a symbol without one is known to `ENTRY` of its value.
        """
        part = max(1, _ROOM // max(self.size, 1))
        if count <= part:
            return self._part(values, errors, slice(None), count)
        whole = [slice(k, min(k + part, count)) for k in range(0, count, part)]
        parts = [self._part(values, errors, each, each.stop - each.start) for each in whole]
        value, bound = zip(*parts, strict=True)
        return np.concatenate(value, axis=1), np.concatenate(bound, axis=1)

    def _part(
        self, values: Mapping[Node, Any], errors: Mapping[Node, Any], states: slice, count: int
    ) -> tuple[Array, Array]:
        V, E = np.empty((self.size, count)), np.zeros((self.size, count))
        for node, k in self._symbols:
            V[k] = _taken(values[node], states)
            E[k] = _taken(errors[node], states) if node in errors else ENTRY * np.abs(V[k])
        V[self._numbers], E[self._numbers] = self._constants, self._errors
        with np.errstate(all="ignore"):
            for group in self._groups:
                _carry_out(group, V, E)
        return V[self._wanted], E[self._wanted]


def bounds_of(nodes: Sequence[Node]) -> Bounds:
    """Return expressions in their order of evaluation; the last ones asked for are kept."""
    return _recent.get(tuple(nodes))


class _Recent:
    """The graphs that were used last, up to a number of operations in all of them."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Node, ...], Bounds] = OrderedDict()
        self._size = 0

    def get(self, nodes: tuple[Node, ...]) -> Bounds:
        """Return a graph in its order of evaluation."""
        if nodes in self._known:
            self._known.move_to_end(nodes)
            return self._known[nodes]
        found = self._known[nodes] = Bounds(nodes)
        self._size += found.size
        while len(self._known) > 1 and self._size > _KEPT:
            _, oldest = self._known.popitem(last=False)
            self._size -= oldest.size
        return found


_recent: Final = _Recent()


def _taken(value: Any, states: slice) -> Any:
    return value[states] if np.ndim(value) else value


def _groups(every: Sequence[Node], place: Mapping[Node, int]) -> list[_Group]:
    level: dict[Node, int] = {}
    members: defaultdict[tuple[Hashable, ...], list[Node]] = defaultdict(list)
    for node in every:
        level[node] = 1 + max((level[a] for a in node.args), default=-1)
        if node.args:
            own = None if node.op in {ADD, SCALE} else node.value
            members[level[node], node.op, own, len(node.args)].append(node)
    order = sorted(members, key=lambda key: key[0])  # type: ignore[arg-type, return-value]
    return [_group(members[key], place) for key in order]


def _group(nodes: Sequence[Node], place: Mapping[Node, int]) -> _Group:
    constant, error = np.zeros((2, len(nodes), 1))
    if nodes[0].op in {ADD, SCALE}:
        constant[:, 0] = [_float(node.value or 0) for node in nodes]
        error[:, 0] = [literal_error(node.value or 0) for node in nodes]
    if nodes[0].op is SCALE:
        error[:, 0] += EPS * np.abs(constant[:, 0]) * (np.abs(np.frexp(constant[:, 0])[0]) != 0.5)  # noqa: PLR2004  exact
    at = np.array([place[node] for node in nodes], dtype=np.intp)
    args = np.array([[place[a] for a in node.args] for node in nodes], dtype=np.intp).T
    return _Group(nodes[0], at, args, constant, error)


def _carry_out(group: _Group, V: Array, E: Array) -> None:
    """Put values and bounds of a group where they belong."""
    node = group.node
    x, dx = [V[k] for k in group.args], [E[k] for k in group.args]
    if node.op is PRODUCT:
        value = x[0] * x[1]
        error = np.hypot(np.hypot(x[0] * dx[1], x[1] * dx[0]), EPS * value)
    elif node.op is ADD:
        value = sum(x[1:], x[0]) + group.constant
        parts = [*dx, *(EPS * a for a in x), EPS * group.constant, group.error]
        error = reduce(np.hypot, parts)
    elif node.op is SCALE:
        value = group.constant * x[0]
        error = np.hypot(group.constant * dx[0], group.error * x[0])
    else:
        value = _value(node, x)
        error = moved_by(node, dx, x, value)
    V[group.at] = value
    # a root at zero has no slope, and no bound worth the name
    E[group.at] = np.where(np.isfinite(error), error, ENTRY * np.abs(value))


def _value(node: Node, args: Sequence[Array]) -> Array:
    """Return the value of any other operation on arrays."""
    symbols = tuple(symbol(f"x{k}") for k in range(len(args)))
    alike = intern(node.op, symbols, node.value)
    return np.asarray(evaluate_arrays([alike], dict(zip(symbols, args, strict=True)))[0])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an exact constant beyond the floats: no state has a value
        return np.nan


CLOSE: Final = 1e-9


class States:
    """States where symbols have values; an expression is evaluated at all of them at once."""

    def __init__(
        self,
        values: Sequence[Mapping[Node, Any]],
        errors: Callable[[Mapping[Node, Any]], Mapping[Node, Any]],
    ) -> None:
        """Take the values of the symbols at each state, and what says how far they may be off."""
        self.count = len(values)
        symbols = values[0] if values else ()
        self._values = {s: np.array([one[s] for one in values], dtype=float) for s in symbols}
        self._errors = errors(self._values)

    def of(
        self,
        rows: Sequence[Sequence[Node]],
        columns: int,
        more: Mapping[Node, Array] | None = None,
    ) -> tuple[Array, Array]:
        """Return the values of a matrix and bounds of their errors, (states, rows, columns).

        `more` are the values of further symbols. What has no value is not finite.
        """
        shape = self.count, len(rows), columns
        nodes = [node for row in rows for node in row]
        known = self._values | dict(more or {})
        if not self.count or not all(node in known for node in free_symbols(nodes)):
            return np.full(shape, np.nan), np.zeros(shape)
        values, bounds = Bounds(nodes).run(known, self._errors, self.count)
        return values.T.reshape(shape), bounds.T.reshape(shape)


class Point:
    """A state where symbols have values; what was computed there once is kept.

    `others` are further states, perhaps not in general position, such as a start: what is chosen
    by values should hold there, too. `close` is the part by which solutions may be off where
    pivots are chosen by zeros alone, for fewest operations. `doubts`, where there are some, take
    in conditions on which what was chosen here does not hold at a state.
    """

    def __init__(
        self,
        values: Mapping[Node, Any],
        others: Sequence[Mapping[Node, Any]] = (),
        close: float = CLOSE,
        errors: Callable[[Mapping[Node, Any]], Mapping[Node, Any]] = lambda _: {},
        doubts: list[Node] | None = None,
    ) -> None:
        """Take the values of the symbols, and what says how far they may be off."""
        self.close = close
        self.doubts = doubts
        self.others = States(others, errors)
        self._values = {node: float(value) for node, value in values.items()}
        self._found: dict[Node, Any] = {}
        self._noise = {node: float(error) for node, error in errors(self._values).items()}

    def of(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return the values of a matrix; one that an entry does not have is an error."""
        nodes = [node for row in rows for node in row]
        try:
            values = evaluate(nodes, self._values, known=self._found)
        except KeyError as missing:
            raise ValueError(f"'{missing.args[0].value}' has no value at the state") from None
        return np.array(values, dtype=np.float64).reshape(len(rows), columns)

    def noise(self, rows: Sequence[Sequence[Node]], columns: int) -> Array:
        """Return bounds of the errors of a matrix whose values are known."""
        nodes = [node for row in rows for node in row]
        with np.errstate(all="ignore"):
            for node in ordered(nodes, self._noise):
                self._noise[node] = self._noise_of(node)
        return np.array([self._noise[node] for node in nodes]).reshape(len(rows), columns)

    def _noise_of(self, node: Node) -> float:
        own = abs(self._found[node])
        if not node.args:
            return float(ENTRY * own) if node.op is SYMBOL else literal_error(node.value)
        args = [np.float64(self._found[a]) for a in node.args]
        noise = moved_by(node, [self._noise[a] for a in node.args], args, self._found[node])
        # a root at zero has no slope, and no noise worth the name
        return float(noise) if np.isfinite(noise) else float(ENTRY * own)


IMPLICIT: Final = 1e-12
WIDER: Final = 16.0
"""How many times as large as to first order the noise of a solution is taken for, by rows."""
MOST: Final = 2e-14
"""Of the norm of a solution, an inverse or a root: bounds of bounds grow beyond all use, and
what is taken for noise is lost."""


def noise_of(step: Step, args: Sequence[Array], noise: Sequence[Array], value: Array) -> Array:
    """Return the noise of the value of a step from its arguments and theirs."""
    match step.op:
        case "identity":
            return np.zeros(value.shape)
        case "product":
            return _product(args, noise)
        case "sum":
            return np.asarray(sum(noise) + EPS * sum(np.abs(a) for a in args))
        case "transpose":
            return np.swapaxes(noise[0], 1, 2)
        case "absolute":
            return noise[0]
        case "rows":
            return noise[0][:, list(step.indices or ())]
        case "solve":
            return _solved(args[0], noise[0], value, noise[1])
        case "nullspace":
            # a unit vector; columns are not scaled, for they may themselves be noise
            return _solved(args[0], noise[0], value, np.zeros_like(noise[0][:, :, :1]), unit=True)
        case "pinv":
            return _inverted(args[0], noise[0], value)
        case "sqrtm":
            return _rooted(args[0], noise[0], value)
        case "implicit":
            return np.broadcast_to(IMPLICIT * _norm(value), value.shape)
    return ENTRY * np.abs(value)


def _bounded(noise: Array, value: Array) -> Array:
    return np.minimum(noise, MOST * _norm(value))


def _norm(A: Array) -> Array:
    return np.asarray(np.sqrt((A * A).sum(axis=(1, 2), keepdims=True)))


def _product(args: Sequence[Array], noise: Sequence[Array]) -> Array:
    value, own = args[0], noise[0]
    for right, other in zip(args[1:], noise[1:], strict=True):
        rounding = EPS * value.shape[-1]
        size = np.abs(value)
        own = own @ np.abs(right) + size @ other + rounding * (size @ np.abs(right))
        value = value @ right
    return own


def _solved(A: Array, noise: Array, x: Array, right: Array, *, unit: bool = False) -> Array:
    """Return the noise of x in A x = b: |A^-1| (|dA| |x| + |db|), by norms after scaling.

    Blocks without a common row or column have nothing of each other's noise. Of `unit` vectors,
    the columns of A are not scaled.
    """
    moved = (noise + EPS * np.abs(A)) @ np.abs(x) + right
    found = np.zeros(x.shape)
    for rows, columns in blocks(A):
        if len(rows) == len(columns) == 1 and not unit:
            found[:, columns] = _quotient(
                A[:, rows, columns], noise[:, rows, columns], moved[:, rows[0]], x[:, columns]
            )
            continue
        own = np.ix_(np.arange(len(A)), rows, columns)
        parts = factors(A[own], noise[own])
        s, r, c = parts.s, parts.r, np.swapaxes(parts.c, 1, 2)
        if unit:
            r, c = rows_to_one(cleaned(A[own], noise[own])), np.ones_like(c)
            _, s, _ = singular_values(r * A[own])
        kept = (np.arange(s.shape[-1]) < parts.ranks[:, None]) & (s > 0)
        gain = (1 / np.where(kept, s, np.inf)).max(axis=-1, initial=0.0)[:, None, None]
        largest = (r * moved[:, rows]).max(axis=1, keepdims=True, initial=0.0)
        size = c * gain * largest
        if not unit:  # of rows in very different units, the norm is that of one of them
            k = s.shape[-1]
            inverse = np.where(kept, 1 / np.where(kept, s, 1.0), 0.0)[:, None, :]
            V, Ut = np.swapaxes(parts.Vt[:, :k], 1, 2), np.swapaxes(parts.U[:, :, :k], 1, 2)
            each = c * np.abs((V * inverse) @ Ut) @ (r * moved[:, rows])
            size = np.minimum(size, WIDER * each)
        found[:, columns] = _bounded(size, x[:, columns])
    return found


def _quotient(a: Array, noise: Array, moved: Array, x: Array) -> Array:
    """Return the noise of x in a x = b with numbers a, (K, 1), as that of a block of one row."""
    size = np.abs(a)
    kept = (size > MARGIN * noise) & (size > 0)
    gain = np.where(kept, 1 / np.where(kept, size, 1.0), 0.0)
    return _bounded((gain * moved)[:, None, :], x)


def _inverted(A: Array, noise: Array, X: Array) -> Array:
    """Return the noise of X = A^+, to first order by entries.

    dX = -X dA X + X X^T dA^T (1 - A X) + (1 - X A) dA^T X^T X (Golub and Pereyra, SIAM J. Numer.
    Anal. 10, 1973, section 4).
    """
    E = noise + EPS * np.abs(A)
    Et, Xt = np.swapaxes(E, 1, 2), np.swapaxes(X, 1, 2)
    left, right = np.eye(A.shape[-1]) - X @ A, np.eye(A.shape[-2]) - A @ X
    parts = (
        np.abs(X) @ E @ np.abs(X),
        np.abs(X @ Xt) @ Et @ np.abs(right),
        np.abs(left) @ Et @ np.abs(Xt @ X),
    )
    found = np.asarray(sum(parts))
    for columns, rows in blocks(X):
        own = np.ix_(np.arange(len(A)), columns, rows)
        found[own] = _bounded(found[own], X[own])
    return found


def _rooted(A: Array, noise: Array, root: Array) -> Array:
    """Return the noise of the square root of A, block by block."""
    found = np.zeros(root.shape)
    for rows, columns in blocks(root):
        if len(rows) != len(columns):
            continue
        own = np.ix_(np.arange(len(A)), rows, columns)
        least = np.abs(np.linalg.eigvalsh(root[own])[:, :1, None])
        size = (_norm(noise[own]) + EPS * _norm(A[own])) / (2 * least)
        found[own] = _bounded(np.broadcast_to(size, root[own].shape), root[own])
    return found
