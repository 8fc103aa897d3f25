"""A run through time, as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.round_up import format_bound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.simulate.runs import Run
    from mbx.analyses.simulate.together import Together

__all__ = ["comparison_lines", "run_lines"]

_KEPT: Final = 1e-10
"""What is kept to less than this is kept: how much less depends on the machine."""
_EVENTS: Final = 10
"""Events that are listed."""
_LOADS: Final = 6
"""Loads whose work is listed."""


def run_lines(run: Run, *, timed: bool, quiet: bool) -> Iterator[str]:
    """Yield the lines that describe a run."""
    if not quiet:
        yield from _lines(run)
    if timed:
        yield (
            f"  {run.steps} steps, {run.evaluations} evaluations by {run.backend}:"
            f" {run.seconds:.2g} s of CPU time, {run.compiling:.2g} s to compile"
        )
    for reference in run.references:
        if not reference.met or reference.cannot_fail:
            yield f"{reference}"
    counted = [reference for reference in run.references if not reference.cannot_fail]
    if counted:
        yield f"{sum(bool(x.met) for x in counted)} of {len(counted)} expectations are met"
    elif quiet:
        yield f"ran to {run.t[-1]:g} s"


def _lines(run: Run) -> Iterator[str]:
    from mbx.analyses.simulate.achieved_error import shown

    yield f"from {run.t[0]:g} s to {run.t[-1]:g} s by {run.form}, {run.method}"
    if run.interpreted:
        yield f"  in Python: {run.interpreted}"
    units = {column.name: column.unit for column in run.columns}
    last = {**run.last, **{path: run[path][-1] for path in run.declared}}
    width = max(map(len, last), default=0)
    for path, value in last.items():
        unit = units[path]
        off = None if run.error is None else run.error.last.get(path)
        text = f"{value: .6g}" if off is None else shown(value, off)
        yield f"  {path:<{width}}  {text}{' ' + unit if unit != '1' else ''}".rstrip()
    if run.error is not None:
        path, off = max(run.error.largest.items(), key=lambda item: item[1])
        by = f"by a run with tolerance {run.error.tolerance:g}"
        yield f"  off by {format_bound(off)} of {path} at most, {by}"
    yield from _energy(run)
    for event in run.events[:_EVENTS]:
        yield f"  {event} at {event.t:.6g} s"
    if len(run.events) > _EVENTS:
        yield f"  and {len(run.events) - _EVENTS} more changes, in --json"
    for singularity in run.singular[:_EVENTS]:
        yield f"  {singularity}, at {singularity.t:.6g} s"
    if len(run.singular) > _EVENTS:
        yield f"  and {len(run.singular) - _EVENTS} more of them, in --json"
    if run.omitted:
        yield f"  not unique, and left out: {', '.join(run.omitted)}"
    if any(run.drift):
        kept, moved = map(_part, run.drift)
        yield f"  invariants kept within {kept} at positions, {moved} at velocities"


def _energy(run: Run) -> Iterator[str]:
    """Yield the energy, what changed it, and how well that is balanced."""
    first, last = run["energy"][[0, -1]]
    energy = run.energy
    if energy.changed_by is None:
        yield f"  energy {last:.6g} J, kept within {_part(energy.relative)}"
        return
    yield f"  energy {last:.6g} J, at the start {first:.6g} J: {energy.changed_by}"
    if energy.balance is None:
        yield f"  its balance is not known: {energy.why}"
        return
    worked = sorted(energy.work.items(), key=lambda item: -abs(item[1]))
    listed = [f"{name} {_work(x, energy.kinetic)} J" for name, x in worked[:_LOADS]]
    listed += [f"{len(worked) - _LOADS} more in --json"] * (len(worked) > _LOADS)
    yield f"  work: {', '.join(listed)}; balanced within {_part(energy.balance)}"


def _work(value: float, size: float) -> str:
    return f"{value:.6g}" if abs(value) > _KEPT * size else "0"


def _part(value: float) -> str:
    return "1e-10" if value <= _KEPT else format_bound(value)


def comparison_lines(comparison: Together | None) -> Iterator[str]:
    """Yield until when forms agree, and why no longer; nothing where a form ran alone."""
    from mbx.analyses.simulate.together import AGREE

    if comparison is None:
        return
    ran = [form for form in comparison.forms if not form.reason]
    for form in comparison.forms:
        if form.reason:
            yield f"{form.form} does not run: {form.reason}"
        elif form.differs:
            yield (
                f"{form.form} is another motion: more than {AGREE:g} off after {form.until:g} s,"
                f" where errors explain {form.explained:.0e}"
            )
    same = [form for form in ran if not form.differs]
    if not same:
        return
    until = min(form.until for form in same if form.until is not None)
    forms = f"{len(same) + 1} forms agree within {AGREE:g}"
    if until >= comparison.run.t[-1]:
        yield f"{forms} throughout"
    else:
        yield f"{forms} until {until:g} s, and part then, because nearby trajectories do:"
        yield (
            f"  a small difference at the start is {comparison.growth:.0e} times larger there,"
            f" growing by {comparison.rate:.2g}/s"
        )
