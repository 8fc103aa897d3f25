"""Expressions that have a value at no state, and constants that hide behind names and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """\
mbx 1
model M {
  param J: kg*m^2 = 1, n = 1, k = 1
  coordinate th: rad = 0.4, x: m = 0.1
  function over(p, r) = p/(r - r)
  body B { mass 1 kg  inertia %(inertia)s
    joint revolute(ground, axis = %(axis)s, angle = th) }
  particle Q { mass 1 kg  at [x, 0, 1 m] }
  %(more)s
}
%(experiment)s
"""


def written(
    more: str = "", *, inertia: str = "diag(J, J, J)", axis: str = "z", experiment: str = ""
) -> str:
    return MODEL % {"more": more, "inertia": inertia, "axis": axis, "experiment": experiment}


def errors(text: str) -> list[tuple[str, int]]:
    found = mbx.check(mbx.loads(text))
    return [(d.code, d.span.position[0]) for d in found if d.severity == "error" and d.span]


LINE = MODEL[: MODEL.index("%(more)s")].count("\n") + 1

NOWHERE = [
    ("1/(th - th)", "MBX4103"),
    ("1/(0*th)", "MBX4103"),
    ("(th - th)^(-1)", "MBX4103"),
    ("1/sign(th - th)", "MBX4103"),
    ("1/dot(B.z, ground.x)", "MBX4103"),
    ("1/diff(n, th)", "MBX4103"),
    ("log(th - th)", "MBX4102"),
    ("sqrt(th - th - 1)", "MBX4102"),
    ("asin(2 + th - th)", "MBX4102"),
    ("exp(1e5 + th - th)", "MBX4102"),
    ("1e200*(1e200 + th - th)", "MBX4102"),
]


@pytest.mark.parametrize(("part", "code"), NOWHERE)
@pytest.mark.parametrize(
    "statement",
    [
        "force (1 N)*(%s)*ground.x on Q",
        "potential (1 J)*(%s)",
        "invariant i: x*(%s) = 0 m",
        "let w = %s",
        "frame F = ground rotated z by %s",
        "particle R { mass 1 kg  at [x*(%s), 0, 0] }",
    ],
)
def test_an_expression_without_a_value_is_refused_at_its_line(
    statement: str, part: str, code: str
) -> None:
    document = mbx.loads(written(statement % part))
    with pytest.raises(mbx.SourceError) as bad:
        mbx.convert(document, "kane")
    (found,) = bad.value.report
    assert found.span is not None
    assert (found.code, found.span.position[0]) == (code, LINE)


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("convert", ["--to", "kane"]),
        ("info", ["--deep"]),
        ("forms", []),
        ("verify", []),
        ("simulate", ["--until", "1"]),
        ("assemble", []),
        ("equilibrium", []),
        ("linearize", []),
        ("draw", []),
        ("compare", []),
        ("study", ["--analysis", "assemble", "--vary", "k=1:2:2", "--jobs", "1"]),
    ],
)
@pytest.mark.parametrize("part", ["1/(th - th)", "over(1, th)"])
def test_every_verb_refuses_it_as_a_fault_of_the_model(
    verb: str, more: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(written(f"force (1 N)*({part})*ground.x on Q"))
    assert main([verb, str(file), *more]) == 1
    said = capsys.readouterr()
    assert "error[MBX4103]: division by zero, whatever the state" in said.out + said.err


@pytest.mark.sample(6)
@pytest.mark.parametrize("verb", [["convert", "--to", "kane"], ["info", "--deep"], ["forms"]])
@pytest.mark.parametrize("part", ["1/(sin(th)^2 + cos(th)^2 - 1)", "1/(if th > 0 then 0 else 1)"])
@pytest.mark.parametrize(
    "statement",
    [
        "force (1 N)*(%s)*ground.x on Q",
        "frame F = ground rotated z by %s\n  particle R { mass 1 kg  at F.origin + x*F.x }",
        "speed e: m/s\n  define e = x'*(%s)",
    ],
)
def test_a_value_that_only_algebra_shows_to_be_none_is_no_fault_in_mbx(
    verb: list[str], statement: str, part: str, tmp_path: Path
) -> None:
    file = tmp_path / "m.mb"
    file.write_text(written(statement % part))
    assert main([verb[0], str(file), *verb[1:]]) in {0, 1}


# -- constants behind names and vectors ------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "more"),
    [
        ("a", "let a = [0, 0, 0]"),
        ("a", "let b = [1, 0, 0]\n  let a = b - b"),
        ("ground.x - ground.x", ""),
        ("cross(ground.x, ground.x)", ""),
        ("(n - 1)*ground.z", ""),
        ("[norm([0, 0, 0]), 0, 0]", ""),
        ("[dot([1, 0, 0], ground.y), 0, 0]", ""),
    ],
)
def test_an_axis_that_points_nowhere_is_refused_however_it_is_written(axis: str, more: str) -> None:
    assert errors(written(more, axis=axis)) == [("MBX4004", 7)]


@pytest.mark.parametrize(
    ("axis", "more"),
    [
        ("a", "let a = [0, 0, 1]"),
        ("ground.x + ground.y", ""),
        ("cross(ground.x, ground.y)", ""),
        ("unit([1, 2, 3])", ""),
        ("-a", "let b = [1, 0, 0]\n  let a = 2*b + ground.z"),
    ],
)
def test_an_axis_that_points_somewhere_is_taken(axis: str, more: str) -> None:
    assert errors(written(more, axis=axis)) == []


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("force (1 N)*unit([0, 0, 0]) on Q", "MBX4103"),
        ("force (1 N)*ground.x/norm([0, 0, 0]) on Q", "MBX4103"),
        ("potential (1 J)/dot(ground.x, ground.y)", "MBX4103"),
        ("let v = [1, 0, 0]\n  potential (1 J)*log(norm(v - v))", "MBX4102"),
    ],
)
def test_a_constant_made_of_vectors_is_checked(more: str, code: str) -> None:
    assert [found for found, _ in errors(written(more))] == [code]


@pytest.mark.parametrize(
    ("inertia", "more", "code"),
    [
        ("T", "let T = diag(J, J, 3*J)", "MBX4003"),
        ("T", "let S = diag(J, J, -J)\n  let T = S", "MBX4002"),
        ("T", "let T = tensor(J, J, J, 2*J, 0*J, 0*J)", "MBX4002"),
        ("T", "let T = [[J, 0, 0], [J/10, J, 0], [0, 0, J]]", "MBX4009"),
    ],
)
def test_an_inertia_behind_a_name_is_checked(inertia: str, more: str, code: str) -> None:
    assert errors(written(more, inertia=inertia)) == [(code, 6)]


@pytest.mark.parametrize(
    ("more", "parts", "code"),
    [
        ("let T = diag(J, J, k*J)", {"inertia": "T"}, "MBX4003"),
        ("let a = [0, 0, k - 3]", {"axis": "a"}, "MBX4004"),
    ],
)
def test_what_hides_behind_a_name_is_checked_with_what_is_put_in(
    more: str, parts: dict[str, str], code: str, tmp_path: Path
) -> None:
    task = "experiment e of M {\n  set k = 3\n  simulate 0 s .. 1 s\n}"
    assert errors(written(more, **parts)) == []
    (found,) = errors(written(more, experiment=task, **parts))
    assert found[0] == code
    file = tmp_path / "m.mb"
    file.write_text(written(more, **parts))
    assert main(["assemble", str(file), "--set", "k=3"]) == 1


@pytest.mark.parametrize("when", ["t > 5 s", "t < 0.01 s", "u > 50 N"])
def test_a_quaternion_that_is_none_at_another_time_is_refused(when: str) -> None:
    part = f"w = if {when} then 2 else 1, x = 0, y = 0, z = 0"
    text = written(f"input u: N = 0\n  frame F = ground quaternion({part})")
    assert {code for code, _ in errors(text)} == {"MBX4161"}


def test_a_number_read_off_a_body_is_constant_in_it() -> None:
    def codes(com: str) -> set[str]:
        text = written(
            f"body C {{ mass 1 kg  com {com}  inertia J about z\n"
            "    joint revolute(ground, axis = z, angle = x/(1 m)) }"
        )
        return {code for code, _ in errors(text)}

    assert codes("[norm([1 m, 0, 0]), 0, 0]") == set()
    assert codes("[(1 m)*dot(B.x, B.x), 0, 0]") == set()
    assert codes("[(1 m)*dot(B.x, ground.x), 0, 0]") == {"MBX4160"}
