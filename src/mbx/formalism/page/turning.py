"""How bodies turn, on a page whose function is a square of accelerations or velocities.

In a plane a body has one rate; in space it has components in axes in which its inertia is
constant. Components get names where they are longer than a symbol.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import cost
from mbx.expr.build import add, mul, power, scale, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import Literal, Side
from mbx.formalism.page.page_sections import as_vector, is_nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder, Sided

__all__ = [
    "Stated",
    "half_square",
    "quadratic",
    "state_components",
    "state_vector",
    "state_vectors",
]

HALF: Final = Fraction(1, 2)
_PLAIN: Final = 2
"""Operations of a component that has no name of its own."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A vector that a page states, with its components."""

    body: Body
    name: Node
    components: tuple[Node, ...]


def state_vectors(
    page: PageBuilder,
    letter: str,
    vectors: Sequence[tuple[Body, Sequence[Node]]],
) -> dict[Body, Stated]:
    """Write a vector of each body, by the one of another body where that is shorter."""
    stated: list[Stated] = []
    for body, components in vectors:
        stated.append(state_vector(page, letter, body, components, stated))
    return {each.body: each for each in stated}


def state_vector(
    page: PageBuilder,
    letter: str,
    body: Body,
    components: Sequence[Node],
    stated: Sequence[Stated] = (),
) -> Stated:
    """Write a vector of a body, by one that is stated where that is shorter."""
    name = page.name(letter, body.word, is_vector=True)
    page.equal(name, _by_other(stated, body, components))
    return Stated(body, name, tuple(components))


def _by_other(stated: Sequence[Stated], body: Body, components: Sequence[Node]) -> Sided:
    own = cost(components)
    for other in reversed(stated):
        if other.body.axes.R is not body.axes.R or len(other.components) != len(components):
            continue
        if is_nothing(other.components):
            continue
        rest = tidy([sub(x, y) for x, y in zip(components, other.components, strict=True)])
        if is_nothing(rest):
            return other.name
        if cost(rest) + 2 < own:
            return Side((other.name, Literal(tuple(rest))))
    return as_vector(components)


def state_components(
    page: PageBuilder,
    letter: str,
    body: Body,
    components: Sequence[Node],
    *,
    is_indexed: bool,
    is_named: bool = False,
) -> tuple[Node, ...]:
    """Write names for the components of what turns, where they are longer than a symbol.

    Args:
        page: The page.
        letter: What they are called.
        body: The body.
        components: The components; one in a plane.
        is_indexed: Whether the names have that of the body.
        is_named: Whether a symbol has a name, too.
    """
    if len(components) == 1:
        [value] = components
        if cost([value]) <= _PLAIN:
            return (value,)
        name = page.name(letter, body.word)
        page.equal(name, value)
        return (name,)
    found: list[Node] = []
    lines: list[tuple[Sided, Sided]] = []
    for k, value in enumerate(components):
        is_rate = str(value.value) in page.operators
        if value is ZERO or (cost([value]) < _PLAIN and not is_named and not is_rate):
            found.append(value)
            continue
        name = page.name(f"{letter}{k + 1}", body.word if is_indexed else "")
        lines.append((name, value))
        found.append(name)
    if lines:
        page.lines(*lines)
    return tuple(found)


def quadratic(I: Sequence[Sequence[Node]], x: Sequence[Node]) -> Node:  # noqa: E741
    """Return x . I x."""
    n = len(x)
    return add(
        *(mul(I[k][k], power(x[k], 2)) for k in range(n)),
        *(scale(2, mul(I[i][j], x[i], x[j])) for i in range(n) for j in range(i + 1, n)),
    )


def half_square(I: Sequence[Sequence[Node]], x: Sequence[Node]) -> Node:  # noqa: E741
    """Return x . I x/2."""
    return scale(HALF, quadratic(I, x))


def gyroscopic(body: Body, w: Sequence[Node]) -> list[Node]:
    """Return the components of w x I w by those of w; none in a plane."""
    if len(w) == 1:
        return [ZERO]
    I = body.inertia  # noqa: E741
    H = [add(*(mul(I[i][j], w[j]) for j in range(3))) for i in range(3)]
    return tidy(
        [
            sub(mul(w[(k + 1) % 3], H[(k + 2) % 3]), mul(w[(k + 2) % 3], H[(k + 1) % 3]))
            for k in range(3)
        ]
    )


def inertia_of(body: Body) -> list[list[Node]]:
    """Return the inertia by the components that are stated: one number in a plane."""
    if body.plane is not None:
        return [[body.J]]
    return [list(row) for row in body.inertia]
