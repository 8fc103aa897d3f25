"""Running a program in NumPy, for many states at once.

Every condition on numbers ends in a status, and never in an exception or a warning. A state
that fails leaves the batch; a batch whose states differ in a rank is split, for then its
matrices differ in shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.execute.step_kinds import (
    Batch,
    apply,
    bound,
    defined,
    expression_noise,
    noise_after,
    noisy_in,
    plan_of,
)
from mbx.numerics.ranks import doubtful_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Signature
    from mbx.formalism.program import Residual, Step
    from mbx.formalism.shapes import Shape
    from mbx.numerics.execute.stacked_algebra import Array, Faults

__all__ = ["REGULAR", "STATE", "Outcome", "input_errors", "march", "run"]

REGULAR: Final = "regular"
STATE: Final = 16 * EPS
"""Part of the size of its variables by which a state may be off its invariants."""
_TURNING: Final = frozenset({"1", ""})
"""Units of angles, and of parts of quaternions."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a program gave.

    Attributes:
        status: For each state: regular, singular, inconsistent, jamming, not finite,
            no convergence.
        batches: The regular states, those with matrices of one shape together.
        shapes: Rows and columns of every matrix; None where they depend on a rank.
        reasons: More about the status of some states, by number.
    """

    status: Faults
    batches: tuple[Batch, ...]
    shapes: Mapping[str, Shape]
    reasons: Mapping[int, str] = field(default_factory=dict)

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
    noisy: Iterable[str] = (),
) -> Outcome:
    """Run a program where symbols have values: numbers, or one for each state.

    `given` are the matrices from outside, by name. With a `residual` its steps follow those
    of the program, and its names come before the program's. Of the steps, those are run that
    lead to the `wanted` matrices; all by default. The rounding of `noisy` matrices is
    found, too.
    """
    plan = plan_of(equations, residual, wanted)
    steps = plan.steps
    matrices = _matrices(steps, given or {})
    symbols = {node: np.asarray(value, dtype=np.float64) for node, value in values.items()}
    N = _count([*(v.shape for v in symbols.values()), *(m.shape[:1] for m in matrices.values())])
    symbols = {node: np.broadcast_to(value, N) for node, value in symbols.items()}
    matrices = {n: np.broadcast_to(m, (N, *m.shape[1:])) for n, m in matrices.items()}
    missing = [node.value for node in plan.symbols if node not in symbols]
    if missing:
        raise EquationsError(f"no value for {', '.join(dict.fromkeys(missing))}")
    start = Batch(np.arange(N), {}, {})
    later = plan.later | set(noisy)
    errors = input_errors(equations.signature, symbols)
    status, batches = march(steps, symbols, start, matrices, later, errors)
    reasons: dict[int, str] = {}
    batches = tuple(_confirmed(equations, each, status, reasons) for each in batches)
    kept = tuple(each for each in batches if each.states.size)
    return Outcome(status, kept, plan.shapes, reasons)


def _confirmed(
    equations: Equations, batch: Batch, status: Faults, reasons: dict[int, str]
) -> Batch:
    """Return the states of which the inertia confirms the rank of the invariants."""
    A, M = (equations.results.get(key, "") for key in ("A", "M"))
    if A not in batch.noise or M not in batch.matrices:
        return batch
    matrices = batch.matrices[A], batch.noise[A], batch.matrices[M]
    n = matrices[0].shape[-1]
    if matrices[2].shape[1:] != (n, n):
        return batch
    with np.errstate(all="ignore"):
        rows = doubtful_rows(*matrices)
    doubtful = np.asarray(rows.any(axis=1))
    if not doubtful.any():
        return batch
    labels = equations.step(A).row_labels or tuple(f"row {k + 1}" for k in range(rows.shape[1]))
    for state, own in zip(batch.states[doubtful], rows[doubtful], strict=True):
        named = ", ".join(label for label, bad in zip(labels, own, strict=True) if bad)
        reasons[int(state)] = f"rounding decides whether {named} depend on the other invariants"
        status[state] = "singular"
    return batch.take(~doubtful)


def input_errors(signature: Signature, values: Mapping[Node, Array]) -> dict[Node, Array]:
    """Return the errors of coordinates and speeds: a state keeps its invariants to rounding.

    What rounding moves is of the size of all variables with the same unit, even if one of them
    is zero itself; an angle or a quaternion turns what has a size of one.
    """
    found: dict[Node, Array] = {}
    for variables in (signature.q, signature.u, signature.higher):
        for dimension in {one.dimension for one in variables}:
            alike = [
                one.symbol
                for one in variables
                if one.dimension == dimension and one.symbol in values
            ]
            if alike:
                size = np.abs([values[node] for node in alike]).max(axis=0)
                least = 1.0 if dimension in _TURNING else 0.0
                found |= dict.fromkeys(alike, STATE * np.maximum(size, least))
    return found


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


def march(
    steps: Sequence[Step],
    symbols: Mapping[Node, Array],
    start: Batch,
    given: Mapping[str, Array],
    later: Iterable[str] = (),
    errors: Mapping[Node, Array] | None = None,
) -> tuple[Faults, tuple[Batch, ...]]:
    """Run steps in order from some matrices; return the status of each state and the batches.

    States are numbered as in `symbols` and `given`, from 0. Noise is found where one of the
    steps asks for it, and of the matrices that `later` ones ask for. `errors` are those of
    symbols, where more is known of them than that they are rounded.
    """
    noisy = noisy_in(steps, later)
    N = len(start.states)
    status = np.full(N, REGULAR, dtype=object)
    with np.errstate(all="ignore"):
        values = bound(steps, symbols, given)
        outside = defined(steps, values, N)
        outside |= {k: given[step.name] for k, step in enumerate(steps) if step.op == "given"}
        own = [k for k in outside if steps[k].op == "define" and steps[k].name in noisy]
        moved = expression_noise([steps[k] for k in own], values, errors or {}, N) if own else []
        bounds = dict(zip(own, moved, strict=True))
        done = []
        work = [(0, start.copy())]
        while work:
            k, batch = work.pop()
            while k < len(steps) and batch.states.size:
                known = outside.get(k), bounds.get(k)
                noise = (errors or {}) if steps[k].name in noisy else None
                parts = _parts(steps[k], batch, values, known, status, noise)
                k += 1
                batch = parts[0]
                work += [(k, part) for part in parts[1:]]
            if batch.states.size:
                done.append(batch)
    return status, tuple(done)


def _parts(
    step: Step,
    batch: Batch,
    values: Mapping[Node, Array],
    known: tuple[Array | None, Array | None],
    status: Faults,
    errors: Mapping[Node, Array] | None,
) -> list[Batch]:
    """Return the batch after a step, split by shape; what fails goes into the status.

    Matrices of expressions and their bounds are `known`. With `errors` of symbols, bounds of
    what the step gives are found.
    """
    outside, bound = known
    faults: Faults | None = None
    width = None
    if outside is not None:
        value = outside[batch.states]
    else:
        value, faults, width = apply(step, batch, values)
    sound = np.asarray(np.isfinite(value).all(axis=(1, 2)))
    if faults is not None:
        sound = sound & (faults == "")
    if not sound.all():
        failed = batch.states[~sound]
        status[failed] = "not finite"
        if faults is not None:
            named = faults != ""
            status[batch.states[named]] = faults[named]
        batch, value = batch.take(sound), value[sound]
        width = None if width is None else width[sound]
    moved = None
    if bound is not None:
        moved = bound[batch.states]
    elif errors is not None:
        moved = noise_after(step, batch, values, errors, value)
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
