"""Hostile characters, sizes and nesting: H001 to H020, H109."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from guarded import assert_refused, body, check, model, spread

if TYPE_CHECKING:
    from pathlib import Path

    from guarded import Make

pytestmark = pytest.mark.slow  # each starts the command anew

TEXTS: Final[dict[str, tuple[Make, str]]] = {
    "H001-empty": (lambda: "", "MBX1001"),
    "H001-blank": (lambda: " \n\t\r\n" * 1000, "MBX1001"),
    "H001-comments": (lambda: "// a model\n// follows\n", "MBX1001"),
    "H002-version-alone": (lambda: "mbx 1\n", "MBX1001"),
    "H002-no-version": (lambda: "model M { }\n", "MBX1008"),
    "H002-version-2": (lambda: "mbx 2\nmodel M { }\n", "MBX1009"),
    "H002-version-huge": (lambda: f"mbx {'9' * 18}\nmodel M {{ }}\n", "MBX1009"),
    "H003-parentheses": (body("let x = " + "(" * 50_000 + "1"), "MBX5002"),
    "H003-parentheses-spread": (spread("let x = " + "(" * 50_000 + "1"), "MBX5002"),
    "H003-brackets": (spread("let x = " + "[" * 50_000), "MBX5002"),
    "H003-braces": (spread("for i in 1..1 {" * 10_000), "MBX5002"),
    "H004-minus": (body("let x = " + "-" * 50_000 + "1"), "MBX5002"),
    "H004-minus-spread": (spread("let x = " + "-" * 50_000 + "1"), "MBX5002"),
    "H004-not": (body("branch b: " + "not\n" * 50_000 + "1 > 0"), "MBX5002"),
    "H005-if-then-else": (body("let x = " + "if 1 > 0 then 1 else\n" * 10_000 + "1"), "MBX5002"),
    "H005-if-if": (body("let x = " + "if " * 3000 + "1"), "MBX5002"),
    "H005-else-if": (body("if 1 > 0 { }" + "\nelse if 1 > 0 { }" * 10_000), "MBX5002"),
    "H006-powers": (body("let x = " + "2^\n" * 10_000 + "1"), "MBX5002"),
    "H006-mixed": (body("let x = " + "2^-(\n" * 10_000 + "1"), "MBX5002"),
    "H007-digits": (body("let x = " + "1" * 1_000_000), "MBX5005"),
    "H007-digits-alone": (lambda: "1" * 1_000_000, "MBX5005"),
    "H007-digits-9000": (body("let x = " + "1" * 9_000), "MBX5005"),
    "H008-fraction": (body("let x = 0." + "1" * 9_000), "MBX5005"),
    "H008-exponent": (body("let x = 1e" + "9" * 9_000), "MBX5005"),
    "H008-1e400": (body("let x = 1e400"), "MBX5005"),
    "H008-1e-400": (body("let x = 1e-400"), "MBX5005"),
    "H009-file": (lambda: "//" + "a" * (10 << 20), "MBX5001"),
    "H009-tokens": (body("let x = " + "1 +\n" * 130_000 + "1"), "MBX5003"),
    "H010-nul": (body("let x = 1\0"), "MBX1003"),
    "H010-esc": (body("let x = 1\x1b[2J"), "MBX1003"),
    "H010-c1": (body('let x = 1 "\x9b2J"'), "MBX1003"),
    "H010-vt": (body("let x =\v1"), "MBX1003"),
    "H010-comment": (body("// \x1b]52;c;eA==\x07"), "MBX1003"),
    "H010-carriage-return": (body("let x = 1 // \rmodel.mb: ok"), "MBX1003"),
    "H011-bom": (lambda: b"\xef\xbb\xbfmbx 1\nmodel M { }\n", "MBX1012"),
    "H011-utf-16": (lambda: "mbx 1\nmodel M { }\n".encode("utf-16"), "MBX1011"),
    "H011-latin-1": (lambda: 'mbx 1\nmodel M "é" { }\n'.encode("latin-1"), "MBX1011"),
    "H011-overlong": (lambda: b"mbx 1\nmodel M { } // \xc0\xaf\n", "MBX1011"),
    "H011-surrogate": (lambda: b"mbx 1\nmodel M { } // \xed\xa0\x80\n", "MBX1011"),
    "H011-cut": (lambda: b"mbx 1\nmodel M { } // \xe2\x82", "MBX1011"),
    "H012-cyrillic": (body("let \N{CYRILLIC SMALL LETTER A} = 1"), "MBX1004"),
    "H012-fullwidth": (body("let x = \N{FULLWIDTH DIGIT ONE}"), "MBX1004"),
    "H012-minus": (body("let x = 2 \N{MINUS SIGN} 1"), "MBX1004"),
    "H013-joiner": (body("let q = 1, q\N{ZERO WIDTH JOINER} = 2"), "MBX1004"),
    "H014-bidi-text": (body('let x = 1 "\N{RIGHT-TO-LEFT OVERRIDE}"'), "MBX1013"),
    "H014-bidi-comment": (body("// \N{LEFT-TO-RIGHT ISOLATE}"), "MBX1013"),
    "H015-line-separator": (body('let x = 1 "\N{LINE SEPARATOR}"'), "MBX1013"),
    "H015-next-line": (body('let x = 1 "\x85"'), "MBX1003"),
    "H017-quotes": (body('"\n' * 50_000), "MBX1005"),
    "H017-escape": (body('let x = 1 "\\x41"'), "MBX1010"),
    "H018-name": (body("let " + "a" * 65 + " = 1"), "MBX5006"),
    "H018-name-long": (body("let " + "a" * 1_000_000 + " = 1"), "MBX5007"),
    "H018-line": (body("//" + " " * 10_001), "MBX5007"),
    "H018-primes": (body("coordinate q\ninvariant q" + "'" * 5_000 + " = 0"), "MBX5013"),
    "H019-class": (body("let __class__ = 1"), "MBX3001"),
    "H019-import": (body("let x = __import__"), "MBX3001"),
    "H020-call": (body("let x = __import__('os').system('id')"), "MBX3001"),
    "H020-lambda": (body("let x = (lambda: 0)()"), "MBX1006"),
    "H020-function": (body("let x = eval(1)"), "MBX3011"),
}


@pytest.mark.parametrize(("make", "code"), TEXTS.values(), ids=TEXTS)
def test_a_hostile_text_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, make()), code)


@pytest.mark.parametrize("stray", ["@", ")", "}", "stray"])
def test_h016_many_faults_are_counted(stray: str, tmp_path: Path) -> None:
    result = check(tmp_path, "mbx 1\nmodel M {\n}\n" + f"{stray}\n" * 200_000)
    assert result.status == 1
    assert result.text.count("error[MBX1") == 100
    assert "… and 199900 more" in result.text
    assert result.places[0] == (4, 1)
    assert result.places[-1] == (103, 1)


@pytest.mark.parametrize("name", ["eval", "os", "exec", "import", "lambda", "class", "None"])
def test_h019_a_name_is_inert(name: str, tmp_path: Path) -> None:
    text = model(f"param {name} = 1\ncoordinate q\ninvariant {name}*q = 0")
    assert check(tmp_path, text).status == 0


@pytest.mark.parametrize(
    "label",
    [
        "\x1b[2J",
        "\x1b]8;;http://example.org\x07x\x1b]8;;\x07",
        "\x1b]52;c;eA==\x07",
        "\rPASS",
        "\x9b2J",
        "\N{RIGHT-TO-LEFT OVERRIDE}",
        "\N{ZERO WIDTH SPACE}",
        "\x7f",
    ],
    ids=["clear", "link", "clipboard", "return", "c1", "bidi", "zero-width", "delete"],
)
def test_h109_a_label_is_shown_as_escapes(label: str, tmp_path: Path) -> None:
    result = check(tmp_path, f'mbx 1\nmodel M "{label}" {{ }}\n')
    assert result.status == 1
    assert result.codes <= {"MBX1003", "MBX1013"}
    assert f"\\u{{{ord(label[0]):x}}}" in result.text
    quoted = json.dumps({"mbx": 1, "items": [{"kind": "model", "name": "M", "title": label}]})
    again = check(tmp_path, quoted, "model.json")
    assert again.status == 1
    assert again.codes <= {"MBX1003", "MBX1013"}


@pytest.mark.parametrize("label", ["[red]PASS[/red]", "[link=http://example.org]x[/link]"])
def test_h109_markup_is_text(label: str, tmp_path: Path) -> None:
    text = f'mbx 1\nmodel M "{label}" {{ param a: nothing = 1 "{label}" }}\n'
    result = check(tmp_path, text)
    assert result.status == 1
    assert label in result.text
