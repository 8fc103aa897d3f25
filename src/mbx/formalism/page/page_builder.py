"""A page as a converter writes it: sections, numbered lines, and names for what it defines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.build import neg
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.formalism.page.page import (
    Block,
    Cross,
    Dot,
    Equation,
    Given,
    Grid,
    Label,
    Line,
    Literal,
    Math,
    Note,
    Operator,
    Page,
    PageName,
    Partial,
    Prose,
    Rate,
    Section,
    Side,
    Tree,
    TreeNode,
    Variation,
    scalar,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.system.system import System

__all__ = ["PageBuilder", "Sided", "Words"]

Sided = Node | tuple[Node, ...] | Side
"""What stands on one side of an equation: an expression, components of a vector, or a sum."""
Words = str | Node | Side | Math | Label
"""What prose is made of."""

_TEXT_ONLY: Final = frozenset(
    {"sin", "cos", "tan", "sqrt", "exp", "log", "abs", "cross", "pi", "t"}
)
"""Names that mean something else on every page."""


def as_side(value: Sided) -> Side:
    """Return a side of an equation."""
    if isinstance(value, Side):
        return value
    return scalar(value) if isinstance(value, Node) else vector(*value)


def as_prose(words: Sequence[Words]) -> Prose:
    """Return prose of which expressions and sides are formulas."""
    return tuple(
        Math((as_side(word),)) if isinstance(word, Node | Side) else word for word in words
    )


@dataclass(slots=True)
class _Open:
    """A section that is being written."""

    title: str
    reason: Prose
    number: int
    blocks: list[Block] = field(default_factory=list)


class PageBuilder:
    """Collects the sections of a page; names are unique on it, numbers go up."""

    def __init__(self, system: System, title: str, counts: Sequence[str] = ()) -> None:
        """Begin a page of a system."""
        self.system = system
        self.title = title
        self.counts = list(counts)
        self.names: dict[str, PageName] = {}
        self.operators: dict[str, Operator] = {}
        self.known: dict[str, tuple[str, int]] = {}
        self.left_out = 0
        self._by_operator: dict[Operator, Node] = {}
        self._sections: list[_Open] = []
        self._given: list[Given] = []
        self._numbers = 0
        self._steps = 0
        self._taken = _names_of(system)

    # -- names and operators -----------------------------------------------------------------

    def name(
        self,
        letter: str,
        index: str = "",
        *,
        is_vector: bool = False,
        meaning: str = "",
        unit: str = "",
        is_given: bool = False,
        is_zero: bool = False,
    ) -> Node:
        """Return a new name, the letter with an index; numbered where the model has the same."""
        index = index.replace("(", "[").replace(")", "]")  # round ones are products
        text = f"{letter}_{index}" if index else letter
        first, k = letter, 1
        while text in self._taken or text in self.names:
            k += 1
            letter = f"{first}{k}"
            text = f"{letter}_{index}" if index else letter
        node = symbol(text)
        self.names[text] = PageName(
            node, letter, index, meaning, unit, is_vector, is_given, is_zero
        )
        return node

    def partial(self, of: Node, by: Node) -> Node:
        """Return the partial derivative of a name by a symbol."""
        return self._operator(f"∂{of.value}/∂{by.value}", Partial(of, by))

    def rate(self, of: Node) -> Node:
        """Return the time derivative of a name or of a partial derivative."""
        return self._operator(f"d/dt {of.value}", Rate(of))

    def variation(self, of: Node) -> Node:
        """Return the virtual change of a symbol of the model."""
        return self._operator(f"δ{of.value}", Variation(of))

    def dot(self, left: Sided, right: Sided) -> Node:
        """Return the scalar product of two vectors."""
        operator = Dot(as_side(left), as_side(right))
        return self._operator(f"dot {len(self.operators)}", operator)

    def cross(self, left: Sided, right: Sided) -> Node:
        """Return the vector product of two vectors."""
        operator = Cross(as_side(left), as_side(right))
        return self._operator(f"cross {len(self.operators)}", operator)

    def _operator(self, text: str, operator: Operator) -> Node:
        if operator not in self._by_operator:
            self._by_operator[operator] = symbol(text)
            self.operators[text] = operator
        return self._by_operator[operator]

    # -- blocks ------------------------------------------------------------------------------

    def step(self, title: str, *reason: Words) -> None:
        """Begin the next numbered step."""
        self._steps += 1
        self._sections.append(_Open(title, as_prose(reason), self._steps))

    def section(self, title: str, *reason: Words) -> None:
        """Begin a section that is no step."""
        self._sections.append(_Open(title, as_prose(reason), 0))

    def drop_empty(self) -> None:
        """Take the last section back if nothing was written in it."""
        last = self._sections[-1]
        if not last.blocks:
            self._sections.pop()
            self._steps -= last.number > 0

    def equal(self, *sides: Sided, note: str = "") -> Label:
        """Add the line of an equation, and return its number."""
        return self.lines(sides, note=note)

    def lines(self, *equations: Sequence[Sided], note: str = "") -> Label:
        """Add equations under one number, and return it."""
        made = self._line(equations, note)
        self._sections[-1].blocks.append(made)
        return Label(made.number)

    def _line(self, equations: Sequence[Sequence[Sided]], note: str) -> Line:
        self._numbers += 1
        made = tuple(Equation(tuple(as_side(side) for side in sides)) for sides in equations)
        return Line(made, self._numbers, note)

    def grid(
        self,
        name: str,
        rows: Sequence[Node | str],
        columns: Sequence[Node | str],
        entries: Sequence[Sequence[Node]],
    ) -> None:
        """Add a matrix with labels."""
        self._sections[-1].blocks.append(
            Grid(name, tuple(rows), tuple(columns), tuple(map(tuple, entries)))
        )

    def note(self, *words: Words) -> None:
        """Add a sentence."""
        self._sections[-1].blocks.append(Note(as_prose(words)))

    def tree(self, root: TreeNode) -> None:
        """Add a tree of subsystems or bodies."""
        self._sections[-1].blocks.append(Tree(root))

    def given(self, *words: Words) -> None:
        """Add a sentence below the table of what is given."""
        self._given.append(Given(as_prose(words)))

    def given_line(self, *equations: Sequence[Sided]) -> Label:
        """Add short names below the table of what is given."""
        made = self._line(equations, "")
        self._given.append(Given(lines=(made,)))
        return Label(made.number)

    # -- the page ----------------------------------------------------------------------------

    def page(self) -> Page:
        """Return the page; sections without blocks keep their heading where it has a reason."""
        sections = tuple(
            Section(each.title, each.reason, tuple(each.blocks), each.number)
            for each in self._sections
            if each.blocks or each.reason
        )
        return Page(
            title=self.title,
            model=self.system.name,
            subtitle=self.system.title,
            counts=tuple(self.counts),
            given=tuple(self._given),
            sections=sections,
            names=dict(self.names),
            operators=dict(self.operators),
            known=dict(self.known),
            left_out=self.left_out,
        )


def _names_of(system: System) -> set[str]:
    """Return the texts that no name of a page may have."""
    taken = set(_TEXT_ONLY)
    for variable in (*system.q, *system.u):
        taken |= {variable.path + "'" * order for order in range(4)}
    taken |= {str(s.value) + "'" * order for s in system.qd for order in range(3)}
    taken |= {p.path for p in system.parameters}
    for item in system.inputs:
        taken |= {item.path + "'" * order for order in range(3)}
    taken |= {row.path for row in system.rows}
    taken |= {str(row.reaction.value) for row in system.rows if row.reaction is not None}
    for symbols in system.joint_reactions.values():
        taken |= {str(s.value) for s in symbols}
    return taken


def opposite(value: Sided) -> Side:
    """Return minus a side."""
    return Side(
        tuple(
            neg(part) if isinstance(part, Node) else Literal(part.entries, neg(part.factor))
            for part in as_side(value).parts
        )
    )


def zero() -> Side:
    """Return the side 0."""
    return scalar(ZERO)
