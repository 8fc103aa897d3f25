r"""Names as Typst, from their LaTeX: the closed part of it that names are made of.

`\dot{\theta}_{1}` is `dot(θ)_(1)`, `v_{\mathrm{crank}}` is `v_("crank")`. The grammar is that of
`mbx.codegen.notation.mathml.mathml_names`.
"""

from __future__ import annotations

import re
from typing import Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.mathml.mathml_names import read_greek
from mbx.language.display_names import GREEK

__all__ = ["escape", "name", "quoted"]

_TOKEN: Final = re.compile(r"\\([A-Za-z]+)|\\(.)|(.)", re.DOTALL)
_ACCENTS: Final = {
    "dot": "dot",
    "ddot": "dot.double",
    "dddot": "dot.triple",
    "hat": "hat",
    "bar": "macron",
    "tilde": "tilde",
    "vec": "arrow",
}
_WORDS: Final = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~"}
_STYLES: Final = frozenset({"mathrm", "mathtt", "mathbf", "boldsymbol"})
_PLAIN: Final = frozenset(" ,.;:()!?'")


def escape(text: str) -> str:
    """Return a text of which Typst takes every character as it is."""
    return "".join(
        f"\\{c}" if c.isascii() and not c.isalnum() and c not in _PLAIN else c
        for c in safe_text(text)
    )


def quoted(text: str) -> str:
    """Return words that stand inside of a formula."""
    shown = safe_text(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'


def name(latex: str) -> str:
    """Return a name that LaTeX writes so."""
    return _Reader(latex).items()


class _Reader:
    """Reads one name from left to right."""

    def __init__(self, latex: str) -> None:
        self.tokens = [found.groups() for found in _TOKEN.finditer(latex)]
        self.at = 0

    def _peek(self) -> str:
        """Return the next sign if it is one by itself."""
        return self.tokens[self.at][2] or "" if self.at < len(self.tokens) else ""

    def items(self) -> str:
        """Return what stands up to the end or a closing brace."""
        items: list[str] = []
        while self.at < len(self.tokens) and self._peek() != "}":
            sign = self._peek()
            if sign and sign in "_^":
                self.at += 1
                items[-1] += f"{sign}({self._argument()})"
            elif sign == "'":
                self.at += 1
                items[-1] += "'"
            else:
                items.append(self._base())
        return " ".join(item for item in items if item)

    def _base(self) -> str:
        """Return one thing that scripts can stand at."""
        word, escaped, sign = self.tokens[self.at]
        self.at += 1
        if word in GREEK:
            return read_greek(word)
        if word in _ACCENTS:
            return f"{_ACCENTS[word]}({self._argument()})"
        if word in _STYLES:
            return self._styled(word)
        if word or escaped:
            return quoted(_WORDS.get(word, "") if word else escaped)
        if sign == "{":
            self.at -= 1
            return self._argument()
        if sign.isdecimal():
            return self._digits(sign)
        return "" if sign == " " else f"\\{sign}" if sign in "()[]" else sign

    def _digits(self, first: str) -> str:
        text = first
        while self._peek().isdecimal():
            text += self._peek()
            self.at += 1
        return text

    def _argument(self) -> str:
        """Return what stands in braces, or the next sign."""
        if self._peek() != "{":
            return self._base()
        self.at += 1
        inside = self.items()
        self.at += 1
        return inside

    def _styled(self, style: str) -> str:
        """Return letters in a style: bold as they are, words upright."""
        if style == "boldsymbol":
            return f"bold({self._argument()})"
        text = self._word()
        if style == "mathtt":
            return f"mono({quoted(text)})"
        shown = f"upright({text})" if len(text) == 1 and text.isalpha() else quoted(text)
        return f"bold({shown})" if style == "mathbf" else shown

    def _word(self) -> str:
        """Return the characters in braces."""
        text = ""
        self.at += 1
        while self.at < len(self.tokens) and self._peek() != "}":
            word, escaped, sign = self.tokens[self.at]
            self.at += 1
            if word:
                text += _WORDS.get(word, read_greek(word) if word in GREEK else "")
            else:
                text += escaped or ("" if sign == "{" else sign)
        self.at += 1
        return text
