r"""Names as MathML, from their LaTeX: the closed part of it that names are made of.

row    := item*
item   := base (("_" | "^") argument | prime)*
base   := sign | Greek | accent "{" row "}" | style "{" row "}" | "{" row "}" | escaped sign

What `mbx.codegen.notation.latex.latex_names` writes is read here again, display names that a
model gives among it, so that a name is made in one place. That is more than a display name may
be: words of any characters, escaped, and letters in styles.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import Final

from mbx.base.diagnostics import safe_text
from mbx.language.display_names import GREEK

__all__ = ["identifier", "letters", "name", "read_greek"]

_TOKEN: Final = re.compile(r"\\([A-Za-z]+)|\\(.)|(.)", re.DOTALL)
_ACCENTS: Final = {
    "dot": "\N{DOT ABOVE}",
    "ddot": "\N{DIAERESIS}",
    "dddot": "\N{HORIZONTAL ELLIPSIS}",
    "hat": "^",
    "bar": "\N{MACRON}",
    "tilde": "~",
    "vec": "\N{RIGHTWARDS ARROW}",
}
_STYLES: Final = {"mathrm": "upright", "mathtt": "mono", "mathbf": "bold", "boldsymbol": "slanted"}
_WORDS: Final = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~"}
_VARIANTS: Final = {
    "varepsilon": "\N{GREEK SMALL LETTER EPSILON}",
    "epsilon": "\N{GREEK LUNATE EPSILON SYMBOL}",
    "vartheta": "\N{GREEK THETA SYMBOL}",
    "varphi": "\N{GREEK SMALL LETTER PHI}",
    "phi": "\N{GREEK PHI SYMBOL}",
}
_OFFSETS: Final = {
    "bold": {
        "A": 0x1D400,
        "a": 0x1D41A,
        "\N{GREEK CAPITAL LETTER ALPHA}": 0x1D6A8,
        "α": 0x1D6C2,
        "0": 0x1D7CE,
    },
    "slanted": {
        "A": 0x1D468,
        "a": 0x1D482,
        "\N{GREEK CAPITAL LETTER ALPHA}": 0x1D71C,
        "α": 0x1D736,
        "0": 0x1D7CE,
    },
}
"""Where bold letters begin in Unicode: MathML has no other way to say that a letter is bold."""
_RUNS: Final = (("A", 26), ("a", 26), ("\N{GREEK CAPITAL LETTER ALPHA}", 25), ("α", 25), ("0", 10))
"""The first of each run of letters, and how many there are."""


def name(latex: str) -> str:
    """Return a name that LaTeX writes so."""
    return _Reader(latex).whole()


def letters(latex: str) -> str:
    """Return a name in one line of text: `θ2`, with everything that stands below or above."""
    return re.sub(r"<[^>]*>", "", name(latex))


def identifier(text: str, style: str = "") -> str:
    """Return a letter or a word; a letter alone is slanted unless it is to be upright."""
    shown = escape(safe_text("".join(_bold(c, style) for c in text)))
    if style == "mono":
        return f'<mtext class="mono">{shown}</mtext>'
    if text.isdecimal():
        return f"<mn>{shown}</mn>"
    upright = ' mathvariant="normal"' if style == "upright" and len(text) == 1 else ""
    return f"<mi{upright}>{shown}</mi>"


def read_greek(word: str) -> str:
    """Return the letter that a command of LaTeX is, as `theta`."""
    if word in _VARIANTS:
        return _VARIANTS[word]
    size = "CAPITAL" if word[0].isupper() else "SMALL"
    spelled = word.upper().replace("LAMBDA", "LAMDA")
    return unicodedata.lookup(f"GREEK {size} LETTER {spelled}")


def _bold(c: str, style: str) -> str:
    """Return a letter in the bold of a style; other characters as they are."""
    offsets = _OFFSETS.get(style)
    if offsets is None:
        return c
    first = next((a for a, size in _RUNS if a <= c < chr(ord(a) + size)), None)
    if first is not None:
        return chr(offsets[first] + ord(c) - ord(first))
    return c


class _Reader:
    """Reads one name from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = [found.groups() for found in _TOKEN.finditer(latex)]
        self.at = 0

    def whole(self) -> str:
        return _row(self._items(""))

    def _peek(self) -> str:
        """Return the next sign if it is one by itself."""
        return self.tokens[self.at][2] or "" if self.at < len(self.tokens) else ""

    def _items(self, style: str) -> list[str]:
        """Return what stands up to the end or a closing brace."""
        found: list[str] = []
        while self.at < len(self.tokens) and self._peek() != "}":
            base = self._base(style)
            below = above = ""
            while (sign := self._peek()) in {"_", "^", "'"} and sign:
                self.at += 1
                if sign == "_":
                    below = self._argument(style)
                elif sign == "^":
                    above = self._argument(style)
                else:
                    above += "<mo>\N{PRIME}</mo>"
            found.append(_scripted(base, below, above))
        return [one for one in found if one]

    def _argument(self, style: str) -> str:
        return self._base("" if style == "slanted" else style)

    def _base(self, style: str) -> str:
        """Return one thing that scripts can stand at."""
        word, escaped, sign = self.tokens[self.at]
        self.at += 1
        if word in GREEK:
            return identifier(read_greek(word), style)
        if word in _ACCENTS:
            return _accented(self._group(style), _ACCENTS[word])
        if word in _STYLES:
            return self._group(_STYLES[word])
        if word or escaped:
            return self._run(_WORDS.get(word, "") if word else escaped, style)
        if sign == "{":
            self.at -= 1
            return self._group(style)
        if sign.isalnum() or style in {"upright", "mono"}:
            return self._run(sign, style)
        return "" if sign == " " else f"<mo>{escape(sign)}</mo>"

    def _run(self, first: str, style: str) -> str:
        """Return a word, a number or a letter that begins with this sign."""
        text = first
        while self.at < len(self.tokens):
            word, escaped, sign = self.tokens[self.at]
            if style in {"upright", "mono", "bold"}:
                more = escaped or _WORDS.get(word or "") or sign
                if not more or (sign and sign in "{}^'" and not escaped) or sign == "_":
                    break
            elif text.isdecimal() and sign and sign.isdecimal():
                more = sign
            else:
                break
            text += more
            self.at += 1
        return identifier(text, style)

    def _group(self, style: str) -> str:
        """Return what stands in braces, or the next sign."""
        if self._peek() != "{":
            return self._base(style)
        self.at += 1
        found = _row(self._items(style))
        self.at += 1
        return found


def _row(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"<mrow>{''.join(items)}</mrow>"


def _accented(base: str, mark: str) -> str:
    # not as an accent: browsers would set it into tall letters
    return f'<mover>{base}<mo stretchy="false">{mark}</mo></mover>'


def _scripted(base: str, below: str, above: str) -> str:
    above = f"<mrow>{above}</mrow>" if above.count("<mo>\N{PRIME}") > 1 else above
    if below and above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    if below:
        return f"<msub>{base}{below}</msub>"
    return f"<msup>{base}{above}</msup>" if above else base
