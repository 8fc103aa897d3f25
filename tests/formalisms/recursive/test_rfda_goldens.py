"""Goldens of the paper's examples: closed forms of the paper, and values of this library.

Equation numbers are those of Deepak and Ghosal. Numbers said to be of this library were computed
for it from the paper's recursion and its equation (7), apart from this code.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from formalisms.cases import system
from formalisms.recursive.rfda_cases import (
    PAIR_STATE,
    PLANE,
    TREE_STATE,
    VARIANTS,
    at,
    matrix,
    pair,
    planar,
    sliders,
    triangle,
)


def _close(found: Any, golden: Any) -> None:
    """Compare with numbers of twelve digits."""
    np.testing.assert_allclose(found, golden, rtol=0, atol=2e-11)


def _slider_values() -> list[dict[str, float]]:
    rng = np.random.default_rng(1)
    names = ("m1", "m2", "fx1", "fy1", "fx2", "fy2")
    golden = dict(zip(names, (2, 3, 1, 5, 4, -29.43), strict=True))
    return [
        golden,
        *(
            {n: float(x) for n, x in zip(names, rng.uniform(1, 5, 6), strict=True)}
            for _ in range(3)
        ),
    ]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("values", _slider_values())
def test_the_sliders_have_the_equations_of_the_paper(
    variant: str, values: dict[str, float]
) -> None:
    m1, m2, fx1, fy1, fx2, fy2 = values.values()
    state = {"sx": 0.2, "sy": 0.5, "sx'": 0.3, "sy'": -0.4}
    found = at(sliders(), variant, state, values)
    two = slice(0, 2)
    np.testing.assert_allclose(
        found["Mhat_1"][two, two], np.diag([m1 + m2, m1]), atol=1e-14
    )  # (15)
    np.testing.assert_allclose(found["fhat_1"][two], [fx1 + fx2, fy1], atol=1e-13)
    expected = [(fx1 + fx2) / (m1 + m2), fy2 / m2]
    np.testing.assert_allclose(found["ud"], expected, rtol=1e-13)
    # W = -G^T lambda: lambda_1 = fy1, lambda_2 = (m1 fx2 - m2 fx1)/(m1 + m2), of this library
    np.testing.assert_allclose(found.reactions["R1"][two], [0, -fy1], atol=1e-13)
    held = -(m1 * fx2 - m2 * fx1) / (m1 + m2)
    np.testing.assert_allclose(found.reactions["R2"][two], [held, 0], atol=1e-13)


def test_the_golden_of_the_sliders_has_the_numbers_of_this_library() -> None:
    found = at(sliders(), "projection", {"sx": 0, "sy": 0.5, "sx'": 0, "sy'": 0})
    np.testing.assert_allclose(
        found["ud"], [1, -9.81], rtol=1e-14
    )  # 3.5, computed for this library


def test_the_coordinates_of_the_sliders_are_those_of_the_paper() -> None:
    found = at(sliders(), "coordinates", {"sx": 0.2, "sy": 0.5, "sx'": 0.3, "sy'": -0.4})
    # (16): x2 follows x1, y2 stands alone; (17), (30): its mass is m2
    np.testing.assert_allclose(found["P_1"][:2, :2], [[1, 0], [0, 0]], atol=1e-15)
    np.testing.assert_allclose(matrix(found, "R0_1")[:2, 0], [0, 1], atol=1e-15)
    np.testing.assert_allclose(matrix(found, "Lambda"), [[3]], atol=1e-14)
    np.testing.assert_allclose(found["eta"], [-29.43], atol=1e-13)


def _turned(angle: float, s: tuple[float, float]) -> Any:
    """Return A(phi + pi/2) s'."""
    c, d = cos(angle + pi / 2), sin(angle + pi / 2)
    return np.array([c * s[0] - d * s[1], d * s[0] + c * s[1]])


def _pairs() -> list[tuple[dict[str, float], dict[str, float]]]:
    rng = np.random.default_rng(2)
    found = []
    for _ in range(4):
        parameters = dict(
            zip(
                ("mj", "Jj", "mk", "Jk", "sjx", "sjy", "skx", "sky"),
                rng.uniform(0.2, 2, 8),
                strict=True,
            )
        )
        state = dict(zip(PAIR_STATE, rng.uniform(-2, 2, 8), strict=True))
        found.append((parameters, state))
    return found


@pytest.mark.parametrize(("parameters", "state"), _pairs())
def test_the_revolute_pair_has_the_closed_forms_of_the_paper(
    parameters: dict[str, float], state: dict[str, float]
) -> None:
    found = at(pair(), "coordinates", state, parameters)
    mj, Jj, mk, Jk, sjx, sjy, skx, sky = parameters.values()
    pj, pk = state["phij"], state["phij"] + state["thetak"]
    gj, gk = _turned(pj, (sjx, sjy)), _turned(pk, (skx, sky))
    Q, G = planar_rows(found, "Q_2"), planar_rows(found, "G_2")
    np.testing.assert_allclose(Q, np.column_stack([-np.eye(2), -gj]), atol=1e-13)
    np.testing.assert_allclose(G, np.column_stack([np.eye(2), gk]), atol=1e-13)
    E, D = matrix(found, "E_2")[list(PLANE)][:, :2], matrix(found, "H_2")[list(PLANE)][:, 0]
    np.testing.assert_allclose(E, [[1, 0], [0, 1], [0, 0]], atol=1e-13)  # (36)
    expected = [skx * sin(pk) + sky * cos(pk), -skx * cos(pk) + sky * sin(pk), 1]
    np.testing.assert_allclose(D, expected, atol=1e-13)  # (36)
    delta = Jk + mk * (skx**2 + sky**2)
    alpha = -mk * (sin(pk) * skx + cos(pk) * sky) / delta
    beta = mk * (cos(pk) * skx - sin(pk) * sky) / delta
    np.testing.assert_allclose(matrix(found, "At_2")[0, :2], [alpha, beta], atol=1e-13)  # (47)
    rates = -(E + np.outer(D, [alpha, beta])) @ Q  # (48)
    np.testing.assert_allclose(planar(found["EtS_2"]), rates, atol=1e-13)
    numerator = (
        -2 * mk**2 * skx * sky * sin(2 * pk)
        + mk**2 * skx**2 * cos(2 * pk)
        + mk**2 * skx**2
        + 2 * mj * Jk
        + 2 * mk * Jk
        + 2 * mj * mk * skx**2
        + 2 * mj * mk * sky**2
        + mk**2 * sky**2
        - mk**2 * sky**2 * cos(2 * pk)
    )
    first = numerator / (2 * Jk + 2 * mk * sky**2 + 2 * mk * skx**2)  # below (19)
    np.testing.assert_allclose(found["Mhat_1"][0, 0], first, rtol=1e-12)
    np.testing.assert_allclose(matrix(found, "Lambda"), [[delta]], rtol=1e-12)
    # the whole of Mhat_j, of this library
    whole = np.diag([mj, mj, Jj]) + Q.T @ (mk * np.eye(2) - mk**2 / delta * np.outer(gk, gk)) @ Q
    np.testing.assert_allclose(planar(found["Mhat_1"]), whole, atol=1e-12)


def planar_rows(found: Any, name: str) -> Any:
    """Return the rows of x and y of a joint that a point keeps, in the plane."""
    return found[name][:2][:, list(PLANE)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_revolute_pair_has_the_numbers_of_this_library(variant: str) -> None:
    found = at(system("revolute_pair"), variant, PAIR_STATE)
    Mhat = triangle(
        [
            [3.053745357335, 0.509322876827, -0.045650985908],
            [2.918695587547, 0.215052502259],
            [0.385581285780],
        ]
    )
    _close(planar(found["Mhat_1"]), Mhat)
    fhat = [-3.886178086487, -27.681641730452, -2.011755966499]
    _close(planar(found["fhat_1"]), fhat)
    ydd = [0.322669667867, -9.551457728936, 0.147930174244]
    _close(planar(found["ydd_1"]), ydd)
    child = [-0.430226223823, -10.154723028085, -0.097906088052]
    _close(planar(found["ydd_2"]), child)
    _close(found["lambda_2"][:2], [0.645339335734, 0.517084542128])
    _close(found["ud"], [*ydd, -0.245836262296])


def test_the_special_coordinates_of_the_pair_have_the_numbers_of_this_library() -> None:
    found = at(system("revolute_pair"), "coordinates", PAIR_STATE)
    _close(matrix(found, "At_2")[0, :2], [0.838309737982, -0.956786297776])
    _close(matrix(found, "Lambda"), [[0.635]])
    P = [
        [0.702496904890, 0.339548584551, -0.030433990606],
        [0.339548584551, 0.612463725031, 0.143368334839],
        [0.838309737982, -0.956786297776, -0.516527951573],
    ]
    _close(planar(found["P_1"]), P)
    D = [-0.354884455746, 0.405039532725, 1]
    _close(matrix(found, "R0_1")[list(PLANE), 0], D)
    _close(found["xid"], [-1.640299822000])
    _close(found["gamma_2"][:2], [-0.756022388866, -0.615767064746])
    B = [[1, 0, -0.568626187323], [0, 1, 0.757622107709], [0, 0, 1]]
    _close(planar(found["B_2"]), B)
    _close(planar(found["d_2"]), [-0.756022388866, -0.615767064746, 0])
    _close(planar(found["yd_2"]), [0.776242134791, -0.639239636781, -1.2])


MHAT = {
    1: [
        [3.788369213364, 0.896310628923, 0.138859840082],
        [5.087006928063, 0.969379685814],
        [0.658184602174],
    ],
    2: [
        [2.063981682192, 0.276969022972, -0.374851663583],
        [1.636018317808, -0.184088069347],
        [0.499145981382],
    ],
    4: [
        [1.561939764347, 0.109557858474, 0.138301899356],
        [1.613060235653, 0.019760358572],
        [0.191755868438],
    ],
}
FHAT = {
    1: [-7.275281387533, -51.402106043497, -11.413671065461],
    2: [-2.881465973750, -16.130075774047, 2.815172687205],
    4: [-1.207545844728, -16.430348954290, -0.218216093091],
}
YDD = [
    [1.518391498611, -5.571784149732, -14.429110193082],
    [2.040117321944, -9.213360916275, 5.089980009948],
    [-0.611068961079, -10.110093386829, 5.089980009948],
    [0.136070489348, -9.404706955971, -0.210374559898],
    [0.351579099387, -8.435136163519, -1.737683089076],
]
YD = [
    [-0.082745657865, 0.267494216955, 0.7],
    [0.193496476926, 0.028254580174, -1.2],
    [0.894267827488, 0.225387785149, -1.2],
    [0.590804195363, 0.323309978407, 1.8],
    [1.075744014239, 0.371208132119, 1.0],
]
QDD = [-14.429110193082, 19.519090203030, -0.821450397894, 14.218735633184, -1.527308529179]
LAMBDA = {
    1: [-6.029835705298, -10.432065605663],
    2: [-2.632427710161, -0.684893254807],
    4: [-0.360624997915, -1.270740650320],
    5: [-0.210947459632, -0.824918301888],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_tree_of_five_nodes_has_the_numbers_of_this_library(variant: str) -> None:
    found = at(system("five_node_tree"), variant, TREE_STATE)
    for k, rows in MHAT.items():
        _close(planar(found[f"Mhat_{k}"]), triangle(rows))
        _close(planar(found[f"fhat_{k}"]), FHAT[k])
    for k in range(1, 6):
        _close(planar(found[f"yd_{k}"]), YD[k - 1])
        _close(planar(found[f"ydd_{k}"]), YDD[k - 1])
    _close(found["ud"], QDD)
    for k, lam in LAMBDA.items():
        _close(found[f"lambda_{k}"][:2], lam)
    # of the slider: rotation is our last row; our normal points the other way
    slider = found["lambda_3"]
    _close([slider[4], -slider[0]], [-0.276702555451, -0.476545952502])


def test_what_is_left_out_of_the_tree_has_the_numbers_of_this_library() -> None:
    found = at(system("five_node_tree"), "coordinates", TREE_STATE)
    Lambda = [1.064798147436, 0.7, 0.464462097301, 0.064]
    _close(matrix(found, "Lambda"), np.diag(Lambda))
    xid = [-0.799162518129, -0.191892233016, 1.663386955846, -0.522336048117]
    _close(found["xid"], xid)
    eta = [-2.72263794, -5.40610726, 1.63241836, -0.84689572]  # nine digits
    np.testing.assert_allclose(found["eta"], eta, rtol=0, atol=6e-9)
