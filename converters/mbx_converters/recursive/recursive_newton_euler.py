"""Recursive Newton-Euler: the forces that a motion needs, and by unit accelerations M.

Section and table numbers are those of Featherstone; see spec/formalisms/recursive_newton_euler.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import add
from mbx.expr.matrix import cross, dot, matvec, plus, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.tree_features import ON_TREES
from mbx_converters.recursive import full_inertia, newton_euler_sweeps
from mbx_converters.recursive.link_motion import handed_on, unit_wrench, vector
from mbx_converters.recursive.regrouped_tree import closed, grouped, link_loads
from mbx_converters.recursive.sweep_writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Link
    from mbx.system.system import System
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["CONVERTER", "derive", "inverse_dynamics"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return M z'' = Q - tau0, with tau0 and M by sweeps, and tau of the solution."""
    one = grouped(system)
    program = NamedProgram()
    to = Writer(program)
    full_inertia.inertia(to, one, _inertia(to, one))
    newton_euler_sweeps.velocities(to, one.tree)
    newton_euler_sweeps.accelerations(to, one, {})
    swept, results = closed(
        program,
        one,
        lambda p, h: full_inertia.loaded(to.on(p), one, h),
        full_inertia.solved,
    )
    _inverse(to, one, "z0" if one.closing.open else swept.zdd, swept.h)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {**results, "M": "M", "tau": "tau"},
    )


def inverse_dynamics(system: System) -> Equations:
    """Return tau alone, the forces on the rates of the tree that given accelerations need."""
    one = grouped(system)
    program = NamedProgram()
    to = Writer(program)
    program.given("zdd", size=len(one.closing.rates))
    program.column("h", one.closing.h, "loads")
    newton_euler_sweeps.velocities(to, one.tree)
    _inverse(to, one, "zdd", "h")
    return program.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, {"tau": "tau"}
    )


def _inertia(to: Writer, one: Grouped) -> list[list[Node]]:
    """Add the sweeps for unit accelerations, from rest and without weight; return M.

    The first method of Walker and Orin. B has a column for each rate between the ground and the
    link, its own included; the wrenches for these give a row of M up to the diagonal.
    """
    tree, n = one.tree, len(one.closing.rates)
    to.program.begin("forward sweep, root to leaves: unit accelerations")
    upto: list[list[int]] = []
    for k, link in enumerate(tree.links):
        before = [] if link.parent is None else upto[link.parent]
        upto.append([*before, *link.own])
        columns: list[Sequence[Node]] = [*zip(*link.A, strict=True)]
        if before:
            B = to.get(f"B_{link.parent + 1}" if link.parent is not None else "")
            columns = [*(_carried(link, six) for six in zip(*B, strict=True)), *columns]
        if columns:
            meaning = f"acceleration of {link.path} by z'' of the hinges up to its own"
            to.put(f"B_{k + 1}", list(zip(*columns, strict=True)), meaning)
    M: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    to.program.begin("backward sweep, leaves to root: wrenches for unit accelerations")
    for k in reversed(range(len(tree.links))):
        link = tree.links[k]
        if not upto[k]:
            continue
        B = to.get(f"B_{k + 1}")
        total = [unit_wrench(one.masses[k], six) for six in zip(*B, strict=True)]
        for j in tree.children[k]:
            F = list(zip(*to.get(f"F_{j + 1}"), strict=True))
            given = [handed_on(tree.links[j], six) for six in F[: len(total)]]
            total = [
                [add(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(total, given, strict=True)
            ]
        meaning = f"wrench that the hinge of {link.path} hands on for these"
        F = list(zip(*to.put(f"F_{k + 1}", list(zip(*total, strict=True)), meaning), strict=True))
        for i, A in zip(link.own, zip(*link.A, strict=True), strict=True):
            for j, six in zip(upto[k], F, strict=True):
                M[i][j] = M[j][i] = dot(A, six)
    return M


def _carried(link: Link, six: Sequence[Node]) -> list[Node]:
    """Return an acceleration of the parent as one of the link, from rest."""
    a, wd = vector(six[:3]), vector(six[3:])
    G = transposed(link.R)
    return [*matvec(G, plus(a, cross(wd, link.r))), *matvec(G, wd)]


def _inverse(to: Writer, one: Grouped, zdd: str, h: str) -> None:
    """Add tau, the forces on the rates that accelerations need beside loads on links, Table 5.1."""
    given: dict[int, list[Node]] = {}
    to.program.within = "inverse dynamics"
    to.program.begin("what the motion needs")
    for k, link in enumerate(one.tree.links):
        if link.freedoms:
            to.program.rows(
                f"zdd_{k + 1}", zdd, link.own, f"accelerations of the hinge of {link.path}"
            )
            given[k] = [row[0] for row in to.note(f"zdd_{k + 1}", [[None]] * link.freedoms)]
    newton_euler_sweeps.accelerations(to, one, given, "i")
    tau = newton_euler_sweeps.forces(to, one, link_loads(to, one, h, "i"), "i")
    to.program.within = ""
    meaning = "forces on the rates that the motion needs"
    to.program.derived("tau", [[x] for x in tau], meaning, rows=one.closing.rates, columns=["tau"])


CONVERTER: Final = Converter(
    name="recursive_newton_euler",
    title="Recursive Newton-Euler algorithm",
    purpose="inverse dynamics of trees, at linear cost (RNEA)",
    reference="J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for "
    "mechanical manipulators, 1980; R. Featherstone, Rigid Body Dynamics Algorithms, Springer "
    "2008, chapter 5",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
)
