"""The parser, made from the grammar in mb.lark.

Making LALR tables costs half a second, loading them a fraction: `tables.json` holds them with
the grammar's hash. Every version of lark that may be installed reads the same tables. They are
made anew, at each start, only while the grammar is being changed or with a version of lark that
was not tested.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import lark
from lark import Lark

__all__ = ["LARK", "STARTS", "build", "grammar", "parser", "write_tables"]

STARTS: Final = ("document", "expression", "reference", "identifier", "unit")
"""What a text can be: a whole file, or one expression, reference, name or unit."""

LARK: Final = ((1, 1, 9), (1, 4))
"""The first version of lark that reads the stored tables, and the first that was not tested."""

_TABLES: Final = "tables.json"
_RECENT_OPTIONS: Final = ("cache_grammar",)
"""Options that the first of these versions does not know; all have their defaults here."""


def grammar() -> str:
    """Return the text of the grammar."""
    return (files("mbx.language.text") / "mb.lark").read_text("utf-8")


def build(*, strict: bool = False) -> Lark:
    """Make the parser from the grammar; `strict` refuses any conflict."""
    return Lark(
        grammar(),
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )


@cache
def parser() -> Lark:
    """Return the parser, from stored tables when they are current."""
    lark = _stored() or build()
    # lark would make its lexer anew for each text, and a JSON model has one a value
    lark.lexer = lark._build_lexer()  # noqa: SLF001  lark has no public way to keep it
    return lark


def _stored() -> Lark | None:
    stored = files("mbx.language.text") / _TABLES
    first, untested = LARK
    if stored.is_file() and first <= _lark_version() < untested:
        data = json.loads(stored.read_text("utf-8"))
        if data["grammar"] == _digest():
            return _load(data)
    return None


def write_tables() -> str:
    """Return the content of tables.json."""
    from lark.grammar import Rule  # noqa: PLC0415  only when tables are made
    from lark.lexer import TerminalDef  # noqa: PLC0415

    data, memo = build(strict=True).memo_serialize([TerminalDef, Rule])
    for option in _RECENT_OPTIONS:
        data["options"].pop(option, None)
    content = {"grammar": _digest(), "data": data, "memo": memo}
    return json.dumps(content, separators=(",", ":")) + "\n"


def _digest() -> str:
    return hashlib.sha256(grammar().encode()).hexdigest()


def _lark_version() -> tuple[int, ...]:
    return tuple(int(part) for part in lark.__version__.split(".")[:3] if part.isdigit())


def _load(stored: dict[str, Any]) -> Lark:
    data, memo = stored["data"], {int(k): v for k, v in stored["memo"].items()}
    table = data["parser"]["parser"]
    table["tokens"] = {int(k): v for k, v in table["tokens"].items()}
    table["states"] = {
        int(state): {int(token): action for token, action in actions.items()}
        for state, actions in table["states"].items()
    }
    instance = Lark.__new__(Lark)
    # lark's own way to load tables reads a pickle, which must not be; this is what it calls
    loaded: Lark = instance._load({"data": data, "memo": memo})  # noqa: SLF001
    return loaded


if __name__ == "__main__":
    _content = write_tables()
    Path(__file__).with_name(_TABLES).write_text(_content, "utf-8")
