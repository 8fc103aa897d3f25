"""Pages as JSON, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.errors import EquationsError
from mbx.expr.nodes import Node, symbol
from mbx.formalism.json.page_schema import (
    GridForm,
    LineForm,
    LiteralForm,
    MathForm,
    NoteForm,
    TreeForm,
)
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
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.formalism.json.page_schema import (
        OperatorForm,
        PageForm,
        SectionForm,
        SideForm,
        TreeNodeForm,
    )

__all__ = ["page_nodes", "read_page", "write_page"]


def page_nodes(page: Page) -> Iterator[Node]:
    """Yield all expressions of a page."""
    for name in page.names.values():
        yield name.symbol
    for text, operator in page.operators.items():
        yield _operator_symbol(text)
        match operator:
            case Partial(of, by):
                yield from (of, by)
            case Rate(of) | Variation(of):
                yield of
            case Dot(left, right) | Cross(left, right):
                yield from _side_nodes(left)
                yield from _side_nodes(right)
    for given in page.given:
        yield from _prose_nodes(given.prose)
        for line in given.lines:
            yield from _block_nodes(line)
    for section in page.sections:
        yield from _prose_nodes(section.reason)
        for block in section.blocks:
            yield from _block_nodes(block)


def _operator_symbol(text: str) -> Node:
    return symbol(text)


def _side_nodes(side: Side) -> Iterator[Node]:
    for part in side.parts:
        if isinstance(part, Node):
            yield part
        else:
            yield part.factor
            yield from part.entries


def _prose_nodes(prose: Prose) -> Iterator[Node]:
    for part in prose:
        if isinstance(part, Math):
            for side in part.sides:
                yield from _side_nodes(side)


def _block_nodes(block: Block) -> Iterator[Node]:
    match block:
        case Line():
            for equation in block.equations:
                for side in equation.sides:
                    yield from _side_nodes(side)
        case Grid():
            yield from (x for x in (*block.rows, *block.columns) if isinstance(x, Node))
            yield from (x for row in block.entries for x in row)
        case Note():
            yield from _prose_nodes(block.prose)
        case Tree():
            yield from _tree_nodes(block.root)


def _tree_nodes(node: TreeNode) -> Iterator[Node]:
    yield from _prose_nodes(node.content)
    for child in node.children:
        yield from _tree_nodes(child)


# -- writing ---------------------------------------------------------------------------------


def write_page(page: Page, indices: Mapping[Node, int]) -> dict[str, Any]:
    """Return a page as plain data."""
    return _Writer(indices).page(page)


class _Writer:
    """Writes the parts of a page with the numbers of nodes."""

    def __init__(self, indices: Mapping[Node, int]) -> None:
        self.indices = indices

    def page(self, page: Page) -> dict[str, Any]:
        return {
            "title": page.title,
            "model": page.model,
            "subtitle": page.subtitle,
            "counts": list(page.counts),
            "given": [
                {"prose": self.prose(g.prose), "lines": [self.block(x) for x in g.lines]}
                for g in page.given
            ],
            "sections": [
                {
                    "title": section.title,
                    "reason": self.prose(section.reason),
                    "blocks": [self.block(block) for block in section.blocks],
                    "number": section.number,
                }
                for section in page.sections
            ],
            "names": [
                {
                    "symbol": self.indices[name.symbol],
                    "letter": name.letter,
                    "index": name.index,
                    "meaning": name.meaning,
                    "unit": name.unit,
                    "is_vector": name.is_vector,
                    "is_given": name.is_given,
                    "is_zero": name.is_zero,
                }
                for name in page.names.values()
            ],
            "operators": [
                self.operator(text, operator) for text, operator in page.operators.items()
            ],
            "known": {name: [key, row] for name, (key, row) in page.known.items()},
            "left_out": page.left_out,
        }

    def operator(self, text: str, operator: Operator) -> dict[str, Any]:
        data: dict[str, Any] = {"symbol": self.indices[_operator_symbol(text)]}
        match operator:
            case Partial(of, by):
                data |= {"kind": "partial", "of": self.indices[of], "by": self.indices[by]}
            case Rate(of):
                data |= {"kind": "rate", "of": self.indices[of]}
            case Variation(of):
                data |= {"kind": "variation", "of": self.indices[of]}
            case Dot(left, right):
                data |= {"kind": "dot", "left": self.side(left), "right": self.side(right)}
            case Cross(left, right):
                data |= {"kind": "cross", "left": self.side(left), "right": self.side(right)}
        return data

    def side(self, side: Side) -> dict[str, Any]:
        return {
            "parts": [
                self.indices[part]
                if isinstance(part, Node)
                else {
                    "entries": [self.indices[x] for x in part.entries],
                    "factor": self.indices[part.factor],
                }
                for part in side.parts
            ]
        }

    def prose(self, prose: Prose) -> list[Any]:
        return [
            part
            if isinstance(part, str)
            else part.number
            if isinstance(part, Label)
            else {"sides": [self.side(x) for x in part.sides], "relation": part.relation}
            for part in prose
        ]

    def block(self, block: Block) -> dict[str, Any]:
        match block:
            case Line():
                return {
                    "kind": "line",
                    "equations": [[self.side(x) for x in e.sides] for e in block.equations],
                    "number": block.number,
                    "note": block.note,
                }
            case Grid():
                return {
                    "kind": "grid",
                    "name": block.name,
                    "rows": [self.label(x) for x in block.rows],
                    "columns": [self.label(x) for x in block.columns],
                    "entries": [[self.indices[x] for x in row] for row in block.entries],
                }
            case Note():
                return {"kind": "note", "prose": self.prose(block.prose)}
            case Tree():
                return {"kind": "tree", "root": self.tree(block.root)}

    def label(self, label: Node | str) -> int | str:
        return label if isinstance(label, str) else self.indices[label]

    def tree(self, node: TreeNode) -> dict[str, Any]:
        return {
            "name": node.name,
            "content": self.prose(node.content),
            "children": [self.tree(child) for child in node.children],
        }


# -- reading ---------------------------------------------------------------------------------


def read_page(form: PageForm, nodes: Sequence[Node]) -> Page:
    """Return a page from its form; raise `EquationsError` where a name is no symbol."""
    return _Reader(nodes).page(form)


class _Reader:
    """Reads the parts of a page."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes

    def page(self, form: PageForm) -> Page:
        names = [
            PageName(
                self.symbol(x.symbol),
                x.letter,
                x.index,
                x.meaning,
                x.unit,
                x.is_vector,
                x.is_given,
                x.is_zero,
            )
            for x in form.names
        ]
        return Page(
            title=form.title,
            model=form.model,
            subtitle=form.subtitle,
            counts=tuple(form.counts),
            given=tuple(
                Given(self.prose(g.prose), tuple(self.line(x) for x in g.lines)) for g in form.given
            ),
            sections=tuple(self.section(x) for x in form.sections),
            names={str(x.symbol.value): x for x in names},
            operators={str(self.symbol(x.symbol).value): self.operator(x) for x in form.operators},
            known={name: (str(key), int(row)) for name, (key, row) in form.known.items()},
            left_out=form.left_out,
        )

    def symbol(self, index: int | None) -> Node:
        if index is None or self.nodes[index].op != "symbol":
            raise EquationsError("a name of the page is no symbol")
        return self.nodes[index]

    def section(self, form: SectionForm) -> Section:
        return Section(
            form.title,
            self.prose(form.reason),
            tuple(self.block(x) for x in form.blocks),
            form.number,
        )

    def operator(self, form: OperatorForm) -> Operator:
        if form.kind == "partial":
            return Partial(self.symbol(form.of), self.symbol(form.by))
        if form.kind == "rate":
            return Rate(self.symbol(form.of))
        if form.kind == "variation":
            return Variation(self.symbol(form.of))
        if form.left is None or form.right is None:
            raise EquationsError("a product of the page lacks a factor")
        left, right = self.side(form.left), self.side(form.right)
        return Dot(left, right) if form.kind == "dot" else Cross(left, right)

    def side(self, form: SideForm) -> Side:
        return Side(
            tuple(
                Literal(tuple(self.nodes[k] for k in part.entries), self.nodes[part.factor])
                if isinstance(part, LiteralForm)
                else self.nodes[part]
                for part in form.parts
            )
        )

    def prose(self, parts: Sequence[str | MathForm | int]) -> Prose:
        return tuple(
            Math(tuple(self.side(x) for x in part.sides), part.relation)
            if isinstance(part, MathForm)
            else Label(part)
            if isinstance(part, int)
            else part
            for part in parts
        )

    def line(self, form: LineForm) -> Line:
        equations = tuple(Equation(tuple(self.side(x) for x in e)) for e in form.equations)
        return Line(equations, form.number, form.note)

    def block(self, form: LineForm | GridForm | NoteForm | TreeForm) -> Block:
        match form:
            case LineForm():
                return self.line(form)
            case GridForm():
                return Grid(
                    form.name,
                    tuple(self.label(x) for x in form.rows),
                    tuple(self.label(x) for x in form.columns),
                    tuple(tuple(self.nodes[k] for k in row) for row in form.entries),
                )
            case NoteForm():
                return Note(self.prose(form.prose))
            case TreeForm():
                return Tree(self.tree(form.root))

    def label(self, label: int | str) -> Node | str:
        return label if isinstance(label, str) else self.symbol(label)

    def tree(self, form: TreeNodeForm) -> TreeNode:
        children = tuple(self.tree(child) for child in form.children)
        return TreeNode(form.name, self.prose(form.content), children)
