"""A page: headings, reasons and numbered equations, as data that every notation prints.

Scalars are expressions. What a page names itself, such as a velocity or an energy, is a symbol
among them, and so is an operation on such names: a partial derivative, a rate, a product of
vectors. `PageName` and `Operator` state what these symbols stand for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ONE, ZERO, Node
from mbx.expr.show import show

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Block",
    "Cross",
    "Dot",
    "Equation",
    "Given",
    "Grid",
    "Label",
    "Line",
    "Literal",
    "Math",
    "Note",
    "Operator",
    "Page",
    "PageName",
    "Partial",
    "Prose",
    "Rate",
    "Section",
    "Side",
    "Tree",
    "TreeNode",
    "Variation",
    "is_zero",
    "length",
    "scalar",
    "vector",
]


_LINE: Final = 86
"""Characters of a line of text."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A vector by its components, times a factor."""

    entries: tuple[Node, ...]
    factor: Node = ONE


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an equation: a sum of expressions and of vectors by their components."""

    parts: tuple[Node | Literal, ...]


def scalar(node: Node) -> Side:
    """Return an expression as a side."""
    return Side((node,))


def vector(*entries: Node) -> Side:
    """Return a vector by its components."""
    return Side((Literal(entries),))


# -- names -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageName:
    """A name that a page gives.

    Attributes:
        symbol: The symbol that stands for it in expressions; its text is the name.
        letter: What stands in front of the index, such as `v`, `T`, `F*`.
        index: What it belongs to: a name of the model, or a word; "" if nothing.
        meaning: What it is, for the table of what is given.
        unit: Its unit, where it has one.
        is_vector: Whether it has components.
        is_given: Whether it is listed with the variables, and known from the equations.
        is_zero: Whether it is zero in every motion, and a symbol of its own in what is
            differentiated, as a constraint function is.
    """

    symbol: Node
    letter: str
    index: str = ""
    meaning: str = ""
    unit: str = ""
    is_vector: bool = False
    is_given: bool = False
    is_zero: bool = False


@dataclass(frozen=True, slots=True)
class Partial:
    """The partial derivative of a name that the page defines, by a symbol."""

    of: Node
    by: Node


@dataclass(frozen=True, slots=True)
class Rate:
    """The time derivative of a name, or of a partial derivative, along the motion."""

    of: Node


@dataclass(frozen=True, slots=True)
class Variation:
    """The virtual change of a symbol: any number, while the state is held."""

    of: Node


@dataclass(frozen=True, slots=True)
class Dot:
    """The scalar product of two vectors."""

    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Cross:
    """The vector product of two vectors; in a plane, a number."""

    left: Side
    right: Side


Operator = Partial | Rate | Variation | Dot | Cross


# -- prose -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Math:
    """A formula inside of prose."""

    sides: tuple[Side, ...]
    relation: str = "="


@dataclass(frozen=True, slots=True)
class Label:
    """The number of an equation, inside of prose."""

    number: int


Prose = tuple[str | Math | Label, ...]
"""Words as they are, with formulas and numbers of equations between them."""


# -- blocks ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Equation:
    """Sides that are equal; a first side that is a new name is defined by the second one."""

    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Equations under one number, side by side where they fit."""

    equations: tuple[Equation, ...]
    number: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix with its labels.

    Attributes:
        name: Its name.
        rows: What each row belongs to: a symbol, or a word.
        columns: Likewise; none of a single column.
        entries: Row by row.
    """

    name: str
    rows: tuple[Node | str, ...]
    columns: tuple[Node | str, ...]
    entries: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence between equations."""

    prose: Prose


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a tree: its name, what it has, and the nodes below it."""

    name: str
    content: Prose
    children: tuple[TreeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of subsystems or of bodies."""

    root: TreeNode


Block = Line | Grid | Note | Tree


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a heading, why it is done, and equations.

    Attributes:
        title: The heading.
        reason: One sentence behind it.
        blocks: What follows.
        number: The number of the step; 0 of what is no step.
    """

    title: str
    reason: Prose
    blocks: tuple[Block, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """A sentence or short names below the table of what is given."""

    prose: Prose = ()
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The equations of a model in a form, as a text prints them.

    Attributes:
        title: The form, and how it is used here.
        model: Name of the model.
        subtitle: The title of the model.
        counts: Bodies, coordinates, constraints, degrees of freedom, in words.
        given: What holds on the whole page.
        sections: The steps, the equations and what follows from them.
        names: The names that the page gives, by their text.
        operators: Operations on names, by the text of their symbols.
        known: Names that are entries of results of the equations: the result and its row.
        left_out: How many equations only the full page has.
    """

    title: str
    model: str
    subtitle: str
    counts: tuple[str, ...]
    given: tuple[Given, ...]
    sections: tuple[Section, ...]
    names: Mapping[str, PageName] = field(default_factory=dict)
    operators: Mapping[str, Operator] = field(default_factory=dict)
    known: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    left_out: int = 0

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines of equations, in order."""
        stated = [line for given in self.given for line in given.lines]
        blocks = [block for section in self.sections for block in section.blocks]
        return (*stated, *(block for block in blocks if isinstance(block, Line)))


def is_zero(side: Side) -> bool:
    """Return whether a side is zero."""
    return all(
        part is ZERO if isinstance(part, Node) else all(e is ZERO for e in part.entries)
        for part in side.parts
    )


def length(page: Page) -> int:
    """Return about how many lines of text a page is."""
    lines = len(page.given) + sum(2 for _ in page.sections)
    for line in page.lines:
        texts = [sum(_size(side) for side in e.sides) for e in line.equations]
        lines += max(1, -(-sum(texts) // _LINE))
    return lines + max(len(page.names) // 4, 4)


def _size(side: Side) -> int:
    """Return about how many characters a side is."""
    size = 3
    for part in side.parts:
        nodes = (part,) if isinstance(part, Node) else (part.factor, *part.entries)
        size += sum(len(show(node, limit=2000)) + 2 for node in nodes)
    return size
