"""Running a program in NumPy, for many states at once.

Every condition on numbers ends in a status, and never in an exception or a warning. A state
that fails leaves the batch; a batch whose states differ in a rank is split, for then its
matrices differ in shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.errors import EquationsError
from mbx.expr.walk import free_symbols
from mbx.formalism.shapes import Shape, needs, shapes
from mbx.formalism.steps import Batch, apply, bound, cleans, defined, noise_after

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array, Faults
    from mbx.formalism.program import Op, Residual, Step

__all__ = ["REGULAR", "Outcome", "march", "run"]

REGULAR: Final = "regular"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a program gave.

    Attributes:
        status: For each state: regular, singular, inconsistent, jamming, not finite,
            no convergence.
        batches: The regular states, those with matrices of one shape together.
        shapes: Rows and columns of every matrix; None where they depend on a rank.
    """

    status: Faults
    batches: tuple[Batch, ...]
    shapes: Mapping[str, Shape]

    def matrix(self, name: str) -> Array | list[Array]:
        """Return a matrix of all states, (N, rows, columns); a list where shapes differ."""
        if name not in self.shapes:
            raise KeyError(name)
        found = {batch.matrices[name].shape[1:] for batch in self.batches}
        if len(found) > 1:
            return [self.at(name, k) for k in range(len(self.status))]
        rows, columns = found.pop() if found else (size or 0 for size in self.shapes[name])
        result = np.full((len(self.status), rows, columns), np.nan)
        for batch in self.batches:
            result[batch.states] = batch.matrices[name]
        return result

    def at(self, name: str, k: int) -> Array:
        """Return a matrix of one state; NaN where the state is not regular."""
        for batch in self.batches:
            place = np.flatnonzero(batch.states == k)
            if place.size:
                matrix: Array = batch.matrices[name][place[0]]
                return matrix
        rows, columns = (size or 0 for size in self.shapes[name])
        return np.full((rows, columns), np.nan)


def run(
    equations: Equations,
    values: Mapping[Node, Any],
    *,
    residual: Residual | None = None,
    given: Mapping[str, Any] | None = None,
    wanted: Iterable[str] | None = None,
) -> Outcome:
    """Run a program where symbols have values: numbers, or one for each state.

    `given` are the matrices from outside, by name. With a `residual` its steps follow those
    of the program, and its names come before the program's. Of the steps, those are run that
    lead to the `wanted` matrices; all, if nothing is said.
    """
    steps = list(equations.steps)
    known = shapes(steps)
    if residual is not None:
        known = shapes(residual.steps, known)
        steps += residual.steps
        wanted = (residual.value, residual.magnitude) if wanted is None else wanted
    if wanted is not None:
        steps = _leading_to(wanted, steps)
    matrices = _matrices(steps, given or {})
    symbols = {node: np.asarray(value, dtype=np.float64) for node, value in values.items()}
    N = _count([*(v.shape for v in symbols.values()), *(m.shape[:1] for m in matrices.values())])
    symbols = {node: np.broadcast_to(value, N) for node, value in symbols.items()}
    matrices = {n: np.broadcast_to(m, (N, *m.shape[1:])) for n, m in matrices.items()}
    _require(steps, symbols)
    start = Batch(np.arange(N), {}, {})
    later = {name for each in equations.residuals for name in _noisy(each.steps)}
    status, batches = march(steps, symbols, start, matrices, later)
    kept = {step.name for step in steps}
    return Outcome(status, batches, {name: known[name] for name in known if name in kept})


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


def _count(sizes: Iterable[tuple[int, ...]]) -> int:
    """Return the number of states."""
    try:
        return int(np.broadcast_shapes((1,), *sizes)[-1])
    except ValueError:
        message = "values are numbers, or arrays with one number for each state"
        raise EquationsError(message) from None


def _matrices(steps: Iterable[Step], given: Mapping[str, Any]) -> dict[str, Array]:
    """Return the given matrices as (1 or N, rows, columns)."""
    found = {}
    for step in steps:
        if step.op != "given" or step.size is None:
            continue
        if step.name not in given:
            raise EquationsError(f"the matrix '{step.name}' is not given")
        matrix = np.asarray(given[step.name], dtype=np.float64)
        if step.size[1] == 1 and matrix.shape[-1:] == step.size[:1] and matrix.ndim < 3:  # noqa: PLR2004
            matrix = matrix[..., None]
        matrix = matrix[None] if matrix.ndim == 2 else matrix  # noqa: PLR2004
        if matrix.shape[1:] != step.size:
            raise EquationsError(
                f"the matrix '{step.name}' is not {step.size[0]} by {step.size[1]}"
            )
        found[step.name] = matrix
    return found


def _require(steps: Sequence[Step], symbols: Mapping[Node, Any]) -> None:
    """Raise an error unless every symbol of the steps has a value."""
    every = _inner(steps)
    known = set(symbols) | set(_entries(every, "given"))
    plain = [step for step in every if not step.symbols]
    missing = [node.value for node in free_symbols(_entries(plain, "define")) if node not in known]
    for step in every:
        if step.symbols:
            own = set(step.symbols)
            missing += [
                n.value
                for n in free_symbols(_entries([step], "define"))
                if n not in own and n not in known
            ]
    if missing:
        raise EquationsError(f"no value for {', '.join(dict.fromkeys(missing))}")


def _inner(steps: Iterable[Step]) -> list[Step]:
    return [inner for step in steps for inner in (step, *step.steps)]


def _entries(steps: Iterable[Step], op: Op) -> Iterator[Node]:
    for step in steps:
        if step.op == op:
            for row in step.entries:
                yield from row


def march(
    steps: Sequence[Step],
    symbols: Mapping[Node, Array],
    start: Batch,
    given: Mapping[str, Array],
    later: Iterable[str] = (),
) -> tuple[Faults, tuple[Batch, ...]]:
    """Run steps in order from some matrices; return the status of each state and the batches.

    States are numbered as in `symbols` and `given`, from 0. Noise is found where one of the
    steps asks for it, and of the matrices that `later` ones ask for.
    """
    noisy = _noisy(steps, later)
    N = len(start.states)
    status = np.full(N, REGULAR, dtype=object)
    with np.errstate(all="ignore"):
        values = bound(steps, symbols, given)
        outside = defined(steps, values, N)
        outside |= {k: given[step.name] for k, step in enumerate(steps) if step.op == "given"}
        done = []
        work = [(0, start.copy())]
        while work:
            k, batch = work.pop()
            while k < len(steps) and batch.states.size:
                noise = steps[k].name in noisy
                parts = _parts(steps[k], batch, values, outside.get(k), status, noise=noise)
                k += 1
                batch = parts[0]
                work += [(k, part) for part in parts[1:]]
            if batch.states.size:
                done.append(batch)
    return status, tuple(done)


def _noisy(steps: Sequence[Step], later: Iterable[str] = ()) -> set[str]:
    """Return the names of the matrices whose noise steps ask for."""
    found = set(later)
    for step in reversed(steps):
        if step.op == "implicit":
            found |= needs(step)
        elif step.name in found or cleans(step):
            found |= set(step.args) | {name for row in step.grid for name in row if name}
    return found


def _parts(
    step: Step,
    batch: Batch,
    values: Mapping[Node, Array],
    outside: Array | None,
    status: Faults,
    *,
    noise: bool,
) -> list[Batch]:
    """Return the batch after a step, split by shape; what fails goes into the status."""
    faults, width = np.full(len(batch.states), "", dtype=object), None
    if outside is not None:
        value = outside[batch.states]
    else:
        value, faults, width = apply(step, batch, values)
    finite = np.isfinite(value).all(axis=(1, 2))
    faults = np.where((faults == "") & ~finite, "not finite", faults)
    sound = faults == ""
    status[batch.states[~sound]] = faults[~sound]
    if not sound.all():
        batch, value = batch.take(sound), value[sound]
        width = None if width is None else width[sound]
    moved = noise_after(step, batch, values, value) if noise else None
    if width is None:
        return [batch.add(step.name, value, moved)]
    n = value.shape[-1]
    return [
        batch.take(width == w).add(
            step.name,
            value[width == w, :, n - w :],
            None if moved is None else moved[width == w, :, n - w :],
        )
        for w in np.unique(width)
    ]
