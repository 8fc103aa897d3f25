r"""The names of a page in LaTeX: what MathML and Typst are made of, and how wide they are.

`v_crank` is `v_{\mathrm{crank}}`, `F*_th1'` is `F_{\dot{\theta}_{1}}^{*}`, a vector is bold.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.latex.latex_names import Names, escape
from mbx.codegen.pages.page_table import used_symbols
from mbx.language.display_names import GREEK

if TYPE_CHECKING:
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page

__all__ = ["PageNames", "measure_name"]

_DOTS: Final = ("", r"\dot", r"\ddot", r"\dddot")
_LETTERS: Final = {"w": r"\omega"}
"""Letters that a page writes with ASCII and a text does not."""
_SPLIT: Final = re.compile(r"([^\W\d_]+)(\d*)(\**)(?:_(.+))?")
_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)

UNIT: Final = 1.25
"""Points of a unit of width, at a size of ten points."""
_SMALL: Final = 0.7
_WIDE: Final = frozenset("mwMW")
_WIDTHS: Final = {",": 2.2, ".": 2.2, "*": 4.0, "(": 3.1, ")": 3.1, "[": 2.2, "]": 2.2, "'": 2.2}
_LETTER: Final = 4.4


class PageNames:
    """The symbols of a page in LaTeX."""

    def __init__(self, signature: Signature, page: Page) -> None:
        """Take the names of the model and of the page; what would look alike is kept apart."""
        self.page = page
        self._of_model = Names(signature)
        groups = (signature.q, signature.u, signature.inputs, signature.parameters)
        more = (signature.higher, signature.highest, signature.derived)
        self._known = {x.path.rstrip("'") for group in (*groups, *more) for x in group}
        self._memory: dict[str, str] = {}
        self._alike: frozenset[str] = frozenset()
        texts = sorted({*page.names, *used_symbols(page), *self._known})
        printed = {text: self._name(text) for text in texts}
        counts = Counter(printed.values())
        self._alike = frozenset(text for text, name in printed.items() if counts[name] > 1)
        self._memory.clear()

    def __call__(self, text: str) -> str:
        """Return a name; as it is in the model where another one would look like it."""
        if text not in self._memory:
            self._memory[text] = self._name(text)
        return self._memory[text]

    def _name(self, text: str) -> str:
        base = text.rstrip("'")
        if text in self._alike and base not in self._known:
            return rf"\mathtt{{{escape(_spell_out(text))}}}"
        name = self.page.names.get(text)
        if name is not None:
            return self._of_page(name.letter, name.index, 0, is_vector=name.is_vector)
        name = self.page.names.get(base)
        if name is not None:
            primes = len(text) - len(base)
            return self._of_page(name.letter, name.index, primes, is_vector=name.is_vector)
        if base in self._known:
            return self._of_model(text)
        found = _SPLIT.fullmatch(text if "_" in base else base)
        if found is None or (len(found[1]) > 1 and not (found[3] or found[4])):
            return self._of_model(text)
        primes = 0 if found[4] else len(text) - len(base)
        letter = f"{found[1]}{found[2]}{found[3]}"
        return self._of_page(letter, found[4] or "", primes, is_vector=False)

    def _of_page(self, letter: str, index: str, primes: int, *, is_vector: bool) -> str:
        """Return a letter with its rates, its index below it, and its mark above."""
        found = re.fullmatch(r"(.*?)(\d*)(\**)", letter)
        assert found is not None  # noqa: S101  any text matches
        word, number, mark = found.groups()
        body = _letter(word)
        if index and word in _LETTERS:
            body = _LETTERS[word]
        if is_vector:
            body = rf"\boldsymbol{{{body}}}"
        if primes:
            body = f"{_DOTS[min(primes, 3)]}{{{body}}}"
        below = ",".join([number] * bool(number) + ([self._index(index)] if index else []))
        text = f"{body}_{{{below}}}" if below else body
        return f"{text}^{{{mark}}}" if mark else text

    def _index(self, text: str) -> str:
        """Return what stands below a letter: a symbol, some of them, or a word."""
        if text.rstrip("'") in self._known:
            return self._of_model(text)
        parts = text.split("_")
        if len(parts) > 1 and all(part.rstrip("'") in self._known for part in parts):
            return ",".join(map(self._of_model, parts))
        return rf"\mathrm{{{escape(_spell_out(text))}}}" if len(text) > 1 else escape(text)


def _letter(word: str) -> str:
    """Return a letter, or a word upright."""
    spelled = _spell_out(word)
    if spelled in GREEK:
        return rf"\{spelled}"
    return word if len(word) == 1 and word.isascii() else rf"\mathrm{{{escape(spelled)}}}"


def _spell_out(text: str) -> str:
    """Return a text with the names of its Greek letters."""
    return "".join(_spell_letter(c) for c in text)


def _spell_letter(c: str) -> str:
    if c.isascii():
        return c
    kind, _, word = unicodedata.name(c, "").rpartition(" ")
    word = word.lower().replace("lamda", "lambda")
    if kind == "GREEK CAPITAL LETTER" and word.capitalize() in GREEK:
        return word.capitalize()
    return word if kind.startswith("GREEK") else c


def measure_name(latex: str) -> int:
    """Return how wide a name is in print, in units; what stands below is as wide as a letter."""
    width, scales, next_scale = 0.0, [1.0], 1.0
    for found in _TOKEN.finditer(latex):
        token = found[0]
        if token in "_^":
            next_scale = _SMALL
        elif token == "{":
            scales.append(scales[-1] * next_scale)
            next_scale = 1.0
        elif token == "}":
            scales.pop()
        elif not (token.startswith("\\") and token[1:] not in GREEK and len(token) > 2):  # noqa: PLR2004
            wide = 6.8 if token in _WIDE else _WIDTHS.get(token, _LETTER)
            width += scales[-1] * next_scale * wide
            next_scale = 1.0
    return round(width + 0.5)
