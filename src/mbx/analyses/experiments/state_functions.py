"""Matrices of equations as fast functions of the state, with all else put in as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.observe import given_inputs
from mbx.analyses.simulate.events.free_ranks import rank
from mbx.codegen.python.python_function import python_function
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ZERO, number
from mbx.formalism.equations import inputs_and_rates
from mbx.numerics.bounds import bounds_of
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.execute.straight_line import straight_line
from mbx.numerics.ranks import MARGIN
from mbx.numerics.states.manifold import invariants_of
from mbx.numerics.tolerances import ALONG_RUN, DEPENDENT, ENTRY, HELD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity, Signature
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Idle", "Invariants", "Matrices", "Rows", "numbers_in", "state_symbols"]

ROUNDS: Final = 20
INDEPENDENT: Final = 1e-3
"""Ratio of pivots above which rows are surely independent."""
ENOUGH: Final = EPS / 4
"""Part of an invariant that is nothing but rounding."""
SLACK: Final = 4.0
"""By how much bounds of rounding may grow along a run."""


def state_symbols(signature: Signature) -> list[Node]:
    """Return t, q, u and what else belongs to the state, in order."""
    variables = (*signature.q, *signature.u, *signature.higher)
    return [signature.t, *(x.symbol for x in variables)]


def numbers_in(
    equations: Equations,
    parameters: Mapping[str, float],
    inputs: Mapping[str, float],
    system: System | None = None,
) -> dict[Node, Node]:
    """Return what stands for parameters and inputs: numbers, or nodes of t and the state.

    With the system, also for the rates of inputs that an energy names and equations do not.
    """
    signature = equations.signature
    state = {x.path: 0.0 for x in (*signature.q, *signature.u, *signature.higher)}
    known = values_of(equations, state, parameters, given_inputs(equations, inputs))
    nodes = {p.symbol: number(float(known[p.symbol])) for p in signature.parameters}
    named: Iterable[Quantity] = signature.inputs
    if system is not None:
        named = inputs_and_rates(system).values()
    pending = []
    for quantity in named:
        base = quantity.path.rstrip("'")
        if base in inputs:
            nodes[quantity.symbol] = number(float(inputs[base])) if base == quantity.path else ZERO
        elif quantity.value is not None:
            pending.append((quantity.symbol, quantity.value))
    inner = {symbol for symbol, _ in pending}
    while pending:  # an input may be made of others
        values = substitute([value for _, value in pending], nodes)
        left = []
        for (symbol, _), value in zip(pending, values, strict=True):
            if inner.isdisjoint(free_symbols([value])):
                nodes[symbol] = value
            else:
                left.append((symbol, value))
        pending = left
    return nodes


@dataclass(frozen=True, slots=True, eq=False)
class Matrices:
    """Some matrices of equations as one function of t, q, u and higher."""

    function: Callable[[Sequence[float]], tuple[float, ...]]
    shapes: tuple[tuple[int, int], ...]
    nodes: tuple[Node, ...]
    symbols: tuple[Node, ...]

    @classmethod
    def of(
        cls,
        equations: Equations,
        wanted: Sequence[str],
        parameters: Mapping[str, float],
        inputs: Mapping[str, float],
        more: Iterable[Node] = (),
        system: System | None = None,
    ) -> Matrices:
        """Return matrices by their names, and `more` nodes as a last column.

        With the system, `more` may name rates of inputs that the equations do not.
        A step that depends on a rank or on iteration raises `EquationsError`.
        """
        known = numbers_in(equations, parameters, inputs, system)
        plain = {node: value.value for node, value in known.items() if value.op == "number"}
        rows = straight_line(equations, wanted, plain)
        column = [[node] for node in more]
        tables = [*(rows[name] for name in wanted), column]
        nodes = substitute([x for table in tables for row in table for x in row], known)
        shapes = [(len(table), _width(equations, name, table)) for name, table in rows.items()]
        symbols = state_symbols(equations.signature)
        function = python_function(nodes, symbols)
        return cls(function, (*shapes, (len(column), 1)), tuple(nodes), tuple(symbols))

    def at(self, x: Sequence[float]) -> list[Array]:
        """Return the matrices where t, q, u and higher have values."""
        return self._shaped(np.array(self.function(x), dtype=float))

    def bounds(self, x: Sequence[float]) -> list[Array]:
        """Return what rounding may make of the entries there."""
        known = dict(zip(self.symbols, x, strict=True))
        return self._shaped(bounds_of(self.nodes).run(known, {}, 1)[1][:, 0])

    def _shaped(self, values: Array) -> list[Array]:
        matrices = []
        first = 0
        for rows, columns in self.shapes:
            matrices.append(values[first : first + rows * columns].reshape(rows, columns))
            first += rows * columns
        return matrices


def _width(equations: Equations, name: str, table: Sequence[Sequence[Any]]) -> int:
    if table:
        return len(table[0])
    step = equations.step(equations.results.get(name, name))
    return len(step.column_labels) or (step.size[1] if step.size is not None else 0)


class Invariants:
    """The invariants of a system as fast functions, and the way back onto them."""

    def __init__(
        self,
        system: System,
        parameters: Mapping[str, float],
        inputs: Mapping[str, float],
        sizes: Array | None = None,
    ) -> None:
        """Write out the invariants at positions, velocities and accelerations.

        `sizes` are those of q and u, in which parts and distances are measured; else SI units.
        """
        equations = invariants_of(system)
        self._position = Matrices.of(equations, ("c", "Cq"), parameters, inputs)
        self._velocity = Matrices.of(equations, ("v", "Vu"), parameters, inputs)
        self._acceleration = Matrices.of(equations, ("A", "b"), parameters, inputs)
        self._rates = Matrices.of(equations, ("rates",), parameters, inputs)
        self.any = any(rows for m in (self._position, self._velocity) for rows, _ in m.shapes)
        self._speeds = len(system.u)
        n = len(system.q)
        sizes = np.ones(n + len(system.u)) if sizes is None else sizes
        self.sizes = sizes[:n], sizes[n : n + len(system.u)]
        self._rows = Rows(), Rows()
        self._position_paths = [row.path for row in system.rows if row.order == 0]
        self._idle = Idle(), Idle(), Idle()

    def rates(self, t: float, q: Array, u: Array) -> Array:
        """Return the rates of the coordinates."""
        qd, _ = self._rates.at([t, *q.tolist(), *u.tolist()])
        return qd[:, 0]

    def fixed(self, t: float, q: Array) -> bool:
        """Return whether the invariants of positions leave no coordinate to move."""
        _, Cq, _ = self._position.at([t, *q.tolist(), *np.zeros(self._speeds).tolist()])
        return rank(Cq) == len(q)

    def accelerations(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Return A and b of A ud + b = 0."""
        x = [t, *q.tolist(), *u.tolist()]
        A, b, _ = self._acceleration.at(x)
        b, A = self._idle[2].dropped(b[:, 0], A, lambda: self._acceleration.bounds(x)[1::-1])
        return A, b

    def position(self, t: float, q: Array) -> tuple[Array, Array]:
        """Return the invariants at positions, and their derivatives by q."""
        x = [t, *q.tolist(), *np.zeros(self._speeds).tolist()]
        c, Cq, _ = self._position.at(x)
        return self._idle[0].dropped(c[:, 0], Cq, lambda: self._position.bounds(x)[:2], q)

    def velocity(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Return the invariants at velocities, and their derivatives by u."""
        x = [t, *q.tolist(), *u.tolist()]
        v, Vu, _ = self._velocity.at(x)
        return self._idle[1].dropped(v[:, 0], Vu, lambda: self._velocity.bounds(x)[:2], u)

    def left(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Return what is left of the invariants at positions and at velocities."""
        return self.position(t, q)[0], self.velocity(t, q, u)[0]

    def drift(self, t: float, q: Array, u: Array) -> tuple[float, float]:
        """Return the largest part of the invariants that is left: of positions, of velocities."""
        c, Cq = self.position(t, q)
        v, Vu = self.velocity(t, q, u)
        of_q, of_u = self.sizes
        return _part(c, Cq * of_q, q / of_q, self._rows[0]), _part(
            v, Vu * of_u, u / of_u, self._rows[1]
        )

    def farthest(self, t: float, q: Array) -> str:
        """Return which invariant of positions most is left of."""
        c, Cq = self.position(t, q)
        left = np.abs(c) / self._rows[0].of(np.abs(Cq * self.sizes[0]).max(axis=1, initial=0.0))
        k = int(left.argmax()) if len(left) else 0
        return (
            f"'{self._position_paths[k]}'"
            if k < len(self._position_paths)
            else "the length of a quaternion"
        )

    def onto(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Return the nearest state that keeps the invariants; raise `NotRunError` if none is."""
        q, u, _ = self.brought(t, q, u)
        return q, u

    def brought(
        self, t: float, q: Array, u: Array, enough: float = 0.0
    ) -> tuple[Array, Array, tuple[float, float]]:
        """Return the same with the part of the invariants that is left then, as `drift` does.

        A state that is no more than `enough` away, in its sizes, stays as it is.
        """
        of_q, of_u = self.sizes
        q, off = _projected(lambda x: self.position(t, x), q, of_q, self._rows[0], enough)
        if off > ALONG_RUN:
            raise NotRunError(f"there is no consistent position at t = {t:.6g} s")
        u, skew = _projected(lambda x: self.velocity(t, q, x), u, of_u, self._rows[1], enough)
        if skew > ALONG_RUN:
            raise NotRunError(f"there are no consistent speeds at t = {t:.6g} s")
        return q, u, (off, skew)


class Idle:
    """Rows that hold by themselves, such as those of a ball joint across the plane of a loop.

    Nothing but rounding is left of them, and scaling would make constraints of it. What rounding
    leaves is computed where a row is first evaluated.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._noise: tuple[Array, Array] | None = None

    def dropped(
        self, c: Array, J: Array, bounds: Callable[[], list[Array]], x: Array | None = None
    ) -> tuple[Array, Array]:
        """Return a column and a matrix with zeros in rows that are nothing but rounding.

        The matrix may be that of the slopes of the column by x. Such a row is idle if the column
        is rounding and the slopes are small relative to their terms: they vanish with other rows.
        """
        if not J.size:
            return c, J
        if self._noise is None:
            column, matrix = bounds()
            self._noise = SLACK * column[:, 0], SLACK * matrix
        column, matrix = self._noise
        largest, most = np.abs(J).max(axis=1), matrix.max(axis=1)
        if x is None:
            idle = largest <= MARGIN * most
        else:
            flat = largest <= HELD / (SLACK * ENTRY) * most
            idle = flat & (np.abs(c) <= column + matrix @ np.abs(x)) if flat.any() else flat
        if not idle.any():
            return c, J
        return np.where(idle, 0.0, c), np.where(idle[:, None], 0.0, J)


class Rows:
    """How large rows have been at most: one that vanishes somewhere is not scaled up there."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._largest: Array = np.zeros(0)
        self._sizes: Array = np.zeros(0)

    def of(self, sizes: Array) -> Array:
        """Take the sizes of rows now; return the largest so far, 1 where all were zero."""
        if not self._largest.size:
            self._largest = np.zeros_like(sizes)
        if not self._sizes.size or (sizes > self._largest).any():
            self._largest = np.maximum(self._largest, sizes)
            self._sizes = np.where(self._largest > 0, self._largest, 1.0)
        return self._sizes


def _part(c: Array, J: Array, x: Array, rows: Rows) -> float:
    """Return the largest of some rows, relative to their slopes and to their variables."""
    size = rows.of(np.abs(J).max(axis=1, initial=0.0))
    return float((np.abs(c) / size).max(initial=0.0) / max(1.0, np.abs(x).max(initial=0.0)))


def _projected(
    f: Callable[[Array], tuple[Array, Array]], x: Array, sizes: Array, rows: Rows, enough: float
) -> tuple[Array, float]:
    """Return where f is zero, by Newton's steps of least length, and what remains of its rows.

    Lengths are in sizes of the variables. A state of a run is near, single, and brought back at
    every step: so no step is damped, unlike those of `Manifold.project`, which begin anywhere.

    Where rows depend on each other, rounding makes them a little independent. Such directions
    are left alone: they are those in which the system moves.
    """
    c, J = f(x)
    if not len(c):
        return x, 0.0
    J = J * sizes
    size = rows.of(np.abs(J).max(axis=1, initial=0.0))
    far = max(1.0, float((np.abs(x) / sizes).max(initial=0.0)))
    left = c / size
    least = float(np.abs(left).max()) / far
    for _ in range(ROUNDS):
        if least * far <= enough or least <= ENOUGH:
            break
        new = x - sizes * _least(J / size[:, None], left)
        c, J = f(new)
        J = J * sizes
        left = c / size
        error = float(np.abs(left).max()) / far
        if not error < least:
            break
        x, least = new, error
    return x, least


def _least(J: Array, c: Array) -> Array:
    """Return the least x with J x = c; rows that are surely independent need no singular values."""
    K = J @ J.T
    try:
        pivots = np.linalg.cholesky(K).diagonal()
        if pivots.min() > INDEPENDENT * pivots.max():
            return np.asarray(J.T @ np.linalg.solve(K, c))
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(J, c, rcond=DEPENDENT)[0])
