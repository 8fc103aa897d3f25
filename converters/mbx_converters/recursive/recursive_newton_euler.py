"""Recursive Newton-Euler: the forces that a motion needs, and by unit accelerations M.

Section and table numbers are those of Featherstone; see spec/formalisms/recursive_newton_euler.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, cross, dot, matvec, plus, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.tree_features import ON_TREES
from mbx_converters.recursive import full_inertia, newton_euler_sweeps, sweeps_page
from mbx_converters.recursive.link_motion import halves, handed_on, unit_wrench
from mbx_converters.recursive.regrouped_tree import link_loads, regroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.tree.links import Link
    from mbx.system.system import System
    from mbx_converters.recursive.newton_euler_sweeps import ByLink
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["CONVERTER", "derive", "inverse_dynamics", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return M z'' = Q - tau0, with tau0 and M by sweeps, and tau of the solution."""
    grouped = regroup(system)
    p = Program()
    M = full_inertia.inertia(p, grouped, _inertia(p, grouped))
    w, c = newton_euler_sweeps.velocities(p, grouped.tree)
    a, U = newton_euler_sweeps.accelerations(p, grouped, w, c)
    swept, results = full_inertia.close_with_inertia(p, grouped, M, a, U)
    tau = _inverse(p, grouped, w, c, swept.zdd, swept.h)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {**results, "M": M, "tau": tau},
    )


def inverse_dynamics(system: System) -> Equations:
    """Return tau alone, the forces on the rates of the tree that given accelerations need."""
    grouped = regroup(system)
    p = Program()
    zdd = p.given("zdd", size=len(grouped.closing.rates))
    h = p.column("h", grouped.closing.h, "loads")
    w, c = newton_euler_sweeps.velocities(p, grouped.tree)
    tau = _inverse(p, grouped, w, c, zdd, h)
    return p.equations(system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, {"tau": tau})


def _inertia(p: Program, grouped: Grouped) -> list[list[Node]]:
    """Add the sweeps for unit accelerations, from rest and without weight; return M.

    The first method of Walker and Orin. B has a column for each rate between the ground and the
    link, its own included; the wrenches F for these give a row of M up to the diagonal.
    """
    tree, n = grouped.tree, len(grouped.closing.rates)
    p.begin("forward sweep, root to leaves: unit accelerations")
    upto: list[list[int]] = []
    B: ByLink = {}
    for k, link in enumerate(tree.links):
        before = [] if link.parent is None else upto[link.parent]
        upto.append([*before, *link.own])
        columns: list[Sequence[Node]] = [*zip(*link.A, strict=True)]
        if link.parent is not None and before:
            Bk = p.entries(B[link.parent])
            columns = [*(_carried(link, six) for six in zip(*Bk, strict=True)), *columns]
        if columns:
            meaning = f"acceleration of {link.path} by z'' of the hinges up to its own"
            B[k] = p.define(f"B_{k + 1}", list(zip(*columns, strict=True)), meaning)
    M: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    F: ByLink = {}
    p.begin("backward sweep, leaves to root: wrenches for unit accelerations")
    for k in reversed(B):
        link = tree.links[k]
        total = [unit_wrench(grouped.masses[k], six) for six in zip(*p.entries(B[k]), strict=True)]
        for j in tree.children[k]:
            Fj = list(zip(*p.entries(F[j]), strict=True))
            handed = [handed_on(tree.links[j], six) for six in Fj[: len(total)]]
            total = [
                [add(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(total, handed, strict=True)
            ]
        meaning = f"wrench that the hinge of {link.path} hands on for these"
        F[k] = p.define(f"F_{k + 1}", list(zip(*total, strict=True)), meaning)
        for i, A in zip(link.own, zip(*link.A, strict=True), strict=True):
            for j, six in zip(upto[k], zip(*p.entries(F[k]), strict=True), strict=True):
                M[i][j] = M[j][i] = dot(A, six)
    return M


def _carried(link: Link, six: Sequence[Node]) -> list[Node]:
    """Return an acceleration of the parent as one of the link, from rest."""
    a, wd = halves(six)
    G = transposed(link.R)
    return [*matvec(G, plus(a, cross(wd, link.r))), *matvec(G, wd)]


def _inverse(p: Program, grouped: Grouped, w: ByLink, c: ByLink, zdd: Matrix, h: Matrix) -> Matrix:
    """Add tau, the forces on the rates that accelerations need beside loads on links, Table 5.1."""
    p.within = "inverse dynamics"
    p.begin("what the motion needs")
    by_hinge = {
        k: p.let(f"zdd_{k + 1}", zdd.rows(link.own), f"accelerations of the hinge of {link.path}")
        for k, link in enumerate(grouped.tree.links)
        if link.freedoms
    }
    a, U = newton_euler_sweeps.accelerations(p, grouped, w, c, by_hinge, "i")
    tau = newton_euler_sweeps.forces(p, grouped, a, U, link_loads(p, grouped, h), "i")
    p.within = ""
    meaning = "forces on the rates that the motion needs"
    rates = grouped.closing.rates
    return p.derived("tau", [[x] for x in tau], meaning, rows=rates, columns=["tau"])


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the sweeps of motions and wrenches, and tau = Q."""
    tree = sweeps_page.begin(system, equations, options, "Recursive Newton-Euler algorithm")
    sweeps_page.write_newton_euler(tree)
    return tree.page.page()


CONVERTER: Final = Converter(
    name="recursive_newton_euler",
    title="Recursive Newton-Euler algorithm",
    purpose="inverse dynamics of trees, at linear cost (RNEA)",
    reference="J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for "
    "mechanical manipulators, 1980; R. Featherstone, Rigid Body Dynamics Algorithms, Springer "
    "2008, chapter 5",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
