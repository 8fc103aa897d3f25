"""The examples of Yu, Mikkola, Pan and Escalona, in numbers.

The paper prints no numbers. Those here were computed for this library, by separate programs,
from its equations with the errata mended; its own matrices are in `test_semi_recursive_checklist`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.recursive.semi_recursive import (
    BOTH,
    CAM,
    CHAIN,
    LINE,
    OFF,
    QUICK_RETURN,
    flat,
    planar,
    values_at,
)

if TYPE_CHECKING:
    from mbx.numerics.execute.evaluate_equations import Evaluation

FIRST, SECOND = BOTH
CLOSED: Final = (
    -3.469560001192,
    -2.338531364649,
    -13.203322848053,
    -0.904389084580,
    4.373949085773,
)


def near(value: Any, digits: float = 2e-12) -> Any:
    return pytest.approx(value, rel=digits, abs=digits)


# -- fig. 1, the R-P chain ---------------------------------------------------------------------


def test_the_chain_has_the_velocity_transformation_of_eq_11() -> None:
    one = values_at("rp_chain", FIRST, CHAIN)
    V = flat(
        "-0.194709171154 0",
        "0.460530497001 0",
        "1 0",
        "-1.252830252828 0.503197789817",
        "1.230798181977 0.864171270249",
        "1 0",
    )
    Vdot = flat(
        "-0.506583546702 0",
        "-0.214180088270 0",
        "0 0",
        "-0.835375238025 -0.950588397274",
        "-1.680031952001 0.553517568799",
        "0 0",
    )
    assert planar(one["V"]) == near(V)
    assert planar(one["Vdot"]) == near(Vdot)
    q = [*one["R_1"][:2], *one["R_2"][:2]]
    assert q == near([0.560530497001, 0.394709171154, 1.330798181977, 1.452830252828])


def test_the_chain_has_the_joint_matrix_of_method_two() -> None:
    one = values_at("rp_chain", SECOND, CHAIN)
    W = flat("0.2 0", "-0.1 0", "1 0", "0.2 0.503197789817", "-0.1 0.864171270249", "1 0")
    assert planar(one["W"]) == near(W)
    d = [0.121, 0.242, 0, 1.140706076728, -0.664221082559, 0]
    e = [-0.678241901372, -0.477598097097, 0, -1.610265800192, -1.757924605922, 0]
    assert planar(one["d"]) == near(d)
    assert planar(one["e"]) == near(e)


@pytest.mark.parametrize("form", BOTH)
def test_the_chain_has_inertia_forces_and_accelerations(form: str) -> None:
    one = values_at("rp_chain", form, CHAIN)
    assert one["M"] == near(flat("5.431697639695 0.562643912175", "0.562643912175 1.2"))
    assert one["Qv"] == near([2.759863688328, 2.529875047634])
    assert one["Qe"] == near([-25.551527549547, -10.173024193367])
    assert one.ud == near([-3.716800860030, -4.626594807557])


def test_the_chain_accelerates_its_bodies() -> None:
    one = values_at("rp_chain", FIRST, CHAIN)
    qdd = one["V"] @ one.ud + one["Vdot"] @ one["zd"]
    expected = "0.166453313430 -1.947298244422 -3.716800860030 1.979868556178 -10.752947741548"
    assert planar(qdd)[:5] == near(flat(expected)[0])


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize("seed", range(3))
def test_the_chain_has_the_closed_form_of_its_equations(form: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z1, z2, z1d, z2d = rng.uniform(-2, 2, 4)
    one = values_at("rp_chain", form, {"z1": z1, "z2": z2, "z1'": z1d, "z2'": z2d})

    def turned(angle: float, vector: Any) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s], [s, c]]) @ np.array(vector)

    def across(a: Any) -> Any:
        return np.array([-a[1], a[0]])

    # c2 = k0 + z2 h in the axes of the arm
    k0 = np.array([0.5 + 0.4, 0.1]) + turned(0.3, [0.05 + 0.2, -0.02 + 0.1])
    h, g = np.array([0.8, 0.6]), np.array([0, -9.81])
    c1, c2 = np.array([0.6, 0.05]), k0 + z2 * h
    M = [[0.8 + 2 * c1 @ c1 + 1.2 * c2 @ c2, 1.2 * across(k0) @ h], [1.2 * across(k0) @ h, 1.2]]
    sigma = h @ k0 + z2
    Qv = [-2.4 * sigma * z1d * z2d, 1.2 * sigma * z1d**2]
    G1, G2, axis = (turned(z1, list(x)) for x in (c1, c2, h))
    Qe = [across(G1) @ (2 * g) + across(G2) @ (1.2 * g), axis @ (1.2 * g)]
    assert one["M"] == near(np.array(M))
    assert one["Qv"] == near(Qv)
    assert one["Qe"] == near(Qe)


# -- fig. 8, the quick-return mechanism --------------------------------------------------------


@pytest.mark.parametrize("form", BOTH)
def test_the_tree_of_the_quick_return_has_inertia_and_forces(form: str) -> None:
    one = values_at("quick_return", form, QUICK_RETURN)
    inertia = flat(
        "2.231146333440 -0.045293332893 -0.019731714002 0.105511880075 0.023104936083",
        "-0.045293332893 1.5 -0.045293332893 0 0",
        "-0.019731714002 -0.045293332893 0.007625 0 0",
        "0.105511880075 0 0 0.109729282716 -0.008535358642",
        "0.023104936083 0 0 -0.008535358642 0.0152",
    )
    Qv = flat("-0.175555698873 -0.121210902998 0.013265708189 -0.223636348519 0.044182222123")[0]
    Qe = flat("-3.990625783417 -14.213598533844 0.580966952399 4.813742767072 -0.981")[0]
    assert one["Mbar" if form == FIRST else "Mbb"] == near(inertia, 2e-11)
    assert one["Qv"] == near(Qv, 2e-11)
    assert one["Qe"] == near(Qe, 2e-11)
    free = flat("-3.628459602259 -9.256760562323 13.556379775842 42.825678318654 -32.069074154779")
    assert np.linalg.solve(inertia, Qv + Qe) == near(free[0], 1e-9)


# lam of the paper is minus ours, and its rows of the ram's guide are minus ours
ROWS: Final = {"pivot.x": -1, "pivot.y": -1, "guide.turn1": 1, "guide.across1": 1}


def _multipliers(one: Evaluation) -> list[float]:
    lam = dict(zip(one.equations.step("A").row_labels, one.lam, strict=True))
    assert lam.pop("pivot.measure") == pytest.approx(0, abs=1e-12)
    return [ROWS[row] * lam[row] for row in ROWS]


def test_the_cut_joints_have_the_jacobian_and_bias_of_eq_58() -> None:
    one = values_at("quick_return", FIRST, QUICK_RETURN)
    row = {path: k for k, path in enumerate(one.equations.step("A").row_labels)}
    Cz = flat(
        "-0.35 0.258819045103 0.092038365723 0 0",
        "0 0.965925826289 -0.118443823119 0 0",
        "1 0 0 1 1",
        "0.064950639167 0 0 0.246123970739 0",
    )
    Qc = [-0.606122711371, -0.694995804703, 0, -0.447941972295]
    for k, (path, sign) in enumerate(ROWS.items()):
        assert -sign * one["A"][row[path]][:5] == near(Cz[k], 1e-11)
        assert sign * one["b"][row[path]] == near(Qc[k], 1e-11)


@pytest.mark.parametrize("way", ["", ":baumgarte", ":augmented", ":partitioned"])
@pytest.mark.parametrize("form", BOTH)
def test_the_closed_quick_return_accelerates(form: str, way: str) -> None:
    one = values_at("quick_return", form + way, QUICK_RETURN)
    # the state has twelve digits: with feedback what is off counts a hundredfold
    digits = 1e-9 if way == ":baumgarte" else 1e-10
    assert one.ud[:5] == near(CLOSED, digits)
    lam = [-7.268845411859, -10.043076735838, -0.930857127105, 24.473904414973]
    assert _multipliers(one) == near(lam, digits)


@pytest.mark.parametrize("form", BOTH)
def test_baumgarte_feeds_back_what_the_state_is_off_by(form: str) -> None:
    one = values_at("quick_return", f"{form}:baumgarte", OFF)
    row = {path: k for k, path in enumerate(one.equations.step("C").row_labels)}
    C = [-0.002857934621, -0.007191379194, 0, 0.000685495267]
    Cd = [0.020604312246, 0.056676165254, 0.03, 0.010598331002]
    for k, (path, sign) in enumerate(ROWS.items()):
        assert -sign * one["C"][row[path]] == near(C[k], 1e-11)
        assert -sign * one["Cd"][row[path]] == near(Cd[k], 1e-11)
    ud = "-3.264761082866 -2.554891631682 -11.434446962033 -2.004417864026 4.669178946892"
    assert one.ud[:5] == near(flat(ud)[0], 1e-10)
    lam = [-6.704676874286, -9.829521857784, -0.951708849936, 24.959669291817]
    assert _multipliers(one) == near(lam, 1e-10)


@pytest.mark.parametrize("form", BOTH)
def test_without_gains_the_feedback_is_none(form: str) -> None:
    none = {"baumgarte_a": 0.0, "baumgarte_b": 0.0}
    one = values_at("quick_return", f"{form}:baumgarte", OFF, parameters=none)
    assert one.ud == near(values_at("quick_return", form, OFF).ud)


# -- appendix B, point-to-line joint and cam ---------------------------------------------------


def test_the_point_to_line_joint_has_two_columns_on_one_body() -> None:
    one = values_at("point_to_line", FIRST, LINE)
    V = flat("0.877582561890 -0.559223451580", "0.479425538604 0.217414652686", "0 1")
    assert planar(one["V"]) == near(V)
    assert one["R_1"][:2] == near([1.207238958387, 0.890706436324])
    two = values_at("point_to_line", SECOND, LINE)
    assert planar(two["W"]).T[0] == near([0.877582561890, 0.479425538604, 0])
    assert planar(two["W"]).T[1] == near([0.331482984744, -0.989824305701, 1])


@pytest.mark.parametrize("form", BOTH)
def test_the_point_to_line_joint_accelerates(form: str) -> None:
    one = values_at("point_to_line", form, LINE)
    assert one["M"] == near(flat("1.5 -0.579795918514", "-0.579795918514 0.585"))
    assert one["h"] == near([-6.063511325840, -3.199256614275])
    assert one.ud == near([-9.979131516405, -15.359173227009])


def test_the_cam_has_the_columns_of_its_profile() -> None:
    one = values_at("cam_follower", FIRST, CAM)
    V = flat(
        "-0.350798633163 -0.344494481688 -0.241043257844",
        "-0.064467714837 0.024429772532 0.069268664256",
        "0 0 1",
    )
    assert planar(one["V"] @ one["P"])[3:] == near(V)
    assert one["R_2"][:2] == near([0.143698436788, 0.685537739532])
    two = values_at("cam_follower", SECOND, CAM)
    W = planar(two["W"] @ two["P"])[3:]
    assert W.T[2] == near([0.444494481688, -0.074429772532, 1])
    # the columns of sliding and of the cam turn nothing
    assert W[:, :2] == near(V[:, :2])
