"""What each kind of step does on a batch of states, and what of a program is run.

The plan does not depend on the state, and is made once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.formalism.shapes import Shape, needs, shapes
from mbx.numerics.bounds import bounds_of, noise_of
from mbx.numerics.execute import stacked_algebra
from mbx.numerics.execute.implicit_steps import fixed_point
from mbx.numerics.execute.single_norm import SingleNorm, roots, single_norm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Op, Residual, Step
    from mbx.numerics.execute.stacked_algebra import Array, Faults


__all__ = [
    "Batch",
    "Plan",
    "apply",
    "bound",
    "cleans",
    "defined",
    "expression_noise",
    "expression_values",
    "noise_after",
    "noisy_in",
    "plan_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some states, by number, and the matrices found there so far, (K, rows, columns).

    `noise` says how far rounding may have moved each entry.
    """

    states: NDArray[np.intp]
    matrices: dict[str, Array]
    noise: dict[str, Array]

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Batch:
        """Return some of the states."""
        return Batch(
            self.states[chosen],
            {name: matrix[chosen] for name, matrix in self.matrices.items()},
            {name: matrix[chosen] for name, matrix in self.noise.items()},
        )

    def only(self, names: AbstractSet[str]) -> Batch:
        """Return the batch with some of its matrices alone."""
        matrices, noise = (
            {name: matrix for name, matrix in some.items() if name in names}
            for some in (self.matrices, self.noise)
        )
        return Batch(self.states, matrices, noise)

    def copy(self) -> Batch:
        """Return a batch to which matrices can be added while this one stays as it is."""
        return Batch(self.states, dict(self.matrices), dict(self.noise))

    def add(self, name: str, value: Array, noise: Array | None) -> Batch:
        """Add a matrix, and its noise if that is known; a copy for each step would be slow."""
        self.matrices[name] = value
        if noise is not None:
            self.noise[name] = noise
        return self


def bound(
    steps: Iterable[Step], symbols: Mapping[Node, Array], given: Mapping[str, Array]
) -> dict[Node, Array]:
    """Return the values of symbols, those that stand for entries of given matrices included."""
    values = dict(symbols)
    for step in steps:
        if step.op == "given":
            for i, row in enumerate(step.entries):
                values |= {node: given[step.name][:, i, j] for j, node in enumerate(row)}
    return values


def defined(steps: Sequence[Step], values: Mapping[Node, Array], N: int) -> dict[int, Array]:
    """Return the matrices of all `define` steps without arguments by position, at once."""
    own = {k: step for k, step in enumerate(steps) if step.op == "define" and not step.args}
    return dict(zip(own, _filled(list(own.values()), values, N), strict=True))


def _filled(steps: Sequence[Step], values: Mapping[Node, Array], N: int) -> list[Array]:
    """Return matrices of expressions, all at once, for they share parts."""
    nodes = [node for step in steps for row in step.entries for node in row]
    try:
        found = iter(evaluate_arrays(nodes, values))
    except OverflowError:  # an exact constant beyond the floats
        found = iter([np.nan] * len(nodes))
    matrices = []
    for step in steps:
        matrix = np.zeros((N, *(step.size or (len(step.entries), _columns(step)))))
        for i, row in enumerate(step.entries):
            for j in range(len(row)):
                matrix[:, i, j] = next(found)
        matrices.append(matrix)
    return matrices


def _columns(step: Step) -> int:
    return len(step.entries[0]) if step.entries else len(step.column_labels)


def cleans(step: Step) -> bool:
    """Return whether a step finds a rank, so that the noise of its arguments counts."""
    return step.op in {"nullspace", "pinv"} or step.kind == "least_squares"


def apply(
    step: Step, batch: Batch, values: Mapping[Node, Array]
) -> tuple[Array, Faults | None, NDArray[np.int64] | None]:
    """Return the matrices of a step that is made of others, and what fails, if anything can.

    The last part is None, or says how many of the last columns are meant at each state.
    """
    matrices, K = batch.matrices, len(batch.states)
    args = [matrices[name] for name in step.args]
    noise = [batch.noise[name] for name in step.args] if cleans(step) else []
    faults: Faults | None = None
    width = None
    match step.op:
        case "define":
            known = _values(step, batch, values)
            (value,) = _filled([step], known, K)
            if known.keys() <= set(step.symbols):  # a factor of a matrix, at a pivot that is none
                faults = np.full(K, "", dtype=object)
                faults[~np.isfinite(value).all(axis=(1, 2))] = "singular"
        case "identity" if step.size is not None:
            value = np.broadcast_to(np.eye(step.size[0]), (K, *step.size))
        case "product":
            value = reduce(np.matmul, args)
        case "sum":
            signs = step.signs or (1,) * len(args)
            value = reduce(np.add, [s * a for s, a in zip(signs, args, strict=True)])
        case "transpose":
            value = np.swapaxes(args[0], 1, 2)
        case "absolute":
            value = np.abs(args[0])
        case "block":
            value = _block(step, matrices, K)
        case "rows":
            value = args[0][:, list(step.indices or ())]
        case "solve" if step.kind == "least_squares":
            more = step.unique, step.together, (noise[0], noise[1])
            value, faults = stacked_algebra.least_squares(args[0], args[1], *more)
        case "solve":
            value, faults = stacked_algebra.solve(*args, positive=step.kind == "positive")
        case "pinv":
            value = stacked_algebra.pinv(args[0], noise[0])
        case "sqrtm":
            value, faults = stacked_algebra.sqrtm(args[0])
        case "nullspace":
            value, width = stacked_algebra.nullspace(args[0], step.indices, noise[0])
        case _:
            value, faults = _implicit(step, batch, values)
    return value, faults, width


def _of_entries(step: Step, matrices: Mapping[str, Array]) -> dict[Node, Array]:
    """Return the entries of the arguments by the symbols that stand for them."""
    columns = (
        matrices[name][:, i, j]
        for name in step.args
        for i in range(matrices[name].shape[1])
        for j in range(matrices[name].shape[2])
    )
    return dict(zip(step.symbols, columns, strict=True))


def _values(step: Step, batch: Batch, values: Mapping[Node, Array]) -> dict[Node, Array]:
    """Return the symbols of a matrix of expressions, those that stand for entries first."""
    found = _of_entries(step, batch.matrices)
    for node in _symbols(step.entries):
        if node not in found:
            found[node] = values[node][batch.states]
    return found


@lru_cache(maxsize=4096)
def _symbols(entries: tuple[tuple[Node, ...], ...]) -> list[Node]:
    """Return the symbols of a matrix of expressions: steps are carried out over and over."""
    return free_symbols(node for row in entries for node in row)


def expression_values(
    steps: Sequence[Step], values: Mapping[Node, Array], errors: Mapping[Node, Array], N: int
) -> list[tuple[Array, Array]]:
    """Return matrices of expressions, each with bounds of its errors from those of symbols."""
    nodes = [node for step in steps for row in step.entries for node in row]
    found = bounds_of(nodes).run(values, errors, N)
    matrices, k = [], 0
    for step in steps:
        size = step.size or (len(step.entries), _columns(step))
        count = size[0] * size[1]
        parts = (each[k : k + count].reshape(*size, N) for each in found)
        value, bound = (np.moveaxis(each, 2, 0) for each in parts)
        matrices.append((value, bound))
        k += count
    return matrices


def expression_noise(
    steps: Sequence[Step], values: Mapping[Node, Array], errors: Mapping[Node, Array], N: int
) -> list[Array]:
    """Return bounds of the errors of matrices of expressions from those of their symbols."""
    return [bound for _, bound in expression_values(steps, values, errors, N)]


def noise_after(
    step: Step,
    batch: Batch,
    values: Mapping[Node, Array],
    errors: Mapping[Node, Array],
    value: Array,
) -> Array:
    """Return how far rounding may have moved the entries of a step."""
    if step.op == "block":
        return _block(step, batch.noise, len(batch.states))
    if step.op == "define" and step.args:
        own = {node: error[batch.states] for node, error in errors.items()}
        own |= _of_entries(step, batch.noise)
        return expression_noise([step], _values(step, batch, values), own, len(batch.states))[0]
    args = [batch.matrices[name] for name in step.args]
    return noise_of(step, args, [batch.noise[name] for name in step.args], value)


def _block(step: Step, matrices: Mapping[str, Array], K: int) -> Array:
    heights = [next(matrices[n].shape[1] for n in row if n is not None) for row in step.grid]
    columns = list(zip(*step.grid, strict=True))
    widths = [next(matrices[n].shape[2] for n in c if n is not None) for c in columns]
    return np.concatenate(
        [
            np.concatenate(
                [
                    np.zeros((K, h, w)) if n is None else matrices[n]
                    for n, w in zip(row, widths, strict=True)
                ],
                axis=2,
            )
            for row, h in zip(step.grid, heights, strict=True)
        ],
        axis=1,
    )


def _closed(
    norm: SingleNorm, step: Step, used: Batch, outer: Mapping[Node, Array]
) -> tuple[Array, Faults]:
    """Return the unknown that enters through one norm alone."""
    from mbx.numerics.execute.execute import march  # noqa: PLC0415  a program inside a program

    K = len(used.states)
    local = replace(used, states=np.arange(K))
    still = np.zeros((K, len(norm.named), 1))

    def reactions(N: Array) -> tuple[Array, Faults]:
        status, parts = march(norm.steps, {**outer, norm.norm: N}, local, {step.unknown: still})
        value = np.full((K, len(norm.named)), np.nan)
        for part in parts:
            value[part.states] = -part.matrices[step.residual][:, :, 0]
        return value, status

    y, faults = roots(reactions, lambda y: norm.of(y, outer), K)
    return y[:, :, None], faults


def _implicit(step: Step, batch: Batch, values: Mapping[Node, Array]) -> tuple[Array, Faults]:
    """Return the unknown that makes the residual of the inner steps zero."""
    from mbx.numerics.execute.execute import march  # noqa: PLC0415  a program inside a program

    (size,) = (each.size for each in step.steps if each.name == step.unknown)
    n = size[0] if size is not None else 0
    entries = [e for each in step.steps if each.op == "define" for row in each.entries for e in row]
    outer = {node: values[node][batch.states] for node in free_symbols(entries) if node in values}
    names = needs(step)
    used = Batch(
        batch.states,
        {name: batch.matrices[name] for name in names},
        {name: batch.noise[name] for name in names},
    )

    def g(at: NDArray[np.intp], y: Array) -> tuple[Array, Faults]:
        local = replace(used.take(at), states=np.arange(len(at)))
        here = {node: value[at] for node, value in outer.items()}
        status, parts = march(step.steps, here, local, {step.unknown: y[:, :, None]})
        value = np.full(y.shape, np.nan)
        for part in parts:
            value[part.states] = part.matrices[step.residual][:, :, 0]
        return value, status

    K = len(batch.states)
    norm = single_norm(step)
    if norm is not None:
        return _closed(norm, step, used, outer)
    start = batch.matrices[step.args[0]][:, :, 0] if step.args else np.zeros((K, n))
    y, faults = fixed_point(g, start)
    return y[:, :, None], faults


_OF_INVARIANTS: Final = frozenset({"A", "b"})
"""Results whose bounds are found at all times: the inertia has to confirm their rank."""
_KEPT: Final = 256
"""Plans that are kept, those that were used last."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Steps to run, in order.

    Attributes:
        shapes: Rows and columns of their matrices.
        symbols: What must have a value.
        later: Matrices whose rounding is asked for afterwards.
    """

    steps: Sequence[Step]
    shapes: Mapping[str, Shape]
    symbols: Sequence[Node]
    later: frozenset[str]


def plan_of(equations: Equations, residual: Residual | None, wanted: Iterable[str] | None) -> Plan:
    """Return the steps that lead to the `wanted` matrices, or to a residual; all by default."""
    names = None if wanted is None else frozenset(wanted)
    key = id(equations), id(residual), names
    if key in _known:
        _known.move_to_end(key)
    else:
        # what a key is of is kept, so that nothing else has its identity
        _known[key] = equations, residual, _plan(equations, residual, names)
        if len(_known) > _KEPT:
            _known.popitem(last=False)
    return _known[key][2]


_Key = tuple[int, int, frozenset[str] | None]
_known: OrderedDict[_Key, tuple[Equations, Residual | None, Plan]] = OrderedDict()


def _plan(equations: Equations, residual: Residual | None, wanted: Iterable[str] | None) -> Plan:
    steps = list(equations.steps)
    known = shapes(steps)
    if residual is not None:
        known = shapes(residual.steps, known)
        steps += residual.steps
        wanted = (residual.value, residual.magnitude) if wanted is None else wanted
    if wanted is not None:
        steps = _leading_to(wanted, steps)
    names = {step.name for step in steps}
    later = {
        name
        for each in equations.residuals
        if wanted is None or _read_by(each.steps) <= set(wanted)
        for name in noisy_in(each.steps)
    }
    later |= {name for key, name in equations.results.items() if key in _OF_INVARIANTS}
    own = {name: known[name] for name in known if name in names}
    return Plan(steps, own, _step_symbols(steps), frozenset(later))


def _read_by(steps: Sequence[Step]) -> set[str]:
    """Return the matrices that steps take from others before them."""
    own = {step.name for step in steps}
    return {name for step in steps for name in needs(step)} - own


def _leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that some matrices need, in order; a later name hides an earlier one."""
    open_names = set(wanted)
    unknown = open_names - {step.name for step in steps}
    if unknown:
        raise EquationsError(f"no step makes '{min(unknown)}'")
    kept = set()
    for k, step in reversed([*enumerate(steps)]):
        if step.name in open_names:
            open_names = (open_names - {step.name}) | needs(step)
            kept.add(k)
    used = set(free_symbols(_entries(_inner(steps[k] for k in kept), "define")))
    # a given matrix is also needed where its entries go by their names
    return [
        step
        for k, step in enumerate(steps)
        if k in kept or not used.isdisjoint(_entries([step], "given"))
    ]


def _step_symbols(steps: Sequence[Step]) -> list[Node]:
    """Return what has to be known from outside."""
    every = _inner(steps)
    given = set(_entries(every, "given"))
    plain = [step for step in every if not step.symbols]
    found = [node for node in free_symbols(_entries(plain, "define")) if node not in given]
    for step in every:
        if step.symbols:
            own = given | set(step.symbols)
            found += [n for n in free_symbols(_entries([step], "define")) if n not in own]
    return list(dict.fromkeys(found))


def _inner(steps: Iterable[Step]) -> list[Step]:
    return [inner for step in steps for inner in (step, *step.steps)]


def _entries(steps: Iterable[Step], op: Op) -> Iterator[Node]:
    for step in steps:
        if step.op == op:
            for row in step.entries:
                yield from row


def noisy_in(steps: Sequence[Step], later: Iterable[str] = ()) -> set[str]:
    """Return the names of the matrices whose noise steps ask for."""
    found = set(later)
    for step in reversed(steps):
        if step.op == "implicit":
            found |= needs(step)
        elif step.name in found or cleans(step):
            found |= set(step.args) | {name for row in step.grid for name in row if name}
    return found
