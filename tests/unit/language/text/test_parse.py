from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mbx.base.diagnostics import Report, Source
from mbx.base.errors import SourceError
from mbx.language.text.expression_rules import (
    parse_expression,
    parse_identifier,
    parse_reference,
    parse_unit,
)
from mbx.language.text.read_text import read_text

if TYPE_CHECKING:
    from mbx.language.document.document import Document


def read(text: str) -> tuple[Document | None, list[tuple[str, int]]]:
    report = Report()
    document = read_text(Source("t.mb", text), report)
    return document, [(d.code, d.span.position[0]) for d in report if d.span is not None]


def test_three_faults_give_three_findings_at_their_lines() -> None:
    document, found = read(
        """mbx 1
model M {
  param m kg = 1
  coordinate x: m
  coordinate y: = 2
  particle P { mass m  at [x, 0 0] }
  gravity [0, 0, 0]
}
"""
    )
    assert document is None
    assert found == [("MBX1006", 3), ("MBX1006", 5), ("MBX1006", 6)]


def test_a_fault_in_a_block_leaves_the_rest_of_it_readable() -> None:
    _, found = read(
        """mbx 1
model M {
  body B {
    mass ]
    inertia 1
  }
  param k = = 2
}
model N {
  let = 3
}
"""
    )
    assert found == [("MBX1006", 4), ("MBX1006", 7), ("MBX1006", 10)]


def test_an_unclosed_bracket_is_reported_where_it_opens() -> None:
    _, found = read("mbx 1\nmodel M {\n  param m = 1\n")
    assert found == [("MBX1007", 2)]


def test_a_keyword_at_the_start_of_a_line_begins_a_statement() -> None:
    document, found = read("mbx 1\nmodel M {\n  let a = b\n  mass\n  let c = 1\n}\n")
    assert document is None
    assert [code for code, _ in found] == ["MBX1006"]


def test_an_expression_goes_on_over_lines_where_no_keyword_begins_one() -> None:
    document, found = read("mbx 1\nmodel M {\n  let a = b\n    + c\n    - d\n}\n")
    assert found == []
    assert document is not None


@pytest.mark.parametrize(
    "word", ["mass", "com", "state", "model", "load", "frame", "rank", "order", "steps", "latex"]
)
def test_a_keyword_can_be_a_name(word: str) -> None:
    document, found = read(
        f"mbx 1\nmodel M {{\n  param {word} = 1\n  let y = 2*{word} + sin({word})\n}}\n"
    )
    assert found == []
    assert document is not None
    assert document.models[0].body[0].items[0].name.base == word  # type: ignore[union-attr]


def test_a_keyword_in_brackets_may_begin_a_line() -> None:
    document, found = read("mbx 1\nmodel M {\n  param mass = 1\n  let y = (2 +\n  mass)\n}\n")
    assert found == []
    assert document is not None


@pytest.mark.parametrize(
    "text", ["", "1 +", "(1", "1)", "a b", "if a then b", "a < b < c", "'", "a."]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_expression(text)
    assert {one.code for one in caught.value.report} <= {"MBX1006", "MBX1007"}


def test_references_names_and_units_have_texts_of_their_own() -> None:
    reference = parse_reference("a.b[2]''")
    assert [s.name for s in reference.path] == ["a", "b"]
    assert reference.primes == 2
    assert parse_identifier("m[1..3]").last is not None
    assert parse_unit("N * m ^ 2 / s ^ ( 1 / 2 )") == "N*m^2/s^(1/2)"


@pytest.mark.parametrize("text", ["a + b", "2", "a b", ""])
def test_a_reference_is_a_path_and_nothing_else(text: str) -> None:
    with pytest.raises(SourceError):
        parse_reference(text)


def test_nine_primes_are_too_many() -> None:
    assert parse_reference("q''''''''").primes == 8
    with pytest.raises(SourceError) as caught:
        parse_reference("q'''''''''")
    assert caught.value.report.only("MBX5013")
