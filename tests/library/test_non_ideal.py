"""Constraints that do work: the cases of the library, by Udwadia and Kalaba's own formulas.

What is expected comes from (3.149) and (3.150) of Orsino's thesis, evaluated here with matrices
that are written down by hand: nothing of them is taken from mbx.
"""

from __future__ import annotations

import doctest
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import folder
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

PAGE: Final = Path(__file__).parents[2] / "spec" / "non_ideal.md"
M, L, A0, ALPHA, OMEGA = 2.0, 0.5, 0.3, 0.4, 3.0
FORCES: Final = {"fx": 3.0, "fy": -2.0, "fz": 5.0}
FORMS: Final = (
    "lagrange",
    "kane",
    "maggi",
    "hamilton",
    "gibbs_appell",
    "boltzmann_hamel",
    "gauss",
    "jourdain",
    "modular",
    "nielsen",
    "tzenoff",
    "articulated_body",
    "rfda",
    "semi_recursive_1",
    "tree_hamilton_extended",
    "udwadia_kalaba:positive",
    "udwadia_kalaba:singular",
    "udwadia_kalaba:augmented",
)


@cache
def equations(form: str) -> Any:
    return mbx.convert(mbx.read("lib:nonideal_particle"), form)


def drawn(seed: int) -> tuple[dict[str, float], float]:
    """Return a random state that keeps the rule, and a time."""
    x, y, z, dx, dz, t = np.random.default_rng(seed).normal(size=6).tolist()
    dy = (z / L) ** 2 * dx + ALPHA * np.cos(x / L - OMEGA * t)
    return {"x": x, "y": y, "z": z, "x'": dx, "y'": float(dy), "z'": dz}, t


def by_hand(state: dict[str, float], t: float) -> tuple[Any, Any, Any]:
    """Return the accelerations, the whole force of the constraint, and C."""
    x, z, (dx, dy, dz) = state["x"], state["z"], (state["x'"], state["y'"], state["z'"])
    A = np.array([[-((z / L) ** 2), 1.0, 0.0]])
    b = np.array([-2 * z * dz * dx / L**2 + ALPHA * np.sin(x / L - OMEGA * t) * (dx / L - OMEGA)])
    v = np.array([dx, dy, dz])
    C = -A0 * np.linalg.norm(v) * v
    root = np.sqrt(M)
    a0 = np.array(list(FORCES.values())) / M
    AcP = np.linalg.pinv(A / root)
    rest = np.eye(3) - AcP @ (A / root)
    ud = a0 - AcP @ (A @ a0 + b) / root + rest @ C / M  # (3.149)
    force = -root * AcP @ (A @ a0 + b) + rest @ C  # (3.150)
    return ud, force, C


@pytest.mark.sample(16)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_forms_give_what_udwadia_and_kalaba_give(form: str, seed: int) -> None:
    state, t = drawn(seed)
    ud, force, C = by_hand(state, t)
    found = equations(form).evaluate(state, inputs=FORCES, t=t)
    assert found.ud == pytest.approx(ud, rel=1e-10, abs=1e-12)
    assert found.Fc + C == pytest.approx(force, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_constraint_has_the_virtual_power_of_c_and_no_other(seed: int) -> None:
    state, t = drawn(seed)
    _, _, C = by_hand(state, t)
    found = equations("kane").evaluate(state, inputs=FORCES, t=t)
    force = M * found.ud - np.array(list(FORCES.values()))
    allowed = np.array([[1.0, (state["z"] / L) ** 2, 0.0], [0.0, 0.0, 1.0]])
    assert allowed @ force == pytest.approx(allowed @ C, rel=1e-10, abs=1e-12)
    assert abs(allowed @ C).max() > 1e-3


def test_a_load_of_the_surroundings_gives_the_same_motion() -> None:
    text = folder("nonideal_particle").joinpath("model.mb").read_text("utf-8")
    bare = mbx.loads(text.replace(" of rule:", ":"), "mb")
    state, t = drawn(7)
    for form in ("kane", "udwadia_kalaba", "newton_euler"):
        if form == "newton_euler":  # a load on x' is no wrench, whoever gives it
            with pytest.raises(NotApplicableError, match="no wrench"):
                mbx.convert(bare, form)
            continue
        one = mbx.convert(bare, form).evaluate(state, inputs=FORCES, t=t)
        other = equations(form).evaluate(state, inputs=FORCES, t=t)
        assert one.ud == pytest.approx(other.ud, rel=1e-12)
        assert one.Fc == pytest.approx(other.Fc, rel=1e-12)


def test_the_page_says_which_forms_refuse_a_law_that_names_a_reaction() -> None:
    document = mbx.read("lib:bead_with_friction")
    refused = set()
    for form in registry.names():
        try:
            mbx.convert(document, form)
        except NotApplicableError:
            refused.add(form)
    assert refused == {"boltzmann_hamel", "hamilton", "newton_euler"}
    text = PAGE.read_text("utf-8")
    assert all(f"`{form}`" in text for form in refused)


def test_what_the_page_types_into_python_is_answered_so() -> None:
    text = PAGE.read_text("utf-8")
    typed = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(typed.examples) >= 6
    said: list[str] = []
    found = doctest.DocTestRunner().run(typed, out=said.append)
    assert found.failed == 0, "".join(said)
