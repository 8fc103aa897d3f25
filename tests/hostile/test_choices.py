"""Hostile nesting of choices and tensors, parts that are not there, and values beyond SI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from guarded import MODEL, assert_refused, body, check, model, run

if TYPE_CHECKING:
    from pathlib import Path

    from guarded import Make

pytestmark = pytest.mark.slow  # each starts the command anew

_POINT: Final = "coordinate x: m\nparticle p { mass 1 kg at [x, 0, 0] }\n"

TEXTS: Final[dict[str, tuple[Make, str]]] = {
    "diag-first": (body("let d = " + "diag(" * 60 + "1" + ", 1, 1)" * 60), "MBX4031"),
    "diag-last": (body("let d = " + "diag(1, 1, " * 60 + "1" + ")" * 60), "MBX4031"),
    "tensor": (body("let d = " + "tensor(" * 60 + "1" + ", 1, 1, 1, 1, 1)" * 60), "MBX4031"),
    "parts": (body("\n".join(f"subsystem s{k}: Not{k}" for k in range(3_000))), "MBX3006"),
    "parameter": (body("param a: Gm = 1e300"), "MBX5010"),
    "negative": (body("param a: Gm = -1e300"), "MBX5010"),
    "let": (body("let a: Gm = 1e299*10"), "MBX5010"),
    "bound": (body("param a: Gm = 1 in [0, 1e300]"), "MBX5010"),
    "start": (body(_POINT + "coordinate y: Gm = 1e300\ninvariant x = y"), "MBX5010"),
    "gravity": (body(_POINT + "gravity [0, 1e300 [Gm/s^2], 0]"), "MBX5010"),
    "force": (body(_POINT + "force [1e300 GN, 0, 0] on p"), "MBX5010"),
    "nothing": (body("param a: um^12 = 1e-300"), "MBX5005"),
}


@pytest.mark.parametrize(("make", "code"), TEXTS.values(), ids=TEXTS)
def test_it_is_refused_in_time(make: Make, code: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, make()), code)


def test_what_si_can_hold_is_accepted(tmp_path: Path) -> None:
    text = _POINT + "param a: Gm = 1e291, b = 1e300\nforce [1e200 GN, 0, 0] on p"
    assert check(tmp_path, model(text)).status == 0


def _choices(count: int, after: str = "") -> str:
    """Return as many blocks, each behind the `else` of the one before it."""
    chain = "".join(f"if n == {k} {{ param a{k} = 1 }} else {after}" for k in range(count))
    return model(f"param n: integer = 0\n{chain}{{ param b = 1 }}")


@pytest.mark.parametrize("after", ["", "// why\n"])
def test_choices_are_formatted_in_time_and_read_again(after: str, tmp_path: Path) -> None:
    (tmp_path / MODEL).write_text(_choices(49, after))
    once = run(tmp_path, "fmt", "--stdout", MODEL)
    assert once.status == 0, once.text[:500]
    (tmp_path / MODEL).write_text(once.text)
    assert run(tmp_path, "fmt", "--stdout", MODEL) == once
    shown = run(tmp_path, "json", MODEL)
    (tmp_path / "model.json").write_text(shown.text)
    assert run(tmp_path, "fmt", "--stdout", "model.json") == once


@pytest.mark.parametrize("after", ["", "// why\n"])
def test_more_choices_than_levels_are_refused(after: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, _choices(50, after)), "MBX5002")


def test_choices_one_below_another_are_not_nested(tmp_path: Path) -> None:
    one = "if n == {0} {{ param a{0} = 1 }} else if n == {0} {{ param b{0} = 1 }}"
    text = "\n".join(["param n: integer = 0", *(one.format(k) for k in range(300))])
    assert check(tmp_path, model(text)).status == 0


def _nested(count: int) -> str:
    inner: list[dict[str, Any]] = [{"kind": "let", "items": [{"name": "a", "value": "1"}]}]
    for _ in range(count):
        inner = [{"kind": "if", "condition": "1 > 0", "body": inner}]
    document = {"mbx": 1, "items": [{"kind": "model", "name": "M", "body": inner}]}
    return json.dumps(document)


def test_json_has_no_more_levels_than_a_text(tmp_path: Path) -> None:
    assert check(tmp_path, _nested(49), "model.json").status == 0
    assert run(tmp_path, "fmt", "--stdout", "model.json").status == 0
    found = check(tmp_path, _nested(50), "model.json")
    assert found.codes == {"MBX5002"}
    assert found.status == 5
