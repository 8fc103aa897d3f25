"""Sections that many pages have: velocities, equations, kinematics, reactions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, divide, mul, neg, sub
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.algebra.reduced_equations import Reduced, reduce_equations
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Literal, Side, scalar
from mbx.formalism.page.page_constraints import write_conditions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder, Sided, Words
    from mbx.formalism.page.page_model import PageModel

__all__ = [
    "KINEMATICS",
    "BodyNames",
    "as_vector",
    "depends",
    "gradient_column",
    "is_nothing",
    "put_in",
    "rate_side",
    "reaction_names",
    "write_accelerations",
    "write_equations",
    "write_forces",
    "write_in_turn",
    "write_kinematics",
    "write_reactions",
    "write_reduced",
    "write_velocities",
]

KINEMATICS: Final = "Kinematic equations"
"""The heading of what holds at all speeds."""
_TOGETHER: Final = 2
"""Operations of an equation in names that stands next to others."""
_RATE_OPERATIONS: Final = 200
"""Operations of the rate of a coordinate that is written."""


@dataclass(slots=True)
class BodyNames:
    """What a page calls the motion of a body, and where it is stated."""

    body: Body
    v: Node | None = None
    w: Node | None = None
    a: Node | None = None
    moment: Node | None = None
    turning: dict[tuple[Node, ...], Node] = field(default_factory=dict)


def as_vector(components: Sequence[Node]) -> Sided:
    """Return components as a side: a number where there is one."""
    return components[0] if len(components) == 1 else tuple(components)


def is_nothing(components: Sequence[Node]) -> bool:
    """Return whether a vector is zero."""
    return all(x is ZERO for x in components)


def write_velocities(page: PageBuilder, model: PageModel) -> list[BodyNames]:
    """Write v and w of each body whose motion has inertia."""
    names: list[BodyNames] = []
    for body in model.bodies:
        entry = BodyNames(body)
        names.append(entry)
        if body.m is not ZERO:
            meaning = f"velocity of the mass centre of {body.word}"
            entry.v = page.name("v", body.word, is_vector=True, meaning=meaning)
            page.equal(entry.v, _by_predecessor(names, body))
        if body.turns:
            meaning = f"angular velocity of {body.word}"
            entry.w = page.name("w", body.word, is_vector=len(body.w) > 1, meaning=meaning)
            page.equal(entry.w, as_vector(body.w))
    return names


def _by_predecessor(names: Sequence[BodyNames], body: Body) -> Sided:
    """Return a velocity, in terms of another one where that is shorter."""
    own = cost(body.v)
    for other in reversed(names[:-1]):
        if other.v is None or other.body.axes.R is not body.axes.R:
            continue
        if len(other.body.v) != len(body.v) or is_nothing(other.body.v):
            continue
        rest = tidy([sub(x, y) for x, y in zip(body.v, other.body.v, strict=True)])
        if cost(rest) + 2 < own:
            if is_nothing(rest):
                return other.v
            return Side((other.v, Literal(tuple(rest))))
    return as_vector(body.v)


def depends(components: Sequence[Node], symbol: Node) -> bool:
    """Return whether a vector depends on a symbol."""
    return symbol in free_symbols(components)


def gradient_column(components: Sequence[Node], symbol: Node) -> list[Node]:
    """Return the derivatives of the components of a vector by a symbol."""
    return [row[0] for row in jacobian(components, [symbol])]


def write_accelerations(page: PageBuilder, model: PageModel, names: Sequence[BodyNames]) -> None:
    """Write a and T*, minus the rate of the angular momentum, of each body.

    Both are rates in axes that may turn, a = dv/dt + w x v, with their components if short.
    """
    for each in names:
        if each.v is not None:
            each.a = page.name("a", each.body.word, is_vector=True)
            components = put_in(model, each.body.a)
            _write_rate(page, model, each.a, rate_side(page, each, each.v), components)
        if each.w is not None:
            write_inertia_torque(page, model, each)


def write_inertia_torque(page: PageBuilder, model: PageModel, each: BodyNames) -> None:
    """Write T* of a body; in space as minus the rate of its angular momentum."""
    body = each.body
    each.moment = page.name("T*", body.word, is_vector=len(body.w) > 1)
    components = put_in(model, [neg(x) for x in body.moment])
    if len(body.w) == 1 or body.is_isotropic:
        page.equal(each.moment, as_vector(components))
        return
    axes = _axes_rate(page, each, of_rotation=True)
    H = page.name("H", body.word, is_vector=True)
    page.equal(H, as_vector(body.momentum))
    rate = Side((neg(page.rate(H)),))
    if axes is not None:
        rate = Side((*rate.parts, neg(page.cross(axes, H))))
    _write_rate(page, model, each.moment, rate, components)


def _write_rate(
    page: PageBuilder, model: PageModel, name: Node, rate: Side, components: Sequence[Node]
) -> None:
    """Write what a rate is, and its components unless these are long."""
    if sum(cost([x]) for x in components) <= model.options.entry:
        page.equal(name, rate, as_vector(components))
    else:
        page.equal(name, rate)


def rate_side(page: PageBuilder, each: BodyNames, vector: Node) -> Side:
    """Return the rate of a vector that has components in the axes of the velocity."""
    axes = _axes_rate(page, each, of_rotation=False)
    if axes is None:
        return scalar(page.rate(vector))
    return Side((page.rate(vector), page.cross(axes, vector)))


def _axes_rate(page: PageBuilder, each: BodyNames, *, of_rotation: bool) -> Node | None:
    """Return the angular velocity of axes, with a name; None of axes that do not turn."""
    body = each.body
    axes = body.turning_axes if of_rotation else body.axes
    frame = body.moving.element.frame
    if frame is None and of_rotation:
        return each.w  # only its twist is known, along its own axes
    if axes.R is None or frame is None:
        return None
    is_whole = len(body.w) == 1 or body.turning_axes.R is axes.R
    if each.w is not None and axes.R is frame.R and is_whole:
        return each.w
    components = body.axes_rate(axes)
    if is_nothing(components):
        return None
    if components not in each.turning:
        name = page.name("Ω", body.word, is_vector=len(components) > 1)
        page.equal(name, as_vector(components))
        each.turning[components] = name
    return each.turning[components]


def write_forces(
    page: PageBuilder,
    model: PageModel,
    letter: str,
    forces: Sequence[Node],
    stated: Sequence[Node] = (),
) -> list[Node]:
    """Write a generalized force for each speed, and return their names.

    Args:
        page: The page.
        model: The model.
        letter: What they are called.
        forces: The forces, written out.
        stated: The same in the names of the page, if there is such a side.
    """
    names = [page.name(letter, model.motion.speeds[k].path) for k in positions(model)]
    values = put_in(model, model.project(forces) if model.inserted else forces)
    nothing = [
        (name, ZERO)
        for k, (name, value) in enumerate(zip(names, values, strict=True))
        if value is ZERO and not (stated and stated[k] is not ZERO)
    ]
    if nothing:
        page.lines(*nothing)
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        if (name, ZERO) in nothing:
            continue
        sides: list[Sided] = [name]
        if stated and stated[k] is not ZERO:
            sides.append(stated[k])
        if len(sides) == 1 or written([value]) <= model.options.entry:
            sides.append(value)
        page.equal(*sides)
    if not model.inserted:
        return names
    whole = [ZERO] * len(model.u)
    for k, name in zip(model.free, names, strict=True):
        whole[k] = name
    return whole


def positions(model: PageModel) -> tuple[int, ...]:
    """Return the speeds that have forces of their own: all, or the independent ones."""
    return model.free if model.inserted else tuple(range(len(model.u)))


# -- equations of motion ---------------------------------------------------------------------


def write_equations(
    page: PageBuilder, model: PageModel, rows: Sequence[Node] | None, named: Sequence[Node]
) -> Reduced | None:
    """Write the equations of the independent speeds, and solve them where that is short.

    Args:
        page: The page.
        model: The model.
        rows: What is zero for each speed without constraints, written out; None if that is long.
        named: The same in the names of the page.
    """
    elimination = model.elimination
    if not model.is_reduced:
        write_with_multipliers(page, model, named)
        return None
    values = [named[j] for j in model.free]
    if elimination is not None and not model.inserted:
        C = model.ratios or elimination.C
        values = [
            add(*(mul(C[k][position], named[k]) for k in range(len(model.u))))
            for position in range(len(model.free))
        ]
    if values and written(values) <= _TOGETHER * len(values):
        page.lines(*((value, ZERO) for value in values))
    else:
        for value in values:
            page.equal(value, ZERO)
    return None if rows is None else write_reduced(page, model, rows)


def write_reduced(page: PageBuilder, model: PageModel, rows: Sequence[Node]) -> Reduced | None:
    """Write equations in the independent speeds alone, solved where that is short.

    Args:
        page: The page.
        model: The model.
        rows: What is zero for each speed without constraints, written out.
    """
    elimination = model.elimination
    reduced = reduce_equations(rows, model.u, model.ud, elimination, model.positive, model.constant)
    if reduced is None:
        return None
    page.note("written out")
    for row in reduced.rows:
        page.equal(row, ZERO)
    write_conditions(page, reduced.conditions)
    if reduced.solved is not None:
        page.note("solved")
        for j, value in zip(model.free, reduced.solved.values, strict=True):
            page.equal(model.ud[j], value)
        write_conditions(page, reduced.solved.conditions)
    return reduced


def write_with_multipliers(
    page: PageBuilder, model: PageModel, named: Sequence[Node], *, is_inertia: bool = False
) -> None:
    """Write the equations of all speeds, the constraints by their multipliers.

    Args:
        page: The page.
        model: The model.
        named: What is zero without constraints: forces without inertia.
        is_inertia: Whether it is inertia without forces.
    """
    multipliers = reaction_names(page, model)
    page.note("with the reactions as multipliers, for the constraints have no short solution")
    for k, u in enumerate(model.u):
        pull = [
            mul(page.partial(model.functions[i], u), lam)
            for i, lam in enumerate(multipliers)
            if model.A[i][k] is not ZERO and i in model.functions
        ]
        reaction = add(*pull) if pull else ZERO
        page.equal(named[k], reaction if is_inertia else neg(reaction))


def write_kinematics(page: PageBuilder, model: PageModel) -> None:
    """Write the rates of the coordinates where these are not the speeds."""
    declared = {v.rate for v in model.system.q} & set(model.u)
    pairs = [
        (v.rate, model.motion.qd[v.symbol])
        for v in model.system.q
        if v.rate not in declared and model.motion.qd[v.symbol] is not v.rate
    ]
    if not pairs:
        return
    page.section(KINEMATICS)
    for (rate, _), value in zip(pairs, model.tidy([value for _, value in pairs]), strict=True):
        if written([value]) <= _RATE_OPERATIONS:
            page.equal(rate, value)
        else:
            page.left_out += 1


# -- reactions -------------------------------------------------------------------------------


def write_reactions(
    page: PageBuilder,
    model: PageModel,
    named: Sequence[Node],
    open_rows: Sequence[Node],
    heading: str,
    *reason: Words,
) -> None:
    """Write the equations of the dependent speeds, which hold the multipliers.

    Args:
        page: The page.
        model: The model.
        named: M ud - h for each speed, in the names of the page.
        open_rows: The same, written out.
        heading: How the form finds reactions.
        reason: Why.
    """
    elimination = model.elimination
    if elimination is None:
        return
    multipliers = reaction_names(page, model)
    page.section(heading, *reason)
    if model.inserted:
        named = put_in(model, open_rows)
    pending = [
        (named[k], {lam: row[k] for lam, row in zip(multipliers, model.A, strict=True)})
        for k in elimination.dependent
    ]
    write_in_turn(page, pending)


def write_in_turn(page: PageBuilder, pending: Sequence[tuple[Node, Mapping[Node, Node]]]) -> None:
    """Write the equations of forces solved for multipliers, as far as one is alone in each.

    Args:
        page: The page.
        pending: A force, and the factors of the multipliers whose sum it is.
    """
    left = list(pending)
    unknown = {lam for _, pull in left for lam, c in pull.items() if c is not ZERO}
    while left:
        ready = [
            (force, pull, found[0])
            for force, pull in left
            if len(found := [x for x, c in pull.items() if c is not ZERO and x in unknown]) == 1
        ]
        if not ready:
            break
        force, pull, lam = ready[0]
        left.remove((force, pull))
        unknown.discard(lam)
        known = [mul(c, x) for x, c in pull.items() if x is not lam and c is not ZERO]
        page.equal(lam, divide(sub(force, add(*known)) if known else force, pull[lam]))
    for force, pull in left:
        page.equal(add(*(mul(c, x) for x, c in pull.items())), force)


def reaction_names(page: PageBuilder, model: PageModel) -> list[Node]:
    """Return the names of the multipliers: what the model calls them, else lam with the row."""
    if model.multipliers:
        return model.multipliers
    names: list[Node] = []
    for k, row in enumerate(model.rows):
        name = row.reaction
        if name is None:
            meaning, unit = f"reaction of {row.path}", row.multiplier_unit
            index = re.sub(r"\((\d+)\)", r"\1", row.path)
            name = page.name("λ", index, meaning=meaning, unit=unit, is_given=True)
        page.known[str(name.value)] = ("lam", k)
        names.append(name)
    model.multipliers = names
    return names


def put_in(model: PageModel, nodes: Sequence[Node]) -> list[Node]:
    """Return expressions with the trivial dependent speeds replaced, in short form."""
    known = model.inserted or model.trivial
    return model.tidy(substitute(list(nodes), known) if known else list(nodes))
