"""Pages of the semi-recursive methods: the velocity transformation, and the tree in joint rates.

    Mbar z'' = Qbar,    Mbar = sum V^T M V,    Qbar = sum V^T (Qe + Qv - M c) + Qz

V are the velocities of the reference points of the bodies by the joint rates, c what accelerates
these without z''. Components are those of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mbx.expr.build import add, dot, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.tree.tree_page import TreePage
from mbx.formalism.page.tree.tree_sweeps import accelerations, named_rates, rate_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.tree.tree_rows import Axes
    from mbx.system.system import System

__all__ = ["Method", "write_page"]

Vector = list[Node]
Rows = list[list[Node]]


@dataclass(frozen=True, slots=True)
class Method:
    """What a method calls its quantities.

    Attributes:
        title: The method.
        axes: Where its reference points are.
        point: The same in words.
        b: Columns of the joints, where these have names.
        V: Velocities of bodies by joint rates.
        c: Accelerations without z'', linear and angular.
        M: Inertia in the joint rates.
        Q: Forces on these.
        numbers: Equations of the paper.
    """

    title: str
    axes: Axes
    point: str
    b: str
    V: str
    c: tuple[str, str]
    M: str
    Q: str
    numbers: str


def write_page(system: System, equations: Equations, options: PageOptions, method: Method) -> Page:
    """Return the transformation by bodies, the equations of the tree, and those in the speeds."""
    tree = TreePage(system, equations, options, method.title)
    page = tree.page
    tree.begin(
        f"Bodies: {tree.chain}. The reference point of a body is {method.point}; components are "
        "those of the ground: x, y, z, and n, or l, m, n, of what turns.",
        f" Equation numbers are those of Yu and others: {method.numbers}.",
    )
    tree.write_constraints()
    page.step("Velocities, ground to leaves", "angular velocities w.")
    tree.take(method.axes, ("", "w"))
    page.drop_empty()
    if method.b:
        page.step("Joints", "columns b, by which a joint moves all bodies behind it.")
        _name_columns(tree, method.b)
        page.drop_empty()
    page.step(
        "Velocity transformation, body by body",
        f"{method.V}: columns of the joints on the path from the ground.",
    )
    V = _transformation(tree, method.V)
    page.drop_empty()
    page.step("Accelerations without z''", f"{method.c[0]}, and {method.c[1]} of what turns.")
    zdd = tree.own_accelerations()
    c = accelerations(tree, None, method.c)
    page.drop_empty()
    page.step(
        "Equations of the tree",
        f"{method.M} = sum {method.V}^T M {method.V}, and {method.Q} = "
        f"sum {method.V}^T (Qe + Qv - M c), without what acts on the joint rates alone.",
    )
    M = _inertia(tree, V, method.M)
    Q = named_rates(tree, method.Q, _forces(tree, V, c))
    page.drop_empty()
    page.section(
        "Equations of motion", f"{method.M} z'' = {method.Q} and loads on the joint rates."
    )
    whole = [sub(dot(row, zdd) if row else ZERO, x) for row, x in zip(M, Q, strict=True)]
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(whole))]
    tree.finish(rows, rows)
    return page.page()


def _name_columns(tree: TreePage, letter: str) -> None:
    """Write the columns of the joints."""
    named = []
    for k, row in enumerate(tree.rows):
        link = tree.tree.links[k]
        A = [
            [
                tree.define(f"{letter}{tree.label(k, i)}{tree.rate_label(k, j)}", tree.words[k], x)
                for j, x in enumerate(entries)
            ]
            for i, entries in enumerate(row.A)
        ]
        tree.flush()
        named.append(replace(row, A=A, link=link))
    tree.rows = named


def _transformation(tree: TreePage, letter: str) -> list[Rows]:
    """Write V of each body: V_k = C_k V_p with the columns of its own joint."""
    n = len(tree.tree.direct)
    V: list[Rows] = []
    for k, (link, row) in enumerate(zip(tree.tree.links, tree.rows, strict=True)):
        above = None if link.parent is None else V[link.parent]
        found: Rows = []
        for i, (C, A) in enumerate(zip(row.C, row.A, strict=True)):
            entries = (
                [ZERO] * n if above is None else [dot(C, [r[j] for r in above]) for j in range(n)]
            )
            for j, x in zip(link.own, A, strict=True):
                entries[j] = add(entries[j], x)
            found.append(
                [
                    tree.define(letter + tree.label(k, i), _pair(tree, k, j), x)
                    for j, x in enumerate(entries)
                ]
            )
        tree.flush()
        V.append(found)
    return V


def _pair(tree: TreePage, k: int, j: int) -> str:
    """Return the index of a body and a joint rate."""
    joint = next(i for i, link in enumerate(tree.tree.links) if j in link.own)
    return f"{tree.words[k]}_{rate_word(tree, joint, j)}"


def _inertia(tree: TreePage, V: Sequence[Rows], letter: str) -> Rows:
    """Write sum V^T M V."""
    n = len(tree.tree.direct)
    M: Rows = [[ZERO] * n for _ in range(n)]
    words = [rate_word(tree, k, j) for k, link in enumerate(tree.tree.links) for j in link.own]
    for i in range(n):
        for j in range(i, n):
            terms = []
            for row, v in zip(tree.rows, V, strict=True):
                left, right = [r[i] for r in v], [r[j] for r in v]
                terms.append(dot(left, [dot(m, right) for m in row.M]))
            value = add(ZERO, *terms)
            M[i][j] = M[j][i] = tree.define(letter, f"{words[i]}_{words[j]}", value, is_own=True)
    tree.flush()
    return M


def _forces(tree: TreePage, V: Sequence[Rows], c: Sequence[Vector]) -> Vector:
    """Return sum V^T (F - G - M c)."""
    n = len(tree.tree.direct)
    wrench = [
        [add(f, neg(g), neg(dot(m, a))) for f, g, m in zip(row.F, row.G, row.M, strict=True)]
        for row, a in zip(tree.rows, c, strict=True)
    ]
    return [
        add(ZERO, *(dot([r[j] for r in v], six) for v, six in zip(V, wrench, strict=True)))
        for j in range(n)
    ]
