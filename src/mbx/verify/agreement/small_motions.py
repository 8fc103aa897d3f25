"""Linearisations against differences of the accelerations of two forms.

    dud_k = (ud(-2h) - 8 ud(-h) + 8 ud(h) - ud(2h))/(12 h),    q, u(h) on the invariants

x(h) is brought onto the invariants from x + h T_k, so its derivative at h = 0 is T_k, and so is
that of the rates x'(h) a column of A. Nothing here is differentiated on the graph. The differences
with half of the step, and those of the other form, bound their own error; an entry of A, B or T
outside of that bound goes to the arbiter, which takes them in fifty digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.observe import Place
from mbx.analyses.guard import Fault, attempt
from mbx.analyses.linearize.digit_slopes import form_slopes, inputs_at, rate_slopes, state_slopes
from mbx.analyses.linearize.linear_scales import Scales
from mbx.analyses.linearize.linear_system import How, linearize
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.linearize.tangent_motions import Directions
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.complete import separate_parts
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.tolerances import CLOSE
from mbx.verify.agreement.mutual_residuals import PASS
from mbx.verify.agreement.state_counts import kind_of
from mbx.verify.findings import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.analyses.linearize.linear_system import Linear, Method
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.derived_forms import Form
    from mbx.verify.verification_work import Work

__all__ = ["check_linearisation"]

METHODS: Final[tuple[Method, ...]] = ("plain", "modular")
STEP: Final = 1e-3
"""Largest step of a variable, as a part of its size."""
OFFSETS: Final = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)
WIDE: Final = (1 / 12, -2 / 3, 0.0, 0.0, 2 / 3, -1 / 12)
"""Weights of the difference quotient of fourth order, with the step."""
NARROW: Final = (0.0, 1 / 6, -4 / 3, 4 / 3, -1 / 6, 0.0)
"""The same with half of the step."""
MARGIN: Final = 10.0
"""How many times as large as its estimate the error of a difference may be."""
LEAST: Final = 1e-9
"""Part of an entry that is taken as its error at least."""
SURE: Final = 1e-6
"""Part of an entry below which its error must be; else the arbiter decides."""
EXACT: Final = 1e-8
"""Part of the size of an entry by which it may differ from fifty digits."""
CONNECTED: Final = 1e-6
"""Part of the rates of connected variables that counts as the size of a rate at least."""
ROUNDING: Final = 2.0**-40
"""The same of all rates of a model: rounding of the solution of one system of equations."""
STATES: Final = 2
"""How many states are tried where a linearisation does not exist."""
_SECOND: Final = 2


def check_linearisation(
    work: Work, forms: Sequence[Form], compared: NDArray[np.bool_]
) -> dict[str, Error]:
    """Return the error of each method to linearise, at a random state."""
    system = work.manifold.system
    if system.order > _SECOND or not system.u:
        return {}
    chosen = _two_formalisms(forms)
    residual = Residual(system)
    random = [k for k, name in enumerate(work.sample.names) if kind_of(name) == "random"]
    for k in [k for k in random if compared[k]][:STATES]:
        at = Place(
            work.state(k),
            work.manifold.values.parameters,
            {p: x for p, x in work.manifold.values.inputs.items() if not p.endswith("'")},
            float(work.sample.points.t[k]),
        )
        errors = attempt(
            lambda at=at: _errors(residual, at, chosen),  # type: ignore[misc]
            work.clock.left,
        )
        name = work.sample.names[k]
        if isinstance(errors, Fault):  # a check that breaks must not pass for agreement
            return {"plain": Error(np.nan, name, errors.reason, forward=True)}
        if errors:
            return {
                method: Error(value, name, row, arbiter, forward=True)
                for method, (value, row, arbiter) in errors.items()
            }
    return {}


def _two_formalisms(forms: Sequence[Form]) -> list[Equations]:
    """Return the equations of two forms of different formalisms, the shortest."""
    by_formalism: dict[str, Equations] = {}
    for form in sorted(forms, key=lambda form: len(form.equations.steps)):
        by_formalism.setdefault(form.formalism, form.equations)
    return list(by_formalism.values())[:2]


def _errors(
    residual: Residual, at: Place, forms: Sequence[Equations]
) -> dict[str, tuple[float, str, str]]:
    """Return the largest error of each method, where it is, and the answer of the arbiter."""
    errors: dict[str, tuple[float, str, str]] = {}
    for method in METHODS:
        try:
            linear = linearize(residual, _consistent(residual, at, forms[0]), How(method=method))
            if not linear.unmet and linear.x:
                errors[method] = _error(residual, linear, forms)
        except NotRunError:  # it does not apply, or has no answer at the state
            continue
    return errors


def _consistent(residual: Residual, at: Place, equations: Equations) -> Place:
    """Return a state on the invariants with inputs that do not change, as a linearisation has."""
    manifold = Manifold(residual.system, Values(at.parameters, inputs_at(equations, residual, at)))
    q, u = (np.array([[at.state[v.path] for v in x]]) for x in _variables(residual))
    points = _projected(manifold, Points(np.array([at.t]), q, u))
    if points is None:
        raise NotRunError("the state is not consistent while inputs stay what they are")
    paths = [v.path for x in _variables(residual) for v in x]
    values = np.concatenate([points.q[0], points.u[0]]).tolist()
    return Place(dict(zip(paths, values, strict=True)), at.parameters, at.inputs, at.t)


def _variables(residual: Residual) -> tuple[Sequence[Any], Sequence[Any]]:
    return residual.system.q, residual.moving.speeds


def _projected(manifold: Manifold, points: Points) -> Points | None:
    points, error = manifold.project(points)
    return points if error.max(initial=0.0) <= CLOSE else None


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """What is compared: small motions of all variables above the rates of the independent.

    Attributes:
        rows: What each row is.
        values: T, and A next to B; columns are the directions, then the inputs.
        columns: Sizes of the directions and of the inputs.
        sizes: Sizes of the variables that the rows are about.
        moved: How many rows are small motions.
        accelerations: The number of the first row that is the rate of a speed.
        together: Rows of rates of variables that an expression of the model connects.
    """

    rows: tuple[str, ...]
    values: Array
    columns: Array
    sizes: Array
    moved: int
    accelerations: int
    together: list[NDArray[np.intp]]

    def size(self, bound: Array) -> Array:
        """Return how large an entry is where it counts, without regard to unconnected parts.

        That is the largest entry of its row, and no less than a part of those that its variable
        is connected with: where all of a row vanishes, the rest of it is rounding.
        """
        return self._size(self._parts(np.abs(self.values) > bound), CONNECTED)

    def rounding(self) -> Array:
        """Return what rounding can make of an entry: of all that the model connects it with.

        A rate that vanishes by cancellation has the rounding of what cancels, and is connected
        with nothing by its own entries.
        """
        return PASS * self._size(self.together, 1.0)

    def _size(self, parts: list[NDArray[np.intp]], least: float) -> Array:
        scaled = np.abs(self.values) * self.columns / self.sizes[:, None]
        scaled[: self.moved] = 1.0
        row = scaled.max(axis=1, initial=0.0)
        floor = ROUNDING * row[self.moved :].max(initial=0.0)
        for part in parts:
            row[part] = np.maximum(row[part], least * row[part].max(initial=0.0))
        row = np.maximum(row, floor)
        row = np.where(row > 0, row, 1.0)
        return np.asarray((row * self.sizes)[:, None] / self.columns)

    def _parts(self, present: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
        """Return the rows of rates that depend on each other, directly or by others."""
        x = len(self.values) - self.moved
        square = present[self.moved :, :x]
        _, part = connected_components(csr_array(square | square.T), directed=False)
        return [self.moved + np.flatnonzero(part == k) for k in range(part.max(initial=-1) + 1)]


def _error(
    residual: Residual, linear: Linear, forms: Sequence[Equations]
) -> tuple[float, str, str]:
    """Return the largest error of a linear system, its row, and the answer of the arbiter."""
    at = linear.at
    scales = Scales.of(residual, residual.values(at.state, at.parameters, at.inputs, at.t))
    table = _table_of(residual, linear, np.concatenate([scales.q, scales.u]))
    estimates = [_differences(residual, linear, table, form) for form in forms]
    known = [estimate for estimate in estimates if estimate is not None]
    if not known:
        raise NotRunError("no state next to it is consistent")
    mean, bound = known[0]
    bound = MARGIN * (bound + np.max([np.abs(values - mean) for values, _ in known], axis=0))
    size, rounding = table.size(bound), table.rounding()
    gap = np.abs(table.values - mean)
    close = gap <= np.maximum(np.maximum(bound, LEAST * np.abs(table.values)), rounding)
    sharp = bound <= SURE * size
    for decided, exact in (
        (slice(table.moved), state_slopes),
        (slice(table.moved, table.accelerations), _rates),
        (slice(table.accelerations, None), _accelerations),
    ):
        if (close & sharp)[decided].all() and len(known) == len(forms):
            continue
        exact_values = exact(forms[0], residual, linear.at, _directions(residual, linear))
        gap[decided] = np.abs(table.values[decided] - exact_values)
        close[decided] = gap[decided] <= np.maximum(EXACT * size, rounding)[decided]
        sharp[decided] = True
    error = np.where(sharp & ~(gap <= rounding), gap / size, 0.0)
    wrong = sharp & ~close
    chosen = np.where(wrong, error, 0.0) if wrong.any() else error
    row = int(np.nan_to_num(chosen, nan=np.inf).max(axis=1, initial=0.0).argmax())
    value = float(chosen[row].max(initial=0.0))
    if wrong.any():
        return max(value, 2 * PASS), table.rows[row], "different"
    return value, table.rows[row], "rounding"


def _together(residual: Residual, linear: Linear) -> list[NDArray[np.intp]]:
    """Return the rows of rates of each part of the model that nothing connects with the rest."""
    home = {
        v.path: k
        for k, part in enumerate(separate_parts(residual.system))
        for v in (*residual.system.q, *residual.system.u)
        if v.symbol in part.variables
    }
    homes = np.array([home[path] for path in linear.x])
    return [len(linear.paths) + np.flatnonzero(homes == k) for k in np.unique(homes)]


def _table_of(residual: Residual, linear: Linear, sizes: Array) -> _Table:
    """Return T, A and B as one table."""
    reach = np.abs(linear.T / sizes[:, None]).max(axis=0, initial=0.0)
    inputs = [max(1.0, abs(linear.at.inputs.get(path, 0.0))) for path in linear.inputs]
    none = np.zeros((len(linear.T), len(inputs)))
    chosen = [linear.paths.index(path) for path in linear.x]
    return _Table(
        (*linear.paths, *(f"rate of {path}" for path in linear.x)),
        np.vstack([np.hstack([linear.T, none]), np.hstack([linear.A, linear.B])]),
        np.concatenate([1.0 / np.where(reach > 0, reach, 1.0), inputs]),
        np.concatenate([sizes, sizes[chosen]]),
        len(linear.paths),
        len(linear.paths) + linear.coordinates,
        _together(residual, linear),
    )


def _directions(residual: Residual, linear: Linear) -> Directions:
    """Return the small motions of a linear system."""
    q, u = ([v.path for v in variables] for variables in _variables(residual))
    k = linear.coordinates
    chosen = tuple(q.index(path) for path in linear.x[:k]), tuple(map(u.index, linear.x[k:]))
    return Directions(*chosen, linear.T[: len(q)], linear.T[len(q) :])


def _rates(equations: Equations, residual: Residual, at: Place, near: Directions) -> Array:
    """Return the slopes of the rates of the independent coordinates in fifty digits."""
    return rate_slopes(equations, residual, at, near)[list(near.coordinates)]


def _accelerations(equations: Equations, residual: Residual, at: Place, near: Directions) -> Array:
    """Return the slopes of the independent accelerations by a form in fifty digits."""
    return form_slopes(equations, residual, at, near)[1][list(near.speeds)]


def _differences(
    residual: Residual, linear: Linear, table: _Table, equations: Equations
) -> tuple[Array, Array] | None:
    """Return the table by differences, and their estimated errors; None where a state is missing.

    Half of the step has a sixteenth of the truncation error, and twice the rounding error.
    """
    at, inputs = linear.at, inputs_at(equations, residual, linear.at)
    n, width = len(linear.paths), len(table.columns)
    base = np.array([at.state[path] for path in linear.paths])
    h = STEP * table.columns
    offsets = np.tile(OFFSETS, width) * np.repeat(h, len(OFFSETS))
    which = np.repeat(np.arange(width), len(OFFSETS))
    moved = base + offsets[:, None] * table.values[:n, which].T
    nq = len(residual.q)
    values: dict[str, Any] = {path: np.full(len(offsets), x) for path, x in inputs.items()}
    for j, path in enumerate(linear.inputs):
        values[path] = values[path] + np.where(which == width - len(linear.inputs) + j, offsets, 0)
    manifold = Manifold(residual.system, Values(at.parameters, values))
    points = Points(np.full(len(offsets), at.t), moved[:, :nq], moved[:, nq:])
    there = _projected(manifold, points)
    if there is None:
        return None
    outcome = run(equations, manifold.values.at(equations, there), wanted={equations.results["ud"]})
    ud = outcome.matrix(equations.results["ud"])
    if isinstance(ud, list) or not (outcome.status == REGULAR).all():
        return None
    (qd,) = manifold.at(there, "rates")
    every = np.hstack([qd[:, :, 0], ud[:, :, 0]])
    chosen = [linear.paths.index(path) for path in linear.x]
    seen = np.hstack([there.q, there.u, every[:, chosen]])
    seen = seen.reshape(width, len(OFFSETS), -1)
    wide, narrow = (np.einsum("j,kjr->rk", w, seen) / h for w in (WIDE, NARROW))
    # rounding of what is subtracted, over the step
    rounding = np.abs(seen).max(axis=1).T * 2**-50 / h
    return narrow, np.abs(wide - narrow) + rounding
