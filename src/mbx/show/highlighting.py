"""A Pygments lexer for `.mb`: colours in the spec, in notebooks and in LaTeX listings.

The keywords are read out of the grammar, so that the two cannot drift apart. Whether a word
is a keyword or a name depends on the context; here a word before `=`, `:`, `,`, `.`, a prime or
an operator is a name, which is right but for a few odd texts.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from pygments.lexer import RegexLexer, bygroups, default, include
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from mbx.language.text.parse import grammar

__all__ = ["KEYWORDS", "MbLexer"]

KEYWORDS: Final = frozenset(re.findall(r'"([a-z]+)"', grammar()))
"""The words that the grammar spells out."""

_OPERATORS: Final = ("and", "not", "or")
_DECLARING: Final = ("coordinate", "input", "let", "param", "speed", "variable")
_IN_DECLARATION: Final = (*_OPERATORS, "else", "if", "in", "latex", "of", "order", "then")
_CALLED: Final = ("free", "omega", "velocity")
"""Keywords that are also the name of a function or of a joint."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_FACTOR = rf"(?:{_NAME}|{_NUMBER})(?:\s*\^\s*(?:-?\s*[0-9]+|\([-0-9\s/]+\)))?"
_UNIT = rf"{_FACTOR}(?:\s*[*/]\s*{_FACTOR})*"
_NOT_A_NAME = r"\b(?!\s*(?:[=:,.'^*+<>)\]]|!=|/(?!/)))"
"""What follows a word that is a keyword."""


def _keywords(*chosen: str) -> str:
    return rf"\b(?:{'|'.join(sorted(chosen))}){_NOT_A_NAME}"


class MbLexer(RegexLexer):
    """Lexer of multibody models in `.mb` files."""

    name = "mbx model"
    aliases: ClassVar[list[str]] = ["mb"]
    filenames: ClassVar[list[str]] = ["*.mb"]
    mimetypes: ClassVar[list[str]] = ["text/x-mb"]
    url = ""

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (_keywords(*_DECLARING), Keyword.Declaration, "declaration"),
            (rf"\b(model|as)(\s+)({_NAME})", bygroups(Keyword, Whitespace, Name.Class)),
            (rf"\b(use)(\s+)({_NAME})", bygroups(Keyword.Namespace, Whitespace, Name.Class)),
            (
                rf"\b(experiment)(\s+)({_NAME})(\s+)(of)(\s+)({_NAME})",
                bygroups(Keyword, Whitespace, Name, Whitespace, Keyword, Whitespace, Name.Class),
            ),
            (_keywords("subsystem"), Keyword, "instance"),
            include("plain"),
        ],
        # `a: m/s^2 = 9.81 "…" latex "…", b: m` up to the next statement
        "declaration": [
            (rf"(:)(\s*)({_UNIT})", bygroups(Punctuation, Whitespace, Keyword.Type)),
            (rf"(?={_keywords(*KEYWORDS.difference(_IN_DECLARATION))})", Whitespace, "#pop"),
            (r"(?=[{}])", Whitespace, "#pop"),
            include("plain"),
        ],
        # `left: DCMotor(k = 1), right: DCMotor(k = 2)`, or `U(length = a) {`
        "instance": [
            include("blank"),
            (rf"(?={_keywords(*KEYWORDS)})", Whitespace, "#pop"),
            (rf"(:)(\s*)({_NAME})", bygroups(Punctuation, Whitespace, Name.Class)),
            (_NAME, Name),
            (r"[\[(]", Punctuation, "bracket"),
            (r",", Punctuation),
            default("#pop"),
        ],
        "bracket": [
            (r"[\[(]", Punctuation, "#push"),
            (r"[\])]", Punctuation, "#pop"),
            include("plain"),
        ],
        "plain": [
            include("blank"),
            (r'"', String.Double, "string"),
            (rf"({_NUMBER})(\s*)(\[\s*{_UNIT}\s*\])", bygroups(Number, Whitespace, Keyword.Type)),
            (
                rf"({_NUMBER})(\s*)(?!(?:{'|'.join(sorted(KEYWORDS))})\b)({_NAME})",
                bygroups(Number, Whitespace, Keyword.Type),
            ),
            (_NUMBER, Number),
            (_keywords(*_OPERATORS), Operator.Word),
            (rf"\b(?:{'|'.join(_CALLED)})(?=\()", Name.Function),
            (_keywords(*KEYWORDS), Keyword),
            (rf"{_NAME}(?=\s*\()", Name.Function),
            (_NAME, Name),
            (r"\.\.|[<>=!]=|[-+*/^=<>']", Operator),
            (r"[\[\](){},.:]", Punctuation),
        ],
        "blank": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
        ],
        "string": [
            (r'[^"\\\n]+', String.Double),
            (r"\\[^\n]", String.Escape),
            (r'"', String.Double, "#pop"),
            (r"(?=\n)", String.Double, "#pop"),
        ],
    }
