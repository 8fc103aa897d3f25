"""Dependent speeds in terms of independent ones, by pivots that are proved not to vanish.

    A u + b0 = 0      u = C z + d
    A ud + b = 0      ud = C zd + g

A pivot is a number, a product of positive parameters, or a sum of such products and squares; else
the condition under which it is not zero is stated. Rows are combined without division, and what
the entries of a row have in common is taken out, so that there is one division at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.elimination import rounded_values
from mbx.expr.algebra.shorten import cost, positive_part, written
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import NUMBER, SYMBOL, ZERO, Node
from mbx.formalism.page.algebra.trigonometric_ring import Fractions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["MOST_ROWS", "Elimination", "classify", "eliminate", "is_positive"]

MOST_ROWS: Final = 6
"""Rows that are eliminated; of more, people read no result."""
_ENTRY: Final = 40
"""Operations of an entry of C that is written out."""
_UNSOLVED: Final = 3
"""The class of a pivot that may vanish."""
_LARGEST: Final = 600
"""Operations of rows that are eliminated, each as often as it is printed."""
_KEPT: Final = 50
"""Eliminations that are remembered."""
_NOISE: Final = 1e-7
"""What a pivot is at states where it only seems to be something."""
_TERMS: Final = 40
"""Terms of a polynomial that is factored; nobody divides by a longer one."""
_FACTORS: Final = 2
"""Factors that may vanish in one pivot."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """Dependent speeds in terms of independent ones.

    Attributes:
        free: Positions of the independent speeds.
        dependent: Positions of the others, in the order of their pivots.
        rows: The rows in which the dependent speeds have their pivots.
        C: The rates of all speeds by those of the independent ones.
        g: What is left of the rates where those of the independent ones are zero.
        d: What is left of the speeds where the independent ones are zero.
        conditions: What must not vanish.
        redundant: Rows that follow from the others.
        has_speeds: Whether the speeds depend on each other, and not only their rates.
    """

    free: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    C: tuple[tuple[Node, ...], ...]
    g: tuple[Node, ...]
    d: tuple[Node, ...]
    conditions: tuple[Node, ...]
    redundant: tuple[int, ...]
    has_speeds: bool = True


@dataclass(frozen=True, slots=True)
class _Pivot:
    """An entry that can be divided by, with what speaks for it."""

    key: tuple[Any, ...]
    row: int
    column: int
    conditions: tuple[Node, ...]


def eliminate(
    A: Sequence[Sequence[Node]],
    b: Sequence[Node],
    b0: Sequence[Node],
    positive: Collection[Node],
    kept: Collection[int] = (),
    states: Sequence[Mapping[Node, float]] = (),
    constant: Collection[Node] = (),
) -> Elimination | None:
    """Return the speeds by independent ones; None if that is nothing to read.

    Args:
        A: Rows by the rates of the speeds.
        b: What is left of the rows without these.
        b0: What is left of the rows at the level of velocity without the speeds.
        positive: Parameters that are more than zero.
        kept: Positions of the speeds that shall be independent.
        states: Consistent states, at which no pivot may vanish.
        constant: All parameters.
    """
    if not A:
        return None
    n = len(A[0])
    if len(A) > MOST_ROWS or written([x for row in A for x in row]) > _LARGEST:
        return None
    found = tuple(tuple(state.items()) for state in states)
    rows = tuple(map(tuple, A))
    sets = frozenset(positive), frozenset(kept), frozenset(constant)
    return _eliminate(rows, (tuple(b), tuple(b0)), n, found, *sets)


@lru_cache(maxsize=_KEPT)
def _eliminate(
    A: tuple[tuple[Node, ...], ...],
    rest: tuple[tuple[Node, ...], tuple[Node, ...]],
    n: int,
    states: tuple[tuple[tuple[Node, float], ...], ...],
    positive: frozenset[Node],
    kept: frozenset[int],
    constant: frozenset[Node],
) -> Elimination | None:
    try:
        return _Work(A, rest, positive, kept, [dict(s) for s in states], constant).solve(n)
    except TooLargeError:
        return None


class _Work:
    """The rows of an elimination, as polynomials."""

    def __init__(
        self,
        A: Sequence[Sequence[Node]],
        rest: tuple[Sequence[Node], Sequence[Node]],
        positive: Collection[Node],
        kept: Collection[int],
        states: Sequence[Mapping[Node, float]],
        constant: Collection[Node],
    ) -> None:
        self.positive = positive
        self.kept = set(kept)
        self.states = states
        self.constant = constant
        self.conditions: list[Node] = []
        b, b0 = rest
        self.fractions = Fractions([*(x for row in A for x in row), *b, *b0])
        self.rows = [
            self._whole([*map(self.fractions, row), self.fractions(x), self.fractions(y)])
            for row, x, y in zip(A, b, b0, strict=True)
        ]

    def _whole(self, row: list[Any]) -> list[Any]:
        """Return the row without denominators and without what its entries have in common."""
        ring = self.fractions.ring
        entries, _ = self.fractions.clear(row)
        common = ring.zero
        for entry in entries:
            common = common.gcd(entry)
        if common not in {ring.zero, ring.one}:
            if not self._is_regular(common):
                return [ring.zero for _ in entries]  # a row of nothing wherever the model can be
            _, conditions = classify(self.fractions, common, self.positive, self.constant)
            self.conditions += [c for c in conditions if c not in self.conditions]
            entries = [entry.exquo(common) for entry in entries]
        return entries

    def solve(self, n: int) -> Elimination | None:
        """Choose pivots until no row is left."""
        field = self.fractions.field
        left = set(range(len(self.rows)))
        columns: dict[int, int] = {}
        while left:
            redundant = [i for i in left if not any(map(self._is_regular, self.rows[i][:n]))]
            pivots = list(self._pivots(left - set(redundant), set(columns.values()), n))
            if not pivots:
                break
            pivot = min(pivots, key=lambda each: each.key)
            self.conditions += [c for c in pivot.conditions if c not in self.conditions]
            self._clear(pivot)
            columns[pivot.row] = pivot.column
            left.discard(pivot.row)
        if any(any(map(self._is_regular, self.rows[i][:n])) for i in left):
            return None  # what is left has no pivot that people would divide by
        free = tuple(k for k in range(n) if k not in columns.values())
        C: list[tuple[Node, ...]] = [()] * n
        g: list[Node] = [ZERO] * n
        d: list[Node] = [ZERO] * n
        one, zero = self.fractions.node(field(1)), ZERO
        for position, k in enumerate(free):
            C[k] = tuple(one if j == position else zero for j in range(len(free)))
        for i, k in columns.items():
            below = field(self.rows[i][k])
            entries = [
                self.fractions.node(self.fractions.reduce(-field(self.rows[i][j]) / below))
                for j in (*free, n, n + 1)
            ]
            if any(cost([entry]) > _ENTRY for entry in entries[:-2]):
                return None
            C[k], g[k], d[k] = tuple(entries[:-2]), entries[-2], entries[-1]
        return Elimination(
            free,
            tuple(columns.values()),
            tuple(columns),
            tuple(C),
            tuple(g),
            tuple(d),
            tuple(self.conditions),
            tuple(sorted(left)),
        )

    def _pivots(self, left: set[int], used: set[int], n: int) -> Iterable[_Pivot]:
        ring = self.fractions.ring
        for i in sorted(left):
            row = self.rows[i]
            alone = sum(1 for j in range(n) if j not in used and row[j] != 0)
            for j in range(n):
                if j in used or not self._is_regular(row[j]):
                    continue
                level, conditions = classify(self.fractions, row[j], self.positive, self.constant)
                if len(conditions) > _FACTORS:
                    continue
                size = 0 if row[j] == ring.one else len(row[j])
                key = (j in self.kept, level, len(conditions), alone, -j, size, i)
                yield _Pivot(key, i, j, conditions)

    def _is_regular(self, polynomial: Any) -> bool:
        """Return whether a polynomial is not zero, at every state if there are any."""
        if polynomial == 0:
            return False
        if not self.states:
            return True
        node = self.fractions.polynomial_node(polynomial)
        for state in self.states:
            try:
                [value] = rounded_values([node], state)
            except (ArithmeticError, ValueError, KeyError):
                return False
            if abs(float(value)) <= _NOISE:
                return False
        return True

    def _clear(self, pivot: _Pivot) -> None:
        """Make the column of a pivot zero in all other rows."""
        lead = self.rows[pivot.row]
        p = lead[pivot.column]
        for k, row in enumerate(self.rows):
            if k == pivot.row or row[pivot.column] == 0:
                continue
            factor = row[pivot.column]
            common = p.gcd(factor)
            left, right = p.exquo(common), factor.exquo(common)
            new = [
                self.fractions.reduce(self.fractions.field(left * x - right * y))
                for x, y in zip(row, lead, strict=True)
            ]
            self.rows[k] = self._whole(new)


def classify(
    fractions: Fractions,
    polynomial: Any,
    positive: Collection[Node],
    constant: Collection[Node] = (),
) -> tuple[int, tuple[Node, ...]]:
    """Return how sure it is that a polynomial does not vanish, and the factors that may.

    0 is a number, 1 a product of positive parameters, 2 a sum of such products and squares or of
    parameters alone, and 3 anything else. What is not seen to be positive is a condition.
    """
    value = fractions.field(polynomial)
    forms = [
        fractions.reduce(value, kept).numer if any(kept) else polynomial
        for kept in fractions.variants(value)
    ]
    shortest = min(forms, key=len)
    if len(shortest) > _TERMS:
        return _UNSOLVED, (fractions.polynomial_node(shortest),) * (_FACTORS + 1)
    _, factors = shortest.factor_list()
    level = 0
    conditions: list[Node] = []
    for factor, _ in factors:
        nodes = fractions.polynomial_node(factor)
        if nodes.op is NUMBER:
            continue
        if nodes.op is SYMBOL and nodes in positive:
            level = max(level, 1)
        elif is_positive(fractions, factor, positive, signed=False):
            level = max(level, 2)
        else:
            is_constant = set(free_symbols([nodes])) <= set(constant)
            level = max(level, 2) if is_constant else _UNSOLVED
            conditions.append(positive_form(nodes))
    return level, tuple(conditions)


def is_positive(
    fractions: Fractions, polynomial: Any, positive: Collection[Node], *, signed: bool = True
) -> bool:
    """Return whether a polynomial is seen to be a sum of positive products and squares.

    Unless `signed`, the opposite of such a sum counts, too.
    """
    value = fractions.field(polynomial)
    for kept in fractions.variants(value):
        form = fractions.reduce(value, kept).numer if any(kept) else polynomial
        if _has_one_sign(fractions, form, positive, signed=signed):
            return True
    return False


def _has_one_sign(
    fractions: Fractions, polynomial: Any, positive: Collection[Node], *, signed: bool
) -> bool:
    """Return whether all terms have one sign, which is plus if `signed`."""
    signs = set()
    is_strict = False
    for exponents, coefficient in polynomial.terms():
        squares = [
            e % 2 == 0
            for generator, e in zip(fractions.generators, exponents, strict=False)
            if e and generator not in positive
        ]
        if not all(squares):
            return False
        signs.add(coefficient > 0)
        is_strict = is_strict or not squares
    return is_strict and (signs == {True} if signed else len(signs) == 1)


def positive_form(node: Node) -> Node:
    """Return a node or its opposite, whichever begins with a plus."""
    return positive_part(node)[0]
