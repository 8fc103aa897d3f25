"""The table of what is given on a page: variables to the left, parameters to the right."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.symbol_table import unit
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import NUMBER, Node
from mbx.expr.show import show
from mbx.formalism.page.page import Cross, Dot, Line, Math, Note, Partial, Rate, Variation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.formalism.equations import Quantity, Signature
    from mbx.formalism.page.page import Grid, Page, Prose, Side

__all__ = ["GivenRow", "given_rows", "used_symbols", "write_table"]

_ROWS: Final = 16
_VALUE: Final = 40
_NARROW: Final = 16

GivenRow = tuple[str, str, str]
"""Names, unit, meaning."""


def used_symbols(page: Page) -> set[str]:
    """Return the names of all symbols that stand on a page."""
    nodes: list[Node] = []
    for line in page.lines:
        nodes += [x for e in line.equations for side in e.sides for x in _nodes(side)]
    for section in page.sections:
        nodes += _prose_nodes(section.reason)
        for block in section.blocks:
            if isinstance(block, Note):
                nodes += _prose_nodes(block.prose)
            elif not isinstance(block, Line):
                nodes += list(_grid_nodes(block))
    found = {str(s.value) for s in free_symbols(nodes)}
    pending = [text for text in found if text in page.operators]
    done: set[str] = set()
    while pending:
        text = pending.pop()
        if text in done:
            continue
        done.add(text)
        inner = {str(s.value) for s in free_symbols(list(_operands(page, text)))}
        found |= inner
        pending += [each for each in inner if each in page.operators]
    return found - set(page.operators)


def _operands(page: Page, text: str) -> Iterator[Node]:
    match page.operators[text]:
        case Partial(of, by):
            yield from (of, by)
        case Rate(of) | Variation(of):
            yield of
        case Dot(left, right) | Cross(left, right):
            yield from _nodes(left)
            yield from _nodes(right)


def _nodes(side: Side) -> Iterator[Node]:
    for part in side.parts:
        if isinstance(part, Node):
            yield part
        else:
            yield part.factor
            yield from part.entries


def _prose_nodes(prose: Prose) -> list[Node]:
    return [x for p in prose if isinstance(p, Math) for side in p.sides for x in _nodes(side)]


def _grid_nodes(block: object) -> Iterator[Node]:
    grid: Grid | None = block if hasattr(block, "entries") else None  # type: ignore[assignment]
    if grid is not None:
        yield from (x for x in (*grid.rows, *grid.columns) if isinstance(x, Node))
        yield from (x for row in grid.entries for x in row)


def given_rows(signature: Signature, page: Page) -> tuple[list[GivenRow], list[GivenRow]]:
    """Return the rows of variables and of parameters; names of one meaning share a row."""
    used = used_symbols(page)
    rates = {name.rstrip("'") for name in used}
    variables = [x for x in signature.q if x.path in rates]
    known = {x.path for x in variables}
    variables += [x for x in signature.u if x.path in rates - known]
    variables += [x for x in signature.inputs if x.path.rstrip("'") in rates]
    left = [_row(x) for x in variables]
    left += [(n.symbol.value, unit(n.unit), n.meaning) for n in page.names.values() if n.is_given]
    right = [_row(x) for x in signature.parameters if x.path in used]
    return _shared(left), _shared(right)


def _row(item: Quantity) -> GivenRow:
    meaning = item.meaning
    if item.value is not None:
        value = _number(item.value)
        meaning = f"{meaning} = {value}" if meaning else f"= {value}"
    return item.path, unit(item.unit), meaning


def _number(node: Node) -> str:
    if node.op is NUMBER:
        exact = float(node.value)
        return repr(int(exact)) if exact.is_integer() and abs(exact) < 1e6 else repr(exact)  # noqa: PLR2004
    return show(node, limit=_VALUE)


def _shared(rows: Iterable[GivenRow]) -> list[GivenRow]:
    """Return rows of which those with the same unit and meaning are one."""
    merged: list[GivenRow] = []
    for names, kind, meaning in rows:
        if merged and meaning and merged[-1][1:] == (kind, meaning):
            merged[-1] = (f"{merged[-1][0]}, {names}", kind, meaning)
        else:
            merged.append((names, kind, meaning))
    return merged


def write_table(
    left: Sequence[GivenRow], right: Sequence[GivenRow], width: int, *, is_full: bool
) -> Iterator[str]:
    """Yield the two tables side by side, or below each other where they are wide."""
    half = width // 2
    first = list(_column(left, half - 2))
    second = list(_column(right, width - half - 2))
    fits = all(len(line) <= half - 2 for line in first)
    if fits and first and second:
        count = max(len(first), len(second))
        lines = [f"  {_at(first, k):<{half - 2}}{_at(second, k)}".rstrip() for k in range(count)]
    else:
        lines = [f"  {line}" for part in (left, right) for line in _column(part, width - 2)]
    if not is_full and len(lines) > _ROWS:
        rest = len(lines) - _ROWS + 1
        lines = [*lines[: _ROWS - 1], f"  {rest} more lines: --full"]
    yield from lines


def _at(lines: Sequence[str], k: int) -> str:
    return lines[k] if k < len(lines) else ""


def _column(rows: Sequence[GivenRow], width: int) -> Iterator[str]:
    if not rows:
        return
    names = max(len(row[0]) for row in rows)
    units = max(len(row[1]) for row in rows)
    for name, kind, meaning in rows:
        lead = f"{name:<{names}}  {kind:<{units}}  "
        room = max(width - len(lead), _NARROW)
        first, *more = wrap(meaning, room, break_on_hyphens=False) or [""]
        yield (lead + first).rstrip()
        yield from (" " * len(lead) + line for line in more)
