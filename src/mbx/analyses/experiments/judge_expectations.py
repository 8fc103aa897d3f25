"""Whether forms give what is expected."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.form_rounding import noise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.experiments.expectation import Reference
    from mbx.analyses.experiments.experiment_plan import Expectation
    from mbx.analyses.experiments.observe import Seen

__all__ = ["NOT_GIVEN", "judge"]

NOT_GIVEN: Final = "no form gives it"

_BLOCKED: Final = frozenset({"singular", "jamming"})


def judge(
    blank: Reference,
    expectation: Expectation,
    seen: Mapping[str, Seen],
    faults: Sequence[str] = (),
    again: Callable[[str], list[Seen]] | None = None,
) -> Reference:
    """Return the worst value of the forms that have one; a form that fails leaves it open.

    Forms that are singular at a state where others are regular do not count. Nor does one
    that misses the value by no more than its own rounding, where others meet it; `again` is
    what a form gives at nearly the same sample.
    """
    if faults:
        return replace(blank, reason=faults[0])
    values: list[tuple[float, str]] = []
    blocked: list[str] = []
    for form, here in seen.items():
        if not here.regular:
            if here.status not in _BLOCKED:
                return replace(blank, reason=f"{form}: {here.status}")
            blocked.append(here.status)
            continue
        value = here.of(expectation.node)
        if value is not None:
            values.append((value, form))
    if not values:
        all_blocked = blocked and len(blocked) == len(seen)
        return replace(blank, reason=f"{blocked[0]} there" if all_blocked else NOT_GIVEN)

    def off(value: float) -> float:
        return inf if isnan(value) else abs(value - expectation.value)

    def rough(value: float, form: str) -> bool:
        near = [] if again is None else [s.of(expectation.node) for s in again(form) if s.regular]
        return off(value) <= expectation.within + noise(value, [x for x in near if x is not None])

    if any(off(value) <= expectation.within for value, _ in values):
        values = [
            (v, form) for v, form in values if off(v) <= expectation.within or not rough(v, form)
        ]
    value, form = max(values, key=lambda pair: off(pair[0]))
    return replace(blank, found=value, by=form, met=off(value) <= expectation.within)
