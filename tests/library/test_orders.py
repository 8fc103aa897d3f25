"""Cases with variables of order 2 and more mean the same as their spelling in orders 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.default_forms import all_forms
from mbx.linking.library import cases
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import draw
from mbx.system.elaborate import elaborate
from mbx.verify.oracle import Oracle

if TYPE_CHECKING:
    from pathlib import Path

CASES: Final = [path for path in cases() if (path / "plain.mb").exists()]
EXACT: Final = 1e-12
STATES: Final = 3


def _name(path: Path) -> str:
    return path.name


def test_there_are_cases_of_orders_2_and_3() -> None:
    systems = [elaborate(mbx.link(mbx.read(path / "model.mb"))) for path in CASES]
    plain = [elaborate(mbx.link(mbx.read(path / "plain.mb"))) for path in CASES]
    assert len(CASES) >= 4
    assert {one.order for system in systems for one in system.quasi} == {2, 3}
    assert all(system.quasi for system in systems)
    assert not any(system.quasi for system in plain)
    assert [system.order for system in systems] == [system.order for system in plain]


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_both_spellings_mean_the_same_physics(case: Path) -> None:
    found = mbx.diff(mbx.read(case / "model.mb"), mbx.read(case / "plain.mb"), states=8)
    assert found.verdict == "same", str(found)
    assert not found.identical


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_every_form_and_the_oracle_of_both_spellings_agree(case: Path) -> None:
    """To 1e-12 of the largest acceleration, at random states."""
    linked = mbx.link(mbx.read(case / "model.mb"))
    system = elaborate(linked)
    manifold = Manifold(system, Values({}, {}))
    points = draw(manifold, np.random.default_rng(7), STATES).points
    forms = all_forms(system)
    assert {"modular", "udwadia_kalaba:singular", "udwadia_kalaba:augmented"} <= set(forms)
    higher = draw_higher(forms["modular"], manifold.values, points, 7) if system.order > 2 else {}
    oracles = [Oracle(linked), Oracle(mbx.link(mbx.read(case / "plain.mb")))]
    for k in range(len(points)):
        state = {v.path: float(x) for v, x in zip(system.q, points.q[k], strict=True)}
        state |= {v.path: float(x) for v, x in zip(system.u, points.u[k], strict=True)}
        state |= {path: float(x[k]) for path, x in higher.items()}
        answers = [oracle.at(state, float(points.t[k])) for oracle in oracles]
        assert [answer.status for answer in answers] == ["regular", "regular"]
        wanted = np.array([float(answers[0].ud[v.path]) for v in system.u])
        size = max(1.0, float(np.abs(wanted).max()))
        other = np.array([float(answers[1].ud[v.path]) for v in system.u])
        assert np.abs(other - wanted).max() <= EXACT * size
        quasi = np.array([float(x) for x in answers[0].quasi.values()])
        for name, form in forms.items():
            found = form.evaluate(state, t=float(points.t[k]))
            assert np.abs(found.ud - wanted).max() <= EXACT * size, name
            labels = form.step(form.results["quasi"]).row_labels
            top = [found.quasi[labels.index(path)] for path in answers[0].quasi]
            most = max(size, float(np.abs(quasi).max()))
            assert np.abs(np.array(top) - quasi).max() <= EXACT * most, name
