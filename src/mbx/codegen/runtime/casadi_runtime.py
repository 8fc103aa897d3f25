"""What files of the target `casadi` need where unknowns are sought."""

from __future__ import annotations

from typing import Any, Final

import casadi as ca

__all__ = ["Sought", "closed"]

NEWTON: Final = 20
"""Rounds. All but the first take Newton's step, for the norm of a reaction has no slope at zero."""
CONVERGED: Final = 1e-10
"""Part of the largest unknown, or of LEAST, that the last step may have."""
HUGE: Final = 1e300
"""A step beyond it is none, and y = F(y) is taken instead."""
LEAST: Final = 1e-4
"""In SI units."""

Sought = tuple[Any, Any, Any]
"""Unknowns y, where they start, and g(y) = y - F(y), which is to be zero: SX."""


def closed(
    name: str,
    arguments: list[Any],
    sought: list[Sought],
    results: list[Any],
    names: tuple[list[str], list[str]],
) -> Any:
    """Return a function of arguments alone: the unknowns are found by rounds of Newton's method.

    It is NaN where the last step is not small. Newton's step does not depend on the unknowns
    to first order at the solution, so that derivatives of the rounds are those of the unknowns.
    """
    taken = [ca.MX.sym(f"a{k}", one.sparsity()) for k, one in enumerate(arguments)]
    known: list[Any] = []
    symbols: list[Any] = []
    bad: Any = 0.0
    for k, (y, start, value) in enumerate(sought):
        newton = -ca.solve(ca.jacobian(value, y), value)
        sound = ca.norm_inf(newton) < HUGE
        step = ca.if_else(sound, newton, -value)
        first = ca.Function(f"first{k}", [y, *arguments, *symbols], [-value])
        move = ca.Function(f"step{k}", [y, *arguments, *symbols], [step])
        begin = ca.Function(f"start{k}", [*arguments, *symbols], [start])
        found = begin(*taken, *known)
        last = first(found, *taken, *known)
        for _ in range(NEWTON - 1):
            found = found + last
            last = move(found, *taken, *known)
        found = found + last
        size = ca.fmax(ca.norm_inf(found), LEAST)
        bad = bad + ca.if_else(ca.norm_inf(last) <= CONVERGED * size, 0.0, float("nan"))
        known.append(found)
        symbols.append(y)
    last_part = ca.Function("results", [*arguments, *symbols], results)
    outputs = last_part.call([*taken, *known])
    return ca.Function(name, taken, [one + bad for one in outputs], *names)
