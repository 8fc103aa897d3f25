"""The state in which a model is drawn: its start, or a named state, as values of its symbols."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import suggestion
from mbx.base.errors import MbxError
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate, evaluate_arrays, free_symbols
from mbx.numerics.newton import REACH, gauss_newton
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.show.drawing.scene import Array
    from mbx.system.system import Parameter, System

__all__ = ["DrawError", "Pose", "onto", "pose_at", "pose_of"]

CLOSED: Final = 1e-7
"""Part of the magnitude of an invariant that may remain of it in a drawing."""
_CLOSE: Final = 1e-9
"""An invariant that is so near to zero holds, whatever its magnitude."""


class DrawError(MbxError):
    """A model cannot be drawn."""


class _Known(dict["Node", float]):
    """Values of symbols; NaN for any other symbol."""

    def __missing__(self, _: Node) -> float:
        return float("nan")


@dataclass
class Pose:
    """Values of symbols; the last axis of each array is that of the states.

    `missing` are parameters without a value: what depends on them is not a number. `open` are
    the invariants that the state does not keep.
    """

    values: dict[Node, Array]
    missing: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    evaluated: dict[Node, Any] = field(default_factory=dict)

    def of(self, nodes: Sequence[Node]) -> Array:
        """Return numbers for expressions, NaN where there is none."""
        return np.array([self._number(node) for node in nodes])

    def _number(self, node: Node) -> float:
        """Return a number; its terms are kept, for long chains share most of them."""
        try:
            (value,) = evaluate([node], self.single, known=self.evaluated)
        except (ArithmeticError, ValueError):
            return float("nan")
        return float(value)

    @cached_property
    def single(self) -> Mapping[Node, float]:
        """The values at the first state; a symbol without a value, as a reaction, is NaN."""
        return _Known({node: float(np.ravel(x)[0]) for node, x in self.values.items()})

    def matrix(self, rows: Sequence[Sequence[Node]]) -> Array:
        """Return a matrix."""
        return self.of([x for row in rows for x in row]).reshape(len(rows), -1)

    def with_values(self, changes: dict[Node, Array]) -> Pose:
        """Return the pose with other values of symbols."""
        return Pose({**self.values, **changes}, self.missing, self.open)

    def many(self, nodes: Sequence[Node], count: int) -> Array:
        """Return the values of expressions at several states, (count, expressions)."""
        unknown = [s for s in free_symbols(nodes) if s not in self.values]
        values = {**self.values, **dict.fromkeys(unknown, np.asarray(np.nan))}
        columns = [np.broadcast_to(x, (count,)) for x in evaluate_arrays(nodes, values)]
        return np.array(columns).reshape(len(nodes), count).T


def pose_of(system: System, state: str | None) -> Pose:
    """Return the values of all symbols at the start of a model, or at a state that it names.

    Assembly computes what a state leaves open, from the start.
    """
    stated: dict[str, float] = {}
    if state is not None:
        if state not in system.states:
            hint = suggestion(state, list(system.states), "; ")
            raise DrawError(f"there is no state '{state}'{hint}")
        stated = dict(system.states[state])
    values: dict[Node, Array] = {TIME: np.asarray(0.0)}
    for variable in (*system.q, *system.u):
        values[variable.symbol] = np.asarray(stated.get(variable.path, _start(variable)))
    values, missing = _fill_values(system.parameters, values, np.nan)
    values, _ = _fill_values(system.inputs, values, 0.0)
    started = frozenset(v.path for v in system.q if v.start is not None)
    pose = Pose(values, missing)
    _assemble(system, pose, frozenset(stated), started | frozenset(stated))
    return pose


def pose_at(
    system: System, state: Mapping[str, float], replaced: Mapping[str, float], t: float
) -> Pose:
    """Return the values of all symbols at a state that is whole and assembled.

    `replaced` are other values of parameters and inputs, by path.
    """
    values: dict[Node, Array] = {TIME: np.asarray(t)}
    values |= {
        variable.symbol: np.asarray(state[variable.path]) for variable in (*system.q, *system.u)
    }
    missing: tuple[str, ...] = ()
    for parameters, absent in ((system.parameters, np.nan), (system.inputs, 0.0)):
        values |= {
            variable.symbol: np.asarray(replaced[variable.path])
            for variable in parameters
            if variable.path in replaced
        }
        rest = [variable for variable in parameters if variable.path not in replaced]
        values, without = _fill_values(rest, values, absent)
        missing += without if parameters is system.parameters else ()
    return Pose(values, missing)


def _start(variable: Any) -> float:
    """Return where a variable starts: as declared, else at zero or within its range."""
    if variable.start is not None:
        return float(variable.start)
    if variable.range is None or variable.range[0] <= 0 <= variable.range[1]:
        return 0.0
    return float(sum(variable.range)) / 2


def _fill_values(
    parameters: Iterable[Parameter], values: dict[Node, Array], absent: float
) -> tuple[dict[Node, Array], tuple[str, ...]]:
    """Return values with those of parameters or inputs, each after the symbols it depends on."""
    known = dict(values)
    pending = list(parameters)
    missing = tuple(parameter.path for parameter in pending if parameter.value is None)
    while pending:
        left = []
        for parameter in pending:
            if parameter.value is None:
                known[parameter.symbol] = np.asarray(absent)
            elif all(symbol in known for symbol in free_symbols([parameter.value])):
                known[parameter.symbol] = np.asarray(evaluate_arrays([parameter.value], known)[0])
            else:
                left.append(parameter)
        if len(left) == len(pending):  # made of rates, which a drawing does not need
            return {**known, **{parameter.symbol: np.asarray(0.0) for parameter in left}}, missing
        pending = left
    return known, missing


class _Rows:
    """The invariants on positions, and their slopes, at several states."""

    def __init__(self, system: System, pose: Pose) -> None:
        self.rows = [r for r in (*system.rows, *system.closed) if r.order == 0]
        self.q = [v.symbol for v in system.q]
        self.known = dict(pose.values)
        self.c = [r.value for r in self.rows]

    @cached_property
    def slopes(self) -> list[Node]:
        """The slopes of all rows by all coordinates, which large loops have many of."""
        return [x for row in jacobian(self.c, self.q) for x in row]

    def __call__(self, x: Array) -> tuple[Array, Array]:
        here = Pose({**self.known, **{s: x[:, k] for k, s in enumerate(self.q)}})
        values = here.many([*self.c, *self.slopes], len(x))
        m, n = len(self.c), len(self.q)
        return values[:, :m], values[:, m:].reshape(len(x), m, n)


def _assemble(system: System, pose: Pose, stated: frozenset[str], started: frozenset[str]) -> None:
    """Bring the coordinates onto the invariants: first those without a stated value."""
    f = _Rows(system, pose)
    if not f.q or bool((np.abs(pose.many(f.c, 1)) <= _CLOSE).all()):
        return
    x = np.array([[float(pose.values[s]) for s in f.q]])
    size = 0.0
    for fixed in (frozenset(v.path for v in system.q), started, stated):
        free = np.array([v.path not in fixed for v in system.q])
        x, error = gauss_newton(f, x, free, REACH)
        size = float(error[0])
        if size <= CLOSED:
            break
    if not size <= CLOSED:
        residual, J = f(x)
        scale = np.maximum(np.abs(J[0]).max(axis=1, initial=0.0), 1e-300)
        wrong: NDArray[np.bool_] = ~(np.abs(residual[0]) / scale <= CLOSED)
        pose.open = tuple(r.path for r, bad in zip(f.rows, wrong, strict=True) if bad)
        return
    for k, symbol in enumerate(f.q):
        pose.values[symbol] = np.asarray(x[0, k])


def onto(system: System, pose: Pose, count: int) -> Pose:
    """Return states brought onto the invariants; the first replaces a state that cannot be."""
    f = _Rows(system, pose)
    if not f.c or not f.q:
        return pose
    x = np.array([np.broadcast_to(pose.values[s], (count,)) for s in f.q]).T
    solutions, error = gauss_newton(f, x, np.ones(len(f.q), dtype=bool), REACH)
    solutions = np.where((error <= CLOSED)[:, None], solutions, solutions[0])
    return pose.with_values({s: solutions[:, k] for k, s in enumerate(f.q)})
