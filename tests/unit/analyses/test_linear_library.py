"""Linear systems of the library by three routes: the recursion, the derivative, a form's own.

The third is independent of the others: no slope of it is derived. A form is run in fifty digits
at two states next to the reference, which are brought onto the invariants, and its accelerations
are subtracted.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError, Plan
from mbx.analyses.experiments.observe import Place
from mbx.analyses.linearize.digit_slopes import form_slopes
from mbx.analyses.linearize.linear_system import How, Linear, linearize
from mbx.analyses.linearize.linearization_state import reference_at
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.request import Request, plan_of
from mbx.analyses.simulate.engine import chosen_form
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import draw
from representative import FOLDERS, marked

CLOSE = 1e-10
"""Part of a row, or of 1 in SI units, by which routes may differ."""
MODULAR = How(method="modular")
NOT_AT_START = {
    "nonlinear_nonholonomic": "no solution next to it",  # at rest its invariant has no gradient
    "single_track_car": "no value at the state",  # slip angles at rest
}
"""Models that cannot be linearised where they start, and why; at other states they can."""
NEVER = {
    "bead_with_friction": "depends on a reaction",  # as that of the slider-crank
    "decaying_acceleration": "order 3",  # accelerations are part of its state
    "programme_order_3": "order 3",  # likewise
    "slider_crank_3d_friction": "depends on a reaction",  # the recursion has none; `plain` can
    "swing_jerk_programme": "order 3",  # as above
}
"""Models that the recursion does not apply to, and why."""
NO_RANDOM_STATE = {"tethered_satellites"}
"""Models of which no random state is consistent to the last digits."""


def planned(model: str) -> Plan:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, mbx.elaborate(linked), Request())


def moving(plan: Plan) -> Place:
    """Return a random consistent state in motion."""
    points = draw(Manifold(plan.system, Values()), np.random.default_rng(1), 1).points
    paths = [v.path for v in (*plan.system.q, *plan.system.u)]
    state = dict(zip(paths, [*points.q[0].tolist(), *points.u[0].tolist()], strict=True))
    return Place(state, t=float(points.t[0]))


def difference(first: Linear, second: Linear) -> float:
    """Return the largest difference of A, B and rates, as part of the row that it is in."""
    assert first.x == second.x
    assert first.inputs == second.inputs
    one, other = (np.hstack([x.A, x.B, x.rates[:, None]]) for x in (first, second))
    size = np.maximum(1.0, np.abs(one).max(axis=1, keepdims=True, initial=0.0))
    return float((np.abs(one - other) / size).max(initial=0.0))


@pytest.mark.sample(4)
@pytest.mark.parametrize("model", marked(name for name in FOLDERS if name not in NEVER))
def test_the_recursion_is_the_derivative_of_the_nonlinear_equations(model: str) -> None:
    plan = planned(model)
    residual = Residual(plan.system)
    _, equations = chosen_form(plan.system)
    places = [] if model in NOT_AT_START else [reference_at(plan, "start")]
    places += [] if model in NO_RANDOM_STATE else [moving(plan)]
    for at in places:
        found = linearize(residual, at, MODULAR)
        assert not found.unmet
        assert difference(found, linearize(residual, at)) < CLOSE
        exact = How(slopes=partial(form_slopes, equations))
        assert difference(found, linearize(residual, at, exact)) < CLOSE


@pytest.mark.parametrize("model", NOT_AT_START)
def test_models_that_cannot_be_linearised_where_they_start_say_why(model: str) -> None:
    plan = planned(model)
    with pytest.raises(NotRunError, match=NOT_AT_START[model]):
        linearize(Residual(plan.system), reference_at(plan, "start"))


@pytest.mark.parametrize("model", NEVER)
def test_models_that_the_recursion_does_not_apply_to_say_why(model: str) -> None:
    plan = planned(model)
    with pytest.raises(NotRunError, match=NEVER[model]):
        linearize(Residual(plan.system), moving(plan), MODULAR)


def test_friction_that_grows_with_reactions_is_linearised_as_its_form_is() -> None:
    plan = planned("slider_crank_3d_friction")
    residual, at = Residual(plan.system), moving(plan)
    _, equations = chosen_form(plan.system)
    found = linearize(residual, at)
    exact = How(slopes=partial(form_slopes, equations))
    assert difference(found, linearize(residual, at, exact)) < CLOSE


def test_an_invariant_without_a_gradient_at_the_state_is_refused_by_the_recursion_too() -> None:
    plan = planned("nonlinear_nonholonomic")
    with pytest.raises(NotRunError, match="'cone' has no gradient at the state"):
        linearize(Residual(plan.system), reference_at(plan, "start"), MODULAR)
