"""Which inertial parameters have independent columns, and how the others are part of these.

At many random states, columns are taken one after the other: those of the inertia of a body before
its first moments and its mass, and bodies after those that carry them. A column that follows from
those before is left out (M. Gautier, Numerical calculation of the base inertial parameters of
robots, J. Robotic Systems 8(4), 1991, 485-506). So a parameter is regrouped with those of a body
nearer to the ground, as M. Gautier and W. Khalil do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.regressor.derive_regressor import Composition
from mbx.analyses.regressor.geometry_terms import Geometry, coefficient
from mbx.analyses.structure.independent import judged, suggested
from mbx.base.errors import NotApplicableError
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.expr.nodes import ONE, ZERO
from mbx.numerics.execute.execute import run
from mbx.numerics.ranks import rank
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import draw, draw_values
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.regressor.derive_regressor import Derived
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Parameter

__all__ = ["Sampled", "compose", "sample"]

_SEED: Final = 1
_MORE: Final = 3
"""Rows for each column."""
_STATES: Final = 12
"""States at least."""
_DEPENDENT: Final = 1e-9
"""Part of a column that is left where it follows from others, at most."""
_NOTHING: Final = 1e-11
"""Part of the largest column of its kind that a column without effect has, at most."""
_ILL: Final = 1e8
"""Condition from which proposed speeds do not determine the others at all states."""
_ZERO: Final = 1e-10
"""Part of the size that a coefficient would have, below which it is zero."""
_VARIED: Final = 18
"""How often the geometry is drawn for the terms of coefficients."""
_MOST: Final = 1000
"""Parameters of the geometry by invariants, beyond which it is not varied: it takes too long."""
_AROUND: Final = (0.8, 1.25)


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Columns at many states: rows that the invariants allow, of all states together.

    Attributes:
        manifold: The invariants with the values of parameters.
        points: The states.
        W: The columns, one for each inertial parameter that counts.
        A: The invariants by the accelerations at the states, (K, rows, speeds).
        rank: The rank of these.
    """

    manifold: Manifold
    points: Points
    W: Array
    A: Array
    rank: int


def sample(derived: Derived, equations: Equations, values: Values) -> Sampled | None:
    """Return the columns at random consistent states; None where none is found."""
    count, speeds = len(derived.parameters), len(derived.motion.u)
    manifold = Manifold(derived.system, values)
    least = max(speeds - len(derived.levels.rows), 1)
    wanted = max(_STATES, ceil(_MORE * count / least))
    points = draw(manifold, np.random.default_rng(_SEED), wanted).points
    return _columns(derived, equations, manifold, points)


def _moved(
    derived: Derived, equations: Equations, near: Sampled, parameters: Mapping[str, float]
) -> Sampled | None:
    """Return the columns where parameters have other values, at consistent states near by."""
    old = near.manifold.values
    manifold = near.manifold.with_values(Values({**old.parameters, **parameters}, old.inputs))
    points, error = manifold.project(near.points)
    return _columns(derived, equations, manifold, points.some(error <= CLOSE))


def _columns(
    derived: Derived, equations: Equations, manifold: Manifold, points: Points
) -> Sampled | None:
    """Return the columns at states with random accelerations; None where nothing can move."""
    if not len(points):
        return None
    A, b = manifold.at(points, "A", "b")
    ranks = rank(A) if A.shape[1] else np.zeros(len(points), dtype=np.int64)
    most = int(ranks.max())
    if most == A.shape[2]:
        return None
    regular = ranks == most
    points, A, b = points.some(regular), A[regular], b[regular]
    ud, Z = _allowed(A, b, most)
    paths = [one.path for one in equations.signature.higher]
    higher = {path: ud[:, k] for k, path in enumerate(paths)}
    at = manifold.values.at(equations, points, higher)
    Y = run(equations, at, wanted=["Y"]).matrix("Y")
    W = np.swapaxes(Z, 1, 2) @ np.asarray(Y)
    W = _without_rounding(derived, W.reshape(-1, W.shape[2]))
    return Sampled(manifold, points, W, A, most)


def _without_rounding(derived: Derived, W: Array) -> Array:
    """Return columns with those that are rounding, beside others of their kind, as zero."""
    sizes = np.linalg.norm(W, axis=0)
    moments = np.array([one.moment for one in derived.parameters])
    largest = [sizes[moments == moment].max() for moment in moments]
    return np.where(sizes > _NOTHING * np.array(largest), W, 0.0)


def _allowed(A: Array, b: Array, r: int) -> tuple[Array, Array]:
    """Return random accelerations that invariants allow, and a basis of what they leave open."""
    K, _, n = A.shape
    free = np.random.default_rng(_SEED).standard_normal((K, n))
    if not r:
        return free, np.broadcast_to(np.eye(n), (K, n, n))
    U, s, Vt = np.linalg.svd(A)
    Z = np.swapaxes(Vt[:, r:], 1, 2)
    held = np.swapaxes(U[:, :, :r], 1, 2) @ b / s[:, :r, None]
    ud = Z @ (np.swapaxes(Z, 1, 2) @ free[:, :, None]) - np.swapaxes(Vt[:, :r], 1, 2) @ held
    return ud[:, :, 0], Z


def compose(derived: Derived, equations: Equations) -> tuple[tuple[int, ...] | None, Composition]:
    """Return independent speeds, where there are invariants, and the base parameters."""
    drawn = draw_values(derived.system, np.random.default_rng(_SEED))
    own = sample(derived, equations, drawn)
    if own is None:
        raise NotApplicableError("no state is found at which the invariants leave a motion")
    kept = _independent_columns(derived, own.W)
    C, exact = _coefficients(own.W, kept)
    if not exact:
        raise NotApplicableError("the columns of the inertial parameters cannot be told apart")
    independent = _independent_speeds(derived, own) if derived.levels.rows else None
    return independent, _composed(derived, equations, own, kept, C)


def _independent_speeds(derived: Derived, own: Sampled) -> tuple[int, ...]:
    """Return the speeds that the model proposes, that inputs drive, or that are best."""
    names = [s.path for s in derived.motion.speeds]
    largest = np.abs(own.A).max(axis=(0, 2), keepdims=True)
    scaled = own.A / np.where(largest > 0, largest, 1.0)
    driven = [k for k, row in enumerate(derived.by_inputs) if any(x is not ZERO for x in row)]
    best = judged(scaled, own.rank, names, derived.motion.independent or driven)
    if not best.worst < _ILL:
        best = suggested(scaled, own.rank, names, derived.motion.independent)
    return tuple(k for k, name in enumerate(names) if name in best.speeds)


def _order(derived: Derived) -> list[int]:
    """Return the inertial parameters in the order in which their columns are taken."""
    bodies = {one.path.rpartition(".")[0]: None for one in derived.parameters}
    place = {path: k for k, path in enumerate(bodies)}

    def key(k: int) -> tuple[int, int, int]:
        one = derived.parameters[k]
        return place[one.path.rpartition(".")[0]], -one.moment, k

    return sorted(range(len(derived.parameters)), key=key)


def _independent_columns(derived: Derived, W: Array) -> tuple[int, ...]:
    """Return the columns that do not follow from those before, by orthogonalisation."""
    sizes = np.linalg.norm(W, axis=0)
    Q = np.zeros((len(W), 0))
    kept: list[int] = []
    for k in _order(derived):
        if not sizes[k]:
            continue
        rest = W[:, k] / sizes[k]
        for _ in range(2):  # twice is enough
            rest = rest - Q @ (Q.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > _DEPENDENT:
            Q = np.column_stack([Q, rest / left])
            kept.append(k)
    return tuple(sorted(kept))


def _coefficients(W: Array, kept: Sequence[int]) -> tuple[Array, bool]:
    """Return C with W = W[:, kept] C, and whether it is so."""
    basis = W[:, list(kept)]
    size = np.linalg.norm(basis, axis=0)
    sizes = np.linalg.norm(W, axis=0)
    size, sizes = (np.where(x > 0, x, 1.0) for x in (size, sizes))
    X, _, found, _ = np.linalg.lstsq(basis / size, W / sizes, rcond=None)
    exact = np.abs(basis / size @ X - W / sizes).max(initial=0.0) <= 10 * _DEPENDENT
    X = np.where(np.abs(X) <= _ZERO, 0.0, X)
    C = X * sizes / size[:, None]
    C[:, list(kept)] = np.eye(len(kept))
    return C, bool(exact and found == len(kept))


# -- coefficients as terms of the geometry ---------------------------------------------------


def _composed(
    derived: Derived,
    equations: Equations,
    near: Sampled,
    kept: tuple[int, ...],
    C: Array,
) -> Composition:
    """Return the base parameters with coefficients in the geometry, as far as they are known."""
    lengths = _geometry(derived, near.manifold.values)
    few = len(lengths) * len(derived.levels.rows) <= _MOST
    geometry = _varied(derived, equations, near, kept, lengths) if lengths and few else None
    odd: list[str] = []
    terms = []
    for row, k in enumerate(kept):
        own = [(k, ONE)]
        for j in np.flatnonzero(C[row]).tolist():
            if j == k:
                continue
            degree = derived.parameters[k].moment - derived.parameters[j].moment
            at = None if geometry is None else geometry.of(row, j)
            node, known = coefficient(float(C[row, j]), degree, at, has_geometry=bool(lengths))
            own.append((j, node))
            if not known:
                odd.append(derived.parameters[k].path)
        terms.append(tuple(own))
    every = len(derived.parameters)
    notes = [f"{len(kept)} base parameters of {every} inertial parameters that have an effect"]
    lost = [one.path for k, one in enumerate(derived.parameters) if not C[:, k].any()]
    if lost:
        notes.append(f"in no base parameter: {', '.join(lost)}")
    if odd:
        names = ", ".join(dict.fromkeys(odd))
        notes.append(
            f"numbers in the base parameters {names} hold at the values of the parameters"
            " that the model gives"
        )
    return Composition(kept, tuple(terms), tuple(notes))


def _geometry(derived: Derived, drawn: Values) -> dict[str, tuple[Parameter, float]]:
    """Return the parameters that columns or invariants are made of, each with its value."""
    columns = [x for one in derived.parameters for x in one.forces]
    used = set(free_symbols([*columns, *(x for row in derived.levels.A for x in row)]))
    values = {one.symbol: one.value for one in derived.system.parameters}
    pending = list(used)
    while pending:
        value = values.get(pending.pop())
        new = [x for x in free_symbols([value]) if x not in used] if value is not None else []
        used.update(new)
        pending += new
    found: dict[str, tuple[Parameter, float]] = {}
    for one in derived.system.parameters:
        if one.symbol not in used or one.dimension not in {"m", "1"}:
            continue
        if one.value is None:
            found[one.path] = one, float(drawn.parameters[one.path])
        elif not free_symbols([one.value]):
            found[one.path] = one, float(evaluate([one.value], {})[0])
    return found


def _varied(
    derived: Derived,
    equations: Equations,
    near: Sampled,
    kept: Sequence[int],
    lengths: Mapping[str, tuple[Parameter, float]],
) -> Geometry | None:
    """Return coefficients where the geometry is another one; None where they do not exist."""
    rng = np.random.default_rng(_SEED)
    paths = list(lengths)
    own = np.array([value for _, value in lengths.values()])
    table = own * rng.uniform(*_AROUND, (_VARIED, len(paths)))
    table = np.where(own == 0, rng.uniform(*_AROUND, table.shape), table)
    alone = np.where(np.eye(len(paths), dtype=bool), table[:1], own)
    found = []
    for row in (own, *alone, *table):
        here = _moved(derived, equations, near, dict(zip(paths, row.tolist(), strict=True)))
        if here is None:
            return None
        C, exact = _coefficients(here.W, kept)
        if not exact:
            return None
        found.append(C)
    one = len(paths) + 1
    return Geometry(
        parameters=tuple(parameter for parameter, _ in lengths.values()),
        table=table,
        own=found[0],
        alone=np.stack(found[1:one]),
        varied=np.stack(found[one:]),
    )
