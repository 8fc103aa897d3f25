"""Articulated bodies: the inertia of each link with what it carries, the hinges of that free.

Section and table numbers are those of Featherstone; see spec/formalisms/articulated_body.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, mul, sub
from mbx.expr.matrix import NULL, cross, dot, matvec, plus, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics.tree.base_parameters import unit_entries
from mbx_converters.recursive import articulated_inertia, newton_euler_sweeps
from mbx_converters.recursive.link_motion import at, inertia_wrench, spatial, turning, vector
from mbx_converters.recursive.regrouped_tree import closed, grouped, hinge_loads, link_loads
from mbx_converters.recursive.sweep_writer import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.system.system import System
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["CONVERTER", "derive"]

Rows = list[list[Node]]


def derive(system: System, _variant: str = "") -> Equations:
    """Return the accelerations by three sweeps, Table 7.1, closed by the invariants."""
    one = grouped(system)
    program = NamedProgram()
    to = Writer(program)
    _velocities(to, one)
    _inertias(to, one)
    _, results = closed(
        program,
        one,
        lambda p, h: _loaded(to.on(p), one, h),
        lambda p, F, name: _response(to.on(p), one, F, name),
    )
    return program.equations(system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results)


def _columns(rows: Sequence[Sequence[Node]]) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def _velocities(to: Writer, one: Grouped) -> None:
    """Add angular velocities and what of the accelerations they bring about, forward."""
    newton_euler_sweeps.velocities(to, one.tree)
    for k, link in enumerate(one.tree.links, start=1):
        to.put(f"W_{k}", turning(vector(to.vector(f"w_{k}")), NULL), "turning of places, w~ w~")
        if link.parent is not None:
            circle = at(to.get(f"W_{link.parent + 1}"), link.r)
            meaning = f"acceleration of {link.path} on its circle, in the axes of its parent"
            to.column(f"e_{k}", circle, meaning)


def _inertias(to: Writer, one: Grouped) -> None:
    """Add the articulated bodies, from the last link to the first, section 7.2."""
    to.program.begin("backward sweep, leaves to root: articulated bodies")
    for k in reversed(range(1, len(one.tree.links) + 1)):
        link = one.tree.links[k - 1]
        parts = [spatial(one.masses[k - 1])]
        parts += [to.get(f"Ip_{j + 1}") for j in one.tree.children[k - 1]]
        meaning = f"inertia of {link.path} and what it carries, hinges free"
        Ia = to.put(f"Ia_{k}", articulated_inertia.symmetric_total(parts), meaning)
        Ia = articulated_inertia.symmetric_total([Ia])
        if link.freedoms:
            A = _columns(link.A)
            U = to.put(f"U_{k}", [[dot(row, a) for a in A] for row in Ia], "at unit rates, Ia A")
            D = articulated_inertia.by_hinge(link, U)
            to.put(f"D_{k}", D, f"inertia that the hinge of {link.path} moves")
        if link.parent is None:
            continue
        if link.freedoms:
            to.program.transpose(f"Ut_{k}", f"U_{k}")
            to.program.solve(f"DU_{k}", f"D_{k}", f"Ut_{k}", "positive", meaning="D^-1 U^T")
            DU = to.note(f"DU_{k}", articulated_inertia.seen_gain(link, U))
            Ia = to.put(f"Ir_{k}", articulated_inertia.reduced(link, Ia, U, DU), "Ia - U D^-1 U^T")
        It = articulated_inertia.turned_inertia(link, Ia)
        It = to.put(f"It_{k}", It, "the same in the axes of the parent")
        Ip = articulated_inertia.moved(link.r, It)
        to.put(f"Ip_{k}", Ip, f"what {link.path} adds to its parent")


def _loaded(to: Writer, one: Grouped, h: str) -> str:
    """Add the sweeps under loads, in motion."""
    if not one.closing.rates:
        return to.program.rows("z0", h, ())
    loads = link_loads(to, one, h)
    own = []
    for k, mass in enumerate(one.masses):
        six = inertia_wrench(mass, to.get(f"W_{k + 1}"), NULL)
        if k in loads:
            six = [sub(x, y) for x, y in zip(six, loads[k], strict=True)]
        own.append([[x] for x in six])
    forces = {k: [[x] for x in rows] for k, rows in hinge_loads(to, one, h).items()}
    return _Run(to, one, forces, 1, own=own).result("z0", "accelerations of the hinges")


def _response(to: Writer, one: Grouped, F: str, name: str) -> str:
    """Add the sweeps for forces on the rates alone, a column each, from rest."""
    if not one.closing.rates:
        return to.program.rows(name, F, ())
    width = len(to.program.entries(F)[0])
    if not width:
        return to.program.sum(name, F)
    forces: dict[int, Rows] = {}
    for k, link in enumerate(one.tree.links):
        if link.freedoms:
            to.program.rows(f"{name}Q_{k + 1}", F, link.own)
            unknown = [[None] * width for _ in link.own]
            forces[k] = to.note(f"{name}Q_{k + 1}", unknown)
    return _Run(to, one, forces, width, mark=name).result(name)


@dataclass(frozen=True, slots=True)
class _Run:
    """Forces to the ground and accelerations from it, for one right-hand side or several.

    Attributes:
        to: Where the steps go.
        one: The tree.
        forces: Forces on the rates of the hinges that have some, by position.
        width: How many right-hand sides there are.
        own: Wrenches that links need without accelerations; None: nothing moves or has weight.
        mark: In front of the names of the steps.
    """

    to: Writer
    one: Grouped
    forces: Mapping[int, Rows]
    width: int
    own: Sequence[Rows] | None = None
    mark: str = ""

    def result(self, name: str, meaning: str = "") -> str:
        """Add both sweeps; return z'' of all hinges."""
        links = self.one.tree.links
        self.to.program.begin("backward sweep, leaves to root: wrenches")
        for k in reversed(range(len(links))):
            self._wrench(k)
        self.to.program.begin("forward sweep, root to leaves: accelerations")
        for k in range(len(links)):
            self._acceleration(k)
        hinges = [k for k, link in enumerate(links, start=1) if link.freedoms]
        self.to.put(
            name, [row for k in hinges for row in self.to.get(f"{self.mark}z_{k}")], meaning
        )
        return name

    def _wrench(self, k: int) -> None:
        """Add the wrench on a link without accelerations, and what it hands on."""
        to, link, mark = self.to, self.one.tree.links[k], self.mark
        terms = [] if self.own is None else [self.own[k]]
        terms += [to.get(f"{mark}pp_{j + 1}") for j in self.one.tree.children[k]]
        total = [
            [add(*(part[i][m] for part in terms)) if terms else ZERO for m in range(self.width)]
            for i in range(6)
        ]
        meaning = f"wrench on {link.path} while nothing accelerates it"
        p = to.put(f"{mark}p_{k + 1}", total, meaning)
        if link.freedoms:
            needed = articulated_inertia.by_hinge(link, p)
            t = [
                [sub(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(self.forces[k], needed, strict=True)
            ]
            to.put(f"{mark}t_{k + 1}", t, f"force left to the hinge of {link.path}")
        if link.parent is not None:
            handed = [self._handed(k, m) for m in range(self.width)]
            meaning = f"what {link.path} hands on to its parent"
            to.put(f"{mark}pp_{k + 1}", _columns(handed), meaning)

    def _handed(self, k: int, m: int) -> list[Node]:
        """Return p + Ir c + U D^-1 t of one right-hand side, on the parent."""
        to, link = self.to, self.one.tree.links[k]
        left = [row[m] for row in to.get(f"{self.mark}p_{k + 1}")]
        if self.own is not None:
            c = to.vector(f"c_{k + 1}")
            Ir = articulated_inertia.symmetric_total(
                [to.get(f"Ir_{k + 1}" if link.freedoms else f"Ia_{k + 1}")]
            )
            left = [add(x, dot(row, c)) for x, row in zip(left, Ir, strict=True)]
        if link.freedoms:
            DU, t = to.get(f"DU_{k + 1}"), [row[m] for row in to.get(f"{self.mark}t_{k + 1}")]
            left = [add(x, dot(column, t)) for x, column in zip(left, _columns(DU), strict=True)]
            for row, column, sign in unit_entries(link) or ():  # the hinge hands on its own force
                left[row] = mul(sign, self.forces[k][column][m])
        force, torque = matvec(link.R, vector(left[:3])), matvec(link.R, vector(left[3:]))
        if self.own is not None:
            It, e = (
                articulated_inertia.symmetric_total([to.get(f"It_{k + 1}")]),
                to.vector(f"e_{k + 1}"),
            )
            force = plus(force, vector([dot(row[:3], e) for row in It[:3]]))
            torque = plus(torque, vector([dot(row[:3], e) for row in It[3:]]))
        return [*force, *plus(torque, cross(link.r, force))]

    def _acceleration(self, k: int) -> None:
        """Add z'' of a hinge and the acceleration of its link."""
        to, link, mark = self.to, self.one.tree.links[k], self.mark
        before = _columns([self._before(k, m) for m in range(self.width)])
        if not link.freedoms:
            to.put(f"{mark}a_{k + 1}", before, f"acceleration of {link.path}")
            return
        before = to.put(f"{mark}b_{k + 1}", before, f"acceleration of {link.path} without z''")
        units = unit_entries(link)
        across = [i for i in range(6) if i not in {row for row, _, _ in units or ()}]
        U, t = _columns(to.get(f"U_{k + 1}")), to.get(f"{mark}t_{k + 1}")
        y = [
            [
                sub(x, dot([u[i] for i in across], [before[i][m] for i in across]))
                for m, x in enumerate(row)
            ]
            for u, row in zip(U, t, strict=True)
        ]
        to.put(
            f"{mark}y_{k + 1}", y, "t - U^T b" if units is None else "t - U^T b across the hinge"
        )
        solution = f"{mark}z_{k + 1}" if units is None else f"{mark}x_{k + 1}"
        to.program.solve(solution, f"D_{k + 1}", f"{mark}y_{k + 1}", "positive")
        x = to.note(solution, [[None] * self.width for _ in y])
        after = [list(row) for row in before]
        if units is None:
            columns = _columns(x)
            for i, row in enumerate(before):
                after[i] = [add(b, dot(link.A[i], z)) for b, z in zip(row, columns, strict=True)]
        else:  # along a unit column, x is the acceleration itself
            z = [list(row) for row in x]
            for i, j, sign in units:
                after[i] = [mul(sign, v) for v in x[j]]
                along = [mul(sign, b) for b in before[i]]
                z[j] = [sub(v, b) for v, b in zip(x[j], along, strict=True)]
            to.put(f"{mark}z_{k + 1}", z, f"accelerations of the hinge of {link.path}")
        to.put(f"{mark}a_{k + 1}", after, f"acceleration of {link.path}")

    def _before(self, k: int, m: int) -> list[Node]:
        """Return (a; wd) of a link without z'', of one right-hand side."""
        to, link = self.to, self.one.tree.links[k]
        moving = self.own is not None
        a, wd = self.one.ground if moving else NULL, NULL
        if link.parent is not None:
            six = [row[m] for row in to.get(f"{self.mark}a_{link.parent + 1}")]
            a, wd = vector(six[:3]), vector(six[3:])
            e = vector(to.vector(f"e_{k + 1}")) if moving else NULL
            a = plus(a, e, cross(wd, link.r))
        G = transposed(link.R)
        six = [*matvec(G, a), *matvec(G, wd)]
        if moving:
            six = [add(x, y) for x, y in zip(six, to.vector(f"c_{k + 1}"), strict=True)]
        return six


CONVERTER: Final = Converter(
    name="articulated_body",
    title="Articulated-body algorithm",
    purpose="accelerations of long trees, at linear cost (ABA)",
    reference="R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 7",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
