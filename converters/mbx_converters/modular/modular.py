"""Orsino's modular method: subsystems joined by invariants, from the leaves to the root.

Equation numbers are those of Orsino's thesis, chapters 2 and 4; see spec/formalisms/modular.md.
Every matrix belongs to one node of the tree and is labelled by the variables of that node and
of those below it; the whole system is nowhere written down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, dot, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.every_order_steps import Extended, Solution, residual_on_speeds
from mbx.formalism.steps.programmes import note, solve_programme
from mbx.formalism.steps.shared_steps import close, constraint_residual, projected_residual
from mbx.mechanics import (
    balance,
    every_order,
    invariants,
    loads,
    programme,
    reactions,
    subsystem_tree,
)
from mbx.system.find_features import Feature
from mbx_converters.modular.body_page import write_body_page
from mbx_converters.modular.tree_page import write_tree_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.subsystem_tree import Part
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive", "write_page"]

_SECOND: Final = 2
_UNKNOWN: Final = {"ud": "rates of the speeds", "xd": "unknowns of all variables"}


@dataclass(frozen=True, slots=True)
class _Visited:
    """A node of the tree and its matrices.

    Attributes:
        mark: What the names of its matrices end with.
        rows: Which rows of h are its forces.
        M: Inertia on its variables.
        A: Its invariants.
        S: Its variables by the freedoms.
        Ct: The transpose of its freedoms.
        Rt: The transpose of R, its variables by those of its parts.
        Mb: Inertia on the freedoms.
        labels: Positions in u of its freedoms; None where these are no variables.
    """

    mark: str
    part: Part
    rows: range
    M: Matrix
    A: Matrix
    S: Matrix
    Ct: Matrix
    Rt: Matrix
    Mb: Matrix
    labels: tuple[int, ...] | None


@dataclass(slots=True)
class _Recursion:
    """The nodes visited so far, and their forces."""

    moving: Motion
    levels: Levels
    program: Program
    h: list[Node] = field(default_factory=list)
    nodes: list[_Visited] = field(default_factory=list)

    def visit(self, part: Part, hints: tuple[int, ...] = ()) -> _Visited:
        """Add the matrices of a node after those of its children.

        A node without a proposal of its own takes what those above it propose of its variables.
        """
        hints = part.hints or tuple(k for k in hints if k in part.below)
        children = [self.visit(child, hints) for child in part.children]
        k = str(len(self.nodes) + 1)
        p = self.program
        where = part.path.rstrip(".") or "the system"
        names = [self.moving.speeds[j].path for j in part.below]
        rows = [self.levels.rows[i].path for i in part.rows]

        # f = V^T f', active minus inertia forces on the variables of the node, (4.7), (A.40)
        inertia, h = node_forces(self.moving, part)
        M = p.define(f"M{k}", inertia, f"inertia of {where}", f"M_{{{k}}}", names, names)
        start = len(self.h)
        self.h += h

        # R = (1 on the own variables, S of the children), (2.34)
        E = p.let(f"E{k}", p.identity(len(part.own)))
        R = p.block(_diagonal_blocks([E, *(child.S for child in children)]))
        p.let(f"R{k}", R, f"variables of {where} by those of its parts")
        # B = A+ R, C its orthogonal complement, S = R C, (2.35)
        by_ud = [[self.levels.A[i][j] for j in part.below] for i in part.rows]
        A = p.define(f"A{k}", by_ud, f"invariants of {where}", rows=rows, columns=names)
        B = p.let(f"B{k}", A @ R)
        columns = _columns(part, [child.labels for child in children])
        hint = None if columns is None or not rows else _proposed(columns, hints)
        C = p.null(f"C{k}", B, hint, f"freedoms of {where}")
        S = p.let(f"S{k}", R @ C)
        Ct, Rt = C.T, R.T
        # f = (0, fbar of the children) + R^T f of the node itself; fbar = C^T f, (4.8), (4.11)
        inner = p.let(f"RM{k}", Rt @ M)
        if children:
            n = len(part.own)
            zero = p.define(f"O{k}", [[ZERO] * n for _ in range(n)], columns=[""] * n)
            carried = p.block(_diagonal_blocks([zero, *(child.Mb for child in children)]))
            inner = p.let(f"Mn{k}", p.let(f"Mc{k}", carried) + inner)
        Mb = p.let(f"Mb{k}", Ct @ inner, f"inertia on the freedoms of {where}")
        at = range(start, start + len(h))
        free = None if rows else columns  # without rows, C = 1
        if columns is not None and hint is not None:
            free = tuple(columns[i] for i in hint)
        visited = _Visited(k, part, at, M, A, S, Ct, Rt, Mb, free)
        self.nodes.append(visited)
        return visited

    def force(self, p: Program, h: Matrix) -> tuple[Matrix, list[Matrix]]:
        """Add the right-hand side: fbar without accelerations, from the leaves to the root.

        Return that of the root, and the rows of h of each node.
        """
        done: dict[str, Matrix] = {}
        parts = []
        for node in self.nodes:
            k = node.mark
            parts.append(p.let(f"h{k}", h.rows(node.rows)))
            inner = p.let(f"Rh{k}", node.Rt @ parts[-1])
            carried = [done[child.path] for child in node.part.children]
            if carried:
                zero = p.column(f"o{k}", [ZERO] * len(node.part.own))
                inner = p.let(f"hn{k}", p.let(f"hc{k}", p.stack(zero, *carried)) + inner)
            done[node.part.path] = p.let(f"hb{k}", node.Ct @ inner)
        return done[self.nodes[-1].part.path], parts


def node_forces(moving: Motion, part: Part) -> tuple[list[list[Node]], list[Node]]:
    """Return M and h of a node: its forces are h - M ud."""
    u = [moving.u[k] for k in part.below]
    ud = [moving.ud[k] for k in part.below]
    inertia = [balance.inertia_wrench(m) for m in part.elements]
    active = loads.project(moving, [w for _, w in part.wrenches], [m for m, _ in part.wrenches], u)
    passive = loads.project(moving, inertia, part.elements, u)
    total = [
        add(a, neg(i), *(term[k] for term in part.terms))
        for a, i, k in zip(active, passive, part.below, strict=True)
    ]
    K, h = split(total, ud)
    return [[neg(x) for x in row] for row in K], h


def _columns(part: Part, children: Sequence[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    """Return which variables the columns of R are: its own, and the freedoms of its children."""
    columns = list(part.own)
    for labels in children:
        if labels is None:
            return None
        columns += labels
    return tuple(columns)


def _proposed(columns: Sequence[int], hints: Sequence[int]) -> tuple[int, ...] | None:
    """Return which columns of R are proposed as independent; None if there is no proposal."""
    if not hints or not set(hints) <= set(columns):
        return None
    return tuple(sorted(columns.index(k) for k in hints))


def _diagonal_blocks(blocks: Sequence[Matrix]) -> list[list[Matrix | None]]:
    """Return the grid of blocks along the diagonal."""
    return [[x if i == j else None for j in range(len(blocks))] for i, x in enumerate(blocks)]


def _chooser(columns: Sequence[int], all_columns: Sequence[int]) -> list[list[Node]]:
    """Return the matrix that takes variables in one order to some of them in another."""
    return [[ONE if j == k else ZERO for j in all_columns] for k in columns]


def derive(system: System, _variant: str = "") -> Equations:
    """Return fbar = 0 of the root, with all invariants (4.13)."""
    moving = every_order.in_variables(system)
    if system.order > _SECOND:
        return _programme(system, moving)
    levels = invariants.levels(moving)
    root = subsystem_tree.subsystems(moving, levels)
    labels = [s.path for s in moving.speeds]
    n = len(labels)
    p = Program()
    recursion = _Recursion(moving, levels, p)
    top = recursion.visit(root)

    # the invariants of all nodes on the variables of the root, in its order
    order = root.below
    ordered = [labels[k] for k in order]
    L = []
    by_root = []
    for node in recursion.nodes:
        # a node without variables has no rows; the columns give its width
        chosen = _chooser(node.part.below, order)
        k = node.mark
        L.append(p.define(f"L{k}", chosen, f"labels of node {k}", columns=ordered))
        by_root.append(node.A @ L[-1])
        p.place(L[-1].T)
    rows = [k for node in recursion.nodes for k in node.part.rows]
    Ar = p.let("Ar", p.stack(*by_root), "all invariants")
    br = p.column("br", [levels.b[k] for k in rows], "all invariants without ud")
    bm = p.let("bm", -br)
    K = p.stack(top.Mb, Ar)
    back = p.define("back", _chooser(range(n), order), "labels in the order of the model")
    chosen = _chooser(range(len(rows)), rows)
    Lr = p.define("Lr", chosen, "invariants in the order of the model")
    A0, backt = p.let("A0", Lr @ Ar), p.let("backt", back.T)
    A = p.let("A", A0 @ backt, "invariants by ud")
    b = p.let("b", Lr @ br, "invariants without ud")
    Atp = p.pinv(A.T)
    extended = Extended(system, every_order.extend(system))
    extending = extended.begin(p, A, b, labels)

    def solve(p: Program, h: Matrix) -> tuple[Matrix, ...]:
        fbar, parts = recursion.force(p, h)
        x = p.solve("x", K, p.stack(fbar, bm), unique=n)
        unknowns = p.let(extended.x, back @ x, _UNKNOWN[extended.x])
        # constraint forces: minus the forces of the leaves, label by label
        forces = []
        for node, label, part in zip(recursion.nodes, L, parts, strict=True):
            k = node.mark
            Mx = p.let(f"Mx{k}", node.M @ p.let(f"x{k}", label @ x))
            forces.append(p.let(f"fl{k}", label.T @ p.let(f"f{k}", Mx - part)))
        Fc = p.let("Fc", back @ p.let("fall", p.sum(forces)), "constraint forces")
        lam = p.let("lam", Atp @ Fc, "multipliers")
        solution = extended.reduce(p, Solution(unknowns, Fc, lam), extending)
        return solution.x, lam, solution.Fc, unknowns, fbar, solution.lam

    named = reactions.named_in(levels, recursion.h)
    Y = reactions.reaction_map(levels, named)
    closed = close(p, recursion.h, named, Y, solve)
    Fc, unknowns, fbar, lam = closed.others
    Mbar = p.let("Mbar", top.Mb @ backt, "fbar of the root by ud")
    declared = extended.declared(p, unknowns)
    left, right = residual_on_speeds(p, extending, Mbar, fbar)
    if extending is not None:
        A, b = extending.A, extending.b
    m = len(system.u)
    return p.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        {"ud": closed.ud, "Fc": Fc, "lam": lam, "A": A, "b": b, **declared},
        [
            projected_residual(p, "fbar", m, left, right, None),
            constraint_residual(p, m, A, b, [r.path for r in system.rows]),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A node in symbols: S of its variables, fbar, its forces label by label, its freedoms."""

    S: list[list[Node]]
    fbar: list[Node]
    forces: dict[int, Node]
    labels: list[int]


def _reduce(
    moving: Motion, lifted: programme.Lifted, part: Part, hints: tuple[int, ...] = ()
) -> _Reduced:
    """Return a node of a system under a programme; the recursion of Table 4.1, in symbols."""
    hints = part.hints or tuple(k for k in hints if k in part.below)
    children = [_reduce(moving, lifted, child, hints) for child in part.children]
    M, h = node_forces(moving, part)
    ud = [moving.ud[k] for k in part.below]
    forces_of = [sub(x, dot(row, ud)) for row, x in zip(M, h, strict=True)]
    forces = dict(zip(part.below, forces_of, strict=True))
    blocks = [[[ONE if i == j else ZERO for j in part.own] for i in part.own]]
    blocks += [child.S for child in children]
    R = _diagonal(blocks)
    f = [ZERO] * len(part.own)
    for child in children:
        f += child.fbar
        for k, x in child.forces.items():
            forces[k] = add(forces[k], x)
    columns = [list(c) for c in zip(*R, strict=True)]
    f = [add(x, dot(column, forces_of)) for x, column in zip(f, columns, strict=True)]
    B = [
        [dot([lifted.A[k][j] for j in part.below], column) for column in columns] for k in part.rows
    ]
    # what a declared variable of a higher order is, its definition determines everywhere
    declared = [i for i, k in enumerate(part.own) if k >= len(moving.system.u)]
    labels = [*part.own, *(k for child in children for k in child.labels)]
    others = [i for i, k in enumerate(labels) if hints and k not in hints and i not in declared]
    C = programme.complement(B, len(columns), [*declared, *others])
    freedoms = [list(c) for c in zip(*C, strict=True)]
    units = [
        C.index([ONE if i == j else ZERO for i in range(len(freedoms))])
        for j in range(len(freedoms))
    ]
    S = [[dot(row, column) for column in freedoms] for row in R]
    return _Reduced(S, [dot(column, f) for column in freedoms], forces, [labels[i] for i in units])


def _diagonal(blocks: list[list[list[Node]]]) -> list[list[Node]]:
    widths = [len(block[0]) if block else 0 for block in blocks]
    rows: list[list[Node]] = []
    for k, block in enumerate(blocks):
        before, after = sum(widths[:k]), sum(widths[k + 1 :])
        rows += [[*[ZERO] * before, *row, *[ZERO] * after] for row in block]
    return rows


def _programme(system: System, moving: Motion) -> Equations:
    """Return the equations under invariants of order s above 2: fbar differentiated s - 2 times."""
    programme.refuse_reactions(system)
    lifted = programme.lift(moving)
    labels = [s.path for s in moving.speeds]
    rows = [r.path for r in lifted.rows]
    root = subsystem_tree.subsystems(moving, lifted)
    reduced = _reduce(moving, lifted, root)
    n, m = len(labels), len(system.u)
    program = Program()
    solved = solve_programme(
        program,
        Extended(system, every_order.extend(system)),
        programme.differentiate(moving, lifted, reduced.fbar),
        (lifted.A, lifted.b),
        [neg(reduced.forces[k]) for k in range(n)],
        rows,
        labels,
    )
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        solved.results,
        [
            projected_residual(program, "fbar", m, *solved.dynamics, None),
            constraint_residual(
                program, m, solved.results["A"], solved.results["b"], rows[: len(system.rows)]
            ),
        ],
        notes=[note(system.order)],
    )


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return the tree, and level by level the freedoms of each node and what acts on them."""
    if len(system.parts) > 1 or not system.elements or system.order > _SECOND:
        return write_tree_page(system, equations, options, node_forces)
    return write_body_page(system, equations, options)


CONVERTER: Final = Converter(
    name="modular",
    title="Orsino's modular method",
    purpose="subsystems modelled apart and joined",
    reference="R. M. M. Orsino, A contribution on modeling methodologies for multibody systems, "
    "doctoral thesis, Escola Politécnica da Universidade de São Paulo, 2016, Theorem 2.10, "
    "Table 4.1, (4.7) to (4.13)",
    variants=(
        Variant(
            accepts=frozenset(
                {
                    Feature.HOLONOMIC,
                    Feature.NONHOLONOMIC,
                    Feature.NONLINEAR_VELOCITY_INVARIANT,
                    Feature.ORDER_2_INVARIANT,
                    Feature.ORDER_3_INVARIANT,
                    Feature.DECLARED_SPEEDS,
                    Feature.SPEED_WITHOUT_RATE,
                    Feature.TWIST_NOT_INTEGRABLE,
                    Feature.NO_OWN_SPEED,
                    Feature.LEFT_OVER_DEFINITIONS,
                    Feature.QUATERNION_WITH_SPEEDS,
                    Feature.EFFECTIVE_ROWS,
                    Feature.EFFECTIVE_WITHOUT_RATE,
                    Feature.REACTION_IN_LOAD,
                    Feature.GENERALIZED_LOAD,
                    Feature.NON_IDEAL,
                    Feature.HIGHER_VARIABLE,
                }
            )
        ),
    ),
    derive=derive,
    write_page=write_page,
)
