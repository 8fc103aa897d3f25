"""The energies of a model as a page shows them: T by body, V, D, and forces without a potential.

    d/dt dT/dq' - dT/dq + dV/dq + dD/dq' - Q

is Lagrange's operator on these, in the names of the page and written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.algebra.identity import is_zero
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, dot, matvec, mul, neg, scale, sub
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import NUMBER, ONE, ZERO, Node
from mbx.formalism.page.algebra.reduced_equations import collect
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_sections import BodyNames, write_velocities
from mbx.mechanics import energy, loads
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder, Sided
    from mbx.formalism.page.page_model import PageModel

__all__ = [
    "Energies",
    "by_accelerations",
    "is_written",
    "operator_in_names",
    "operator_values",
    "other_forces",
    "refuse_large",
    "shortest",
    "write_conserved",
    "write_energies",
    "write_rows",
]

_HALF: Final = Fraction(1, 2)
_LARGE: Final = 3000
"""Operations of all velocities together, of which no energy is written out."""
_DEFINED: Final = 300
"""Operations of what an energy is defined with."""
_COLLECTED: Final = 1.5
"""How much longer an equation may be that is collected by the accelerations."""
_SQUARED: Final = 16
"""Operations of an angular velocity whose components are squared as they are."""
_ROW: Final = 1200
"""Operations of an equation of which a shorter form is looked for."""
_SQUARES: Final = 150
"""Operations of a kinetic energy of which a shorter form is looked for."""
_INLINE: Final = 3
"""Operations of a force that stands in an equation without a name of its own."""


@dataclass(slots=True)
class Energies:
    """What a page calls the energies and forces, and their values.

    Attributes:
        T: The kinetic energy.
        V: The potential energy; None where nothing is stored.
        D: Rayleigh's function; None where nothing is dissipated by one.
        Q: Forces without an energy on each rate, in the names of the page.
        T_value: T in coordinates and rates.
        V_value: V in the coordinates.
        D_value: D in coordinates and rates.
        Q_value: Q, written out.
    """

    T: Node
    V: Node | None
    D: Node | None
    Q: tuple[Node, ...]
    T_value: Node
    V_value: Node
    D_value: Node
    Q_value: tuple[Node, ...]


def shortest(nodes: Sequence[Node]) -> list[Node]:
    """Return expressions, each in the shortest form that is found for it alone."""
    return [tidy([node])[0] for node in nodes]


def is_written(model: PageModel, node: Node) -> bool:
    """Return whether an expression is short enough to be written out."""
    return written([node]) <= model.options.entry


def refuse_large(model: PageModel) -> None:
    """Raise `TooLargeError` where velocities or constraints are longer than people read."""
    sizes = [x for m in model.motion.elements for x in (*m.v, *m.w)]
    rows = [x for row in model.short.A for x in row]
    if not model.options.is_full and max(written(sizes), written(rows)) > _LARGE:
        raise TooLargeError


def write_energies(page: PageBuilder, model: PageModel) -> Energies:
    """Write velocities, T by body, V and D, and forces; raise `TooLargeError` if that is long."""
    motion = model.motion
    parts = [_kinetic(body) for body in model.bodies]
    V = energy.potential(motion)
    D = energy.dissipation(motion)
    V, D = tidy([V])[0], tidy([D])[0]
    Q = shortest(other_forces(model))
    limit = _LARGE if model.options.is_full else _DEFINED
    if any(written([x]) > limit for x in (*_velocities(model), V, D, *Q)):
        raise TooLargeError

    page.step("Velocities", "of the mass centres, and of what turns.")
    names = write_velocities(page, model)
    page.step("Energies")
    T = page.name("T", meaning="kinetic energy")
    _write_kinetic(page, model, names, parts, T)
    stored = _write_energy(page, "V", V)
    dissipated = _write_energy(page, "D", D)
    return Energies(
        T,
        stored,
        dissipated,
        tuple(_name_forces(page, model, Q)),
        add(*parts) if parts else ZERO,
        V,
        D,
        tuple(Q),
    )


def other_forces(model: PageModel) -> list[Node]:
    """Return the generalized forces that no energy stands for."""
    motion = model.motion
    terms = zip(
        loads.project(motion, loads.wrenches_without_energy(motion)),
        loads.generalized_loads(motion),
        loads.non_ideal(motion),
        loads.effective(motion),
        strict=True,
    )
    inputs = [item.symbol for item in model.system.inputs]
    return [_by_inputs(add(*each), inputs) for each in terms]


def _by_inputs(force: Node, inputs: Sequence[Node]) -> Node:
    """Return a force with the factors of inputs replaced that are proved to be 0, 1 or -1."""
    used = set(free_symbols([force]))
    present = [x for x in inputs if x in used]
    if not present or cost([force]) <= _INLINE:
        return force
    try:
        [slopes], [rest] = split([force], present)
    except NotAffineError:
        return force
    terms = [mul(_proved(slope), x) for slope, x in zip(slopes, present, strict=True)]
    return add(*terms, _proved(rest))


def _proved(node: Node) -> Node:
    """Return the number 0, 1 or -1 that an expression is proved to be, or itself."""
    if node.op is NUMBER or not free_symbols([node]):
        return node
    known = (ZERO, ONE, neg(ONE))
    return next((x for x in known if is_zero(sub(node, x))), node)


def _velocities(model: PageModel) -> list[Node]:
    return [x for body in model.bodies for x in (*body.v, *(body.w if body.turns else ()))]


# -- kinetic energy --------------------------------------------------------------------------


def _kinetic(body: Body) -> Node:
    """Return the kinetic energy of a body, in the shortest form that is found."""
    terms: list[Node] = []
    if body.m is not ZERO:
        terms.append(scale(_HALF, mul(body.m, add(*(mul(x, x) for x in body.v)))))
    if body.turns:
        terms.append(scale(_HALF, _twice_rotation(body)))
    plain = add(*terms) if terms else ZERO
    if written([plain]) > _SQUARES:
        return plain
    return min((plain, *tidy([plain])), key=lambda node: written([node]))


def _twice_rotation(body: Body) -> Node:
    if body.plane is not None:
        return mul(body.J, body.w[0], body.w[0])
    a, b, c = body.w
    return dot((a, b, c), matvec(body.inertia, (a, b, c)))


def _write_kinetic(
    page: PageBuilder,
    model: PageModel,
    names: Sequence[BodyNames],
    parts: Sequence[Node],
    T: Node,
) -> None:
    """Write the kinetic energy of each body, and their sum."""
    moving = [(each, part) for each, part in zip(names, parts, strict=True) if part is not ZERO]
    if not moving:
        page.equal(T, ZERO)
        return
    summed: list[Node] = []
    for each, part in moving:
        name = T if len(moving) == 1 else page.name("T", each.body.word)
        summed.append(name)
        stated = Side(_in_names(page, each))
        sides: list[Sided] = [name, stated]
        if is_written(model, part):
            sides.append(part)
        page.equal(*sides)
    if len(moving) > 1:
        page.equal(T, add(*summed))


def _in_names(page: PageBuilder, each: BodyNames) -> tuple[Node, ...]:
    """Return the kinetic energy of a body in its velocities: m/2 v . v + w . I w/2."""
    terms: list[Node] = []
    body = each.body
    if each.v is not None:
        terms.append(scale(_HALF, mul(body.m, page.dot(each.v, each.v))))
    if each.w is not None:
        terms.append(scale(_HALF, _rotation_in_names(page, each.w, body)))
    return tuple(terms)


def _rotation_in_names(page: PageBuilder, w: Node, body: Body) -> Node:
    if body.plane is not None:
        return mul(body.J, w, w)
    (a, x, y), (p, b, z), (q, r, c) = body.inertia
    if a is b and b is c and all(e is ZERO for e in (x, y, z, p, q, r)):
        return mul(a, page.dot(w, w))
    wx, wy, wz = body.w
    if written(body.w) <= _SQUARED:
        return tidy([_twice_rotation(body)])[0]
    turned = tidy(matvec(body.inertia, (wx, wy, wz)))
    return page.dot(w, tuple(turned))


# -- other energies, and forces --------------------------------------------------------------


def _write_energy(page: PageBuilder, letter: str, value: Node) -> Node | None:
    """Write an energy that is not zero, and return its name."""
    if value is ZERO:
        return None
    name = page.name(letter)
    page.equal(name, value)
    return name


def _name_forces(page: PageBuilder, model: PageModel, Q: Sequence[Node]) -> list[Node]:
    """Write the forces without an energy that are long, and return what stands for each."""
    found: list[Node] = []
    for speed, value in zip(model.motion.speeds, Q, strict=True):
        if cost([value]) <= _INLINE:
            found.append(value)
            continue
        name = page.name("Q", speed.path.rstrip("'"))
        page.equal(name, value)
        found.append(name)
    return found


# -- Lagrange's operator ---------------------------------------------------------------------


def operator_in_names(page: PageBuilder, model: PageModel, energies: Energies) -> list[Node]:
    """Return d/dt dT/dq' - dT/dq + dV/dq + dD/dq' for each coordinate, in the names of the page.

    What a coordinate does not occur in has no derivative by it.
    """
    rows: list[Node] = []
    used = [free_symbols([x]) for x in (energies.T_value, energies.V_value, energies.D_value)]
    in_T, in_V, in_D = (set(symbols) for symbols in used)
    for variable, rate in zip(model.system.q, model.u, strict=True):
        terms: list[Node] = []
        if rate in in_T:
            terms.append(page.rate(page.partial(energies.T, rate)))
        if variable.symbol in in_T:
            terms.append(neg(page.partial(energies.T, variable.symbol)))
        if energies.V is not None and variable.symbol in in_V:
            terms.append(page.partial(energies.V, variable.symbol))
        if energies.D is not None and rate in in_D:
            terms.append(page.partial(energies.D, rate))
        rows.append(add(*terms) if terms else ZERO)
    return rows


def operator_values(model: PageModel, energies: Energies) -> list[Node]:
    """Return d/dt dT/dq' - dT/dq + dV/dq + dD/dq' for each coordinate, written out."""
    motion = model.motion
    q = [v.symbol for v in model.system.q]
    inertia = energy.lagrange_operator(motion, energies.T_value)
    stored = gradient(energies.V_value, q)
    damping = gradient(energies.D_value, motion.u)
    rows = [add(*each) for each in zip(inertia, stored, damping, strict=True)]
    return [by_accelerations(model, row) for row in rows]


def by_accelerations(model: PageModel, row: Node) -> Node:
    """Return a row in short form, by the accelerations unless that is much longer."""
    if written([row]) > _ROW:
        return row
    short = tidy([row])[0]
    if written([short]) > _COLLECTED * model.options.entry:
        return short
    collected = collect(row, model.ud, model.positive, model.constant)
    if collected is None or written([collected]) > _COLLECTED * written([short]) + _INLINE:
        return short
    return collected


def write_rows(page: PageBuilder, model: PageModel) -> None:
    """Write the constraints at the level of velocity; those of accelerations have none."""
    for row, value in zip(model.rows, model.short.velocity, strict=True):
        if value is None or value is ZERO:
            continue
        [short] = model.tidy([value]) if written([value]) <= _DEFINED else [value]
        if is_written(model, short):
            page.equal(short, ZERO, note=row.path)
        else:
            page.left_out += 1


def write_conserved(page: PageBuilder, model: PageModel, energies: Energies, value: Node) -> None:
    """Write that an energy is conserved, where nothing depends on time and no force does work.

    Args:
        page: The page.
        model: The model, which has eliminated its constraints or has none.
        energies: The energies.
        value: The name of what is conserved.
    """
    elimination = model.elimination
    if energies.D is not None or any(x is not ZERO for x in energies.Q_value):
        return
    if model.rows and (elimination is None or any(x is not ZERO for x in elimination.d)):
        return
    moved = {TIME, *(s for item in model.system.inputs for s in (item.symbol,))}
    used = free_symbols([energies.T_value, energies.V_value, *(x for r in model.A for x in r)])
    if moved.isdisjoint(used):
        page.section("Conserved", value, ", as nothing depends on the time.")
        page.equal(page.rate(value), ZERO)
