"""What `mbx kinematics` prints: results, the structure, ranges, branches, how methods agree."""

from __future__ import annotations

from math import ceil, degrees, log10
from typing import TYPE_CHECKING, Any, Final

from mbx.cli.output import Status, emit_json, print_line

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
    "print_branches",
    "print_range",
    "structure_data",
    "structure_lines",
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


def print_range(reach: Reach, *, as_json: bool) -> int:
    """Print how far a drive can go."""
    ends = [("below", reach.low, reach.below), ("above", reach.high, reach.above)]
    if as_json:
        data = {"name": reach.name, "low": reach.low, "high": reach.high, "turns": reach.turns}
        data |= {name: None if why is None else str(why) for name, _, why in ends}
        emit_json(data)
        return Status.OK
    if reach.turns:
        print_line(
            f"{reach.name} goes from {reach.low:.9g} to {reach.high:.9g}, and nothing ends it"
        )
        return Status.OK
    print_line(f"{reach.name} goes from {reach.low:.9g} to {reach.high:.9g}")
    for name, _, why in ends:
        print_line(f"  {name}: {'nothing ends it' if why is None else why}")
    return Status.OK


def print_branches(branches: list[dict[str, float]], *, as_json: bool) -> int:
    """Print the positions of all branches."""
    if as_json:
        emit_json(branches)
        return Status.OK
    for k, branch in enumerate(branches):
        print_line(f"branch {k + 1} of {len(branches)}")
        width = max(map(len, branch), default=0)
        for path, value in branch.items():
            print_line(f"  {path:<{width}}  {_format_value(value, max(map(abs, branch.values())))}")
    return Status.OK


def _format_value(value: float, size: float) -> str:
    return f"{0.0 if abs(value) <= _NOTHING * size else value: .9g}"


def lines_of(result: Kinematics, *, timed: bool) -> Iterator[str]:
    """Yield the groups, all results of the last time, and how well it is conditioned."""
    named = ", ".join(f"{name} ({', '.join(bodies)})" for name, bodies in result.groups[:_GROUPS])
    more = len(result.groups) - _GROUPS
    named += f" and {more} more" if more > 0 else ""
    yield f"{result.method}: {named or 'all is given, no group has unknowns'}"
    last = f"t = {result.t[-1]:g} s"
    yield last if len(result.t) == 1 else f"{len(result.t)} positions, the last at {last}"
    columns = [
        column for column in result.columns[1:] if not column.name.startswith("transmission")
    ]
    width = max((len(column.name) for column in columns), default=0)
    size = max((float(abs(column.values[-1])) for column in columns), default=0.0)
    for column in columns:
        unit = "" if column.unit == "1" else f" {column.unit}"
        yield f"  {column.name:<{width}}  {_format_value(float(column.values[-1]), size)}{unit}"
    for column in result.columns:
        if column.name.startswith("transmission"):
            low, high = degrees(column.values.min()), degrees(column.values.max())
            spread = f"{low:.4g}" if len(result.t) == 1 else f"{low:.4g} to {high:.4g}"
            yield f"  {column.name}: {spread} degrees"
    value, group = result.condition
    if result.groups:
        yield f"  condition of the Jacobians at most {value:.3g}{f', {group}' if group else ''}"
    if result.note:
        yield f"  it may be on another branch than the model's start: {result.note}"
    if result.agreement is not None:
        yield from agreement_lines(result.agreement)
    if timed:
        yield (
            f"  {result.seconds / len(result.t) * 1e6:.3g} us of CPU time for each position"
            f" ({result.backend}), {result.compiling:.2g} s to prepare"
        )


def agreement_lines(agreement: Agreement) -> Iterator[str]:
    """Yield a line for each method: its largest errors, and those near singular positions."""
    from mbx.analyses.kinematics.method_agreement import AGREE, REGULAR

    count = len({difference.t for difference in agreement.comparisons})
    where = f"{count} position{'' if count == 1 else 's'}"
    first = agreement.first
    yield f"  largest differences from {first} at {where}, relative to the terms that add up"
    yield f"    {'':<13}  positions  velocities  accelerations"
    for method in dict.fromkeys(difference.method for difference in agreement.comparisons):
        worst = agreement.worst(method)
        if worst is not None:
            x, v, a = map(_bound, worst.errors)
            yield f"    {method:<13}  {x:<9}  {v:<10}  {a}"
        near = agreement.worst(method, regular=False)
        if near is not None:
            yield (
                f"    {method:<13}  {_bound(near.error)} where the condition is {REGULAR:g} or"
                f" more, {near.condition:.3g} at t = {near.t:g} s"
            )
    reasons: dict[str, list[str]] = {}
    for method, reason in agreement.missing.items():
        reasons.setdefault(reason, []).append(method)
    for reason, methods in reasons.items():
        yield f"    {', '.join(methods):<13}  not applicable: {reason}"
    if agreement.holds:
        yield f"  they agree within {AGREE:g} wherever the condition is below {REGULAR:g}"
        return
    bad = max(
        (difference for difference in agreement.comparisons if difference.regular),
        key=lambda difference: difference.error,
    )
    yield f"  they disagree: {bad.method} by {bad.error:.1e} at t = {bad.t:g} s, in {bad.where}"


def _bound(error: float) -> str:
    """Return the power of ten that an error is at most, none below rounding."""
    power = _ROUNDING if error <= 10.0**_ROUNDING else ceil(log10(error))
    return f"<= 1e{power:+03d}"
