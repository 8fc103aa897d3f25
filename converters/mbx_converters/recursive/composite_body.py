"""Composite bodies: M from the inertia of each link with all it carries, forces by a sweep.

Section and table numbers are those of Featherstone; see spec/formalisms/composite_body.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.build import UNIT, add, dot, mul, plus, times
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics.tree.base_parameters import Mass, carried, inertia, together, unit_entries
from mbx_converters.recursive import full_inertia, newton_euler_sweeps, sweeps_page
from mbx_converters.recursive.link_motion import handed_on, unit_wrench, vector
from mbx_converters.recursive.parallel_axes import turning_axis, unturn
from mbx_converters.recursive.regrouped_tree import regroup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.tree.links import Link
    from mbx.system.system import System
    from mbx_converters.recursive.newton_euler_sweeps import ByLink
    from mbx_converters.recursive.regrouped_tree import Grouped

__all__ = ["CONVERTER", "derive", "write_page"]


def derive(system: System, _variant: str = "") -> Equations:
    """Return M z'' = Q - tau0 on the tree, closed by the invariants."""
    grouped = regroup(system)
    p = Program()
    links, masses = unturn(p, grouped)
    I = _composites(p, grouped, links, masses)  # noqa: E741  its letter in Table 6.2
    J = _moments(p, grouped, links, I)
    M = full_inertia.inertia(p, grouped, _inertia(p, grouped, links, I, J))
    w, c = newton_euler_sweeps.velocities(p, grouped.tree)
    a, U = newton_euler_sweeps.accelerations(p, grouped, w, c)
    _, results = full_inertia.close_with_inertia(p, grouped, M, a, U)
    return p.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, {**results, "M": M}
    )


def _composites(
    p: Program, grouped: Grouped, links: Sequence[Link], masses: Sequence[Mass]
) -> ByLink:
    """Add the composite bodies, from the last link to the first, section 6.2."""
    p.begin("backward sweep, leaves to root: composite bodies")
    composites: ByLink = {}
    for k in reversed(range(len(links))):
        parts = [
            carried(links[j].R, links[j].r, _read(p, composites[j]))
            for j in grouped.tree.children[k]
        ]
        whole = together([masses[k], *parts])
        rows = [[*whole.S[i], whole.h[i]] for i in range(3)]
        rows.append([*whole.h, whole.m])
        meaning = f"[S, h; h^T, m] of {links[k].path} and all it carries"
        composites[k] = p.define(f"I_{k + 1}", rows, meaning)
    return composites


def _moments(
    p: Program, grouped: Grouped, links: Sequence[Link], composites: ByLink
) -> dict[int, Node]:
    """Add J, the moments about its own axis of each composite body in a run of parallel axes.

    What the links have about their own origins is one of them, and never changes; where they
    are is the other. So neither needs second moments. Return their sums by position.
    """
    J: ByLink = {}
    p.begin("backward sweep, leaves to root: moments about parallel axes")
    for k in reversed(range(len(links))):
        axis = turning_axis(links[k])
        behind = [j for j in grouped.tree.children[k] if j in J and links[j].R is UNIT]
        if axis is None or (not behind and links[k].R is not UNIT):
            continue
        plane = [i for i in range(3) if i != axis]
        own, far = [inertia(grouped.masses[k])[axis][axis]], [ZERO]
        for j in grouped.tree.children[k]:
            link, mass = links[j], _read(p, composites[j])
            if j in behind:
                before = p.elements(J[j])
                moved = plus(mass.h, times(mass.m, link.r))
                own.append(before[0])
                far += [before[1], *(mul(link.r[i], add(mass.h[i], moved[i])) for i in plane)]
            else:
                S = carried(link.R, link.r, mass).S
                far += [S[i][i] for i in plane]
        meaning = f"moments of {links[k].path} and all it carries about its axis"
        J[k] = p.column(f"J_{k + 1}", [add(*own), add(*far)], meaning)
    return {k: add(*p.elements(both)) for k, both in J.items()}


def _read(p: Program, composite: Matrix) -> Mass:
    """Return a mass from the matrix [S, h; h^T, m], of which the lower half is read."""
    rows = p.entries(composite)
    S = tuple(tuple(rows[max(i, j)][min(i, j)] for j in range(3)) for i in range(3))
    return Mass(rows[3][3], vector(rows[3][:3]), S)


def _inertia(
    p: Program,
    grouped: Grouped,
    links: Sequence[Link],
    composites: ByLink,
    moments: Mapping[int, Node],
) -> list[list[Node]]:
    """Add the wrenches for unit rates, handed on to the ground; return M by them, section 6.2."""
    p.begin("from each link to the ground: wrenches for unit accelerations")
    n = len(grouped.closing.rates)
    M: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    for k, link in enumerate(links):
        if not link.freedoms:
            continue
        mass = _read(p, composites[k])
        columns = [unit_wrench(mass, six) for six in zip(*link.A, strict=True)]
        for row, column, sign in (unit_entries(link) or ()) if k in moments else ():
            columns[column][row] = mul(sign, moments[k])
        for j in reversed(grouped.tree.path(k)):
            at = links[j]
            meaning = f"wrench on {at.path} for unit z'' of {link.path}"
            F = p.define(f"F_{k + 1}_{j + 1}", list(zip(*columns, strict=True)), meaning)
            wrenches = list(zip(*p.entries(F), strict=True))
            for i, A in zip(at.own, zip(*at.A, strict=True), strict=True):
                for m, six in zip(link.own, wrenches, strict=True):
                    M[i][m] = M[m][i] = dot(A, six)
            columns = [handed_on(at, six) for six in wrenches]
    return M


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return composite bodies, M, tau0 and the equations."""
    tree = sweeps_page.begin(system, equations, options, "Composite-body algorithm")
    sweeps_page.write_composite(tree)
    return tree.page.page()


CONVERTER: Final = Converter(
    name="composite_body",
    title="Composite-body algorithm",
    purpose="cheapest mass matrix of small trees (CRBA)",
    reference="R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapter 6; M. W. "
    "Walker, D. E. Orin, Efficient dynamic computer simulation of robotic mechanisms, 1982",
    variants=(Variant(accepts=ON_TREES),),
    derive=derive,
    write_page=write_page,
)
