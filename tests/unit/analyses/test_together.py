"""Forms as engines of the same run: agreement, chaos, and a form that is another motion."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.analyses.perform_requests import perform_together
from mbx.analyses.request import Request, plan_of
from mbx.analyses.simulate.runs import Options
from mbx.analyses.simulate.together import Together, together
from mbx.cli.main import main
from mbx.expr.build import scale

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

WILD = {"phi1": 2.5, "phi2": 2.0}
FORMS = ("kane", "lagrange", "hamilton", "articulated_body", "newton_euler")


def spoiled(equations: Equations, by: float) -> Equations:
    """Return equations in which the first force is wrong by a factor."""
    (h,) = [one for one in equations.steps if one.name == equations.results["h"]]
    rows = (tuple(scale(1 + by, x) for x in h.entries[0]), *h.entries[1:])
    wrong = replace(h, entries=rows)
    return replace(equations, steps=tuple(wrong if one is h else one for one in equations.steps))


def compared(model: str, asked: Request, until: float, by: float) -> Together:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    system = mbx.elaborate(linked)
    right = {name: mbx.derive(system, name) for name in ("kane", "lagrange")}
    forms = {**right, "wrong": spoiled(mbx.derive(system, "kane"), by)}
    return together(plan_of(linked, system, asked), forms, Options(until=until))


def test_all_forms_give_the_same_regular_trajectory() -> None:
    found = mbx.simulate(mbx.read("lib:four_bar"), "swing", until=1.0, forms=FORMS)
    assert found.agree
    assert found.until == 1.0
    assert [one.form for one in found.forms] == list(FORMS[1:])
    assert max(one.largest for one in found.forms) < 1e-9
    assert found.run.met


def test_chaos_parts_forms_and_is_told_from_error() -> None:
    document, asked = mbx.read("lib:double_pendulum"), Request(initial=WILD)
    found = perform_together(document, asked, Options(until=20.0), forms=FORMS)
    assert found.agree
    assert 8 < found.until < 18
    assert max(one.largest for one in found.forms) > 0.1
    # what separates them by then began as rounding
    assert found.growth > 1e6
    assert found.rate == pytest.approx(1.9, abs=0.4)


@pytest.mark.sample(1)
@pytest.mark.parametrize("by", [1e-2, 1e-7])
@pytest.mark.parametrize(
    ("model", "asked", "until"),
    [
        ("four_bar", Request(experiment="swing"), 2.0),
        ("double_pendulum", Request(initial=WILD), 10.0),
    ],
)
def test_a_wrong_form_is_another_motion(
    model: str, asked: Request, until: float, by: float
) -> None:
    found = compared(model, asked, until, by)
    right, wrong = found.forms
    assert not right.differs
    assert wrong.differs or "the energy changes" in wrong.reason
    assert not found.agree


def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    wild = ["simulate", "lib:double_pendulum", "--start", "phi1=2.5", "--start", "phi2=2"]
    forms = ["--form", "kane", "--form", "lagrange"]
    assert main([*wild, "--until", "20", *forms, "--quiet"]) == 0
    told = capsys.readouterr().out
    assert "2 forms agree within 1e-06 until 1" in told
    assert "because nearby trajectories do" in told
