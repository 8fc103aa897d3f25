"""`mbx simulate`: an experiment of a model, run through time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.asked import left_out, refused, told_left_out
from mbx.cli.convert import complain_refused, unknown_form
from mbx.cli.numbers import assignments
from mbx.cli.options import (
    Animation,
    AsJson,
    Every,
    Force,
    HoldStart,
    LastLine,
    ModelFile,
    ModelName,
    Plot,
    Reaction,
    Results,
    Set,
    Timeout,
    Until,
)
from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.read import read_document
from mbx.cli.run_files import Files, bar_of_parts
from mbx.cli.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.simulate import Run
    from mbx.analyses.together import Together

__all__ = ["simulate"]

_KEPT: Final = 1e-10
"""What is kept to less than this is kept: how much less depends on the machine."""
_ALL: Final = "all"
"""In the place of a form: all that apply."""
_EVENTS: Final = 10
"""Events that are listed."""


def simulate(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="What is run; else the model as it starts.")
    ] = "",
    *,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="METHOD",
            help="projection, baumgarte, ggl, index3, momenta or groups.",
        ),
    ] = "projection",
    independent: Annotated[
        list[str] | None,
        typer.Option(
            "--independent", metavar="NAME", help="A coordinate that groups start from; repeat."
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--form", metavar="FORM", help="FORM or FORM:VARIANT; repeat, or all, to compare."
        ),
    ] = None,
    until: Until = None,
    every: Every = None,
    values: Set = None,
    hold: HoldStart = None,
    reaction: Reaction = None,
    out: Results = None,
    picture: Plot = None,
    animation: Animation = None,
    timeout: Timeout = 300.0,
    timed: Annotated[bool, typer.Option("--time", help="Print steps and CPU time, too.")] = False,
    quiet: LastLine = False,
    as_json: AsJson = False,
    force: Force = False,
    model: ModelName = None,
) -> int:
    """Run an experiment of a model through time.

    Values are in SI units. Status 3: no form or group says it. Status 4: it leads nowhere, or
    something is not as expected.
    """
    wanted = Files(out, picture, animation, force)
    wanted.require_suffixes()
    named = [one for one in form or () if one != _ALL]
    unknown = next(filter(None, map(unknown_form, named)), None)
    if unknown is not None:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mbx import api  # noqa: PLC0415  pydantic and lark are not for --help
    from mbx.analyses.asked import Asked  # noqa: PLC0415  likewise
    from mbx.analyses.extras import ExtraError  # noqa: PLC0415  likewise
    from mbx.analyses.methods import METHODS  # noqa: PLC0415  likewise
    from mbx.analyses.simulate import Options  # noqa: PLC0415  likewise
    from mbx.draw.pose import DrawError  # noqa: PLC0415  likewise
    from mbx.errors import BackendError, NotApplicableError  # noqa: PLC0415  likewise
    from mbx.experiments.plan import NotRunError  # noqa: PLC0415  likewise
    from mbx.groups.decompose import NotDeterminedError  # noqa: PLC0415  likewise
    from mbx.groups.numbers import NotNaturalError  # noqa: PLC0415  likewise

    if method not in METHODS:
        raise typer.TyperException(f"--method {method}: one of {', '.join(METHODS)}")
    if independent and method != "groups":
        raise typer.TyperException("--independent is for --method groups")
    said = assignments("--hold", [one for one in hold or () if "=" in one])
    asked = Asked(
        experiment=experiment,
        values=assignments("--set", values or []),
        option="--set",
        initial=said,
        held=frozenset([*said, *(one for one in hold or [] if "=" not in one)]),
    )
    document = read_document(file)
    linked = api.link(document, model)
    wanted.require_writable(printed=as_json)
    system = api.system(linked)
    SETTINGS.release()
    try:
        with bar_of_parts() as progress:
            options = Options(
                method=method,
                independent=tuple(independent or ()),
                every=every,
                until=until,
                joints=tuple(reaction or ()),
                seconds=timeout,
                progress=progress,
            )
            if len(named) == len(form or ()) <= 1:
                found = None
                one = named[0] if named else None
                run = api.simulate(linked, form=one, asked=asked, options=options)
            else:
                some = named if len(named) == len(form or ()) else []
                found = api.simulate_forms(linked, forms=some, asked=asked, options=options)
                run = found.run
        files = wanted.made(document, linked, run, asked)
    except NotApplicableError as reason:
        complain_refused(" ".join(form or ()), reason, system)
        return Status.REFUSED
    except (NotDeterminedError, NotNaturalError) as reason:
        complain(f"mbx: {reason}")
        return Status.REFUSED
    except (NotRunError, DrawError) as reason:
        return refused(reason)
    except (BackendError, ExtraError) as missing:
        complain(f"mbx: {missing}")
        return Status.TROUBLE
    wanted.write(files)
    dropped = left_out(linked, asked, run.references, until)
    if as_json:
        compared = {} if found is None else {"compared": found.as_json()}
        emit_json({**run.as_json(), "not_judged": dropped, **compared})
    else:
        for line in _told(run, timed=timed, quiet=quiet):
            say(line)
        for line in () if found is None else _compared(found):
            say(line)
        for line in told_left_out(dropped):
            say(line)
    return Status.OK if run.met and (found is None or found.agree) else Status.DISAGREE


def _told(run: Run, *, timed: bool, quiet: bool) -> Iterator[str]:
    if not quiet:
        yield from _lines(run)
    if timed:
        yield (
            f"  {run.steps} steps, {run.evaluations} evaluations by {run.backend}:"
            f" {run.seconds:.2g} s of CPU time, {run.compiling:.2g} s to compile"
        )
    for one in run.references:
        if not one.met or one.cannot_fail:
            yield f"{one}"
    counted = [one for one in run.references if not one.cannot_fail]
    if counted:
        yield f"{sum(bool(x.met) for x in counted)} of {len(counted)} expectations are met"
    elif quiet:
        yield f"ran to {run.t[-1]:g} s"


def _lines(run: Run) -> Iterator[str]:
    yield f"from {run.t[0]:g} s to {run.t[-1]:g} s by {run.form}, {run.method}"
    units = {one.name: one.unit for one in run.columns}
    width = max(map(len, run.paths), default=0)
    for path, value in run.last.items():
        unit = units[path]
        yield f"  {path:<{width}}  {value: .6g}{' ' + unit if unit != '1' else ''}".rstrip()
    first, last = run["energy"][[0, -1]]
    if run.energy.changed_by is None:
        yield f"  energy {last:.6g} J, kept within {_part(run.energy.relative)}"
    else:
        yield f"  energy {last:.6g} J, at the start {first:.6g} J: {run.energy.changed_by}"
    for event in run.events[:_EVENTS]:
        yield f"  {event} at {event.t:.6g} s"
    if len(run.events) > _EVENTS:
        yield f"  and {len(run.events) - _EVENTS} more changes, in --json"
    if run.omitted:
        yield f"  not unique, and left out: {', '.join(run.omitted)}"
    if any(run.drift):
        kept, moved = map(_part, run.drift)
        yield f"  invariants kept within {kept} at positions, {moved} at velocities"


def _part(value: float) -> str:
    return "1e-10" if value <= _KEPT else f"{value:.0e}"


def _compared(found: Together) -> Iterator[str]:
    """Yield until when forms agree, and why no longer."""
    from mbx.analyses.together import AGREE  # noqa: PLC0415  not for --help

    ran = [one for one in found.forms if not one.reason]
    for one in found.forms:
        if one.reason:
            yield f"{one.form} does not run: {one.reason}"
        elif one.differs:
            yield (
                f"{one.form} is another motion: more than {AGREE:g} off after {one.until:g} s,"
                f" where errors explain {one.explained:.0e}"
            )
    same = [one for one in ran if not one.differs]
    if not same:
        return
    until = min(one.until for one in same if one.until is not None)
    forms = f"{len(same) + 1} forms agree within {AGREE:g}"
    if until >= found.run.t[-1]:
        yield f"{forms} throughout"
    else:
        yield f"{forms} until {until:g} s, and part then, because nearby trajectories do:"
        yield (
            f"  a small difference at the start is {found.growth:.0e} times larger there,"
            f" growing by {found.rate:.2g}/s"
        )
