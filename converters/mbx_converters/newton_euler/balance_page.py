"""The page of the Newton-Euler equations: balances body by body, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import positive_part, written
from mbx.expr.build import add, minus, mul, neg
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.body_vectors import NOTHING, BodyVectors, add_sides, opposite_side
from mbx.formalism.page.page import Side
from mbx.formalism.page.page_builder import PageBuilder, opposite
from mbx.formalism.page.page_constraints import write_conditions
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import write_kinematics, write_reduced
from mbx.mechanics import balance, loads
from mbx_converters.newton_euler.named_reactions import name_reactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.body_vectors import Columns
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System
    from mbx_converters.newton_euler.named_reactions import Acting, Reaction

__all__ = ["write_page"]


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
    model.refuse_long()
    page = PageBuilder(system, "Newton-Euler equations")
    return _BalancePage(page, model).write()


class _BalancePage:
    """Writes the balances of a model."""

    def __init__(self, page: PageBuilder, model: PageModel) -> None:
        self.page = page
        self.model = model
        self.plane = model.plane
        self.vectors = BodyVectors(page, model)
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
        if model.bodies:
            page.step("Reactions", "by their components.")
            self.reactions = name_reactions(self.vectors)
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
        rate, turn = NOTHING, None
        force, moment = self.vectors.active(body)
        if body.m is not ZERO:
            rate = Side((mul(body.m, self.vectors.acceleration(body)),))
        if body.moving.element.w_local is not None:
            turn = self.vectors.turn(body)
        return _Balance(body, rate, add_sides(force), turn, add_sides(moment))

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

    def _write_balances(self) -> None:
        page = self.page
        unknown = {x.element for each in self.reactions if not each.is_known for x in each.on}
        for each in self.balances:
            if each.body.moving.path in unknown:
                page.note(
                    f"{each.body.word}: what loads its joint is not stated, so that its reaction "
                    "is not known."
                )
                continue
            page.note(each.body.word)
            try:
                force, moment = self._on(each.body)
            except TooLargeError:
                page.left_out += 2
                continue
            self._equal(each.rate, add_sides(force, each.force))
            if each.turn is not None:
                self._equal(each.turn, add_sides(moment, each.moment))

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
        lost = {
            r
            for x in held
            if not x.is_known
            for side in columns[x.path]
            for r, column in enumerate(side)
            if any(y is not ZERO for y in column)
        }
        for r in range(len(model.u)):
            if r in lost:
                continue
            try:
                left = add(ZERO, *(self._pull(x, columns[x.path], r) for x in held))
            except TooLargeError:
                self.page.left_out += 1
                continue
            right = add(Q[r], *(mul(model.A[k][r], x) for k, x in self._multipliers.items()))
            if left is not ZERO or right is not ZERO:
                rows.append((left, right))
        torques = {x.torque for x in held if x.torque is not None}
        while True:
            found = {positive_part(a)[0] for a, b in rows if b is ZERO} & torques - dropped
            if not found:
                break
            dropped |= found
            gone: dict[Node, Node] = dict.fromkeys(found, ZERO)
            moved = [(substitute([a], gone)[0], b) for a, b in rows]
            rows = [(a, b) for a, b in moved if a is not ZERO or b is not ZERO]
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

    def _moment_of(self, body: Body, acting: Acting, force: Node) -> Node:
        """Return the moment of a reaction about the mass centre of a body."""
        return self.vectors.moment_of(body, minus(acting.point, body.moving.element.com.p), force)

    def _relative_columns(self, each: Reaction) -> Columns:
        """Return how the sides of a joint move apart with each speed."""
        return self.vectors.relative_columns([(x.element, x.sign, x.point) for x in each.on])

    def _pull(self, each: Reaction, columns: Columns, r: int) -> Node:
        """Return what a reaction does to a motion."""
        return self.vectors.power(each.force, each.torque, columns, r)

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
            on_body = [x for x in self.reactions if any(y.element == acting.element for y in x.on)]
            if balance is None or not all(x.is_known for x in on_body):
                continue
            others = {x.path for x in self.reactions if x is not each}
            try:
                force, moment = self._on(balance.body, others)
            except TooLargeError:
                page.left_out += 2
                continue
            if each.force is not None:
                page.equal(
                    each.force,
                    add_sides(balance.rate, opposite(force), opposite_side(balance.force)),
                )
            if each.torque is not None and balance.turn is not None:
                parts = [balance.turn, opposite(moment), opposite_side(balance.moment)]
                if each.force is not None:
                    own = self._moment_of(balance.body, acting, each.force)
                    parts.append(Side((neg(own),)))
                if len([x for x in parts if not _is_nothing(x)]) > 1:  # else the balance says it
                    page.equal(each.torque, add_sides(*parts))

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
    return set(free_symbols([node])) <= model.constant


def _is_nothing(side: Side) -> bool:
    return all(part is ZERO for part in side.parts)
