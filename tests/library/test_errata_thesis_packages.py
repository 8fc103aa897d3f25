"""Chapter 5 of Orsino's thesis: what it prints against the models.

Where the print is wrong, the test says by how much, and that the mended one is right.
"""

from __future__ import annotations

from math import cos, pi, radians, sin
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, folder, system
from mbx.analyses.experiments.run_references import references
from mbx.formalism import registry
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from library.matrices import Matrix

pytestmark = pytest.mark.papers

# -- (5.26) --------------------------------------------------------------------------------------


def test_the_inertia_5_26_acts_on_accelerations() -> None:
    """(5.26) has the velocities of the nodes on its right, where their rates belong."""
    one = system("three_node_body")
    state = completed(one, one.states["sample"])
    found = at(one, registry.derive(one, "modular"), Point(state))
    m, a1, a2 = 2.0, 0.4, 0.2
    a3, a4, a5 = (a1 - 1) ** 2 + a2**2, a1**2 + a2**2, a2**2 + (a1 - 1) * a1
    M = m * np.array([[a3, 0, -a5, -a2], [0, a3, a2, -a5], [-a5, a2, a4, 0], [-a2, -a5, 0, a4]])
    nodes = [f"B.p{c}[{k}]" for k in (1, 2) for c in "xy"]
    centre = m * np.array([found.of("B.vx'"), found.of("B.vy'")])
    # (5.25): what a force at the mass centre is at the nodes
    to_nodes = np.array([[1 - a1, -a2], [a2, 1 - a1], [a1, a2], [-a2, a1]])
    mended = M @ [found.of(f"{p}''") for p in nodes]
    printed = M @ [state[f"{p}'"] for p in nodes]
    np.testing.assert_allclose(mended, to_nodes @ centre, rtol=1e-12)
    assert np.abs(printed - to_nodes @ centre).max() > 5  # newtons, of 13


# -- section 5.3.2 -------------------------------------------------------------------------------


def test_the_angle_prescribed_in_section_5_3_2_lacks_its_exponent() -> None:
    """The text has (pi/6) sin(pi t/4); the platform then turns back below zero, to -30 degrees."""
    text = (folder("rrr_platform") / "model.mb").read_text("utf-8")
    printed = text.replace("sin(pi*t/(4 s))^4", "sin(pi*t/(4 s))")
    assert printed != text
    linked = mbx.link(mbx.loads(printed))
    form = registry.derive(elaborate(linked), "kane")
    found = {(one.quantity, one.at): one for one in references(linked, {"kane": form})}
    u = found["u[1]", "at 1 s"]
    assert u.met is False
    assert u.found is not None
    assert u.expected is not None
    assert abs(u.found - u.expected) > 0.9  # newton metres, of 4.1


# -- Table 5.1 -----------------------------------------------------------------------------------

_TENSOR: Final = np.array([[0.002, 0.0003, -0.0005], [0.0003, 0.001, 0], [-0.0005, 0, 0.003]])


def test_the_inertia_of_the_knuckle_in_table_5_1_is_that_of_no_body() -> None:
    """The greatest principal moment must not be more than the sum of the others."""
    a, b, c = np.linalg.eigvalsh(_TENSOR)
    assert c - a - b == pytest.approx(4.264e-4, abs=1e-7)
    entries = (0.002, 0.001, 0.003, 0.0003, -0.0005, 0)
    tensor = ", ".join(f"{x} [kg*m^2]" for x in entries)
    text = f"""mbx 1
model Knuckle {{
  coordinate psi, phi, th: rad
  body K {{
    mass 0.5 kg
    inertia tensor({tensor})
    joint spherical(ground, euler zxy by (psi, phi, th))
  }}
}}
"""
    assert "MBX4003" in {one.code for one in mbx.check(mbx.loads(text))}


_WHEELBASE, _TRAIL, _TILT = 1.075, 0.08, radians(15.25)
_RF: Final = 0.255


def _tilted(angle: float, point: tuple[float, float, float]) -> Matrix:
    """Return Ry(angle) times a point."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ point


def _knuckle(
    p: tuple[float, float, float],
    wheel: tuple[float, float, float],
    bar: tuple[float, float, float],
) -> dict[str, Matrix]:
    """Return the mass centre of the right knuckle, found by way of each of its four points.

    `p` and `wheel` are points of the knuckle, `bar` the length and the angles psi and phi of the
    steering bar; the wheel's centre says x and z only.
    """
    rod = radians(-2.5)
    upper = np.array([1.04, 0, -0.31]) + _tilted(rod, (0, 0.195, -0.04))
    lower = np.array([1.07, 0, -0.209]) + _tilted(rod, (0, 0.22, -0.04))
    handle = np.array([_WHEELBASE + _TRAIL, 0, 0]) + _tilted(_TILT, (-0.12, 0.015, -0.165))
    length, psi, phi = bar
    along = np.array([cos(psi) * cos(phi), sin(psi) * cos(phi), -sin(phi)])
    centre = np.array([_WHEELBASE, np.nan, -_RF])
    return {
        "p": upper - p,
        "q": lower - (0.05, 0, 0.041),
        "s": handle + length * along - (-0.08, -0.015, 0.012),
        "f": centre - wheel,
    }


def test_the_geometry_of_table_5_1_does_not_close() -> None:
    found = _knuckle((0.03, 0.025, -0.06), (0.04, 0.06, -0.02), (0.22, radians(70), 0))
    np.testing.assert_allclose(found["p"], [1.01174, 0.17, -0.28996], atol=5e-6)
    assert found["q"] - found["p"] == pytest.approx([0.01, 0.05, 0], abs=5e-6)
    assert found["s"] - found["q"] == pytest.approx([0.12933, 0.01673, 0.15034], abs=1e-5)
    assert (found["f"] - found["q"])[[0, 2]] == pytest.approx([0.01326, 0.05496], abs=5e-6)


def test_the_mended_geometry_of_the_tricycle_closes() -> None:
    """One mending of several; that of the case tricycle."""
    found = _knuckle(
        (0.02, -0.025, -0.06),
        (0.053255224505386556, 0.06, 0.034961928863274316),
        (0.24824494631830255, radians(105.88819288754596), radians(37.2716314755349)),
    )
    for way in ("p", "s"):
        np.testing.assert_allclose(found[way], found["q"], atol=1e-12, err_msg=way)
    np.testing.assert_allclose(found["f"][[0, 2]], found["q"][[0, 2]], atol=1e-12)


def test_the_printed_prescription_leaves_the_range_of_the_plot() -> None:
    """The author's plot of the angle has flat valleys at 0 and peaks of 30 degrees."""
    t = np.linspace(0, 16, 321)
    assert np.min(pi / 6 * np.sin(pi * t / 4) ** 4) >= 0
    assert np.min(pi / 6 * np.sin(pi * t / 4)) == pytest.approx(-pi / 6)
