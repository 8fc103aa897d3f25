"""Values of expressions with running bounds of their rounding errors, to first order.

Every operation adds its own rounding to what it makes of the errors of its arguments (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.3), in quadrature (section
2.8). An entry that vanishes because large terms cancel so has the error of these terms, although
its value is tiny. Operations of one kind that do not depend on each other are carried out at
once, for all states.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import ADD, NUMBER, PRODUCT, SCALE, SYMBOL, Node, intern, symbol
from mbx.expr.walk import ordered
from mbx.numerics.ranks import EPS
from mbx.numerics.rounding import literal_error, moved_by
from mbx.numerics.tolerances import ENTRY

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.numerics.ranks import Array

__all__ = ["Bounds", "bounds_of"]

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
