"""Repetition, functions, subsystems and imports, each against the same model written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.base.errors import SourceError
from mbx.language.text.expression_rules import parse_expression
from mbx.linking.structural_values import condition, whole

if TYPE_CHECKING:
    from pathlib import Path

STRUCTURE = {"n": 3, "i": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("n + i - 1", 4),
        ("n*i", 6),
        ("-n", -3),
        ("(n + 1)/2", 2),
        ("2*n/3", 2),
        ("2^n", 8),
        ("n^0", 1),
        ("min(n, i)", 2),
        ("max(n, i, 9)", 9),
        ("if n > i then 1 else 2", 1),
    ],
)
def test_whole_numbers_are_computed(text: str, value: int) -> None:
    assert whole(parse_expression(text), STRUCTURE) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("n/2", "MBX3021"),
        ("n/0", "MBX3021"),
        ("1.5", "MBX3021"),
        ("2 kg", "MBX3021"),
        ("m", "MBX3021"),
        ("n'", "MBX3021"),
        ("sin(n)", "MBX3021"),
        ("2^99", "MBX5009"),
        ("2^-1", "MBX5009"),
        ("1000000 + 1", "MBX5009"),
        ("1000*1000*1000", "MBX5009"),
        ("99^20", "MBX5009"),
    ],
)
def test_what_is_no_whole_number_is_refused(text: str, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        whole(parse_expression(text), STRUCTURE)
    assert caught.value.report.only(code)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("n > 1", True),
        ("n == i", False),
        ("n != i and i <= 2", True),
        ("n < i or i >= 3", False),
        ("not (n < i)", True),
    ],
)
def test_conditions_on_whole_numbers_are_decided(text: str, *, holds: bool) -> None:
    assert condition(parse_expression(text), STRUCTURE) is holds


def test_a_number_is_no_condition() -> None:
    with pytest.raises(SourceError) as caught:
        condition(parse_expression("n"), STRUCTURE)
    assert caught.value.report.only("MBX3023")


def assert_same(text: str, written_out: str) -> None:
    linked = mbx.link(mbx.loads(f"mbx 1\n{text}"))
    expected = mbx.loads(f"mbx 1\n{written_out}").models[-1]
    assert linked.model == expected
    assert mbx.link(linked.document).document == linked.document


@pytest.mark.parametrize(
    ("body", "written_out"),
    [
        ("function f(a) = a^2 let y = f(x + 1)", "let y = ((x + 1)^2)"),
        ("function f(a) = a^2 let y = f(x)", "let y = (x^2)"),
        (
            "function f(a) = a^2 function g(a) = 2*f(a) let y = g(x + 1)",
            "let y = (2*((x + 1)^2))",
        ),
        ("function f(a) = a^2 let y = f(f(x))", "let y = ((x^2)^2)"),
        ("function f(a, b) = a - b let y = f(b, a)", "let y = (b - a)"),
        ("function f(a) = sin(a) let y = 2*f(-x)", "let y = 2*sin((-x))"),
    ],
)
def test_functions_are_put_in_place(body: str, written_out: str) -> None:
    assert_same(f"model M {{ {body} }}", f"model M {{ {written_out} }}")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("function f(a) = f(a) let y = f(1)", "MBX3013"),
        ("function f(a) = g(a) function g(a) = f(a) let y = f(1)", "MBX3013"),
        ("function f(a) = a let y = f(1, 2)", "MBX3012"),
        ("for i in 1..m { let a[i] = 1 }", "MBX3021"),
        ("param m[1..3] = [1, 2]", "MBX3019"),
        ("subsystem S: Nowhere", "MBX3006"),
        ("subsystem S: M", "MBX3015"),
        ("subsystem S: Part(n = 1, x = 1)", "MBX3007"),
        ("subsystem S: Part(a = 1, a = 2, n = 1)", "MBX3008"),
        ("subsystem S: Part(a = 1)", "MBX3022"),
        ("subsystem S: Part(n = 2, r = [1, 2, 3])", "MBX3019"),
    ],
)
def test_what_cannot_be_linked_is_refused(body: str, code: str) -> None:
    part = "model Part { param n: integer param a = 1 param r[1..n] = 1 }"
    with pytest.raises(SourceError) as caught:
        mbx.link(mbx.loads(f"mbx 1\n{part}\nmodel M {{ {body} }}"))
    assert {one.code for one in caught.value.report} == {code}


@pytest.mark.parametrize(
    ("body", "written_out"),
    [
        ("param m[1..2]: kg = 5", "param m[1]: kg = 5, m[2]: kg = 5"),
        ("param m[2..3]: kg = [5, 6]", "param m[2]: kg = 5, m[3]: kg = 6"),
        ("for i in 1..2 { let a[i] = 10*i }", "let a[1] = 10*1 let a[2] = 10*2"),
        ("for i in 1..2 { let a[i + 1] = b[3*i - 2] }", "let a[2] = b[1] let a[3] = b[4]"),
        ("for i in 2..1 { let a[i] = 1 }", ""),
        ("param m[1..0]: kg = 5", ""),
        ("let a[1..0] = 5", ""),
        ("input f[1..0]: N coordinate x[1..0]: m speed v[1..0]: m/s", ""),
        ("param m[1..0]: kg = 5, k: kg = 1", "param k: kg = 1"),
        ("if 2 > 1 { let a = 1 } else { let b = 1 }", "let a = 1"),
        ("if 2 < 1 { let a = 1 } else { let b = 1 }", "let b = 1"),
        ("if 2 < 1 { let a = 1 } else if 3 > 2 { let c = 1 }", "let c = 1"),
        (
            "param n: integer = 2 for i in 1..n { for j in i..n { let a[10*i + j] = j } }",
            "param n: integer = 2 let a[11] = 1 let a[12] = 2 let a[22] = 2",
        ),
        (
            "param n: integer = 1 + 1 if n > 1 { let a = n }",
            "param n: integer = 2 let a = n",
        ),
        (
            "for i in 1..2 { if i > 1 { let a = i } }",
            "let a = 2",
        ),
    ],
)
def test_repetition_is_carried_out(body: str, written_out: str) -> None:
    assert_same(f"model M {{ {body} }}", f"model M {{ {written_out} }}")


PART = """model Part {
  param n: integer = 1
  param a: m = 1
  param r[1..n]: kg = 3
  for i in 1..n { let b[i] = a*r[i] }
}
"""


@pytest.mark.parametrize(
    ("body", "written_out"),
    [
        (
            "subsystem S: Part",
            (
                "subsystem S { param n: integer = 1 param a: m = 1 param r[1]: kg = 3"
                " let b[1] = a*r[1] }"
            ),
        ),
        (
            "param c = 1 subsystem S: Part(a = 2*c)",
            (
                "param c = 1 subsystem S(a = 2*c) { param n: integer = 1 param a: m"
                " param r[1]: kg = 3 let b[1] = a*r[1] }"
            ),
        ),
        (
            "subsystem S: Part(n = 2, r = [7, 8])",
            (
                "subsystem S(r[1] = 7, r[2] = 8) { param n: integer = 2 param a: m = 1"
                " param r[1]: kg, r[2]: kg let b[1] = a*r[1] let b[2] = a*r[2] }"
            ),
        ),
        (
            "subsystem S: Part(n = 2, r = 7)",
            (
                "subsystem S(r[1] = 7, r[2] = 7) { param n: integer = 2 param a: m = 1"
                " param r[1]: kg, r[2]: kg let b[1] = a*r[1] let b[2] = a*r[2] }"
            ),
        ),
        (
            "for i in 1..2 { subsystem S[i]: Part(n = i, a = 10*i) }",
            (
                "subsystem S[1](a = 10*1) { param n: integer = 1 param a: m"
                " param r[1]: kg = 3 let b[1] = a*r[1] }"
                " subsystem S[2](a = 10*2) { param n: integer = 2 param a: m"
                " param r[1]: kg = 3, r[2]: kg = 3 let b[1] = a*r[1] let b[2] = a*r[2] }"
            ),
        ),
        (
            "subsystem S(a = 2) { param a: m = 1 let b = a }",
            "subsystem S(a = 2) { param a: m let b = a }",
        ),
    ],
)
def test_subsystems_are_written_in_place(body: str, written_out: str) -> None:
    assert_same(f"{PART}model M {{ {body} }}", f"model M {{ {written_out} }}")


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.mb").write_text(f"mbx 1\n{text}\n", "utf-8")
    return folder / "main.mb"


def test_a_model_is_imported_under_another_name(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        part="model Part { param a = 1 }",
        main='use Part as Other from "part.mb"\nmodel Part { subsystem S: Other }',
    )
    expected = mbx.loads("mbx 1\nmodel Part { subsystem S { param a = 1 } }").models[0]
    assert mbx.link(mbx.read(main)).model == expected


def test_one_file_may_be_imported_along_two_ways(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        base="model Base { param a = 1 }",
        left='use Base from "base.mb"\nmodel Left { subsystem B: Base(a = 2) }',
        right='use Base from "base.mb"\nmodel Right { subsystem B: Base(a = 3) }',
        main='use Left from "left.mb"\nuse Right from "right.mb"\n'
        "model M { subsystem L: Left, R: Right }",
    )
    expected = mbx.loads(
        "mbx 1\nmodel M { subsystem L { subsystem B(a = 2) { param a } }"
        " subsystem R { subsystem B(a = 3) { param a } } }"
    ).models[0]
    assert mbx.link(mbx.read(main)).model == expected


def test_imports_that_go_round_in_a_circle_are_refused(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='use B from "b.mb"\nmodel A { subsystem S: B }',
        b='use A from "main.mb"\nmodel B { subsystem S: A }',
    )
    with pytest.raises(SourceError) as caught:
        mbx.link(mbx.read(main))
    assert "MBX3017" in {one.code for one in caught.value.report}


def test_a_part_of_the_library_is_imported() -> None:
    linked = mbx.link(
        mbx.loads(
            'mbx 1\nuse Bar from "lib:planar/bar.mb"\nmodel M { subsystem U: Bar(length = 1 m) }'
        )
    )
    text = mbx.dumps(linked.document)
    assert "subsystem U(length = 1 m) {" in text
    assert "use" not in text.split()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("part.mb", "MBX7008"),
        ("../part.mb", "MBX7008"),
        ("other:part.mb", "MBX7001"),
        ("lib:../../pyproject.toml", "MBX7001"),
    ],
)
def test_a_text_from_nowhere_imports_from_the_library_alone(path: str, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        mbx.link(mbx.loads(f'mbx 1\nuse P from "{path}"\nmodel M {{ subsystem S: P }}'))
    assert {one.code for one in caught.value.report} == {code}


def test_a_model_that_is_not_in_the_file_is_answered_with_the_nearest(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        part="model Part { param a = 1 }",
        main='use Prat from "part.mb"\nmodel M { subsystem S: Prat }',
    )
    with pytest.raises(SourceError) as caught:
        mbx.link(mbx.read(main))
    (found,) = caught.value.report
    assert (found.code, found.help) == ("MBX3016", "did you mean 'Part'?")
