"""Quasi-velocities of a page: independent speeds, and constraint functions that are zero.

A form that gets reactions by relaxation keeps the constraint functions c until it has
differentiated, and puts them to zero afterwards. Where a dependent speed is a short sum,

    u = J w,   ud = J wd + g,   w = independent speeds and c,

it is put in; else all speeds are kept, and the equations are combined by the constraints. A
constraint that is a speed itself is its own quasi-velocity.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, divide, mul, neg, sub
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.algebra.eliminate import eliminate
from mbx.formalism.page.algebra.trigonometric_ring import Fractions
from mbx.formalism.page.bodies import bodies_of, tidy
from mbx.formalism.page.page_constraints import describe_constraints, write_constraints
from mbx.formalism.page.page_sections import reaction_names, write_equations, write_with_multipliers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.algebra.reduced_equations import Reduced
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder, Sided, Words
    from mbx.formalism.page.page_model import PageModel

__all__ = [
    "QuasiVelocities",
    "check_length",
    "find_quasi_velocities",
    "write_generalized_forces",
    "write_motion",
    "write_quasi_velocities",
    "write_relaxed",
]

_SPEED: Final = 12
"""Operations of a dependent speed that is put in."""
_RATE: Final = 24
"""Likewise, of its rate."""
_LONGEST: Final = 60
"""How much longer than an entry all accelerations may be."""
_REACTION: Final = 40
"""Operations of a reaction that is written out."""
_LEAST: Final = 24
"""Operations of a reaction with the accelerations put in."""


@dataclass(frozen=True, slots=True)
class QuasiVelocities:
    """The quasi-velocities of a model, one for each speed.

    Attributes:
        model: The model.
        w: The quasi-velocities.
        wd: Their rates.
        paths: What they are called, without primes.
        free: Positions of those that are independent.
        J: The speeds by the quasi-velocities; None if both are the same.
        speeds: Dependent speeds by quasi-velocities.
        rates: Their rates by those of the quasi-velocities.
        rows: The constraint of each position that is a constraint function of its own.
    """

    model: PageModel
    w: tuple[Node, ...]
    wd: tuple[Node, ...]
    paths: tuple[str, ...]
    free: tuple[int, ...]
    J: tuple[tuple[Node, ...], ...] | None = None
    speeds: dict[Node, Node] = field(default_factory=dict)
    rates: dict[Node, Node] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)

    def is_own(self, k: int) -> bool:
        """Return whether a dependent quasi-velocity is a constraint function."""
        return k in self.rows or self.model.trivial.get(self.model.u[k]) is ZERO

    @property
    def combined(self) -> set[int]:
        """Positions of the quasi-velocities whose equations the constraints combine."""
        elimination = self.model.elimination
        if self.rows:
            return set(self.free)
        if elimination is None:
            return set(range(len(self.w)))
        return {k for k, row in enumerate(elimination.C) if any(x is not ZERO for x in row)}

    def project(self, forces: Sequence[Node]) -> list[Node]:
        """Return J^T forces: those on the quasi-velocities."""
        if self.J is None:
            return list(forces)
        return [
            add(*(mul(row[k], force) for row, force in zip(self.J, forces, strict=True)))
            for k in range(len(self.w))
        ]

    def relax(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions with dependent speeds put in, and the constraint functions kept."""
        return substitute(substitute(list(nodes), self.rates), self.speeds)

    def constrain(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions in short form, the constraint functions zero."""
        model = self.model
        known = {
            s: x for s, x in model.trivial.items() if s not in self.speeds and s not in self.rates
        }
        nothing = {x: ZERO for k in self.rows for x in (self.w[k], self.wd[k])}
        return model.tidy(substitute(substitute(self.relax(nodes), known), nothing))

    def take_bodies(self, *, is_relaxed: bool) -> list[Body]:
        """Show the mass elements in quasi-velocities, with the constraint functions or without.

        Without constraint functions among the velocities, these stay in the accelerations.
        """
        nothing = {self.w[k]: ZERO for k in self.rows}
        values = substitute(list(self.rates.values()), self.speeds)
        rates = dict(zip(self.rates, values, strict=True))
        relaxed = self.speeds | rates
        known = dict(zip(relaxed, substitute(list(relaxed.values()), nothing), strict=True))
        bodies = bodies_of(self.model.motion, known)
        if is_relaxed:
            bodies = [replace(body, inserted=relaxed) for body in bodies]
        self.model.bodies = bodies
        return bodies


def find_quasi_velocities(page: PageBuilder, model: PageModel) -> QuasiVelocities:
    """Return the quasi-velocities of a model, with names for its constraint functions."""
    paths = tuple(s.path.rstrip("'") for s in model.motion.speeds)
    plain = QuasiVelocities(model, model.u, model.ud, paths, model.free)
    elimination = model.elimination
    if elimination is None or not set(elimination.conditions) <= model.constant:
        return plain
    own = {
        k: row
        for k, row in zip(elimination.dependent, elimination.rows, strict=True)
        if not _is_alone(model, k, row)
    }
    if not own or not elimination.has_speeds:
        return plain
    D = _slopes(model, tuple(own), tuple(own.values()))
    values = [(model.dependent_speed(k), model.dependent_rate(k)) for k in own]
    if D is None or any(cost([v]) > _SPEED or cost([r]) > _RATE for v, r in values):
        return plain
    if set(free_symbols([x for row in D for x in row])) & set(model.u):
        return plain
    w, wd, names = list(model.u), list(model.ud), list(paths)
    for k, row in own.items():
        path = model.rows[row].path
        names[k] = f"c_{path}"
        w[k] = page.name("c", path, is_zero=True)
        wd[k] = page.name("c", f"{path}'", is_zero=True)
    speeds: dict[Node, Node] = {}
    rates: dict[Node, Node] = {}
    for k, slopes, (value, rate) in zip(own, D, values, strict=True):
        speeds[model.u[k]] = add(value, *(mul(x, w[j]) for x, j in zip(slopes, own, strict=True)))
        rates[model.ud[k]] = add(rate, *(mul(x, wd[j]) for x, j in zip(slopes, own, strict=True)))
    J = jacobian([speeds.get(s, s) for s in model.u], w)
    return QuasiVelocities(
        model,
        tuple(w),
        tuple(wd),
        tuple(names),
        model.free,
        tuple(map(tuple, J)),
        speeds,
        rates,
        own,
    )


def _is_alone(model: PageModel, k: int, row: int) -> bool:
    """Return whether a constraint is a speed that is zero."""
    value = model.velocity[row]
    return value in {model.u[k], neg(model.u[k])}


def _slopes(
    model: PageModel, dependent: Sequence[int], rows: Sequence[int]
) -> list[list[Node]] | None:
    """Return the dependent speeds by the constraint functions."""
    m, n = len(rows), len(model.u)
    extended = [[*model.A[i], *(neg(ONE) if i == j else ZERO for j in rows)] for i in rows]
    kept = [k for k in range(n + m) if k not in dependent]
    found = eliminate(extended, [ZERO] * m, [ZERO] * m, model.positive, kept, (), model.constant)
    if found is None or set(found.dependent) != set(dependent):
        return None
    columns = [found.free.index(n + j) for j in range(m)]
    return [[found.C[k][j] for j in columns] for k in dependent]


def check_length(model: PageModel, nodes: Sequence[Node]) -> None:
    """Raise `TooLargeError` for expressions that would fill pages."""
    if written(nodes) > _LONGEST * model.options.entry:
        raise TooLargeError(f"the accelerations of '{model.system.name}' are too long for a page")


# -- what pages write ------------------------------------------------------------------------


def write_quasi_velocities(
    page: PageBuilder,
    quasi: QuasiVelocities,
    title: str = "Quasi-velocities",
    *,
    has_rates: bool = True,
) -> None:
    """Write the step on what is independent, and what is zero."""
    model = quasi.model
    if not model.rows:
        return
    elimination = model.elimination
    if elimination is None or not all(quasi.is_own(k) for k in elimination.dependent):
        page.step(title, *describe_constraints(model))
        write_constraints(page, model)
        return
    words: list[Words] = []
    for j, k in enumerate(quasi.free):
        words += [", " if j else "", model.u[k]]
    words += [" are free; " if len(quasi.free) > 1 else " is free; " if words else ""]
    zero = [k for k in range(len(quasi.w)) if k not in quasi.free]
    for j, k in enumerate(zero):
        words += [", " if j else "", quasi.w[k]]
    words += [
        " is a constraint function, zero in motion."
        if len(zero) == 1
        else " are constraint functions, zero in motion."
    ]
    page.step(title, *words)
    for i in elimination.redundant:
        page.note(f"{model.rows[i].path} follows from the others.")
    pairs = zip(elimination.rows, elimination.dependent, strict=True)
    for row, k in sorted(pairs):
        value = model.velocity[row]
        if value is None:
            continue
        if k in quasi.rows:
            page.equal(quasi.w[k], value, ZERO)
        else:
            page.equal(value, ZERO, note=model.rows[row].path)
    for k, row in sorted(quasi.rows.items()):
        if model.A[row][k] not in {ONE, neg(ONE)} or _is_shared(quasi, k):
            page.equal(model.u[k], quasi.speeds[model.u[k]])
    for k in sorted(quasi.rows) if has_rates else ():
        page.equal(model.ud[k], quasi.rates[model.ud[k]])


def _is_shared(quasi: QuasiVelocities, k: int) -> bool:
    """Return whether a dependent speed has several constraint functions."""
    symbols = set(free_symbols([quasi.speeds[quasi.model.u[k]]]))
    return any(quasi.w[j] in symbols for j in quasi.rows if j != k)


def write_generalized_forces(
    page: PageBuilder,
    quasi: QuasiVelocities,
    letter: str,
    forces: Sequence[Node],
    *,
    is_projected: bool = False,
    is_added: bool = False,
) -> list[Node]:
    """Write the generalized force on each quasi-velocity, and return the names.

    Args:
        page: The page.
        quasi: The quasi-velocities.
        letter: What the forces are called.
        forces: The forces.
        is_projected: Whether they are those on the quasi-velocities.
        is_added: Whether they only add to others; then what is zero has no name.
    """
    values = quasi.constrain(forces if is_projected else quasi.project(forces))
    names = [page.name(letter, path) for path in quasi.paths]
    nothing = [(name, ZERO) for name, x in zip(names, values, strict=True) if x is ZERO]
    if nothing and not is_added:
        page.lines(*nothing)
    for name, value in zip(names, values, strict=True):
        if value is not ZERO:
            page.equal(name, value)
    if is_added:
        return [ZERO if x is ZERO else name for name, x in zip(names, values, strict=True)]
    return names


def write_motion(
    page: PageBuilder,
    quasi: QuasiVelocities,
    rows: Sequence[Node],
    named: Sequence[Node],
    *,
    is_inertia: bool = True,
) -> Reduced | None:
    """Write the equations of the independent quasi-velocities.

    Args:
        page: The page.
        quasi: The quasi-velocities.
        rows: What is zero for each speed without constraints, written out.
        named: The same for each quasi-velocity in the names of the page.
        is_inertia: Whether these names are inertia without forces, and not the opposite.
    """
    model = quasi.model
    if not model.is_reduced:
        write_with_multipliers(page, model, named, is_inertia=is_inertia)
        return None
    if quasi.rows:
        model.inserted = quasi.speeds | quasi.rates
    return write_equations(page, model, rows, named)


def write_relaxed(
    page: PageBuilder,
    quasi: QuasiVelocities,
    named: Sequence[Node],
    rows: Sequence[Node],
    reduced: Reduced | None,
    how: str,
    *reason: Words,
    is_projected: bool = False,
) -> None:
    """Write the reactions: what the equations of the dependent quasi-velocities leave.

    Args:
        page: The page.
        quasi: The quasi-velocities.
        named: What is zero for each quasi-velocity but for the reactions, in names.
        rows: The same for each speed, written out.
        reduced: The equations of motion, with their solution.
        how: How the form finds reactions, behind the heading.
        reason: Why.
        is_projected: Whether `rows` are those of the quasi-velocities.
    """
    model = quasi.model
    elimination = model.elimination
    if elimination is None:
        return
    multipliers = reaction_names(page, model)
    heading = "Reactions" if len(multipliers) > 1 else "Reaction"
    page.section(heading + how, *reason)
    pulls = [quasi.project(row) for row in model.A]
    if quasi.rows:
        flat = iter(tidy([x for row in pulls for x in row]))
        pulls = [[next(flat) for _ in row] for row in pulls]
    values = quasi.constrain(rows if is_projected else quasi.project(rows))
    pending = [
        (
            k,
            {
                lam: pull[k]
                for lam, pull in zip(multipliers, pulls, strict=True)
                if pull[k] is not ZERO
            },
        )
        for _, k in sorted(zip(elimination.rows, elimination.dependent, strict=True))
    ]
    unknown = set(multipliers)
    while pending:
        alone = next((p for p in pending if len(unknown & set(p[1])) == 1), None)
        if alone is None:
            break
        pending.remove(alone)
        k, pull = alone
        [lam] = unknown & set(pull)
        unknown.discard(lam)
        known = [mul(c, x) for x, c in pull.items() if x is not lam]
        sides: list[Sided] = [divide(sub(named[k], add(*known)) if known else named[k], pull[lam])]
        if not known:
            sides += _written_out(model, divide(values[k], pull[lam]), reduced)
        page.equal(lam, *sides)
    for k, pull in pending:
        page.equal(add(*(mul(c, x) for x, c in pull.items())), named[k])


def _written_out(model: PageModel, value: Node, reduced: Reduced | None) -> list[Node]:
    """Return a reaction written out, and with the accelerations put in, as far as it is short."""
    [plain] = tidy([value])
    sides = [plain] if written([plain]) <= _REACTION else []
    if set(model.ud).isdisjoint(free_symbols([plain])) or reduced is None:
        return sides
    final = put_in_solution(model, [value], reduced)
    if final is not None and written(final) <= _LEAST and final[0] is not plain:
        sides += final
    return sides


def put_in_solution(model: PageModel, nodes: Sequence[Node], reduced: Reduced) -> list[Node] | None:
    """Return expressions with the accelerations of the motion put in, in normal form."""
    if reduced.solved is None:
        return None
    elimination = model.elimination
    solved = {model.ud[j]: x for j, x in zip(model.free, reduced.solved.values, strict=True)}
    known: dict[Node, Node] = {}
    if elimination is not None:
        if not set(elimination.conditions) <= model.constant:
            return None
        for k in elimination.dependent:
            known |= {model.u[k]: model.dependent_speed(k), model.ud[k]: model.dependent_rate(k)}
    found = substitute(substitute(substitute(list(nodes), known), solved), known)
    try:
        fractions = Fractions(found)
        return tidy([fractions.node(fractions(x)) for x in found])
    except TooLargeError:
        return None
