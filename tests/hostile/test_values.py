"""Hostile values, units and repetition: H021 to H042."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from guarded import MODEL, assert_refused, body, chain, check, model, models, run

if TYPE_CHECKING:
    from pathlib import Path

    from guarded import Make

pytestmark = pytest.mark.slow  # each starts the command anew

TEXTS: Final[dict[str, tuple[Make, str]]] = {
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
    "H036-unit-product": (body("param a: " + "m*\n" * 50_000 + "m = 1"), "MBX4111"),
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
}


@pytest.mark.parametrize(("make", "code"), TEXTS.values(), ids=TEXTS)
def test_a_hostile_value_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, make()), code)


def test_h028_a_root_of_what_can_be_negative_is_a_warning(tmp_path: Path) -> None:
    text = model("coordinate x in [-1, 1]\ncoordinate y\ninvariant y = x^(1/3)")
    result = check(tmp_path, text)
    assert result.status == 0
    assert result.codes == {"MBX4101"}
    assert result.places == [(5, 15)]


def test_h034_a_long_chain_of_parameters_is_refused_or_accepted(tmp_path: Path) -> None:
    text = model(chain(50_000, "param a0 = 1", "param a{i} = a{j} + 1"))
    result = check(tmp_path, text)
    assert result.status in {0, 5}
    assert result.codes <= {"MBX5003"}


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
