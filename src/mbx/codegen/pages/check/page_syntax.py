"""Mathematics that was read from a page: what every reader returns, and what is evaluated."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Apply",
    "Choose",
    "Columns",
    "Compare",
    "Derivative",
    "Divide",
    "Multiply",
    "Negate",
    "Number",
    "Power",
    "Product",
    "ReadEquation",
    "ReadGrid",
    "ReadPage",
    "Sum",
    "Term",
    "Total",
    "Word",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True)
class Word:
    """A name."""

    text: str


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of terms."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Negate:
    """The opposite of a term."""

    inside: Term


@dataclass(frozen=True, slots=True)
class Multiply:
    """A product, of numbers or of a number and a vector."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Divide:
    """A quotient."""

    above: Term
    below: Term


@dataclass(frozen=True, slots=True)
class Product:
    """A scalar product, or a vector product where `is_cross`."""

    left: Term
    right: Term
    is_cross: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """A power."""

    base: Term
    exponent: Term


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of terms."""

    function: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A vector by its components."""

    entries: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Derivative:
    """The partial derivative of a name that the page defines."""

    of: str
    by: str


@dataclass(frozen=True, slots=True)
class Total:
    """The time derivative of a name or of a partial derivative."""

    of: Word | Derivative


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two terms: `<` or `<=`."""

    left: Term
    word: str
    right: Term


@dataclass(frozen=True, slots=True)
class Choose:
    """One term or another, by a condition."""

    condition: Term
    yes: Term
    no: Term


Term = (
    Number
    | Word
    | Sum
    | Negate
    | Multiply
    | Divide
    | Product
    | Power
    | Apply
    | Columns
    | Derivative
    | Total
    | Compare
    | Choose
)


@dataclass(frozen=True, slots=True)
class ReadEquation:
    """Sides that a page states to be equal, with the text and the number of the equation."""

    sides: tuple[Term, ...]
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class ReadGrid:
    """A matrix that was read: its name, its labels, its entries."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[tuple[Term, ...], ...]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """All mathematics of a page, in order."""

    equations: tuple[ReadEquation, ...]
    grids: tuple[ReadGrid, ...] = ()
