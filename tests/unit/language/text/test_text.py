"""Comments, strings, shared units and filled lines of the text form."""

from __future__ import annotations

from typing import Any

import pytest

import mbx
from mbx.base.errors import SourceError
from mbx.language.text.fill import WIDTH
from mbx.language.text.scan import BadEscapeError, quote, unquote

COMMENTED = """\
// a file
// of two lines
mbx 1

// above the model
model M { // behind the brace
  // above m
  param m: kg = 1  // behind m

  // apart
  param k: N/m =
    // inside k
    2
  particle P {
    mass m  // behind the mass
    // at the end of P
  }
  // at the end of M
}  // behind the model
// at the end of the file
"""


def body(text: str) -> Any:
    return mbx.loads(f"mbx 1\nmodel M {{\n{text}\n}}\n").models[0].body


def test_comments_are_kept_where_they_stand() -> None:
    document = mbx.loads(COMMENTED)
    model: Any = document.models[0]
    m, k, particle = model.body
    assert document.comments == (" a file", " of two lines")
    assert model.comments == (" above the model",)
    assert m.comments == (" behind the brace", " above m")
    assert m.remark == " behind m"
    assert k.comments == ("", " apart", " inside k")
    assert particle.clauses[0].remark == " behind the mass"
    assert particle.closing == (" at the end of P",)
    assert model.closing == (" at the end of M",)
    assert model.remark == " behind the model"
    assert document.closing == (" at the end of the file",)


def test_every_comment_survives_being_written_and_read() -> None:
    document = mbx.loads(COMMENTED)
    text = mbx.dumps(document)
    assert mbx.loads(text) == document
    assert mbx.dumps(mbx.loads(text)) == text
    for line in COMMENTED.splitlines():
        _, slashes, comment = line.partition("//")
        assert f"{slashes}{comment}" in text


def test_comments_of_both_cases_of_an_if_stay_in_theirs() -> None:
    text = """\
  if 1 > 2 {
    let a = 1  // first
    // end of first
  } else {
    // second
    let b = 1
    // end of second
  }"""
    (block,) = body(text)
    assert block.body[0].remark == " first"
    assert block.closing == (" end of first",)
    assert block.otherwise[0].comments == (" second",)
    assert block.otherwise_closing == (" end of second",)


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ('""', ""),
        ('"a"', "a"),
        (r'"a\"b"', 'a"b'),
        (r'"\\theta"', r"\theta"),
        (r'"a\nb\tc"', "a\nb\tc"),
        (r'"\\n"', r"\n"),
        ('"grüße"', "grüße"),
    ],
)
def test_escapes_are_read_and_written(literal: str, text: str) -> None:
    assert unquote(literal) == text
    assert quote(text) == literal


@pytest.mark.parametrize(("literal", "offset"), [(r'"\x"', 1), (r'"ab\u0041"', 3), (r'"\\\a"', 3)])
def test_there_are_no_other_escapes(literal: str, offset: int) -> None:
    with pytest.raises(BadEscapeError) as caught:
        unquote(literal)
    assert caught.value.offset == offset


def test_a_bad_escape_in_a_file_is_reported_where_it_stands() -> None:
    with pytest.raises(SourceError) as caught:
        mbx.loads('mbx 1\nmodel M "a\\q" {\n}\n')
    (found,) = caught.value.report
    assert found.span is not None
    assert found.span.position == (2, 11)


def test_names_in_a_list_share_the_unit_behind_the_last() -> None:
    (statement,) = body("coordinate x, y: m, th: rad, n")
    assert [(i.name.base, i.unit) for i in statement.items] == [
        ("x", "m"),
        ("y", "m"),
        ("th", "rad"),
        ("n", None),
    ]


def test_a_name_with_a_value_shares_no_unit() -> None:
    (statement,) = body("param a = 1, b: m = 2")
    assert [i.unit for i in statement.items] == [None, "m"]


def test_long_statements_are_filled_to_the_width_and_read_again() -> None:
    terms = " + ".join(f"coefficient_{k}*sin({k}*angle_{k})" for k in range(40))
    names = ", ".join(f'q{k}: m = {k} "coordinate number {k}"' for k in range(30))
    text = f"mbx 1\nmodel M {{\n  coordinate {names}\n  let long = {terms}\n}}\n"
    document = mbx.loads(text)
    shown = mbx.dumps(document)
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert mbx.loads(shown) == document


@pytest.mark.parametrize("word", ["mass", "state", "load", "if_", "point", "frame"])
def test_a_filled_line_does_not_begin_with_a_keyword_used_as_a_name(word: str) -> None:
    for size in range(70, 100):
        terms = f"{'a' * 60} + {'b' * (size - 60)} + {word} + {word}*2 - {word}"
        document = mbx.loads(f"mbx 1\nmodel M {{\n  let y = {terms}\n}}\n")
        assert mbx.loads(mbx.dumps(document)) == document


def test_a_state_can_be_said_to_be_singular_in_two_ways() -> None:
    behind = body("state s { x = 0 m } expect singular")
    apart = body("state s { x = 0 m }\nlet a = 1\nexpect singular at state s")
    assert behind[0].kind == "state"
    for statements in (behind, apart):
        text = "mbx 1\nmodel M {\n}\n"
        document = mbx.loads(text)
        model = document.models[0].model_copy(update={"body": tuple(statements)})
        again = document.model_copy(update={"items": (model,)})
        assert mbx.loads(mbx.dumps(again)) == again
        assert "expect singular" in mbx.dumps(again)
