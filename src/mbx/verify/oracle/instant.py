"""All equations at one state: rows of invariants, and the balance of inertia and loads."""

from __future__ import annotations

from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING

from mbx.language.document.expressions import Reference, walk
from mbx.language.document.node import expressions_of
from mbx.verify.oracle.kinematics.declared_world import find
from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
from mbx.verify.oracle.oracle_balance import Balance, element
from mbx.verify.oracle.oracle_loads import add_gravity, add_load
from mbx.verify.oracle.oracle_rows import rows
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.oracle.kinematics.declared_world import Level, Named, World
    from mbx.verify.oracle.kinematics.oracle_motion import Motion
    from mbx.verify.oracle.numbers.number_fields import Number
    from mbx.verify.oracle.oracle_balance import Element
    from mbx.verify.oracle.oracle_rows import Row

__all__ = ["Instant", "named_reactions"]


def _references(node: object) -> list[Reference]:
    return [
        part
        for expression in expressions_of(node)  # type: ignore[arg-type]
        for part in walk(expression)
        if isinstance(part, Reference)
    ]


def named_reactions(world: World) -> dict[int, list[Named]]:
    """Return which loads name which reactions, by the number of the load."""
    reactions: dict[int, list[Named]] = {}
    for k, (_, node, level) in enumerate(world.loads):
        several = [_reaction(level, part) for part in _references(node)]
        named = [reaction for reaction in several if reaction is not None]
        if named:
            reactions[k] = named
    return reactions


def _reaction(level: Level, reference: Reference) -> Named | None:
    if reference.path[0].name in {"t", "pi", "ground", "own"}:
        return None
    try:
        named, _ = find(level, reference)
    except OracleRefusal:
        return None  # an axis of a slot, x, y or z
    return named if named.kind in {"multiplier", "wrench"} else None


class Instant:
    """The equations of a model at one state, in the unknown rates x."""

    def __init__(
        self,
        world: World,
        motion: Motion,
        virtual: Mapping[str, int],
        reactive: Sequence[int] = (),
    ) -> None:
        """Take the motion, the columns of joints that let go, and loads that name reactions."""
        self.world = world
        self.order = motion.order
        self.columns = [variable.column for variable in world.variables]
        self.virtual = virtual
        self.e = Evaluator(world, motion, virtual=virtual)
        self._motion = motion
        self._reactive = reactive

    @cached_property
    def rows(self) -> list[Row]:
        """The equations that the motion keeps."""
        return rows(self.e)

    @cached_property
    def A(self) -> list[Mapping[int, Number]]:  # noqa: N802  the letter of the matrix
        """Their rows at the level of the unknowns, by column."""
        return [row.value.g for row in self.rows]

    @cached_property
    def b(self) -> list[Number]:
        """What remains of them where the unknowns are zero."""
        return [self.level(row, self.order) for row in self.rows]

    def level(self, row: Row, order: int) -> Number:
        """Return the derivative of a row that is of an order."""
        k = order - row.order(self.order)
        c = row.value.c
        return c[k] * factorial(k) if k < len(c) else self.e.m.zero.c[0]

    @cached_property
    def elements(self) -> dict[Named, Element]:
        """The mass elements."""
        top = self.order - 1
        return {named: element(self.e, named, top) for named in self.world.elements}

    @cached_property
    def _still(self) -> Balance:
        """The balance without loads that name reactions."""
        balance = Balance(self.order - 1)
        for mass_element in self.elements.values():
            inertia = Balance(balance.top)
            for mass, a in mass_element.points:
                for part in a:
                    virtual = part.g if part.n == balance.top else {}
                    inertia.add_jet(virtual, part.scaled(mass))
            balance.join(inertia)
        add_gravity(self.e, balance, self.elements)
        for k, load in enumerate(self.world.loads):
            if k not in self._reactive:
                add_load(self.e, balance, self.elements, load, self.order)
        return balance

    def balance(self, reactions: Mapping[str, Sequence[Number]] | None = None) -> Balance:
        """Return the balance, with reactions by path where loads name them."""
        if not self._reactive:
            return self._still
        balance = self._still.copy()
        e = Evaluator(self.world, self._motion, reactions, self.virtual)
        e.poses, e.centres = self.e.poses, self.e.centres
        for k in self._reactive:
            add_load(e, balance, self.elements, self.world.loads[k], self.order)
        return balance
