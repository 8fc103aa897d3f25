"""What `mbx kinematics` prints: results, the structure, ranges, branches, how methods agree."""

from __future__ import annotations

from math import ceil, degrees, log10
from typing import TYPE_CHECKING, Any, Final

from mbx.cli.output import Status, emit_json, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.groups.structural_graph import Graph
    from mbx.analyses.kinematics.kinematic_analysis import Kinematics
    from mbx.analyses.kinematics.method_agreement import Agreement
    from mbx.analyses.kinematics.reach import Reach

__all__ = [
    "agreement_lines",
    "lines_of",
    "structure_data",
    "structure_lines",
    "tell_branches",
    "tell_range",
]

_PLANE: Final = 3
_GROUPS: Final = 8
"""Groups that are listed."""
_NOTHING: Final = 1e-13
"""Part of the largest number that is rounding."""
_ROUNDING: Final = -14
"""Errors below this power of ten are rounding, which depends on the machine."""


def structure_lines(graph: Graph, chains: Sequence[Chain], names: Sequence[str]) -> list[str]:
    """Return the mobility, and a line for each group."""
    from mbx.analyses.kinematics.groups.structural_diagram import as_text

    where = "in a plane" if graph.B == _PLANE else "in space"
    counted = f"mobility {graph.mobility} {where}, {graph.driven} driven"
    return [counted, *as_text(chains, names)]


def structure_data(graph: Graph, chains: Sequence[Chain], names: Sequence[str]) -> dict[str, Any]:
    """Return the same as plain data."""
    from mbx.analyses.kinematics.groups.structural_diagram import as_data

    return {
        "mobility": graph.mobility,
        "driven": graph.driven,
        "where": "plane" if graph.B == _PLANE else "space",
        "groups": as_data(chains, names),
    }


def tell_range(found: Reach, *, as_json: bool) -> int:
    """Say how far a drive can go."""
    ends = [("below", found.low, found.below), ("above", found.high, found.above)]
    if as_json:
        data = {"name": found.name, "low": found.low, "high": found.high, "turns": found.turns}
        data |= {name: None if why is None else str(why) for name, _, why in ends}
        emit_json(data)
        return Status.OK
    if found.turns:
        say(f"{found.name} goes from {found.low:.9g} to {found.high:.9g}, and nothing ends it")
        return Status.OK
    say(f"{found.name} goes from {found.low:.9g} to {found.high:.9g}")
    for name, _, why in ends:
        say(f"  {name}: {'nothing ends it' if why is None else why}")
    return Status.OK


def tell_branches(found: list[dict[str, float]], *, as_json: bool) -> int:
    """Say all positions that were found."""
    if as_json:
        emit_json(found)
        return Status.OK
    for k, one in enumerate(found):
        say(f"branch {k + 1} of {len(found)}")
        width = max(map(len, one), default=0)
        for path, value in one.items():
            say(f"  {path:<{width}}  {_shown(value, max(map(abs, one.values())))}")
    return Status.OK


def _shown(value: float, size: float) -> str:
    return f"{0.0 if abs(value) <= _NOTHING * size else value: .9g}"


def lines_of(found: Kinematics, *, timed: bool) -> Iterator[str]:
    """Yield the groups, all results of the last time, and how well it is conditioned."""
    named = ", ".join(f"{name} ({', '.join(bodies)})" for name, bodies in found.groups[:_GROUPS])
    more = len(found.groups) - _GROUPS
    named += f" and {more} more" if more > 0 else ""
    yield f"{found.method}: {named or 'all is given, no group has unknowns'}"
    last = f"t = {found.t[-1]:g} s"
    yield last if len(found.t) == 1 else f"{len(found.t)} positions, the last at {last}"
    columns = [one for one in found.columns[1:] if not one.name.startswith("transmission")]
    width = max((len(one.name) for one in columns), default=0)
    size = max((float(abs(one.values[-1])) for one in columns), default=0.0)
    for one in columns:
        unit = "" if one.unit == "1" else f" {one.unit}"
        yield f"  {one.name:<{width}}  {_shown(float(one.values[-1]), size)}{unit}"
    for one in found.columns:
        if one.name.startswith("transmission"):
            low, high = degrees(one.values.min()), degrees(one.values.max())
            spread = f"{low:.4g}" if len(found.t) == 1 else f"{low:.4g} to {high:.4g}"
            yield f"  {one.name}: {spread} degrees"
    value, group = found.condition
    if found.groups:
        yield f"  condition of the Jacobians at most {value:.3g}{f', {group}' if group else ''}"
    if found.note:
        yield f"  it may be on another branch than the model's start: {found.note}"
    if found.agreement is not None:
        yield from agreement_lines(found.agreement)
    if timed:
        yield (
            f"  {found.seconds / len(found.t) * 1e6:.3g} us of CPU time for each position"
            f" ({found.backend}), {found.compiling:.2g} s to prepare"
        )


def agreement_lines(found: Agreement) -> Iterator[str]:
    """Yield a line for each method: its largest errors, and those near singular positions."""
    from mbx.analyses.kinematics.method_agreement import AGREE, REGULAR

    places = len({one.t for one in found.comparisons})
    where = f"{places} position{'' if places == 1 else 's'}"
    yield f"  largest differences from {found.first} at {where}, relative to the terms that add up"
    yield f"    {'':<13}  positions  velocities  accelerations"
    for method in dict.fromkeys(one.method for one in found.comparisons):
        worst = found.worst(method)
        if worst is not None:
            x, v, a = map(_bound, worst.errors)
            yield f"    {method:<13}  {x:<9}  {v:<10}  {a}"
        near = found.worst(method, regular=False)
        if near is not None:
            yield (
                f"    {method:<13}  {_bound(near.error)} where the condition is {REGULAR:g} or"
                f" more, {near.condition:.3g} at t = {near.t:g} s"
            )
    reasons: dict[str, list[str]] = {}
    for method, reason in found.missing.items():
        reasons.setdefault(reason, []).append(method)
    for reason, methods in reasons.items():
        yield f"    {', '.join(methods):<13}  not applicable: {reason}"
    if found.holds:
        yield f"  they agree within {AGREE:g} wherever the condition is below {REGULAR:g}"
        return
    bad = max((one for one in found.comparisons if one.regular), key=lambda one: one.error)
    yield f"  they disagree: {bad.method} by {bad.error:.1e} at t = {bad.t:g} s, in {bad.where}"


def _bound(error: float) -> str:
    """Return the power of ten that an error is at most, none below rounding."""
    power = _ROUNDING if error <= 10.0**_ROUNDING else ceil(log10(error))
    return f"<= 1e{power:+03d}"
