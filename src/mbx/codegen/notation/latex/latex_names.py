r"""Names and texts as LaTeX: nothing of a model reaches it unescaped.

`theta[2]` is `\theta_{2}`, `arm.q1` is `q_{1}^{\mathrm{arm}}`, `q'` is `\dot{q}`. A display
name that a model gives stands in the place of the letter, if it is in the closed subset.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

from mbx.language.display_names import GREEK, display_fault, split

if TYPE_CHECKING:
    from mbx.formalism.equations import Signature

__all__ = ["Names", "escape", "matrix_name"]

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_LATIN: Final = 0x17F  # the last letter that LaTeX knows without further packages
# dashes, quotation marks, daggers, bullet, dots, euro, trade mark
_PUNCTUATION: Final = frozenset(
    map(
        chr,
        (0x2013, 0x2014, *range(0x2018, 0x201B), *range(0x201C, 0x201F), *range(0x2020, 0x2023)),
    )
) | frozenset(map(chr, (0x2026, 0x2039, 0x203A, 0x20AC, 0x2122)))
_ACCENTS: Final = ("", r"\dot", r"\ddot", r"\dddot")
_MATRICES: Final = {
    "ud": r"\dot{u}",
    "qd": r"\dot{q}",
    "qdd": r"\ddot{q}",
    "pd": r"\dot{p}",
    "lam": r"\lambda",
    "mu": r"\mu",
    "tau": r"\tau",
    "zd": r"\dot{z}",
    "zdd": r"\ddot{z}",
}

_WHOLE: Final = {
    **_MATRICES,
    "beta": r"\beta",
    "pi": r"\pi",
    "tau0": r"\tau_{0}",
    "tauZ": r"\tau_{Z}",
}
"""Likewise, by its whole name."""
_EXACT: Final = {
    "PiM": r"\Pi\hat{M}",
    "Pif": r"\Pi\hat{f}",
    "arm": r"\mathrm{arm}",
    "hb": r"\bar{h}",
    "hbd": r"\dot{\bar{h}}",
    "hd": r"\dot{h}",
    "wb": r"\bar{w}",
    "wbd": r"\dot{\bar{w}}",
    "wd": r"\dot{w}",
}
"""What sweeps write link by link, by its whole name."""
_LETTERS: Final = {
    **_MATRICES,
    "Fst": r"\hat{F}",
    "Mhat": r"\hat{M}",
    "Mst": r"\hat{M}",
    "Omu": r"\Omega\mu",
    "Vd": r"\dot{V}",
    "Zd": r"\dot{Z}",
    "eta": r"\eta",
    "fhat": r"\hat{f}",
    "gamma": r"\gamma",
    "lambda": r"\lambda",
    "mud": r"\dot{\mu}",
    "rho": r"\rho",
    "rhod": r"\dot{\rho}",
    "vd": r"\dot{v}",
    "yd": r"\dot{y}",
    "ydd": r"\ddot{y}",
    **{letter: letter for letter in "LUabfmx"},
}
"""Likewise; a letter of a sweep may stand in front, and a letter or a digit behind."""
_LETTER: Final = re.compile(
    rf"([dhiv])??({'|'.join(sorted(_LETTERS, key=len, reverse=True))})([a-z0-9]?)"
)
_NUMBERED: Final = re.compile(r"(L[cm]_?)?([A-Za-z]+[0-9]?)((?:_[0-9]+)+)([A-Za-z]*)")


def escape(text: str) -> str:
    """Return a text of which LaTeX takes every character as it is."""
    return "".join(_SPECIAL.get(c) or _character(c) for c in text)


def _character(c: str) -> str:
    """Return a character that fonts of Latin letters have, or how it is said with those."""
    if not c.isprintable():
        return "?"
    if ord(c) <= _LATIN or c in _PUNCTUATION:
        return c
    kind, _, word = unicodedata.name(c, "").lower().rpartition(" ")
    word = word.replace("lamda", "lambda")
    if kind == "greek small letter" and word in GREEK:
        return rf"\ensuremath{{\{word}}}"
    return rf"\texttt{{U+{ord(c):04X}}}"


class Names:
    """The symbols of equations in LaTeX."""

    def __init__(self, signature: Signature) -> None:
        """Take in the display names that a model gives."""
        self._given: dict[str, str] = {}
        self._alike: set[str] = set()
        groups = (signature.q, signature.u, signature.inputs, signature.parameters)
        for one in (quantity for group in groups for quantity in group):
            latex = one.latex
            if one.path.endswith("'"):  # a rate: made from the name of its coordinate
                continue
            if latex and display_fault(latex) is None:
                self._given[one.path] = latex
        paths = {one.path.rstrip("'") for group in (*groups, signature.derived) for one in group}
        uses = Counter(self(path) for path in sorted(paths))
        self._alike = {path for path in paths if uses[self(path)] > 1}

    def __call__(self, name: str) -> str:
        """Return a symbol, its rates with dots; its path where others would look like it."""
        path = name.rstrip("'")
        if path in self._alike:
            return rf"\mathtt{{{escape(name)}}}"
        primes = len(name) - len(path)
        letter, below, above = self._parts(path)
        if primes >= len(_ACCENTS):
            above = [*above, f"({primes})"]
        elif primes:
            letter = f"{_ACCENTS[primes]}{{{letter}}}"
        below_text = f"_{{{','.join(below)}}}" if below else ""
        above_text = f"^{{{','.join(above)}}}" if above else ""
        return f"{letter}{below_text}{above_text}"

    def _parts(self, path: str) -> tuple[str, list[str], list[str]]:
        """Return letter, subscripts and superscripts of a path."""
        *owners, last = path.split(".")
        above = [rf"\mathrm{{{escape(owner)}}}" for owner in owners]
        name, bracket, indices = last.partition("[")
        below = [i.strip() for i in indices.rstrip("]").replace("][", ",").split(",")]
        below = [escape(i) for i in below] if bracket else []
        given = self._given.get(path)
        if given is not None:
            simple = split(given)
            if simple is not None:
                return simple[0], [simple[1], *below], above
            return (
                (given if len(given) == 1 or given[1:] in GREEK else f"{{{given}}}"),
                below,
                above,
            )
        letter, digits = _letter(name)
        return letter, [*digits, *below], above


def _letter(name: str) -> tuple[str, list[str]]:
    """Return the letter of a name, and what stands below it."""
    found = re.fullmatch(r"([A-Za-z]+?)_?([0-9]*)((?:_[A-Za-z0-9]+)*)", name)
    if found is None:
        return rf"\mathrm{{{escape(name)}}}", []
    word, digits, rest = found.groups()
    below = [digits] if digits else []
    below += [rf"\mathrm{{{escape(part)}}}" for part in rest.split("_") if part]
    if word in GREEK:
        return f"\\{word}", below
    return (word if len(word) == 1 else rf"\mathrm{{{word}}}"), below


def matrix_name(name: str, symbol: str = "") -> str:
    """Return the name of a matrix: bold, what follows its first letter below it."""
    symbol = re.sub(r"(\\[a-z]+) ([A-Za-z])$", r"\1{\2}", symbol)
    if symbol and display_fault(symbol) is None:
        return rf"\boldsymbol{{{symbol}}}"
    name = name.rstrip("_")
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None:
        return _of_links(*numbered.groups(default=""))
    if name in _WHOLE:
        return rf"\boldsymbol{{{_WHOLE[name]}}}"
    if name.islower() and len(name) > 2:  # noqa: PLR2004  a word
        return rf"\mathbf{{{escape(name)}}}"
    below = rf"_{{\mathrm{{{escape(name[1:].lstrip('_'))}}}}}" if len(name) > 1 else ""
    return rf"\boldsymbol{{{name[0]}}}{below}"


def _of_links(sweep: str, name: str, numbers: str, tail: str) -> str:
    """Return the name of a matrix of a link, or of a link and another; their numbers below it."""
    mark, letter, more = "", name[0], name[1:]
    found = _LETTER.fullmatch(name)
    if name in _EXACT:
        letter, more = _EXACT[name], ""
    elif found is not None:
        mark, letter, more = found.groups(default="")
        letter = _LETTERS[letter]
    bold = rf"\boldsymbol{{{letter}}}"
    if found is None and name.islower() and len(name) > 3:  # noqa: PLR2004  a word
        bold, more = rf"\mathbf{{{name}}}", ""
    words = [sweep.rstrip("_"), mark, more, tail]
    below = [rf"\mathrm{{{word}}}" for word in words if word] + numbers.split("_")[1:]
    return f"{bold}_{{{','.join(below)}}}"
