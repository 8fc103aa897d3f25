"""Text before it is parsed: characters, lengths, nesting, quoted strings."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report, Source, Span, safe_text
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from lark import Token

__all__ = ["BadEscapeError", "Comment", "check_tokens", "quote", "scan", "unquote"]


_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_SHOWN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


class BadEscapeError(ValueError):
    """A backslash before something that is no escape; `offset` counts from the first quote."""

    def __init__(self, offset: int, escape: str) -> None:
        """Keep the offset and the escape."""
        super().__init__(escape)
        self.offset = offset
        self.escape = escape


def unquote(literal: str) -> str:
    """Return the text that a quoted literal means."""

    def unescape(escape: re.Match[str]) -> str:
        if escape[1] not in _ESCAPES:
            raise BadEscapeError(escape.start() + 1, escape[0])
        return _ESCAPES[escape[1]]

    return re.sub(r"\\(.)", unescape, literal[1:-1])


def quote(text: str) -> str:
    """Return the literal that means `text`."""
    return '"' + "".join(_SHOWN.get(c, c) for c in text) + '"'


# A string, an unfinished string, a comment, or a character that is not allowed outside them.
_PIECES = re.compile(
    r'(?P<string>"(?:\\.|[^"\\\n])*")'
    r'|(?P<open>"[^\n]*)'
    r"|(?P<comment>//[^\n]*)"
    r"|(?P<stray>[^A-Za-z0-9_ \t\r\n+\-*/^=<>!.,:()\[\]{}'\"]|!(?!=))"
)
_DIGITS = re.compile(r"[0-9]{41}[0-9]*")
_NESTED = re.compile(r"[-(\[{]{201}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_OPEN = {"LPAR", "LSQB", "LBRACE"}
_CLOSE = {"RPAR", "RSQB", "RBRACE"}
_CHAINED = {"CIRCUMFLEX", "NOT"}
_SEPARATORS = {"COMMA", "EQUAL", "COLON"}
_OPERATORS = {
    "PLUS",
    "MINUS",
    "TIMES",
    "OVER",
    "COMMA",
    "EQUAL",
    "COLON",
    "COMPARE",
    "CIRCUMFLEX",
    "LPAR",
    "LSQB",
    "NOT",
}
_HIDDEN = {"Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text without the slashes, and where it stands."""

    text: str
    start: int
    end: int


def scan(source: Source, report: Report) -> tuple[str, list[Comment]]:
    """Check the characters of a text; return it fit for the lexer, and its comments."""
    text = source.text
    refused: list[tuple[int, int]] = []
    comments: list[Comment] = []
    for control in _CONTROL.finditer(text):
        _control(source, control.start(), report)
        refused.append(control.span())
    _lines(source, report, refused)
    for piece in _PIECES.finditer(_blank(text, refused)):
        start, end = piece.span()
        match piece.lastgroup:
            case "comment":
                comments.append(Comment(piece[0][2:].rstrip().replace("\t", "  "), start, end))
                _hidden(source, start, piece[0], report, refused)
            case "string":
                if end - start - 2 > LIMITS.string:
                    report.add(
                        "MBX5004",
                        f"string of {end - start - 2} characters; the limit is {LIMITS.string}",
                        Span(source, start, start + 1),
                    )
                    refused.append((start, end))
                _hidden(source, start, piece[0], report, refused)
            case "open":
                report.add(
                    "MBX1005",
                    "string is not closed on its line",
                    Span(source, start, end),
                    help='end it with "',
                )
                refused.append((start, end))
            case _:
                _stray(source, start, piece[0], report)
                refused.append((start, end))
    return _blank(text, refused), comments


def _blank(text: str, refused: list[tuple[int, int]]) -> str:
    if not refused:
        return text
    pieces, done = [], 0
    for start, end in sorted(refused):
        if start >= done:
            pieces += [text[done:start], " " * (end - start)]
            done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _control(source: Source, start: int, report: Report) -> None:
    report.add(
        "MBX1003",
        f"control character {safe_text(source.text[start])}",
        Span(source, start, start + 1),
        help="remove it",
    )


def _stray(source: Source, start: int, character: str, report: Report) -> None:
    span = Span(source, start, start + 1)
    if _CONTROL.match(character):
        return  # reported already
    if character.isascii():
        report.add("MBX1002", f"'{character}' has no meaning here", span)
    else:
        label = unicodedata.name(character, f"U+{ord(character):04X}").lower()
        report.add(
            "MBX1004",
            f"{safe_text(character)} ({label}) outside of a text or comment",
            span,
            help="names are ASCII letters, digits and underscores",
        )


def _hidden(
    source: Source, start: int, piece: str, report: Report, refused: list[tuple[int, int]]
) -> None:
    if piece.isascii():
        return
    for k, character in enumerate(piece):
        if unicodedata.category(character) in _HIDDEN:
            at = start + k
            report.add(
                "MBX1013",
                f"invisible character {safe_text(character)} in a text or comment",
                Span(source, at, at + 1),
                help="remove it",
            )
            refused.append((at, at + 1))


def _lines(source: Source, report: Report, refused: list[tuple[int, int]]) -> None:
    """Refuse lines that are too long, and report what there is too much of in them."""
    text, start = source.text, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > LIMITS.line:
            code, message, at = _too_long(text, start, end)
            report.add(code, message, Span(source, at, at + 1))
            refused.append((start, end))
        start = end + 1


def _too_long(text: str, start: int, end: int) -> tuple[str, str, int]:
    digits = _DIGITS.search(text, start, end)
    if digits is not None:
        size = digits.end() - digits.start()
        message = f"number of {size} digits; the limit is {LIMITS.integer_digits}"
        return "MBX5005", message, digits.start()
    nested = _NESTED.search(text, start, end)
    if nested is not None:
        return "MBX5002", f"nested deeper than {LIMITS.nesting}", nested.start()
    quote = text.find('"', start, end)
    while quote >= 0:
        close = text.find('"', quote + 1, end)
        close = end if close < 0 else close
        if close - quote > LIMITS.string:
            message = f"string of {close - quote - 1} characters; the limit is {LIMITS.string}"
            return "MBX5004", message, quote
        quote = text.find('"', close + 1, end)
    return "MBX5007", f"line of {end - start} characters; the limit is {LIMITS.line}", start


def check_tokens(source: Source, tokens: list[Token], report: Report) -> bool:
    """Check lengths of words and numbers and the nesting; return whether to go on."""
    nesting = _Nesting()
    primes = 0
    for token in tokens:
        kind = token.type
        if kind == "NUMBER":
            _number(source, token, report)
        elif token[0].isalpha() or token[0] == "_":
            _name(source, token, report)
        nesting.feed(kind)
        primes = primes + 1 if kind == "PRIME" else 0
        start = token.start_pos or 0
        span = Span(source, start, start + 1)
        if nesting.depth > LIMITS.nesting:
            report.add("MBX5002", f"nested deeper than {LIMITS.nesting}", span)
            return False
        if nesting.blocks > LIMITS.levels:
            report.add("MBX5002", f"blocks nested deeper than {LIMITS.levels}", span)
            return False
        if primes > LIMITS.primes:
            report.add("MBX5013", f"more than {LIMITS.primes} primes in a row", span)
            return False
    return True


class _Nesting:
    """How deep the tree of what has been read is: brackets, and chains without brackets.

    `a^b^c`, `not not a` and `--a` nest up to the next operator, `if` up to the end of the
    expression; a bracket interrupts a chain, and its end resumes it. A block behind `else if`
    is one level inside of the block before it, as if it stood in braces.
    """

    def __init__(self) -> None:
        self._outer: list[tuple[int, int]] = []
        self._below = 0
        self._chain = 0
        self._ifs = 0
        self._before = ""
        self._behind_block = False
        self._choices = [0]
        self.blocks = 0

    @property
    def depth(self) -> int:
        return len(self._outer) + self._below + self._chain + self._ifs

    def feed(self, kind: str) -> None:
        """Count one token."""
        self._feed_block(kind)
        if kind in _OPEN:
            self._outer.append((self._chain, self._ifs))
            self._below += self._chain + self._ifs
            self._chain = self._ifs = 0
        elif kind in _CLOSE:
            if self._outer:
                self._chain, self._ifs = self._outer.pop()
                self._below -= self._chain + self._ifs
            if kind == "RBRACE":  # the end of a statement, and of its `if`
                self._chain = self._ifs = 0
        elif kind == "IF":
            self._ifs += 1
        elif kind in _CHAINED or (kind == "MINUS" and self._before in _OPERATORS):
            self._chain += 1
        elif kind in _OPERATORS:
            self._chain = 0
            if kind in _SEPARATORS:
                self._ifs = 0
        self._before = kind

    def _feed_block(self, kind: str) -> None:
        """Count blocks inside of blocks, those of an `else if` behind each other too."""
        if kind == "LBRACE":
            self.blocks += 1
            self._choices.append(0)
        elif kind == "RBRACE":
            self.blocks -= 1
            if len(self._choices) > 1:
                self.blocks -= self._choices.pop()
        elif kind == "IF" and self._before == "ELSE" and self._behind_block:
            self.blocks += 1
            self._choices[-1] += 1
        elif self._before == "RBRACE" and kind != "ELSE":
            self.blocks -= self._choices[-1]
            self._choices[-1] = 0
        self._behind_block = kind == "ELSE" and self._before == "RBRACE"


def _number(source: Source, token: Token, report: Report) -> None:
    start = token.start_pos or 0
    span = Span(source, start, start + min(len(token), 60))
    if len(token) > LIMITS.number_characters:
        report.add(
            "MBX5005",
            f"number of {len(token)} characters; the limit is {LIMITS.number_characters}",
            span,
        )
    elif token.isdigit():
        if len(token) > LIMITS.integer_digits:
            report.add(
                "MBX5005",
                f"integer of {len(token)} digits; the limit is {LIMITS.integer_digits}",
                span,
            )
    else:
        value = float(token)
        zero = not any(c in "123456789" for c in re.split("[eE]", str(token))[0])
        if value > LIMITS.largest_number or (value == 0 and not zero):
            report.add("MBX5005", f"{token} is outside of the numbers that can be kept", span)


def _name(source: Source, token: Token, report: Report) -> None:
    start = token.start_pos or 0
    if len(token) > LIMITS.identifier:
        report.add(
            "MBX5006",
            f"name of {len(token)} characters; the limit is {LIMITS.identifier}",
            Span(source, start, start + len(token)),
        )
    elif token.startswith("_"):
        report.add(
            "MBX3001",
            f"name '{token}' begins with an underscore",
            Span(source, start, start + len(token)),
            help="begin with a letter",
        )
