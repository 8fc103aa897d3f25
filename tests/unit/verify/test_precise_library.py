"""Every form of the library's models in 50 and 100 digits, where all forms are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.analyses.guard import Clock
from mbx.linking.library import cases
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.multiprecision import Place
from mbx.numerics.multiprecision.balls import Balls
from mbx.numerics.multiprecision.decimals import Decimals
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values
from mbx.pipeline import elaborate as system
from mbx.verify.arbitration.arbiter import difference
from mbx.verify.derived_forms import (
    Candidate,
    Form,
    Result,
    candidates,
    complete_states,
    derive,
    evaluate,
)
from representative import marked

if TYPE_CHECKING:
    from pathlib import Path

SOME = ("bennett_linkage", "programme_order_3", "ring_twist", "slider_crank_3d_friction")
"""Redundant invariants, rates beyond accelerations, speeds alone, loads that name reactions."""
LEFT = {50: 1e-28, 100: 1e-78}
"""Part of the largest entry: half of the digits, and some, where conditions are squared."""
ALL = [path for path in cases() if path.name not in SOME]
FEW = [path for path in cases() if path.name in SOME]


ITERATED = {"semi_recursive_1:augmented", "semi_recursive_2:augmented"}


def name(path: Path) -> str:
    return path.name


def compare(case: Path, kind: type[Balls | Decimals]) -> None:
    of = system(mbx.read(case / "model.mb"))
    clock = Clock.of(100.0, 100.0)
    offered = [one for one in candidates(of, (), clock) if isinstance(one, Candidate)]
    derived = [derive(of, each, clock) for each in offered]
    assert [o for o in derived if not isinstance(o, Form) and o.status == "failed"] == []
    # an iteration of so many rounds converges to the digits of doubles, and not to any number
    forms = [one for one in derived if isinstance(one, Form) and one.name not in ITERATED]
    rng = np.random.default_rng(1)
    manifold = Manifold(of, draw_values(of, rng))
    point = draw(manifold, rng, 1).points
    drawn = complete_states(forms, manifold.values, point, 1, clock)
    higher = {path: float(value[0]) for path, value in drawn.items()}
    completing = next((f.equations for f in forms if f.equations.signature.higher), None)
    ran = [(form, evaluate(form, manifold.values, point, drawn, clock)) for form in forms]
    regular = [
        form.equations
        for form, result in ran
        if isinstance(result, Result) and result.status[0] == REGULAR
    ]
    assert len(regular) > 1
    for digits, left in LEFT.items():
        place = Place(manifold, point, kind(digits), completing, higher)
        found = [
            place.results(each, [m for m in ("ud", "Fc") if m in each.results]) for each in regular
        ]
        for other in found[1:]:
            for what in other.keys() & found[0].keys():
                gap = difference(place, found[0], other, what)
                assert gap.upper <= left * max(gap.size, 1.0)


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", [Balls, Decimals])
@pytest.mark.parametrize(
    "case", marked(FEW, name, quick={"programme_order_3", "ring_twist"}), ids=name
)
def test_all_forms_of_some_models_are_the_same_in_many_digits(
    case: Path, kind: type[Balls | Decimals]
) -> None:
    compare(case, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Balls, Decimals])
@pytest.mark.parametrize("case", ALL, ids=name)
def test_all_forms_of_a_model_are_the_same_in_many_digits(
    case: Path, kind: type[Balls | Decimals]
) -> None:
    compare(case, kind)
