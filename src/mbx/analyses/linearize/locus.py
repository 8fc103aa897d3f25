"""Root loci: the eigenvalues of small motions as one parameter, or one start value, changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.linearize.linear_system import linearize
from mbx.analyses.linearize.linearization_state import about, reference_at
from mbx.analyses.linearize.modes import growth
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.request import plan_of, require_names
from mbx.base.short_repr import count_of, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.linearize.linear_system import How, Linear
    from mbx.analyses.request import Request
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["Change", "Locus", "locus"]

CLEAR: Final = 1e-9
"""Real part from which an eigenvalue is off the axis, in 1/s."""
HALVINGS: Final = 30
"""After them a change of stability is known to nine digits of the step between two values."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value at which stability changes, with what it is below and above."""

    value: float
    below: str
    above: str


@dataclass(frozen=True, slots=True, eq=False)
class Locus:
    """What becomes of small motions as `name` takes some values, and where stability changes.

    `pair` are two variables of which the ratio in each mode is requested, as steer to lean.
    """

    name: str
    values: tuple[float, ...]
    systems: tuple[Linear, ...]
    changes: tuple[Change, ...]
    pair: tuple[str, str] | None = None

    def __repr__(self) -> str:
        """Return the values, and how often stability changes."""
        return shorten_repr(
            f"<Locus over {self.name}: {count_of(len(self.values), 'value')}"
            f" from {self.values[0]:.6g} to {self.values[-1]:.6g};"
            f" {count_of(len(self.changes), 'change')} of stability>"
        )

    def ratios(self, k: int) -> list[tuple[complex, complex | None]]:
        """Return the modes of one value, but those of eigenvalue 0, each with its ratio."""
        system = self.systems[k]
        modes = [mode for mode in system.modes if mode.value != 0]
        return [(m.value, system.ratio(m, *self.pair) if self.pair else None) for m in modes]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; a complex number is a pair."""
        ratios = {
            "ratio": "/".join(self.pair or ()),
            "ratios": [
                [
                    {"eigenvalue": _pair(value), "ratio": None if x is None else _pair(x)}
                    for value, x in self.ratios(k)
                ]
                for k in range(len(self.values))
            ],
        }
        return {
            **(ratios if self.pair else {}),
            "over": self.name,
            "values": list(self.values),
            "stability": [system.stability for system in self.systems],
            "eigenvalues": [
                [_pair(v) for v in system.eigenvalues.tolist()] for system in self.systems
            ],
            "changes": [
                {"value": change.value, "below": change.below, "above": change.above}
                for change in self.changes
            ],
        }


def _pair(value: complex) -> list[float]:
    return [value.real, value.imag]


def locus(
    linked: Linked,
    system: System,
    request: Request,
    name: str,
    values: Sequence[float],
    *,
    at: str | None = None,
    how: How | None = None,
) -> Locus:
    """Return the root locus over a parameter or an input, or over what a variable starts with.

    Between neighbours of different stability, the value where it changes is sought.
    """
    residual: list[Residual] = []
    state = at or about(linked, request.experiment)
    known = {parameter.path for parameter in (*system.parameters, *system.inputs)}
    variables = {v.path for v in (*system.q, *system.u)} | {f"{v.path}'" for v in system.q}
    require_names([name], known | variables, "parameter, input or variable")

    def linear(value: float) -> Linear:
        if name in known:
            varied = replace(request, values={**request.values, name: value})
        else:
            initial = {**request.initial, name: value}
            varied = replace(request, initial=initial, held=request.held | {name})
        plan = plan_of(linked, system, varied)
        if not residual:  # the equations are the same for all values
            residual.append(Residual(plan.system))
        return linearize(residual[0], reference_at(plan, state), how)

    order = sorted(values)
    systems = [linear(value) for value in order]
    changes = [
        _change(linear, (order[k], order[k + 1]), (system.stability, systems[k + 1].stability))
        for k, system in enumerate(systems[:-1])
        if system.stability != systems[k + 1].stability
    ]
    return Locus(name, tuple(order), tuple(systems), tuple(changes))


def _change(
    linear: Callable[[float], Linear], ends: tuple[float, float], words: tuple[str, str]
) -> Change:
    low, high = ends
    parts = [growth(linear(end).A) for end in ends]
    if min(parts) < -CLEAR and max(parts) > CLEAR:
        from scipy.optimize import brentq  # only for crossings

        return Change(float(brentq(lambda x: growth(linear(x).A), low, high)), *words)
    for _ in range(HALVINGS):  # of undamped systems nothing crosses: pairs meet on the axis
        middle = (low + high) / 2
        if linear(middle).stability == words[0]:
            low = middle
        else:
            high = middle
    return Change((low + high) / 2, *words)
