from __future__ import annotations

import pytest

from mbx.base.diagnostics import (
    MAX_MESSAGE,
    Diagnostic,
    Report,
    Source,
    Span,
    nearest,
    safe_text,
    suggestion,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("grüße αβγ", "grüße αβγ"),
        ("\x1b[31m", "\\u{1b}[31m"),
        ("a\x00b", "a\\u{0}b"),
        ("a\tb\n", "a\\u{9}b\\u{a}"),
        ("\x7f", "\\u{7f}"),
        ("\x9b31m", "\\u{9b}31m"),
        ("\u202eabc\u2066", "\\u{202e}abc\\u{2066}"),
        ("a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"),
        ("\ud800", "\\u{d800}"),
        ("\u2028\u2029", "\\u{2028}\\u{2029}"),
        ("\ue000", "\\u{e000}"),
        ("\U000e0001", "\\u{e0001}"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(text: str, shown: str) -> None:
    assert safe_text(text) == shown


def rendered(text: str, start: int, end: int) -> list[str]:
    return Diagnostic("MBX1", "wrong", Span(Source("f.mb", text), start, end)).render().split("\n")


def test_the_caret_stands_under_the_fault() -> None:
    assert rendered("one\ntwo three\n", 8, 13) == [
        "f.mb:2:5: error[MBX1]: wrong",
        "  two three",
        "      ^^^^^",
    ]


def test_the_caret_stands_under_the_fault_behind_tabs() -> None:
    head, line, caret = rendered("\t\tbad", 2, 5)
    assert head.startswith("f.mb:1:3: ")
    assert caret.index("^") == line.index("bad")


def test_the_caret_stands_under_the_fault_behind_what_is_spelt_out() -> None:
    _, line, caret = rendered("\x1bbad", 1, 4)
    assert line == "  \\u{1b}bad"
    assert caret.index("^") == line.index("bad")


@pytest.mark.parametrize("before", [0, 30, 49, 51, 300, 5000])
def test_a_long_line_is_cut_around_the_fault(before: int) -> None:
    _, line, caret = rendered("x" * before + "BAD" + "y" * 400, before, before + 3)
    assert len(line) == 102
    assert caret.index("^") == line.index("BAD")
    assert caret.count("^") == 3


def test_the_caret_line_ends_with_the_source_line() -> None:
    assert rendered("ab\ncd\n", 1, 5)[1:] == ["  ab", "   ^"]


def test_a_place_at_the_end_of_the_text_has_one_caret() -> None:
    assert rendered("ab", 2, 2) == ["f.mb:1:3: error[MBX1]: wrong", "  ab", "    ^"]


def test_windows_line_ends_are_not_shown() -> None:
    assert rendered("ab\r\ncd\r\n", 4, 6)[1:] == ["  cd", "  ^^"]


def test_long_messages_are_shortened_and_made_safe() -> None:
    shown = Diagnostic("MBX1", "\x1b" + "m" * 1000, help="h" * 1000).render()
    first, second = shown.split("\n")
    assert first.startswith("error[MBX1]: \\u{1b}mmm")
    assert len(first) == len("error[MBX1]: ") + MAX_MESSAGE
    assert len(second) == len("  help: ") + MAX_MESSAGE


def test_findings_are_sorted_by_file_and_place() -> None:
    a, b = Source("a.mb", "xxxxx"), Source("b.mb", "xxxxx")
    report = Report()
    report.add("MBX3", "later", Span(a, 4, 5))
    report.add("MBX2", "other file", Span(b, 0, 1))
    report.add("MBX1", "earlier", Span(a, 1, 2))
    report.add("MBX4", "nowhere")
    assert [one.code for one in report] == ["MBX4", "MBX1", "MBX3", "MBX2"]


def test_the_same_finding_is_kept_once() -> None:
    source = Source("a.mb", "xx")
    report = Report()
    for start in (0, 0, 1):
        report.add("MBX1", "wrong", Span(source, start, 2))
    assert len(report) == 2


def test_a_hundred_findings_are_shown_and_the_rest_counted() -> None:
    source = Source("a.mb", "x\n" * 120)
    report = Report()
    for k in range(120):
        report.add("MBX1", f"fault {k}", Span(source, 2 * k, 2 * k + 1))
    shown = report.render()
    assert shown.count("error[MBX1]") == 100
    assert shown.endswith("\n… and 20 more")
    assert "fault 99" in shown
    assert "fault 100" not in shown


def test_a_report_is_sound_as_long_as_nothing_is_an_error() -> None:
    report = Report()
    report.add("MBX1", "careful", severity="warning")
    assert (report.ok, report.errors, report.only("MBX1")) == (True, [], True)


def test_one_error_makes_a_report_unsound() -> None:
    report = Report()
    report.add("MBX1", "careful", severity="warning")
    report.add("MBX2", "wrong")
    assert [one.code for one in report.errors] == ["MBX2"]
    assert (report.ok, report.only("MBX1")) == (False, False)


def test_a_finding_becomes_plain_data() -> None:
    source = Source("a.mb", "x\nyy")
    full = Diagnostic("MBX1", "wrong", Span(source, 3, 4, "/items/0"), "warning", "mend it")
    assert full.as_json() == {
        "code": "MBX1",
        "severity": "warning",
        "message": "wrong",
        "file": "a.mb",
        "line": 2,
        "column": 2,
        "pointer": "/items/0",
        "help": "mend it",
    }
    assert Diagnostic("MBX2", "nowhere").as_json() == {
        "code": "MBX2",
        "severity": "error",
        "message": "nowhere",
    }


@pytest.mark.parametrize(
    ("name", "found"), [("cordinate", "coordinate"), ("zzz", None), ("", None)]
)
def test_only_a_close_name_is_suggested(name: str, found: str | None) -> None:
    assert nearest(name, ["coordinate", "speed"]) == found
    clause = "" if found is None else f"; did you mean '{found}'?"
    assert suggestion(name, ["coordinate", "speed"], "; ") == clause


def test_advice_goes_to_the_first_finding_of_its_codes_and_replaces_none() -> None:
    source = Source("a.mb", "abc")
    report = Report()
    report.add("MBX4112", "later", Span(source, 2, 3))
    report.add("MBX4116", "first", Span(source, 1, 2), help="its own")
    report.advise({"MBX4112", "MBX4116"}, "advice")
    assert [one.help for one in report] == ["its own", None]
    report.advise({"MBX4112"}, "advice", since=1)
    assert [one.help for one in report] == ["its own", None]
    report.advise({"MBX4112"}, "advice")
    assert [one.help for one in report] == ["its own", "advice"]
