"""`mbx inverse`: the inputs and reactions that bring a prescribed motion about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.round_up import format_bound
from mbx.cli.analyses.run_files import Files, bar_of_parts
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
from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.read_input import SETTINGS, read_document
from mbx.cli.request_options import (
    asked_for,
    left_out,
    of_one_experiment,
    refused,
    told_left_out,
    warned,
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

    asked = asked_for(experiment, start, None, values, None, spelled="--start")
    document = read_document(file)
    linked = warned(mbx.link(document, model), asked)
    wanted.require_writable(printed=as_json)
    system = mbx.elaborate(linked)
    SETTINGS.release()
    try:
        asked = of_one_experiment(linked, asked)
        with bar_of_parts() as progress:
            options = Options(
                every=every,
                until=until,
                least=least,
                joints=tuple(reaction or ()),
                seconds=timeout,
                progress=progress,
            )
            found = perform_inverse(linked, asked, options, forms=form or ())
        files = wanted.made(document, linked, found, asked)
    except NotApplicableError as reason:
        complain_refused(_refusing(form or (), system), reason, system)
        return Status.REFUSED
    except (NotRunError, DrawError) as reason:
        return refused(reason)
    except ExtraError as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    dropped = left_out(linked, asked, found.references, until)
    if as_json:
        emit_json({**found.as_json(), "not_judged": dropped})
    else:
        for line in (*_told(found, quiet=quiet), *told_left_out(dropped)):
            say(line)
    agreed = all(off <= _AGREED for off in found.deviations.values())
    return wanted.status(Status.OK if found.met and agreed else Status.DISAGREE)


def _refusing(forms: Sequence[str], system: System) -> str:
    """Return the first of some forms that cannot say a system."""
    from mbx.formalism import registry

    pairs = [(name, *name.partition(":")[::2]) for name in forms]
    return next((n for n, form, variant in pairs if registry.refusals(system, form, variant)), "")


def _told(found: Inverse, *, quiet: bool) -> Iterator[str]:
    if not quiet:
        yield from _lines(found)
    for name, off in found.deviations.items():
        if not quiet or off > _AGREED:
            verdict = "inputs agree" if off <= _AGREED else "inputs DISAGREE"
            yield f"  {name}: {verdict} within {_part(off)}"
    for one in found.references:
        if not one.met or one.cannot_fail:
            yield f"{one}"
    counted = [one for one in found.references if not one.cannot_fail]
    if counted:
        yield f"{sum(bool(one.met) for one in counted)} of {len(counted)} expectations are met"
    elif quiet:
        yield f"found to {found.t[-1]:g} s"


def _lines(found: Inverse) -> Iterator[str]:
    moved = ", ".join(found.motions)
    when = f"from {found.t[0]:g} s to {found.t[-1]:g} s"
    if found.t[0] == found.t[-1]:
        when = f"at {found.t[0]:g} s"
    yield f"{moved} prescribed {when}, by {found.form}"
    if found.open:
        count = "1 freedom is" if found.open == 1 else f"{found.open} freedoms are"
        yield f"  {count} left to itself, and integrated"
    told = [one for one in found.columns if one.name in {*found.inputs, *found.reactions}]
    width = max(len(one.name) for one in told)
    for one in told:
        yield f"  {one.name:<{width}}  {_range(one, found)}"
    if found.omitted:
        yield f"  not unique, and left out: {', '.join(found.omitted)}"
    for jump in found.jumps:
        yield from _jump(jump, found, told)
    for rest in found.rests:
        yield (
            f"  {rest.name} is zero from {rest.first:g} s to {rest.last:g} s: as the model says it,"
            " without a limit from either side"
        )
    for text in found.singular:
        yield f"  {text}; numbers are on both sides of it"
    for t, path, entered in found.changes:
        yield f"  {'enters' if entered else 'leaves'} the branch {path} before {t:g} s"


def _range(one: Column, found: Inverse) -> str:
    import numpy as np

    low, high = int(np.nanargmin(one.values)), int(np.nanargmax(one.values))
    unit = f" {one.unit}" if one.unit not in {"", "1"} else ""
    least, most = one.values[low], one.values[high]
    if max(abs(least), abs(most)) <= _SHOWN:
        return f"0{unit}"
    if most - least <= _SHOWN * max(abs(least), abs(most)):
        return f"{most:.6g}{unit}"
    return f"{least:.6g} at {found.t[low]:g} s to {most:.6g} at {found.t[high]:g} s{unit}"


def _jump(jump: Jump, found: Inverse, told: list[Column]) -> Iterator[str]:
    t = jump.place.place.t
    sides = found.sides(t)
    names = ", ".join(each.name for each in jump.switches)
    if sides is not None:
        before, after = sides
        yield f"  {names} changes its sign at {t:g} s"
        for one in told:
            a, b = one.values[before], one.values[after]
            if abs(b - a) > _SHOWN * max(abs(a), abs(b)):
                yield f"    {one.name} {a:.6g} before, {b:.6g} after"


def _part(value: float) -> str:
    return "1e-10" if value <= _SHOWN else format_bound(value)
