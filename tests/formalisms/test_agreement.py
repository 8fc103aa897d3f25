"""Every model of the library, verified: all forms that apply agree."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

import mbx
from mbx.library import cases

if TYPE_CHECKING:
    from mbx.verify.report import Verification

NAMES = [path.name for path in cases()]
MANY = 5
STATES = 3


@cache
def verified(name: str) -> Verification:
    folder = next(path for path in cases() if path.name == name)
    return mbx.verify(mbx.read(folder / "model.mb"), states=STATES)


@pytest.mark.parametrize("name", NAMES)
def test_all_forms_that_apply_agree(name: str) -> None:
    found = verified(name)
    assert found.verdict == "agree", "\n".join(found.lines())
    assert not [one for one in found.excluded if one.status == "failed"]
    assert sum(one.status == "compared" for one in found.states) >= STATES


def test_five_forms_agree_to_twelve_digits_on_most_models() -> None:
    exact = [name for name in NAMES if len(_exact(verified(name))) >= MANY]
    assert len(exact) >= 25


def _exact(found: Verification) -> set[str]:
    """Return the forms that agree with all others without the arbiter."""
    rough = {
        name
        for pair in found.pairs
        for error in (pair.ud, pair.Fc)
        if error is not None and not error.value <= 1e-12
        for name in pair.forms
        if name.startswith("udwadia_kalaba")
    }
    kept = set(found.forms) - rough
    for pair in found.pairs:
        if kept >= set(pair.forms):
            assert pair.verdict == "agree"
            assert pair.ud is not None
            assert pair.ud.value <= 1e-12
    return kept
