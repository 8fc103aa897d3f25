"""Every model of the library: the oracle beside the forms."""

from __future__ import annotations

from typing import Final

import pytest

from mbx import link, read
from representative import FOLDERS, marked
from unit.verify.oracle.asking import compared, numbers

QUICK: Final = ("newton_euler", "modular")
REST: Final = (
    *("lagrange", "kane", "gibbs_appell", "maggi", "udwadia_kalaba", "boltzmann_hamel"),
    *("nielsen", "tzenoff"),
)
FLOOR: Final = 1e-10


def _check(name: str, forms: tuple[str, ...], count: int) -> None:
    seen = 0
    for form, answer, ud, _ in compared(link(read(FOLDERS[name] / "model.mb")), forms, count, 11):
        assert answer.status == "regular", form
        ours = numbers(answer.ud)
        largest = max(1.0, *map(abs, ours.values()))
        assert ours == pytest.approx(ud, rel=1e-9, abs=1e-9 * largest), form
        rows = [(label, abs(float(r)), float(size)) for label, r, size in answer.residuals(ud)]
        most = max(size for _, _, size in rows)
        for label, residual, size in rows:
            assert residual <= 1e-12 * max(size, FLOOR * most) or residual <= 1e-15 * most, (
                form,
                label,
            )
        seen += 1
    assert seen


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", marked())
def test_the_oracle_agrees_with_two_forms(name: str) -> None:
    _check(name, QUICK, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_the_oracle_agrees_with_the_other_forms(name: str) -> None:
    _check(name, (*QUICK, *REST), 3)
