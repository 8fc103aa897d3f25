"""What two models say differently, statement by statement, in canonical form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mbx.linking.canonical import physics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.linking.linked import Linked

__all__ = ["Change", "changes"]

_LONGEST: Final = 60
"""Characters of a value that is shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that two models have differently; one of them may not have it at all."""

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
    """Return what two models say differently; none, if their canonical forms are the same."""
    one, other = (_statements(physics(each.document)["model"]) for each in (first, second))
    found = []
    for key in dict.fromkeys([*one, *other]):
        a, b = one.get(key), other.get(key)
        if a != b:
            kind, path = key
            found.append(Change(kind, path, *_shown(a, b)))
    return found


def _statements(entries: Iterable[Any], prefix: str = "") -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for entry in entries:
        kind = entry["kind"]
        given = entry.get("name")
        path = prefix + (str(given) if given else "")
        said = entry
        if kind == "subsystem":
            found |= _statements(entry["body"], f"{path}.")
            said = {k: v for k, v in entry.items() if k != "body"}
        key, k = (kind, path or "(unnamed)"), 1
        while key in found:  # statements without a name are told apart by their order
            k += 1
            key = (kind, f"{path or '(unnamed)'} {k}")
        found[key] = said
    return found


def _shown(a: Any, b: Any) -> tuple[str, str]:
    """Return what differs of two entries, as short as it can be told."""
    if a is None or b is None:
        return ("present", "") if b is None else ("", "present")
    keys = [k for k in dict.fromkeys([*a, *b]) if a.get(k) != b.get(k)]
    texts = []
    for entry in (a, b):
        value = entry.get(keys[0]) if len(keys) == 1 else {k: entry.get(k) for k in keys}
        text = json.dumps(value, ensure_ascii=False)
        texts.append(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
    if texts[0] == texts[1]:
        texts = ["…", "… (otherwise)"]
    return texts[0], texts[1]
