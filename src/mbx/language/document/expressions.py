"""Expressions as a plain syntax tree, exactly as written.

Sums and products keep all their terms in one node, so the depth of a tree is the nesting
a person wrote. `at` says where a node was written and takes no part in equality.
Meaning (types, units, scopes) is found elsewhere; nothing here is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.base.diagnostics import Span

__all__ = [
    "Call",
    "Comparison",
    "Conditional",
    "Expression",
    "Group",
    "Identifier",
    "Junction",
    "MaterialPoint",
    "Negative",
    "Not",
    "Number",
    "Power",
    "Product",
    "Reference",
    "Segment",
    "Sum",
    "Vector",
    "children",
    "name",
    "number",
    "ungroup",
    "walk",
    "with_children",
]


@dataclass(frozen=True, slots=True)
class _Node:
    at: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Number(_Node):
    """A number as written, with the unit behind it if there is one."""

    text: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a path: a name, perhaps indexed."""

    name: str
    index: Expression | None = None


@dataclass(frozen=True, slots=True)
class Reference(_Node):
    """A path to something named, with its number of primes (time derivatives)."""

    path: tuple[Segment, ...]
    primes: int = 0


@dataclass(frozen=True, slots=True)
class Call(_Node):
    """A function applied to arguments."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MaterialPoint(_Node):
    """`P of B`: the point of body B that is at P now; an argument of velocity, acceleration."""

    point: Expression
    body: Reference


@dataclass(frozen=True, slots=True)
class Sum(_Node):
    """Terms with the sign written before each (the first has "+")."""

    terms: tuple[tuple[Literal["+", "-"], Expression], ...]


@dataclass(frozen=True, slots=True)
class Product(_Node):
    """Factors with the operator written before each (the first has "*")."""

    factors: tuple[tuple[Literal["*", "/"], Expression], ...]


@dataclass(frozen=True, slots=True)
class Negative(_Node):
    """Unary minus."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Power(_Node):
    """base ^ exponent; binds to the right."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Group(_Node):
    """Parentheses as written; they mean nothing beyond their content."""

    content: Expression


@dataclass(frozen=True, slots=True)
class Vector(_Node):
    """A bracket: three components, or rows of a tensor, or a list of values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison(_Node):
    """Two scalars compared."""

    operator: Literal["<", "<=", ">", ">=", "==", "!="]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Junction(_Node):
    """Conditions joined by `and` or by `or`."""

    operator: Literal["and", "or"]
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(_Node):
    """A condition turned round."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Conditional(_Node):
    """if condition then a else b."""

    condition: Expression
    yes: Expression
    no: Expression


Expression: TypeAlias = (
    Number
    | Reference
    | Call
    | MaterialPoint
    | Sum
    | Product
    | Negative
    | Power
    | Group
    | Vector
    | Comparison
    | Junction
    | Not
    | Conditional
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """A declared name: `theta`, `theta[i+1]`, or a whole row of names `m[1..n]`."""

    base: str
    index: Expression | None = None
    last: Expression | None = None
    at: Span | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        """Return the name; indices are shown once they are numbers."""
        if self.index is None:
            return self.base
        index = self.index.text if isinstance(self.index, Number) else "…"
        return f"{self.base}[{index}]"


def number(value: int, at: Span | None = None) -> Number:
    """Return an integer as an expression."""
    return Number(str(value), at=at)


def name(text: str, at: Span | None = None) -> Reference:
    """Return a plain name as an expression."""
    return Reference((Segment(text),), at=at)


def ungroup(expression: Expression) -> Expression:
    """Return the expression inside any parentheses around it."""
    while isinstance(expression, Group):
        expression = expression.content
    return expression


def children(node: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly below a node, in the order written."""
    match node:
        case Number():
            return ()
        case Reference(path):
            return tuple(s.index for s in path if s.index is not None)
        case Call(_, items) | Vector(items) | Junction(_, items):
            return items
        case MaterialPoint(point, body):
            return (point, body)
        case Sum(pairs) | Product(pairs):
            return tuple(e for _, e in pairs)
        case Negative(x) | Group(x) | Not(x):
            return (x,)
        case Power(a, b) | Comparison(_, a, b):
            return (a, b)
        case Conditional(c, a, b):
            return (c, a, b)


def with_children(node: Expression, new: tuple[Expression, ...]) -> Expression:
    """Return the node with other expressions in the places of its children."""
    if all(a is b for a, b in zip(children(node), new, strict=True)):
        return node
    match node:
        case Number():
            return node
        case Reference(path):
            fresh = iter(new)
            segments = tuple(s if s.index is None else Segment(s.name, next(fresh)) for s in path)
            return replace(node, path=segments)
        case Call():
            return replace(node, arguments=new)
        case Vector() | Junction():
            return replace(node, items=new)
        case MaterialPoint(_, body):
            moved = new[1] if isinstance(new[1], Reference) else body
            return replace(node, point=new[0], body=moved)
        case Sum(pairs):
            return replace(node, terms=tuple((s, e) for (s, _), e in zip(pairs, new, strict=True)))
        case Product(pairs):
            return replace(
                node, factors=tuple((s, e) for (s, _), e in zip(pairs, new, strict=True))
            )
        case Negative() | Not():
            return replace(node, operand=new[0])
        case Group():
            return replace(node, content=new[0])
        case Power():
            return replace(node, base=new[0], exponent=new[1])
        case Comparison():
            return replace(node, left=new[0], right=new[1])
        case Conditional():
            return replace(node, condition=new[0], yes=new[1], no=new[2])


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the node and everything below it, parents first."""
    stack: list[Expression] = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))
