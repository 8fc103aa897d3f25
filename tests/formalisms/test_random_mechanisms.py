"""Random mechanisms: sound models, forms that agree, and identities that no form knows of."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import mbx
from formalisms.extras import mechanism
from formalisms.identities import probe
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism import registry
from mbx.system.elaborate import elaborate
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from formalisms.identities import Probe
    from formalisms.mechanisms import Mechanism
    from mbx.language.document.document import Document
    from mbx.system.system import System

SEEDS: Final = tuple(range(25))
QUICK: Final = 6
"""Mechanisms whose forms are compared every time; those of the others are slow."""


@cache
def _model(seed: int) -> tuple[Mechanism, Document, System]:
    found = mechanism(seed)
    document = mbx.loads(found.text())
    return found, document, elaborate(mbx.link(document))


@cache
def _probe(seed: int) -> Probe:
    one = _model(seed)[2]
    form = next(f for f in ("kane", "lagrange", "modular") if not registry.refusals(one, f))
    found = probe(one, form)
    assert found is not None
    return found


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=() if seed < QUICK else pytest.mark.slow) for seed in SEEDS],
)
def test_a_random_mechanism_is_sound_and_its_forms_agree(seed: int) -> None:
    _, document, _ = _model(seed)
    assert not mbx.check(document).errors
    found = mbx.verify(document, states=2)
    assert not [one for one in found.excluded if one.status == "failed"], found.excluded
    judged = [one for one in found.doubts if not one.startswith("no equations of another")]
    assert not judged
    assert not [pair.forms for pair in found.pairs if pair.verdict != "agree"]
    assert sum(one.status == "compared" for one in found.states) >= 2


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_and_accelerations_are_the_rates_of_places(seed: int) -> None:
    assert _probe(seed).kinematic_gap() < 1e-7


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_changes_by_the_power_of_all_loads(seed: int) -> None:
    assert _probe(seed).power_gap() < 1e-6


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_start_where_kinematics_in_numbers_puts_them(seed: int) -> None:
    found, _, one = _model(seed)
    known = dict(_probe(seed).found.seen.values)
    known |= {v.symbol: np.asarray(v.start or 0.0) for v in one.q} | {TIME: np.zeros(())}
    places = {e.path: e.com.p for e in one.elements}
    for body in found.bodies:
        p = [float(x) for x in evaluate_arrays(places[body.path], known)]
        assert p == pytest.approx(body.com, abs=1e-12), body.path
