"""The published examples of hostile inputs, in process: each gets the code that it must get.

The same inputs and their neighbours, each by the command in a process of its own under limits
of time and memory, are the slow tests of this folder.
"""

from __future__ import annotations

from typing import Final

import pytest

import mbx


def codes(text: str) -> set[str]:
    """Return the codes of everything mbx has to say of a text."""
    try:
        return {one.code for one in mbx.check(mbx.loads(text))}
    except mbx.SourceError as bad:
        return {one.code for one in bad.report}


def body(text: str) -> str:
    return f"mbx 1\nmodel M {{\n{text}\n}}\n"


def let(expression: str) -> str:
    return body(f"coordinate x: m in [-1, 1]\nlet z = {expression}")


def link(name: str, joint: str) -> str:
    return f"body {name} {{ mass 1 kg  inertia 1 [kg*m^2] about z  {joint} }}"


ARM: Final = "coordinate a: rad\n" + link("B", "joint revolute(ground, axis = AXIS, angle = a)")

TABLE: Final = {
    "H001-empty": ("", {"MBX1001"}),
    "H001-blank": (" \n\t\n", {"MBX1001"}),
    "H001-comments": ("// nothing\n", {"MBX1001"}),
    "H004": (let("-" * 50_000 + "1"), {"MBX5002"}),
    "H004-lines": (let("-\n" * 50_000 + "1"), {"MBX5002"}),
    "H007": (let("1" * 1_000_000), {"MBX5005"}),
    "H010-nul": (let("1\x00"), {"MBX1003"}),
    "H010-escape": (let("1\x1b"), {"MBX1003"}),
    "H010-c1": (let("1\x9b"), {"MBX1003"}),
    "H010-vt": (let("1\x0b"), {"MBX1003"}),
    "H013": (body("coordinate q\u200d: m"), {"MBX1004"}),
    "H019": (body("param __class__ = 1"), {"MBX3001"}),
    "H022": (let("((9^9)^9999)^9999"), {"MBX5010"}),
    "H025": (let("sin(cos(exp(exp(exp(exp(1))))))"), {"MBX5010"}),
    "H028-range": (let("(x/(1 m))^(1/3)"), set()),
    "H028-root": (let("sqrt(-1)"), {"MBX4102"}),
    "H031": (let("(x/(1 m) + 1)^100000"), {"MBX5010"}),
    "H037": (body("param k: W/degC = 1"), {"MBX4110"}),
    "H043": ('{"mbx": 1, "mbx": 1, "items": []}', {"MBX2004"}),
    "H046-garbage": ('{"mbx": 1, "items": []} x', {"MBX2001"}),
    "H046-comma": ('{"mbx": 1, "items": [],}', {"MBX2001"}),
    "H049": ('{"mbx": 1, "$schema": "http://127.0.0.1:9/x", "items": []}', {"MBX2102"}),
    "H052": (f'mbx 1\nmodel M "{"a" * 9_000_000}" {{ }}', {"MBX5004"}),
    "H055-zero": (body(ARM.replace("AXIS", "[0, 0, 0]")), {"MBX4004", "MBX4008"}),
    "H055-tiny": (body(ARM.replace("AXIS", "[1e-200, 0, 0]")), {"MBX4004", "MBX4008"}),
    "H058-self": (
        body("coordinate a: rad\n" + link("B", "joint revolute(B, axis = z, angle = a)")),
        {"MBX3102"},
    ),
    "H058-two": (
        body(
            "coordinate a: rad\n"
            + link("B", "joint revolute(ground, axis = z, angle = a)  joint fixed(ground)")
        ),
        {"MBX3103"},
    ),
    "H058-none": (body(link("B", "")), {"MBX3104"}),
    "H064-reversed": (body("param p: m = 1 in [2, 1]"), {"MBX4016"}),
    "H064-empty": (body("param p: m = 1 in [1, 1]"), {"MBX4016"}),
    "H067-up": ('mbx 1\nuse X from "../../etc/passwd"\nmodel M { }', {"MBX7001", "MBX7008"}),
    "H067-root": ('mbx 1\nuse X from "/etc/passwd"\nmodel M { }', {"MBX7001", "MBX7008"}),
    "H067-address": ('mbx 1\nuse X from "http://127.0.0.1/x"\nmodel M { }', {"MBX7001", "MBX7008"}),
}


@pytest.mark.parametrize(("text", "expected"), TABLE.values(), ids=TABLE)
def test_a_hostile_input_gets_its_code(text: str, expected: set[str]) -> None:
    found = codes(text)
    assert found <= expected | {"MBX4012"}
    assert not expected or found & expected


@pytest.mark.parametrize(
    ("number", "kept"),
    [("-0.0", "0"), ("1e-300", "1e-300"), ("2.3e-308", "2.3e-308"), ("1e-320", "1e-320")],
)
def test_h040_small_numbers_are_kept_and_minus_zero_is_zero(number: str, kept: str) -> None:
    document = mbx.loads(body(f"param p = {number}"))
    assert mbx.check(document).ok
    assert f'"value":{kept}}}'.encode() in mbx.link(document).canonical


@pytest.mark.parametrize("number", ["2.2e-308", "-2.2e-308", "1e-320"])
def test_h040_numbers_so_small_that_digits_are_lost_are_warned_of(number: str) -> None:
    [one] = mbx.check(mbx.loads(body(f"param p = {number}")))
    assert (one.code, one.severity) == ("MBX5005", "warning")
    assert one.message == "a number so small that digits are lost"


def test_h016_many_errors_are_counted() -> None:
    with pytest.raises(mbx.SourceError) as caught:
        mbx.loads("mbx 1\n" + ")\n" * 20_000)
    text = caught.value.report.render()
    assert text.count("error[") == 100
    assert text.endswith("… and 19900 more")


@pytest.mark.full
def test_h034_a_long_chain_of_parameters_meets_a_limit_or_none() -> None:
    chain = "param a0 = 1\n" + "\n".join(f"param a{k} = a{k - 1} + 1" for k in range(1, 12_000))
    assert codes(body(chain)) <= {"MBX5003"}
