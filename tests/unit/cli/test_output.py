from __future__ import annotations

import io

import pytest

from mbx.base.diagnostics import Diagnostic, Severity
from mbx.cli.output import complain, emit, emit_json, print_line, status_of


def found(*codes: str, severity: Severity = "error") -> list[Diagnostic]:
    return [Diagnostic(code, "", severity=severity) for code in codes]


@pytest.mark.parametrize(
    ("codes", "status"),
    [
        ([], 0),
        (["MBX1006"], 1),
        (["MBX5001"], 5),
        (["MBX7003", "MBX5002"], 5),
        (["MBX7003", "MBX3006"], 1),
    ],
)
def test_the_status_follows_from_the_families(codes: list[str], status: int) -> None:
    assert status_of(found(*codes)) == status


def test_warnings_are_no_failure() -> None:
    assert status_of(found("MBX4101", severity="warning")) == 0


def test_a_line_is_one_line_and_has_no_controls(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("a\nb\r\x1b[2J\x9b\u202e\u2028ä")
    complain("c\nd")
    out, err = capsys.readouterr()
    assert out == "a\\u{a}b\\u{d}\\u{1b}[2J\\u{9b}\\u{202e}\\u{2028}ä\n"
    assert err == "c\\u{a}d\n"


def test_a_terminal_without_utf8_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr("sys.stdout", stream)
    print_line("ä ě └──")
    assert stream.buffer.getvalue() == b"\xe4 \\u011b \\u2514\\u2500\\u2500\n"


def test_documents_are_utf8_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", newline="\r\n")
    monkeypatch.setattr("sys.stdout", stream)
    emit("ä\n")
    assert stream.buffer.getvalue() == "ä\n".encode()


def test_json_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    emit_json({"a": "ä\x1b\u202e\x7f\x9b"})
    assert capsys.readouterr().out == '{\n  "a": "\\u00e4\\u001b\\u202e\\u007f\\u009b"\n}\n'
