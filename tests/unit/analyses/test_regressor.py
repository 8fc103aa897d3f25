"""Inverse dynamics that is linear in the inertial parameters: against other forms, and in code."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from mbx.analyses.regressor.regressor_analysis import regressor
from mbx.numerics.execute.execute import run
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.formalism.equations import Equations

_TREES: Final = (
    *("arm_6_axis", "arm_7_axis", "cart_pole", "double_pendulum", "dual_spin_satellite"),
    *("furuta_pendulum", "heavy_top_quaternion", "pipelayer", "rp_chain", "torsion_shaft_train"),
)
_CLOSED: Final = (
    *("andrews_squeezer", "bennett_linkage", "cardan_shaft", "five_bar_joints", "four_bar"),
    *("parallelogram", "rrr_platform", "rssr_linkage", "slider_crank", "oldham_coupling"),
    *("chaplygin_sleigh", "nonlinear_nonholonomic", "rolling_disc", "whipple_bicycle"),
)


@cache
def _found(name: str) -> Equations:
    return regressor(f"lib:{name}")


@cache
def numbers(name: str, count: int = 5) -> tuple[Equations, dict[str, Any], dict[str, Any]]:
    """Return a regressor of the library at consistent states: it, its results, and M ud - h.

    Accelerations are random ones that the invariants allow.
    """
    system = mbx.elaborate(f"lib:{name}")
    found = _found(name)
    other = mbx.derive(system, "kane" if name != "nonlinear_nonholonomic" else "jourdain")
    rng = np.random.default_rng(7)
    manifold = Manifold(system, draw_values(system, rng))
    points = draw(manifold, rng, count).points
    assert len(points) == count
    A, b = manifold.at(points, "A", "b")
    ud = rng.standard_normal((count, len(system.u), 1))
    if A.shape[1]:
        ud = ud - np.linalg.pinv(A, rcond=1e-10) @ (A @ ud + b)
    higher = {one.path: ud[:, k, 0] for k, one in enumerate(found.signature.higher)}
    values = manifold.values.at(found, points, higher)
    outcome = run(found, values)
    own = {key: np.asarray(outcome.matrix(step)) for key, step in found.results.items()}
    labels = found.step("B").column_labels if "B" in own else ()
    of = {one.path: values[one.symbol] for one in found.signature.inputs}
    if labels:
        own["v"] = np.stack([np.broadcast_to(of[path], count) for path in labels], 1)[:, :, None]
    given = run(other, manifold.values.at(other, points))
    M, h = (np.asarray(given.matrix(other.results[key])) for key in ("M", "h"))
    size = np.abs(M) @ np.abs(ud) + np.abs(h)
    return found, own, {"tau": M @ ud - h, "size": size.max(axis=(1, 2), keepdims=True)}


@pytest.mark.parametrize("name", [*_TREES, *_CLOSED])
def test_forces_of_the_motion_are_those_of_another_form(name: str) -> None:
    _, own, other = numbers(name)
    tau = own["Y"] @ own["pi"] + own["tau0"]
    assert np.array_equal(tau, own["tau"])
    if "B" in own:
        tau = tau - own["B"] @ own["v"]
    size = np.maximum(other["size"], 1e-300)
    assert (np.abs(tau - other["tau"]) / size).max() < 1e-12


@pytest.mark.parametrize("name", [*_TREES, *_CLOSED])
def test_base_parameters_give_the_same_forces_as_all_parameters(name: str) -> None:
    found, own, _ = numbers(name)
    Y = own.get("YZ", own["Y"])
    expected, given = Y @ own["pi"], own["Yb"] @ own["beta"]
    size = np.abs(Y) @ np.abs(own["pi"])
    # consistent states of closed loops are found to about 1e-10
    within = 1e-12 if "YZ" not in own else 1e-9
    assert np.abs(expected - given).max() <= within * size.max()
    rows = own["Yb"].reshape(-1, own["Yb"].shape[2])
    more = numbers(name, 40)[1]["Yb"].reshape(-1, rows.shape[1])
    scaled = more / np.linalg.norm(more, axis=0)
    assert np.linalg.svd(scaled, compute_uv=False)[-1] > 1e-8, "no column follows from the others"
    assert len(found.step("beta").row_labels) == rows.shape[1]


@pytest.mark.parametrize("name", _CLOSED)
def test_forces_on_the_independent_speeds_are_without_multipliers(name: str) -> None:
    found, own, _ = numbers(name)
    independent = own["Z"].shape[2]
    assert np.abs(own["A"] @ own["Z"]).max() < 1e-9 * max(np.abs(own["A"]).max(), 1)
    rows = found.step("Z").indices
    assert rows is not None
    assert len(rows) == independent
    assert np.allclose(own["Z"][:, list(rows)], np.eye(independent), atol=1e-12)
    across = np.swapaxes(own["Z"], 1, 2)
    assert np.allclose(own["YZ"], across @ own["Y"], rtol=1e-12, atol=1e-12)
    assert np.allclose(own["tauZ"], across @ own["tau"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "rates", "torques"),
    [  # Pinocchio 4.1.0 (rnea) and MuJoCo 4.0.0 (mj_inverse), benchmarks/agreed
        (
            "arm_6_axis",
            (-1.0, 2.0, 0.5, -1.5, 0.8, 1.2),
            (
                *(-4.49284653072, -35.256085918, -12.2964851076),
                *(0.246929916712, 0.474310235651, 0.0392229309522),
            ),
        ),
        (
            "arm_7_axis",
            (1.0, -0.8, 1.2, 0.6, -1.4, 2.0, -0.5),
            (
                *(4.51368283295, -74.7480895021, -6.40883867664, 31.5416633894),
                *(-1.08551653465, -0.918650532822, -0.00543441463777),
            ),
        ),
    ],
)
def test_torques_of_arms_are_those_of_other_engines(
    name: str, rates: tuple[float, ...], torques: tuple[float, ...]
) -> None:
    system, found = mbx.elaborate(f"lib:{name}"), _found(name)
    state = dict(system.states["sample"])
    state |= {one.path: x for one, x in zip(found.signature.higher, rates, strict=True)}
    known = {one.path for one in (*system.q, *system.u)}
    state = {k: v for k, v in state.items() if k in known or k.endswith("''")}
    assert found.evaluate(state).tau == pytest.approx(torques, rel=1e-9)


def test_entries_are_those_of_the_double_pendulum_in_textbooks() -> None:
    found = regressor("lib:double_pendulum")
    state = {"phi1": 0.3, "phi2": -0.4, "phi1'": 0.7, "phi2'": -1.1, "phi1''": 2.0, "phi2''": 0.5}
    l1, l2, g = 0.8, 0.5, 9.81
    d = 0.3 - -0.4
    at = found.evaluate(state)
    first = l1 * l1 * 2.0 + g * l1 * np.sin(0.3)
    both = l1 * l2 * (0.5 * np.cos(d) + 1.1**2 * np.sin(d))
    second = l2 * l2 * 0.5 + l1 * l2 * (2.0 * np.cos(d) - 0.7**2 * np.sin(d))
    expected = [[first, first + both], [0, second + g * l2 * np.sin(-0.4)]]
    assert pytest.approx(np.array(expected), rel=1e-14) == at.Y
    assert at["pi"] == pytest.approx([2.0, 1.0])


def test_springs_dampers_and_inputs_are_in_the_remainder_and_beside_it() -> None:
    found = _found("cart_pole")
    state = {"x": 0.5, "theta": 0.2, "x'": 2.0, "theta'": 3.0, "x''": 0.0, "theta''": 0.0}
    at = found.evaluate(state)
    # tether k (r - reach) from reach below, c x', ct theta' + kappa sin(theta)
    expected = [20 * 0.5 + 0.5 * 2.0, 0.002 * 3.0 + 0.3 * np.sin(0.2)]
    assert at.tau0 == pytest.approx(expected, rel=1e-12)
    assert found.evaluate(state, inputs={"u": 5.0}).tau0 == pytest.approx(expected, rel=1e-12)
    assert at.B.tolist() == [1.0, 0.0]
    assert at.B.tolist() == found.evaluate({**state, "theta": 1.0}).B.tolist()


_LOADED: Final = """mbx 1
model Loaded {{
  coordinate x: m
  input u: N = 3, w: N = 5
  particle p {{ mass 1 kg  at [x, 0, 0] }}
  load f: on x': {load}
}}
"""


def test_forces_of_inputs_are_a_matrix_where_loads_are_affine_in_these() -> None:
    state = {"x": 0.5, "x'": 0.0, "x''": 0.0}
    affine = regressor(_LOADED.format(load="u*x/(1 m) - 2*w + 7 N"))
    at = affine.evaluate(state)
    assert affine.step("B").column_labels == ("u", "w")
    assert at.B.tolist() == [[0.5, -2.0]]
    assert at.tau0.tolist() == [-7.0]
    other = regressor(_LOADED.format(load="u^2/(1 N) + w"))
    assert "B" not in other.results
    assert other.evaluate(state).tau0.tolist() == [-14.0]
    assert other.notes[-1] == "loads are not affine in the inputs, which tau0 has: u, w"


def test_inertial_parameters_take_other_values_than_the_model_gives() -> None:
    found = _found("cart_pole")
    state = {"x": 0.5, "theta": 0.2, "x'": 2.0, "theta'": 3.0, "x''": 1.0, "theta''": -1.0}
    before, after = found.evaluate(state), found.evaluate(state, {"pole.Izz": 7.0})
    k = found.step("pi").row_labels.index("pole.Izz")
    assert after["pi"][k] == 7.0
    assert after.Y.tolist() == before.Y.tolist()
    assert after.tau - before.tau == pytest.approx([0.0, -(7.0 - before["pi"][k])])


_BODY: Final = """mbx 1
model Free {
  coordinate x: m, y: m, z: m, a: rad, b: rad, c: rad
  param m: kg = 2, g: m/s^2 = 9.81
  body link {
    mass m
    com [0.1 m, -0.2 m, 0.3 m]
    inertia tensor(0.5 [kg*m^2], 0.6 [kg*m^2], 0.7 [kg*m^2], 0.01 [kg*m^2], 0.02 [kg*m^2],
        0.03 [kg*m^2])
    frame ground at [x, y, z] rotated z by a rotated x by b rotated z by c
  }
  gravity [0, 0, -g]
}
"""


def test_a_free_body_has_ten_parameters_about_its_origin() -> None:
    found = regressor(_BODY)
    names = ["m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    assert list(found.step("pi").row_labels) == [f"link.{name}" for name in names]
    state = dict.fromkeys((one.path for one in (*found.signature.q, *found.signature.u)), 0.0)
    state |= dict.fromkeys((one.path for one in found.signature.higher), 0.0)
    c = np.array([0.1, -0.2, 0.3])
    inertia = np.array([[0.5, 0.01, 0.02], [0.01, 0.6, 0.03], [0.02, 0.03, 0.7]])
    about = inertia + 2 * (c @ c * np.eye(3) - np.outer(c, c))
    pi = found.evaluate({**state, "b": 1.0})["pi"]
    assert pi[:4] == pytest.approx([2.0, *(2 * c)])
    order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    assert pi[4:] == pytest.approx([about[i, j] for i, j in order])
    assert len(found.step("beta").row_labels) == 10


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bead_with_friction", "a load that names a reaction (friction)"),
        ("programme_order_3", "an invariant of order 3 or more (programme)"),
        ("oblique_inerter", "a declared variable of order 2 or more (a)"),
    ],
)
def test_a_model_of_another_form_is_refused_with_the_element(name: str, reason: str) -> None:
    with pytest.raises(mbx.NotApplicableError) as refused:
        regressor(f"lib:{name}")
    assert refused.value.reasons[0] == reason


def test_a_model_without_inertia_is_refused() -> None:
    text = "mbx 1\nmodel M { coordinate x: m\n load f: on x': -x * 1 [N/m]\n }\n"
    with pytest.raises(mbx.NotApplicableError) as refused:
        regressor(text)
    assert refused.value.reasons == ("no mass and no inertia has an effect on the motion",)


# -- in other forms --------------------------------------------------------------------------


def _arguments(found: Equations) -> dict[str, Any]:
    """Return arguments at a consistent state."""
    system = mbx.elaborate("lib:" + {"FourBar": "four_bar", "CartPole": "cart_pole"}[found.model])
    rng = np.random.default_rng(3)
    points = draw(Manifold(system, draw_values(system, rng)), rng, 1).points
    more = {k: rng.uniform(0.2, 0.8, len(getattr(found.signature, k))) for k in _MORE}
    return {"q": points.q[0], "u": points.u[0], **more}


_MORE: Final = ("higher", "inputs")


def _expected(found: Equations, given: dict[str, Any]) -> Any:
    signature = found.signature
    state = {
        one.path: x
        for group in ("q", "u", "higher")
        for one, x in zip(getattr(signature, group), given[group], strict=True)
    }
    inputs = {one.path: x for one, x in zip(signature.inputs, given["inputs"], strict=True)}
    return found.evaluate(state, inputs=inputs)


@pytest.mark.parametrize("name", ["cart_pole", "four_bar"])
def test_a_module_on_numpy_gives_the_same(name: str) -> None:
    found = _found(name)
    given = _arguments(found)
    module: dict[str, Any] = {"__name__": "written"}
    exec(mbx.write(found, "numpy"), module)  # noqa: S102  code of our own making
    assert "rates" not in module
    got = module["results"](0.0, given["q"], given["u"], given["higher"], given["inputs"])
    expected = _expected(found, given)
    for key in found.results:
        assert np.ravel(got[key]) == pytest.approx(np.ravel(expected[key]), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", ["cart_pole", "four_bar"])
def test_a_source_in_c_gives_the_same(name: str, tmp_path: Path) -> None:
    found = _found(name)
    given = _arguments(found)
    files = mbx.write(found, "c").files
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    stem = next(iter(files)).removesuffix(".h")
    arrays = "".join(
        f"static const double {k}[] = {{{', '.join(map(repr, x.tolist())) or '0'}}};\n"
        for k, x in given.items()
    )
    (tmp_path / "main.c").write_text(
        f'#include "{stem}.h"\n#include <stdio.h>\n{arrays}'
        f"int main(void) {{ static double in[99], p[99], out[{stem.upper()}_RESULTS_SIZE];\n"
        f"{stem}_defaults(in, p);\n"
        f"int status = {stem}_results(0, q, u, higher, inputs, p, out);\n"
        f'for (int k = 0; k < {stem.upper()}_RESULTS_SIZE; ++k) printf("%.17g\\n", out[k]);\n'
        "return status; }\n"
    )
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "main.c", f"{stem}.c", "-lm"]
    subprocess.run([*command, "-o", "run"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "run"], capture_output=True, text=True, check=True).stdout
    expected = _expected(found, given)
    flat = np.concatenate([np.ravel(expected[key]) for key in found.results])
    assert np.array(printed.split(), dtype=float) == pytest.approx(flat, rel=1e-11, abs=1e-12)


def test_saved_equations_are_read_again_and_written_in_other_formats() -> None:
    found = _found("four_bar")
    again = mbx.Equations.loads(str(mbx.write(found, "json")))
    given = _arguments(found)
    for key in found.results:
        assert np.array_equal(_expected(again, given)[key], _expected(found, given)[key])
    for target in ("text", "latex", "latex_fragment", "markdown", "html", "sympy", "c"):
        assert mbx.write(again, target) == mbx.write(found, target)


@pytest.mark.parametrize("target", ["casadi", "jax", "julia", "matlab", "modelica"])
def test_a_format_of_motion_refuses_equations_without_accelerations(target: str) -> None:
    with pytest.raises(mbx.MbxError, match=r"^it gives no accelerations$"):
        mbx.write(_found("cart_pole"), target)
