"""Free motion of the quick-return mechanism with feedback, and its energy.

The paper has no simulation. Numbers were computed for this library: RK4 with a step of 0.5 ms,
a = b = 10; nine digits at 0.5 s, about six at 1 s.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from formalisms.cases import completed, system
from formalisms.recursive.semi_recursive import BOTH, equations_of, values_at

NAMES: Final = ("z1", "z2", "z3", "z4", "z5", "th")
MASSES: Final = (3, 0.5, 1, 0.8, 2)
CENTRES: Final = ((0, 0, 0), (0, 0, 0), (0, 0, 0), (0.125, 0, 0), (0.05, 0.01, 0))
HALF: Final = (1.386067445, 0.479570225, 2.698664654, 1.627537107, -3.013604552)
HALF_RATES: Final = (-0.414612834, -0.094320312, -1.052539574, 0.199617240, 0.214995593)
WHOLE: Final = (1.4547688, 0.2032229, 0.2735216, 1.5878361, -3.0426049)
WHOLE_RATES: Final = (1.67858, -0.095704, -4.04056, -1.13179, -0.54679)


def _start() -> dict[str, float]:
    return completed(system("quick_return"), {"z1": float(np.radians(75)), "z1'": 0.8})


def _energy(form: str, state: dict[str, float]) -> float:
    one = values_at("quick_return", form, state)
    zd = np.array([state[f"z{k}'"] for k in range(1, 6)])
    M = one["Mbar" if form == BOTH[0] else "Mbb"]
    heights = [
        one[f"R_{k}"][1] + (one[f"A_{k}"] @ CENTRES[k - 1])[1] for k in range(1, len(MASSES) + 1)
    ]
    return float(zd @ M @ zd / 2 + 9.81 * np.dot(MASSES, heights))


@pytest.mark.parametrize("form", BOTH)
def test_the_energy_at_the_start(form: str) -> None:
    assert _energy(form, _start()) == pytest.approx(36.496069316983, abs=6e-13)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_free_motion_with_feedback() -> None:
    form = BOTH[0]  # the other has the same accelerations, by its own tests
    equations = equations_of("quick_return", f"{form}:baumgarte")
    gains = {"baumgarte_a": 10.0, "baumgarte_b": 10.0}

    def named(x: Any) -> dict[str, float]:
        places = dict(zip(NAMES, map(float, x[:6]), strict=True))
        return places | {f"{n}'": float(v) for n, v in zip(NAMES, x[6:], strict=True)}

    def rates(_: float, x: Any) -> Any:
        return np.concatenate([x[6:], equations.evaluate(named(x), gains).ud])

    start = _start()
    first = [start[n] for n in NAMES] + [start[f"{n}'"] for n in NAMES]
    run = solve_ivp(rates, (0, 1), first, "DOP853", t_eval=(0.5, 1), rtol=1e-10, atol=1e-11)
    half, whole = run.y.T
    assert half[:5] == pytest.approx(HALF, abs=3e-9)
    assert half[6:11] == pytest.approx(HALF_RATES, abs=1e-8)
    assert whole[:5] == pytest.approx(WHOLE, abs=3e-6)
    assert whole[6:11] == pytest.approx(WHOLE_RATES, abs=2e-5)
    assert _energy(form, named(whole)) == pytest.approx(36.496069316983, abs=1e-6)
    found = equations.evaluate(named(whole), gains)
    assert np.abs(found["C"]).max() < 1e-8
