"""The page of the Newton-Euler equations: balances body by body, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import positive_part, written
from mbx.expr.build import NULL, add, cross, matvec, minus, mul, neg, plus, transposed
from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.named_axes import NamedAxes, literal
from mbx.formalism.page.page import Literal, Side
from mbx.formalism.page.page_builder import PageBuilder, opposite
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import write_conditions, write_kinematics, write_reduced
from mbx.mechanics import balance, loads
from mbx_converters.newton_euler.named_reactions import name_reactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Sided, Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System
    from mbx_converters.newton_euler.named_reactions import Acting, Reaction

__all__ = ["write_page"]

_NOTHING: Final = Side((ZERO,))
_TRIED: Final = 3000
"""Operations of a vector of which a short form is looked for."""


@dataclass(slots=True)
class _Balance:
    """The balance of a body, in the names of a page.

    Attributes:
        body: The body.
        rate: m a.
        force: The active force.
        turn: The rate of its angular momentum; None of a particle.
        moment: The active moment.
    """

    body: Body
    rate: Side
    force: Side
    turn: Side | None
    moment: Side


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the balances of all bodies with their reactions, and the motions they allow."""
    model = PageModel(system, equations, options)
    page = PageBuilder(system, "Newton-Euler equations")
    return _BalancePage(page, model).write()


class _BalancePage:
    """Writes the balances of a model."""

    def __init__(self, page: PageBuilder, model: PageModel) -> None:
        self.page = page
        self.model = model
        self.plane = model.plane
        self.axes = NamedAxes(page, self.plane)
        for body in model.bodies:
            for axes in (body.axes, body.turning_axes):
                self.axes.add(body.word if axes.words == body.word else axes.words, axes.R)
        self.balances: list[_Balance] = []
        self.reactions: list[Reaction] = []

    def write(self) -> Page:
        page, model = self.page, self.model
        page.counts.extend(model.counts())
        if model.bodies:
            inside = "x, y, z" if self.plane is None else ", ".join(self._inside())
            words = f"Vectors are [{inside}] of ground"
            if self.plane is not None:
                across = "xyz"[self.plane.normal]
                words += (
                    f"; motion in the plane {self.plane.words}: forces along {across} and torques "
                    "across it are left out"
                )
            page.given(words + ".")
        self.reactions = name_reactions(page, model)
        page.step("Accelerations", "of the mass centres, along axes of the ground and of bodies.")
        power = self._find_power()
        self._write_accelerations()
        page.step("Balances", "of force, and of moment about the mass centre, body by body.")
        self._write_balances()
        self._write_power(power)
        self._write_loops()
        self._write_one_by_one()
        self._write_equations()
        write_kinematics(page, model)
        return page.page()

    def _inside(self) -> tuple[str, str]:
        assert self.plane is not None  # noqa: S101  in a plane only
        return "xyz"[self.plane.first], "xyz"[self.plane.second]

    # -- accelerations -----------------------------------------------------------------------

    def _write_accelerations(self) -> None:
        page, model = self.page, self.model
        for body in model.bodies:
            try:
                self.balances.append(self._begin(body))
            except TooLargeError:
                page.left_out += 2 if body.turns else 1

    def _begin(self, body: Body) -> _Balance:
        """Write the acceleration of a body, and return what its balance has but reactions."""
        rate, turn = _NOTHING, None
        force, moment = self._active(body)
        if body.m is not ZERO:
            rate = Side((mul(body.m, self._acceleration(body)),))
        if body.moving.element.w_local is not None:
            turn = self._turn(body)
        return _Balance(body, rate, _sum(force), turn, _sum(moment))

    def _acceleration(self, body: Body) -> Node:
        """Write the acceleration of a mass centre, or its velocity where that is shorter."""
        page = self.page
        try:
            side = self._vector(body, body.moving.a)
            is_short = self._is_short(side)
        except TooLargeError:
            is_short = False
        if is_short:
            name = page.name("a", body.word, is_vector=True)
            page.equal(name, side)
            return name
        shown = self._vector(body, body.moving.v)
        velocity = page.name("v", body.word, is_vector=True)
        page.equal(velocity, shown)
        return page.rate(velocity)

    def _turn(self, body: Body) -> Side:
        """Return the rate of the angular momentum."""
        page = self.page
        if not body.turns:
            return _NOTHING
        if self.plane is not None:
            return Side((body.moment[0],))
        try:
            side = self.axes.along_axes(self._turning(body), body.moment)
            is_short = self._is_short(side)
        except TooLargeError:
            is_short = False
        if is_short:
            return literal(side)
        local = matvec(body.moving.inertia, body.moving.w)
        shown = self._local(body, local)
        momentum = page.name("L", body.word, is_vector=True)
        page.equal(momentum, shown)
        return Side((page.rate(momentum),))

    def _turning(self, body: Body) -> tuple[Vector, Vector, Vector] | None:
        return body.turning_axes.R if body.moving.element.frame is not None else None

    def _vector(self, body: Body, v: Vector) -> Sided:
        """Return a vector of a body along the axes in which its velocity is shortest."""
        if written(v) > _TRIED:
            raise TooLargeError("a vector is too long to be read")
        if body.axes.R is None:
            return self.axes.side(v)
        return self.axes.along_axes(body.axes.R, tidy(body.axes.components(v)))

    def _local(self, body: Body, v: Vector) -> Sided:
        """Return a vector that has components in the axes of the body."""
        frame = body.moving.element.frame
        ground = v if frame is None else matvec(frame.R, v)
        R = body.turning_axes.R
        if frame is None or R is None:
            return self.axes.side(ground)
        return self.axes.along_axes(R, tidy(matvec(transposed(R), ground)))

    def _active(self, body: Body) -> tuple[Sided, Sided]:
        """Return the active force and moment on a body."""
        wrench = self._wrenches[body.moving.path]
        force = self.axes.side(wrench[0])
        frame = body.moving.element.frame
        if self.plane is not None:
            ground = wrench[1] if frame is None else matvec(frame.R, wrench[1])
            return force, tidy([ground[self.plane.normal]])[0]
        return force, self._local(body, wrench[1])

    @cached_property
    def _wrenches(self) -> dict[str, tuple[Vector, Vector]]:
        motion = self.model.motion
        return dict(zip((m.path for m in motion.elements), loads.wrenches(motion), strict=True))

    def _is_short(self, side: Sided) -> bool:
        return all(written([x]) <= self.model.options.entry for x in _nodes(side))

    # -- balances ----------------------------------------------------------------------------

    def _on(self, body: Body, known: set[str] | None = None) -> tuple[Side, Side]:
        """Return the reactions on a body: their force, and their moment about its mass centre."""
        force: list[Node] = []
        moment: list[Node] = []
        for each in self.reactions:
            for acting in each.on:
                if acting.element != body.moving.path:
                    continue
                if known is not None and each.path not in known:
                    continue
                sign = ONE if acting.sign > 0 else neg(ONE)
                if each.force is not None:
                    force.append(mul(sign, each.force))
                    if body.moving.element.w_local is not None:
                        moment.append(mul(sign, self._moment_of(body, acting, each.force)))
                if each.torque is not None:
                    moment.append(mul(sign, each.torque))
        return Side((add(ZERO, *force),)), Side((add(ZERO, *moment),))

    def _moment_of(self, body: Body, acting: Acting, force: Node) -> Node:
        """Return the moment of a force about the mass centre of a body."""
        arm = minus(acting.point, body.moving.element.com.p)
        if self.plane is not None:
            normal = tuple(ONE if k == self.plane.normal else ZERO for k in range(3))
            arm = cross((normal[0], normal[1], normal[2]), arm)
        frame = body.moving.element.frame
        side: Sided | None = None
        if frame is not None:
            local = tidy(matvec(transposed(frame.R), arm))
            self.axes.add(body.word, frame.R)
            if written(local) <= written(tidy(arm)):
                side = self.axes.along_axes(frame.R, local)
        if side is None:
            side = self.axes.side(arm)
        if self.axes.is_nothing(side):
            return ZERO
        side, sign = _signed(literal(side))
        found = self.page.cross(side, force) if self.plane is None else self.page.dot(side, force)
        return mul(sign, found)

    def _write_balances(self) -> None:
        page = self.page
        for each in self.balances:
            page.note(each.body.word)
            try:
                force, moment = self._on(each.body)
            except TooLargeError:
                page.left_out += 2
                continue
            self._equal(each.rate, _sum(force, each.force))
            if each.turn is not None:
                self._equal(each.turn, _sum(moment, each.moment))

    def _equal(self, left: Side, right: Side) -> None:
        if _is_nothing(left) and _is_nothing(right):
            return
        if _is_nothing(left):
            left, right = right, left
        self.page.equal(left, right)

    # -- what reactions do not do ------------------------------------------------------------

    def _generalized(self) -> list[Node]:
        """Return the forces on speeds that are no wrench on a body."""
        motion = self.model.motion
        groups = (loads.generalized(motion), loads.non_ideal(motion), loads.effective(motion))
        return tidy([add(*terms) for terms in zip(*groups, strict=True)])

    def _find_power(self) -> list[tuple[Node, Node]]:
        """Return what the reactions do to each speed; torques that are zero are dropped."""
        model = self.model
        Q = self._generalized()
        columns = {x.path: self._relative_columns(x) for x in self.reactions if not x.is_loop}
        rows: list[tuple[Node, Node]] = []
        dropped: set[Node] = set()
        held = [x for x in self.reactions if not x.is_loop]
        for r in range(len(model.u)):
            try:
                left = add(ZERO, *(self._pull(x, columns[x.path], r) for x in held))
            except TooLargeError:
                self.page.left_out += 1
                continue
            right = add(Q[r], *(mul(model.A[k][r], x) for k, x in self._multipliers.items()))
            plain = positive_part(left)[0]
            if right is ZERO and any(x.torque is not None and plain is x.torque for x in held):
                dropped.add(plain)
            elif left is not ZERO or right is not ZERO:
                rows.append((left, right))
        self.reactions = [
            replace(x, torque=None) if x.torque in dropped else x for x in self.reactions
        ]
        for name in dropped:
            text = str(name.value)
            self.page.names.pop(text, None)
            self.page.known.pop(text, None)
        if dropped:
            self.page.given("Pins transmit no torque about their axes.")
        return rows

    def _write_power(self, rows: list[tuple[Node, Node]]) -> None:
        """Write that reactions do no work but that of the invariants and of loads on speeds."""
        if not rows:
            return
        page = self.page
        page.step("What the joints leave free", "there the reactions of the joints have no part.")
        for left, right in rows:
            if written([left, right]) <= 2 * self.model.options.entry:
                page.equal(left, right)
            else:
                page.left_out += 1

    @cached_property
    def _multipliers(self) -> dict[int, Node]:
        """The multipliers of the invariants that are no loops of joints, by their rows."""
        named: dict[int, Node] = {}
        for k, row in enumerate(self.model.rows):
            if row.kind == "loop" and row.wrench is not None and row.measured is None:
                continue
            name = row.reaction or self.page.name(
                "λ",
                row.path,
                meaning=f"reaction of {row.path}",
                unit=row.multiplier_unit,
                is_given=True,
            )
            self.page.known[str(name.value)] = ("lam", k)
            named[k] = name
        return named

    def _relative_columns(self, each: Reaction) -> tuple[list[Vector], list[Vector]]:
        """Return how the sides of a joint move apart with each speed."""
        index = {m.path: m for m in self.model.motion.elements}
        push: list[list[Node]] = [[], [], []]
        turn: list[list[Node]] = [[], [], []]
        for acting in each.on:
            moving = index[acting.element]
            frame = moving.element.frame
            w = moving.w if frame is None else matvec(frame.R, moving.w)
            arm = minus(acting.point, moving.element.com.p)
            v = plus(moving.v, cross(w, arm))
            for k in range(3):
                push[k].append(v[k] if acting.sign > 0 else neg(v[k]))
                turn[k].append(w[k] if acting.sign > 0 else neg(w[k]))
        u = self.model.u
        by_v = jacobian([add(ZERO, *x) for x in push], u)
        by_w = jacobian([add(ZERO, *x) for x in turn], u)
        return _columns(by_v), _columns(by_w)

    def _pull(self, each: Reaction, columns: tuple[list[Vector], list[Vector]], r: int) -> Node:
        """Return what a reaction does to a motion."""
        push, turn = columns
        terms: list[Node] = []
        if each.force is not None and push[r] is not NULL:
            side, sign = _signed(literal(self.axes.side(push[r])))
            terms.append(mul(sign, self.page.dot(side, each.force)))
        if each.torque is not None and turn[r] is not NULL:
            if self.plane is not None:
                terms.append(mul(turn[r][self.plane.normal], each.torque))
            else:
                side, sign = _signed(literal(self.axes.side(turn[r])))
                terms.append(mul(sign, self.page.dot(side, each.torque)))
        return add(ZERO, *terms)

    # -- loops and elimination ---------------------------------------------------------------

    def _write_loops(self) -> None:
        """Write the rates of the constraints."""
        page, model = self.page, self.model
        if not model.rows:
            return
        page.step("Constraints", "once more by t: what closes the loops holds at every instant.")
        for row, line, rest in zip(model.rows, model.A, model.b, strict=True):
            value = add(rest, *(mul(a, ud) for a, ud in zip(line, model.ud, strict=True)))
            if value is ZERO:
                continue
            if written([value]) <= model.options.entry:
                page.equal(value, ZERO, note=row.path)
            else:
                page.left_out += 1
        if model.elimination is not None:
            write_conditions(page, model.elimination.conditions)

    def _write_one_by_one(self) -> None:
        """Write the reaction of each body, from the outermost ones to the ground."""
        page = self.page
        holding = [each for each in self.reactions if not each.is_loop]
        if not holding:
            return
        page.section("Reactions, one after the other", "from the outermost body to the ground.")
        by_path = {each.body.moving.path: each for each in self.balances}
        for each in reversed(holding):
            acting = each.on[0]
            balance = by_path.get(acting.element)
            if balance is None:
                continue
            others = {x.path for x in self.reactions if x is not each}
            try:
                force, moment = self._on(balance.body, others)
            except TooLargeError:
                page.left_out += 2
                continue
            if each.force is not None:
                page.equal(each.force, _sum(balance.rate, opposite(force), _minus(balance.force)))
            if each.torque is not None and balance.turn is not None:
                parts = [balance.turn, opposite(moment), _minus(balance.moment)]
                if each.force is not None:
                    own = self._moment_of(balance.body, acting, each.force)
                    parts.append(Side((neg(own),)))
                page.equal(each.torque, _sum(*parts))

    def _write_equations(self) -> None:
        """Write the equations without reactions."""
        page, model = self.page, self.model
        motion = model.motion
        page.section(
            "Equations of motion", "the balances on the motions that are free, without reactions."
        )
        inertial = [balance.inertia_wrench(m) for m in motion.elements]
        passive = loads.project(motion, inertial)
        active = loads.project(motion, loads.wrenches(motion))
        rows = [
            add(p, neg(a), neg(x))
            for p, a, x in zip(passive, active, self._generalized(), strict=True)
        ]
        if model.rows:
            self._write_with_loops(rows)
        is_loose = (
            model.elimination is not None
            and len(model.free) > 1
            and any(not _is_constant(c, model) for c in model.elimination.conditions)
        )
        if not model.is_reduced or is_loose or write_reduced(page, model, rows) is None:
            words: list[Words] = ["The balances, the rows of the joints"]
            if model.rows:
                words.append(" and those of the constraints")
            words.append(" are linear in the accelerations and the reactions.")
            page.note(*words)

    def _write_with_loops(self, rows: Sequence[Node]) -> None:
        """Write the balances on each free motion, with the reactions that close loops."""
        page, model = self.page, self.model
        loops = [(x, self._relative_columns(x)) for x in self.reactions if x.is_loop]
        for r, row in enumerate(tidy(rows)):
            try:
                pulls = [self._pull(x, columns, r) for x, columns in loops]
            except TooLargeError:
                page.left_out += 1
                continue
            right = add(
                ZERO, *pulls, *(mul(model.A[k][r], x) for k, x in self._multipliers.items())
            )
            if written([row]) <= model.options.entry:
                if row is not ZERO or right is not ZERO:
                    page.equal(row, right)
            else:
                page.left_out += 1


def _is_constant(node: Node, model: PageModel) -> bool:
    from mbx.expr.evaluate import free_symbols  # noqa: PLC0415

    return set(free_symbols([node])) <= model.constant


def _columns(rows: Sequence[Sequence[Node]]) -> list[Vector]:
    """Return the columns of three rows, in short form."""
    columns: list[Vector] = []
    for column in zip(*rows, strict=True):
        if all(x is ZERO for x in column):
            columns.append(NULL)
            continue
        a, b, c = column if written(column) > _TRIED else tidy(column)
        columns.append(NULL if a is b is c is ZERO else (a, b, c))
    return columns


def _nodes(side: Sided) -> list[Node]:
    return [
        x
        for part in literal(side).parts
        for x in ((part,) if isinstance(part, Node) else part.entries)
    ]


def _signed(side: Side) -> tuple[Side, Node]:
    """Return a side that begins with a plus, and its sign."""
    if len(side.parts) == 1 and isinstance(side.parts[0], Node):
        node, sign = positive_part(side.parts[0])
        return Side((node,)), ONE if sign > 0 else neg(ONE)
    return side, ONE


def _minus(side: Side) -> Side:
    """Return minus a side, its components with the opposite sign."""
    return Side(
        tuple(
            neg(part) if isinstance(part, Node) else Literal(tuple(map(neg, part.entries)))
            for part in side.parts
        )
    )


def _plain(side: Side) -> Side:
    """Return a side without zeros among several parts."""
    parts = tuple(
        part
        for part in side.parts
        if part is not ZERO and (isinstance(part, Node) or any(x is not ZERO for x in part.entries))
    )
    nodes = [part for part in parts if isinstance(part, Node)]
    literals = [part for part in parts if not isinstance(part, Node)]
    total = add(*nodes) if nodes else ZERO
    return Side((total, *literals) if total is not ZERO or not literals else tuple(literals))


def _sum(*sides: Sided) -> Side:
    return _plain(Side(tuple(part for side in sides for part in literal(side).parts)))


def _is_nothing(side: Side) -> bool:
    return all(part is ZERO for part in side.parts)
