"""What the hinges of a tree transmit, and from it the reactions of joints.

    R_i = M_i v'_i + G_i - F_i - L_i lam + sum C_j^T R_j            row 1 of (33), leaves first

Joints that close loops act on their bodies; any other invariant acts on the rates of hinges,
which transmit it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, neg, skew
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ZERO
from mbx.mechanics import reactions
from mbx.system.find_features import Feature
from mbx_converters.tree.transmitted import Transmitted
from mbx_converters.tree.wrench_transfer import arm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.tree.closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.link_kinematics import ByLink, Hinges

__all__ = ["hinge_wrenches", "report_reactions"]

_HALVES: Final = (("v", range(3)), ("w", range(3, 6)))
"""The links of an element that is known by its twist, and their rows of a wrench."""


def hinge_wrenches(
    p: Program,
    on: Hinges,
    levels: Levels,
    swept: Swept,
    M: ByLink,
    G: ByLink,
    c: ByLink,
) -> ByLink:
    """Add v' and R of all links, with multipliers and all loads; return R."""
    transmitted = Transmitted(on.tree, levels)
    p.begin("forward sweep, root to leaves: acceleration of each link")
    vd: dict[int, Matrix] = {}
    for k, link in on.links:
        total = c[k]
        if link.parent is not None:
            total += on.C[k] @ vd[on.parent(k)]
        if link.freedoms:
            zdd = p.let(f"zdd_{k}", swept.zdd.rows(link.own))
            total += on.A[k] @ zdd
        vd[k] = p.let(f"vd_{k}", total, f"acceleration of {link.path}")
    p.begin("backward sweep, leaves to root: reaction on each link")
    R: dict[int, Matrix] = {}
    for k, link in reversed(on.links):
        acting, by = transmitted.on_link(k - 1)
        Mvd = M[k] @ vd[k]
        total = Mvd + G[k] - _column(p, on.tree, swept, f"FR_{k}", acting)
        if _any(by):
            L = p.define(f"WL_{k}", by, f"loops on {link.path}", columns=_names(levels))
            total -= L @ swept.lam
        for j in on.children(k):
            total += on.C[j].T @ R[j]
        R[k] = p.let(f"R_{k}", total, f"reaction on {link.path}")
    return R


def _column(p: Program, tree: Links, swept: Swept, name: str, entries: Sequence[Node]) -> Matrix:
    """Add a column of expressions that may name accelerations and reactions."""
    used = set(ordered(entries))
    of: dict[Matrix, Sequence[Node]] = {}
    if not used.isdisjoint(tree.motion.ud):
        of[swept.ud] = tree.motion.ud
    if not used.isdisjoint(swept.named):
        of[p.find("y")] = swept.named
    return p.derived(name, [[x] for x in entries], "all loads", of=of)


def report_reactions(
    p: Program, on: Hinges, levels: Levels, swept: Swept, A: Matrix, R: ByLink
) -> dict[str, Matrix]:
    """Add the reactions from R, and what of them is not unique."""
    p.begin("reactions")
    motion = on.tree.motion
    every = replace(levels, rows=(*levels.rows, *motion.system.idle))
    whole = p.let("R", p.stack(*(R[k] for k, _ in on.links)), "reactions of all hinges")
    free = _free(p, levels, every, A)
    report = _Report(p, on, Transmitted(on.tree, every), swept, free, R)
    if free is not None:
        report.open_wrenches(free)
    report.frames()
    uncertain = reactions.unsure(motion)
    if Feature.GENERALIZED_LOAD in motion.system.features:  # what carries it is not known
        uncertain = set(range(len(motion.elements)))
    uncertain |= _carrying_unnamed(on.tree)
    results = {"R": whole}
    for k, holder in enumerate(reactions.holders(motion)):
        if k not in uncertain:
            reaction, left_open = report.reaction(k)
            results[f"reaction:{holder.path}"] = reaction
            results[f"open:{holder.path}"] = left_open
    for k, (path, six) in enumerate(reactions.loop_wrenches(every).items(), start=1):
        m, names = len(levels.rows), _names(every)
        meaning = f"reaction {path} by the multipliers"
        Y = p.define(f"Y_{k}", [line[:m] for line in six], meaning, columns=names[:m])
        results[f"reaction:{path}"] = p.let(f"XL_{k}", Y @ swept.lam, f"reaction {path}")
        if free is not None:
            YI = p.define(f"YI_{k}", six, columns=names)
            results[f"open:{path}"] = p.let(f"XLo_{k}", YI @ free)
    return results


def _carrying_unnamed(tree: Links) -> set[int]:
    """Return the mass elements that carry, in the tree, what their holders do not name.

    The model states such a thing from a frame that the element is a part of, and not what holds
    it: how much of its load is the element's is not known.
    """
    motion = tree.motion
    index = {moving.path: k for k, moving in enumerate(motion.elements)}
    parents = [holder.parent for holder in reactions.holders(motion)]
    carrying: set[int] = set()
    for link in tree.links:
        up = link.parent
        if up is None or parents[index[link.moving.path]] == index[tree.links[up].moving.path]:
            continue
        carrying |= {index[tree.links[k].moving.path] for k in tree.path(up)}
    return carrying


def _free(p: Program, levels: Levels, every: Levels, A: Matrix) -> Matrix | None:
    """Add the multipliers, of idle rows too, that do nothing to the motion, if there are rows."""
    idle = len(every.rows) - len(levels.rows)
    meaning = "multipliers that do nothing"
    if not every.rows:
        return None
    if not idle:
        return p.null("lamo", A.T, meaning=meaning)
    identity = p.let("EI", p.identity(idle))
    if not levels.rows:
        return identity
    return p.let("lamo", p.block([[p.null("lamn", A.T, meaning=meaning), None], [None, identity]]))


@dataclass(frozen=True, slots=True)
class _Report:
    """Reactions of mass elements from the wrenches of links.

    Attributes:
        transmitted: What acts on links and on mass elements.
        free: Multipliers that do nothing to the motion; None where there are none.
        R: Wrenches over the hinges.
        Ro: What free multipliers do to these.
        W: Axes of links in the ground.
        arms: Levers of reactions.
    """

    p: Program
    on: Hinges
    transmitted: Transmitted
    swept: Swept
    free: Matrix | None
    R: ByLink
    Ro: dict[int, Matrix] = field(default_factory=dict)
    W: dict[int, Matrix] = field(default_factory=dict)
    arms: dict[int, Matrix] = field(default_factory=dict)

    def open_wrenches(self, free: Matrix) -> None:
        """Add Ro."""
        names = _names(self.transmitted.every)
        for k, _ in reversed(self.on.links):
            _, by = self.transmitted.on_link(k - 1)
            minus = self.p.define(f"WLo_{k}", [[neg(x) for x in row] for row in by], columns=names)
            terms = [self.p.let(f"WLfree_{k}", minus @ free)]
            terms += [
                self.p.let(f"CRo_{j}", self.on.C[j].T @ self.Ro[j]) for j in self.on.children(k)
            ]
            self.Ro[k] = self.p.let(f"Ro_{k}", self.p.sum(terms))

    def frames(self) -> None:
        """Add the axes of the links in the ground, and the levers of reactions."""
        for k, link in self.on.links:
            if link.frame is None:
                continue
            meaning = f"axes of {link.path} in the ground"
            self.W[k] = self.p.define(f"W_{k}", link.R_W, meaning)
            if arm(link) is not NULL:
                meaning = f"lever of the reaction on {link.path}"
                self.arms[k] = self.p.define(f"arm_{k}", skew(arm(link)), meaning)

    def reaction(self, k: int) -> tuple[Matrix, Matrix]:
        """Add the reaction on a mass element, and what of it is not unique."""
        moving, name = self.transmitted.elements[k], f"X_{k + 1}"
        if moving.path in self.on.tree.bare:
            return self._of_bare(k, name)
        if not moving.element.placed:
            return self._of_twist(k, name)
        link = next(j for j, each in self.on.links if each.path == moving.path)
        holder = reactions.holders(self.on.tree.motion)[k].path
        reaction = self._from_wrench(link, self.R[link], name, f"reaction {holder}")
        if self.free is None:
            return reaction, self._unique(name, reaction)
        return reaction, self._from_wrench(link, self.Ro[link], f"{name}o", "")

    def _unique(self, name: str, reaction: Matrix) -> Matrix:
        """Add no columns at all: nothing of a reaction is open."""
        return self.p.define(f"{name}o", [[] for _ in range(reaction.shape[0] or 0)])

    def _from_wrench(self, k: int, wrench: Matrix, name: str, meaning: str) -> Matrix:
        """Add a reaction from the wrench of the link of a mass element."""
        p, link = self.p, self.on.link(k)
        element = link.moving.element
        force = p.let(f"{name}F", wrench.rows(range(3)))
        in_ground = p.let(f"{name}f", self.W[k] @ force)
        if element.w_local is None:
            return p.let(name, p.stack(in_ground), meaning)
        torque = p.let(f"{name}T", wrench.rows(range(3, 6)))
        jointed = element.joint is not None and element.frame is not None
        total = self.W[k] @ torque if jointed else torque
        if k in self.arms:
            total += self.arms[k] @ (in_ground if jointed else force)
        return p.let(name, p.stack(in_ground, p.let(f"{name}t", total)), meaning)

    def _of_twist(self, k: int, name: str) -> tuple[Matrix, Matrix]:
        """Add the reaction on an element that is known by its twist: one link a half, or none.

        A half without inertia is no link: its reaction is minus what acts on it.
        """
        p = self.p
        index = {link.path: j for j, link in self.on.links}
        moving = self.transmitted.elements[k]
        acting, by = self.transmitted.on_holder(k)
        closed, left_open = [], []
        halves = _HALVES[:1] if moving.element.w_local is None else _HALVES
        for half, rows in halves:
            j = index.get(f"{moving.path}.{half}")
            if j is not None:
                closed.append(p.let(f"{name}{half}", self.R[j].rows(rows)))
                if self.free is not None:
                    left_open.append(p.let(f"{name}{half}o", self.Ro[j].rows(rows)))
                continue
            minus = [neg(acting[i]) for i in rows]
            closed.append(_column(p, self.on.tree, self.swept, f"{name}{half}", minus))
            if self.free is not None:
                minus_by = [[neg(x) for x in by[i]] for i in rows]
                L = p.define(f"{name}{half}l", minus_by, columns=_names(self.transmitted.every))
                left_open.append(p.let(f"{name}{half}o", L @ self.free))
        meaning = f"reaction {reactions.holders(self.on.tree.motion)[k].path}"
        reaction = p.let(name, p.stack(*closed), meaning)
        if self.free is None:
            return reaction, self._unique(name, reaction)
        return reaction, p.let(f"{name}o", p.stack(*left_open))

    def _of_bare(self, k: int, name: str) -> tuple[Matrix, Matrix]:
        """Add the reaction on a mass element without inertia: minus what acts on it."""
        p, names = self.p, _names(self.transmitted.every)
        acting, by = self.transmitted.on_holder(k)
        m = len(names) - len(self.on.tree.motion.system.idle)
        column = _column(p, self.on.tree, self.swept, f"{name}f", [neg(x) for x in acting])
        minus = [[neg(x) for x in row[:m]] for row in by]
        L = p.define(f"{name}l", minus, columns=names[:m])
        meaning = f"reaction on {self.transmitted.elements[k].path}"
        reaction = p.let(name, column + L @ self.swept.lam, meaning)
        if self.free is None:
            return reaction, self._unique(name, reaction)
        minus = [[neg(x) for x in row] for row in by]
        return reaction, p.let(f"{name}o", p.define(f"{name}lo", minus, columns=names) @ self.free)


def _any(rows: Sequence[Sequence[Node]]) -> bool:
    return any(x is not ZERO for row in rows for x in row)


def _names(levels: Levels) -> list[str]:
    return [row.path for row in levels.rows]
