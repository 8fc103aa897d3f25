"""The page of a model without subsystems, taken apart into bodies and joints.

Each body is a subsystem with its velocity and its angular velocity as variables. A joint is the
invariant that gives these by those of the body before it and by its speeds: C has a unit pivot in
each row. So fbar of a body is the resultant of what acts on it and on all bodies that it carries,
about the point of its joint; on a speed it is what this resultant does to the joint's motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, minus, mul, neg
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.body_vectors import NOTHING, BodyVectors, add_sides, opposite_side
from mbx.formalism.page.page import Side
from mbx.formalism.page.page import TreeNode as Drawn
from mbx.formalism.page.page_builder import PageBuilder, as_prose, opposite
from mbx.formalism.page.page_constraints import describe_constraints, write_constraints
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import (
    reaction_names,
    write_equations,
    write_kinematics,
    write_reactions,
)
from mbx.mechanics import balance, loads, reactions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.build import Vector
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.body_vectors import Columns
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = ["write_body_page"]

_TITLE = "Orsino's modular method"


@dataclass(slots=True)
class _Node:
    """A body of the tree.

    Attributes:
        body: The body.
        joint: What holds it.
        point: Where that is.
        level: 2 of what the ground carries, more behind it.
        children: The bodies that it carries.
        columns: How it moves against the body before it, with each speed.
        force: The name of the resultant; None where it is not written.
        torque: That of its moment about `point`; None of a particle.
    """

    body: Body
    joint: str
    point: Vector
    level: int
    children: list[_Node]
    columns: Columns
    force: Node | None = None
    torque: Node | None = None

    def walk(self) -> Iterator[_Node]:
        """Yield the body and those that it carries."""
        yield self
        for child in self.children:
            yield from child.walk()


def write_body_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the tree of bodies, the resultants from the last body inwards, and fbar = 0."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, _TITLE)
    page.counts.append("taken apart into bodies and joints")
    page.counts.extend(model.counts())
    return _BodyPage(page, model).write()


class _BodyPage:
    """Writes the levels of a tree of bodies."""

    def __init__(self, page: PageBuilder, model: PageModel) -> None:
        self.page = page
        self.model = model
        self.vectors = BodyVectors(page, model)
        self.plane = model.plane
        self.roots = self._build()

    def _build(self) -> list[_Node]:
        """Return the bodies that the ground carries, with those behind them."""
        motion = self.model.motion
        nodes: list[_Node] = []
        roots: list[_Node] = []
        for holder, body in zip(reactions.holders(motion), self.model.bodies, strict=True):
            moving = body.moving
            joint = moving.element.joint
            is_placed = joint is None or moving.element.frame is None
            point = moving.element.com.p if joint is None or is_placed else joint.M.origin.p
            sides = [(moving.path, 1, point)]
            if holder.parent is not None:
                sides.append((motion.elements[holder.parent].path, -1, point))
            columns = self.vectors.relative_columns(sides)
            parent = None if holder.parent is None else nodes[holder.parent]
            level = 2 if parent is None else parent.level + 1
            node = _Node(body, holder.path, point, level, [], columns)
            nodes.append(node)
            (roots if parent is None else parent.children).append(node)
        return roots

    @property
    def nodes(self) -> list[_Node]:
        """All bodies, those that carry others first."""
        return [node for root in self.roots for node in root.walk()]

    def write(self) -> Page:
        """Write the page."""
        page, model = self.page, self.model
        inside = "x, y, z"
        if self.plane is not None:
            inside = f"{'xyz'[self.plane.first]}, {'xyz'[self.plane.second]}"
        page.given(f"Vectors are [{inside}] of ground.")
        page.step(
            "The tree", "each body has v and w of its own; its joint gives them by those before it."
        )
        children = tuple(self._draw(node) for node in self.roots)
        names = ", ".join(row.path for row in model.rows)
        words: list[Words] = []
        for j, u in enumerate(model.u):
            words += [", " if j else "", u]
        if names:
            words.append(f"; invariants {names}")
        page.tree(Drawn(model.system.name, as_prose(words), children))
        levels = sorted({node.level for node in self.nodes}, reverse=True)
        for level in levels:
            here = [node for node in self.nodes if node.level == level]
            carries = any(node.children for node in here)
            reason = "F and M of a body, fbar of its v and w, are active less inertia forces"
            page.step(f"Level {level}", reason + (", with those it carries." if carries else "."))
            for node in here:
                self._write_node(node)
        self._write_root()
        return page.page()

    def _draw(self, node: _Node) -> Drawn:
        """Return a body as it is drawn, with the speeds of its joint."""
        words: list[Words] = ["v, w" if node.body.moving.element.w_local is not None else "v"]
        push, turn = node.columns
        speeds = [
            u
            for r, u in enumerate(self.model.u)
            if any(x is not ZERO for x in (*push[r], *turn[r]))
        ]
        for j, u in enumerate(speeds):
            words += [", " if j else f"; {node.joint}: ", u]
        children = tuple(self._draw(child) for child in node.children)
        return Drawn(node.body.word, as_prose(words), children)

    # -- the bodies --------------------------------------------------------------------------

    def _write_node(self, node: _Node) -> None:
        """Write the resultant on a body and on all that it carries."""
        page, vectors = self.page, self.vectors
        body = node.body
        try:
            active, torque = vectors.active(body)
            rate = NOTHING
            if body.m is not ZERO:
                rate = Side((mul(body.m, vectors.acceleration(body)),))
            force = [opposite_side(rate), add_sides(active)]
            force += [Side((child.force,)) for child in node.children if child.force is not None]
            moment: list[Side] = []
            if body.moving.element.w_local is not None:
                moment = [opposite(vectors.turn(body)), add_sides(torque)]
        except TooLargeError:
            page.left_out += 2
            return
        if any(child.force is None for child in node.children):
            page.left_out += 2  # what it carries is left out
            return
        name = page.name("F", body.word, is_vector=True, meaning=f"force on {body.word}")
        page.equal(name, add_sides(*force))
        node.force = name
        if body.moving.element.w_local is None:
            return
        arm = minus(body.moving.element.com.p, node.point)
        try:
            if any(x is not ZERO for x in tidy(arm)):
                # the moment of the body's own force, about the joint
                own = page.name(
                    "f", body.word, is_vector=True, meaning=f"force on {body.word} alone"
                )
                if node.children:
                    page.equal(own, add_sides(*force[:2]))
                else:
                    page.names.pop(str(own.value))
                    own = name
                moment.append(Side((vectors.moment_of(body, arm, own),)))
            for child in node.children:
                if child.torque is not None:
                    moment.append(Side((child.torque,)))
                arm = minus(child.point, node.point)
                assert child.force is not None  # noqa: S101  seen above
                moment.append(Side((vectors.moment_of(body, arm, child.force),)))
        except TooLargeError:
            page.left_out += 1
            node.force = None
            return
        whole = add_sides(*moment)
        node.torque = page.name("M", body.word, is_vector=self.plane is None)
        page.equal(node.torque, whole)

    # -- the whole ---------------------------------------------------------------------------

    def _write_root(self) -> None:
        """Write fbar of the speeds, the invariants, and fbar of the root = 0."""
        page, model = self.page, self.model
        motion = model.motion
        groups = (loads.generalized(motion), loads.non_ideal(motion), loads.effective(motion))
        extra = tidy([add(*terms) for terms in zip(*groups, strict=True)])
        passive = loads.project(motion, [balance.inertia_wrench(m) for m in motion.elements])
        active = loads.project(motion, loads.wrenches(motion))
        rows = [add(p, neg(a), neg(x)) for p, a, x in zip(passive, active, extra, strict=True)]
        page.step("Level 1, the joints", "fbar of a speed: what F and M do to its motion, C^T f.")
        named = [self._write_speed(r, extra[r], rows[r]) for r in range(len(model.u))]
        if not model.rows and not all(x.op == "symbol" for x in named):
            page.section("Equations of motion", "fbar of the root = 0.")
            stated = [(x, ZERO) for x in named if x.op == "symbol"]
            if stated:
                page.lines(*stated)
            page.note("What is left out is zero in the same way: --full.")
            for x in named:
                if x.op != "symbol":
                    text = str(neg(x).value)
                    page.names.pop(text)
                    page.known.pop(text)
            write_kinematics(page, model)
            return
        if model.rows:
            page.note("The invariants: ", *describe_constraints(model))
            write_constraints(page, model)
        page.section("Equations of motion", "fbar of the root = 0.")
        elimination = model.elimination
        is_loose = (
            elimination is not None
            and len(model.free) > 1
            and any(not set(free_symbols([c])) <= model.constant for c in elimination.conditions)
        )
        left = [neg(x) for x in named]
        if is_loose:
            C = model.ratios or (elimination.C if elimination is not None else ())
            for position in range(len(model.free)):
                terms = [mul(C[k][position], named[k]) for k in range(len(model.u))]
                page.equal(add(ZERO, *terms), ZERO)
        elif not model.is_reduced:
            self._write_with_multipliers(named)
        else:
            write_equations(page, model, rows, named)
        write_kinematics(page, model)
        reason = "the rows of the dependent speeds: A^T λ = -fbar; F and M are those of the joints."
        write_reactions(page, model, left, rows, "Reactions", reason)

    def _write_with_multipliers(self, named: Sequence[Node]) -> None:
        """Write fbar + A^T λ = 0, where the constraints have no short solution."""
        page, model = self.page, self.model
        multipliers = reaction_names(page, model)
        page.note("with the reactions as multipliers: C^T fbar = 0 is fbar + A^T λ = 0")
        for k, value in enumerate(named):
            pull = [mul(row[k], lam) for row, lam in zip(model.A, multipliers, strict=True)]
            whole = add(value, *pull)
            if written([whole]) <= model.options.entry:
                page.equal(whole, ZERO)
            else:
                page.left_out += 1

    def _write_speed(self, r: int, extra: Node, row: Node) -> Node:
        """Write fbar of a speed, and return its name."""
        page, model = self.page, self.model
        try:
            terms: Sequence[Node] = [
                self.vectors.power(self._known(node.force), node.torque, node.columns, r)
                for node in self.nodes
                if self._moves(node, r)
            ]
        except TooLargeError:
            terms = ()
            short = tidy([neg(row)])[0]
            if written([short]) > model.options.entry:
                page.left_out += 1
                name = page.name(
                    "Fc", model.motion.speeds[r].path, meaning="constraint force", is_given=True
                )
                page.known[str(name.value)] = ("Fc", r)
                return neg(name)
            name = page.name("fbar", model.motion.speeds[r].path)
            page.equal(name, short)
            return name
        name = page.name("fbar", model.motion.speeds[r].path)
        page.equal(name, add(extra, *terms) if terms else extra)
        return name

    @staticmethod
    def _moves(node: _Node, r: int) -> bool:
        push, turn = node.columns
        return any(x is not ZERO for x in (*push[r], *turn[r]))

    @staticmethod
    def _known(force: Node | None) -> Node:
        """Return a resultant; raise where it was not written."""
        if force is None:
            raise TooLargeError("a resultant is too long to be read")
        return force
