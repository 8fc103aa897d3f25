"""Articulated bodies: the inertia of each link with what it carries, the hinges of that free.

Section and table numbers are those of Featherstone; see spec/formalisms/articulated_body.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, add, cross, dot, matvec, mul, plus, sub, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.page.tree.articulated import Letters
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics.tree.base_parameters import unit_entries
from mbx_converters.recursive import articulated_inertia, newton_euler_sweeps, sweeps_page
from mbx_converters.recursive.link_motion import (
    at,
    halves,
    inertia_wrench,
    spatial,
    turning,
    vector,
)
from mbx_converters.recursive.regrouped_tree import (
    close_grouped,
    hinge_loads,
    link_loads,
    regroup,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System
    from mbx_converters.recursive.newton_euler_sweeps import ByLink
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["CONVERTER", "derive", "write_page"]

Rows = list[list[Node]]


def derive(system: System, _variant: str = "") -> Equations:
    """Return the accelerations by three sweeps, Table 7.1, closed by the invariants."""
    grouped = regroup(system)
    p = Program()
    rates = _velocities(p, grouped)
    bodies = _inertias(p, grouped)
    _, results = close_grouped(
        p,
        grouped,
        lambda p, h: _loaded(p, grouped, bodies, rates, h),
        lambda p, F, name: _response(p, grouped, bodies, F, name),
    )
    return p.equations(system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results)


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return D, U, t and what each link hands on, and the accelerations."""
    tree = sweeps_page.begin(system, equations, options, "Articulated-body algorithm")
    sweeps_page.write_articulated(tree, Letters())
    return tree.page.page()


def _columns(rows: Sequence[Sequence[Node]]) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Rates:
    """What the rates of the hinges bring about, without z''.

    Attributes:
        c: Accelerations over the hinges.
        W: Turning of places, w~ w~.
        e: Accelerations of the origins on their circles, in the axes of the parents.
    """

    c: ByLink
    W: ByLink = field(default_factory=dict)
    e: ByLink = field(default_factory=dict)


def _velocities(p: Program, grouped: Grouped) -> _Rates:
    """Add angular velocities and what of the accelerations they bring about, forward."""
    w, c = newton_euler_sweeps.velocities(p, grouped.tree)
    rates = _Rates(c)
    for k, link in enumerate(grouped.tree.links):
        W = turning(vector(p.elements(w[k])), NULL)
        rates.W[k] = p.define(f"W_{k + 1}", W, "turning of places, w~ w~")
        if link.parent is not None:
            circle = at(p.entries(rates.W[link.parent]), link.r)
            meaning = f"acceleration of {link.path} on its circle, in the axes of its parent"
            rates.e[k] = p.column(f"e_{k + 1}", circle, meaning)
    return rates


@dataclass(frozen=True, slots=True)
class _Bodies:
    """Articulated bodies; inertias are symmetric, and their lower halves are read.

    Attributes:
        Ir: Ia - U D^-1 U^T: what a link hands on of its inertia Ia.
        It: The same in the axes of the parent.
        U: Ia A.
        D: A^T U.
        DU: D^-1 U^T, with what is known of its entries.
    """

    Ir: dict[int, Rows] = field(default_factory=dict)
    It: dict[int, Rows] = field(default_factory=dict)
    U: ByLink = field(default_factory=dict)
    D: ByLink = field(default_factory=dict)
    DU: dict[int, Rows] = field(default_factory=dict)


def _inertias(p: Program, grouped: Grouped) -> _Bodies:
    """Add the articulated bodies, from the last link to the first, section 7.2."""
    p.begin("backward sweep, leaves to root: articulated bodies")
    tree, bodies = grouped.tree, _Bodies()
    Ip: ByLink = {}
    for k in reversed(range(len(tree.links))):
        link, i = tree.links[k], k + 1
        parts = [spatial(grouped.masses[k]), *(p.entries(Ip[j]) for j in tree.children[k])]
        meaning = f"inertia of {link.path} and what it carries, hinges free"
        Ia = _symmetric(p, p.define(f"Ia_{i}", articulated_inertia.symmetric_total(parts), meaning))
        if link.freedoms:
            A = _columns(link.A)
            U = [[dot(row, a) for a in A] for row in Ia]
            bodies.U[k] = p.define(f"U_{i}", U, "at unit rates, Ia A")
            D = articulated_inertia.by_hinge(link, p.entries(bodies.U[k]))
            bodies.D[k] = p.define(f"D_{i}", D, f"inertia that the hinge of {link.path} moves")
        if link.parent is None:
            continue
        bodies.Ir[k] = Ia
        if link.freedoms:
            U, Ut = p.entries(bodies.U[k]), bodies.U[k].T
            DU = p.solve(f"DU_{i}", bodies.D[k], Ut, "positive", meaning="D^-1 U^T")
            bodies.DU[k] = articulated_inertia.known_gain(link, U, p.entries(DU))
            Ir = articulated_inertia.reduced(link, Ia, U, bodies.DU[k])
            bodies.Ir[k] = _symmetric(p, p.define(f"Ir_{i}", Ir, "Ia - U D^-1 U^T"))
        It = articulated_inertia.turned_inertia(link, bodies.Ir[k])
        turned = p.define(f"It_{i}", It, "the same in the axes of the parent")
        bodies.It[k] = _symmetric(p, turned)
        moved = articulated_inertia.moved(link.r, bodies.It[k])
        Ip[k] = p.define(f"Ip_{i}", moved, f"what {link.path} adds to its parent")
    return bodies


def _symmetric(p: Program, matrix: Matrix) -> Rows:
    """Return the entries of a symmetric matrix, of which the lower half is read."""
    return articulated_inertia.symmetric_total([p.entries(matrix)])


def _loaded(p: Program, grouped: Grouped, bodies: _Bodies, rates: _Rates, h: Matrix) -> Matrix:
    """Add the sweeps under loads, in motion."""
    if not grouped.closing.rates:
        return p.let("z0", h.rows(()))
    L = link_loads(p, grouped, h)
    own = []
    for k, mass in enumerate(grouped.masses):
        six = inertia_wrench(mass, p.entries(rates.W[k]), NULL)
        if k in L:
            six = [sub(x, y) for x, y in zip(six, p.elements(L[k]), strict=True)]
        own.append([[x] for x in six])
    sweeps = _Sweeps(p, grouped, bodies, hinge_loads(p, grouped, h), 1, own=own, rates=rates)
    return sweeps.run("z0", "accelerations of the hinges")


def _response(p: Program, grouped: Grouped, bodies: _Bodies, F: Matrix, name: str) -> Matrix:
    """Add the sweeps for forces on the rates alone, a column each, from rest."""
    if not grouped.closing.rates:
        return p.let(name, F.rows(()))
    width = F.shape[1]
    if not width:
        return p.let(name, F)
    forces = {
        k: p.let(f"{name}Q_{k + 1}", F.rows(link.own))
        for k, link in enumerate(grouped.tree.links)
        if link.freedoms
    }
    return _Sweeps(p, grouped, bodies, forces, width, mark=name).run(name)


@dataclass(frozen=True, slots=True)
class _Sweeps:
    """Forces to the ground and accelerations from it, for one right-hand side or several.

    Attributes:
        p: Where the steps go.
        grouped: The tree.
        bodies: Its articulated bodies.
        Q: Forces on the rates of the hinges that have some.
        width: How many right-hand sides there are.
        own: Wrenches that links need without accelerations; none: nothing moves or has weight.
        rates: What the rates of the hinges bring about; None likewise.
        mark: In front of the names of the steps.
        bias: Wrenches p on links while nothing accelerates these.
        handed: What links hand on to their parents.
        t: Forces left to the hinges.
        a: Accelerations (a; wd) of the links.
        z: z'' of the hinges.
    """

    p: Program
    grouped: Grouped
    bodies: _Bodies
    Q: ByLink
    width: int
    own: Sequence[Rows] = ()
    rates: _Rates | None = None
    mark: str = ""
    bias: ByLink = field(default_factory=dict)
    handed: ByLink = field(default_factory=dict)
    t: ByLink = field(default_factory=dict)
    a: ByLink = field(default_factory=dict)
    z: ByLink = field(default_factory=dict)

    def run(self, name: str, meaning: str = "") -> Matrix:
        """Add both sweeps; return z'' of all hinges."""
        p, links = self.p, self.grouped.tree.links
        p.begin("backward sweep, leaves to root: wrenches")
        for k in reversed(range(len(links))):
            self._wrench(k)
        p.begin("forward sweep, root to leaves: accelerations")
        for k in range(len(links)):
            self._acceleration(k)
        return p.define(name, [row for z in self.z.values() for row in p.entries(z)], meaning)

    def _wrench(self, k: int) -> None:
        """Add the wrench on a link without accelerations, and what it hands on."""
        p, link, n = self.p, self.grouped.tree.links[k], k + 1
        terms = [self.own[k]] if self.own else []
        terms += [p.entries(self.handed[j]) for j in self.grouped.tree.children[k]]
        total = [
            [add(*(part[i][m] for part in terms)) if terms else ZERO for m in range(self.width)]
            for i in range(6)
        ]
        meaning = f"wrench on {link.path} while nothing accelerates it"
        self.bias[k] = p.define(f"{self.mark}p_{n}", total, meaning)
        if link.freedoms:
            needed = articulated_inertia.by_hinge(link, p.entries(self.bias[k]))
            t = [
                [sub(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(p.entries(self.Q[k]), needed, strict=True)
            ]
            meaning = f"force left to the hinge of {link.path}"
            self.t[k] = p.define(f"{self.mark}t_{n}", t, meaning)
        if link.parent is not None:
            columns = [self._handed(k, m) for m in range(self.width)]
            meaning = f"what {link.path} hands on to its parent"
            self.handed[k] = p.define(f"{self.mark}pp_{n}", _columns(columns), meaning)

    def _handed(self, k: int, m: int) -> list[Node]:
        """Return p + Ir c + U D^-1 t of one right-hand side, on the parent."""
        p, link, bodies = self.p, self.grouped.tree.links[k], self.bodies
        left = [row[m] for row in p.entries(self.bias[k])]
        if self.rates is not None:
            c = p.elements(self.rates.c[k])
            left = [add(x, dot(row, c)) for x, row in zip(left, bodies.Ir[k], strict=True)]
        if link.freedoms:
            t = [row[m] for row in p.entries(self.t[k])]
            UD = _columns(bodies.DU[k])
            left = [add(x, dot(row, t)) for x, row in zip(left, UD, strict=True)]
            for row, column, sign in unit_entries(link) or ():  # the hinge hands on its own force
                left[row] = mul(sign, p.entries(self.Q[k])[column][m])
        force, torque = matvec(link.R, vector(left[:3])), matvec(link.R, vector(left[3:]))
        if self.rates is not None:
            It, e = bodies.It[k], p.elements(self.rates.e[k])
            force = plus(force, vector([dot(row[:3], e) for row in It[:3]]))
            torque = plus(torque, vector([dot(row[:3], e) for row in It[3:]]))
        return [*force, *plus(torque, cross(link.r, force))]

    def _acceleration(self, k: int) -> None:
        """Add z'' of a hinge and the acceleration of its link."""
        p, link, mark, i = self.p, self.grouped.tree.links[k], self.mark, k + 1
        before = _columns([self._before(k, m) for m in range(self.width)])
        if not link.freedoms:
            self.a[k] = p.define(f"{mark}a_{i}", before, f"acceleration of {link.path}")
            return
        b = p.define(f"{mark}b_{i}", before, f"acceleration of {link.path} without z''")
        before = p.entries(b)
        units = unit_entries(link)
        across = [n for n in range(6) if n not in {row for row, _, _ in units or ()}]
        U, t = _columns(p.entries(self.bodies.U[k])), p.entries(self.t[k])
        rest = [
            [
                sub(x, dot([u[n] for n in across], [before[n][m] for n in across]))
                for m, x in enumerate(row)
            ]
            for u, row in zip(U, t, strict=True)
        ]
        meaning = "t - U^T b" if units is None else "t - U^T b across the hinge"
        y = p.define(f"{mark}y_{i}", rest, meaning)
        D, after = self.bodies.D[k], [list(row) for row in before]
        if units is None:
            self.z[k] = p.solve(f"{mark}z_{i}", D, y, "positive")
            columns = _columns(p.entries(self.z[k]))
            for n, row in enumerate(before):
                after[n] = [add(v, dot(link.A[n], z)) for v, z in zip(row, columns, strict=True)]
        else:  # along a unit column, x is the acceleration itself
            x = p.entries(p.solve(f"{mark}x_{i}", D, y, "positive"))
            z = [list(row) for row in x]
            for n, j, sign in units:
                after[n] = [mul(sign, v) for v in x[j]]
                along = [mul(sign, v) for v in before[n]]
                z[j] = [sub(v, u) for v, u in zip(x[j], along, strict=True)]
            meaning = f"accelerations of the hinge of {link.path}"
            self.z[k] = p.define(f"{mark}z_{i}", z, meaning)
        self.a[k] = p.define(f"{mark}a_{i}", after, f"acceleration of {link.path}")

    def _before(self, k: int, m: int) -> list[Node]:
        """Return (a; wd) of a link without z'', of one right-hand side."""
        p, link, rates = self.p, self.grouped.tree.links[k], self.rates
        a, wd = (NULL if rates is None else self.grouped.ground), NULL
        if link.parent is not None:
            a, wd = halves([row[m] for row in p.entries(self.a[link.parent])])
            e = NULL if rates is None else vector(p.elements(rates.e[k]))
            a = plus(a, e, cross(wd, link.r))
        G = transposed(link.R)
        six = [*matvec(G, a), *matvec(G, wd)]
        if rates is not None:
            six = [add(x, y) for x, y in zip(six, p.elements(rates.c[k]), strict=True)]
        return six


CONVERTER: Final = Converter(
    name="articulated_body",
    title="Articulated-body algorithm",
    purpose="accelerations of long trees, at linear cost (ABA)",
    reference="R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 7",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
