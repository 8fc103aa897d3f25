"""Examples 4.1 to 4.5 of Orsino's thesis in numbers that no expectation of a case holds.

The thesis prints formulas and curves, and no numbers of these: what stands here was computed for
this library by separate programs, from the equations that are cited, with all of their digits.
"""

from __future__ import annotations

from math import hypot
from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, folder, forms, system, system_of
from library.matrices import constraint_matrix, energy_of
from mbx.analyses.experiments.run_references import references
from mbx.formalism import registry

pytestmark = pytest.mark.papers

# -- Example 4.1 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["angles", "cartesian", "quasivelocity"])
def test_the_energy_of_example_4_1(case: str) -> None:
    """E = m/2 (ups - 2 g x), of all three models at the same state."""
    one = system(f"spherical_pendulum_{case}")
    energy = energy_of(one, dict(one.states["sample"]))
    assert energy == pytest.approx(-3.27028515625, abs=1e-12)


@pytest.mark.parametrize("case", ["cartesian", "quasivelocity"])
def test_the_rod_of_example_4_1_pulls_towards_the_centre(case: str) -> None:
    """The force of the constraint is m (ups + g x)/r along the rod, in every form."""
    one = system(f"spherical_pendulum_{case}")
    state = dict(one.states["sample"])
    rod = np.array([state[v] for v in "xyz"]) / 1.3
    for name, form in forms(one).items():
        found = at(one, form, Point(state))
        force = 0.7 * (np.array([found.of(f"{v}''") for v in "xyz"]) - [9.8, 0, 0])
        assert force @ rod == pytest.approx(-2.884176682692307, abs=1e-10), name
        assert np.abs(np.cross(force, rod)).max() < 1e-10, name


# -- Example 4.2 ---------------------------------------------------------------------------------

RING_AND_DISC: Final = {
    "theta'": 0.0,
    "R.u": -2.6195305564626787,
    "R.v": 3.9396,
    "R.w": -2.633269443537322,
    "D.u": -0.21848735906135386,
    "D.v": 0.5004245961858522,
    "D.w": -0.06142454159601329,
}
"""What constraints do on each speed, M ud = h + A^T lam."""


def test_the_constraint_forces_of_example_4_2() -> None:
    """At theta = 0.9, theta' = 0.7, w2 = -2.1, in every form."""
    one = system("ring_and_disc")
    equations = forms(one)
    assert len(equations) > 10
    for name, form in equations.items():
        found = form.evaluate(one.states["sample"])
        assert found.status == "regular", name
        forces = dict(zip((v.path for v in one.u), found.Fc, strict=True))
        assert forces == pytest.approx(RING_AND_DISC, abs=1e-9), name


# -- Example 4.3 ---------------------------------------------------------------------------------

FIVE_BAR: Final = {
    "R.L.x'": (-0.21740836112523104, -0.21638108122981595),
    "R.L.y'": (-0.1698671548126247, 0.17591179828756842),
    "R.chi'": (0.7717197689200426, -0.7634719481588772),
    "R.HL.theta'": (1.0, 0.0),
    "R.HR.theta'": (0.0, 1.0),
    "R.HL.phi'": (-0.1586069028628101, 0.6197001787640929),
    "R.HR.phi'": (0.6131128660572325, -0.14377176939478425),
}
"""Rows of C_R of the mechanism in terms of theta_L' and theta_R'."""
SAMPLE: Final = {"R.HL.theta'": 0.6, "R.HR.theta'": -0.9, "AL.i": 0.4, "AR.i": -0.3}


def test_the_matrix_c_r_of_example_4_3() -> None:
    """C_R is what the model's own constraints make of two free rates."""
    one = system("five_bar_motors")
    A = constraint_matrix(one, completed(one, SAMPLE))
    paths = [v.path for v in one.u]
    free = [paths.index(path) for path in ("AL.i", "AR.i", "R.HL.theta'", "R.HR.theta'")]
    rest = [k for k in range(len(paths)) if k not in free]
    C = np.zeros((len(paths), len(free)))
    C[free] = np.eye(len(free))
    C[rest] = -np.linalg.lstsq(A[:, rest], A[:, free], rcond=None)[0]
    assert np.abs(A @ C).max() < 1e-12
    for path, row in FIVE_BAR.items():
        assert C[paths.index(path)] == pytest.approx([0, 0, *row], abs=1e-12), path


def test_without_its_weight_the_payload_of_example_4_3_would_move_otherwise() -> None:
    """(g) as printed: half of the accelerations come from the term that it lacks."""
    text = (folder("five_bar_motors") / "model.mb").read_text("utf-8")
    gravity = "  gravity [0, -g, 0]\n"
    assert text.count(gravity) == 1
    lifted = "  force [0, R.mL*g, 0] on R.L.tip\n"
    one = system_of(text.replace(gravity, gravity + lifted))
    point = Point(completed(one, SAMPLE), inputs={"vL": 6.0, "vR": -2.0})
    found = at(one, registry.derive(one, "modular"), point)
    turns = [found.of("R.HL.theta''"), found.of("R.HR.theta''")]
    assert turns == pytest.approx([12.53285926372654, -12.684277213767906], abs=1e-7)


# -- Example 4.4 ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_sphere_of_example_4_4_to_its_end() -> None:
    """x up to 20 s, for then it is chaotic, and y throughout the fifty seconds of the thesis."""
    run = mbx.simulate(
        mbx.read("lib:sphere_in_trough"), "roll_on", until=50.0, every=10.0, form="kane"
    )
    assert run.t == pytest.approx([0, 10, 20, 30, 40, 50])
    assert run["x"][1:3] == pytest.approx([4.4768873, 7.72637735], abs=1e-5)
    across = [0.01789048, -0.09365939, -0.05136186, 0.07541477, 0.07823097]
    assert run["y"][1:] == pytest.approx(across, abs=2e-8)
    assert run["z"] == pytest.approx(run["y"] ** 2 / 2, abs=1e-12)


# -- Example 4.5 ---------------------------------------------------------------------------------

# t, s, chi, w1, u1, y*, z*, x*
SLIDER_CRANK: Final = """
0.02 -0.046626668536 0.736851598351 4.215257095545 49.2690584970 -2.4505354528 12.5371780360 6.3872129507
0.05 -0.073064456682 0.930588846726 8.186359168922 27.4444894995 -5.8036966083 17.3886955728 9.1658282229
0.08 -0.118328090961 1.203987572491 9.761768406849 13.7938887845 -8.7525128681 17.2023270517 9.6504732721
0.1 -0.155907169157 1.403344909130 10.107979753456 6.9390125945 -8.0052007387 12.9257183298 7.6019312219
0.125 -0.207106781187 1.656688335956 10.090293869472 -1.5471171357 -1.2947049735 3.4583219680 1.8463647935
0.15 -0.258306393216 1.904725024616 9.690831383916 -8.2534271776 6.9768956471 -3.8067373981 3.9739250902
0.2 -0.341149105691 2.342092714008 7.326134607929 -24.3186263093 24.9370163127 -12.1481615868 13.8693241771
0.24 -0.371485727072 2.541772805573 1.928111803132 -47.3076242513 33.3132396181 -15.2739221252 18.3239230989
0.26 -0.371485727072 2.541772805573 -1.928111803132 -56.4363673791 92.3535658548 -33.5314083806 -49.1262060261
0.3 -0.341149105691 2.342092714008 -7.326134607929 -32.4332106203 63.3493837717 -28.3773302088 -34.7074102103
0.375 -0.207106781187 1.656688335956 -10.090293869472 -2.1587338777 0.0383797059 2.2350884836 -1.1177089885
0.45 -0.073064456682 0.930588846726 -8.186359168922 25.0919253336 -3.4414388609 12.6835672413 -6.5710801890
"""  # noqa: E501 - a row of a table


def _inverse() -> str:
    """Return the model with what Example 4.5 gives at all times of the table."""
    text = (folder("slider_crank_3d_friction") / "model.mb").read_text("utf-8")
    head, _, tail = text.partition("\nexperiment inverse ")
    prescribed, simulated = tail.split("\n")[1:3]
    lines = [f"experiment table of SliderCrank {{\n{prescribed}\n{simulated}"]
    for line in SLIDER_CRANK.split("\n")[1:-1]:
        t, *values = line.split()
        names = ("B3.s", "B1.chi", "B1.w", "u1", "ystar", "zstar")
        units = ("m", "rad", "[rad/s]", "[N*m]", "N", "N")
        lines += [
            f'  expect {name} at {t} s = {value} {unit} within 2e-8 {unit} source "computed: (h)"'
            for name, value, unit in zip(names, values, units, strict=False)
        ]
    return "\n".join([head, *lines, "}\n"])


def test_the_table_of_example_4_5() -> None:
    """Torque and reactions by inverse dynamics, with the friction that depends on these."""
    linked = mbx.link(mbx.loads(_inverse()))
    found = references(linked, {"modular": mbx.convert(linked, "modular")})
    assert len(found) == 12 * 6
    assert [str(one) for one in found if one.met is not True] == []


def test_the_friction_of_example_4_5_is_half_of_the_reaction() -> None:
    for line in SLIDER_CRANK.split("\n")[1:-1]:
        t, *_, y, z, x = (float(word) for word in line.split())
        forwards = 1 if t < 0.25 else -1  # s falls until 0.25 s
        assert x == pytest.approx(0.5 * forwards * hypot(y, z), abs=1e-9), t
