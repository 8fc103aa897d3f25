"""Units of symbols, on every page and in the heads of tables: values are in SI, and so are they."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.cli.main import main
from mbx.pipeline import write_files

if TYPE_CHECKING:
    from pathlib import Path

ARM = """mbx 1
model Arm {
  param m: kg = 2, l: mm = 500, k: N*m/deg = 1, c: kN*mm*s = 1, n = 3, f: N*mm = 2
  input tau: N*mm = 0
  coordinate theta: deg = 10, x: cm = 1
  speed w: rpm
  let pull: N*mm = 2*f, same = tau, bend = k*theta, work = m*w^2*l^2/2
  define w = theta'
  body arm {
    mass m  com [l, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = theta)
  }
  particle P { mass m  at [x, n*l, 0] }
  load drive: on w: tau - c*w
  invariant tie: x = 1 cm + l*sin(theta) reaction T
}
experiment go of Arm {
  initial theta = 10 deg, w = 0
  simulate 0 s .. 10 ms every 10 ms
  expect pull at 0 s = 0 within 1 [N*m] source "none"
  expect same at 0 s = 0 within 1 [N*m] source "none"
  expect -2*theta' at 0 s = 0 within 1 [rad/s] source "none"
  expect work at 0 s = 0 within 1 J source "none"
  expect T at 0 s = 0 within 1 N source "none"
  expect atan2(x, l) at 0 s = 0 within 1 source "none"
}
"""
SHOWN = {
    "theta": "rad",
    "x": "m",
    "w": "rad/s",
    "x'": "m/s",
    "w'": "rad/s^2",
    "tau": "N*m",
    "m": "kg",
    "l": "m",
    "k": "N*m/rad",
    "c": "N*m*s",
    "n": "1",
    "f": "N*m",
}
IN_A_RUN = {
    "theta": "rad",
    "x": "m",
    "w": "rad/s",
    "w'": "rad/s^2",
    "x'": "m/s",
    "pull": "N*m",
    "same": "N*m",
    "-2*theta'": "rad/s",
    "work": "J",
    "energy": "J",
    "kinetic energy": "J",
    "T": "N",
    "lambda:tie": "N",
    "atan2(x, l)": "rad",
    "momentum x": "N*s",
    "angular momentum z": "N*m*s",
}


@cache
def equations() -> mbx.Equations:
    return mbx.convert(mbx.loads(ARM), "kane")


def test_the_signature_has_the_si_units_of_the_declared_kinds() -> None:
    signature = equations().signature
    groups = (signature.q, signature.u, signature.highest, signature.inputs, signature.parameters)
    assert {one.path: one.unit for group in groups for one in group if one.path in SHOWN} == SHOWN


def test_a_radian_is_a_pure_number_to_computations() -> None:
    signature = equations().signature
    assert [one.dimension for one in signature.q] == ["1", "m"]
    assert {one.path: one.dimension for one in signature.parameters}["k"] == "kg*m^2/s^2"


@pytest.mark.parametrize(
    ("target", "row"),
    [
        ("text", r"theta +rad"),
        ("text", r"w' +rad/s\^2"),
        ("text", r"  k +N\*m/rad"),
        ("text", r"  n +- "),
        ("markdown", r"\\theta\$ \| rad \|"),
        ("latex", r"\\theta.*rad"),
        ("html", r"rad/s<sup>2</sup>"),
        ("c", r"0: theta \[rad\]"),
        ("c", r"\d: w \[rad/s\]"),
        ("numpy", r"\d: tau \[N\*m\]"),
        ("modelica", r'unit = "N.m.s"'),
        ("modelica", r'unit = "rad/s"'),
    ],
)
def test_every_format_shows_these_units(target: str, row: str) -> None:
    text = "".join(write_files(equations(), target).values())
    assert re.search(row, text)


def test_a_table_of_a_run_shows_them(tmp_path: Path) -> None:
    model, table = tmp_path / "arm.mb", tmp_path / "arm.csv"
    model.write_text(ARM)
    also = [x for name in ("accelerations", "multipliers", "reactions") for x in ("--also", name)]
    main(["simulate", str(model), "go", *also, "--quiet", "-o", str(table)])
    head = next(csv.reader(io.StringIO(table.read_text())))
    found = dict(re.findall(r"^'?(.*?) \[(.*)\]$", "\n".join(head), re.MULTILINE))
    assert {name: found.get(name) for name in IN_A_RUN} == IN_A_RUN
