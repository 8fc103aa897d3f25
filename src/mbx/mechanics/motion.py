"""The motion of a system in the speeds of a form: twists of the mass elements and their rates.

    tw = J u + j0,  twd = J ud + jb

Forms in speeds take `in_speeds`; forms in the rates of coordinates take `in_rates`, where every
declared speed is replaced by its definition. Their accelerations belong together by

    qdd = N ud + n,  ud = P qdd + p
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.algebra.blocks import matching
from mbx.expr.algebra.elimination import split
from mbx.expr.build import NULL, scale, times
from mbx.expr.derivatives import along
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import ONE, SCALE, ZERO, Node
from mbx.language.units import per_second
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.system.system import System, Variable
    from mbx.system.world import Element


__all__ = [
    "Change",
    "Motion",
    "Moving",
    "change",
    "in_rates",
    "in_speeds",
    "rate_variables",
    "uses_left_over",
]

_NO_INERTIA: Matrix = ((ZERO, ZERO, ZERO),) * 3


class Motion:
    """A system's motion in chosen speeds.

    Attributes:
        system: The system.
        u: The speeds, or the rates of all coordinates.
        ud: Their rates.
        speeds: What is known of each of `u`.
        replaced: What raw rates and speeds are in terms of `u`.
    """

    def __init__(
        self, system: System, speeds: Sequence[Variable], replaced: Mapping[Node, Node]
    ) -> None:
        """Take the speeds, and what the other raw rates are in them."""
        self.system = system
        self.speeds = tuple(speeds)
        self.u = tuple(s.symbol for s in speeds)
        self.ud = tuple(s.rate for s in speeds)
        self.replaced = {k: v for k, v in replaced.items() if k is not v}

    @cached_property
    def qd(self) -> dict[Node, Node]:
        """What the rate of each coordinate is."""
        return {v.symbol: self.replaced.get(v.rate, v.rate) for v in self.system.q}

    @cached_property
    def _direction(self) -> dict[Node, Node]:
        raw = dict(self.system.rates.direction)
        raw.update(self.qd)
        raw[TIME] = ONE
        return raw

    def rate(self, nodes: Sequence[Node]) -> list[Node]:
        """Return time derivatives of expressions of q, u, ud and t."""
        return along(nodes, self._direction)

    @cached_property
    def _all_replaced(self) -> dict[Node, Node]:
        """Raw rates of every order that is needed, in u and its rates."""
        replaced = dict(self.replaced)
        raw = self.system.rates.direction
        level = replaced
        for _ in range(self.system.order - 1):
            keys = [k for k in level if k in raw]
            rates = self.rate([level[k] for k in keys])
            level = {raw[k]: r for k, r in zip(keys, rates, strict=True)}
            replaced |= level
        return replaced

    def express(self, nodes: Sequence[Node]) -> list[Node]:
        """Return raw expressions in terms of u and ud."""
        return substitute(nodes, self._all_replaced) if self.replaced else list(nodes)

    @cached_property
    def component_rates(self) -> dict[str, tuple[Vector, Vector]] | None:
        """Rates of the components of v and w of each element, by differentiating these.

        None where nothing was replaced: then the recursion from body to body is shorter.
        """
        if not self.replaced:
            return None
        rates = iter(self.rate([x for m in self.elements for x in (*m.v, *m.w)]))
        by_path: dict[str, tuple[Vector, Vector]] = {}
        for moving in self.elements:
            six = [next(rates) for _ in range(6)]
            by_path[moving.path] = ((six[0], six[1], six[2]), (six[3], six[4], six[5]))
        return by_path

    @cached_property
    def elements(self) -> tuple[Moving, ...]:
        """The mass elements."""
        return tuple(Moving(self, e) for e in self.system.elements)

    @cached_property
    def independent(self) -> tuple[int, ...] | None:
        """Which of u the whole model proposes as independent, if these are all among them."""
        position = {s: k for k, s in enumerate(self.u)}
        positions = [position.get(s) for s in self.system.independent.get("", ())]
        if not positions or None in positions:
            return None
        return tuple(sorted(k for k in positions if k is not None))


@dataclass(frozen=True, eq=False)
class Moving:
    """A mass element in motion.

    v is the velocity of its mass centre in ground components, w its angular velocity in its
    local components; a and wd are the rates of these components.
    """

    motion: Motion
    element: Element

    @property
    def path(self) -> str:
        """Its name."""
        return self.element.path

    @property
    def m(self) -> Node:
        """Its mass; zero if unspecified, because then nothing depends on it."""
        return ZERO if self.element.m is None else self.element.m

    @property
    def inertia(self) -> Matrix:
        """Its inertia about the mass centre; zero if unspecified."""
        return _NO_INERTIA if self.element.inertia is None else self.element.inertia

    @property
    def turns(self) -> bool:
        """Whether it has an angular velocity and an inertia."""
        return self.element.inertia is not None and self.element.w_local is not None

    @cached_property
    def weight(self) -> Vector | None:
        """Its weight, ground components; None where it has none."""
        g = self.element.gravity
        return None if g is None or self.m is ZERO else times(self.m, self._express(g))

    @cached_property
    def high(self) -> bool:
        """Whether its weight has a potential: it has a position, and gravity no variables."""
        system = self.motion.system
        known = {x for v in (*system.q, *system.u) for x in (v.symbol, v.rate)}
        return self.element.placed and known.isdisjoint(ordered(self.element.gravity or ()))

    def _express(self, v: Vector | None) -> Vector:
        if v is None or v is NULL:
            return NULL
        a, b, c = self.motion.express(v)
        return (a, b, c)

    @cached_property
    def v(self) -> Vector:
        """v_WBcm_W."""
        return self._express(self.element.com.v)

    @cached_property
    def w(self) -> Vector:
        """w_WB_B."""
        return self._express(self.element.w_local)

    @cached_property
    def a(self) -> Vector:
        """Rates of the components of v."""
        rates = self.motion.component_rates
        return self._express(self.element.com.a) if rates is None else rates[self.path][0]

    @cached_property
    def wd(self) -> Vector:
        """Rates of the components of w."""
        rates = self.motion.component_rates
        return self._express(self.element.wd_local) if rates is None else rates[self.path][1]


def in_speeds(system: System, more: Sequence[Variable] = ()) -> Motion:
    """Return the motion in the speeds of the system, and in `more` variables behind these.

    A velocity that a definition states is the speed itself.
    """
    left = [row.value for row in system.rows if row.kind == "definition"]
    left_over = set(ordered(left))
    known: dict[Node, Node] = {}
    for speed, value in system.defined.items():
        if speed not in left_over:
            known[value] = speed
            if value.op is SCALE:  # products take the number out of it
                known[value.args[0]] = scale(Fraction(1) / value.value, speed)
    return Motion(system, (*system.u, *more), {**known, **system.qd})


def in_rates(system: System) -> Motion:
    """Return the motion in the rates of the coordinates, declared speeds replaced."""
    return Motion(system, rate_variables(system), system.defined)


def rate_variables(system: System) -> tuple[Variable, ...]:
    """Return the rates of all coordinates as speeds."""
    speeds = {u.symbol: u for u in system.u}
    variables = []
    for q in system.q:
        known = speeds.get(q.rate)
        if known is None:
            known = replace(
                q,
                symbol=q.rate,
                rate=system.rates.direction[q.rate],
                path=q.path + "'",
                unit=per_second(q.unit),
                start=None,
                range=None,
                base=q.symbol,
            )
        variables.append(known)
    return tuple(variables)


Change = tuple[list[list[Node]], list[Node], list[list[Node]], list[Node]]
"""N, n, P and p."""


def change(system: System) -> Change:
    """Return the change of accelerations between speeds and rates, both ways: N, n, P, p."""
    speeds, rates = in_speeds(system), in_rates(system)
    accelerations = [system.rates.direction[v.rate] for v in system.q]
    N, n = split(speeds.express(accelerations), speeds.ud)
    P, p = split(rates.express([v.rate for v in system.u]), rates.ud)
    return N, n, P, p


def uses_left_over(system: System) -> tuple[str, ...]:
    """Return why left-over definitions are more than names for what the rates give; () if not."""
    left = [r for r in system.rows if r.kind == "definition"]
    if not left:
        return ()
    rates = {v.rate for v in system.q}
    declared = {v.symbol for v in system.u if v.base is None} - rates
    solved = {s for e in system.qd.values() for s in ordered([e])}
    speeds_of = [
        [s for s in ordered([row.value]) if s in declared and s not in solved] for row in left
    ]
    named = list(dict.fromkeys(s for speeds in speeds_of for s in speeds))
    # each must name a speed that no other row names, and that no rate is made of
    alone = matching([[named.index(s) for s in speeds] for speeds in speeds_of])
    tying = [row.path for k, row in enumerate(left) if k not in alone]
    used = set(ordered(list(_everything(system))))
    beyond = [row.path for row, speeds in zip(left, speeds_of, strict=True) if used & set(speeds)]
    return (
        *(f"{path} ties the rates to each other" for path in tying),
        *(f"{path} is used beyond its definition" for path in beyond if path not in tying),
    )


def _everything(system: System) -> Iterable[Node]:
    for element in system.elements:
        yield from element.com.v
        yield from element.w_local or ()
    for row in system.rows:
        if row.kind != "definition":
            yield row.value
    for force in system.forces:
        yield from (*force.force, *force.torque)
    for load in system.generalized:
        yield from (load.value, load.on)
    for known in system.effective:
        yield from (known.value, known.on)
    for energy in system.dissipations:
        yield energy.value
