"""What Python calls to run a model through time: `mbx.simulate` and `mbx.inverse`."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Literal, overload

from mbx.analyses.perform_requests import perform_inverse, perform_simulation, perform_together
from mbx.analyses.request import RequestError, request_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypedDict, Unpack

    from mbx.analyses.inverse.inverse_analysis import Inverse
    from mbx.analyses.simulate.runs import Run
    from mbx.analyses.simulate.together import Together
    from mbx.pipeline import ModelLike

    class Simulation(TypedDict, total=False):
        """The arguments of `simulate` that do not change what it returns."""

        model: str | None
        until: float | None
        every: float | None
        also: Sequence[float]
        set: Mapping[str, float] | None
        start: Mapping[str, float] | None
        hold: Mapping[str, float] | Sequence[str]
        method: str
        independent: Sequence[str]
        tolerance: float | None
        results: Sequence[str]
        reactions: Sequence[str]
        error: bool
        timeout: float
        progress: Callable[[float], None] | None


__all__ = ["inverse", "simulate"]


@overload
def simulate(
    document: ModelLike,
    experiment: str = "",
    *,
    form: str | None = None,
    forms: None = None,
    **options: Unpack[Simulation],
) -> Run: ...


@overload
def simulate(
    document: ModelLike,
    experiment: str = "",
    *,
    forms: Sequence[str] | Literal["all"],
    **options: Unpack[Simulation],
) -> Together: ...


def simulate(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    until: float | None = None,
    every: float | None = None,
    also: Sequence[float] = (),
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    form: str | None = None,
    forms: Sequence[str] | Literal["all"] | None = None,
    method: str = "projection",
    independent: Sequence[str] = (),
    tolerance: float | None = None,
    results: Sequence[str] = (),
    reactions: Sequence[str] = (),
    error: bool = False,
    timeout: float = inf,
    progress: Callable[[float], None] | None = None,
) -> Run | Together:
    """Run a model through time: an experiment of it, or the model from its start.

    Values and times are in SI units, by path. A name that the model does not have raises
    `UnknownNameError`, and a request that cannot be met `NotRunError`. A run that ends before its
    time raises `EndedError`, whose `run` has the results up to there.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment that is run; "" for the model from its start.
        model: The model of the document; the last one unless it is named.
        until: The time of the end in s; else that of the experiment.
        every: Seconds between results; else as the experiment has it.
        also: Further times of results, in s.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds at the start, in SI units, by path; the others of
            the experiment give way to them.
        hold: Variables that assembly keeps, by path: names, which keep the value that they start
            with, or values by name.
        form: The formalism whose equations are integrated, "FORM" or "FORM:VARIANT"; the shortest
            that supports the model unless it is named.
        forms: Several formalisms, or "all": each runs, and the result compares them.
        method: How invariants (constraints) are kept: "projection", "stiff", "baumgarte", "ggl",
            "index3", "momenta" or "groups".
        independent: Coordinates that `method="groups"` integrates, by path.
        tolerance: The largest relative error of a step, without unit; else that of the
            experiment or of the method.
        results: Further results: "accelerations", "multipliers", "reactions".
        reactions: Joints whose reactions are among the results; "all" among them for all.
        error: Whether a second, more accurate run estimates the error.
        timeout: CPU time that it may take, in s.
        progress: A function that is called with the part of the time that is done, 0 to 1.

    Returns:
        A `Run`: `run["x"]` is a column of results, `run.last` the state at the end. With `forms`,
        a `Together`, whose `run` is that of the first form.

    Examples:
        >>> run = mbx.simulate("lib:four_bar", "swing", until=0.2, tolerance=1e-8)
        >>> run.t[-1].item()
        0.2
        >>> heavier = mbx.simulate("lib:four_bar", until=0.1, set={"m2": 2.0})
        >>> run["th"]
        Traceback (most recent call last):
        mbx.base.errors.UnknownResultError: there is no result 'th'; did you mean 'th3'? ...
    """
    from mbx.analyses.simulate.runs import Options

    request = request_of(experiment, values=set, start=start, hold=hold, yielding=True)
    options = Options(
        method=method,
        independent=tuple(independent),
        every=every,
        until=until,
        also=tuple(also),
        tolerance=tolerance,
        results=tuple(results),
        error=error,
        joints=tuple(reactions),
        seconds=timeout,
        progress=progress or (lambda _part: None),
    )
    if forms is None:
        return perform_simulation(document, request, options, form=form, name=model)
    if form is not None:
        raise RequestError("form and forms are alternatives: name the forms in one of them")
    named = () if forms == "all" else forms
    return perform_together(document, request, options, forms=named, name=model)


def inverse(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    until: float | None = None,
    every: float | None = None,
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    forms: Sequence[str] = (),
    reactions: Sequence[str] = (),
    least: bool = False,
    timeout: float = inf,
    progress: Callable[[float], None] | None = None,
) -> Inverse:
    """Find the inputs and reactions that bring a prescribed motion about.

    Values and times are in SI units, by path. Errors are those of `mbx.simulate`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment that prescribes the motion.
        model: The model of the document; the last one unless it is named.
        until: The time of the end in s; else that of the experiment.
        every: Seconds between results; else as the experiment has it.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds at the start, in SI units, by path; the others of
            the experiment give way to them.
        hold: Variables that assembly keeps, by path: names, which keep the value that they start
            with, or values by name.
        forms: Formalisms, "FORM" or "FORM:VARIANT": the first gives the results, and the others
            are compared with it; the shortest that supports the model unless some are named.
        reactions: Joints whose reactions are among the results; "all" among them for all.
        least: Whether inputs of the least sum of squares are taken where they are not unique.
        timeout: CPU time that it may take, in s.
        progress: A function that is called with the part of the time that is done, 0 to 1.

    Returns:
        An `Inverse`: `inverse["T"]` is a column of results.

    Examples:
        >>> drive = mbx.inverse("lib:four_bar", "drive", until=0.1)
        >>> drive.inputs
        ('u1',)
    """
    from mbx.analyses.inverse.inverse_analysis import Options

    options = Options(
        every=every,
        until=until,
        joints=tuple(reactions),
        least=least,
        seconds=timeout,
        progress=progress or (lambda _part: None),
    )
    request = request_of(experiment, values=set, start=start, hold=hold, yielding=True)
    return perform_inverse(document, request, options, forms=forms, name=model)
