"""The nodes of the tree in symbols: invariants, freedoms and forces, from the leaves to the root.

    B = A R,  B C = 0,  S = R C,  fbar = C^T ((0, fbar of the parts) + R^T f)

The pivots of B are proved not to vanish, or state the condition; so the freedoms of a node are
variables, and the freedoms of the root are those of the system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.expr.build import add, mul
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.algebra.eliminate import Elimination, eliminate
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page_model import PageModel
from mbx.mechanics import subsystem_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.formalism.page.page_builder import Words
    from mbx.mechanics.subsystem_tree import Part

__all__ = ["TreeModel", "TreeNode"]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree.

    Attributes:
        part: What belongs to it.
        level: 1 of the root, more below it.
        children: The nodes below it.
        columns: Which variables the columns of R are.
        elimination: Its dependent variables, as positions in `columns`; None without invariants
            and where no short solution exists.
        free: Its freedoms, which are variables; where no short solution exists, all columns.
        S: Its variables, and those below it, by the freedoms.
        g: What is left of their rates where those of the freedoms are zero.
        d: What is left of them where the freedoms are zero.
    """

    part: Part
    level: int
    children: tuple[TreeNode, ...]
    columns: tuple[int, ...]
    elimination: Elimination | None
    free: tuple[int, ...]
    S: dict[int, tuple[Node, ...]]
    g: dict[int, Node]
    d: dict[int, Node]

    @property
    def word(self) -> str:
        """Its name; "" of the root."""
        return self.part.path.rstrip(".")

    def walk(self) -> Iterator[TreeNode]:
        """Yield the node and those below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def is_open(self) -> bool:
        """Whether its invariants have no short solution, and are left to the root."""
        return bool(self.part.rows) and self.elimination is None

    @property
    def C(self) -> tuple[tuple[Node, ...], ...]:  # noqa: N802  the letter of every text
        """The columns of R by the freedoms."""
        if self.elimination is not None:
            return self.elimination.C
        n = len(self.columns)
        return tuple(tuple(ONE if i == j else ZERO for j in range(n)) for i in range(n))


class TreeModel(PageModel):
    """A model as a tree of subsystems: its dependent speeds are eliminated node by node."""

    def axes_words(self) -> list[Words]:
        """Return nothing: forces stand variable by variable, not as vectors."""
        return []

    @cached_property
    def root_part(self) -> Part:
        """The tree."""
        return subsystem_tree.subsystems(self.motion, self.levels)

    @cached_property
    def tree(self) -> TreeNode:
        """The nodes with their freedoms."""
        return self._reduce(self.root_part, 1, ())

    @cached_property
    def elimination(self) -> Elimination | None:
        """Dependent speeds by the freedoms of the root; None where some invariants are left."""
        root = self.tree
        if not self.rows or self.open_rows:
            return None
        n = len(self.u)
        at = {k: position for position, k in enumerate(root.free)}
        ordered = tuple(sorted(root.free))
        C = tuple(tuple(root.S[k][at[j]] for j in ordered) for k in range(n))
        eliminations = [(node, node.elimination) for node in root.walk() if node.elimination]
        rows: dict[int, int] = {}
        conditions: list[Node] = []
        redundant: list[int] = []
        for node, each in eliminations:
            for k, row in zip(each.dependent, each.rows, strict=True):
                rows[node.columns[k]] = node.part.rows[row]
            conditions += [c for c in each.conditions if c not in conditions]
            redundant += [node.part.rows[k] for k in each.redundant]
        return Elimination(
            ordered,
            tuple(rows),
            tuple(rows.values()),
            C,
            tuple(root.g[k] for k in range(n)),
            tuple(root.d[k] for k in range(n)),
            tuple(conditions),
            tuple(redundant),
        )

    @cached_property
    def open_rows(self) -> tuple[int, ...]:
        """The invariants of nodes without a short solution."""
        return tuple(k for node in self.tree.walk() if node.is_open for k in node.part.rows)

    def by_freedoms(self, row: int) -> tuple[Node, ...]:
        """Return an invariant by the freedoms of the root."""
        root = self.tree
        used = [(k, x) for k, x in enumerate(self.A[row]) if x is not ZERO]
        return tuple(
            tidy([add(ZERO, *(mul(x, root.S[k][j]) for k, x in used))])[0]
            for j in range(len(root.free))
        )

    def _reduce(self, part: Part, level: int, hints: Sequence[int]) -> TreeNode:
        hints = part.hints or tuple(k for k in hints if k in part.below)
        children = [self._reduce(each, level + 1, hints) for each in part.children]
        columns = (*part.own, *(k for child in children for k in child.free))
        R: dict[int, dict[int, Node]] = {k: {k: ONE} for k in part.own}
        g: dict[int, Node] = dict.fromkeys(part.own, ZERO)
        d: dict[int, Node] = dict.fromkeys(part.own, ZERO)
        for child in children:
            g |= child.g
            d |= child.d
            for k, row in child.S.items():
                R[k] = {j: x for j, x in zip(child.free, row, strict=True) if x is not ZERO}
        elimination: Elimination | None = None
        if part.rows:
            elimination = self._eliminate(part, columns, R, (g, d), hints)
        free = columns if elimination is None else tuple(columns[k] for k in elimination.free)
        if elimination is None:
            S = {k: tuple(row.get(j, ZERO) for j in free) for k, row in R.items()}
            return TreeNode(part, level, tuple(children), columns, None, free, S, g, d)
        at = {k: i for i, k in enumerate(columns)}
        C = elimination.C
        flat = tidy(
            [
                add(*(mul(x, C[at[j]][i]) for j, x in row.items())) if row else ZERO
                for row in R.values()
                for i in range(len(free))
            ]
        )
        width = len(free)
        S = {k: tuple(flat[n * width : (n + 1) * width]) for n, k in enumerate(R)}
        rest, offset = (
            {k: add(own[k], *(mul(x, new[at[j]]) for j, x in row.items())) for k, row in R.items()}
            for own, new in ((g, elimination.g), (d, elimination.d))
        )
        return TreeNode(part, level, tuple(children), columns, elimination, free, S, rest, offset)

    def _eliminate(
        self,
        part: Part,
        columns: Sequence[int],
        R: dict[int, dict[int, Node]],
        left: tuple[dict[int, Node], dict[int, Node]],
        hints: Sequence[int],
    ) -> Elimination | None:
        """Return the dependent ones of the columns of R by the invariants of a node."""
        entries: list[Node] = []
        for i in part.rows:
            row = self.A[i]
            used = [k for k in part.below if row[k] is not ZERO]
            entries += [add(*(mul(row[k], R[k].get(j, ZERO)) for k in used)) for j in columns]
            entries.append(add(self.b[i], *(mul(row[k], left[0][k]) for k in used)))
            entries.append(add(self.b0[i], *(mul(row[k], left[1][k]) for k in used)))
        flat = tidy(entries)
        width = len(columns) + 2
        rows = [flat[n : n + width] for n in range(0, len(flat), width)]
        kept = [n for n, k in enumerate(columns) if k in hints]
        B = [row[:-2] for row in rows]
        b, b0 = [row[-2] for row in rows], [row[-1] for row in rows]
        return eliminate(B, b, b0, self.positive, kept, self.states, self.constant)
