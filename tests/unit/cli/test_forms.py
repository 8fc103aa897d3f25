from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import mbx
from mbx.formalism import registry
from mbx.system.find_features import Feature

LIBRARY: Final = Path(__file__).parents[3] / "library"
CONE: Final = LIBRARY / "nonlinear_nonholonomic" / "model.mb"


def _tight(line: str) -> str:
    """Return a line with single blanks behind its indent: columns are as wide as names are."""
    indent = len(line) - len(line.lstrip())
    return line[:indent] + " ".join(line.split())


def test_every_form_is_listed_with_what_it_refuses(run: Any) -> None:
    result = run("forms")
    assert result.status == 0
    listed = " ".join(result.out.split())
    for name in registry.names():
        assert f"{name} {registry.get(name).purpose}" in listed
    assert Feature.NO_INERTIA.value in run("forms", "--features").out


def test_a_model_says_which_forms_apply(run: Any) -> None:
    lines = run("forms", CONE).out.splitlines()
    lines = [_tight(line) for line in lines]
    assert "lagrange applies" in lines
    at = lines.index("kane does not apply:")
    assert lines[at + 1].startswith("    an invariant that is nonlinear in the velocities (cone")


def test_the_same_is_said_as_data(run: Any) -> None:
    data = json.loads(run("forms", CONE, "--json").out)
    found = {one["name"]: one["variants"][0] for one in data["forms"]}
    assert found["lagrange"]["applies"]
    assert found["kane"]["refusals"] == [
        {"feature": "nonlinear_velocity_invariant", "elements": ["cone"]}
    ]
    assert data["broken"] == []


def test_python_says_the_same() -> None:
    said = mbx.forms(mbx.read(CONE))
    assert said["lagrange"] == ()
    assert said["kane"] == (
        "kane does not support an invariant that is nonlinear in the velocities (cone)",
    )


def test_what_only_the_derivation_finds_is_said_too(run: Any) -> None:
    lines = run("forms", LIBRARY / "slider_crank_3d_friction" / "model.mb").out.splitlines()
    lines = [_tight(line) for line in lines]
    at = lines.index("udwadia_kalaba:positive does not apply:")
    assert lines[at + 1].startswith("    the inertia matrix is singular: no inertia behind ")
    assert "udwadia_kalaba:singular applies, the default" in lines
