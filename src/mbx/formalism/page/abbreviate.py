"""Short names for the sine and cosine that stand most often on a page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import FUNCTION, Node, symbol
from mbx.expr.show import show
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
    Page,
    PageName,
    Prose,
    Side,
    Tree,
    TreeNode,
    scalar,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mbx.formalism.page.page import Operator

__all__ = ["abbreviate"]

_OFTEN: Final = 8
"""Uses of a sine and cosine together from which they get short names."""
_LETTERS: Final = {"sin": "s", "cos": "c"}


def abbreviate(page: Page, taken: Collection[str]) -> Page:
    """Return a page with `s` and `c` for the sine and cosine of the angle that saves most.

    Args:
        page: The page.
        taken: Names that mean something else.
    """
    used = set(taken) | set(page.names)
    if used & set(_LETTERS.values()):
        return page
    counts = _count(page)
    angles: Counter[Node] = Counter()
    for node, count in counts.items():
        angles[node.args[0]] += count
    often = {a: n * len(show(a)) for a, n in angles.items() if n >= _OFTEN}
    if not often:
        return page
    angle = max(often, key=lambda a: (often[a], -a.order))
    nodes = [n for n in counts if n.args[0] is angle]
    short = {node: symbol(_LETTERS[node.value]) for node in nodes}
    return _Shortened(short).page(page)


def _count(page: Page) -> Counter[Node]:
    """Return how often each sine and cosine is printed."""
    counts: Counter[Node] = Counter()
    for side in _sides(page):
        for part in side.parts:
            nodes = (part,) if isinstance(part, Node) else (part.factor, *part.entries)
            for node in nodes:
                for inner, times in _printed(node).items():
                    if inner.op is FUNCTION and inner.value in _LETTERS:
                        counts[inner] += times
    return counts


def _printed(node: Node) -> Counter[Node]:
    """Return how often each part of an expression is printed."""
    times: Counter[Node] = Counter({node: 1})
    for part in reversed(ordered([node])):
        for arg in part.args:
            times[arg] += times[part]
    return times


def _sides(page: Page) -> Iterator[Side]:
    for line in page.lines:
        for equation in line.equations:
            yield from equation.sides
    for operator in page.operators.values():
        if isinstance(operator, Dot | Cross):
            yield from (operator.left, operator.right)


class _Shortened:
    """Puts names in the place of expressions, everywhere on a page."""

    def __init__(self, short: Mapping[Node, Node]) -> None:
        self.short = short

    def page(self, page: Page) -> Page:
        """Return the page with a first line that defines the names; the numbers move on."""
        first = Line(
            tuple(
                Equation((scalar(name), scalar(node)))
                for node, name in sorted(self.short.items(), key=lambda x: -ord(x[1].value))
            ),
            1,
        )
        names = {str(name.value): PageName(name, str(name.value)) for name in self.short.values()}
        return replace(
            page,
            given=(
                *(Given(self.prose(g.prose), tuple(map(self.line, g.lines))) for g in page.given),
                Given(lines=(first,)),
            ),
            sections=tuple(
                replace(
                    section,
                    reason=self.prose(section.reason),
                    blocks=tuple(self.block(block) for block in section.blocks),
                )
                for section in page.sections
            ),
            names={**names, **page.names},
            operators={text: self.operator(each) for text, each in page.operators.items()},
        )

    def node(self, node: Node) -> Node:
        return substitute([node], self.short)[0]

    def side(self, side: Side) -> Side:
        return Side(
            tuple(
                self.node(part)
                if isinstance(part, Node)
                else Literal(tuple(map(self.node, part.entries)), self.node(part.factor))
                for part in side.parts
            )
        )

    def operator(self, operator: Operator) -> Operator:
        if isinstance(operator, Dot | Cross):
            return type(operator)(self.side(operator.left), self.side(operator.right))
        return operator

    def prose(self, prose: Prose) -> Prose:
        return tuple(
            Label(part.number + 1)
            if isinstance(part, Label)
            else Math(tuple(map(self.side, part.sides)), part.relation)
            if isinstance(part, Math)
            else part
            for part in prose
        )

    def line(self, line: Line) -> Line:
        equations = tuple(Equation(tuple(map(self.side, e.sides))) for e in line.equations)
        return Line(equations, line.number + 1, line.note)

    def block(self, block: Block) -> Block:
        match block:
            case Line():
                return self.line(block)
            case Grid():
                entries = tuple(tuple(map(self.node, row)) for row in block.entries)
                return replace(block, entries=entries)
            case Note():
                return Note(self.prose(block.prose))
            case Tree():
                return Tree(self.tree(block.root))

    def tree(self, node: TreeNode) -> TreeNode:
        children = tuple(map(self.tree, node.children))
        return TreeNode(node.name, self.prose(node.content), children)
