"""What people often write otherwise, and the remedy that they read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.base.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

_MODEL: Final = """mbx 1
model P {
  param l: m = 1
  param m: kg = 1
  coordinate th: rad = 0
  coordinate a: rad = 0, x: m = 0
  body b {
    mass m
    com [0, -l, 0]
    inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = th)
  }
  gravity [0, -9.81 [m/s^2], 0]
}
"""
_JOINT: Final = "revolute(ground, axis = z, angle = th)"


def findings(text: str) -> str:
    try:
        return mbx.check(mbx.loads(text)).render()
    except SourceError as bad:
        return bad.report.render()


@pytest.mark.parametrize(
    ("was", "now", "remedy"),
    [
        ("th: rad", "th rad", "write a colon before the unit: 'th: rad'"),
        ("0, x: m = 0", "0, x m = 0", "write a colon before the unit: 'x: m'"),
        ("l: m = 1", "l: N/(m*s) = 1", "a unit has no brackets: write 'N/m/s'"),
        ("l: m = 1", "l: N*m/(m/s^2) = 1", "a unit has no brackets: write 'N*m/m*s^2'"),
        ("12 about z", "12", "name the axis, as in `inertia J about z`, or write diag(a, b, c)"),
        ("-9.81 [m/s^2]", "-9.81 m/s^2", "stands in brackets, as in 9.81 [m/s^2]; 's' is one"),
        ("mass m\n", "mass m*cos(th)\n", "what changes acts by `effective`, as a load"),
        (
            _JOINT,
            "general(ground, move = [x, 0, 0] rotated z by th)",
            "write a comma before 'rotated'",
        ),
        (_JOINT, "general(ground, rotated z by th, x by a)", "begins with 'rotated': rotated x by"),
        (_JOINT, "general(ground rotated z by th)", "write a comma before 'rotated': general("),
    ],
)
def test_a_common_slip_has_its_remedy(was: str, now: str, remedy: str) -> None:
    assert was in _MODEL
    assert remedy in findings(_MODEL.replace(was, now, 1))


@pytest.mark.parametrize(
    "body",
    [
        "frame lab = ground at [0, 1 m, 0]  body q { joint fixed(lab) }",
        "frame lab = ground rotated z by 0.3  body q { joint fixed(lab at [0, 1 m, 0]) }",
        "frame f = ground at [0, l, 0]\nframe g = f at [l, 0, 0]\nbody q { joint fixed(g) }",
    ],
)
def test_a_body_on_a_frame_fixed_to_the_ground_needs_no_mass(body: str) -> None:
    text = _MODEL.replace("  gravity", f"  {body}\n  gravity")
    assert "has no mass" not in findings(text)


@pytest.mark.parametrize(
    "body",
    [
        "frame lab = ground at [0, x, 0]  body q { joint fixed(lab) }",
        "frame lab = ground rotated z by a  body q { joint fixed(lab at [0, 1 m, 0]) }",
        "frame lab = b at [0, 1 m, 0]  body q { joint fixed(lab) }",
    ],
)
def test_a_body_on_a_frame_that_moves_needs_one(body: str) -> None:
    text = _MODEL.replace("  gravity", f"  {body}\n  gravity")
    shown = findings(text)
    assert "body 'q' has no mass" in shown
    assert "help: give it one, `mass 0 kg` if it has none" in shown


@pytest.mark.parametrize("form", ["mb", "json"])
def test_a_byte_order_mark_is_an_error_in_either_form(form: str, tmp_path: Path) -> None:
    text = _MODEL if form == "mb" else mbx.dumps(mbx.loads(_MODEL), "json")
    file = tmp_path / f"m.{form}"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    with pytest.raises(SourceError) as refused:
        mbx.read(file)
    (fault,) = refused.value.report
    assert (fault.code, fault.help) == ("MBX1012", "save it as UTF-8 without one")
