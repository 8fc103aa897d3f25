"""States completed from partial data: some variables stay, the others are solved for.

Parts of a model that nothing connects are completed by themselves: two variables are connected if
one expression of an element, an invariant, a load, a potential or a rate has both. Accelerations
belong to the state where an invariant has order 3 or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import free_symbols
from mbx.numerics.execute.execute import run
from mbx.numerics.newton import gauss_newton
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points, Values
    from mbx.system.system import Force, System, Variable
    from mbx.system.world import Element


__all__ = [
    "BOUNDLESS",
    "STATE",
    "Completed",
    "Separate",
    "StatePoint",
    "complete",
    "complete_higher",
    "draw_higher",
    "expressions_of",
    "likely",
    "separate_parts",
]


@dataclass(frozen=True, slots=True)
class StatePoint:
    """A state in numbers: time, and every variable by path."""

    name: str
    t: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Separate:
    """A part: its variables and their rates, and all symbols that its expressions are made of."""

    variables: frozenset[Node]
    symbols: frozenset[Node]

    def has(self, nodes: Sequence[Node]) -> bool:
        """Return whether expressions depend on the variables of this part."""
        return not self.variables.isdisjoint(free_symbols(nodes))


def separate_parts(system: System) -> list[Separate]:
    """Return the parts: one if everything is connected, none without variables."""
    groups: list[set[Node]] = [{v.symbol, v.rate} for v in (*system.q, *system.u)]
    own = frozenset(node for group in groups for node in group)
    known: list[tuple[set[Node], set[Node]]] = [(set(group), set(group)) for group in groups]
    for nodes in _expressions(system):
        symbols = set(free_symbols(nodes))
        touched = symbols & own
        if not touched:
            continue
        joined = [pair for pair in known if pair[0] & touched]
        rest = [pair for pair in known if not pair[0] & touched]
        variables = touched.union(*(pair[0] for pair in joined))
        known = [*rest, (variables, symbols.union(*(pair[1] for pair in joined)))]
    made_of = {p.symbol: p.value for p in (*system.parameters, *system.inputs)}
    return [
        Separate(frozenset(variables), frozenset(_closed(symbols, made_of)))
        for variables, symbols in known
    ]


def _closed(symbols: set[Node], made_of: dict[Node, Node | None]) -> set[Node]:
    """Return symbols with those that the values of parameters among them are made of."""
    found, left = set(symbols), list(symbols)
    while left:
        value = made_of.get(left.pop())
        more = set() if value is None else set(free_symbols([value])) - found
        found |= more
        left += more
    return found


def _expressions(system: System) -> Iterator[list[Node]]:
    """Yield the expressions that belong together."""
    elements = {e.path: expressions_of(e) for e in system.elements}
    yield from elements.values()
    for q, rate in system.qd.items():
        yield [q, rate]
    for u, value in system.defined.items():
        yield [u, value]
    for row in (*system.rows, *system.closed, *system.idle):
        sides = [x for path in row.sides if path in elements for x in elements[path]]
        yield [row.value, *sides]
    for force in system.forces:
        yield [*_of_forces([force]), *elements.get(force.on, [])]
    yield from ([one.on, one.value] for one in system.generalized)
    yield from ([one.on, one.value] for one in system.effective)
    for energy in (*system.potentials, *system.dissipations):
        on = [x for f in energy.forces or () for x in elements.get(f.on, [])]
        yield [energy.value, *_of_forces(energy.forces or ()), *on]


def _of_forces(forces: Iterable[Force]) -> list[Node]:
    return [x for force in forces for x in (*force.force, *force.torque)]


def expressions_of(e: Element) -> list[Node]:
    """Return how an element moves, what it weighs, and where."""
    vectors: list[Sequence[Node]] = [e.com.v, e.com.a]
    if e.placed:
        vectors.append(e.com.p)
    vectors += [one for one in (e.w_local, e.wd_local, e.gravity) if one is not None]
    if e.inertia is not None:
        vectors += list(e.inertia)
    if e.frame is not None:
        vectors += list(e.frame.R)
    return [x for vector in vectors for x in vector] + ([] if e.m is None else [e.m])


STATE: Final = "state"
"""The result that is zero at consistent states."""
QUASI: Final = "quasi0"
"""The step that gives the declared variables of order 2 and more that belong to the state."""
STEP: Final = 1e-4


def complete_higher(
    equations: Equations,
    values: Values,
    points: Points,
    x: Array,
    free: NDArray[np.bool_] | None = None,
    declared: Mapping[str, float] | None = None,
) -> dict[str, Array]:
    """Return consistent accelerations and beyond near x by path; NaN where none was found.

    All of them may move, unless it is said which are free. Variables that are `declared` with
    order 2 or more have the values that are given.
    """
    paths = [one.path for one in equations.signature.higher]
    if STATE in equations.results:
        name = equations.results[STATE]
        named, goal = _declared(equations, declared or {})

        def value(x: Array) -> Array:
            at = values.at(equations, points, _by_path(paths, x))
            outcome = run(equations, at, wanted=[name, *([QUASI] if named else [])])
            found = outcome.matrix(name)
            if isinstance(found, list):
                raise EquationsError(f"the number of rows of '{STATE}' depends on the state")
            if not named:
                return found[:, :, 0]
            more = np.asarray(outcome.matrix(QUASI))[:, named, 0] - goal
            return np.concatenate([found[:, :, 0], more], axis=1)

        def f(x: Array) -> tuple[Array, Array]:
            steps = STEP * np.eye(len(paths))
            slopes = [(value(x + d) - value(x - d)) / (2 * STEP) for d in steps]
            return value(x), np.stack(slopes, axis=2)

        every = np.ones(len(paths), dtype=bool)
        x, error = gauss_newton(f, x, every if free is None else free, np.inf)
        x[error > CLOSE] = np.nan
    return _by_path(paths, x)


def _declared(equations: Equations, wanted: Mapping[str, float]) -> tuple[list[int], Array]:
    """Return the rows of declared variables, and the values that they are to have."""
    labels = equations.step(QUASI).row_labels if wanted else ()
    return [labels.index(path) for path in wanted], np.array(list(wanted.values()))


def draw_higher(
    equations: Equations, values: Values, points: Points, seed: int
) -> dict[str, Array]:
    """Return consistent accelerations and beyond near random ones.

    Those of a state do not change when states are added.
    """
    size = len(equations.signature.higher)
    rows = [np.random.default_rng([seed, k]).standard_normal(size) for k in range(len(points))]
    return complete_higher(equations, values, points, np.array(rows).reshape(len(points), size))


def _by_path(paths: Sequence[str], x: Array) -> dict[str, Array]:
    return {path: x[:, k] for k, path in enumerate(paths)}


BOUNDLESS: Final = 1e15
"""A range that is wider, in SI units, stands for none: no mechanism is a tenth of a light year."""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """A consistent state, and which choice of free coordinates and of free speeds led to it."""

    points: Points
    coordinates: int
    speeds: int


def complete(
    manifold: Manifold,
    points: Points,
    coordinates: Sequence[NDArray[np.bool_]],
    speeds: Sequence[NDArray[np.bool_]],
) -> Completed | None:
    """Bring one state onto the invariants; None if no choice of free variables leads there.

    Of several choices, the first that leads there counts: by steps in SI units or, where there is
    none, of the sizes of the model. A state with a joint whose sides point opposite ways is none.
    """
    from mbx.numerics.states.sample import sizes_of  # noqa: PLC0415  which looks for likely values here

    sizes = sizes_of(manifold)
    found = _first(manifold.project_positions, points, coordinates, sizes.q)
    if found is None or not manifold.assembled(found[0])[0]:
        return None
    then = _first(manifold.project_velocities, found[0], speeds, sizes.u)
    return None if then is None else Completed(then[0], found[1], then[1])


def _first(
    project: Callable[[Points, NDArray[np.bool_], Array | None], tuple[Points, Array]],
    points: Points,
    choices: Sequence[NDArray[np.bool_]],
    sizes: Array,
) -> tuple[Points, int] | None:
    for k, free in enumerate(choices):
        for unit in (None, sizes):
            done, error = project(points, free, unit)
            if error[0] <= CLOSE:
                return done, k
    return None


def likely(v: Variable) -> float:
    """Return where a variable starts or, if nothing is said, where it is looked for first."""
    if v.start is not None:
        return v.start
    lower, upper = v.range or (0.0, 0.0)
    if upper / 2 - lower / 2 > BOUNDLESS:
        return min(max(0.0, lower), upper)
    return lower / 2 + upper / 2
