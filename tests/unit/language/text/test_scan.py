from __future__ import annotations

import pytest

from mbx.base.diagnostics import Report, Source
from mbx.language.limits import LIMITS
from mbx.language.text.scan import Comment, scan


def scanned(text: str) -> tuple[str, list[Comment], list[str]]:
    report = Report()
    clean, comments = scan(Source("t", text), report)
    return clean, comments, [one.code for one in report]


def test_comments_are_found_outside_of_strings_only() -> None:
    text = 'a // one\n"b // two" //three \n//\n'
    clean, comments, codes = scanned(text)
    assert clean == text
    assert codes == []
    assert [c.text for c in comments] == [" one", "three", ""]
    assert [text[c.start : c.end] for c in comments] == ["// one", "//three ", "//"]


def test_a_quote_in_a_comment_opens_no_string() -> None:
    _, comments, codes = scanned("a // it's \"so\nb")
    assert codes == []
    assert comments[0].text == " it's \"so"


@pytest.mark.parametrize(
    ("text", "clean", "codes"),
    [
        ("a # b", "a   b", ["MBX1002"]),
        ("a ! b", "a   b", ["MBX1002"]),
        ("a != b", "a != b", []),
        ("a\x00b", "a b", ["MBX1003"]),
        ("a\rb", "a b", ["MBX1003"]),
        ("a\r\nb", "a\r\nb", []),
        ("a × b", "a   b", ["MBX1004"]),
        ("θ = 1", "  = 1", ["MBX1004"]),
        ('x "open', "x      ", ["MBX1005"]),
        ('x "open\ny', "x      \ny", ["MBX1005"]),
        ('"a\u202eb"', '"a b"', ["MBX1013"]),
        ("// a\u200bb", "// a b", ["MBX1013"]),
        ('"grün"', '"grün"', []),
        ('"a\\"b"', '"a\\"b"', []),
    ],
)
def test_what_is_refused_is_blanked_and_the_length_kept(
    text: str, clean: str, codes: list[str]
) -> None:
    found, _, reported = scanned(text)
    assert found == clean
    assert len(found) == len(text)
    assert reported == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x " * (LIMITS.line // 2 + 1), "MBX5007"),
        ("1" * (LIMITS.line + 1), "MBX5005"),
    ],
)
def test_overlong_lines_are_blanked(text: str, code: str) -> None:
    clean, _, codes = scanned(text + "\nok")
    assert codes == [code]
    assert clean == " " * len(text) + "\nok"
