"""What LaTeX, MathML and Typst share on a page: names, a ruler, and formulas that break."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from mbx.codegen.pages.breakable import BREAK
from mbx.codegen.pages.page_names import PageNames
from mbx.codegen.pages.ruler import Ruler
from mbx.codegen.pages.typeset_notation import TypesetNotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.pages.breakable import BreakableSums
    from mbx.codegen.pages.prose_formulas import WordFormula
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page

__all__ = ["ROOM", "BreakableNotation"]

ROOM: Final = 336
"""Units of a line of 17 cm, without the number of an equation and its indent."""


class BreakableNotation(TypesetNotation):
    """Writes mathematics with marks where a line may end.

    Attributes:
        sums: What writes sums.
        ruler: What measures them.
        room: Units of a line.
        between: What stands between two equations on a line.
        stop: What stands behind an equation that others follow, on the next line.
        comma: What stands between components of a vector.
    """

    sums: BreakableSums
    between: str
    stop: str
    comma: str

    def __init__(self, signature: Signature, page: Page, room: int = ROOM) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page)
        self.room = room
        self.names = PageNames(signature, page)
        self.ruler = Ruler(signature, page, self.names)

    def vector(self, entries: Sequence[str]) -> str:
        """Return a vector by its components."""
        return self.sums.row_vector(entries, self.comma)

    def relation(self, sign: str) -> str:
        """Return what stands between two sides: `=`, `≠`."""
        return BREAK + self.related(sign)

    def prose_formula(self, formula: WordFormula) -> str:
        """Return a formula that stands in words."""
        text = last = ""
        for token in formula.tokens:
            match token.kind:
                case "power":
                    piece = self.superscript(last, token.text[1:])
                    text = text.removesuffix(last)
                case "partial":
                    piece = self.partial(self.symbol(token.text), self.symbol(token.by))
                case "rate":
                    piece = self.rate("")
                case "name":
                    piece = self.symbol(token.text)
                case _:
                    is_first = last == "" or last in {self.mark(x) for x in "=+-·([,"}
                    piece = self.mark(token.text, is_first=is_first)
            text += f" {piece}" if text and token.kind in {"name", "partial", "rate"} else piece
            last = piece
        return self.sums.close(text)

    @abstractmethod
    def superscript(self, base: str, mark: str) -> str:
        """Return a letter with a power, `T` or `-1`, that stands in words."""

    @abstractmethod
    def mark(self, text: str, *, is_first: bool = False) -> str:
        """Return a sign or a number that stands in words."""

    @abstractmethod
    def related(self, sign: str) -> str:
        """Return a sign of relation with what is around it."""

    @abstractmethod
    def remark(self, text: str) -> str:
        """Return words behind an equation."""
