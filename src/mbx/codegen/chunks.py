"""Long code in parts: functions of bounded length that share a workspace.

Compilers take more than linear time for one long function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from mbx.codegen.statements import Assign, Body, Loop, texts_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

__all__ = ["Chunk", "Chunks", "chunks", "shared_until"]

Value = TypeVar("Value", bound="Hashable")

_NAME: Final = re.compile(r"\b[vy][0-9]+\b")
LENGTH: Final = 1000
"""Statements in a function."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Statements of one function: what it takes from the workspace, and what it leaves there."""

    statements: tuple[Assign | Loop, ...]
    takes: tuple[str, ...]
    leaves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """A body in parts; `places` says where in the workspace names stand that parts share."""

    chunks: tuple[Chunk, ...]
    entries: tuple[str, ...]
    takes: tuple[str, ...]
    places: dict[str, int]


def shared_until(
    made: Sequence[Iterable[Value]], used: Sequence[Iterable[Value]]
) -> dict[Value, int]:
    """Return the values that parts share, with the last part that needs each.

    `made` and `used` are the values of each part; what is used behind all of them comes last.
    """
    home = {value: k for k, part in enumerate(made) for value in part}
    last = {value: k for k, part in enumerate(used) for value in part}
    return {value: k for value, k in last.items() if k > home[value]}


def chunks(body: Body, length: int = LENGTH) -> Chunks:
    """Return a body in parts of some length; one part, and no workspace, if it is short."""
    if len(body.statements) <= length:
        return Chunks((Chunk(body.statements, (), ()),), body.entries, (), {})
    parts = [body.statements[k : k + length] for k in range(0, len(body.statements), length)]
    made = [set(_made(part)) for part in parts]
    used = [_used(part) for part in parts]
    last = {name for text in body.entries for name in _NAME.findall(text)}
    shared = sorted(shared_until(made, [*used, last]), key=lambda name: (name[0], int(name[1:])))
    places = {name: k for k, name in enumerate(shared)}
    found = tuple(
        Chunk(
            part,
            tuple(sorted(needs - own, key=places.__getitem__)),
            tuple(sorted(own & places.keys(), key=places.__getitem__)),
        )
        for part, own, needs in zip(parts, made, used, strict=True)
    )
    return Chunks(found, body.entries, tuple(sorted(last, key=places.__getitem__)), places)


def _made(part: Sequence[Assign | Loop]) -> Iterator[str]:
    for one in part:
        yield from one.unknowns if isinstance(one, Loop) else (one.name,)


def _used(part: Sequence[Assign | Loop]) -> set[str]:
    return {name for text in texts_of(part) for name in _NAME.findall(text)}
