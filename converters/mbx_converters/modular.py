"""Orsino's modular method: subsystems joined by invariants, from the leaves to the root.

Equation numbers are those of Orsino's thesis, chapters 2 and 4; see spec/formalisms/modular.md.
Every matrix belongs to one node of the tree and is labelled by the variables of that node and
of those below it; the whole system is nowhere written down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.affine import split
from mbx.expr.build import add, neg, sub
from mbx.expr.matrix import dot
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.builder import Program
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.steps.every_order_steps import Extended
from mbx.formalism.steps.programmes import note, solve_programme
from mbx.formalism.steps.reactive_loads import close
from mbx.formalism.steps.residuals import constraint_residual, projected_residual
from mbx.mechanics import (
    balance,
    every_order,
    invariants,
    partials,
    programme,
    reactions,
    subsystem_tree,
)
from mbx.system.features import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.subsystem_tree import Part
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]

_SECOND: Final = 2
_UNKNOWN: Final = {"ud": "rates of the speeds", "xd": "unknowns of all variables"}


@dataclass(slots=True)
class _Recursion:
    """The nodes visited so far: their forces, and which rows of h are theirs."""

    moving: Motion
    levels: Levels
    program: Program
    h: list[Node] = field(default_factory=list)
    nodes: list[tuple[str, Part, range]] = field(default_factory=list)

    def visit(self, part: Part) -> str:
        """Add the matrices of a node after those of its children; return its mark."""
        marks = [self.visit(child) for child in part.children]
        mark = str(len(self.nodes) + 1)
        p = self.program
        where = part.path.rstrip(".") or "the system"
        names = [self.moving.speeds[k].path for k in part.below]
        rows = [self.levels.rows[k].path for k in part.rows]

        # f = V^T f', active minus inertia forces on the variables of the node, (4.7), (A.40)
        M, h = self.forces(self.moving, part)
        p.define(f"M{mark}", M, f"inertia of {where}", f"M_{{{mark}}}", rows=names, columns=names)
        start = len(self.h)
        self.h += h
        self.nodes.append((mark, part, range(start, start + len(h))))

        # R = (1 on the own variables, S of the children), (2.34)
        p.identity(f"E{mark}", len(part.own))
        grid = [[f"E{mark}", *(None for _ in marks)]]
        for k, child in enumerate(marks):
            row: list[str | None] = [None for _ in range(len(marks) + 1)]
            row[k + 1] = f"S{child}"
            grid.append(row)
        p.block(f"R{mark}", grid, f"variables of {where} by those of its parts")
        # B = A+ R, C its orthogonal complement, S = R C, (2.35)
        A = [[self.levels.A[k][j] for j in part.below] for k in part.rows]
        p.define(f"A{mark}", A, f"invariants of {where}", rows=rows, columns=names)
        p.product(f"B{mark}", f"A{mark}", f"R{mark}")
        p.nullspace(f"C{mark}", f"B{mark}", self._hint(part), f"freedoms of {where}")
        p.product(f"S{mark}", f"R{mark}", f"C{mark}")
        p.transpose(f"Ct{mark}", f"C{mark}")
        p.transpose(f"Rt{mark}", f"R{mark}")
        # f = (0, fbar of the children) + R^T f of the node itself; fbar = C^T f, (4.8), (4.11)
        p.product(f"RM{mark}", f"Rt{mark}", f"M{mark}")
        inner = f"RM{mark}"
        if marks:
            own = len(part.own)
            p.define(f"O{mark}", [[ZERO] * own for _ in range(own)], columns=[""] * own)
            grid = [[f"O{mark}", *(None for _ in marks)]]
            for k, child in enumerate(marks):
                row = [None for _ in range(len(marks) + 1)]
                row[k + 1] = f"Mb{child}"
                grid.append(row)
            p.block(f"Mc{mark}", grid)
            p.sum(f"Mn{mark}", f"Mc{mark}", f"RM{mark}")
            inner = f"Mn{mark}"
        p.product(f"Mb{mark}", f"Ct{mark}", inner, meaning=f"inertia on the freedoms of {where}")
        return mark

    @staticmethod
    def forces(moving: Motion, part: Part) -> tuple[list[list[Node]], list[Node]]:
        """Return M and h of a node: its forces are h - M ud."""
        u = [moving.u[k] for k in part.below]
        ud = [moving.ud[k] for k in part.below]
        inertia = [balance.inertia_wrench(m) for m in part.elements]
        active = partials.project(
            moving, [w for _, w in part.wrenches], [m for m, _ in part.wrenches], u
        )
        passive = partials.project(moving, inertia, part.elements, u)
        total = [
            add(a, neg(i), *(term[k] for term in part.terms))
            for a, i, k in zip(active, passive, part.below, strict=True)
        ]
        K, h = split(total, ud)
        return [[neg(x) for x in row] for row in K], h

    def _hint(self, part: Part) -> tuple[int, ...] | None:
        """Return which columns of R are proposed as independent, where R has such labels."""
        if not part.hints or part.children:
            return None
        places = {k: i for i, k in enumerate(part.below)}
        return tuple(sorted(places[k] for k in part.hints if k in places))

    def force(self, p: Program, h: str) -> str:
        """Add the right-hand side: fbar without accelerations, from the leaves to the root."""
        done: dict[str, str] = {}
        for mark, part, rows in self.nodes:
            p.rows(f"h{mark}", h, rows)
            p.product(f"Rh{mark}", f"Rt{mark}", f"h{mark}")
            inner = f"Rh{mark}"
            marks = [done[child.path] for child in part.children]
            if marks:
                p.column(f"o{mark}", [ZERO] * len(part.own))
                p.block(f"hc{mark}", [[f"o{mark}"], *([f"hb{child}"] for child in marks)])
                p.sum(f"hn{mark}", f"hc{mark}", f"Rh{mark}")
                inner = f"hn{mark}"
            p.product(f"hb{mark}", f"Ct{mark}", inner)
            done[part.path] = mark
        return f"hb{self.nodes[-1][0]}"


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
    program = Program()
    recursion = _Recursion(moving, levels, program)
    top = recursion.visit(root)

    # the invariants of all nodes on the variables of the root, in its order
    order = root.below
    ordered = [labels[k] for k in order]
    for mark, part, _ in recursion.nodes:
        # a node without variables has no rows; the columns say how wide it is
        program.define(
            f"L{mark}", _chooser(part.below, order), f"labels of node {mark}", columns=ordered
        )
        program.product(f"AL{mark}", f"A{mark}", f"L{mark}")
        program.transpose(f"Lt{mark}", f"L{mark}")
    held = [k for _, part, _ in recursion.nodes for k in part.rows]
    program.block("Ar", [[f"AL{mark}"] for mark, _, _ in recursion.nodes], "all invariants")
    program.column("br", [levels.b[k] for k in held], "all invariants without ud")
    program.sum("bm", "br", signs=(-1,))
    program.block("K", [[f"Mb{top}"], ["Ar"]])
    program.define("back", _chooser(range(n), order), "labels in the order of the model")
    program.define("Lr", _chooser(range(len(held)), held), "invariants in the order of the model")
    program.product("A0", "Lr", "Ar")
    program.transpose("backt", "back")
    program.product("A", "A0", "backt", meaning="invariants by ud")
    program.product("b", "Lr", "br", meaning="invariants without ud")
    program.transpose("At", "A")
    program.pinv("Atp", "At")
    extended = Extended(system, every_order.extend(system))
    extended.begin(program, labels)

    def solve(p: Program, h: str) -> tuple[str, str]:
        p.block("k", [[recursion.force(p, h)], ["bm"]])
        p.solve("x", "K", "k", "least_squares", unique=n)
        p.product(extended.x, "back", "x", meaning=_UNKNOWN[extended.x])
        # constraint forces: minus the forces of the leaves, label by label
        for mark, _, _ in recursion.nodes:
            p.product(f"x{mark}", f"L{mark}", "x")
            p.product(f"Mx{mark}", f"M{mark}", f"x{mark}")
            p.sum(f"f{mark}", f"Mx{mark}", f"h{mark}", signs=(1, -1))
            p.product(f"fl{mark}", f"Lt{mark}", f"f{mark}")
        p.sum("fall", *(f"fl{mark}" for mark, _, _ in recursion.nodes))
        p.product("Fc", "back", "fall", meaning="constraint forces")
        p.product("lam", "Atp", "Fc", meaning="multipliers")
        return extended.reduce(p)

    named = reactions.named_in(levels, recursion.h)
    Y = reactions.reaction_map(levels, named)
    close(program, recursion.h, named, Y, solve)
    program.product("Mbar", f"Mb{top}", "backt", meaning="fbar of the root by ud")
    results = extended.finish(program)
    left, right = extended.residual(program, "Mbar", f"hb{top}")
    m = len(system.u)
    return program.equations(
        system,
        CONVERTER.name,
        CONVERTER.title,
        CONVERTER.reference,
        results,
        [
            projected_residual("fbar", m, left, right, None),
            constraint_residual(m, results["A"], results["b"], [r.path for r in system.rows]),
        ],
    )


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A node in symbols: S of its variables, fbar, and its forces label by label."""

    S: list[list[Node]]
    fbar: list[Node]
    forces: dict[int, Node]


def _reduce(moving: Motion, lifted: programme.Lifted, part: Part) -> _Reduced:
    """Return a node of a system under a programme; the recursion of Table 4.1, in symbols."""
    children = [_reduce(moving, lifted, child) for child in part.children]
    M, h = _Recursion.forces(moving, part)
    ud = [moving.ud[k] for k in part.below]
    own = [sub(x, dot(row, ud)) for row, x in zip(M, h, strict=True)]
    forces = dict(zip(part.below, own, strict=True))
    blocks = [[[ONE if i == j else ZERO for j in part.own] for i in part.own]]
    blocks += [child.S for child in children]
    R = _diagonal(blocks)
    f = [ZERO] * len(part.own)
    for child in children:
        f += child.fbar
        for k, x in child.forces.items():
            forces[k] = add(forces[k], x)
    columns = [list(c) for c in zip(*R, strict=True)]
    f = [add(x, dot(column, own)) for x, column in zip(f, columns, strict=True)]
    B = [
        [dot([lifted.A[k][j] for j in part.below], column) for column in columns] for k in part.rows
    ]
    # what a declared variable of a higher order is, its definition says everywhere
    declared = [i for i, k in enumerate(part.own) if k >= len(moving.system.u)]
    C = programme.complement(B, len(columns), declared)
    freedoms = [list(c) for c in zip(*C, strict=True)]
    S = [[dot(row, column) for column in freedoms] for row in R]
    return _Reduced(S, [dot(column, f) for column in freedoms], forces)


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
    n = len(labels)
    program = Program()
    results = solve_programme(
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
        results.names,
        [
            projected_residual("fbar", len(system.u), *results.dynamics, None),
            constraint_residual(
                len(system.u), results.names["A"], results.names["b"], rows[: len(system.rows)]
            ),
        ],
        notes=[note(system.order)],
    )


CONVERTER: Final = Converter(
    name="modular",
    title="Orsino's modular method",
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
)
