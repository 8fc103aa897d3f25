"""What changes the identity of a model, and what does not."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import rfc8785

import mbx

if TYPE_CHECKING:
    from mbx.linking.link import Linked

BASE = """\
mbx 1
meta { title "A pendulum" }
model Pendulum "title" {
  param m: kg = 1, l: m = 0.1 "length", a: rad = 30 deg, c = 0
  param g: m/s^2 = 9.81 in [9, 10]
  coordinate th: rad = 0.5 in [-1, 1] "angle" latex "\\\\theta"
  coordinate ph: rad
  body bob {
    mass m
    com [l, 0, 0]
    inertia m*l^2/12 about z
    joint revolute(ground, axis = z, angle = th)
  }
  gravity [0, -g, 0]
  invariant held: ph = 2*th + a
  independent th
  state rest { th = 0 rad }
  branch up: th > 0
  ext "org.example" { "key": 1 }
}
experiment drop of Pendulum "fall" {
  set m = 2 kg
  initial th = 1 rad
  simulate 0 s .. 1 s every 10 ms
}
"""


def linked(text: str) -> Linked:
    return mbx.link(mbx.loads(text))


def changed(old: str, new: str) -> tuple[bool, bool]:
    assert BASE.count(old) == 1, old
    before, after = linked(BASE), linked(BASE.replace(old, new))
    return before.hash != after.hash, before.experiment_hash != after.experiment_hash


NEITHER = {
    "comment": ("  gravity", "  // down\n  gravity"),
    "layout": ("[0, -g, 0]", "[ 0,\n -g ,0 ]"),
    "parentheses": ("2*th + a", "(2*th) + a"),
    "meta": ('"A pendulum"', '"Something else"'),
    "ext": ('{ "key": 1 }', '{ "other": [2] }'),
    "latex": ('"\\\\theta"', '"\\\\phi"'),
    "description": ('"length"', '"how long"'),
    "title": ('"title"', '"another title"'),
    "title of an experiment": ('"fall"', '"drop"'),
    "unit of a length": ("l: m = 0.1", "l: m = 100 mm"),
    "declared unit of a length": ("l: m = 0.1", "l: mm = 100"),
    "zeros of a number": ("l: m = 0.1", "l: m = 0.100"),
    "declared unit of an angle": ("a: rad = 30 deg", "a: deg = 30"),
    "unit of a mass": ("m: kg = 1", "m: g = 1000"),
    "negative zero": ("c = 0", "c = -0.0"),
    "zero with a point": ("c = 0", "c = 0.0"),
    "unit of a step": ("every 10 ms", "every 0.01 s"),
    "unit of a start": ("initial th = 1 rad", "initial th = 1000 mrad"),
    "unit of a set value": ("set m = 2 kg", "set m = 2000 g"),
}
SETUP = {
    "start value": ("= 0.5 in", "= 0.6 in"),
    "range": ("[-1, 1]", "[-1, 0.9]"),
    "range of a parameter": ("[9, 10]", "[9, 11]"),
    "state": ("th = 0 rad", "th = 1 mrad"),
    "hint": ("independent th", "independent ph"),
    "branch": ("th > 0", "th < 0"),
    "span of time": ("0 s .. 1 s", "0 s .. 2 s"),
    "name of an experiment": ("experiment drop", "experiment fall"),
    "set value": ("set m = 2 kg", "set m = 3 kg"),
    "expectation": ("  set m", "  expect energy conserved within 1e-8\n  set m"),
}
PHYSICS = {
    "mass": ("m: kg = 1", "m: kg = 2"),
    "axis of a joint": ("axis = z", "axis = y"),
    "kind of a joint": (
        "revolute(ground, axis = z, angle",
        "cylindrical(ground, axis = z, distance = l, angle",
    ),
    "dimension of a unit": ("c = 0", "c: kg = 0"),
    "invariant": ("2*th + a", "3*th + a"),
    "name of an invariant": ("held", "kept"),
    "gravity": ("[0, -g, 0]", "[0, g, 0]"),
    "value of gravity": ("9.81", "9.8"),
    "mass centre": ("[l, 0, 0]", "[0, l, 0]"),
    "inertia": ("l^2/12", "l^2/3"),
}


@pytest.mark.parametrize("what", NEITHER)
def test_what_has_no_meaning_changes_neither_hash(what: str) -> None:
    assert changed(*NEITHER[what]) == (False, False)


@pytest.mark.parametrize("what", SETUP)
def test_the_setup_changes_the_second_hash_alone(what: str) -> None:
    assert changed(*SETUP[what]) == (False, True)


@pytest.mark.parametrize("what", PHYSICS)
def test_the_physics_changes_the_first_hash(what: str) -> None:
    assert changed(*PHYSICS[what])[0]


def test_the_name_of_the_model_is_no_part_of_it() -> None:
    before, after = linked(BASE), linked(BASE.replace("Pendulum", "Bob"))
    assert (before.hash, before.experiment_hash) == (after.hash, after.experiment_hash)


def test_a_loop_and_what_it_stands_for_are_the_same_model() -> None:
    loop = linked("mbx 1\nmodel M { for i in 1..2 { param m[i]: kg = i } }")
    plain = linked("mbx 1\nmodel M { param m[1]: kg = 1 kg, m[2]: kg = 2000 g }")
    assert loop.hash == plain.hash


def test_rows_of_no_names_are_written_and_read_back() -> None:
    part = "model P { param n: integer = 0, a[1..n]: m = 1 param b[1..n]: m = 1 let c[1..n] = 1 }"
    one = linked(f"mbx 1\n{part}\nmodel M {{ subsystem S: P }}")
    again = linked(mbx.dumps(one.document))
    assert again.hash == one.hash


def test_a_bound_value_is_in_the_unit_of_the_parameter() -> None:
    part = "mbx 1\nmodel P { param l: mm = 1 }\nmodel M { subsystem S: P(l = %s) }"
    assert linked(part % "100").hash == linked(part % "0.1 m").hash
    assert linked(part % "100").hash != linked(part % "101").hash


def test_both_forms_have_the_same_hashes() -> None:
    document = mbx.loads(BASE)
    for math in ("text", "tree"):
        again: Any = mbx.loads(mbx.dumps(document, "json", math))
        assert mbx.link(again).hash == linked(BASE).hash
        assert mbx.link(again).experiment_hash == linked(BASE).experiment_hash


def keys_are_sorted(value: Any) -> bool:
    match value:
        case dict():
            return list(value) == sorted(value) and all(map(keys_are_sorted, value.values()))
        case list():
            return all(map(keys_are_sorted, value))
    return True


def test_the_canonical_form_is_rfc_8785() -> None:
    one = linked(BASE)
    data = json.loads(one.canonical)
    assert rfc8785.dumps(data) == one.canonical
    assert keys_are_sorted(data)
    assert hashlib.sha256(one.canonical).hexdigest() == one.hash


def test_numbers_of_the_canonical_form_are_in_si() -> None:
    one = linked("mbx 1\nmodel M { param l: mm = 250, n: 1 = 3, w: rpm = 30 }")
    values = {d["name"]: (d["unit"], d["value"]) for d in json.loads(one.canonical)["model"]}
    assert values["l"] == ("m", 0.25)
    assert values["n"] == ("1", 3)
    assert values["w"][0] == "1/s"
    assert values["w"][1] == pytest.approx(3.141592653589793, rel=1e-15)


def test_a_number_that_no_float_holds_ends_in_a_finding_or_a_hash() -> None:
    document = mbx.loads("mbx 1\nmodel M { param a: Gm^64 = 1 }")
    report = mbx.check(document)
    if report.ok:
        assert len(mbx.link(document).hash) == 64
