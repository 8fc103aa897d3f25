"""What all pages of a model begin with: its motion, its bodies, its constraints, eliminated."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, mul
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ONE, SYMBOL, ZERO, Node
from mbx.formalism.page.algebra.eliminate import MOST_ROWS, Elimination, eliminate
from mbx.formalism.page.algebra.trigonometric_ring import shorten_units
from mbx.formalism.page.bodies import Body, Plane, bodies_of, tidy
from mbx.mechanics import invariants, motion
from mbx.mechanics.short_rows import ShortRows, short_rows
from mbx.mechanics.unit_quaternions import in_unit_quaternions, quaternions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_builder import PageBuilder, Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.system.system import Row, System

__all__ = ["PageModel", "is_short"]

_CHEAP: Final = 12
"""Operations of a speed that is put in wherever it stands."""
_LARGEST: Final = 2500
"""Operations of all velocities, each as often as it is printed, on a page."""
_STATES: Final = 3
"""States at which pivots are tried."""


def is_short(nodes: Sequence[Node], operations: int) -> bool:
    """Return whether each expression has few operations."""
    return all(cost([node]) <= operations for node in nodes)


class PageModel:
    """A model in the speeds of a form, for its page."""

    def __init__(
        self, system: System, equations: Equations, options: PageOptions, *, in_rates: bool = False
    ) -> None:
        """Take the motion in the declared speeds, or in the rates of the coordinates."""
        self.system = system
        self.equations = equations
        self.options = options
        self.in_rates = in_rates
        self.motion: Motion = (
            motion.in_rates(system)
            if in_rates
            else in_unit_quaternions(system, motion.in_speeds(system))
        )
        self.ratios: list[tuple[Node, ...]] = []
        self.inserted: dict[Node, Node] = {}
        self.functions: dict[int, Node] = {}
        self.multipliers: list[Node] = []
        self.levels: Levels = invariants.levels(self.motion, rates=in_rates)

    @cached_property
    def bodies(self) -> list[Body]:
        """The mass elements."""
        return bodies_of(self.motion, self.inserted)

    @cached_property
    def quaternions(self) -> tuple[tuple[Node, ...], ...]:
        """Unit quaternions, the real part last."""
        return tuple(quaternions_of(self.system))

    def tidy(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions in the shortest form that is found, quaternions of length 1."""
        short = tidy(nodes)
        if not self.quaternions:
            return short
        parts = {x for q in self.quaternions for x in q}
        return [
            x if parts.isdisjoint(free_symbols([x])) else shorten_units(x, self.quaternions)
            for x in short
        ]

    def insert_dependent(self) -> None:
        """Put dependent speeds in wherever they stand, where that makes the velocities shorter."""
        elimination = self.elimination
        if elimination is None or not set(elimination.conditions) <= self.constant:
            return
        if not elimination.has_speeds:
            return
        inserted: dict[Node, Node] = {}
        for k in elimination.dependent:
            value, rate = self.dependent_speed(k), self.dependent_rate(k)
            if value is ZERO or cost([value]) > _CHEAP or cost([rate]) > 2 * _CHEAP:
                return
            inserted |= {self.u[k]: value, self.ud[k]: rate}
        before = [x for m in self.motion.elements for x in (*m.v, *m.w)]
        if cost(tidy(substitute(before, inserted))) <= cost(tidy(before)):
            self.inserted = inserted

    @property
    def plane(self) -> Plane | None:
        """The plane in which all moves, if there is one."""
        return self.bodies[0].plane if self.bodies else None

    @property
    def u(self) -> tuple[Node, ...]:
        """The speeds."""
        return self.motion.u

    @property
    def ud(self) -> tuple[Node, ...]:
        """Their rates."""
        return self.motion.ud

    @cached_property
    def constant(self) -> frozenset[Node]:
        """All parameters."""
        return frozenset(p.symbol for p in self.system.parameters)

    @cached_property
    def positive(self) -> frozenset[Node]:
        """Parameters that are more than zero: by their range, or as masses and inertias."""
        declared = {
            p.symbol for p in self.system.parameters if p.range is not None and p.range[0] > 0
        }
        physical = [e.m for e in self.system.elements if e.m is not None]
        physical += [
            e.inertia[k][k] for e in self.system.elements if e.inertia is not None for k in range(3)
        ]
        masses = {node for node in physical if node.op is SYMBOL}
        return frozenset(declared | (masses & self.constant))

    @cached_property
    def states(self) -> list[dict[Node, float]]:
        """Consistent states, at which pivots are tried."""
        sampled = self.equations.states
        if sampled is None:
            return []
        constants = {s: x for s, x in sampled.constants.items() if x is not None}
        rows = [r for r in sampled.general if None not in r][:_STATES]
        return [
            constants | {s: x for s, x in zip(sampled.symbols, row, strict=True) if x is not None}
            for row in rows
        ]

    # -- constraints -------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[Row, ...]:
        """The invariants (constraints)."""
        return self.levels.rows

    @cached_property
    def short(self) -> ShortRows:
        """The constraints with their loops closed."""
        return short_rows(self.levels)

    @cached_property
    def A(self) -> list[list[Node]]:  # noqa: N802  the letter of every text
        """The constraints by the rates of the speeds, in short form."""
        flat = tidy([x for row in self.short.A for x in row])
        n = len(self.u)
        return [flat[k : k + n] for k in range(0, len(flat), n)] if n else []

    @cached_property
    def b(self) -> list[Node]:
        """The constraints without the rates of the speeds, in short form."""
        return tidy(self.short.b)

    @cached_property
    def b0(self) -> list[Node]:
        """The constraints at the level of velocity without the speeds; zero of higher order."""
        still = dict.fromkeys(self.u, ZERO)
        return [ZERO if x is None else substitute([x], still)[0] for x in self.velocity]

    @cached_property
    def velocity(self) -> list[Node | None]:
        """The constraints at the level of velocity, in short form."""
        known = [x for x in self.short.velocity if x is not None]
        short = iter(self.tidy(known))
        return [None if x is None else next(short) for x in self.short.velocity]

    @cached_property
    def elimination(self) -> Elimination | None:
        """Dependent speeds by independent ones; None without constraints or without a result."""
        if not self.rows or len(self.rows) > MOST_ROWS:
            return None
        kept = self.motion.independent or ()
        found = eliminate(self.A, self.b, self.b0, self.positive, kept, self.states, self.constant)
        is_affine = set(self.u).isdisjoint(free_symbols([x for row in self.A for x in row]))
        if found is None or (is_affine and None not in self.velocity):
            return found
        return replace(found, has_speeds=False)

    @property
    def is_reduced(self) -> bool:
        """Whether the independent speeds are known: there are no constraints, or a result."""
        return not self.rows or self.elimination is not None

    @cached_property
    def free(self) -> tuple[int, ...]:
        """Positions of the independent speeds."""
        if self.elimination is None:
            return tuple(range(len(self.u)))
        return self.elimination.free

    @cached_property
    def trivial(self) -> Mapping[Node, Node]:
        """Dependent speeds, and their rates, that are zero or a multiple of one other."""
        elimination = self.elimination
        if elimination is None or not elimination.has_speeds:
            return {}
        replaced: dict[Node, Node] = {}
        for k in elimination.dependent:
            value = self.dependent_speed(k)
            factors = set(free_symbols(elimination.C[k]))
            rate = self.dependent_rate(k)
            if value is ZERO or (factors <= self.constant and cost([value, rate]) <= _CHEAP):
                replaced[self.u[k]] = value
                replaced[self.ud[k]] = rate
        return replaced

    def project(self, forces: Sequence[Node]) -> list[Node]:
        """Return C^T forces: those on the independent speeds."""
        elimination = self.elimination
        if elimination is None:
            return list(forces)
        C = elimination.C
        return [
            add(*(mul(C[k][position], force) for k, force in enumerate(forces)))
            for position in range(len(elimination.free))
        ]

    def dependent_speed(self, k: int) -> Node:
        """Return a dependent speed in the independent ones."""
        elimination = self.elimination
        assert elimination is not None  # noqa: S101  asked for with a result only
        terms = [mul(c, self.u[j]) for c, j in zip(elimination.C[k], elimination.free, strict=True)]
        return add(*terms, elimination.d[k])

    def dependent_rate(self, k: int) -> Node:
        """Return the rate of a dependent speed in those of the independent ones."""
        elimination = self.elimination
        assert elimination is not None  # noqa: S101  asked for with a result only
        terms = [
            mul(c, self.ud[j]) for c, j in zip(elimination.C[k], elimination.free, strict=True)
        ]
        return add(*terms, elimination.g[k])

    # -- words -------------------------------------------------------------------------------

    def counts(self) -> list[str]:
        """Return how many bodies, coordinates, constraints and degrees of freedom there are."""
        system = self.system
        bodies = [e for e in system.elements if e.kind == "body"]
        particles = len(system.elements) - len(bodies)
        counts = [_count(len(bodies), "body", "bodies")] if bodies else []
        counts += [_count(particles, "particle")] if particles else []
        counts.append(_count(len(system.q), "coordinate"))
        if not self.in_rates and any(v.base is None for v in system.u):
            counts.append(_count(len(system.u), "speed"))
        holonomic = sum(r.order == 0 for r in self.rows)
        others = len(self.rows) - holonomic
        if not self.rows:
            counts.append("no constraint")
        if holonomic:
            counts.append(_count(holonomic, "holonomic constraint"))
        if others:
            counts.append(_count(others, "nonholonomic constraint"))
        if self.is_reduced:
            counts.append(_count(len(self.free), "degree of freedom", "degrees of freedom"))
        return counts

    def axes_words(self) -> list[Words]:
        """Return in which axes the vectors of each body are written."""
        groups: dict[str, list[str]] = {}
        for body in self.bodies:
            groups.setdefault(body.axes.words, []).append(body.word)
        if not groups:
            return []
        axes = list(groups)
        letters = ("x", "y", "z")
        plane = self.plane
        shown = letters if plane is None else (letters[plane.first], letters[plane.second])
        inside = ", ".join(shown)
        if len(axes) == 1:
            return [f"Vectors are [{inside}] of {axes[0]}."]
        parts = [f"{', '.join(words)}: {axis}" for axis, words in groups.items()]
        return [f"Vectors are [{inside}] in the axes of: {'; '.join(parts)}."]

    def refuse_long(self) -> None:
        """Raise `TooLargeError` where nobody would read the velocities of the bodies."""
        twists = [x for m in self.motion.elements for x in (*m.v, *m.w)]
        if not self.options.is_full and written(twists) > _LARGEST:
            raise TooLargeError("the velocities of the bodies are too long for a page")

    def begin(self, page: PageBuilder) -> None:
        """Write what a page begins with; raise `TooLargeError` where nobody would read it."""
        self.refuse_long()
        page.counts.extend(self.counts())
        words = self.axes_words()
        if words:
            page.given(*words)
        if any(r.kind == "norm" for r in self.system.rows) or self._has_quaternion():
            page.given("Quaternions have length 1.")

    def _has_quaternion(self) -> bool:
        return any(r.kind == "norm" for r in (*self.system.closed, *self.system.rows))

    def unit_column(self, k: int) -> list[Node]:
        """Return the column of zeros with a one at a position."""
        return [ONE if j == k else ZERO for j in range(len(self.u))]


def _count(number: int, word: str, plural: str = "") -> str:
    return f"{number} {word if number == 1 else plural or word + 's'}"
