r"""Display names: a closed part of LaTeX, MBX1040.

name   := part+
part   := (letter | digit | Greek | accent "{" name "}") script*
script := ("_" | "^") (one character | Greek | "{" name "}") | prime
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.language.document.declarations import Binding, Declaration
from mbx.language.document.node import nodes_of

if TYPE_CHECKING:
    from mbx.checking.context import Context

__all__ = ["GREEK", "check_displays", "display_fault"]

GREEK: Final = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "  # noqa: SIM905  a list of words reads best as words
    "pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega".split()
)
_ACCENTS: Final = frozenset({"dot", "ddot", "hat", "bar", "tilde", "vec", "mathrm", "mathbf"})
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)")
_DEEPEST: Final = 8


class _Fault(Exception):  # noqa: N818  never leaves this module
    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def display_fault(text: str) -> int | None:
    """Return where a display name goes wrong; none if it is sound."""
    try:
        end = _name(text, 0, 0)
    except _Fault as bad:
        return bad.at
    return None if end == len(text) else end


def _name(text: str, at: int, depth: int) -> int:
    """Return where a name ends: at the text's end or at a closing brace."""
    if depth > _DEEPEST:
        raise _Fault(at)
    start = at
    while at < len(text) and text[at] != "}":
        at = at + 1 if text[at] == " " else _scripts(text, _base(text, at, depth), depth)
    if not text[start:at].strip():
        raise _Fault(start)
    return at


def _base(text: str, at: int, depth: int) -> int:
    command = _COMMAND.match(text, at)
    if command is not None and command[1] in _ACCENTS:
        return _group(text, command.end(), depth)
    return _sign(text, at)


def _sign(text: str, at: int) -> int:
    """Return the end of a letter, a digit or a Greek letter."""
    command = _COMMAND.match(text, at)
    if command is not None and command[1] in GREEK:
        return command.end()
    if text[at : at + 1].isalnum() and text[at : at + 1].isascii():
        return at + 1
    raise _Fault(min(at, len(text) - 1))


def _group(text: str, at: int, depth: int) -> int:
    if text[at : at + 1] != "{":
        raise _Fault(min(at, len(text) - 1))
    end = _name(text, at + 1, depth + 1)
    if text[end : end + 1] != "}":
        raise _Fault(at)
    return end + 1


def _scripts(text: str, at: int, depth: int) -> int:
    """Return the end of at most one script below, and one above or primes."""
    seen: set[str] = set()
    while text[at : at + 1] in {"_", "^", "'"} and at < len(text):
        sign = text[at]
        place = "_" if sign == "_" else "^"
        if place in seen and not (sign == "'" and text[at - 1] == "'"):
            raise _Fault(at)
        seen.add(place)
        if sign == "'":
            at += 1
        elif text[at + 1 : at + 2] == "{":
            at = _group(text, at + 1, depth)
        else:
            at = _sign(text, at + 1)
    return at


def check_displays(context: Context) -> None:
    """Check the display names of all values and variables."""
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind == "inline_subsystem":
                continue
            for node in nodes_of(statement):
                if isinstance(node, (Declaration, Binding)) and node.latex is not None:
                    where = display_fault(node.latex)
                    if where is not None:
                        shown = node.latex[where : where + 20]
                        context.report.add(
                            "MBX1040",
                            f"display name cannot be read from '{shown}' on",
                            node.at,
                            help="letters, digits, Greek, _ ^ ', \\dot \\ddot \\hat \\bar \\tilde "
                            "\\vec \\mathrm \\mathbf",
                        )
