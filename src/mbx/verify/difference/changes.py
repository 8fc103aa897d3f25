"""The statements in which two models differ, in canonical form."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import SourceError
from mbx.language.json.expression_arrays import from_tree
from mbx.language.text.expression_text import show
from mbx.linking.canonical import physics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.linking.link import Linked

__all__ = ["Change", "changes"]

_LONGEST: Final = 60
"""Characters of a value that is shown."""
_UNNAMED: Final = frozenset({"clauses", "value", "items"})
"""Keys that are not named where a part of a statement is."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that differs between two models; either may not have it at all."""

    kind: str
    path: str
    first: str
    second: str

    def __str__(self) -> str:
        """Return the change in a line."""
        if not self.first or not self.second:
            where = "first" if self.first else "second"
            return f"{self.kind} {self.path}: only in the {where}"
        return f"{self.kind} {self.path}: {self.first} -> {self.second}"


def changes(first: Linked, second: Linked) -> list[Change]:
    """Return the statements that differ; none, if the canonical forms are the same."""
    mine, theirs = (_statements(physics(each.document)["model"]) for each in (first, second))
    differences = []
    for key in dict.fromkeys([*mine, *theirs]):
        a, b = mine.get(key), theirs.get(key)
        if a != b:
            kind, path = key
            if b is None:
                differences.append(Change(kind, path, "present", ""))
            elif a is None:
                differences.append(Change(kind, path, "", "present"))
            else:
                parts = _parts(a, b)
                differences += [
                    Change(kind, f"{path}{where}", *_texts(*pair)) for where, *pair in parts
                ]
    return differences


def _statements(entries: Iterable[Any], prefix: str = "") -> dict[tuple[str, str], Any]:
    statements: dict[tuple[str, str], Any] = {}
    for entry in entries:
        kind = entry["kind"]
        name = entry.get("name")
        path = prefix + (str(name) if name else "")
        content = entry
        if kind == "subsystem":
            statements |= _statements(entry["body"], f"{path}.")
            content = {k: v for k, v in entry.items() if k != "body"}
        key, k = (kind, path or "(unnamed)"), 1
        while key in statements:  # statements without a name are distinguished by their order
            k += 1
            key = (kind, f"{path or '(unnamed)'} {k}")
        statements[key] = content
    return statements


def _parts(a: Any, b: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the least parts of two entries that differ, each with what it is called."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            if a.get(key) != b.get(key):
                inner = where if key in _UNNAMED else f"{where}, {key}"
                yield from _parts(a.get(key), b.get(key), inner)
        return
    clauses = [_clauses(side) for side in (a, b)]
    if all(clauses):
        for kind in dict.fromkeys([*clauses[0], *clauses[1]]):
            left, right = (side.get(kind) for side in clauses)
            if left != right:
                yield from _parts(left, right, f"{where}, {kind}")
        return
    yield where, a, b


def _clauses(entries: Any) -> dict[str, Any]:
    """Return the clauses of a statement by their kind; none where entries are something else."""
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and "kind" in entry for entry in entries
    ):
        return {}
    kinds = [entry["kind"] for entry in entries]
    return dict(zip(kinds, entries, strict=True)) if len(set(kinds)) == len(kinds) else {}


def _texts(a: Any, b: Any) -> tuple[str, str]:
    """Return two parts that differ, cut where they are long, from where they differ on."""
    texts = [_text(part) for part in (a, b)]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    first = max(same - _LONGEST // 2, 0) if max(map(len, texts)) > _LONGEST else 0
    cut = [f"{'…' * bool(first)}{text[first:]}" for text in texts]
    left, right = (t if len(t) <= _LONGEST else f"{t[: _LONGEST - 1]}…" for t in cut)
    return left, right


def _text(part: Any) -> str:
    """Return a part as people write it, where it is an expression; else as JSON."""
    if isinstance(part, list | str | int | float) and not isinstance(part, bool):
        with suppress(SourceError):
            return show(from_tree(part))
    return json.dumps(part, ensure_ascii=False)
