"""`mbx inverse`: the inputs and reactions that bring a prescribed motion about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.round_up import format_bound
from mbx.cli.analyses.run_files import Files, bar_of_parts
from mbx.cli.command_files import SETTINGS, read_document
from mbx.cli.equations.convert import complain_refused, unknown_form
from mbx.cli.options import (
    Animation,
    AsJson,
    Every,
    Force,
    LastLine,
    ModelFile,
    ModelName,
    Plot,
    Reaction,
    Results,
    Set,
    Start,
    Timeout,
    Until,
    option,
)
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.request_options import (
    left_out,
    left_out_lines,
    make_request,
    report_refusal,
    warn_of_values,
    with_only_experiment,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.inverse.inverse_analysis import Inverse
    from mbx.analyses.inverse.reversals import Jump
    from mbx.analyses.simulate.runs import Column
    from mbx.system.system import System

__all__ = ["inverse"]

_AGREED: Final = 1e-6
"""Part of the largest input by which forms may be off each other."""
_SHOWN: Final = 1e-10


def inverse(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str,
        typer.Argument(metavar="EXPERIMENT", help="What prescribes the motion; else the only one."),
    ] = "",
    *,
    form: Annotated[
        list[str] | None,
        option("--form", "repeat to compare"),
    ] = None,
    until: Until = None,
    every: Every = None,
    values: Set = None,
    start: Start = None,
    reaction: Reaction = None,
    least: Annotated[bool, option("--least")] = False,
    out: Results = None,
    picture: Plot = None,
    animation: Animation = None,
    timeout: Timeout = 300.0,
    quiet: LastLine = False,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Find the inputs and reactions of a prescribed motion.

    Values are in SI units. Status 4: no inputs cause the motion, or an expectation is
    not met.
    """
    wanted = Files(out, picture, animation, force)
    wanted.require_suffixes()
    for name in form or ():
        unknown = unknown_form(name)
        if unknown is not None:
            complain(f"mbx: {unknown}")
            complain("  help: mbx forms lists all forms")
            return Status.USAGE
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.inverse.inverse_analysis import Options
    from mbx.analyses.perform_requests import perform_inverse
    from mbx.base.errors import NotApplicableError
    from mbx.base.extras import ExtraError
    from mbx.show.drawing.pose import DrawError

    request = make_request(experiment, start, None, values, None, spelled="--start")
    document = read_document(file)
    linked = warn_of_values(mbx.link(document, model), request)
    wanted.require_writable(printed=as_json)
    system = mbx.elaborate(linked)
    SETTINGS.release()
    try:
        request = with_only_experiment(linked, request)
        with bar_of_parts() as progress:
            options = Options(
                every=every,
                until=until,
                least=least,
                joints=tuple(reaction or ()),
                seconds=timeout,
                progress=progress,
            )
            result = perform_inverse(linked, request, options, forms=form or ())
        files = wanted.render_run(document, linked, result, request)
    except NotApplicableError as reason:
        complain_refused(_refusing_form(form or (), system), reason, system)
        return Status.REFUSED
    except (NotRunError, DrawError) as reason:
        return report_refusal(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    dropped = left_out(linked, request, result.references, until)
    if as_json:
        emit_json({**result.as_json(), "not_judged": dropped})
    else:
        for line in (*_report_lines(result, quiet=quiet), *left_out_lines(dropped)):
            print_line(line)
    agreed = all(off <= _AGREED for off in result.deviations.values())
    return wanted.status(Status.OK if result.met and agreed else Status.DISAGREE)


def _refusing_form(forms: Sequence[str], system: System) -> str:
    """Return the first form that does not support a system."""
    from mbx.formalism import registry

    pairs = [(name, *name.partition(":")[::2]) for name in forms]
    return next((n for n, form, variant in pairs if registry.refusals(system, form, variant)), "")


def _report_lines(result: Inverse, *, quiet: bool) -> Iterator[str]:
    if not quiet:
        yield from _lines(result)
    for name, off in result.deviations.items():
        if not quiet or off > _AGREED:
            verdict = "inputs agree" if off <= _AGREED else "inputs DISAGREE"
            yield f"  {name}: {verdict} within {_part(off)}"
    for reference in result.references:
        if not reference.met or reference.cannot_fail:
            yield f"{reference}"
    counted = [reference for reference in result.references if not reference.cannot_fail]
    if counted:
        met = sum(bool(reference.met) for reference in counted)
        yield f"{met} of {len(counted)} expectations are met"
    elif quiet:
        yield f"found to {result.t[-1]:g} s"


def _lines(result: Inverse) -> Iterator[str]:
    moved = ", ".join(result.motions)
    when = f"from {result.t[0]:g} s to {result.t[-1]:g} s"
    if result.t[0] == result.t[-1]:
        when = f"at {result.t[0]:g} s"
    yield f"{moved} prescribed {when}, by {result.form}"
    if result.open:
        count = "1 freedom is" if result.open == 1 else f"{result.open} freedoms are"
        yield f"  {count} left to itself, and integrated"
    columns = [
        column for column in result.columns if column.name in {*result.inputs, *result.reactions}
    ]
    width = max(len(column.name) for column in columns)
    for column in columns:
        yield f"  {column.name:<{width}}  {_range(column, result)}"
    if result.omitted:
        yield f"  not unique, and left out: {', '.join(result.omitted)}"
    for jump in result.jumps:
        yield from _jump(jump, result, columns)
    for rest in result.rests:
        yield (
            f"  {rest.name} is zero from {rest.first:g} s to {rest.last:g} s: as the model says it,"
            " without a limit from either side"
        )
    for text in result.singular:
        yield f"  {text}; numbers are on both sides of it"
    for t, path, entered in result.changes:
        yield f"  {'enters' if entered else 'leaves'} the branch {path} before {t:g} s"


def _range(column: Column, result: Inverse) -> str:
    import numpy as np

    low, high = int(np.nanargmin(column.values)), int(np.nanargmax(column.values))
    unit = f" {column.unit}" if column.unit not in {"", "1"} else ""
    least, most = column.values[low], column.values[high]
    if max(abs(least), abs(most)) <= _SHOWN:
        return f"0{unit}"
    if most - least <= _SHOWN * max(abs(least), abs(most)):
        return f"{most:.6g}{unit}"
    return f"{least:.6g} at {result.t[low]:g} s to {most:.6g} at {result.t[high]:g} s{unit}"


def _jump(jump: Jump, result: Inverse, columns: list[Column]) -> Iterator[str]:
    t = jump.place.place.t
    sides = result.sides(t)
    names = ", ".join(each.name for each in jump.switches)
    if sides is not None:
        before, after = sides
        yield f"  {names} changes its sign at {t:g} s"
        for column in columns:
            a, b = column.values[before], column.values[after]
            if abs(b - a) > _SHOWN * max(abs(a), abs(b)):
                yield f"    {column.name} {a:.6g} before, {b:.6g} after"


def _part(value: float) -> str:
    return "1e-10" if value <= _SHOWN else format_bound(value)
