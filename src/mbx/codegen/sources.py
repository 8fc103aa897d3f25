"""Code of mbx that goes into written modules, which do without mbx.

It is ordinary code, typed and tested where it stands; what is asked for is copied with all that
it uses.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Copied", "copied"]

_NOTE: Final = re.compile(r"  # (?:noqa|type: ignore).*")
"""What is said to the tools of mbx, and to nobody else."""


@dataclass(frozen=True, slots=True)
class Copied:
    """Code as text: what it imports, its definitions, and the names of these."""

    imports: tuple[str, ...]
    text: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Definition:
    text: str
    uses: frozenset[str]
    function: bool


def copied(modules: Sequence[str], wanted: Iterable[str]) -> Copied:
    """Return the wanted names of modules, and what they use, in order; imports of mbx are gone."""
    definitions: dict[str, _Definition] = {}
    imports: dict[str, str] = {}
    for module in modules:
        own, taken = _read(module)
        definitions |= own
        imports |= taken
    found: set[str] = set()
    left = list(wanted)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [one for one in definitions[name].uses if one in definitions]
    used = {name for one in found for name in definitions[one].uses}
    kept = [
        f"from {origin} import {', '.join(sorted(n for n in used if imports.get(n) == origin))}"
        for origin in sorted({imports[name] for name in used if name in imports})
    ]
    text = "".join(_spaced(definitions[name] for name in definitions if name in found))
    return Copied(tuple(kept), text, frozenset(found))


def _spaced(definitions: Iterable[_Definition]) -> Iterator[str]:
    for one in definitions:
        yield f"\n\n{one.text}\n" if one.function else f"{one.text}\n"


@cache
def _read(module: str) -> tuple[dict[str, _Definition], dict[str, str]]:
    """Return the definitions of a module by name, and where other names come from."""
    package, _, name = module.rpartition(".")
    source = resources.files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    body = ast.parse(source).body
    definitions: dict[str, _Definition] = {}
    imports: dict[str, str] = {}
    for statement, after in zip(body, [*body[1:], None], strict=True):
        end = statement.end_lineno
        match statement:
            case ast.ImportFrom(module=str(origin), names=names):
                if not origin.startswith(("mbx", "__future__")):
                    imports |= {one.name: origin for one in names}
                continue
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                pass
            case ast.Assign(targets=[ast.Name(id=own)]) | ast.AnnAssign(target=ast.Name(id=own)):
                if isinstance(after, ast.Expr):  # what the constant is, in words
                    end = after.end_lineno
            case _:
                continue
        begin = min(
            [statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))]
        )
        definitions[own] = _Definition(
            "\n".join(_NOTE.sub("", line) for line in lines[begin - 1 : end]),
            frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name)),
            isinstance(statement, ast.FunctionDef | ast.ClassDef),
        )
    definitions.pop("__all__", None)
    return definitions, imports
