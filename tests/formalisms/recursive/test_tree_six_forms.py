"""The six forms of Ivanov and Shimanovskiy, by all their algorithms, say the same."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, slope
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCELERATIONS: Final = ("tree_newton_euler", "tree_lagrange_2", "tree_lagrange_1")
MOMENTA: Final = (
    "tree_hamilton_extended",
    "tree_hamilton_reduced",
    "tree_hamilton_multipliers",
)
MODELS: Final = ("branched", "pipelayer", "four_bar", "rolling_disc", "heavy_top_quaternion")


@cache
def _paper(name: str) -> Paper:
    if name == "branched":
        return Paper(Model(system_of(BRANCHED)), STATE)
    one = system(name)
    speeds = {v.path: 0.4 - 0.3 * k for k, v in enumerate(one.u)}
    return Paper(Model(one), completed(one, speeds, held=(), t=0.4))


def _every(form: str) -> Iterator[str]:
    for variant in registry.get(form).variants:
        yield f"{form}:{variant.name}" if variant.name else form


def _near(value: Any, expected: Any, rel: float) -> None:
    size = max(float(np.abs(expected).max(initial=0)), 1e-3)
    assert np.abs(np.asarray(value) - expected).max(initial=0) < rel * size


@pytest.mark.parametrize("name", MODELS)
def test_s2_09_all_algorithms_of_all_six_forms_agree(name: str) -> None:
    one = _paper(name)
    expected = one.of("kane")
    for form in (*ACCELERATIONS, *MOMENTA):
        for way in _every(form):
            found = one.of(way)
            _near(found.ud, expected.ud, 1e-11)
            _near(found.Fc, expected.Fc, 1e-11)


@pytest.mark.parametrize("name", MODELS)
def test_s2_09_the_forms_in_momenta_agree_on_momenta_rates_and_energy(name: str) -> None:
    one = _paper(name)
    expected = one.of("tree_hamilton_extended:extended")
    for form in MOMENTA:
        for way in _every(form):
            found = one.of(way)
            for result in ("p", "zd", "pd", "qd", "H"):
                _near(found[result], expected[result], 1e-11)


@pytest.mark.parametrize("name", MODELS)
def test_s2_09_momenta_change_as_newton_euler_says(name: str) -> None:
    """d/dt of p along the accelerations of Newton-Euler equals p' of every form in momenta."""
    one = _paper(name)
    expected = slope(lambda h: one.after(h).of(MOMENTA[0])["p"], 1e-4)
    for form in MOMENTA:
        _near(one.of(form)["pd"], expected, 1e-7)


@pytest.mark.parametrize("name", ["branched", "four_bar"])
def test_s2_05_both_forms_with_reactions_have_the_same(name: str) -> None:
    one = _paper(name)
    expected = one.of("tree_newton_euler").reactions
    assert expected
    for way in _every("tree_lagrange_1"):
        found = one.of(way).reactions
        assert found.keys() == expected.keys()
        for path, reaction in expected.items():
            assert found[path] == pytest.approx(reaction, abs=1e-9, nan_ok=True), path
