"""The modular recursion of the first order, against the derivative of the whole equations."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx import api
from mbx.analyses.about import place_of
from mbx.analyses.asked import Asked, plan_of
from mbx.analyses.linearize import How, Linear, linearize
from mbx.analyses.residual import Residual
from mbx.assembly.manifold import Manifold, Values
from mbx.experiments.observe import Place
from mbx.experiments.plan import NotRunError, Plan
from mbx.library.folders import cases, root
from mbx.verify.sample import draw

CLOSE = 1e-10
"""As the thesis's method must equal the plain one."""
REFUSED = {
    "nonlinear_nonholonomic": "no solution next to it",  # at rest its invariant has no gradient
    "programme_order_3": "order 3",
    "single_track_car": "no value at the state",  # slip angles at rest
}
"""Models that cannot be linearised where they start, and why."""
MODULAR = How(method="modular")
FRICTION = "slider_crank_3d_friction"
FEW = ["whipple_bicycle", "four_bar", "bennett_linkage", "ring_and_disc", "five_bar_motors"]


def planned(model: str) -> Plan:
    linked = api.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, api.system(linked), Asked())


def moving(plan: Plan) -> Place:
    """Return a random consistent state in motion."""
    points = draw(Manifold(plan.system, Values()), np.random.default_rng(1), 1).points
    paths = [v.path for v in (*plan.system.q, *plan.system.u)]
    state = dict(zip(paths, [*points.q[0].tolist(), *points.u[0].tolist()], strict=True))
    return Place(state, t=float(points.t[0]))


def difference(first: Linear, second: Linear) -> float:
    assert first.x == second.x
    A, B = (np.hstack([one.A, one.B]) for one in (first, second))
    return float(np.abs(A - B).max() / max(1.0, np.abs(A).max()))


@pytest.mark.parametrize("model", FEW)
def test_both_methods_agree_at_a_state_in_motion(model: str) -> None:
    plan = planned(model)
    residual, at = Residual(plan.system), moving(plan)
    assert difference(linearize(residual, at), linearize(residual, at, MODULAR)) < CLOSE


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [one.name for one in cases() if one.name not in {*REFUSED, FRICTION}]
)
def test_both_methods_agree_where_models_of_the_library_start(model: str) -> None:
    plan = planned(model)
    residual, at = Residual(plan.system), place_of(plan, "start")
    assert difference(linearize(residual, at), linearize(residual, at, MODULAR)) < CLOSE


@pytest.mark.parametrize("model", REFUSED)
def test_models_that_cannot_be_linearised_where_they_start_say_why(model: str) -> None:
    plan = planned(model)
    with pytest.raises(NotRunError, match=REFUSED[model]):
        linearize(Residual(plan.system), place_of(plan, "start"))


def test_loads_that_depend_on_reactions_are_linearised_by_the_plain_method_alone() -> None:
    plan = planned(FRICTION)
    residual, at = Residual(plan.system), moving(plan)
    assert np.isfinite(linearize(residual, at).A).all()
    with pytest.raises(NotRunError, match="depends on a reaction"):
        linearize(residual, at, MODULAR)


def tricycle() -> str:
    """Return the tricycle with the rows of the thesis, too many of them off the reference."""
    text = (root() / "tricycle" / "model.mb").read_text(encoding="utf-8")
    text = text[: text.index("experiment ")]
    for name, rows in {
        "upper: dot(gapR, KR.K.z) = dot(gapL, KL.K.z)": (
            "upperR_z: dot(gapR, KR.K.z) = 0",
            "upperL_z: dot(gapL, KL.K.z) = 0",
        ),
        "front: dot(KR.slip, KR.sideways) + dot(KL.slip, KL.sideways) = 0": (
            "frontR: dot(KR.slip, KR.sideways) = 0",
            "frontL: dot(KL.slip, KL.sideways) = 0",
        ),
    }.items():
        assert name in text
        text = text.replace(name, f"{rows[0]}\n  invariant {rows[1]}")
    return text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("speed", "eigenvalues"),
    [
        (0.0, [-4.256186920676456, -3.0337973884028386, 3.0337973884028404, 4.256186920676456]),
        (3.0, [-8.699912127316898, -2.168835392185936, complex(0.829556399398543, 1.80466057659)]),
        (5.0, [-12.195325575866908, complex(-1.72747022498682, 4.63019529523), 0.300874824664]),
    ],
)
def test_the_tricycle_of_the_thesis_is_met_by_least_squares_alone(
    speed: float, eigenvalues: list[complex]
) -> None:
    """Section 5.2, its geometry mended.

    Least squares depend on how rows are written, and the thesis has the wheels as subsystems
    with rows of their own, so that figures agree to parts in a hundred and no more.
    """
    asked = Asked(initial={"A.x'": speed, "A.delta'": 0.0, "A.phi'": 0.0})
    document = mbx.loads(tricycle())
    with pytest.raises(NotRunError, match="contradict each other next to the state"):
        mbx.linearize(document, at="start", asked=asked)
    found = mbx.linearize(document, at="start", method="modular", asked=asked)
    for value in eigenvalues:
        assert min(abs(found.eigenvalues - value)) < 0.01 * abs(value)


def test_example_4_7_of_the_thesis_follows_from_the_recursion() -> None:
    plan = planned("ring_and_disc")
    found = linearize(Residual(plan.system), place_of(plan, "steady"), MODULAR)
    assert found.modes[-1].frequency == pytest.approx(2.6329650833335783, rel=1e-12)
