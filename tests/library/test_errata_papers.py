"""Errata of Saura, Segado and Dopico: as printed they fail, as corrected they hold.

Each test says what is printed, and where. Errata of the other papers are in
`tests/formalisms/recursive/test_errata_000.py`, `..._001.py` and `..._002.py`.

More of this paper, 8, 9, 11, 13, 15 and 17, are in `test_errata_groups`. Words and symbols only:
3 and 10 (a garbled symbol), 18 to 20, 22 and 23.
"""

from __future__ import annotations

from itertools import combinations
from math import cos, degrees, pi, radians, sin
from typing import Any, Final

import numpy as np
import pytest

from formalisms.cases import Point, at, completed, system
from mbx.formalism import registry

pytestmark = pytest.mark.papers
Array = np.ndarray[Any, np.dtype[np.float64]]
# -- the dyad 3R, equations (18) to (40) ---------------------------------------------------------

A: Final = np.array([0.4, 0.3])
B: Final = np.array([3.1, -0.2])
ROD, ROCKER = 2.5, 2.1


def circles(h: Array) -> Array:
    """Return the point C of the dyad whose ends are h, the upper one."""
    a, b = h[:2], h[2:]
    d = np.linalg.norm(b - a)
    along = (d**2 + ROD**2 - ROCKER**2) / (2 * d)
    e = (b - a) / d
    return np.asarray(a + along * e + np.sqrt(ROD**2 - along**2) * np.array([-e[1], e[0]]))


def slope(f: Any, x: Array, k: int, step: float = 1e-5) -> Array:
    """Return the slope of f by one of its arguments, by differences of fourth order."""
    e = np.zeros_like(x)
    e[k] = step
    near, far = f(x + e) - f(x - e), f(x + 2 * e) - f(x - 2 * e)
    return np.asarray((8 * near - far) / (12 * step))


def printed_inverse(c: Array, h: Array) -> tuple[Array, float]:
    """Return the inverse of the group's Jacobian and chi, equation (20)."""
    (xa, ya, xb, yb), (xc, yc) = h, c
    chi = 2 * (xa * yb - xb * ya - xa * yc + xc * ya + xb * yc - xc * yb)
    return np.array([[yc - yb, -(yc - ya)], [-(xc - xb), xc - xa]]) / chi, float(chi)


def coefficients(c: Array, h: Array) -> Array:
    """Return the velocity coefficients K, equation (27)."""
    (xa, ya, xb, yb), (xc, yc) = h, c
    _, chi = printed_inverse(c, h)
    rows = [
        [
            (xa - xc) * (yb - yc),
            (ya - yc) * (yb - yc),
            -(xb - xc) * (ya - yc),
            -(yb - yc) * (ya - yc),
        ],
        [
            -(xa - xc) * (xb - xc),
            -(ya - yc) * (xb - xc),
            (xb - xc) * (xa - xc),
            (yb - yc) * (xa - xc),
        ],
    ]
    return 2 * np.array(rows) / chi


H: Final = np.concatenate([A, B])
C: Final = circles(H)


def test_the_inverse_and_the_velocity_coefficients_of_the_dyad_are_right() -> None:
    """Equations (19b), (20) and (27) hold as printed."""
    jacobian = 2 * np.array([C - A, C - B])
    inverse, _ = printed_inverse(C, H)
    assert inverse @ jacobian == pytest.approx(np.eye(2), abs=1e-12)
    found = np.array([slope(circles, H, k) for k in range(4)]).T
    assert coefficients(C, H) == pytest.approx(found, abs=1e-9)


def test_e003_07_the_slice_of_the_tensor_has_the_other_sign() -> None:
    """Equation (40) prints the first column of dK/dx_A with its sign reversed."""
    true = slope(lambda h: coefficients(circles(h), h), H, 0)[:, 0]
    (xa, ya, xb, yb), (xc, yc) = H, C
    k1, k2 = coefficients(C, H)[:, 0]
    s = 2 * k1**2 + 2 * k2**2
    b = 2 * k2**2 - 2 * k1 + k1 * (2 * k1 - 2) + 2
    _, chi = printed_inverse(C, H)
    corrected = np.array([(yb - yc) * b - (ya - yc) * s, (xa - xc) * s - (xb - xc) * b]) / chi
    assert corrected == pytest.approx(true, abs=1e-8)
    assert np.abs(-corrected - true).max() > 0.1


def test_e003_04_the_step_of_newton_has_a_minus() -> None:
    """Algorithm 1, line 7, prints the step without the minus of equation (5)."""

    def phi(c: Array) -> Array:
        return np.array([(c - A) @ (c - A) - ROD**2, (c - B) @ (c - B) - ROCKER**2])

    c = C + np.array([0.05, -0.03])
    step = np.linalg.solve(2 * np.array([c - A, c - B]), phi(c))
    left = [np.abs(phi(c + sign * step)).max() / np.abs(phi(c)).max() for sign in (-1, 1)]
    assert left[0] < 0.05
    assert left[1] > 1.5


def test_e003_01_and_02_the_left_side_has_dependent_accelerations() -> None:
    """(10b) prints the independent columns and accelerations on its left, (30b) velocities."""
    hd = np.array([0.3, -0.7, 0.2, 0.5])
    hdd = np.array([-1.1, 0.4, 0.6, -0.2])

    def motion(t: Array) -> Array:
        return circles(H + hd * t[0] + hdd * t[0] ** 2 / 2)

    zero = np.zeros(1)
    cd = slope(motion, zero, 0)
    cdd = slope(lambda t: slope(motion, t, 0, 1e-3), zero, 0, 1e-3)
    dependent = 2 * np.array([C - A, C - B])
    independent = np.zeros((2, 4))
    independent[0, :2], independent[1, 2:] = -2 * (C - A), -2 * (C - B)
    bias = 2 * np.array([np.sum((cd - hd[:2]) ** 2), np.sum((cd - hd[2:]) ** 2)])
    right = -(independent @ hdd + bias)
    assert dependent @ cdd == pytest.approx(right, abs=1e-6)
    assert np.abs(independent @ hdd - right).max() > 1  # (10b) as printed
    assert np.abs(dependent @ cd - right).max() > 1  # (30b) as printed


# -- groups that depend on time, equations (34) to (43) ------------------------------------------


def test_e003_05_and_06_a_group_that_depends_on_time_needs_more_terms() -> None:
    """(36) has no dK/dt hd, and (42a) has the rate of b inside of its minus.

    A crank whose length grows, L = 1 + t/5 + t^2/10, with three rows for two unknowns:
    the point is L (cos, sin), so its acceleration is known.
    """
    th, thd, thdd, t = 0.7, 1.3, -0.4, 0.5
    L, Ld, Ldd = 1 + t / 5 + t**2 / 10, 0.2 + t / 5, 0.2
    e, n = np.array([cos(th), sin(th)]), np.array([-sin(th), cos(th)])
    p, pd = L * e, Ld * e + L * thd * n
    true = (Ldd - L * thd**2) * e + (2 * Ld * thd + L * thdd) * n

    J = np.array([2 * p, [1, 0], [0, 1]])  # rows |p|^2 - L^2, p - L e
    Jd = np.array([2 * pd, [0, 0], [0, 0]])
    ft = np.array([-2 * L * Ld, *(-Ld * e)])
    ftd = np.array([-2 * Ld**2 - 2 * L * Ldd, *(-Ldd * e - Ld * thd * n)])
    N = J.T @ J
    Sb = np.linalg.solve(N, -J.T @ ft)
    assert Sb == pytest.approx(Ld * e, abs=1e-12)
    bracket = (Jd.T @ J + J.T @ Jd) @ Sb
    bd = -Jd.T @ ft - J.T @ ftd
    corrected = np.linalg.solve(N, -bracket + bd)
    as_printed = np.linalg.solve(N, -(bracket + bd))
    assert corrected == pytest.approx(Ldd * e + Ld * thd * n, abs=1e-12)
    assert np.abs(as_printed - corrected).max() > 0.1

    K, K_h, K_t = L * n, -L * e, Ld * n
    of_36 = K * thdd + thd * K_h * thd + corrected
    assert of_36 + K_t * thd == pytest.approx(true, abs=1e-12)
    assert np.abs(of_36 - true).max() > 0.1


# -- counts --------------------------------------------------------------------------------------


def test_e003_08_equation_4_has_five_rows() -> None:
    """(4) is printed as 6 x 1 and has five rows on six coordinates: one freedom."""
    one = system("rrpr_chain")
    assert len(one.q) == 6
    assert sum(row.order == 0 for row in one.rows) == 5


@pytest.mark.parametrize("case", ["four_bar_scalable", "slider_crank_scalable_3d"])
def test_the_scalable_linkages_have_the_mobility_one(case: str) -> None:
    """Equation (11): 3 (2 k + 1) - 2 (3 k + 1), and 6 (2 k + 1) - 5 (1 + k) - 6 k - k."""
    one = system(case)
    found = at(one, registry.derive(one, "lagrange"), Point(completed(one, {})))
    assert np.linalg.matrix_rank(found.evaluation["A"], 1e-9) == len(one.u) - 1


Pair = tuple[int, int, int, int]
"""Two bodies, 1 for the frame; freedoms, and how many of these are driven."""


def groups(pairs: list[Pair], per_body: int) -> list[set[int]] | None:
    """Return the structural groups in the order of their solution, section 3.2, steps 1 to 4.

    A chain of bodies is a group if its thin edges are B (P - N_m), equation (14); pairs with
    bodies that are not solved yet do not count.
    """
    known, found = {1}, []
    bodies = {body for a, b, *_ in pairs for body in (a, b)}
    while left := bodies - known:
        chains = (set(c) for n in range(1, len(left) + 1) for c in combinations(sorted(left), n))
        for chain in chains:
            inside = [p for p in pairs if {p[0], p[1]} <= chain | known and {p[0], p[1]} & chain]
            thin = sum(k - driven for _, _, k, driven in inside)
            solved_on = any({a, b} & known for a, b, *_ in inside)
            if solved_on and thin == per_body * (len(inside) - len(chain)):
                break
        else:
            return None
        found.append(chain)
        known |= chain
    return found


FOUR_BAR: Final = [(1, 2, 1, 1), (2, 3, 1, 0), (3, 4, 1, 0), (1, 4, 1, 0)]
DRIVEN_ROCKER: Final = [(1, 2, 1, 0), (2, 3, 1, 0), (3, 4, 1, 0), (1, 4, 1, 1)]
THREE_DYADS: Final = [
    *FOUR_BAR,
    *((4, 5, 1, 0), (5, 6, 1, 0), (1, 6, 1, 0), (6, 7, 1, 0), (7, 8, 1, 0), (1, 8, 1, 0)),
]


def spatial(spins_driven: int) -> list[Pair]:
    """Return the pairs of the spatial slider-crank with two rods."""
    rods = [(2, 3, 3, spins_driven), (3, 4, 3, 0), (1, 4, 1, 0)]
    return [(1, 2, 1, 1), *rods, (2, 5, 3, spins_driven), (5, 6, 3, 0), (1, 6, 1, 0)]


@pytest.mark.parametrize(
    ("pairs", "per_body", "expected"),
    [
        (FOUR_BAR, 3, [{2}, {3, 4}]),  # the example of section 3.2, figure 3
        (DRIVEN_ROCKER, 3, [{4}, {2, 3}]),
        (THREE_DYADS, 3, [{2}, {3, 4}, {5, 6}, {7, 8}]),
        (spatial(1), 6, [{2}, {3, 4}, {5, 6}]),
        (spatial(0), 6, None),  # rods that spin are not determined
    ],
)
def test_the_structural_groups_of_the_linkages(
    pairs: list[Pair], per_body: int, expected: list[set[int]] | None
) -> None:
    """Sections 3.2, 4.1 and 4.2: which bodies are solved together, and in which order."""
    assert groups(pairs, per_body) == expected


def test_e003_21_three_sliders_are_no_dyad() -> None:
    """L77 lists PPP; (14) counts it, and its two bodies cannot turn, so that a row is lost."""
    h = [np.array([cos(a), sin(a)]) for a in (0.3, 1.1, 2.0)]
    across = np.array([-h[2][1], h[2][0]])
    closure = np.array([[across @ h[0], across @ h[1]]])  # on the two slides; turns hold anyway
    assert np.linalg.matrix_rank(closure) < closure.shape[1]


# -- the groups of both linkages, equations (48) and (50) ----------------------------------------

R, L, TH = 2.0, 6.0, 0.8
V1, V3 = np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
V6: Final = np.array([cos(0.5), 0, sin(0.5)])
TIP: Final = R * np.array([cos(TH), sin(TH), 0])
PIVOT: Final = np.array([6.0, 0])


def crank_1r(x: Array) -> Array:
    """Return the rows (48a) of the unknowns B."""
    return np.array([x @ x - R**2, x[0] - R * cos(TH), x[1] - R * sin(TH)])


def dyad_3r(x: Array) -> Array:
    """Return the rows (48b) of the unknowns C."""
    b = TIP[:2]
    return np.array([(x - b) @ (x - b) - L**2, (x - PIVOT) @ (x - PIVOT) - L**2])


def crank_1r3d(x: Array) -> Array:
    """Return the rows (50a) of the unknowns B and V2, the angle right-handed."""
    p, v = x[:3], x[3:]
    rows = [p @ p - R**2, v @ v - 1, p @ V1, p @ v, V1 @ v, p @ V3 - R * cos(TH)]
    return np.array([*rows, *(np.cross(V3, p) - R * V1 * sin(TH))])


def rod_2e1p(y: Array) -> Array:
    """Return the rows (50b), those that are damaged restored, of C, V4 in x and y, and V5."""
    p, a, w = y[:3], np.array([y[3], y[4], FROZEN]), y[5:]
    d = TIP - p
    rows = [d @ d - L**2, a @ a - 1, w @ w - 1, d @ a, d @ w, a @ w]
    return np.array([*rows, *np.cross(p, V6)])


def rod_pose() -> Array:
    """Return the place C of the slider and the vectors V4 and V5 of its rod."""
    s = TIP @ V6 + np.sqrt((TIP @ V6) ** 2 + L**2 - R**2)
    e = (TIP - s * V6) / L
    v4 = np.cross(e, V1) / np.linalg.norm(np.cross(e, V1))
    return np.concatenate([s * V6, v4, np.cross(e, v4)])


def upper() -> Array:
    """Return the place C of the dyad: an equal-legged triangle over B and D."""
    half = (PIVOT - TIP[:2]) / 2
    height = np.sqrt(L**2 - half @ half) / np.linalg.norm(half)
    return np.asarray(TIP[:2] + half + height * np.array([-half[1], half[0]]))


FROZEN: Final = float(rod_pose()[5])
GROUPS: Final = {
    "1R": (crank_1r, TIP[:2]),
    "3R": (dyad_3r, upper()),
    "1R3D": (crank_1r3d, np.concatenate([TIP, np.cross(V1, TIP) / R])),
    "2E1P": (rod_2e1p, np.delete(rod_pose(), 5)),
}


def jacobian(name: str) -> Array:
    """Return the slopes of the rows of a group by its unknowns."""
    rows, x = GROUPS[name]
    return np.array([slope(rows, x, k) for k in range(len(x))]).T


@pytest.mark.parametrize(
    ("name", "shape"), [("1R", (3, 2)), ("3R", (2, 2)), ("1R3D", (9, 6)), ("2E1P", (9, 8))]
)
def test_the_groups_have_the_sizes_of_the_paper_and_full_rank(
    name: str, shape: tuple[int, int]
) -> None:
    """Sizes of the Jacobians as printed in sections 4.1, 4.2 and 5.2."""
    rows, x = GROUPS[name]
    assert rows(x) == pytest.approx(np.zeros(shape[0]), abs=1e-12)
    J = jacobian(name)
    assert J.shape == shape
    assert np.linalg.matrix_rank(J, 1e-6) == shape[1]


@pytest.mark.parametrize("k", [1, 10, 100])
def test_e003_16_n_eq_counts_unknowns_not_equations(k: int) -> None:
    """n_eq = 2 k + 2 and 8 k + 6 are called equations; rows are 2 k + 3 and 9 k + 9."""
    rows, unknowns = np.array([jacobian(x).shape for x in ("1R", "3R", "1R3D", "2E1P")]).T
    assert (unknowns[0] + k * unknowns[1], unknowns[2] + k * unknowns[3]) == (2 * k + 2, 8 * k + 6)
    assert (rows[0] + k * rows[1], rows[2] + k * rows[3]) == (2 * k + 3, 9 * k + 9)


def test_equation_50a_turns_the_crank_the_other_way() -> None:
    """With r_BA = r_B - r_A, r_BA x V3 = L V1 sin(th) moves B from V3 towards V3 x V1."""
    assert np.cross(V3, TIP) == pytest.approx(R * V1 * sin(TH))
    assert np.cross(TIP, V3) == pytest.approx(-R * V1 * sin(TH))


# -- printed numbers -----------------------------------------------------------------------------

TABLE_3: Final = """
22 0.746 0.976 0.016 0.035 61.0 27.9 2.18
42 2.171 1.823 0.049 0.112 37.2 16.3 2.28
62 4.198 2.509 0.087 0.205 28.8 12.2 2.35
82 7.059 3.124 0.119 0.269 26.3 11.6 2.26
102 11.036 4.502 0.156 0.348 28.9 12.9 2.23
122 16.696 5.108 0.180 0.416 28.4 12.3 2.31
142 24.694 6.021 0.205 0.475 29.4 12.7 2.31
162 33.221 6.814 0.252 0.563 27.0 12.1 2.23
182 44.466 7.981 0.284 0.642 28.1 12.4 2.26
202 57.139 8.715 0.317 0.718 27.5 12.1 2.26
"""


def test_e003_12_the_speed_of_the_crank_has_three_values() -> None:
    """34.96 rad/s in section 5.1, 34.9 in table 4; 10 degrees in a step are 34.9066 rad/s."""
    step = 0.005
    assert radians(10) / step == pytest.approx(34.9066, abs=5e-5)
    assert degrees(34.96 * step) == pytest.approx(10.0153, abs=5e-5)
    assert degrees(34.9 * step) == pytest.approx(9.9981, abs=5e-5)
    assert pi / 2 + 34.9 * step == pytest.approx(1.7453, abs=5e-5)


def test_table_3_has_the_ratios_of_its_times() -> None:
    for line in TABLE_3.split("\n")[1:-1]:
        _, _, sparse, td, tensor, *ratios = (float(x) for x in line.split())
        assert sparse / td == pytest.approx(ratios[0], abs=0.06)
        assert sparse / tensor == pytest.approx(ratios[1], abs=0.06)
        assert tensor / td == pytest.approx(ratios[2], abs=0.03)


def test_e003_15_the_ranges_of_the_text_are_not_the_extremes_of_the_tables() -> None:
    """The text says 61.0 to 27.0 and 0.121 to 0.339; the tables have 26.3 and 0.119."""
    ratios = [float(line.split()[5]) for line in TABLE_3.split("\n")[1:-1]]
    assert (max(ratios), min(ratios)) == (61.0, 26.3)
    third_order = [0.121, 0.119, 0.125, 0.131, 0.136, 0.138, 0.142, 0.147, 0.152, 0.150, 0.156]
    assert min(third_order) == 0.119  # of table 4, at the lowest speed


def test_e003_14_table_5_is_in_seconds() -> None:
    """Table 5 says ms; its totals are the seconds of table 4, and its rows add up."""
    for total, parts in (
        (54.629, (42.431, 9.640, 1.451, 1.107)),
        (14.742, (13.931, 0.249, 0.499, 0.063)),
        (161.045, (13.853, 9.781, 130.170, 7.241)),
    ):
        assert sum(parts) == pytest.approx(total, abs=1e-9)
    sparse, by_td, by_tensor = 54.629, 3.706, 0.339  # the last row of table 4, 34.9 rad/s
    assert sparse / by_td == pytest.approx(14.742, abs=0.005)
    assert sparse / by_tensor == pytest.approx(161.045, abs=0.3)
