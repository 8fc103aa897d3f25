"""Models that mean nothing are refused, with the element and the line."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import mbx
from mbx.cli.main import main

HERE = Path(__file__).parent


def errors(text: str) -> list[tuple[str, int]]:
    """Return the code and the line of each error of a model."""
    found = mbx.check(mbx.loads(text))
    return [(d.code, d.span.position[0]) for d in found if d.severity == "error" and d.span]


def codes(text: str) -> set[str]:
    return {code for code, _ in errors(text)}


# -- mass centres ----------------------------------------------------------------------------------

ROTOR = """\
mbx 1
model Part {
  param d: m
  input e: m
  coordinate b: rad
  body P { mass 1 kg  com [%(part)s, 0, 0]  inertia 1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = b) }
}
model Rotor {
  param a: m = 0.2, w: rad/s = 2
  input u: m = 0.1
  coordinate th: rad = 0.4, x: m = 0.1
  function twice(v) = 2*v
  let c = %(let)s
  subsystem s: Part(d = a, e = x)
  point G = [a, 0, 0]
  body A { mass 1 kg  inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = 2*th) }
  frame F = A at [a, 0, 0] rotated z by 30 deg
  point H = F.origin + a*F.y
  body B { mass 1 kg  com %(com)s  inertia 1 [kg*m^2] about z
    %(placed)s }
  spring on x stiffness 1 [N/m]
}
"""
TURNING = "joint revolute(ground, axis = z, angle = th)"
LINE = ROTOR[: ROTOR.index("body B")].count("\n") + 1


def rotor(com: str = "[0, 0, 0]", placed: str = TURNING, let: str = "a", part: str = "0 m") -> str:
    return ROTOR % {"com": com, "placed": placed, "let": let, "part": part}


@pytest.mark.parametrize(
    "com",
    [
        "[a*sin(w*t), 0, 0]",
        "[x, 0, 0]",
        "[0, x'*(1 s), 0]",
        "[0, 0, u]",
        "[twice(x), 0, 0]",
        "[if t < 1 s then a else 2*a, 0, 0]",
        "[a*dot(A.x, ground.x), 0, 0]",
        "[s.b*a, 0, 0]",
        "G",
        "A.origin",
        "H",
        "A.com + a*A.x",
        "ground.origin",
    ],
)
def test_a_mass_centre_that_moves_in_its_body_is_refused_at_its_line(com: str) -> None:
    assert errors(rotor(com)) == [("MBX4160", LINE)]


@pytest.mark.parametrize(
    ("com", "placed", "let"),
    [
        ("[a, 0, 0]", TURNING, "a"),
        ("[twice(a), a*sin(30 deg), 0]", TURNING, "a"),
        ("[if a > 1 m then a else 2*a, 0, 0]", TURNING, "a"),
        ("[c, 0, 0]", TURNING, "2*a"),
        ("G", "joint fixed(ground)", "a"),
        ("H", "joint fixed(A at [a, 0, 0])", "a"),
        ("A.origin + a*F.y", "joint fixed(F)", "a"),
        ("ground.origin + x*ground.x", "frame ground rotated z by th", "a"),
        ("H", "frame ground rotated z by th", "a"),
    ],
)
def test_a_mass_centre_that_is_constant_in_its_body_is_taken(
    com: str, placed: str, let: str
) -> None:
    assert errors(rotor(com, placed, let)) == []


def test_a_mass_centre_that_moves_through_a_definition_or_a_part_is_refused() -> None:
    assert codes(rotor("[c, 0, 0]", let="2*x")) == {"MBX4160"}
    assert codes(rotor(part="e")) == {"MBX4160"}
    assert codes(rotor(part="d")) == set()


def test_a_mass_centre_by_coordinates_gets_a_hint_what_to_write() -> None:
    (found,) = mbx.check(mbx.loads(rotor("[x, 0, 0]"))).errors
    assert "'B'" in found.message
    assert found.help is not None
    assert all(word in found.help for word in ("'x'", "joint", "particle", "`at`"))


def test_a_body_with_a_frame_and_a_bracket_that_moves_is_refused() -> None:
    assert codes(rotor("[x, 0, 0]", "frame ground rotated z by th")) == {"MBX4160"}


def test_a_mass_that_changes_when_a_time_has_come_is_refused() -> None:
    text = (
        "mbx 1\nmodel M {\n coordinate x: m\n particle P {\n  mass if t < 1 s then 1 kg else 2 kg"
    )
    assert errors(f"{text}\n  at [x, 0, 0] }}\n}}\n") == [("MBX4025", 5)]


def test_the_model_whose_forms_differed_is_refused() -> None:
    (found,) = mbx.check(mbx.read(HERE / "moving_com.mb")).errors
    assert (found.code, "'A'" in found.message) == ("MBX4160", True)


# -- quaternions -----------------------------------------------------------------------------------

SLOPE = """\
mbx 1
model Slope {
  param a: rad = 0.3, p = 0.8, w: rad/s = 1, free: rad
  input u: rad = 0.1
  coordinate x: m = 0.1, th: rad = 0.2
  frame F = ground quaternion(w = %s, x = 0, y = 0, z = %s)
  particle P { mass 1 kg  at F.origin + x*F.x + (1 m)*th*F.z }
}
"""


@pytest.mark.parametrize(
    ("w", "z"),
    [
        ("0.6", "0.8"),
        ("0.7071067811865476", "0.7071067811865476"),
        ("1/sqrt(2)", "1/sqrt(2)"),
        ("p", "0.6"),
        ("cos(a/2)", "sin(a/2)"),
        ("cos(free/2)", "sin(free/2)"),
        ("cos(w*t/2)", "sin(w*t/2)"),
        ("cos(u/2)", "sin(u/2)"),
        ("cos(th/2)", "sin(th/2)"),
    ],
)
def test_a_quaternion_of_norm_one_is_taken(w: str, z: str) -> None:
    assert errors(SLOPE % (w, z)) == []


@pytest.mark.parametrize(
    ("w", "z"),
    [
        ("0.8", "0.9"),
        ("0.7071", "0.7071"),
        ("0.7071068", "0.7071068"),
        ("0", "0"),
        ("p", "p"),
        ("cos(a)", "sin(a/2)"),
        ("cos(w*t)", "sin(w*t/2)"),
        ("u", "0.6"),
        ("2*cos(th/2)", "2*sin(th/2)"),
    ],
)
def test_a_quaternion_whose_norm_nothing_makes_one_is_refused(w: str, z: str) -> None:
    assert ("MBX4161", 6) in errors(SLOPE % (w, z))


def test_a_quaternion_of_a_parameter_without_a_value_is_warned_of() -> None:
    found = [d for d in mbx.check(mbx.loads(SLOPE % ("free", "0.6"))) if d.code == "MBX4161"]
    assert [d.severity for d in found] == ["warning"]


def test_the_remedy_is_the_normalised_quaternion() -> None:
    (found,) = mbx.check(mbx.read(HERE / "no_rotation.mb")).errors
    assert found.help is not None
    w, z = (float(x) for x in re.findall(r"[wz] = ([0-9.]+)", found.help))
    assert (w, z) == pytest.approx((0.8 / math.hypot(0.8, 0.9), 0.9 / math.hypot(0.8, 0.9)), 1e-15)


# -- values that are put in ------------------------------------------------------------------------

SET = """\
mbx 1
model M {
  param m: kg = 1 in [0.1, 10], J: kg*m^2 = 1, n = 1, qw = 1
  input u: N = 0 in [-1, 1]
  coordinate x: m = 0.1, th: rad
  particle P { mass m  at [x, 0, 0] }
  spring on x stiffness (1 [N/m])/n
  body B { mass 1 kg  inertia diag(J, 1 [kg*m^2], 1 [kg*m^2])
    joint revolute(ground quaternion(w = qw, x = 0, y = 0, z = 0), axis = [0, 0, n], angle = th) }
  force push: u*ground.x on P
}
experiment e of M {
  %s
  simulate 0 s .. 1 s
  expect x at 1 s = 0.05403023 m within 0.001 m source "analytic: cos"
}
"""


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("set m = -1", {"MBX4001"}),
        ("set u = 0 N, m = -1, J = 2", {"MBX4001"}),
        ("set J = 3", {"MBX4003"}),
        ("set J = -1", {"MBX4002"}),
        ("set n = 0", {"MBX4004", "MBX4103"}),
        ("set qw = 0.9", {"MBX4161"}),
        ("set m = 1e200*1e200", {"MBX5010"}),
        ("set m = 1e-200*1e-200", {"MBX5005"}),
        ("vary m in [-1, 1] steps 3", {"MBX4001"}),
        ("vary n in [-1, 1] steps 3", {"MBX4004", "MBX4103"}),
        ("vary J in [1, 3]", {"MBX4003"}),
    ],
)
def test_what_an_experiment_puts_in_is_checked_at_its_place(task: str, wanted: set[str]) -> None:
    found = errors(SET % task)
    assert {code for code, _ in found} == wanted
    assert {line for _, line in found} == {13}


@pytest.mark.parametrize("task", ["set m = 2", "set J = 2", "vary n in [1, 2]", "set u = 1 N"])
def test_what_has_a_meaning_may_be_put_in(task: str) -> None:
    assert list(mbx.check(mbx.loads(SET % task))) == []


@pytest.mark.parametrize("task", ["set m = 20", "set u = 3 N"])
def test_a_value_outside_of_its_range_is_warned_of_where_it_is_put_in(task: str) -> None:
    (found,) = mbx.check(mbx.loads(SET % task))
    assert (found.code, found.severity) == ("MBX4017", "warning")
    assert found.span is not None
    assert found.span.position[0] == 13


VERBS = [
    ("assemble", []),
    ("simulate", ["e"]),
    ("equilibrium", []),
    ("linearize", []),
    ("convert", ["--to", "kane"]),
    ("kinematics", ["--drive", "x=1:2:3"]),
    ("study", ["--analysis", "equilibrium", "--vary", "n=1:2:2", "--jobs", "1"]),
]


@pytest.mark.parametrize(("verb", "more"), VERBS)
def test_a_value_of_the_command_line_is_checked_by_every_verb(
    verb: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(SET % "set J = 1")
    assert main([verb, str(file), *more, "--set", "m=-1"]) == 1
    said = capsys.readouterr().err
    assert "m.mb:6:" in said
    assert "error[MBX4001]: with --set m=-1, the mass of 'P' is -1 kg" in said


@pytest.mark.parametrize("verb", ["check", "simulate", "verify"])
def test_a_negative_mass_of_an_experiment_is_refused(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["e"] if verb == "simulate" else []
    assert main([verb, str(HERE / "negative_mass_set.mb"), *more]) == 1
    out = capsys.readouterr()
    assert "negative_mass_set.mb:6:29" in out.err
    assert "with m = -1 in experiment 'e', the mass of 'P' is -1 kg" in out.err


@pytest.mark.parametrize("value", ["1e400", "1e-400", "nan", "1e301", "1e-301"])
def test_a_number_of_the_command_line_that_cannot_be_kept_is_refused(
    value: str, tmp_path: Path
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(SET % "set J = 1")
    assert main(["equilibrium", str(file), "--set", f"m={value}"]) == 2


# -- values that nobody gives ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("assemble", []),
        ("simulate", ["--until", "1"]),
        ("equilibrium", []),
        ("linearize", []),
        ("kinematics", []),
        ("study", ["--analysis", "assemble", "--vary", "x=1:2:2", "--jobs", "1"]),
    ],
)
def test_a_parameter_without_a_value_is_named_with_its_place(
    verb: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, str(HERE / "no_value.mb"), *more]) == 1
    said = capsys.readouterr().err
    assert "no_value.mb:3:7: error[MBX4163]: parameter 'l' has no value" in said


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("compare", []),
        ("draw", []),
        ("report", []),
        ("info", ["--deep"]),
        ("convert", ["--to", "kane"]),
    ],
)
def test_a_verb_that_needs_no_numbers_does_without_them(
    verb: str, more: list[str], tmp_path: Path
) -> None:
    out = ["-o", str(tmp_path / "out.html")] if verb == "report" else []
    assert main([verb, str(HERE / "no_value.mb"), *more, *out]) == 0


def test_an_input_without_a_value_is_named_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(SET.replace("u: N = 0 in [-1, 1]", "u: N") % "set J = 1")
    assert main(["simulate", str(file), "e"]) == 1
    assert "m.mb:4:9: error[MBX4163]: input 'u' has no value" in capsys.readouterr().err


def test_a_study_gives_values_that_the_model_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(SET.replace("m: kg = 1 in [0.1, 10]", "m: kg") % "set J = 1")
    assert main(["study", str(file), "e", "--vary", "n=1:2:2", "--jobs", "1"]) == 1
    assert "m.mb:3:9: error[MBX4163]: parameter 'm' has no value" in capsys.readouterr().err
    assert main(["study", str(file), "e", "--vary", "m=-1:2:3", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "the mass of 'P' is -1 kg" in said
    assert "3 runs of simulate, 1 without a result" in said


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("param a: km = 1e299", "MBX5010"),
        ("param a: um = 1e-320 [um]", "MBX5005"),
        ("let a = 1e200*1e200", "MBX5010"),
        ("let a = 1e-200*1e-200", "MBX5005"),
        ("let a = 1e-200/1e200", "MBX5005"),
        ("let a = exp(-1000)", "MBX5005"),
        ("param b = 1e-200\n  let a = b*b/b", "MBX5005"),
        ("spring on x stiffness 1e-200*1e-150 [N/m]", "MBX5005"),
        ("spring on x stiffness (1e298 [kN/m])*1e5", "MBX5010"),
    ],
)
def test_a_constant_that_cannot_be_kept_is_reported(statement: str, code: str) -> None:
    text = "mbx 1\nmodel M {\n  coordinate x: m\n  particle P { mass 1 kg  at [x, 0, 0] }\n"
    assert codes(f"{text}  {statement}\n}}\n") == {code}


@pytest.mark.parametrize("number", ["1e400", "1e-400", "-1e400"])
def test_a_literal_that_cannot_be_kept_is_refused(number: str) -> None:
    with pytest.raises(mbx.SourceError, match="MBX5005"):
        mbx.loads(f"mbx 1\nmodel M {{ param a = {number} }}\n")
