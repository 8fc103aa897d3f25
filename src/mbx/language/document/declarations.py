"""Values and variables: what a model computes with."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from mbx.language.document.expressions import Reference
from mbx.language.document.node import Expr, Ident, Name, Node, Ref, Statement, Text, Unit

__all__ = [
    "Binding",
    "Coordinate",
    "Declaration",
    "Function",
    "Input",
    "KeptRate",
    "Let",
    "Param",
    "Range",
    "Speed",
    "Variable",
]


class Range(Node):
    """Bounds of a value, or where a variable is sampled."""

    lower: Expr
    upper: Expr


class Declaration(Node):
    """One declared name: unit, value or start, range, description, display name."""

    name: Ident
    unit: Unit | None = None
    value: Expr | None = None
    range: Range | None = None
    description: Text | None = None
    latex: Text | None = None


class Binding(Node):
    """One named expression."""

    name: Ident
    unit: Unit | None = None
    value: Expr
    description: Text | None = None
    latex: Text | None = None


Declarations = Annotated[tuple[Declaration, ...], Field(min_length=1)]


class Param(Statement):
    """Constants of the model; without a value a pure symbol; `unit: integer` is structural."""

    kind: Literal["param"]
    items: Declarations


class Input(Statement):
    """Quantities that come from outside, possibly functions of time."""

    kind: Literal["input"]
    items: Declarations


class Let(Statement):
    """Names for expressions."""

    kind: Literal["let"]
    items: Annotated[tuple[Binding, ...], Field(min_length=1)]


class Function(Statement):
    """A scalar function of scalars, inlined where it is used."""

    kind: Literal["function"]
    name: Name
    arguments: Annotated[tuple[Name, ...], Field(min_length=1)]
    value: Expr


class Coordinate(Statement):
    """Generalized variables of order 0; the value is where an experiment starts."""

    kind: Literal["coordinate"]
    items: Declarations


class Speed(Statement):
    """Generalized variables of order 1."""

    kind: Literal["speed"]
    items: Declarations


class Variable(Statement):
    """A generalized variable of order 2 or more."""

    kind: Literal["variable"]
    item: Declaration
    order: Annotated[int, Field(ge=2, le=8)]


class KeptRate(Statement):
    """`speed psi'`: keep a rate that a definition would eliminate."""

    kind: Literal["kept_rate"]
    rate: Ref

    @field_validator("rate")
    @classmethod
    def _own_rate(cls, rate: Reference) -> Reference:
        if len(rate.path) != 1 or not rate.primes:
            raise PydanticCustomError("mbx_type", "expected the rate of a coordinate of this level")
        return rate
