r"""Display names: a closed part of LaTeX, MBX1040.

name   := part+
part   := (letter | digit | Greek | accent "{" name "}") script*
script := ("_" | "^") (one character | Greek | "{" name "}") | prime
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.model.rewrite import nodes_of
from mbx.model.values import Binding, Declaration

if TYPE_CHECKING:
    from mbx.check.context import Context

__all__ = ["GREEK", "check_displays", "display_fault"]

GREEK: Final = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "  # noqa: SIM905  a list of words reads best as words
    "pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega".split()
)
_ACCENTS: Final = frozenset({"dot", "ddot", "hat", "bar", "tilde", "vec", "mathrm", "mathbf"})
_TOKEN: Final = re.compile(r"\\([A-Za-z]+)|([A-Za-z0-9])|([_^{}'])|( )")
_DEEPEST: Final = 8


def display_fault(text: str) -> int | None:
    """Return where a display name goes wrong; none if it is sound."""
    depth, need_group, scripts, empty = 0, False, set[str](), True
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            return position
        command, plain, sign, space = found.groups()
        bad = (need_group and sign != "{") or (
            command is not None and command not in GREEK and command not in _ACCENTS
        )
        if sign == "{":
            depth += 1
            bad = bad or not (need_group or text[position - 1 : position] in {"_", "^"})
            need_group, scripts, empty = False, set(), True
        elif sign == "}":
            depth -= 1
            bad = bad or empty or depth < 0
            empty = False
        elif sign in {"_", "^"}:
            bad = bad or empty or sign in scripts
            scripts.add(sign)
            following = text[position + 1 : position + 2]
            bad = bad or not (following in {"{", "\\"} or following.isalnum())
        elif sign == "'":
            bad = bad or empty
        elif space is None:
            if text[position - 1 : position] not in {"_", "^"} or position == 0:
                scripts = set()
            need_group, empty = command in _ACCENTS, False
        if bad or depth > _DEEPEST:
            return position
        del plain
        position = found.end()
    return None if not (depth or need_group or empty) else max(0, len(text) - 1)


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
