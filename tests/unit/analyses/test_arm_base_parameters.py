"""Base parameters of arms: their number in the literature, and what they are composed of.

Arms are given by the parameters of W. Khalil and J. F. Kleinfinger (1986): of each joint its kind,
the angle alpha and the distance d before it, and the offset r along its axis. Base inertial
parameters of serial arms by direct rules are those of M. Gautier and W. Khalil, IEEE Trans.
Robotics and Automation 6(3), 1990, 368-373.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from mbx.analyses.regressor.regressor_analysis import regressor
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.mechanics.motion import in_speeds
from mbx.mechanics.tree.base_parameters import inertia, regrouped
from mbx.mechanics.tree.links import links

_Joint = tuple[str, float, str, str]
"""Kind, alpha in quarters of a turn, and names of d and r; "0" for none."""

_PUMA: Final[tuple[_Joint, ...]] = (
    ("R", 0, "0", "0"),
    ("R", -1, "0", "0"),
    ("R", 0, "d3", "r3"),
    ("R", -1, "d4", "r4"),
    ("R", 1, "0", "0"),
    ("R", -1, "0", "0"),
)
_STANFORD: Final[tuple[_Joint, ...]] = (
    ("R", 0, "0", "0"),
    ("R", -1, "0", "r2"),
    ("P", 1, "0", "0"),
    ("R", 0, "0", "0"),
    ("R", -1, "0", "0"),
    ("R", 1, "0", "0"),
)
_RX90: Final[tuple[_Joint, ...]] = (
    ("R", 0, "0", "0"),
    ("R", 1, "0", "0"),
    ("R", 0, "d3", "0"),
    ("R", -1, "0", "r4"),
    ("R", 1, "0", "0"),
    ("R", -1, "0", "0"),
)
_SCARA: Final[tuple[_Joint, ...]] = (
    ("R", 0, "0", "0"),
    ("R", 0, "d2", "0"),
    ("R", 0, "d3", "0"),
    ("P", 0, "0", "0"),
)
_PANDA: Final[tuple[_Joint, ...]] = (
    ("R", 0, "0", "0"),
    ("R", -1, "0", "0"),
    ("R", 1, "0", "r3"),
    ("R", 1, "d4", "0"),
    ("R", -1, "d5", "r5"),
    ("R", 1, "0", "0"),
    ("R", 1, "d7", "0"),
)


def _arm(joints: tuple[_Joint, ...], gravity: str) -> str:
    """Return an arm as a model text; each link has ten inertial parameters without values."""
    n = len(joints)
    lengths = sorted({name for _, _, *own in joints for name in own} - {"0"})
    lines = ["mbx 1", "model Arm {", "  param g: m/s^2 = 9.81"]
    lines += [f"  param {name}: m" for name in lengths]
    lines += [f"  param m[1..{n}]: kg"]
    lines += [f"  param c{k}[1..{n}]: m" for k in "xyz"]
    lines += [f"  param I{k}[1..{n}]: kg*m^2" for k in ("xx", "yy", "zz", "xy", "xz", "yz")]
    for k, (kind, quarters, d, r) in enumerate(joints, 1):
        base = "ground" if k == 1 else f"link{k - 1}"
        # r along the axis behind the turn by alpha about x
        place = {0: f"[{d}, 0, {r}]", 1: f"[{d}, -{r}, 0]", -1: f"[{d}, {r}, 0]"}[int(quarters)]
        turn = f" rotated x by {quarters}*pi/2" if quarters else ""
        how = "revolute" if kind == "R" else "prismatic"
        motion = "angle" if kind == "R" else "distance"
        to = f"{base} at {place.replace('-0', '0')}{turn}"
        lines += [
            f"  coordinate q{k}: {'rad' if kind == 'R' else 'm'}",
            f"  body link{k} {{",
            f"    mass m[{k}]",
            f"    com [cx[{k}], cy[{k}], cz[{k}]]",
            f"    inertia tensor({', '.join(f'I{e}[{k}]' for e in _ENTRIES)})",
            f"    joint {how}({to}, axis = z, {motion} = q{k})",
            "  }",
        ]
    return "\n".join([*lines, f"  gravity {gravity}", "}", ""])


_ENTRIES: Final = ("xx", "yy", "zz", "xy", "xz", "yz")
_DOWN: Final = "[0, 0, -g]"


@pytest.mark.parametrize(
    ("joints", "gravity", "count"),
    [
        # H. Mayeda, K. Yoshida, K. Osuka, IEEE Trans. Robotics and Automation 6(3), 1990, 312-321
        pytest.param(_PUMA, _DOWN, 36, id="PUMA 560"),
        # 40 in W. Khalil, E. Dombre, Modeling, Identification and Control of Robots, 2002, with
        # the inertias of four motors
        pytest.param(_RX90, _DOWN, 36, id="Stäubli RX-90"),
        # C. Gaz et al., IEEE Robotics and Automation Letters 4(4), 2019, 4147-4154
        pytest.param(_PANDA, _DOWN, 43, id="Franka Emika Panda"),
        # by the rules of Gautier and Khalil: ZZ of the first, 7 of each that turns, 4 of the one
        # that slides
        pytest.param(_STANFORD, _DOWN, 1 + 7 + 4 + 3 * 7, id="Stanford arm"),
        # likewise: axes parallel to the weight; ZZ, MX and MY of those that turn, M of the last
        pytest.param(_SCARA, _DOWN, 1 + 3 + 3 + 1, id="SCARA"),
        # likewise: ZZ, MX and MY of each link
        pytest.param(_SCARA[:1], "[0, -g, 0]", 3, id="planar 1R"),
        pytest.param(_SCARA[:2], "[0, -g, 0]", 6, id="planar 2R"),
        pytest.param(_SCARA[:3], "[0, -g, 0]", 9, id="planar 3R"),
        # without weight, ZZ alone of the first
        pytest.param(_SCARA[:2], "[0, 0, 0*g]", 4, id="planar 2R without weight"),
    ],
)
def test_the_number_of_base_parameters_is_that_of_the_literature(
    joints: tuple[_Joint, ...], gravity: str, count: int
) -> None:
    found = regressor(_arm(joints, gravity))
    assert len(found.step("beta").row_labels) == count
    assert not [note for note in found.notes if note.startswith("numbers in")]


@pytest.mark.parametrize(("name", "count"), [("arm_6_axis", 36), ("arm_7_axis", 43)])
def test_arms_of_the_library_have_as_many_as_others_with_these_axes(name: str, count: int) -> None:
    # as six axes of which the first is vertical and the second is not, and as seven
    assert len(regressor(f"lib:{name}").step("beta").row_labels) == count


def test_a_planar_arm_has_the_base_parameters_of_textbooks() -> None:
    found = regressor(_arm(_SCARA[:2], "[0, -g, 0]"))
    step = found.step("beta")
    by_name = {name: row[0] for name, row in zip(step.row_labels, step.entries, strict=True)}
    assert list(by_name) == [f"link{k}.{name}" for k in (1, 2) for name in ("mx", "my", "Izz")]
    values = {"link1.Izz": 3.0, "link1.mx": 5.0, "link2.m": 7.0, "d2": 11.0}
    # ZZ1 + d2^2 M2 and MX1 + d2 M2; all others are themselves
    for name, expected in (("link1.Izz", 3 + 121 * 7), ("link1.mx", 5 + 11 * 7)):
        node = by_name[name]
        at = {x: values[str(x.value)] for x in free_symbols([node])}
        assert evaluate([node], at) == [expected]
    for name in ("link1.my", "link2.mx", "link2.my", "link2.Izz"):
        assert by_name[name].value == name


@pytest.mark.parametrize("name", ["arm_6_axis", "arm_7_axis", "pipelayer"])
def test_base_parameters_stay_where_masses_move_from_link_to_link(name: str) -> None:
    """Check against the direct rules, which give each link's mass on its axis to the one before."""
    system = mbx.elaborate(f"lib:{name}")
    found = regressor(f"lib:{name}")
    known = {one.path for one in found.signature.parameters}
    values = {p.symbol: float(p.value.value) for p in system.parameters if p.value is not None}
    tree = links(in_speeds(system))
    moved: dict[str, float] = {}
    for link, mass in zip(tree.links, regrouped(tree), strict=True):
        flat = [x for row in inertia(mass) for x in row]
        J = np.array(evaluate(flat, values), dtype=float).reshape(3, 3)
        h = evaluate(list(mass.h), values)
        moved |= {f"{link.path}.m": float(evaluate([mass.m], values)[0])}
        moved |= {f"{link.path}.m{k}": float(x) for k, x in zip("xyz", h, strict=True)}
        entries = ((k, "xyz".index(k[0]), "xyz".index(k[1])) for k in _ENTRIES)
        moved |= {f"{link.path}.I{k}": float(J[i, j]) for k, i, j in entries}
    state = dict.fromkeys((one.path for one in (*found.signature.q, *found.signature.u)), 0.1)
    state |= dict.fromkeys((one.path for one in found.signature.higher), 0.2)
    other = {path: x for path, x in moved.items() if path in known}
    before, after = found.evaluate(state), found.evaluate(state, other)
    assert np.abs(before["pi"] - after["pi"]).max() > 0.1
    assert after["beta"] == pytest.approx(before["beta"], rel=1e-9, abs=1e-12)
    assert after["tau"] == pytest.approx(before["tau"], rel=1e-11, abs=1e-11)


def test_coefficients_of_a_loop_are_expressions_of_its_lengths() -> None:
    found = regressor("lib:four_bar")
    text = str(mbx.write(found))
    assert "crank.Izz + a^2*(coupler.m + rocker.mx/c)" in text
    assert "rocker.Izz - rocker.mx*c" in text
    assert not [note for note in found.notes if note.startswith("numbers in")]


def test_coefficients_that_are_no_such_expressions_are_numbers_with_a_note() -> None:
    found = regressor("lib:andrews_squeezer")
    (note,) = [note for note in found.notes if note.startswith("numbers in")]
    assert "K5.Izz" in note
    assert note.endswith("hold at the values of the parameters that the model gives")
