"""Formulas in the words of a page, such as `F_r + F*_r = 0`.

Words are a formula if they have a mark that no English word has, or stand next to such a sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Token", "WordFormula", "split_prose"]

_NAME: Final = r"[^\W\d_]\w*(?:\[[\w,]+\])?(?:\.\w+)*\**(?:_[^\W_]\w*)?'*"
_TOKEN: Final = re.compile(
    rf"(?P<rate>d/dt)(?!\w)|∂(?P<of>{_NAME})/∂(?P<by>{_NAME})|(?P<name>{_NAME})"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<power>\^(?:\w+|-\w+))|(?P<sign>[-+=/·≠<>()\[\],∂])"
)
_HALF: Final = re.compile(r"[^\W\d]/\d+")
_SIGNS: Final = frozenset({"=", "+", "-", "·", "≠", "<", ">", "/"})
_ARTICLES: Final = frozenset({"a", "A", "I"})
_LONGEST_PRIMED: Final = 4
"""Letters of a name with a prime that is no possessive."""
_EDGE: Final = re.compile(r"([(]?)(.*?)([).,:;]*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a formula: its kind, and its text; of a partial derivative, two names."""

    kind: str
    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class WordFormula:
    """A formula in words."""

    tokens: tuple[Token, ...]


def split_prose(text: str) -> Iterator[str | WordFormula]:
    """Yield words and the formulas between them."""
    pieces = re.split(r"(\s+)", text)
    words = pieces[::2]
    kinds = [_kind(word) for word in words]
    k = 0
    plain = ""
    while k < len(words):
        end = _formula_end(words, kinds, k)
        if end == k:
            plain += words[k]
            k += 1
        else:
            front, body, back = _edges(" ".join(words[k:end]))
            if plain + front:
                yield plain + front
            yield WordFormula(tuple(_tokens(body)))
            plain = back
            k = end
        if k < len(words):
            plain += pieces[2 * k - 1]
    if plain:
        yield plain


def _formula_end(words: Sequence[str], kinds: Sequence[str], k: int) -> int:
    """Return where a formula ends that begins with a word; the word itself if none does."""
    if kinds[k] == "word" or (kinds[k] == "weak" and not _is_joined(words, kinds, k)):
        return k
    end = k
    while end < len(words) and kinds[end] != "word":
        if kinds[end] == "weak" and end > k and not _continues(words, kinds, end):
            break
        end += 1
        if words[end - 1][-1:] in {".", ":", ";", ","} and kinds[end - 1] != "sign":
            break
    while end > k and kinds[end - 1] == "sign":
        end -= 1
    return end


def _is_joined(words: Sequence[str], kinds: Sequence[str], k: int) -> bool:
    """Return whether a letter or a number begins a formula: a sign or a formula follows."""
    while k < len(words) and kinds[k] == "weak":
        if words[k] in _ARTICLES and not (k + 1 < len(words) and kinds[k + 1] == "sign"):
            return words[k] == "A" and k + 1 < len(words) and _is_joined(words, kinds, k + 1)
        if words[k][-1:] in {".", ":", ";", ","}:
            return False
        k += 1
    return k < len(words) and (kinds[k] == "sign" or kinds[k] == "strong")


def _continues(words: Sequence[str], kinds: Sequence[str], k: int) -> bool:
    """Return whether a letter or a number goes on with a formula before it."""
    before = words[k - 1]
    if words[k].rstrip(".,:;") not in _ARTICLES:
        return True
    return kinds[k - 1] == "sign" or before.startswith("-") or _is_joined(words, kinds, k)


def _kind(word: str) -> str:
    """Return what a word is: `strong`, `weak` or a `sign` of a formula, or a `word`."""
    if word in _SIGNS:
        return "sign"
    _, body, _ = _edges(word)
    tokens = list(_tokens(body))
    if not body or sum(len(t.text) + len(t.by) for t in tokens) == 0:
        return "word"
    spelled = "".join(_spelled(t) for t in tokens)
    if spelled != body or any(a.kind == b.kind == "name" for a, b in pairwise(tokens)):
        return "word"
    marks = _is_minus(body, tokens) or _HALF.fullmatch(body)
    if marks or any(_is_strong(t) for t in tokens):
        return "strong"
    single = len(tokens) == 1 and (tokens[0].kind == "number" or len(body) == 1)
    return "weak" if single else "word"


def _is_minus(body: str, tokens: Sequence[Token]) -> bool:
    return body[0] == "-" and len(tokens) > 1


def _is_strong(token: Token) -> bool:
    if token.kind in {"rate", "partial", "power"}:
        return True
    if token.kind == "sign":
        return token.text in {"=", "+", "·", "≠", "∂"}
    if token.kind != "name":
        return False
    base = token.text.rstrip("'")
    if base != token.text:
        return len(base) <= _LONGEST_PRIMED or "_" in base
    return "_" in base or "*" in base


def _edges(word: str) -> tuple[str, str, str]:
    """Return a word without the punctuation around it; brackets that are closed are its own."""
    found = _EDGE.fullmatch(word)
    assert found is not None  # noqa: S101  any word matches
    front, body, back = found.groups()
    while back.startswith(")") and body.count("(") > body.count(")"):
        body, back = f"{body})", back[1:]
    return front, body, back


def _tokens(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        if found["of"]:
            yield Token("partial", found["of"], found["by"])
        else:
            kind = str(found.lastgroup)
            yield Token(kind, found[0])


def _spelled(token: Token) -> str:
    return f"∂{token.text}/∂{token.by}" if token.kind == "partial" else token.text
