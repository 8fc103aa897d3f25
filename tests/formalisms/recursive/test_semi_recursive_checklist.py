"""The checklist of Yu, Mikkola, Pan and Escalona: everything in their paper works, S0-01 to S0-18.

Numbers are in `test_semi_recursive_goldens`, identities on random trees in
`test_semi_recursive_identities`, partitioning and loops in files of their own.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import folder, linked, system, system_of
from formalisms.recursive.semi_recursive import (
    BOTH,
    CAM,
    CHAIN,
    LINE,
    OFF,
    QUICK_RETURN,
    VARIANTS,
    equations_of,
    flat,
    planar,
    values_at,
)
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links

FIRST, SECOND = BOTH
J: Final = np.array([[0.0, -1.0], [1.0, 0.0]])
EXAMPLES: Final = {
    "rp_chain": CHAIN,
    "quick_return": QUICK_RETURN,
    "point_to_line": LINE,
    "cam_follower": CAM,
}
PATTERN: Final = flat("1 0 0 0 0", "1 1 0 0 0", "1 1 1 0 0", "1 0 0 1 0", "1 0 0 1 1")
"""Block pattern of V and T, eqs (38) and (39)."""


def _opened() -> str:
    """Return the quick-return mechanism without its cut joints."""
    text = (folder("quick_return") / "model.mb").read_text("utf-8")
    text = re.sub(r"  // the two cut joints.*?(?=  input u)", "", text, flags=re.DOTALL)
    text = re.sub(r"  coordinate th:.*\n", "", text)
    text = re.sub(r"  state moving.*?\n}", "}", text, flags=re.DOTALL)
    return re.sub(r"\nexperiment .*", "", text, flags=re.DOTALL)


def test_s0_01_a_body_has_its_matrices_about_an_arbitrary_origin() -> None:
    one = values_at("rp_chain", FIRST, CHAIN)
    c, s = np.cos(0.4), np.sin(0.4)
    u = np.array([[c, -s], [s, c]]) @ [0.1, 0.05]
    m, inertia, weight = 2.0, 0.5, np.array([0, -2 * 9.81])
    M = np.block([[m * np.eye(2), m * (J @ u)[:, None]], [m * (J @ u), inertia + m * u @ u]])
    rows = [0, 1, 5]
    assert one["M_1"][np.ix_(rows, rows)] == pytest.approx(M, rel=1e-14)
    assert one["Qv_1"][rows] == pytest.approx([*(m * 1.1**2 * u), 0], rel=1e-13)
    assert one["Qe_1"][rows] == pytest.approx([*weight, (J @ u) @ weight], rel=1e-13)


def test_s0_04_the_spanning_tree_is_numbered_from_the_base_with_branches() -> None:
    tree = links(motion.in_speeds(system("quick_return")))
    assert [link.path for link in tree.links] == ["rocker", "block", "crank", "coupler", "ram"]
    assert [link.parent for link in tree.links] == [None, 0, 1, 0, 3]
    # joints that place no body are cut, whether the model proposes it or not
    text = (folder("quick_return") / "model.mb").read_text("utf-8")
    unsaid = system_of(text.replace(") cut reaction", ") reaction"))
    assert [row.path for row in unsaid.rows] == [row.path for row in system("quick_return").rows]


def test_s0_05_method_one_fills_v_entry_by_entry_at_any_depth() -> None:
    one = values_at("quick_return", FIRST, QUICK_RETURN)
    V = planar(one["V"])
    types = {1: "R", 2: "P", 3: "R", 4: "R", 5: "R"}
    for i in range(1, 6):
        for j in range(1, 6):
            block = V[3 * i - 3 : 3 * i, j - 1]
            R, r = one[f"R_{i}"][:2], one[f"rho_{j}"][:2]
            column = [*(J @ (R - r)), 1] if types[j] == "R" else [*one[f"h_{j}"][:2], 0]
            expected = np.array(column) * PATTERN[i - 1, j - 1]
            assert block == pytest.approx(expected, abs=1e-14)


def test_s0_06_method_two_has_one_convention_of_accelerations() -> None:
    one, two = (values_at("quick_return", form, QUICK_RETURN) for form in BOTH)
    qdd = one["V"] @ one.ud[:5] + one["Vdot"] @ one["zd"]
    Zdd = two["T"] @ (two["R_d"] @ two.ud[:5] + two["d"])
    for k in range(1, 6):
        R, w = two[f"R_{k}"], two[f"Zd_{k}"][3:]
        a, al = qdd[6 * k - 6 : 6 * k - 3], qdd[6 * k - 3 : 6 * k]
        # of the material point of the body that is at the origin of the ground
        at_origin = a - np.cross(al, R) - np.cross(w, np.cross(w, R))
        assert Zdd[6 * k - 6 : 6 * k - 3] == pytest.approx(at_origin, abs=1e-11)


def test_s0_07_the_path_matrix_is_an_object_that_says_who_carries_whom() -> None:
    two = values_at("quick_return", SECOND, QUICK_RETURN)
    T = two["T"].reshape(5, 6, 5, 6)
    for i in range(5):
        for j in range(5):
            assert T[i, :, j] == pytest.approx(PATTERN[i, j] * np.eye(6), abs=0)


@pytest.mark.parametrize("form", BOTH)
def test_s0_08_an_open_tree_is_an_ordinary_differential_equation(form: str) -> None:
    state = {path: x for path, x in QUICK_RETURN.items() if path not in {"th", "th'"}}
    one = values_at(system_of(_opened()), form, state)
    ud = "-3.628459602259 -9.256760562323 13.556379775842 42.825678318654 -32.069074154779"
    assert one.ud == pytest.approx(flat(ud)[0], rel=1e-9)
    assert one["A"].shape == (0, 5)
    assert "K" not in [step.name for step in one.equations.steps]


@pytest.mark.parametrize("form", BOTH)
def test_s0_10_reactions_of_the_loops_are_multipliers_on_their_jacobian(form: str) -> None:
    one = values_at("quick_return", form, QUICK_RETURN)
    assert one.Fc == pytest.approx(one["A"].T @ one.lam, rel=1e-13)
    left = one["M"] @ one.ud - one["h"] - one.Fc
    assert left == pytest.approx(np.zeros(6), abs=1e-11)
    assert one["A"] @ one.ud == pytest.approx(-one["b"], abs=1e-11)


@pytest.mark.parametrize("form", BOTH)
def test_s0_11_baumgarte_has_two_gains_of_their_own(form: str) -> None:
    equations = equations_of("quick_return", f"{form}:baumgarte")
    gains = {x.path: x for x in equations.signature.parameters if x.path.startswith("baumgarte")}
    assert list(gains) == ["baumgarte_a", "baumgarte_b"]
    raw = values_at("quick_return", form, OFF)
    for a, b in ((0.0, 0.0), (3.0, 0.0), (0.0, 7.0)):
        one = equations.evaluate(OFF, {"baumgarte_a": a, "baumgarte_b": b})
        fed = 2 * a * one["Cd"] + b**2 * one["C"]
        assert one["A"] @ one.ud == pytest.approx(-raw["b"] - fed, abs=1e-11)
        assert bool(np.allclose(one.ud, raw.ud, rtol=1e-9)) is (a == b == 0)


def test_s0_12_a_point_to_line_joint_is_two_columns_on_one_body() -> None:
    tree = links(motion.in_speeds(system("point_to_line")))
    assert [link.freedoms for link in tree.links] == [2]
    V = planar(values_at("point_to_line", FIRST, LINE)["V"])
    h, lever = np.array([np.cos(0.5), np.sin(0.5)]), 0.6 * np.array([np.cos(1.2), np.sin(1.2)])
    assert V.T[0] == pytest.approx([*h, 0], abs=1e-14)
    assert V.T[1] == pytest.approx([*(J @ lever), 1], abs=1e-14)


def test_s0_13_a_cam_takes_a_profile_with_two_derivatives() -> None:
    one = values_at("cam_follower", FIRST, CAM)
    (z1, z2), (z1d, z2d, z3d) = (CAM["z1"], CAM["z2"]), (CAM[f"z{k}'"] for k in (1, 2, 3))
    A = np.array([[np.cos(z2), -np.sin(z2)], [np.sin(z2), np.cos(z2)]])
    s, s1, s2 = 0.3 + 0.1 * np.cos(z1), -0.1 * np.sin(z1), -0.1 * np.cos(z1)
    er, et = np.array([np.cos(z1), np.sin(z1)]), np.array([-np.sin(z1), np.cos(z1)])
    slope = A @ (s1 * er + s * et)
    P = one["R_1"][:2] + A @ (s * er)
    V = np.column_stack([slope, J @ (A @ (s * er)), J @ (one["R_2"][:2] - P)])
    assert planar(one["V"] @ one["P"])[3:5] == pytest.approx(V, abs=1e-14)
    # V' with the second derivative of the profile
    Pd = slope * z1d + J @ (A @ (s * er)) * z2d
    Rd = one["qd_2"][:2]
    Vd = [
        z2d * J @ slope + A @ ((s2 - s) * er + 2 * s1 * et) * z1d,
        J @ Pd,
        J @ (Rd - Pd),
    ]
    total = Vd[0] * z1d + Vd[1] * z2d + Vd[2] * z3d
    found = one["V"] @ one["pd"] + np.concatenate([one["c_1"], one["c_2"]])
    assert found[6:8] == pytest.approx(total, abs=1e-13)
    # z3 is the follower's angle from ground
    assert one["qd_2"][5] == pytest.approx(z3d, rel=1e-14)


@pytest.mark.parametrize("model", EXAMPLES)
def test_s0_14_the_columns_of_any_joint_go_from_one_method_to_the_other(model: str) -> None:
    one, two = (values_at(model, form, EXAMPLES[model]) for form in BOTH)
    tree = links(motion.in_speeds(system(model)))
    for k, link in enumerate(tree.links, start=1):
        own = one[f"V_{k}"].reshape(6, -1)[:, list(link.own)]
        b = two[f"b_{k}"].reshape(6, -1)
        assert b == pytest.approx(np.linalg.inv(two[f"D_{k}"]) @ own, abs=1e-13)


def _B(a: Any, b: Any) -> Any:
    found = np.eye(3)
    found[:2, 2] = J @ (a[:2] - b[:2])
    return found


def test_s0_15_the_recursion_telescopes_as_in_appendix_c() -> None:
    one = values_at("quick_return", FIRST, QUICK_RETURN)
    two = values_at("quick_return", SECOND, QUICK_RETURN)
    R = {k: one[f"R_{k}"] for k in range(1, 6)}
    V = planar(one["V"])
    for i, p, k in ((3, 2, 1), (5, 4, 1)):
        assert _B(R[i], R[k]) == pytest.approx(_B(R[i], R[p]) @ _B(R[p], R[k]), abs=1e-14)
        # (C.4): columns of a joint further back
        back = _B(R[i], R[p]) @ V[3 * p - 3 : 3 * p, k - 1]
        assert V[3 * i - 3 : 3 * i, k - 1] == pytest.approx(back, abs=1e-14)
        rows = np.ix_([0, 1, 5], [0, 1, 5])
        Di, Dp = (two[f"D_{x}"][rows] for x in (i, p))
        assert np.linalg.inv(Di) @ _B(R[i], R[p]) @ Dp == pytest.approx(np.eye(3), abs=1e-14)


def test_s0_16_the_examples_of_the_paper_are_in_the_library() -> None:
    for model in EXAMPLES:
        text = (folder(model) / "model.mb").read_text("utf-8")
        assert 'doi "10.1016/j.mechmachtheory.2022.104935"' in text


@pytest.mark.parametrize("model", EXAMPLES)
def test_s0_17_both_methods_partitioning_and_lagrange_agree(model: str) -> None:
    # newton_euler: the absolute coordinates with all reactions
    others = ("lagrange", "newton_euler")
    found = mbx.verify(linked(model), forms=[*VARIANTS, *others], states=4, oracle=1)
    assert found.verdict == "agree"
    assert not found.excluded
    assert set(found.forms) == {*VARIANTS, *others}


def test_s0_18_the_matrices_are_printed_as_in_the_paper() -> None:
    first = mbx.write(equations_of("rp_chain", FIRST))
    # (11): [J(R_2 - r^P), h_1; 1, 0], with the rows of space that are zero
    V_2 = """
  V_2 =                                   # V of slider
        z1'                z2'
      [ rho_1[2] - R_2[2]  h_2[1] ]
      [ R_2[1] - rho_1[1]  h_2[2] ]
      [ 0                  0      ]
      [ 0                  0      ]
      [ 0                  0      ]
      [ 1                  0      ]
"""
    assert V_2 in first
    assert "  V = [V_1; V_2] " in first
    second = mbx.write(equations_of("quick_return", SECOND))
    # (39): b_j = [-J r_j; 1], and for the slider [h; 0]
    for lines in (
        ["b_5 =", "[ rho_5[2]  ]", "[ -rho_5[1] ]", "[ 0", "[ 0", "[ 0", "[ 1"],
        ["b_2 =", "[ h_2[1] ]", "[ h_2[2] ]", "[ 0", "[ 0", "[ 0", "[ 0"],
    ):
        pattern = r"[^\n]*\n\s*".join(map(re.escape, lines))
        assert re.search(pattern, second), lines
    assert "W = T R_d " in second
    flowing = " ".join(second.split())
    assert "R_d = [b_1, 0, 0, 0, 0; 0, b_2, 0, 0, 0;" in flowing
    T = "1_6, 0, 0, 0, 0; 1_6, 1_6, 0, 0, 0; 1_6, 1_6, 1_6, 0, 0; 1_6, 0, 0, 1_6, 0;"
    assert f"T = [{T} 1_6, 0, 0, 1_6, 1_6]" in flowing
