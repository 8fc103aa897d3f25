"""M^-1 in symbols where that is short, with a = M^-1 Q, M^-1 A^T and A M^-1 A^T."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, divide, mul
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.algebra.trigonometric_ring import Fractions

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ShortInverse"]

_BLOCK: Final = 3
"""Speeds whose inertia is coupled, of which the inverse is written."""
_ROWS: Final = 4
"""Constraints whose forces are written."""
_LARGEST: Final = 400
"""Operations of M, Q and A."""


@dataclass(frozen=True, slots=True)
class ShortInverse:
    """M^-1, and what follows from it.

    Attributes:
        Mi: M^-1.
        a: M^-1 Q.
        MA: M^-1 A^T, a row a speed.
        W: A M^-1 A^T.
    """

    Mi: tuple[tuple[Node, ...], ...]
    a: tuple[Node, ...]
    MA: tuple[tuple[Node, ...], ...]
    W: tuple[tuple[Node, ...], ...]

    @classmethod
    def find(
        cls,
        M: Sequence[Sequence[Node]],
        Q: Sequence[Node],
        A: Sequence[Sequence[Node]],
        b: Sequence[Node],
        longest: int,
    ) -> ShortInverse | None:
        """Return the inverse; None where M is singular, or nobody would read it."""
        entries = [x for row in M for x in row]
        blocks = _blocks(M)
        if len(A) > _ROWS or any(len(block) > _BLOCK for block in blocks):
            return None
        lines = [x for row in A for x in row]
        if written([*entries, *Q, *lines, *b]) > _LARGEST:
            return None
        try:
            return cls._find(M, Q, A, blocks, longest)
        except TooLargeError:
            return None

    @classmethod
    def _find(
        cls,
        M: Sequence[Sequence[Node]],
        Q: Sequence[Node],
        A: Sequence[Sequence[Node]],
        blocks: Sequence[Sequence[int]],
        longest: int,
    ) -> ShortInverse | None:
        lines = [x for row in A for x in row]
        fractions = Fractions([*Q, *lines], main=[x for row in M for x in row])
        n = len(M)
        inverse: list[list[Any]] = [[fractions.field(0)] * n for _ in range(n)]
        for block in blocks:
            part = [[fractions(M[i][j]) for j in block] for i in block]
            whole = fractions.reduce(fractions.field(_determinant(part)))
            if whole == 0:
                return None
            for i, row in enumerate(block):
                for j, column in enumerate(block):
                    minor = [
                        [x for k, x in enumerate(line) if k != i]
                        for r, line in enumerate(part)
                        if r != j
                    ]
                    cofactor = fractions.field((-1) ** (i + j)) * _determinant(minor)
                    inverse[row][column] = fractions.reduce(
                        fractions.reduce(fractions.field(cofactor)) / whole
                    )
        by_A = [[fractions(x) for x in row] for row in A]
        a = _times(fractions, inverse, [[fractions(x)] for x in Q])
        MA = _times(fractions, inverse, [list(column) for column in zip(*by_A, strict=True)])
        W = _times(fractions, by_A, MA)
        made = [[[fractions.node(x) for x in row] for row in rows] for rows in (inverse, a, MA, W)]
        shown = [x for rows in made[1:] for row in rows for x in row]
        if any(written([x]) > longest for x in shown):
            return None
        Mi, a_nodes, MA_nodes, W_nodes = (tuple(map(tuple, rows)) for rows in made)
        if not A:
            MA_nodes = tuple(() for _ in range(n))
        return cls(Mi, tuple(row[0] for row in a_nodes), MA_nodes, W_nodes)

    @staticmethod
    def inverted(node: Node) -> Node:
        """Return one over a name."""
        return divide(ONE, node)

    def on_star(self, k: int, star: Sequence[Node]) -> Node:
        """Return what forces add to a rate."""
        terms = [mul(x, y) for x, y in zip(self.Mi[k], star, strict=True) if y is not ZERO]
        return add(ZERO, *terms)


def _blocks(M: Sequence[Sequence[Node]]) -> list[list[int]]:
    """Return the positions that M couples."""
    left = set(range(len(M)))
    blocks: list[list[int]] = []
    while left:
        block = {min(left)}
        grown = True
        while grown:
            more = {
                j
                for i in block
                for j in left
                if j not in block and (M[i][j] is not ZERO or M[j][i] is not ZERO)
            }
            block |= more
            grown = bool(more)
        left -= block
        blocks.append(sorted(block))
    return blocks


def _determinant(A: Sequence[Sequence[Any]]) -> Any:
    if not A:
        return 1
    total: Any = 0
    for k, entry in enumerate(A[0]):
        if entry != 0:
            total += (-1) ** k * entry * _determinant([[*r[:k], *r[k + 1 :]] for r in A[1:]])
    return total


def _times(
    fractions: Fractions, A: Sequence[Sequence[Any]], B: Sequence[Sequence[Any]]
) -> list[list[Any]]:
    width = len(B[0]) if B else 0
    product: list[list[Any]] = []
    for row in A:
        line: list[Any] = []
        for j in range(width):
            total = fractions.field(0)
            for x, other in zip(row, B, strict=True):
                if x != 0 and other[j] != 0:
                    total += x * other[j]
            line.append(fractions.reduce(total))
        product.append(line)
    return product
