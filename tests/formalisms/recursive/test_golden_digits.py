"""Numbers of the examples of three papers, to all digits that are given.

None of them stands in a paper: Yu et al., Deepak and Ghosal, and Ivanov and Shimanovskiy print
formulas only. They were computed for this library by programs of their own. What the papers do
print, matrices and closed forms, is in the files on checklists, identities and errata.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, system
from formalisms.recursive.rfda_cases import (
    PAIR_STATE,
    PLANE,
    TREE_STATE,
    VARIANTS,
    at,
    matrix,
)
from formalisms.recursive.rfda_cases import planar as in_plane
from formalisms.recursive.semi_recursive import BOTH, CAM, CHAIN, LINE, absolute, planar, values_at
from mbx.analyses.costs.published_costs import dah, emh, hzu, parameters
from mbx.analyses.costs.topologies import Tree, carousel, chain

if TYPE_CHECKING:
    from mbx.numerics.execute.evaluate_equations import Evaluation

FIRST, SECOND = BOTH


def same(found: Any, said: str, slack: float = 0.0) -> None:
    """Compare with numbers as text: half of the last digit may be lost, and what rounding adds."""
    texts = said.replace(";", " ").replace("|", " ").split()
    values = np.ravel(np.asarray(found, dtype=float))
    assert len(values) == len(texts)
    for value, text in zip(values, texts, strict=True):
        unit = 10.0 ** -len(text.partition(".")[2])
        assert abs(value - float(text)) <= 0.51 * unit + slack + 4e-15 * abs(value), (value, text)


def places(one: Evaluation, bodies: int) -> list[float]:
    """Return (x, y, angle) of every body."""
    found: list[float] = []
    for k in range(1, bodies + 1):
        A, R = one[f"A_{k}"], one[f"R_{k}"]
        found += [R[0], R[1], float(np.arctan2(A[1, 0], A[0, 0]))]
    return found


# -- the R-P chain, fig. 1 of Yu et al. --------------------------------------------------------


def test_the_chain_by_method_one() -> None:
    one = values_at("rp_chain", FIRST, CHAIN)
    same(places(one, 2), "0.560530497001 0.394709171154 0.4 1.330798181977 1.452830252828 0.7")
    same(
        planar(one["V"]),
        "-0.194709171154 0; 0.460530497001 0; 1 0; -1.252830252828 0.503197789817;"
        "1.230798181977 0.864171270249; 1 0",
    )
    same(
        planar(one["Vdot"]),
        "-0.506583546702 0; -0.214180088270 0; 0 0; -0.835375238025 -0.950588397274;"
        "-1.680031952001 0.553517568799; 0 0",
    )
    qdd = "0.166453313430 -1.947298244422 -3.716800860030 1.979868556178 -10.752947741548"
    same(planar(one["V"] @ one.ud + one["Vdot"] @ one["zd"]), f"{qdd} -3.716800860030")


def test_the_chain_by_method_two() -> None:
    one = values_at("rp_chain", SECOND, CHAIN)
    same(
        planar(one["W"]), "0.2 0; -0.1 0; 1 0; 0.2 0.503197789817; -0.1 0.864171270249; 1 0", 1e-15
    )
    same(planar(one["d"]), ".121 .242 0 1.140706076728 -0.664221082559 0", 1e-15)
    same(
        planar(one["e"]),
        "-0.678241901372 -0.477598097097 0 -1.610265800192 -1.757924605922 0",
    )


@pytest.mark.parametrize("form", BOTH)
def test_the_chain_by_both_methods(form: str) -> None:
    one = values_at("rp_chain", form, CHAIN)
    same(one["M"], "5.431697639695 0.562643912175; 0.562643912175 1.2", 1e-15)
    same(one["Qv"], "2.759863688328 2.529875047634")
    same(one["Qe"], "-25.551527549547 -10.173024193367")
    same(one.ud, "-3.716800860030 -4.626594807557")


def test_the_chain_in_absolute_coordinates() -> None:
    first = values_at("rp_chain", FIRST, CHAIN)
    names = ("x1", "y1", "th1", "x2", "y2", "th2")
    state = {n: float(x) for n, x in zip(names, places(first, 2), strict=True)}
    rates = planar(first["V"]) @ first["zd"]
    state |= {f"{n}'": float(x) for n, x in zip(names, rates, strict=True)}
    one = values_at(absolute("independent th1', x2'"), f"{FIRST}:partitioned", state)
    same(
        one["H"],
        "-0.194709171154 0; 0.460530497001 0; 1 0; 0 1; 3.382357534783 1.717359034035; 1 0",
        1e-15,
    )
    lam = dict(zip(one.equations.step("A").row_labels, one.lam, strict=True))
    # lam of eq. (2); the paper's force is -Cq^T lam, and our rows of the slide have other signs
    own = [-lam["pivot.x"], -lam["pivot.y"], abs(lam["slide.turn1"]), -abs(lam["slide.across1"])]
    same(own, "-3.165993589 -13.595646141 1.836644825 -2.750665371")


# -- the quick-return mechanism, fig. 8 of Yu et al. -------------------------------------------

ROWS: Final = {"pivot.x": -1, "pivot.y": -1, "guide.turn1": 1, "guide.across1": 1}
"""Rows in the paper's order; its multipliers are minus ours, its rows of the guide minus ours."""


@cache
def _moving() -> dict[str, float]:
    """Return the state of z1 = 75 degrees and z1' = 0.8 that keeps the loops to rounding."""
    return completed(system("quick_return"), {"z1": float(np.radians(75)), "z1'": 0.8})


def _rows(one: Evaluation, name: str, sign: int) -> list[Any]:
    found = dict(zip(one.equations.step("A").row_labels, one[name], strict=True))
    return [sign * ROWS[row] * found[row] for row in ROWS]


def test_the_quick_return_has_the_state_of_75_degrees() -> None:
    state = _moving()
    z, zd = ([state[f"z{k}{dash}"] for k in range(1, 6)] for dash in ("", "'"))
    same(z, "1.308996938996 0.457631790860 2.493193647659 1.656275854944 -2.965272793940")
    same(zd, "0.8 0.277391218997 2.262163913319 -0.211115200107 -0.588884799893")
    one = values_at("quick_return", FIRST, state)
    q = places(one, 5)
    q[8] += 2 * np.pi  # the crank's angle, 3.80
    same(
        q,
        "0.090586665786 0.338074039201 1.308996938996 | 0.118443823119 0.442038365723"
        " 1.308996938996 | 0.059221911560 0.396019182861 3.802190586655 | 0.181173331572"
        " 0.676148078402 2.965272793940 | -0.064950639167 0.72 0",
        2e-15,
    )


@pytest.mark.parametrize("form", BOTH)
def test_the_tree_of_the_quick_return(form: str) -> None:
    one = values_at("quick_return", form, _moving())
    same(
        one["Mbar" if form == FIRST else "Mbb"],
        "2.231146333440 -0.045293332893 -0.019731714002 0.105511880075 0.023104936083;"
        "-0.045293332893 1.5 -0.045293332893 0 0; -0.019731714002 -0.045293332893 0.007625 0 0;"
        "0.105511880075 0 0 0.109729282716 -0.008535358642; 0.023104936083 0 0 -0.008535358642"
        " 0.0152",
        1e-15,
    )
    same(one["Qv"], "-0.175555698873 -0.121210902998 0.013265708189 -0.223636348519 0.044182222123")
    same(one["Qe"], "-3.990625783417 -14.213598533844 0.580966952399 4.813742767072 -0.981", 1e-14)
    free = np.linalg.solve(one["Mbar" if form == FIRST else "Mbb"], one["Qv"] + one["Qe"])
    golden = "-3.628459602259 -9.256760562323 13.556379775842 42.825678318654 -32.069074154779"
    same(free, golden, 1e-12)


@pytest.mark.parametrize("form", BOTH)
def test_the_closed_quick_return(form: str) -> None:
    one = values_at("quick_return", form, _moving())
    Cz = [row[:5] for row in _rows(one, "A", -1)]
    same(
        Cz,
        "-0.35 0.258819045103 0.092038365723 0 0; 0 0.965925826289 -0.118443823119 0 0; 1 0 0 1 1;"
        "0.064950639167 0 0 0.246123970739 0",
        2e-15,
    )
    same(_rows(one, "b", 1), "-0.606122711371 -0.694995804703 0 -0.447941972295", 2e-15)
    zdd = "-3.469560001192 -2.338531364649 -13.203322848053 -0.904389084580 4.373949085773"
    same(one.ud[:5], zdd, 1e-13)
    lam = "-7.268845411859 -10.043076735838 -0.930857127105 24.473904414973"
    same(_rows(one, "lam", 1), lam, 1e-13)


def test_the_bodies_of_the_closed_quick_return_accelerate() -> None:
    one = values_at("quick_return", FIRST, _moving())
    same(
        planar(one["V"] @ one.ud[:5] + one["Vdot"] @ one["zd"]),
        "1.114992697751 -0.530663257341 -3.469560001192 | 0.423915183303 -2.837829737173"
        " -3.469560001192 | 0.211957591652 -1.418914868587 -16.672882849246 | 2.229985395502"
        " -1.061326514682 -4.373949085773 | 2.507143644770 0 0",
        1e-13,
    )


@pytest.mark.parametrize("form", BOTH)
def test_the_quick_return_off_its_loops(form: str) -> None:
    state = dict(_moving())
    off = {"z1": 0.01, "z2": -0.005, "z3": 0.02, "z5": -0.01}
    off |= {"z2'": 0.05, "z3'": -0.03, "z4'": 0.02, "z5'": 0.01}
    for path, change in off.items():
        state[path] += change
    state["th"], state["th'"] = state["z1"] + state["z3"], state["z1'"] + state["z3'"]
    one = values_at("quick_return", f"{form}:baumgarte", state)
    same(_rows(one, "C", -1), "-0.002857934621 -0.007191379194 0 0.000685495267", 2e-15)
    same(_rows(one, "Cd", -1), "0.020604312246 0.056676165254 0.03 0.010598331002", 2e-15)
    zdd = "-3.264761082866 -2.554891631682 -11.434446962033 -2.004417864026 4.669178946892"
    same(one.ud[:5], zdd, 2e-13)
    lam = "-6.704676874286 -9.829521857784 -0.951708849936 24.959669291817"
    same(_rows(one, "lam", 1), lam, 2e-13)


# -- appendix B of Yu et al. -------------------------------------------------------------------


def test_the_point_to_line_joint() -> None:
    one, two = (values_at("point_to_line", form, LINE) for form in BOTH)
    same(places(one, 1), "1.207238958387 0.890706436324 1.2", 1e-15)
    same(planar(one["V"]), "0.877582561890 -0.559223451580; 0.479425538604 0.217414652686; 0 1")
    same(planar(two["W"]).T, "0.877582561890 0.479425538604 0; 0.331482984744 -0.989824305701 1")
    for found in (one, two):
        same(found["M"], "1.5 -0.579795918514; -0.579795918514 0.585", 1e-15)
        same(found["h"], "-6.063511325840 -3.199256614275")
        same(found.ud, "-9.979131516405 -15.359173227009")


def test_the_cam_and_its_follower() -> None:
    one, two = (values_at("cam_follower", form, CAM) for form in BOTH)
    same(places(one, 2)[3:], "0.143698436788 0.685537739532 -0.2", 1e-15)
    same(
        planar(one["V"] @ one["P"])[3:],
        "-0.350798633163 -0.344494481688 -0.241043257844;"
        "-0.064467714837 0.024429772532 0.069268664256; 0 0 1",
        1e-15,
    )
    same(planar(two["W"] @ two["P"])[3:, 2], "0.444494481688 -0.074429772532 1", 1e-15)


# -- the examples of Deepak and Ghosal ---------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_revolute_pair(variant: str) -> None:
    found = at(system("revolute_pair"), variant, PAIR_STATE)
    y_j = np.array([0.1, 0.2])
    same([*(y_j + found["rho_2"][:2]), 0.3 + 0.8], "0.857622107709 0.768626187323 1.1", 1e-15)
    same(in_plane(found["yd_2"]), "0.776242134791 -0.639239636781 -1.2", 1e-15)
    same(
        in_plane(found["Mhat_1"])[np.triu_indices(3)],
        "3.053745357335 0.509322876827 -0.045650985908 2.918695587547 0.215052502259"
        " 0.385581285780",
    )
    same(in_plane(found["fhat_1"]), "-3.886178086487 -27.681641730452 -2.011755966499")
    same(in_plane(found["ydd_1"]), "0.322669667867 -9.551457728936 0.147930174244", 1e-14)
    same(in_plane(found["ydd_2"]), "-0.430226223823 -10.154723028085 -0.097906088052", 1e-14)
    same(found["lambda_2"][:2], "0.645339335734 0.517084542128", 2e-14)
    same(found["ud"][3:], "-0.245836262296", 2e-14)
    same(in_plane(found["B_2"]), "1 0 -0.568626187323; 0 1 0.757622107709; 0 0 1", 1e-15)
    same(in_plane(found["d_2"]), "-0.756022388866 -0.615767064746 0", 1e-15)


def test_joint_rows_and_special_coordinates_of_the_revolute_pair() -> None:
    found = at(system("revolute_pair"), "coordinates", PAIR_STATE)
    Q, G = (found[f"{name}_2"][:2][:, list(PLANE)] for name in "QG")
    same(Q, "-1 0 0.213741731577; 0 -1 -0.352582574984")
    same(G, "1 0 0.354884455746; 0 1 -0.405039532725")
    same(found["gamma_2"][:2], "-0.756022388866 -0.615767064746")
    same(matrix(found, "H_2")[list(PLANE), 0], "-0.354884455746 0.405039532725 1")
    same(matrix(found, "At_2")[0, :2], "0.838309737982 -0.956786297776")
    same(matrix(found, "Lambda"), "0.635", 1e-15)
    same(
        in_plane(found["P_1"]),
        "0.702496904890 0.339548584551 -0.030433990606; 0.339548584551 0.612463725031"
        " 0.143368334839; 0.838309737982 -0.956786297776 -0.516527951573",
    )
    same(found["xid"], "-1.640299822000")


def test_the_places_of_the_tree_of_five_nodes() -> None:
    one = values_at(system("five_node_tree"), FIRST, TREE_STATE)
    same(
        places(one, 5),
        "0.482134595650 0.318208082665 0.3 | 1.239756703359 0.886834269987 1.1 |"
        " 1.337279415557 1.599379458221 1.35 | 0.724407511389 -0.118570924356 -0.3 |"
        " 0.821956329336 -0.267649109129 0.9",
        2e-15,
    )


NODES: Final = {
    1: """3.788369213364 0.896310628923 0.138859840082 5.087006928063 0.969379685814
        0.658184602174 | -7.275281387533 -51.402106043497 -11.413671065461""",
    2: """2.063981682192 0.276969022972 -0.374851663583 1.636018317808 -0.184088069347
        0.499145981382 | -2.881465973750 -16.130075774047 2.815172687205""",
    4: """1.561939764347 0.109557858474 0.138301899356 1.613060235653 0.019760358572
        0.191755868438 | -1.207545844728 -16.430348954290 -0.218216093091""",
}
"""Upper half of Mhat and fhat; nodes are counted from 1 here, from 0 in the model."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_tree_of_five_nodes(variant: str) -> None:
    found = at(system("five_node_tree"), variant, TREE_STATE)
    for k, said in NODES.items():
        upper = in_plane(found[f"Mhat_{k}"])[np.triu_indices(3)]
        same([*upper, *in_plane(found[f"fhat_{k}"])], said, 2e-14)
    same(
        [in_plane(found[f"yd_{k}"]) for k in range(1, 6)],
        "-0.082745657865 0.267494216955 0.7 | 0.193496476926 0.028254580174 -1.2 |"
        " 0.894267827488 0.225387785149 -1.2 | 0.590804195363 0.323309978407 1.8 |"
        " 1.075744014239 0.371208132119 1.0",
        1e-15,
    )
    same(
        [in_plane(found[f"ydd_{k}"]) for k in range(1, 6)],
        "1.518391498611 -5.571784149732 -14.429110193082 | 2.040117321944 -9.213360916275"
        " 5.089980009948 | -0.611068961079 -10.110093386829 5.089980009948 | 0.136070489348"
        " -9.404706955971 -0.210374559898 | 0.351579099387 -8.435136163519 -1.737683089076",
        1e-13,
    )
    qdd = "-14.429110193082 19.519090203030 -0.821450397894 14.218735633184 -1.527308529179"
    same(found["ud"], qdd, 1e-13)
    slider = found["lambda_3"]
    lam = [found[f"lambda_{k}"][:2] for k in (1, 2)] + [[slider[4], -slider[0]]]
    lam += [found[f"lambda_{k}"][:2] for k in (4, 5)]
    same(
        lam,
        "-6.029835705298 -10.432065605663 | -2.632427710161 -0.684893254807 | -0.276702555451"
        " -0.476545952502 | -0.360624997915 -1.270740650320 | -0.210947459632 -0.824918301888",
        1e-13,
    )


def test_what_is_left_out_of_the_tree_of_five_nodes() -> None:
    found = at(system("five_node_tree"), "coordinates", TREE_STATE)
    same(np.diag(matrix(found, "Lambda")), "1.064798147436 0.7 0.464462097301 0.064", 1e-15)
    same(found["xid"], "-0.799162518129 -0.191892233016 1.663386955846 -0.522336048117")
    same(found["eta"], "-2.72263794 -5.40610726 1.63241836 -0.84689572")


# -- the pipelayer and the estimates of Ivanov and Shimanovskiy --------------------------------


def test_the_pipelayer_has_its_parameters() -> None:
    found = parameters(Tree((0, 1, 2, 3), (3, 1, 1, 1)))
    assert found.eta == (3, 4, 5, 6)
    assert found.tau == (8, 10, 10, 5)
    assert found.theta == (3, 2, 3, 4)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("N", [1, 2, 3, 7, 20])
def test_estimates_have_the_closed_forms_of_this_library(N: int, n: int) -> None:
    m = 6 - n
    each = n**3 / 3 + 39 * n**2 / 2 + 1105 * n / 6 + 864
    assert float(emh(chain(N, n))) == pytest.approx(N * each - 84 * n - 660, rel=1e-13)
    assert emh(carousel(N, n)) == emh(chain(N, n))
    rows = n**3 * N**3 / 3 + 17 * n**2 * N**2 / 2 + 109 * n * N / 6
    rows += 21 * n * N * (N + 1) + 222 * N + 205 * (N - 1)
    assert float(dah(chain(N, n))) == pytest.approx(rows, rel=1e-13)
    rows = n**3 / 3 + 17 * n**2 / 2 + 361 * n / 6 + 222
    rows += (N - 1) * (7 * n**3 / 3 + 51 * n**2 / 2 + 613 * n / 6 + 427)
    assert float(dah(carousel(N, n))) == pytest.approx(rows, rel=1e-13)
    last = m**3 / 3 + 17 * m**2 / 2 + 361 * m / 6 + 420 - 48
    rows = (N - 1) * (7 * m**3 / 3 + 63 * m**2 / 2 + 721 * m / 6 + 420) + last
    assert float(hzu(chain(N, n))) == pytest.approx(rows, rel=1e-13)
    rows = (m * N) ** 3 / 3 + 17 * (m * N) ** 2 / 2 + 361 * m * N / 6 + 420
    rows += (N - 1) * (6 * m**2 + 60 * m + 420) - 48
    assert float(hzu(carousel(N, n))) == pytest.approx(rows, rel=1e-13)
