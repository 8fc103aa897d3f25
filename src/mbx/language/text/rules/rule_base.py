"""What the rules of the grammar share: the report, quoted texts, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Span
from mbx.language.document.document import State
from mbx.language.text.strings import BadEscapeError, unquote

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report
    from mbx.language.document.expressions import Identifier
    from mbx.language.text.parse import Values

__all__ = ["Label", "Rules", "Singular"]


class Label(tuple[str, str]):
    """A description or a display name."""

    __slots__ = ()


class Singular:
    """`expect singular`, before it is joined to its state."""

    def __init__(self, at: Span, state: Identifier | None) -> None:
        """Keep the place, and the state if it is named."""
        self.at = at
        self.state = state


class Rules:
    """A group of rules; faults that are no syntax go to the report."""

    def __init__(self, report: Report) -> None:
        """Keep the report."""
        self._report = report

    def _text(self, at: Span, literal: Any) -> str | None:
        if literal is None:
            return None
        try:
            return unquote(literal)
        except BadEscapeError as bad:
            start = (literal.start_pos or 0) + bad.offset
            self._report.add(
                "MBX1010",
                f"{bad.escape} is no escape",
                Span(at.source, start, start + 2),
                help=r"the escapes are \" \\ \n \t",
            )
            return ""

    def _block(self, items: Values) -> tuple[Any, ...]:
        """Return the statements of a block, with `expect singular` joined to its state."""
        block: list[Any] = []
        for item in items:
            if isinstance(item, Singular):
                self._join(item, block)
            else:
                block.append(item)
        return tuple(block)

    def _join(self, item: Singular, block: list[Any]) -> None:
        last = len(block) - 1
        where = next(
            (
                k
                for k in range(last, -1, -1)
                if isinstance(block[k], State)
                and (block[k].name == item.state if item.state else k == last)
            ),
            None,
        )
        if where is None:
            self._report.add(
                "MBX1018",
                "'expect singular' belongs to no state",
                item.at,
                help="put it behind the state, or name it: expect singular at state NAME",
            )
            return
        state = block[where]
        span = state.at
        if where == last and item.state is None:
            span = Span(span.source, span.start, item.at.end)
        block[where] = state.model_copy(update={"singular": True}).placed(span)
