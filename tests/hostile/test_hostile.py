"""Hostile inputs, by the numbers of the list in the safety chapter and between them.

Each is refused with its code, at a place, within ten seconds of processor time and a
gigabyte, without a traceback, and with nothing written, started or sent.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pytest

from guarded import MODEL, check, model, run

if TYPE_CHECKING:
    from pathlib import Path

Content = str | bytes
Make = Callable[[], Content]


def body(text: str) -> Make:
    return lambda: model(text)


def spread(text: str) -> Make:
    """Put what would be one long line on many."""
    return body("\n".join(text[k : k + 100] for k in range(0, len(text), 100)))


def document(*items: Any) -> str:
    return json.dumps({"mbx": 1, "items": list(items)})


def let(value: Any) -> str:
    """Return a JSON document with one expression."""
    items = [{"name": "x", "value": value}]
    return document({"kind": "model", "name": "M", "body": [{"kind": "let", "items": items}]})


def nested(depth: int, *head: str) -> Any:
    tree: Any = 1
    for _ in range(depth):
        tree = [*head, tree]
    return tree


def chain(count: int, first: str, rest: str) -> str:
    """Return a line for each number, each of which may name the one before."""
    return "\n".join([first, *(rest.format(i=k, j=k - 1) for k in range(1, count + 1))])


def models(count: int, inside: str) -> str:
    """Return models, each of which may contain the one before."""
    rest = (f"model M{k} {{ {inside.format(j=k - 1)} }}" for k in range(1, count + 1))
    return "\n".join(["mbx 1", "model M0 { param a = 1 }", *rest])


BODY: Final = "body {} {{ mass 1 kg  inertia diag(1, 1, 1)*(1 [kg*m^2])  joint {} }}"

TEXTS: Final[dict[str, tuple[Make, str]]] = {
    # -- H001 … H024: characters, sizes, nesting ---------------------------------------------
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
    "H009-tokens": (body("let x = " + "1 +\n" * 130_000 + "1"), "MBX5008"),
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
    "H018-name-long": (body("let " + "a" * 1_000_000 + " = 1"), "MBX5006"),
    "H018-line": (body("//" + " " * 10_001), "MBX5007"),
    "H018-primes": (body("coordinate q\ninvariant q" + "'" * 5_000 + " = 0"), "MBX5013"),
    "H019-class": (body("let __class__ = 1"), "MBX3001"),
    "H019-import": (body("let x = __import__"), "MBX3001"),
    "H020-call": (body("let x = __import__('os').system('id')"), "MBX3001"),
    "H020-lambda": (body("let x = (lambda: 0)()"), "MBX1006"),
    "H020-function": (body("let x = eval(1)"), "MBX3011"),
    "H021-tower": (body("let x = 9^9^9^9"), "MBX5010"),
    "H021-tower-of-names": (body("param a = 9\nlet x = a^a^a^a"), "MBX5010"),
    "H022-log2": (body("let x = ((9^9)^9999)^9999"), "MBX5010"),
    "H022-squares": (body(chain(40, "let a0 = 9", "let a{i} = a{j}^2")), "MBX5010"),
    "H023-products": (body(chain(2_000, "let a0 = 9", "let a{i} = a{j}*9")), "MBX5010"),
    "H024-let-bomb": (body(chain(40, "let a0 = t/(1 s)", "let a{i} = a{j}*sin(a{j})")), "MBX5011"),
    "H024-let-bomb-effective": (
        body(
            chain(40, "speed w: m/s\nlet a0 = w'", "let a{i} = a{j} + a{j}")
            + "\neffective w: a40*(1 kg)"
        ),
        "MBX5011",
    ),
    # -- H025 … H042: values ------------------------------------------------------------------
    "H025-exp": (body("param e = 2.718\nlet x = sin(7^exp(exp(exp(10*e))) + 1)"), "MBX5010"),
    "H025-cos": (body("let x = sin(cos(exp(exp(exp(exp(1))))))"), "MBX5010"),
    "H026-overflow": (body("let x = 1e299*1e299"), "MBX5010"),
    "H026-in-equation": (body("coordinate q\ninvariant q = exp(exp(100))"), "MBX5010"),
    "H027-zero": (body("let x = 1/0"), "MBX4103"),
    "H027-zero-computed": (body("param a = 1\nlet x = 1/(a - 1)"), "MBX4103"),
    "H027-zero-power": (body("let x = 0^-1"), "MBX4103"),
    "H028-root": (body("let x = sqrt(-1)"), "MBX4102"),
    "H028-power": (body("let x = (-8)^(1/3)"), "MBX4102"),
    "H029-log": (body("let x = log(0)"), "MBX4102"),
    "H029-asin": (body("let x = asin(2)"), "MBX4102"),
    "H030-arguments": (body("let x = sin(" + "1,\n" * 50_000 + "1)"), "MBX3012"),
    "H031-exponent": (body("coordinate x\ninvariant (x + 1)^100000 = 0"), "MBX5010"),
    "H031-negative": (body("coordinate x\ninvariant (x + 1)^-100000 = 0"), "MBX5010"),
    "H032-fine": (body("coordinate x\ninvariant (x + 1)^(1/100000) = 0"), "MBX5010"),
    "H033-named": (body("coordinate x\nparam n = 100000\ninvariant (x + 1)^n = 0"), "MBX5010"),
    "H034-reversed": (
        body(
            "\n".join(f"param a{k} = a{k - 1} + 1" for k in range(12_000, 0, -1)) + "\nparam a0 = 1"
        ),
        "MBX5003",
    ),
    "H035-circle": (body(chain(5_000, "param a0 = a5000", "param a{i} = a{j} + 1")), "MBX3014"),
    "H035-self": (body("let a = a + 1"), "MBX3014"),
    "H035-circle-effective": (
        body("speed w: m/s\nlet a = b, b = a\neffective w: a*(1 N)"),
        "MBX3014",
    ),
    "H036-unit-power": (body("param a: m^99999 = 1"), "MBX4111"),
    "H036-unit-long-power": (body("param a: m^" + "9" * 17 + " = 1"), "MBX4111"),
    "H036-unit-over-zero": (body("param a: m^(1/0) = 1"), "MBX4111"),
    "H036-unit-product": (body("param a: " + "m*\n" * 50_000 + "m = 1"), "MBX4112"),
    "H036-unit-unknown": (body("param a: system = 1"), "MBX4111"),
    "H037-celsius": (body("param a = 20 degC"), "MBX4110"),
    "H037-celsius-rate": (body("param a: degC/s = 20"), "MBX4110"),
    "H038-functions": (
        body(
            chain(40, "function f0(x) = x + x", "function f{i}(x) = f{j}(x) + f{j}(x)")
            + "\nlet a = f40(1)"
        ),
        "MBX5011",
    ),
    "H038-arguments": (
        body("function f(x) = x*x\nlet a = " + "f(" * 60 + "2" + ")" * 60),
        "MBX5011",
    ),
    "H038-long-chain": (
        body(
            chain(5_000, "function f0(x) = x", "function f{i}(x) = f{j}(x)") + "\nlet a = f5000(1)"
        ),
        "MBX5002",
    ),
    "H038-recursion": (body("function f(x) = g(x)\nfunction g(x) = f(x)\nlet a = f(1)"), "MBX3013"),
    "H038-everywhere": (
        body(
            "function f(x) = "
            + " + ".join(["x"] * 150)
            + "\nfunction g(x) = "
            + " + ".join(["f(x)"] * 150)
            + "\n"
            + "\n".join(f"let a{k} = g({k})" for k in range(300))
        ),
        "MBX5011",
    ),
    "H039-loops": (
        body("for i in 1..1000 { for j in 1..1000 { for k in 1..1000 { let a[i] = 1 } } }"),
        "MBX5009",
    ),
    "H039-empty-loops": (
        body("for i in 1..1000 { for j in 1..1000 { for k in 1..1000 { } } }"),
        "MBX5009",
    ),
    "H039-million": (body("for i in 1..1000000 { let a[i] = 1 }"), "MBX5009"),
    "H039-huge": (body("for i in 1..10^17 { let a[i] = 1 }"), "MBX5009"),
    "H039-row": (body("param a[1..1000000]: kg = 1"), "MBX5009"),
    "H039-whole": (body("param n: integer = 9^9^9^9\nfor i in 1..n { }"), "MBX5009"),
    "H039-wide": (
        body("for i in 1..20000 { let a[i] = " + " + ".join(["i"] * 100) + " }"),
        "MBX5011",
    ),
    "H041-models": (lambda: models(40, "subsystem s: M{j}, u: M{j}"), "MBX5009"),
    "H041-rows": (lambda: models(5, "for i in 1..100 {{ subsystem s[i]: M{j} }}"), "MBX5009"),
    "H041-deep": (lambda: models(300, "subsystem s: M{j}"), "MBX5002"),
    "H041-many": (
        lambda: (
            "mbx 1\n"
            + "".join(f"model M{k} {{ for i in 1..10000 {{ let a[i] = 1 }} }}\n" for k in range(30))
        ),
        "MBX5009",
    ),
    "H042-inside-itself": (lambda: "mbx 1\nmodel A { subsystem a: A }", "MBX3015"),
    "H042-each-other": (
        lambda: "mbx 1\nmodel A { subsystem b: B }\nmodel B { subsystem a: A }",
        "MBX3015",
    ),
    # -- H052 … H066: documents and physics ----------------------------------------------------
    "H052-description": (lambda: model('param a = 1 "' + "a" * (9 << 20) + '"'), "MBX5004"),
    "H053-description-10001": (
        body('param a = 1\n"' + "a" * 4_000 + "\\n" * 3_001 + '"'),
        "MBX5004",
    ),
    "H053-quoted-path": (lambda: f'mbx 1\nuse A from "{"a" * 9_000}"\nmodel M {{ }}', "MBX7001"),
    "H054-same-names": (body("param a = 1\n" * 9_000), "MBX3003"),
    "H054-unknown-names": (body("\n".join(f"param b{k} = c{k}" for k in range(9_000))), "MBX3002"),
    "H054-unknown-units": (
        body("\n".join(f"param b{k}: unit{k} = 1" for k in range(9_000))),
        "MBX4111",
    ),
    "H055-zero-axis": (body("frame F = ground rotated [0, 0, 0] by 1"), "MBX4004"),
    "H055-tiny-axis": (body("frame F = ground rotated [1e-200, 0, 0] by 1"), "MBX4004"),
    "H056-mass": (body("particle P { mass -1 kg  at [0, 0, 0] }"), "MBX4001"),
    "H056-inertia": (
        body("body B { mass 1 kg  inertia diag(1, 1, 3)*(1 [kg*m^2])  joint fixed(ground) }"),
        "MBX4031",
    ),
    "H057-triangle": (
        body(
            "param k: kg*m^2 = 1\nbody B { mass 1 kg  inertia diag(k, k, 3*k) joint fixed(ground) }"
        ),
        "MBX4003",
    ),
    "H058-loop": (
        body(BODY.format("A", "fixed(B)") + "\n" + BODY.format("B", "fixed(A)")),
        "MBX3101",
    ),
    "H058-own-parent": (body(BODY.format("A", "fixed(A)")), "MBX3102"),
    "H058-two-parents": (
        body("body A { mass 1 kg  joint fixed(ground)  joint fixed(ground) }"),
        "MBX3103",
    ),
    "H058-orphan": (body("body A { mass 1 kg }"), "MBX3104"),
    "H059-long-loop": (
        body(
            "\n".join(
                f"body b{k} {{ mass 1 kg  joint fixed(b{(k + 1) % 900}) }}" for k in range(900)
            )
        ),
        "MBX3101",
    ),
    "H059-points": (
        body(chain(2_000, "coordinate q: m\npoint p0 = p2000", "point p{i} = p{j} + q*ground.x")),
        "MBX3108",
    ),
    "H060-bodies": (
        body("for i in 1..1001 { body b[i] { mass 1 kg  joint fixed(ground) } }"),
        "MBX5003",
    ),
    "H060-invariants": (body("coordinate q\nfor i in 1..1001 { invariant q = i }"), "MBX5003"),
    "H062-tensor": (
        body(
            "param k: kg*m^2 = 1\nbody B { mass 1 kg  inertia [[k, k, 0], [0, k, 0], [0, 0, k]]"
            "  joint fixed(ground) }"
        ),
        "MBX4009",
    ),
    "H063-gravity": (body("gravity [0, 0, -9.81 [m/s^2]]\n" * 2), "MBX4015"),
    "H064-turned": (body("coordinate q in [1, 0]"), "MBX4016"),
    "H064-empty": (body("coordinate q in [1, 1]"), "MBX4016"),
    "H064-infinite": (body("coordinate q in [0, 1e400]"), "MBX5005"),
    "H064-no-number": (body("coordinate q in [0, inf]"), "MBX3002"),
    "H064-over-zero": (body("coordinate q in [0, 1/0]"), "MBX4103"),
    "H065-steps": (
        lambda: "mbx 1\nmodel M { }\nexperiment e of M { simulate 1 s .. 0 s every -1 s }",
        "MBX4026",
    ),
    "H066-display": (body('let x = 1 latex "\\\\input{/etc/passwd}"'), "MBX1040"),
    "H066-display-deep": (body('let x = 1 latex "' + "\\\\dot{" * 1_000 + '"'), "MBX1040"),
}

JSON: Final[dict[str, tuple[Make, str]]] = {
    "H043-same": (lambda: '{"mbx": 1, "mbx": 1, "items": []}', "MBX2004"),
    "H043-conflicting": (
        lambda: '{"mbx": 1, "items": [{"kind": "model", "name": "A", "name": "B"}]}',
        "MBX2004",
    ),
    "H043-escaped": (lambda: '{"mbx": 1, "items": [], "\\u006dbx": 2}', "MBX2004"),
    "H043-ext": (
        lambda: '{"mbx": 1, "items": [{"kind": "ext", "key": "k", "value": {"a": 1, "a": 2}}]}',
        "MBX2004",
    ),
    "H044-nan": (lambda: '{"mbx": NaN}', "MBX2002"),
    "H044-infinity": (lambda: '{"mbx": -Infinity}', "MBX2002"),
    "H044-1e400": (lambda: '{"mbx": 1, "items": [1e400]}', "MBX5005"),
    "H044-digits": (lambda: f'{{"mbx": {"1" * 1_000_000}}}', "MBX5005"),
    "H044-true": (lambda: '{"mbx": true, "items": []}', "MBX1009"),
    "H045-surrogate": (lambda: '{"mbx": 1, "items": [], "x": "\\ud800"}', "MBX2003"),
    "H045-nul": (lambda: '{"mbx": 1, "items": [], "x": "\\u0000"}', "MBX1003"),
    "H045-bidi": (lambda: '{"mbx": 1, "items": [], "x": "\\u202e"}', "MBX1013"),
    "H045-bom": (lambda: b'\xef\xbb\xbf{"mbx": 1, "items": []}', "MBX1012"),
    "H045-utf-32": (lambda: '{"mbx": 1}'.encode("utf-32"), "MBX1011"),
    "H046-garbage": (lambda: '{"mbx": 1, "items": []} x', "MBX2001"),
    "H046-two": (lambda: '{"mbx": 1, "items": []}{"mbx": 1, "items": []}', "MBX2001"),
    "H046-comma": (lambda: '{"mbx": 1, "items": [],}', "MBX2001"),
    "H046-comment": (lambda: '{"mbx": 1, /* a */ "items": []}', "MBX2001"),
    "H046-cut": (lambda: '{"mbx": 1, "items": [', "MBX2001"),
    "H046-quotes": (lambda: "{'mbx': 1}", "MBX2001"),
    "H047-arrays": (lambda: "[" * 100_000, "MBX5002"),
    "H047-objects": (lambda: '{"a":' * 100_000 + "1" + "}" * 100_000, "MBX5002"),
    "H047-in-string": (lambda: let("(" * 9_000), "MBX5002"),
    "H048-tree": (lambda: let(nested(190, "Negate")), "MBX5002"),
    "H048-calls": (lambda: let(nested(199, "Apply", "sin")), "MBX5002"),
    "H048-head": (lambda: let(["Eval", "__import__('os')"]), "MBX2106"),
    "H048-name": (lambda: let(["Apply", "__import__", "os"]), "MBX3001"),
    "H048-wide": (lambda: let(["Add", *[1] * 300_000]), "MBX5011"),
    "H049-schema": (
        lambda: '{"mbx": 1, "$schema": "http://127.0.0.1:9/x", "items": []}',
        "MBX2102",
    ),
    "H049-ref": (
        lambda: document({"kind": "model", "name": "M", "$ref": "file:///etc/passwd"}),
        "MBX2102",
    ),
    "H050-kinds": (
        lambda: document({"kind": "model", "name": "M", "body": [{"kind": "lett"}] * 5_000}),
        "MBX2104",
    ),
    "H050-keys": (
        lambda: json.dumps({"mbx": 1, "items": [], **{f"k{k}": 1 for k in range(5_000)}}),
        "MBX2102",
    ),
    "H050-expressions": (
        lambda: document(
            {
                "kind": "model",
                "name": "M",
                "body": [
                    {"kind": "let", "items": [{"name": f"x{k}", "value": "1 +"}]}
                    for k in range(3_000)
                ],
            }
        ),
        "MBX1007",
    ),
    "H051-no-object": (lambda: "[1]", "MBX2108"),
    "H051-null": (lambda: '{"mbx": 1, "items": [null]}', "MBX2103"),
    "H051-name": (lambda: document({"kind": "model", "name": "__class__"}), "MBX3001"),
    "H052-title": (
        lambda: document({"kind": "model", "name": "M", "title": "a" * (9 << 20)}),
        "MBX5004",
    ),
    "H052-escapes": (
        lambda: document({"kind": "model", "name": "M", "title": "\t" * (4 << 20)}),
        "MBX5004",
    ),
}


@pytest.mark.parametrize(("make", "code"), TEXTS.values(), ids=TEXTS)
def test_a_hostile_text_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    result = check(tmp_path, make())
    assert result.status in {1, 5}, result.text[:2000]
    assert code in result.codes, result.text[:2000]
    assert result.places or code == "MBX5001"  # a file that is too large is not read


@pytest.mark.parametrize(("make", "code"), JSON.values(), ids=JSON)
def test_hostile_json_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    result = check(tmp_path, make(), "model.json")
    assert result.status in {1, 5}, result.text[:2000]
    assert code in result.codes, result.text[:2000]
    assert result.places


@pytest.mark.parametrize("stray", ["@", ")", "stray", "}", "'", '"', "1"])
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


def test_h028_a_root_of_what_can_be_negative_is_a_warning(tmp_path: Path) -> None:
    text = model("coordinate x in [-1, 1]\ncoordinate y\ninvariant y = x^(1/3)")
    result = check(tmp_path, text)
    assert result.status == 0
    assert result.codes == {"MBX4101"}
    assert result.places == [(5, 17)]


def test_h034_a_long_chain_of_parameters_is_refused_or_accepted(tmp_path: Path) -> None:
    text = model(chain(50_000, "param a0 = 1", "param a{i} = a{j} + 1"))
    result = check(tmp_path, text)
    assert result.status in {0, 5}
    assert result.codes <= {"MBX5003", "MBX5008"}


def test_h034_a_chain_within_the_limit_is_accepted(tmp_path: Path) -> None:
    text = model(chain(5_000, "param a0 = 1", "param a{i} = a{j} + 1"))
    assert check(tmp_path, text).status == 0


@pytest.mark.parametrize("number", ["-0.0", "0.0", "1e-320", "-1e-320", "0e999"])
def test_h040_small_numbers_have_a_canonical_form(number: str, tmp_path: Path) -> None:
    text = model(f"param a = {number}\ncoordinate q\ninvariant a*q = 0")
    assert check(tmp_path, text).status == 0
    shown = run(tmp_path, "flatten", MODEL)
    assert shown.status == 0
    assert number in shown.text


def test_h055_an_axis_of_another_length_is_noted(tmp_path: Path) -> None:
    result = check(tmp_path, model("frame F = ground rotated [0, 0, 2] by 1"))
    assert result.status == 0
    assert result.codes == {"MBX4005"}


def test_h059_a_long_chain_of_points_is_followed(tmp_path: Path) -> None:
    text = chain(
        2_000, "coordinate q: m\npoint p0 = ground.origin", "point p{i} = p{j} + q*ground.x"
    )
    result = check(tmp_path, model(f"{text}\ninvariant dot(velocity(p2000), ground.x) = 0"))
    assert result.status == 0
    assert result.codes == {"MBX4014"}


def test_h059_points_that_double_cost_no_more_than_their_number(tmp_path: Path) -> None:
    first = (
        "coordinate q: m\nbody B { mass 1 kg  joint prismatic(ground, axis = x, distance = q) }\n"
        "point p0 = B.origin"
    )
    text = chain(60, first, "point p{i} = p{j} + (p{j} - B.origin)")
    assert check(tmp_path, model(f"{text}\ninvariant velocity(p60) = 0")).status == 0


def test_h061_an_immobile_model_is_noted(tmp_path: Path) -> None:
    result = check(tmp_path, model("coordinate q\ninvariant q = 0\ninvariant 2*q = 0"))
    assert result.status == 0
    assert result.codes == {"MBX4013"}


# -- H067 … H073: paths and files ------------------------------------------------------------


def use(path: str) -> str:
    quoted = path.replace("\\", "\\\\")
    return f'mbx 1\nuse A from "{quoted}"\nmodel M {{ subsystem a: A }}\n'


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x",
        "\\\\host\\share",
        "file:///etc/passwd",
        "http://127.0.0.1/x",
        "",
        ".",
        "..",
        "a/../../etc/passwd",
        "lib:../../etc/passwd",
        "lib:/etc/passwd",
        "package://a/b.mb",
        "etc/passwd\\n",
        "~root/.bashrc",
        "CON",
        "a//b.mb",
        "./a.mb",
        "lib:",
        "a/",
        "//host/share",
    ],
)
def test_h067_a_path_that_leads_out_is_not_opened(path: str, tmp_path: Path) -> None:
    (tmp_path / MODEL).write_text(use(path))
    result = run(tmp_path, "check", MODEL, opened="/etc/passwd")
    assert result.status in {1, 5}, result.text
    assert result.codes & {"MBX7001", "MBX7003", "MBX1010"}
    assert result.places[0][0] == 2
    assert "root:" not in result.text


def test_h068_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.mb"
    secret.write_text("mbx 1\nmodel A { let password = 1 }\n")
    (folder / "link.mb").symlink_to(secret)
    (folder / "up").symlink_to("..")
    for path in ("link.mb", "up/secret.mb"):
        (folder / MODEL).write_text(use(path))
        result = run(folder, "check", MODEL, opened=str(secret))
        assert result.status == 5, result.text
        assert result.codes == {"MBX7002"}
        assert "password" not in result.text


def test_h069_imports_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mb").write_text('mbx 1\nuse B from "b.mb"\nmodel A { subsystem b: B }\n')
    (tmp_path / "b.mb").write_text('mbx 1\nuse A from "a.mb"\nmodel B { subsystem a: A }\n')
    result = check(tmp_path, use("a.mb"))
    assert result.status == 1
    assert "MBX3017" in result.codes
    itself = check(tmp_path, 'mbx 1\nuse M as N from "model.mb"\nmodel M { subsystem n: N }\n')
    assert itself.status == 1
    assert itself.codes & {"MBX3015", "MBX3017"}


def test_h069_deep_and_many_imports_are_refused(tmp_path: Path) -> None:
    for k in range(10):
        (tmp_path / f"d{k}.mb").write_text(
            f'mbx 1\nuse A as B from "d{k + 1}.mb"\nmodel A {{ subsystem b: B }}\n'
        )
    deep = check(tmp_path, use("d0.mb"))
    assert deep.status == 5
    assert "MBX5012" in deep.codes
    for k in range(70):
        (tmp_path / f"w{k}.mb").write_text("mbx 1\nmodel A { }\n")
    uses = "\n".join(f'use A as A{k} from "w{k}.mb"' for k in range(70))
    wide = check(tmp_path, f"mbx 1\n{uses}\nmodel M {{ }}\n")
    assert wide.status == 5
    assert wide.codes == {"MBX5012"}


def test_h069_a_diamond_of_imports_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "l0.mb").write_text("mbx 1\nmodel A { param a = 1 }\n")
    for k in range(1, 7):
        (tmp_path / f"l{k}.mb").write_text(
            f'mbx 1\nuse A as B from "l{k - 1}.mb"\nuse A as C from "l{k - 1}.mb"\n'
            "model A { subsystem b: B, c: C }\n"
        )
    assert check(tmp_path, use("l6.mb")).status == 0


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket", "device", "loop"])
def test_h070_what_is_no_plain_file_is_not_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "part.mb"
    match kind:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "socket":
            here = socket.socket(socket.AF_UNIX)
            here.bind(str(path))
            here.close()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to("part.mb")
    (tmp_path / MODEL).write_text(use("part.mb"))
    imported = run(tmp_path, "check", MODEL)
    assert imported.status == 5, imported.text
    assert imported.codes <= {"MBX7002", "MBX7004"}
    assert imported.places == [(2, 1)]
    named = run(tmp_path, "check", "part.mb")
    assert named.status == 5, named.text
    assert named.codes == {"MBX7004"}


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/mem", "/dev/full", "/", "/dev/null"])
def test_h070_a_device_is_not_read(path: str, tmp_path: Path) -> None:
    result = run(tmp_path, "check", path)
    assert result.status == 5, result.text
    assert result.codes == {"MBX7004"}


def test_h073_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    result = run(tmp_path, "check", "none.mb")
    assert result.status == 5
    assert result.codes == {"MBX7003"}
    imported = check(tmp_path, use("none.mb"))
    assert imported.status == 5
    assert imported.codes == {"MBX7003"}
    assert imported.places == [(2, 1)]


def test_h073_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    result = run(tmp_path, "check", "a" * 300 + ".mb")  # no file system has such a name
    assert result.status == 5
    assert result.codes == {"MBX7006"}


@pytest.mark.parametrize("verb", ["fmt", "json"])
def test_h073_a_full_disk_leaves_nothing_behind(verb: str, tmp_path: Path) -> None:
    text = "mbx   1\nmodel M { }\n"
    (tmp_path / MODEL).write_text(text)
    small = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))\n"
        "sys.argv[0] = 'mbx'\n"
        "runpy.run_module('mbx', run_name='__main__', alter_sys=True)\n"
    )
    more = [] if verb == "fmt" else ["--out", "model.json"]
    done = subprocess.run(
        [sys.executable, "-c", small, verb, MODEL, *more],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert "MBX7007" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [MODEL]
    assert (tmp_path / MODEL).read_text() == text


# -- H109: what a terminal is shown ------------------------------------------------------------


@pytest.mark.parametrize(
    "label",
    [
        "\x1b[2J",
        "\x1b]8;;http://example.org\x1b\\x\x1b]8;;\x1b\\",
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
