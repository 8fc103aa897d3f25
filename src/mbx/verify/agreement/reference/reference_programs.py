"""What declared results are compared with, as programs: made from mechanics, by no form.

They share neither steps nor sweeps with a form. Bodies are known by their absolute poses and
twists, and everything that recursions find from body to body is summed over bodies instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import split
from mbx.expr.build import NULL, UNIT, add, divide, dot, minus
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.mechanics import energy, invariants, loads, motion, reactions
from mbx.mechanics.every_order import extend
from mbx.mechanics.tree.absolute_hinges import across, hinge
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.tree.absolute_hinges import Across
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties
    from mbx.system.system import System

__all__ = ["Programs"]


@dataclass(frozen=True)
class Programs:
    """The programs of a system, each made when it is first needed."""

    system: System

    @cached_property
    def moving(self) -> Motion:
        """The motion in the speeds of the system."""
        return motion.in_speeds(self.system)

    @cached_property
    def levels(self) -> Levels:
        """The invariants."""
        return invariants.levels(self.moving)

    @cached_property
    def tree(self) -> Links:
        """The tree of links."""
        return links(self.moving)

    @cached_property
    def named(self) -> tuple[Node, ...]:
        """The reactions that loads depend on."""
        return tuple(reactions.named_in(self.levels, self._loads))

    def _finish(self, program: Program, name: str) -> Equations:
        equations = program.equations(self.system, name, name, "", {})
        # accelerations are given, also where they belong to the state
        return replace(equations, signature=replace(equations.signature, higher=()))

    @cached_property
    def bodies(self) -> Equations:
        """Poses, masses and twists of all mass elements; their rates are K ud + K0.

        Twists are (v; w): v of the mass centre in ground components, w in the element's axes.
        """
        p = Program()
        elements = self.moving.elements
        K, K0 = split([x for m in elements for x in (*m.a, *m.wd)], self.moving.ud)
        p.column("tw", [x for m in elements for x in (*m.v, *m.w)])
        p.define("K", K, columns=[s.path for s in self.moving.speeds])
        p.column("K0", K0)
        p.column("m", [m.m for m in elements])
        p.define("I", [list(row) for m in elements for row in m.inertia], columns="xyz")
        centres = [m.element.com.p if m.element.placed else NULL for m in elements]
        p.column("com", [x for centre in centres for x in centre])
        axes = [m.element.R if m.element.frame is not None else UNIT for m in elements]
        p.define("R", [list(row) for R in axes for row in R], columns="xyz")
        return self._finish(p, "bodies")

    @cached_property
    def quasi(self) -> Equations:
        """What declared variables of order 2 and more are: known of the state, and E ud + e."""
        p = Program()
        extension, n = extend(self.system), len(self.moving.u)
        if extension is not None:
            p.define("E", extension.E[n:], columns=[s.path for s in self.moving.speeds])
            p.column("e", extension.e[n:])
            p.column("known", list(extension.known.values()))
        return p.equations(self.system, "quasi", "quasi", "", {})

    @cached_property
    def _loads(self) -> list[Node]:
        """Wrenches on the elements, generalized loads, rows of known models."""
        moving = self.moving
        wrenches = [x for force, torque in loads.wrenches(moving) for x in (*force, *torque)]
        on_speeds = (loads.generalized(moving), loads.non_ideal(moving), loads.effective(moving))
        return [*wrenches, *(add(*terms) for terms in zip(*on_speeds, strict=True))]

    @cached_property
    def loads(self) -> Equations:
        """F ud + F0, loads on elements and then on speeds; reactions by `lam`, if loads name them.

        Raises `NotAffineError` where a load is not affine in accelerations.
        """
        p = Program()
        F, F0 = split(self._loads, self.moving.ud)
        of: dict[Matrix, Sequence[Node]] = {}
        if self.named:
            rows = [row.path for row in self.levels.rows]
            lam = p.given("lam", size=len(rows))
            Y = p.define("Y", reactions.reaction_map(self.levels, self.named), columns=rows)
            of = {p.let("y", Y @ lam): self.named}
        p.derived("F", F, columns=[s.path for s in self.moving.speeds], of=of)
        p.derived("F0", [[x] for x in F0], of=of)
        return self._finish(p, "loads")

    @cached_property
    def rates(self) -> Equations:
        """Change to the rates of the coordinates: q' = N u + n0, q'' = N ud + n."""
        p = Program()
        system, moving = self.system, self.moving
        accelerations = [system.rates.direction[v.rate] for v in system.q]
        N, n = split(moving.express(accelerations), moving.ud)
        p.define("N", N, columns=[s.path for s in moving.speeds])
        p.column("n", n)
        return self._finish(p, "rates")

    @cached_property
    def energies(self) -> Equations:
        """V and its slopes by q, dT/dq where the rates are fixed, and the loads that V stands for.

        `P` are wrenches on elements, without generalized loads: these are slopes of V as it is.
        """
        p = Program()
        system, moving, rates = self.system, self.moving, motion.in_rates(self.system)
        q = [v.symbol for v in system.q]
        V = energy.potential(moving)
        p.define("V", [[V]])
        alone = [e.value for e in system.potentials if e.forces is None]
        slopes = zip(gradient(V, q), gradient(add(*alone) if alone else ZERO, q), strict=True)
        p.define("Vq", [list(pair) for pair in slopes], columns=["all", "generalized"])
        p.column("Tq", gradient(energy.kinetic(rates), q))
        p.column("P", self._with_potential())
        return self._finish(p, "energies")

    def _with_potential(self) -> list[Node]:
        """Return the wrenches that have a potential: springs, and weights of what has a centre."""
        moving = self.moving
        total = {m.path: [ZERO] * 6 for m in moving.elements}
        forces = [f for e in self.system.potentials for f in e.forces or ()]
        six = [(f.on, moving.express([*f.force, *f.torque])) for f in forces]
        six += [
            (m.path, [*m.weight, *NULL]) for m in moving.elements if m.weight is not None and m.high
        ]
        for path, wrench in six:
            total[path] = [add(x, y) for x, y in zip(total[path], wrench, strict=True)]
        return [x for m in moving.elements for x in total[m.path]]

    @cached_property
    def links(self) -> Equations:
        """Poses, hinges, masses and rates of the tree; z'' = P ud + pd."""
        p = Program()
        tree = self.tree
        every = tree.links
        p.define("R", [list(row) for link in every for row in link.R_W], columns="xyz")
        p.column("p", [x for link in every for x in link.p])
        n = len(tree.direct)
        names = [name for link in every for name in link.names]
        p.define("A", _placed_columns([(x.first, x.A) for x in every], n), columns=names)
        p.define("Ad", _placed_columns([(x.first, x.Ad) for x in every], n), columns=names)
        p.define(
            "vr",
            [[x, y] for link in every for x, y in zip(link.vr, link.vrd, strict=True)],
            columns=["vr", "vrd"],
        )
        p.column("m", [link.m for link in every])
        p.column("c", [x for link in every for x in link.c])
        p.define("J", [list(row) for link in every for row in link.J], columns="xyz")
        p.column("zd", tree.zd)
        p.define("P", [list(row) for row in tree.P], columns=[s.path for s in self.moving.speeds])
        p.column("pd", tree.pd)
        return self._finish(p, "links")

    @cached_property
    def every(self) -> Levels:
        """The invariants with idle rows, which no motion could break, behind the others."""
        return replace(self.levels, rows=(*self.levels.rows, *self.system.idle))

    @cached_property
    def closing(self) -> Ties:
        """What closes the tree."""
        return ties(self.tree, self.levels)

    @cached_property
    def across(self) -> tuple[Across, ...]:
        """What each hinge does not let happen, in which basis."""
        return tuple(across(hinge(self.tree, k).A) for k in range(len(self.tree.links)))

    @cached_property
    def joints(self) -> Equations:
        """Points of joints on links, and bases of what hinges do not let happen, scaled."""
        p = Program()
        every = range(len(self.tree.links))
        points = [minus(self.tree.links[k].c, hinge(self.tree, k).e) for k in every]
        p.column("s", [x for point in points for x in point])
        for k, joint in enumerate(self.across):
            basis = joint.own or []
            columns = [[divide(x, dot(z, z)) for x in z] for z in basis]
            rows = [list(row) for row in zip(*columns, strict=True)] or [[] for _ in range(6)]
            p.define(f"Y_{k + 1}", rows, columns=[str(j) for j in range(len(basis))])
        return self._finish(p, "joints")

    @cached_property
    def balances(self) -> Equations:
        """W X + L lam are the reactions in the balances of the elements; those of loops are Y lam.

        Multipliers of idle rows stand behind the others.
        """
        p = Program()
        every = self.every
        W, blocks = reactions.joint_wrenches(self.moving)
        rows = [row.path for row in every.rows]
        p.define("W", W, columns=[str(k) for k in range(len(W))])
        p.define("L", reactions.loop_columns(self.moving, every, blocks), columns=rows)
        wrenches = reactions.loop_wrenches(every)
        p.define("Y", [list(row) for six in wrenches.values() for row in six], columns=rows)
        return self._finish(p, "balances")


def _placed_columns(
    blocks: Sequence[tuple[int, Sequence[Sequence[Node]]]], n: int
) -> list[list[Node]]:
    """Return blocks of rows, each in its own columns of n."""
    rows = []
    for first, block in blocks:
        for row in block:
            line = [ZERO] * n
            line[first : first + len(row)] = row
            rows.append(line)
    return rows
