"""Data about a model that has no physical meaning."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from mbx.language.document.node import Name, Node, Statement, Text

__all__ = ["META_KEYS", "Ext", "Meta", "MetaEntry"]

META_KEYS = (
    "title",
    "author",
    "orcid",
    "licence",
    "doi",
    "derived_from",
    "reference",
    "version",
    "created",
    "note",
)
"""What `meta` can hold; `orcid` belongs to the author before it."""


class MetaEntry(Node):
    """One line of `meta`."""

    key: Name
    value: Text


class Meta(Statement):
    """Title, authors, licence, references."""

    kind: Literal["meta"]
    items: tuple[MetaEntry, ...] = ()


class Ext(Statement):
    """Data of somebody's own, kept as it is."""

    kind: Literal["ext"]
    key: Text
    value: dict[str, JsonValue]

    def __hash__(self) -> int:
        """Hash by key; the value is free JSON."""
        return hash(self.key)
