"""Rules for meta and ext."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import suggestion
from mbx.language.document.metadata import META_KEYS, Ext, Meta, MetaEntry
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.language.text.parse import Values

__all__ = ["Data"]

_WORDS: Final = {"true": True, "false": False, "null": None}


class Data(Rules):
    """Rules for meta and ext."""

    def meta(self, at: Span, v: Values) -> Meta:
        return Meta(kind="meta", items=tuple(v)).placed(at)

    def meta_entry(self, at: Span, v: Values) -> MetaEntry:
        key = str(v[0])
        if key not in META_KEYS:
            self._report.add(
                "MBX1016",
                f"meta has no '{key}'",
                at,
                help=suggestion(key, META_KEYS) or "it has " + ", ".join(META_KEYS),
            )
        return MetaEntry(key=key, value=self._text(at, v[1]) or "").placed(at)

    def ext(self, at: Span, v: Values) -> Ext:
        return Ext(kind="ext", key=self._text(at, v[0]) or "", value=v[1]).placed(at)

    def json_object(self, at: Span, v: Values) -> dict[str, Any]:
        value: dict[str, Any] = dict(v)
        if len(value) < len(v):
            self._report.add("MBX2004", "a key stands twice in one object", at, help="keep one")
        return value

    def json_pair(self, at: Span, v: Values) -> tuple[str, Any]:
        return (self._text(at, v[0]) or "", v[1])

    def json_array(self, _at: Span, v: Values) -> list[Any]:
        return v

    def json_string(self, at: Span, v: Values) -> str:
        return self._text(at, v[0]) or ""

    def json_number(self, at: Span, v: Values) -> int | float:
        text = "".join(map(str, v))
        try:
            number: int | float = json.loads(text)
        except json.JSONDecodeError:
            self._no_json(at, text)
            return 0
        return number

    def json_word(self, at: Span, v: Values) -> Any:
        word = str(v[0])
        if word not in _WORDS:
            self._no_json(at, word)
        return _WORDS.get(word)

    def _no_json(self, at: Span, word: str) -> None:
        self._report.add(
            "MBX1017",
            f"'{word}' is no JSON value",
            at,
            help="quote it, or write a number, true, false or null",
        )
