"""The wheels and tyres of the library against closed forms."""

from __future__ import annotations

from math import atan, cos, sin, tanh

import pytest

import mbx

R, M, AXIAL, RADIAL, G = 0.3, 2.0, 0.12, 0.07, 9.81
FORMS = ["kane", "lagrange", "newton_euler"]
VALUES = f"radius = {R}, mass = {M}, axial = {AXIAL}, radial = {RADIAL}"


def rolling(part: str, model: str, values: str) -> mbx.Document:
    return mbx.loads(f"""mbx 1
use {model} from "lib:wheel/{part}.mb"
model Rolling {{
  subsystem w: {model}({values})
  gravity [0, 0, -{G} [m/s^2]]
}}
""")


def accelerations(document: mbx.Document, form: str, state: dict[str, float]) -> dict[str, float]:
    equations = mbx.convert(document, form)
    names = [one.path for one in (*equations.signature.q, *equations.signature.u)]
    found = equations.evaluate({name: state.get(name, 0.0) for name in names})
    return {one.path: float(ud) for one, ud in zip(equations.signature.u, found.ud, strict=True)}


def turn(crown: float, lean: float, yaw: float) -> tuple[float, float]:
    """Spin of a steady turn and velocity of the wheel's centre.

    Balance of moments about the centre, with F = m yaw v across and N = m g from the ground:
    yaw cos(lean) (Ir yaw sin(lean) - Ia (spin + yaw sin(lean))) = b sin(lean) N + h F,
    b = r - c, h = c + b cos(lean), v = spin (b + c cos(lean)) + yaw b sin(lean).
    """
    b = R - crown
    h = crown + b * cos(lean)
    constant = yaw * cos(lean) * (RADIAL - AXIAL) * yaw * sin(lean)
    constant -= b * sin(lean) * M * G + h * M * yaw * yaw * b * sin(lean)
    slope = yaw * cos(lean) * AXIAL + h * M * yaw * (b + crown * cos(lean))
    spin = constant / slope
    return spin, spin * (b + crown * cos(lean)) + yaw * b * sin(lean)


def turning(crown: float, lean: float, yaw: float) -> dict[str, float]:
    """Return the steady turn as a state; the contact point runs on its own circle."""
    spin, v = turn(crown, lean, yaw)
    # the contact point is b sin(lean) to the left of the centre's place above the ground
    along = v - yaw * (R - crown) * sin(lean)
    return {"w.lean": lean, "w.yaw'": yaw, "w.spin'": spin, "w.x'": along}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("lean", "yaw"), [(0.3, -1.0), (-0.5, 2.0), (0.1, -0.3)])
def test_a_knife_edge_wheel_turns_steadily(form: str, lean: float, yaw: float) -> None:
    document = rolling("knife_edge", "KnifeEdgeWheel", VALUES)
    found = accelerations(document, form, turning(0.0, lean, yaw))
    for name in ("w.lean'", "w.yaw'", "w.spin'"):
        assert found[name] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("lean", "yaw"), [(0.3, -1.0), (-0.5, 2.0)])
def test_a_torus_wheel_turns_steadily(form: str, lean: float, yaw: float) -> None:
    document = rolling("torus", "TorusWheel", f"{VALUES}, crown = 0.05")
    found = accelerations(document, form, turning(0.05, lean, yaw))
    for name in ("w.lean'", "w.yaw'", "w.spin'"):
        assert found[name] == pytest.approx(0.0, abs=1e-12)


def test_a_torus_wheel_does_not_turn_as_a_knife_edge_does() -> None:
    document = rolling("torus", "TorusWheel", f"{VALUES}, crown = 0.05")
    found = accelerations(document, "kane", turning(0.0, 0.3, -1.0))
    assert abs(found["w.lean'"]) > 0.1


@pytest.mark.parametrize("crown", [0.0, 0.05, 0.3])
def test_a_wheel_at_rest_falls_as_a_rocker(crown: float) -> None:
    # energy: (Ir + m d^2) lean'^2/2 + m g (c + b cos(lean)), d from contact to centre
    document = rolling("torus", "TorusWheel", f"{VALUES}, crown = {crown}")
    lean, b = 0.4, R - crown
    d2 = (b * sin(lean)) ** 2 + (crown + b * cos(lean)) ** 2
    found = accelerations(document, "kane", {"w.lean": lean})
    assert found["w.lean'"] == pytest.approx(
        M * G * b * sin(lean) / (RADIAL + M * d2), rel=1e-12, abs=1e-12
    )


def test_a_torus_wheel_without_crown_is_a_knife_edge() -> None:
    knife = rolling("knife_edge", "KnifeEdgeWheel", VALUES)
    torus = rolling("torus", "TorusWheel", f"{VALUES}, crown = 0")
    state = {"w.lean": 0.3, "w.lean'": 0.7, "w.yaw'": -0.4, "w.spin'": 5.0, "w.x'": 1.5}
    one, other = accelerations(knife, "kane", state), accelerations(torus, "kane", state)
    assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_the_side_force_of_a_wheel_holds_it_on_its_circle(form: str) -> None:
    equations = mbx.convert(rolling("knife_edge", "KnifeEdgeWheel", VALUES), form)
    lean, yaw = 0.3, -1.0
    names = [one.path for one in (*equations.signature.q, *equations.signature.u)]
    state = turning(0.0, lean, yaw)
    found = equations.evaluate({name: state.get(name, 0.0) for name in names})
    _, v = turn(0.0, lean, yaw)
    # rows in the order of the file: along, across
    assert found.lam == pytest.approx([0.0, M * yaw * v], rel=1e-12, abs=1e-12)


def sliding(model: str, values: str, along: float = 10.0) -> float:
    document = mbx.loads(f"""mbx 1
use {model} from "lib:tyre/linear.mb"
model Sliding {{
  coordinate x: m, y: m
  particle hub {{ mass 20 kg  at [x, y, 0] }}
  subsystem tyre: {model}({values}, along = x', across = y')
  force tyre.lateral*ground.y on hub
}}
""")
    return accelerations(document, "kane", {"x'": along, "y'": 2.0})["y'"]


@pytest.mark.parametrize("along", [10.0, -10.0])
def test_a_linear_tyre_pushes_by_its_slip_angle(along: float) -> None:
    found = sliding("LinearTyre", "stiffness = 30000", along)
    assert found == pytest.approx(-30000 * atan(0.2) / 20, rel=1e-13)


@pytest.mark.parametrize("along", [10.0, -10.0])
def test_a_saturating_tyre_stays_below_its_peak(along: float) -> None:
    found = sliding("SaturatingTyre", "stiffness = 30000, peak = 4000", along)
    assert found == pytest.approx(-4000 * tanh(7.5 * atan(0.2)) / 20, rel=1e-13)
    assert abs(found) < 4000 / 20
