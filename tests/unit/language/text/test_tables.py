from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mbx.language import text
from mbx.language.text import parse

if TYPE_CHECKING:
    from lark import Lark

ROOT = Path(__file__).parents[4]
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
    return parse.build(strict=True)


def test_the_stored_tables_are_current() -> None:
    stored = json.loads((SYNTAX / "tables.json").read_text("utf-8"))
    digest = hashlib.sha256((SYNTAX / "mb.lark").read_bytes()).hexdigest()
    assert stored["grammar"] == digest


def test_every_version_of_lark_that_may_be_installed_reads_the_stored_tables() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (allowed,) = (one for one in project["dependencies"] if one.startswith("lark"))
    first, untested = (".".join(map(str, version)) for version in parse.LARK)
    assert allowed == f"lark>={first},<{untested}"


@pytest.mark.parametrize("version", ["1.1.8", "1.1.9", "1.3.1", "1.4.0"])
def test_tables_are_made_anew_for_a_version_that_was_not_tested(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lark.__version__", version)
    assert (parse._stored() is not None) is (version in {"1.1.9", "1.3.1"})


def test_tables_are_made_anew_while_the_grammar_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changed = f"{parse.grammar()}\n// changed\n"
    monkeypatch.setattr(parse, "grammar", lambda: changed)
    assert parse._stored() is None


def test_options_that_older_versions_do_not_know_are_not_stored() -> None:
    options = json.loads(parse.write_tables())["data"]["options"]
    assert not set(options) & set(parse._RECENT_OPTIONS)


@pytest.mark.parametrize(("start", "text"), TEXTS)
def test_the_stored_tables_parse_as_fresh_ones(strict: Lark, start: str, text: str) -> None:
    assert parse.parser().parse(text, start=start) == strict.parse(text, start=start)


def test_the_grammar_has_no_conflict(strict: Lark) -> None:
    assert {rule.origin.name for rule in strict.rules} >= set(parse.STARTS)


def test_no_terminal_repeats_a_repetition(strict: Lark) -> None:
    nested = re.compile(r"[*+}]\)[*+{]")
    for terminal in strict.terminals:
        assert not nested.search(terminal.pattern.value), terminal.name
