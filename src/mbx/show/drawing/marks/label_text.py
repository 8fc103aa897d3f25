r"""Names as people write them: `theta[2]` is θ with the index 2, `\\dot{x}_1` is ẋ with 1.

A label is a row of pieces, each a text and whether it stands below the line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from mbx.language.display_names import Sign, read_display

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.language.display_names import Accented, Item

__all__ = ["Label", "body_label", "plain", "text_width", "variable_label"]

Label: TypeAlias = tuple[tuple[str, bool], ...]

_WORDS: Final = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau
upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega varepsilon
vartheta varphi varrho varsigma
"""
_LETTERS: Final = "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩεϑφϱς"
_GREEK: Final = dict(zip(_WORDS.split(), _LETTERS, strict=True))
_ACCENTS: Final = {
    "dot": "\u0307",
    "ddot": "\u0308",
    "hat": "\u0302",
    "bar": "\u0304",
    "tilde": "\u0303",
    "vec": "\u20d7",
}
_INDEXED: Final = re.compile(r"(.+?)\[(\d+)\]$")
_TAIL: Final = re.compile(r"([A-Za-z]+?)_?(\d+)$")
_BRACKETS: Final = re.compile(r"\[(\d+)\]")
_PLAIN: Final = frozenset({"bar", "body", "element"})
"""Names of the only body of a part, which mean less than the name of the part."""
_LONG: Final = 16
_NARROW: Final = frozenset("ijlt.,:;'|()[]fr ι")
_WIDE: Final = frozenset("mwMWΩΦΨ@%")


def variable_label(path: str, latex: str) -> Label:
    """Return the label of a variable: its display name, or its own name."""
    name = path.rpartition(".")[2]
    indexed = _INDEXED.match(name)
    index = indexed[2] if indexed else ""
    if latex:
        return _with_index(_from_latex(latex), index)
    base = indexed[1] if indexed else name
    return _with_index(_from_name(base), index)


def body_label(path: str) -> Label:
    """Return the label of a body, a point or a frame: its path, shortened where it is long."""
    whole, _, last = path.rpartition(".")
    shown = whole if whole and last in _PLAIN else path
    while len(shown) > _LONG and "." in shown:
        shown = shown.partition(".")[2]
    pieces = _BRACKETS.split(shown)  # text and index in turn
    return tuple((text, k % 2 == 1) for k, text in enumerate(pieces) if text)


def _with_index(label: Label, index: str) -> Label:
    if not index:
        return label
    if label[-1][1]:
        return (*label[:-1], (f"{label[-1][0]},{index}", True))
    return (*label, (index, True))


def _from_name(name: str) -> Label:
    word, tail = name, ""
    match = _TAIL.match(name)
    if match:
        word, tail = match[1], match[2]
    elif "_" in name:
        word, _, tail = name.partition("_")
    base = _GREEK.get(word, word)
    if match is None and not (word in _GREEK or len(word) == 1):
        return ((name, False),)
    return ((base, False), (_GREEK.get(tail, tail), True)) if tail else ((base, False),)


def _from_latex(latex: str) -> Label:
    """Return what a display name shows; a part above the line stands on it."""
    pieces: list[tuple[str, bool]] = []
    for text, below in _pieces(read_display(latex) or ()):
        if pieces and pieces[-1][1] == below:
            pieces[-1] = (pieces[-1][0] + text, below)
        else:
            pieces.append((text, below))
    return tuple(pieces) or ((latex, False),)


def _pieces(name: Sequence[Item]) -> Iterator[tuple[str, bool]]:
    """Yield the signs of a name, and whether they stand below the line."""
    for item in name:
        if isinstance(item.base, Sign):
            yield _letter(item.base), False
        else:
            yield from _accented(item.base)
        for script in item.scripts:
            inside = "".join(text for text, _ in _pieces(script.name))
            yield inside + "'" * script.primes, script.place == "_"


def _letter(sign: Sign) -> str:
    return _GREEK[sign.text] if sign.greek else sign.text


def _accented(name: Accented) -> Iterator[tuple[str, bool]]:
    """Yield the signs of a name; an accent stands above the first of them."""
    mark = _ACCENTS.get(name.accent, "")
    for text, below in _pieces(name.inside):
        accent = "" if text == " " else mark
        yield text + accent, below
        mark = "" if accent else mark


def plain(label: Label) -> str:
    """Return a label without its levels."""
    return "".join(text for text, _ in label)


def text_width(label: Label, size: float) -> float:
    """Return about how wide a label is; fonts differ, so it is on the safe side."""
    width = 0.0
    for text, below in label:
        ems = sum(0.34 if c in _NARROW else 0.86 if c in _WIDE else 0.59 for c in text)
        width += ems * size * (0.72 if below else 1.0)
    return width
