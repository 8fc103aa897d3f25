r"""Display names, such as `\dot{x}_1`: the closed part of LaTeX that names may be shown in.

name     := item+                              with spaces between items
item     := base ("_" argument | "^" argument | "'"+)*     each of them once, primes as a power
base     := sign | accent "{" name "}"
argument := sign | "{" name "}"
sign     := letter | digit | "\" Greek
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["GREEK", "Accented", "Item", "Script", "Sign", "display_fault", "read_display", "split"]

GREEK: Final = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "  # noqa: SIM905  a list of words reads best as words
    "pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega".split()
)
_ACCENTS: Final = frozenset({"dot", "ddot", "hat", "bar", "tilde", "vec", "mathrm", "mathbf"})
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")
_SIMPLE: Final = re.compile(r"(?P<base>\\?[A-Za-z]+|\\[a-z]+\{\\?[A-Za-z]+\})_(?P<below>.+)")
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class Sign:
    """A letter, a digit, a space, or a Greek letter by its word."""

    text: str
    greek: bool = False


@dataclass(frozen=True, slots=True)
class Accented:
    """A name below an accent, or in an upright or a bold style."""

    accent: str
    inside: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """What stands at a base: below it, `_`, above it, `^`, or primes without a name."""

    place: str
    name: tuple[Item, ...] = ()
    primes: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """A base with its scripts in order."""

    base: Sign | Accented
    scripts: tuple[Script, ...] = ()


class _Fault(Exception):  # noqa: N818  never leaves this module
    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def display_fault(text: str) -> int | None:
    """Return where a display name goes wrong; none if it is sound."""
    try:
        _read(text)
    except _Fault as bad:
        return bad.at
    return None


def read_display(text: str) -> tuple[Item, ...] | None:
    """Return the items of a display name; none if it is not sound."""
    try:
        return _read(text)
    except _Fault:
        return None


def split(text: str) -> tuple[str, str] | None:
    """Return a sound name that is a simple base and what stands below it as these two texts."""
    simple = _SIMPLE.fullmatch(text)
    if simple is None:
        return None
    return simple["base"], simple["below"].removeprefix("{").removesuffix("}")


def _read(text: str) -> tuple[Item, ...]:
    reader = _Reader(text)
    name = reader.name(0)
    if reader.at < len(text):
        raise _Fault(reader.at)
    return name


class _Reader:
    """Reads a name from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self._behind_word = -1  # where a word ended last: one space there belongs to it

    def name(self, depth: int) -> tuple[Item, ...]:
        """Return a name, up to the text's end or a closing brace."""
        if depth > _DEEPEST:
            raise _Fault(self.at)
        start = self.at
        items: list[Item] = []
        while self._next() not in {"", "}"}:
            if self._next() == " ":
                if self.at != self._behind_word:
                    items.append(Item(Sign(" ")))
                self.at += 1
                continue
            base = self._base(depth)
            items.append(Item(base, self._scripts(depth)))
        if not self.text[start : self.at].strip():
            raise _Fault(start)
        return tuple(items)

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _fault(self) -> _Fault:
        return _Fault(min(self.at, len(self.text) - 1))

    def _base(self, depth: int) -> Sign | Accented:
        command = _COMMAND.match(self.text, self.at)
        if command is not None and command[1] in _ACCENTS:
            self.at = command.end()
            return Accented(command[1], self._group(depth))
        return self._sign()

    def _sign(self) -> Sign:
        command = _COMMAND.match(self.text, self.at)
        if command is not None and command[1] in GREEK:
            self.at = self._behind_word = command.end()
            return Sign(command[1], greek=True)
        sign = self._next()
        if not (sign.isalnum() and sign.isascii()):
            raise self._fault()
        self.at += 1
        return Sign(sign)

    def _group(self, depth: int) -> tuple[Item, ...]:
        start = self.at
        if self._next() != "{":
            raise self._fault()
        self.at += 1
        inside = self.name(depth + 1)
        if self._next() != "}":
            raise _Fault(start)
        self.at += 1
        return inside

    def _scripts(self, depth: int) -> tuple[Script, ...]:
        """Return at most one script below, and one above or primes."""
        scripts: dict[str, Script] = {}
        while (sign := self._next()) in {"_", "^", "'"} and sign:
            place = "_" if sign == "_" else "^"
            if place in scripts:
                raise _Fault(self.at)
            if sign == "'":
                start = self.at
                while self._next() == "'":
                    self.at += 1
                scripts[place] = Script(place, primes=self.at - start)
                continue
            self.at += 1
            if self._next() == "{":
                scripts[place] = Script(place, self._group(depth))
            else:
                scripts[place] = Script(place, (Item(self._sign()),))
        return tuple(scripts.values())
