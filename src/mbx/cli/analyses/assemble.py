"""`mbx assemble`: a consistent state of a model from partial data, or all its assemblies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.round_up import format_bound
from mbx.cli.command_files import read_document
from mbx.cli.options import AsJson, Free, Hold, ModelFile, ModelName, Seed, Set, When, option
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.request_options import make_request, report_refusal, warn_of_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.assembly import Assembly
    from mbx.analyses.inverse.load_limits import Limit
    from mbx.system.system import System

__all__ = ["assemble"]

_ROUNDING: Final = 1e-13
_NEARLY: Final = 1e3
"""A condition from which a state is reported as nearly singular."""


def assemble(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose start it is; else the model's.")
    ] = "",
    *,
    hold: Hold = None,
    free: Free = None,
    values: Set = None,
    time: When = None,
    all_of_them: Annotated[bool, option("--branches")] = False,
    groups: Annotated[bool, option("--groups")] = False,
    seed: Seed = 1,
    as_json: AsJson = False,
    model: ModelName = None,
) -> int:
    """Find a consistent state, or all assemblies.

    A state has positions, speeds and accelerations.

    Values are in SI units. Status 4: there is no such state.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.assembly import assemble as find
    from mbx.analyses.assembly import branches
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
    from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
    from mbx.analyses.request import plan_of
    from mbx.analyses.simulate.integrators.grouped_states import assemble_by_groups

    request = make_request(experiment, hold, free, values, None)
    linked = warn_of_values(mbx.link(read_document(file), model), request)
    system = mbx.elaborate(linked)
    try:
        plan = plan_of(linked, system, request)
        if all_of_them:
            assemblies = branches(plan, seed, time)
        else:
            assemblies = [assemble_by_groups(plan) if groups else find(plan, at=time)]
    except (NotDeterminedError, NotNaturalError) as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except NotRunError as reason:
        return report_refusal(reason)
    if as_json:
        data = [assembly.as_json() for assembly in assemblies]
        emit_json(data if all_of_them else data[0])
        return Status.OK
    for k, assembly in enumerate(assemblies):
        if all_of_them:
            print_line(f"assembly {k + 1} of {len(assemblies)}")
        for line in _lines(system, assembly):
            print_line(line)
    return Status.OK


def _lines(system: System, assembly: Assembly) -> Iterator[str]:
    units = {**assembly.units, **{v.path: v.unit for v in (*system.q, *system.u)}}
    rows = [(path, value, units.get(path, "")) for path, value in assembly.state.items()]
    largest = max([1.0, *map(abs, assembly.accelerations.values())])
    for path, value in assembly.accelerations.items():
        rounding = abs(value) <= _ROUNDING * largest
        rows.append((path, 0.0 if rounding else value, units.get(path, "")))
    width = max((len(path) for path, _, _ in rows), default=0)
    marks = {"prescribed": assembly.prescribed, "held": assembly.held, "moved": assembly.moved}
    for path, value, unit in rows:
        mark = next((f"  ({label})" for label, paths in marks.items() if path in paths), "")
        yield f"  {path:<{width}}  {value: .10g}{' ' + unit if unit != '1' else ''}{mark}".rstrip()
    worst = max(assembly.residual)
    kept = "rounding" if worst <= _ROUNDING else format_bound(worst)
    yield f"  invariants are kept to {kept} at positions and velocities"
    rank, usual = assembly.rank, assembly.usual
    yield f"  {rank} of them independent, condition {assembly.condition:.3g}"
    if rank < usual:
        yield f"  singular: {usual} are independent in general position; here these depend:"
        yield f"    {', '.join(assembly.dependent)}"
    elif assembly.condition > _NEARLY:
        yield "  near a singular state"
    if not system.u:
        yield "  the model has no variables: nothing moves"
    elif not assembly.accelerations:
        yield f"  no accelerations: {assembly.status}"
    for limit in assembly.limits:
        yield f"  {limit.name} is zero, where {', '.join(limit.loads)} jumps"
        yield from _sides(limit)


def _sides(limit: Limit) -> Iterator[str]:
    below, above = limit.below, limit.above
    if isinstance(below, str) or isinstance(above, str):
        for side, what in (("below", below), ("above", above)):
            yield f"    from {side}: {what if isinstance(what, str) else 'regular'}"
        return
    for path, value in below.items():
        if abs(above[path] - value) > _ROUNDING * max(abs(value), abs(above[path]), 1.0):
            yield f"    {path} {value:.6g} from below, {above[path]:.6g} from above"
