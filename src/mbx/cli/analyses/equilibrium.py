"""`mbx equilibrium`: where a model stays at rest, or goes on steadily."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.options import AsJson, Free, Hold, ModelFile, ModelName, Seed, Set, When, option
from mbx.cli.output import Status, emit_json, say
from mbx.cli.read_input import read_document
from mbx.cli.request_options import asked_for, refused, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.equilibrium.steady_states import Equilibrium
    from mbx.system.system import System

__all__ = ["equilibrium"]

_ROUNDING: Final = 1e-12


def equilibrium(  # noqa: PLR0913  the options of the command
    file: ModelFile,
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="Whose values it has; else the model's.")
    ] = "",
    *,
    hold: Hold = None,
    free: Free = None,
    values: Set = None,
    time: When = None,
    all_of_them: Annotated[bool, option("--all")] = False,
    seed: Seed = 1,
    as_json: AsJson = False,
    model: ModelName = None,
) -> int:
    """Find equilibria and steady motions.

    Speeds are zero unless they are held.

    Values are in SI units. Status 4: there is no such state near the start.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.analyses.equilibrium.steady_states import equilibria
    from mbx.analyses.equilibrium.steady_states import equilibrium as find
    from mbx.analyses.experiments.experiment_plan import NotRunError
    from mbx.analyses.request import plan_of
    from mbx.base.errors import EquationsError

    asked = asked_for(experiment, hold, free, values, time)
    linked = warned(mbx.link(read_document(file), model), asked)
    system = mbx.elaborate(linked)
    try:
        plan = plan_of(linked, system, asked)
        found = equilibria(plan, seed) if all_of_them else [find(plan)]
    except (NotRunError, EquationsError) as reason:
        return refused(reason)
    if as_json:
        data = [one.as_json() for one in found]
        emit_json(data if all_of_them else data[0])
        return Status.OK
    for k, one in enumerate(found):
        if all_of_them:
            say(f"equilibrium {k + 1} of {len(found)}")
        for line in _lines(system, one):
            say(line)
    return Status.OK


def _lines(system: System, one: Equilibrium) -> Iterator[str]:
    units = {v.path: v.unit for v in (*system.q, *system.u)}
    width = max((len(path) for path in one.state), default=0)
    for path, value in one.state.items():
        if path in units:
            number = 0.0 if abs(value) < _ROUNDING else value
            unit = "" if units[path] == "1" else f" {units[path]}"
            yield f"  {path:<{width}}  {number: .6g}{unit}"
    for path, force in one.held.items():
        needed = f"'{path}' is held by {force:.6g}" if force else f"nothing must hold '{path}'"
        yield f"  {needed}"
    if one.linear is None:
        yield f"  its stability is not known: {one.why}"
    elif not one.linear.x:
        yield "  no freedom: nothing is left that could move"
    else:
        yield f"  {one.linear.kind}, {one.stability}"
        for mode in one.linear.modes:
            yield f"    {_mode(mode.value, mode.period)}"


def _mode(value: complex, period: float | None) -> str:
    """Return an eigenvalue in words."""
    if period is None:
        return f"{value.real:.6g} 1/s"
    return f"{value.real:.6g} +- {value.imag:.6g}i 1/s, period {period:.6g} s"
