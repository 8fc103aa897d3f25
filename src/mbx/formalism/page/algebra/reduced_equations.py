"""Equations of motion in the independent speeds, written out and solved where that is short."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, divide, mul, scale
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ONE, SCALE, Node, number
from mbx.formalism.page.algebra.eliminate import classify, is_positive
from mbx.formalism.page.algebra.trigonometric_ring import Fractions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mbx.formalism.page.algebra.eliminate import Elimination

__all__ = ["FREEDOMS", "Reduced", "Solved", "collect", "reduce_equations", "solve_rows"]

_LARGEST: Final = 2500
"""Operations of the equations that are brought to normal form, each as often as printed."""
_KEPT: Final = 50
"""Results that are remembered."""
_ROW: Final = 70
"""Operations of an equation of motion that is written out."""
_ANSWER: Final = 60
"""Operations of an acceleration that is written out."""
_EXPLICIT: Final = 8
"""How much longer equations may be on request."""
FREEDOMS: Final = 3
"""Freedoms of what is solved."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The rates of the independent speeds, and what must not vanish for them to exist."""

    values: tuple[Node, ...]
    conditions: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """Equations in the independent speeds.

    Attributes:
        rows: What is zero, one for each independent speed.
        factors: What each row was divided by.
        conditions: Parameters among these that must not vanish.
        solved: The accelerations, where they are short.
    """

    rows: tuple[Node, ...]
    factors: tuple[Node, ...]
    conditions: tuple[Node, ...]
    solved: Solved | None


def reduce_equations(
    rows: Sequence[Node],
    u: Sequence[Node],
    ud: Sequence[Node],
    elimination: Elimination | None,
    positive: Collection[Node],
    constant: Collection[Node],
    *,
    is_explicit: bool = False,
) -> Reduced | None:
    """Return the equations of the independent speeds; None if nobody would read them.

    Args:
        rows: What is zero for each speed without constraints, affine in the rates.
        u: The speeds.
        ud: Their rates.
        elimination: Dependent speeds by independent ones; None if all are independent.
        positive: Parameters that are more than zero.
        constant: All parameters.
        is_explicit: Whether long equations are written out, too.
    """
    free = range(len(u)) if elimination is None else elimination.free
    longer = _EXPLICIT if is_explicit else 1
    if written(rows) > longer * _LARGEST:
        return None
    if elimination is not None:
        rows = _project(rows, u, ud, elimination)
    unknowns = tuple(ud[k] for k in free)
    return _remembered(tuple(rows), unknowns, frozenset(positive), frozenset(constant), longer)


@lru_cache(maxsize=_KEPT)
def _remembered(
    rows: tuple[Node, ...],
    unknowns: tuple[Node, ...],
    positive: frozenset[Node],
    constant: frozenset[Node],
    longer: int,
) -> Reduced | None:
    try:
        return _normalise(list(rows), list(unknowns), positive, constant, longer)
    except TooLargeError:
        return None


def _project(
    rows: Sequence[Node], u: Sequence[Node], ud: Sequence[Node], elimination: Elimination
) -> list[Node]:
    """Return C^T rows, with dependent speeds and rates replaced."""
    free, C = elimination.free, elimination.C
    rates: dict[Node, Node] = {}
    speeds: dict[Node, Node] = {}
    for k in elimination.dependent:
        ahead = [mul(c, ud[j]) for c, j in zip(C[k], free, strict=True)]
        rates[ud[k]] = add(*ahead, elimination.g[k])
        if not elimination.conditions and elimination.has_speeds:
            ahead = [mul(c, u[j]) for c, j in zip(C[k], free, strict=True)]
            speeds[u[k]] = add(*ahead, elimination.d[k])
    moved = substitute(substitute(list(rows), rates), speeds)
    return [
        add(*(mul(C[k][position], row) for k, row in enumerate(moved)))
        for position in range(len(free))
    ]


def _normalise(
    rows: list[Node],
    unknowns: list[Node],
    positive: Collection[Node],
    constant: Collection[Node],
    longer: int,
) -> Reduced | None:
    slopes, rest = split(rows, unknowns)
    slopes, rest = _tidy(slopes, rest)
    fractions = Fractions(rest, main=[x for row in slopes for x in row])
    found: list[Node] = []
    factors: list[Node] = []
    whole: list[list[Any]] = []
    for row, constant_part in zip(slopes, rest, strict=True):
        entries, factor = _clear(fractions, [*row, constant_part], positive, constant)
        if entries is None:
            return None
        nodes = [fractions.node(fractions.field(x)) for x in entries]
        value = add(*(mul(x, y) for x, y in zip(nodes, unknowns, strict=False)), nodes[-1])
        if written([value]) > longer * _ROW:
            return None
        whole.append(entries)
        found.append(value)
        factors.append(factor)
    solved = solve_rows(fractions, whole, positive, constant, longer)
    divided = [s for s in free_symbols(factors) if s not in positive]
    return Reduced(tuple(found), tuple(factors), tuple(divided), solved)


def collect(
    row: Node,
    unknowns: Sequence[Node],
    positive: Collection[Node],
    constant: Collection[Node],
) -> Node | None:
    """Return an expression that is affine in the unknowns with what stands at each of these.

    What its coefficients have in common stands in front. None if it is too long for that.
    """
    if written([row]) > _LARGEST // 2:
        return None
    slopes, rest = split([row], unknowns)
    try:
        slopes, rest = _tidy(slopes, rest)
        fractions = Fractions(rest, main=slopes[0])
        entries, factor = _clear(fractions, [*slopes[0], *rest], positive, constant)
    except TooLargeError:
        return None
    if entries is None:
        return None
    size, outside = _split_number(factor)
    inside = fractions(size)
    nodes = [fractions.node(fractions.field(x) * inside) for x in entries]
    value = add(*(mul(x, y) for x, y in zip(nodes, unknowns, strict=False)), nodes[-1])
    return mul(outside, value)


def _split_number(factor: Node) -> tuple[Node, Node]:
    """Return the number in a factor without its sign, and the rest."""
    value, rest = (factor.value, factor.args[0]) if factor.op is SCALE else (1, factor)
    if factor.op is NUMBER:
        value, rest = factor.value, ONE
    return number(abs(value)), scale(1 if value > 0 else -1, rest)


def _tidy(
    slopes: Sequence[Sequence[Node]], rest: Sequence[Node]
) -> tuple[list[list[Node]], list[Node]]:
    """Return coefficients with their angles gathered, so that these become the basis."""
    fractions = Fractions([*(x for row in slopes for x in row), *rest])
    tidied = [[fractions.node(fractions(x)) for x in row] for row in slopes]
    return tidied, [fractions.node(fractions(x)) for x in rest]


def _clear(
    fractions: Fractions,
    entries: Sequence[Node],
    positive: Collection[Node],
    constant: Collection[Node],
) -> tuple[list[Any] | None, Node]:
    """Return a row without denominators and common constant factors, and what it is divided by."""
    ring = fractions.ring
    polynomials, below = fractions.clear([fractions(x) for x in entries])
    # numbers stay where they are: (1 + k/2) x'' is not 2 (1 + k/2) x''
    number = below.content()
    polynomials = [polynomial.quo_ground(number) for polynomial in polynomials]
    below = below.quo_ground(number)
    _, conditions = classify(fractions, below, positive)
    if conditions:
        return None, ONE
    common = ring.zero
    for polynomial in polynomials:
        common = common.gcd(polynomial)
    if common == ring.zero:
        return polynomials, ONE
    divided = _divisible_part(fractions, common, positive, constant)
    polynomials = [polynomial.exquo(divided) for polynomial in polynomials]
    lead = next((p for p in polynomials[:-1] if p != 0), polynomials[-1])
    factor = divide(fractions.polynomial_node(divided), fractions.polynomial_node(below))
    if is_positive(fractions, -lead, positive) or (
        not is_positive(fractions, lead, positive) and _leads_with_minus(lead)
    ):
        polynomials = [-polynomial for polynomial in polynomials]
        factor = mul(factor, fractions.polynomial_node(-ring.one))
    return polynomials, factor


def _divisible_part(
    fractions: Fractions, common: Any, positive: Collection[Node], constant: Collection[Node]
) -> Any:
    """Return the product of the factors of a polynomial that are parameters, or positive."""
    _, factors = common.factor_list()
    part = fractions.ring.one
    for factor, exponent in factors:
        _, conditions = classify(fractions, factor, positive)
        if not conditions or fractions.polynomial_node(factor) in constant:
            part *= factor**exponent
    return part


def _leads_with_minus(polynomial: Any) -> bool:
    signs = [coefficient > 0 for _, coefficient in polynomial.terms()]
    return sum(signs) * 2 < len(signs) or (sum(signs) * 2 == len(signs) and not signs[0])


def solve_rows(
    fractions: Fractions,
    rows: Sequence[Sequence[Any]],
    positive: Collection[Node],
    constant: Collection[Node],
    longer: int = 1,
    most: int = FREEDOMS,
) -> Solved | None:
    """Return the unknowns by Cramer's rule, if they are few and short; the last column is b."""
    n = len(rows)
    if not 0 < n <= most:
        return None
    field = fractions.field
    A = [[field(x) for x in row[:n]] for row in rows]
    b = [-field(row[n]) for row in rows]
    whole = fractions.reduce(field(_determinant(A)))
    if whole == 0:
        return None
    values: list[Node] = []
    conditions: list[Node] = []
    for k in range(n):
        replaced = [[*row[:k], b[i], *row[k + 1 :]] for i, row in enumerate(A)]
        value = fractions.reduce(fractions.reduce(field(_determinant(replaced))) / whole)
        node = fractions.node(value)
        if written([node]) > longer * _ANSWER:
            return None
        values.append(node)
    _, conditions_of_whole = classify(fractions, whole.numer, positive, constant)
    conditions.extend(conditions_of_whole)
    return Solved(tuple(values), tuple(conditions))


def _determinant(A: Sequence[Sequence[Any]]) -> Any:
    if len(A) == 1:
        return A[0][0]
    total: Any = 0 * A[0][0]
    for k, entry in enumerate(A[0]):
        if entry != 0:
            minor = [[*row[:k], *row[k + 1 :]] for row in A[1:]]
            total += (-1) ** k * entry * _determinant(minor)
    return total


def values_of(reduced: Reduced, unknowns: Sequence[Node]) -> Mapping[Node, Node]:
    """Return the solved rates by their symbols; none where they are not solved."""
    if reduced.solved is None:
        return {}
    return dict(zip(unknowns, reduced.solved.values, strict=True))
