"""Articulated inertias on a page: each link hands on its inertia and force, its hinge free.

    D = A^T Ia A,  U = C^T Ia A,  t = Q - A^T (p + Ia c)
    Ia_p = M_p + sum C^T Ia C - U D^-1 U^T,    p_p = G_p - F_p + sum C^T (p + Ia c) + U D^-1 t
    z'' = D^-1 (t - U^T a_p)

Hinges whose rates are tied to the speeds move as these say: they hand on all of their inertia.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.build import add, divide, dot, mul, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.tree.tree_sweeps import (
    columns,
    forces_of_motion,
    handed,
    handed_inertia,
    named_symmetric,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.formalism.page.tree.tree_page import TreePage

__all__ = ["Articulated", "Letters", "accelerations_words", "write_end"]

_MULTIPLIERS: Final = "the sweeps and the constraints, without multipliers."
Vector = list[Node]
Rows = list[list[Node]]


@dataclass(frozen=True, slots=True)
class Letters:
    """What a form calls what the sweeps hand on; `is_load`: p are loads, not forces needed."""

    D: str = "D"
    U: str = "U"
    t: str = "t"
    m: str = "m"
    p: str = "p"
    a: tuple[str, str] = ("a", "e")
    is_load: bool = False


@dataclass(eq=False)
class Articulated:
    """The sweeps of a tree whose hinges are free one after the other.

    Attributes:
        tree: The tree.
        letters: What quantities are called.
        zdd: Accelerations of the rates of the tree.
        D: Inertias that hinges move.
        U: What they couple to the parent.
        t: Forces left to hinges.
        a: Accelerations of links.
        residuals: What is zero by the equations of the free hinges, by positions of rates.
        tied: Forces of the tied rates, by their positions.
    """

    tree: TreePage
    letters: Letters
    zdd: Vector
    D: dict[int, Rows] = field(default_factory=dict)
    U: dict[int, Rows] = field(default_factory=dict)
    t: dict[int, Vector] = field(default_factory=dict)
    a: dict[int, Vector] = field(default_factory=dict)
    residuals: dict[int, Node] = field(default_factory=dict)
    tied: dict[int, Node] = field(default_factory=dict)
    _inertia: dict[int, Rows] = field(default_factory=dict)
    _bias: dict[int, Vector] = field(default_factory=dict)

    def free(self, k: int) -> list[int]:
        """Return the positions of the rates of a hinge that are speeds."""
        tree = self.tree.tree
        return [j for j in tree.links[k].own if tree.direct[j] is not None]

    def backward(self) -> None:
        """Write the backward sweep, from the leaves to the ground."""
        handed_on: dict[int, tuple[Rows, Vector]] = {}
        for k in reversed(range(len(self.tree.rows))):
            self._hinge(k, handed_on)
            if self.tree.tree.links[k].parent is not None:
                handed_on[k] = self._hand_on(k)
            self.tree.flush()

    def _hinge(self, k: int, handed_on: Mapping[int, tuple[Rows, Vector]]) -> None:
        """Write D, U and t of a link."""
        tree, row = self.tree, self.tree.rows[k]
        word, link = tree.words[k], tree.tree.links[k]
        inertia = [list(r) for r in row.M]
        bias = [sub(g, f) for g, f in zip(row.G, row.F, strict=True)]
        for j in tree.tree.children[k]:
            more, force = handed_on[j]
            inertia = [
                [add(x, y) for x, y in zip(*pair, strict=True)]
                for pair in zip(inertia, more, strict=True)
            ]
            bias = [add(x, y) for x, y in zip(bias, force, strict=True)]
        c = list(row.c)
        for j in link.own:
            if j not in self.free(k):
                column = [r[j - link.first] for r in row.A]
                c = [add(x, mul(y, self.zdd[j])) for x, y in zip(c, column, strict=True)]
        bias = [add(x, dot(r, c)) for x, r in zip(bias, inertia, strict=True)]
        self._inertia[k], self._bias[k] = inertia, bias
        free = self.free(k)
        if not free:
            return
        A = [[r[j - link.first] for r in row.A] for j in free]
        IA = [[dot(r, a) for r in inertia] for a in A]
        self.D[k] = [[ZERO] * len(free) for _ in free]
        for i, a in enumerate(A):
            for j in range(i + 1):
                mark = "" if len(free) == 1 else f"{i + 1}{j + 1}"
                value = tree.define(self.letters.D + mark, word, dot(a, IA[j]), is_own=True)
                self.D[k][i][j] = self.D[k][j][i] = value
        if link.parent is not None:
            self.U[k] = [
                [
                    tree.define(
                        self.letters.U + tree.label(link.parent, i) + self._mark(free, n),
                        word,
                        value,
                        is_own=True,
                    )
                    for i, value in enumerate(handed(tree, k, column))
                ]
                for n, column in enumerate(IA)
            ]
        self.t[k] = []
        for n, (j, a) in enumerate(zip(free, A, strict=True)):
            u = tree.tree.direct[j]
            assert u is not None  # noqa: S101  a free one
            load = add(tree.load_on_speed(u), tree.force_of_constraints(u))
            value = sub(load, dot(a, bias))
            self.t[k].append(
                tree.define(self.letters.t + self._mark(free, n), word, value, is_own=True)
            )

    def _mark(self, free: Sequence[int], n: int) -> str:
        return "" if len(free) == 1 else str(n + 1)

    def _hand_on(self, k: int) -> tuple[Rows, Vector]:
        """Write what a link hands on: articulated inertia and bias force, in rows of the parent."""
        tree = self.tree
        parent = tree.tree.links[k].parent
        assert parent is not None  # noqa: S101  called of such links only
        inertia = handed_inertia(tree, k, self._inertia[k])
        bias = handed(tree, k, self._bias[k])
        size = len(inertia)
        if self.free(k):
            DU, Dt = self._solved(k)
            U = self.U[k]
            for i in range(size):
                bias[i] = add(bias[i], *(mul(u[i], x) for u, x in zip(U, Dt, strict=True)))
                for j in range(size):
                    lost = [neg(mul(u[i], d[j])) for u, d in zip(U, DU, strict=True)]
                    inertia[i][j] = add(inertia[i][j], *lost)
        word = tree.words[k]
        tree.flush()
        named = named_symmetric(tree, self.letters.m, k, parent, inertia)
        sign = neg if self.letters.is_load else _same
        force = [
            sign(tree.define(self.letters.p + tree.label(parent, i), word, sign(x)))
            for i, x in enumerate(bias)
        ]
        return named, force

    def _solved(self, k: int) -> tuple[Rows, Vector]:
        """Return D^-1 U^T and D^-1 t."""
        inverse = self._inverse(k)
        U, t = self.U[k], self.t[k]
        DU = [
            [dot(row, [u[i] for u in U]) for i in range(len(U[0]))] if U else [] for row in inverse
        ]
        return DU, [dot(row, t) for row in inverse]

    def _inverse(self, k: int) -> Rows:
        """Return D^-1, by a determinant with a name where D is no diagonal."""
        D, tree = self.D[k], self.tree
        n = len(D)
        if all(D[i][j] is ZERO for i in range(n) for j in range(n) if i != j):
            return [[divide(ONE, D[i][i]) if i == j else ZERO for j in range(n)] for i in range(n)]
        whole = tree.define("Δ", tree.words[k], _determinant(D), is_own=True)
        return [[divide(_cofactor(D, j, i), whole) for j in range(n)] for i in range(n)]

    def forward(self) -> None:
        """Write the accelerations, from the ground to the leaves."""
        tree = self.tree
        for k, (link, row) in enumerate(zip(tree.tree.links, tree.rows, strict=True)):
            above = [] if link.parent is None else self.a[link.parent]
            self._accelerate(k, above)
            own = [self.zdd[j] for j in link.own]
            total = [
                add(dot(C, above) if above else ZERO, dot(A, own) if own else ZERO, c)
                for C, A, c in zip(row.C, row.A, row.c, strict=True)
            ]
            if tree.tree.children[k]:
                total = [
                    tree.define(self._letter(k, i), tree.words[k], x) for i, x in enumerate(total)
                ]
            tree.flush()
            self.a[k] = total
            self._tie(k, above)

    def _letter(self, k: int, i: int) -> str:
        row = self.tree.rows[k].rows[i]
        return f"{self.letters.a[row >= 3]}{'xyzxyz'[row]}"  # noqa: PLR2004  angular from there

    def _accelerate(self, k: int, above: Sequence[Node]) -> None:
        """Write z'' of the free rates of a hinge."""
        tree, free = self.tree, self.free(k)
        for n, j in enumerate(free):
            pull = dot(self.U[k][n], above) if above and k in self.U else ZERO
            right = sub(self.t[k][n], pull)
            left = dot(self.D[k][n], [self.zdd[i] for i in free])
            self.residuals[j] = sub(left, right)
            if len(free) == 1:
                tree.put((self.zdd[j], divide(right, self.D[k][n][n])))
            else:
                tree.put((left, right))

    def _tie(self, k: int, above: Sequence[Node]) -> None:
        """Note the forces of tied rates: A^T (Ia a + p)."""
        tree, link, row = self.tree, self.tree.tree.links[k], self.tree.rows[k]
        free = self.free(k)
        if len(free) == link.freedoms:
            return
        moved = [
            add(
                dot(C, above) if above else ZERO,
                *(mul(A[j - link.first], self.zdd[j]) for j in free),
            )
            for C, A in zip(row.C, row.A, strict=True)
        ]
        f = [add(dot(m, moved), p) for m, p in zip(self._inertia[k], self._bias[k], strict=True)]
        for position, j in enumerate(link.own):
            if j not in free:
                force = dot(columns(row.A)[position], f)
                mark = tree.rate_label(k, position)
                self.tied[j] = tree.define(f"s{mark}", tree.words[k], force, is_own=True)
        tree.flush()


def accelerations_words(tree: TreePage) -> str:
    """Return the reason of the last sweep."""
    if not tree.model.rows:
        return "accelerations."
    return "accelerations; the multipliers are those for which these keep the constraints."


def write_end(tree: TreePage, sweeps: Articulated) -> None:
    """Write the equations of tied speeds and of speeds beside the tree, and all without names."""
    page, model = tree.page, tree.model
    P = tree.tree.P
    done = {u for j, u in enumerate(tree.tree.direct) if u is not None and j in sweeps.residuals}
    page.section("Equations of motion", *_reason(tree, len(done)))
    for u in range(len(model.u)):
        if u in done:
            continue
        forces = [mul(P[j][u], s) for j, s in sweeps.tied.items()]
        load = add(tree.load_on_speed(u), tree.force_of_constraints(u))
        tree.put((add(ZERO, *forces, neg(load)), ZERO), is_last=True)
    if model.rows or len(done) < len(model.u):
        rows = forces_of_motion(tree)
    else:
        order = {u: j for j, u in enumerate(tree.tree.direct) if u is not None}
        rows = [sweeps.residuals[order[u]] for u in range(len(model.u))]
    tree.finish(rows)


def _reason(tree: TreePage, done: int) -> list[str]:
    if tree.model.rows:
        return [_MULTIPLIERS]
    if done < len(tree.model.u):
        return ["forces of tied hinges do no work in any motion that the speeds allow."]
    return ["the last sweep, without names."]


def _same(x: Node) -> Node:
    return x


def _determinant(D: Sequence[Sequence[Node]]) -> Node:
    if len(D) == 1:
        return D[0][0]
    terms = [mul(entry, _cofactor(D, 0, j)) for j, entry in enumerate(D[0]) if entry is not ZERO]
    return tidy([add(*terms)])[0]


def _cofactor(D: Sequence[Sequence[Node]], i: int, j: int) -> Node:
    minor = [[x for n, x in enumerate(row) if n != j] for m, row in enumerate(D) if m != i]
    if not minor:
        return ONE
    value = _determinant(minor)
    return neg(value) if (i + j) % 2 else value
