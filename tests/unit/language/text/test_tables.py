from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mbx.language import text
from mbx.language.text import tables

if TYPE_CHECKING:
    from lark import Lark

SYNTAX = Path(str(text.__file__)).parent
TEXTS = (
    ("document", "mbx 1\nmodel M { param m: kg = 1 coordinate x: m }"),
    ("document", "mbx 1\nmodel M { body B { mass 2 kg com [a, 0, 0] } if n > 1 { let b = 1 } }"),
    ("expression", "if a < b then -a^2 else [b, c*2 kg, f(x of y)]"),
    ("reference", "a.b[i+1]''"),
    ("identifier", "m[1..n]"),
    ("unit", "kg*m^2/s^(1/2)"),
)


@pytest.fixture(scope="module")
def strict() -> Lark:
    return tables.build(strict=True)


def test_the_stored_tables_are_current() -> None:
    stored = json.loads((SYNTAX / "tables.json").read_text("utf-8"))
    digest = hashlib.sha256((SYNTAX / "mb.lark").read_bytes()).hexdigest()
    assert stored["made_from"] == f"{digest} lark {version('lark')}"


@pytest.mark.parametrize(("start", "text"), TEXTS)
def test_the_stored_tables_parse_as_fresh_ones(strict: Lark, start: str, text: str) -> None:
    assert tables.parser().parse(text, start=start) == strict.parse(text, start=start)


def test_the_grammar_has_no_conflict(strict: Lark) -> None:
    assert {rule.origin.name for rule in strict.rules} >= set(tables.STARTS)


def test_no_terminal_repeats_a_repetition(strict: Lark) -> None:
    nested = re.compile(r"[*+}]\)[*+{]")
    for terminal in strict.terminals:
        assert not nested.search(terminal.pattern.value), terminal.name
