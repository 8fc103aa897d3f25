"""The text of equations, read again and computed, gives what the equations give.

Only the order of labelled rows and the sizes of blocks come from the program.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.base.errors import NotApplicableError
from mbx.codegen.notation.display import display
from mbx.codegen.targets import text as text_target
from mbx.numerics.execute.evaluate_equations import values_of
from shown import Matrix, Reader, results_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.notation.algebra_lines import Line
    from mbx.formalism.equations import Equations

LIBRARY: Final = Path(__file__).parents[3] / "library"
FORMS: Final = (
    "articulated_body",
    "boltzmann_hamel",
    "composite_body",
    "gauss",
    "gibbs_appell",
    "hamilton",
    "jourdain",
    "kane",
    "lagrange",
    "maggi",
    "modular",
    "newton_euler",
    "nielsen",
    "recursive_newton_euler",
    "rfda",
    "semi_recursive_1",
    "semi_recursive_2",
    "semi_recursive_2:augmented",
    "tzenoff",
    "udwadia_kalaba:positive",
    "udwadia_kalaba:singular",
    "udwadia_kalaba:augmented",
)
LEAST: Final = 2  # forms that apply to each of the models
MODELS: Final = (
    "simple_pendulum",
    "cart_pole",
    "n_pendulum",
    "heavy_top",
    "rolling_disc",
    "four_bar",
    "chaplygin_sleigh",
    "spherical_pendulum_angles",
    "spherical_pendulum_cartesian",
    "spherical_pendulum_quasivelocity",
    "nonlinear_nonholonomic",  # roots
    "tricycle_wheel",
    "ring_and_disc",  # independent speeds
    "slider_crank_3d_friction",  # an implicit step, subsystems
    "heavy_top_quaternion",  # many named parts
)
SLOW: Final = {
    "slider_crank_3d_friction": ("gibbs_appell", "modular", "udwadia_kalaba:positive"),
    "heavy_top_quaternion": ("kane", "newton_euler"),
}
"""Models of which not all forms are read."""


def labels_of(lines: Sequence[Line]) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    found: dict[str, tuple[Sequence[str], Sequence[str]]] = {}
    for line in lines:
        step = line.step
        found |= labels_of(line.inner)
        if step.op == "define":
            n, m = len(step.entries), len(step.entries[0])
            rows = step.row_labels or [str(k + 1) for k in range(n)]
            columns = step.column_labels or [str(k + 1) for k in range(m)]
            assert len(set(rows)) == n, f"rows of {step.name} have one name"
            assert len(set(columns)) == m, f"columns of {step.name} have one name"
            found[step.name] = rows, columns
    return found


def state_of(equations: Equations, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    s = equations.signature
    return {one.path: rng.uniform(0.3, 0.9) for one in (*s.q, *s.u, *s.higher)}


def values(equations: Equations, state: Mapping[str, float]) -> dict[str, float]:
    s = equations.signature
    found = values_of(equations, state)
    groups = (s.q, s.u, s.higher, s.inputs, s.parameters, s.derived)
    return {"t": 0.0} | {one.path: float(found[one.symbol]) for g in groups for one in g}


def compare(equations: Equations, seed: int = 1) -> None:
    """Assert that the text gives what the equations give at a state."""
    state = state_of(equations, seed)
    computed = equations.evaluate(state)
    assert computed.status == "regular"
    shown = display(equations)
    matrices = {s.name: computed.outcome.at(s.name, 0) for s in equations.steps}
    reader = Reader(
        values(equations, state),
        labels_of(shown.lines),
        {shown.names[name]: m.shape for name, m in matrices.items() if name in shown.names},
        {shown.names[s.name]: matrices[s.name] for s in equations.steps if s.op == "implicit"},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_target, "display", lambda _: shown)  # it takes a while
        text = mbx.write(equations)
    reader.read(text.partition("\nEquations\n")[2].partition("\n\nResults\n")[0].split("\n"), 2)
    said = dict(results_of(text, reader.matrices))
    # qd is left out where the rates are speeds, or are shown as rates
    assert said.keys() == shown.equations.results.keys() >= equations.results.keys() - {"qd"}
    for key, value in said.items():
        if key != "X" and not key.startswith("open:"):  # not unique; reactions say what is
            path = key.removeprefix("reaction:")
            close(key, value, computed.reactions[path] if path != key else computed[key])


def close(key: str, value: Matrix, true: Matrix) -> None:
    if isinstance(value, int):
        value = value * np.eye(*true.shape) if true.ndim > 1 else np.zeros(true.shape)
    sure = ~np.isnan(true)
    size = max(1.0, np.abs(true[sure]).max(initial=0.0))
    off = np.abs(value.reshape(true.shape) - true)[sure]
    assert off.max(initial=0.0) <= 1e-8 * size, f"{key}: {value} is not {true}"


@pytest.mark.sample(3, "cart_pole")
@pytest.mark.parametrize("model", MODELS)
def test_what_is_shown_is_computed(model: str) -> None:
    text = (LIBRARY / model / "model.mb").read_text(encoding="utf-8").partition("\nexperiment ")[0]
    system = mbx.elaborate(mbx.loads(text.replace("param n: integer = 4", "param n: integer = 2")))
    applied = 0
    for form in SLOW.get(model, FORMS):
        try:
            equations = mbx.derive(system, form)
        except NotApplicableError:
            continue
        applied += 1
        compare(equations)
    assert applied >= LEAST


HOSTILE: Final = """mbx 1

model Hostile {
  param M: kg = 1
  param h: m = 2
  param A: kg*m^2 = 1
  param A_: m = 1
  param ud: m/s^2 = 9.81
  param E: m = 0.5
  param I: kg = 3
  param pi2: kg = 2
  param x: m = 1
  param K: N*m = 1
  param k: N/m = 1
  param b: m = 1
  param z1: m = 1
  param zz[1..2]: m = 1.5
  coordinate C: rad = 0.3
  coordinate Q: m = 0.1
  let far = if C > 0.2 and not (C > 0.5 or C < -0.5) then sin(C)^3 else abs(C)
  invariant inv: x*sin(C) + Q = 0
  particle P { mass I + pi2  at [Q, h*cos(C) + b, E*sin(C) + z1 + zz[1]*far - zz[2]/far] }
  body B { mass M  inertia A about x  joint revolute(ground, axis = x, angle = C) }
  load L: on C': -K*atan2(far, sqrt(2 + C^2))/(1 + exp(-far))^(3/2) + max(C, 0.1)*K
  load R: on Q': -k*abs(Q)*sign(Q)*min(C, 0.2)*(if C <= 0.4 then 1 else 1e-05)
  gravity [0, 0, -ud]
}
"""


# Newton's and Euler's equations refuse a load on Q', which is no coordinate of a joint
@pytest.mark.sample(6)
@pytest.mark.parametrize("form", [form for form in FORMS if form != "newton_euler"])
def test_names_of_matrices_and_choices_do_not_confuse(form: str) -> None:
    equations = mbx.convert(mbx.loads(HOSTILE), form)
    for seed in (1, 2):  # on both sides of the choices
        compare(equations, seed)


def test_names_inside_of_an_implicit_step_are_not_those_of_symbols() -> None:
    text = (LIBRARY / "slider_crank_3d_friction" / "model.mb").read_text(encoding="utf-8")
    renamed = re.sub(r"(?<!\\)\bmu\b", "y_open", re.sub(r"\bl1\b", "uds", text))
    assert renamed.count("uds") > 1
    equations = mbx.convert(mbx.loads(renamed), "gibbs_appell")
    assert "find y = [ystar; zstar] with y_open_ = 0, where" in mbx.write(equations)
    compare(equations)
