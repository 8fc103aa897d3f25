"""`mbx equilibrium`: where a model stays at rest, or goes on steadily."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.cli.command_files import read_document
from mbx.cli.options import AsJson, Free, Hold, ModelFile, ModelName, Seed, Set, When, option
from mbx.cli.output import Status, emit_json, print_line
from mbx.cli.request_options import make_request, report_refusal, warn_of_values

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

    request = make_request(experiment, hold, free, values, time)
    linked = warn_of_values(mbx.link(read_document(file), model), request)
    system = mbx.elaborate(linked)
    try:
        plan = plan_of(linked, system, request)
        solutions = equilibria(plan, seed) if all_of_them else [find(plan)]
    except (NotRunError, EquationsError) as reason:
        return report_refusal(reason)
    if as_json:
        data = [solution.as_json() for solution in solutions]
        emit_json(data if all_of_them else data[0])
        return Status.OK
    for k, solution in enumerate(solutions):
        if all_of_them:
            print_line(f"equilibrium {k + 1} of {len(solutions)}")
        for line in _lines(system, solution):
            print_line(line)
    return Status.OK


def _lines(system: System, solution: Equilibrium) -> Iterator[str]:
    units = {v.path: v.unit for v in (*system.q, *system.u)}
    width = max((len(path) for path in solution.state), default=0)
    for path, value in solution.state.items():
        if path in units:
            number = 0.0 if abs(value) < _ROUNDING else value
            unit = "" if units[path] == "1" else f" {units[path]}"
            yield f"  {path:<{width}}  {number: .6g}{unit}"
    for path, force in solution.held.items():
        needed = f"'{path}' is held by {force:.6g}" if force else f"nothing must hold '{path}'"
        yield f"  {needed}"
    if solution.linear is None:
        yield f"  its stability is not known: {solution.why}"
    elif not solution.linear.x:
        yield "  no freedom: nothing is left that could move"
    else:
        yield f"  {solution.linear.kind}, {solution.stability}"
        for mode in solution.linear.modes:
            yield f"    {_mode(mode.value, mode.period)}"


def _mode(value: complex, period: float | None) -> str:
    """Return an eigenvalue in words."""
    if period is None:
        return f"{value.real:.6g} 1/s"
    return f"{value.real:.6g} +- {value.imag:.6g}i 1/s, period {period:.6g} s"
