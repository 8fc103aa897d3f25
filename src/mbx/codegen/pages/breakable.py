"""Formulas with marks where a line may end, and brackets that are drawn once lines are known.

A mark is a character of the private use area. Marks inside of a fraction, a root or a power are
taken out, for nothing breaks there; a fraction that is longer than a line is written with a slash.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.term_layout import Name
from mbx.codegen.notation.write_sums import SumWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.codegen.notation.term_layout import Atom, Term
    from mbx.codegen.pages.ruler import RulerSums

__all__ = ["BREAK", "CLOSERS", "MARKS", "OPENERS", "BreakableSums", "flag_tall"]

BREAK: Final = "\ue000"
OPENERS: Final = {"\ue001": "(", "\ue003": "[", "\ue005": "(", "\ue007": "["}
CLOSERS: Final = {"\ue002": ")", "\ue004": "]", "\ue006": ")", "\ue008": "]"}
_TALL: Final = dict(zip("\ue001\ue002\ue003\ue004", "\ue005\ue006\ue007\ue008", strict=True))
"""Brackets around what is tall, by those that are not."""
MARKS: Final = frozenset({BREAK, *OPENERS, *CLOSERS})


def flag_tall(text: str, is_tall: Callable[[str], bool]) -> str:
    """Return a formula with the marks of tall brackets around what is tall."""
    characters = list(text)
    stack: list[int] = []
    for k, c in enumerate(text):
        if c in OPENERS:
            stack.append(k)
        elif c in CLOSERS:
            first = stack.pop()
            if is_tall(text[first:k]):
                characters[first], characters[k] = _TALL[text[first]], _TALL[c]
    return "".join(characters)


class BreakableSums(SumWriter):
    """Sums with marks; a notation gives what stands for brackets, and a ruler the widths."""

    __slots__ = ()

    @property
    @abstractmethod
    def measure(self) -> RulerSums:
        """What measures terms."""

    @abstractmethod
    def pair(self, brackets: str, inside: str) -> str:
        """Return something in brackets, `()` or `[]`, that grow with it if it is tall."""

    @abstractmethod
    def lone(self, bracket: str, *, is_tall: bool) -> str:
        """Return a bracket whose other one is on another line."""

    @abstractmethod
    def is_tall(self, text: str) -> bool:
        """Return whether a text needs large brackets."""

    @abstractmethod
    def slash(self) -> str:
        """Return the sign of a division on the line."""

    def seal(self, text: str) -> str:
        """Return a formula that does not break: its brackets drawn, without marks."""
        return self.close(text.replace(BREAK, ""))

    def close(self, text: str) -> str:
        """Return what stands on a line with brackets in the place of their marks."""
        stack: list[tuple[str, str]] = []
        current = ""
        for c in text:
            if c in OPENERS:
                stack.append((c, current))
                current = ""
            elif c in CLOSERS and stack:
                opener, before = stack.pop()
                current = before + self.pair(OPENERS[opener] + CLOSERS[c], current)
            elif c in CLOSERS:
                current += self.lone(CLOSERS[c], is_tall=c in _TALL.values())
            else:
                current += c
        while stack:
            opener, before = stack.pop()
            current = (
                before + self.lone(OPENERS[opener], is_tall=opener in _TALL.values()) + current
            )
        return current.replace(BREAK, "")

    # -- marks -------------------------------------------------------------------------------

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign; a line may end before one that is not the first."""
        text = super().sign(sign, first=first)  # type: ignore[safe-super]
        return text if first else BREAK + text

    def bracketed(self, inside: str) -> str:
        """Return something between marks for brackets."""
        return f"\ue001{inside}\ue002"

    def row_vector(self, entries: Sequence[str], comma: str) -> str:
        """Return components between marks; a line may end behind a comma."""
        return f"\ue003{(comma + BREAK).join(entries)}\ue004"

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others, which do not break."""
        top, bottom = map(self.seal, above), map(self.seal, below)
        return super().fraction(list(top), list(bottom))  # type: ignore[safe-super]

    def root(self, inside: str) -> str:
        """Return a square root."""
        return super().root(self.seal(inside))  # type: ignore[safe-super]

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return super().magnitude(self.seal(inside))  # type: ignore[safe-super]

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom to a power; an operation on names is in brackets."""
        text = self.seal(text)
        if isinstance(atom, Name) and (" " in atom.text or self.is_tall(text)):
            text = self.pair("()", text)
        return self.seal(super().raised(atom, text, power))  # type: ignore[safe-super]

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments."""
        return self.seal(super().call(function, power, args))  # type: ignore[safe-super]

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        parts = map(self.seal, (yes, condition, no))
        return super().cases(*parts)  # type: ignore[safe-super]

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return self.seal(super().negated(condition))  # type: ignore[safe-super]

    def _term(self, term: Term) -> str:
        if not term.below or not self.measure.is_wide(term):
            return super()._term(term)
        top, bottom = self._split(term.number)
        above = [self._factor(f) for f in term.above]
        below = [self._factor(f) for f in term.below]
        unit = self.digits("1")
        if top != unit or not above:
            above.insert(0, top)
        if bottom != unit:
            below.insert(0, bottom)
        divisor = below[0] if len(below) == 1 else self.bracketed(self.product(below))
        return f"{self.product(above)}{BREAK}{self.slash()}{divisor}"
