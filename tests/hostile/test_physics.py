"""Hostile names, bodies and ranges: H052 to H066."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from guarded import assert_refused, body, chain, check, model

if TYPE_CHECKING:
    from pathlib import Path

    from guarded import Make

pytestmark = pytest.mark.slow  # each starts the command anew

BODY: Final = "body {} {{ mass 1 kg  inertia diag(1, 1, 1)*(1 [kg*m^2])  joint {} }}"

TEXTS: Final[dict[str, tuple[Make, str]]] = {
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


@pytest.mark.parametrize(("make", "code"), TEXTS.values(), ids=TEXTS)
def test_a_hostile_model_is_refused(make: Make, code: str, tmp_path: Path) -> None:
    assert_refused(check(tmp_path, make()), code)


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
