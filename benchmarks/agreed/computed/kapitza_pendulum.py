"""The large motion of library/kapitza_pendulum by SciPy, from its equation of motion."""

from __future__ import annotations

from math import cos, sin

from dense import compare
from scipy.integrate import solve_ivp

l, a, w, g = 0.2, 0.01, 300.0, 9.81  # noqa: E741  a length, as in the model


def rates(t: float, y: list[float]) -> list[float]:
    """Return theta' and theta''."""
    return [y[1], -3 * (g - a * w**2 * cos(w * t)) * sin(y[0]) / (2 * l)]


if __name__ == "__main__":
    run = solve_ivp(rates, (0, 0.5), [3.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-13)
    compare({"theta at 0.5 s": (run.y[0, -1], 3.0144549518, 1e-8)})
