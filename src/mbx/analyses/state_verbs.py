"""What Python calls for states of a model: `mbx.assemble`, `equilibrium` and `linearize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from mbx.analyses.perform_requests import (
    perform_along,
    perform_linearization,
    perform_locus,
)
from mbx.analyses.request import RequestError, plan_of, request_of
from mbx.base.process import room
from mbx.pipeline import elaborate, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypedDict, Unpack

    from mbx.analyses.assembly import Assembly
    from mbx.analyses.equilibrium.steady_states import Equilibrium
    from mbx.analyses.linearize.along_motion import Along
    from mbx.analyses.linearize.linear_system import Linear, Method
    from mbx.analyses.linearize.locus import Locus
    from mbx.pipeline import ModelLike

    class State(TypedDict, total=False):
        """The arguments that define a state."""

        model: str | None
        set: Mapping[str, float] | None
        start: Mapping[str, float] | None
        hold: Mapping[str, float] | Sequence[str]
        free: Sequence[str]
        time: float | None

    class Linearization(State, total=False):
        """The arguments of `linearize` that do not change what it returns."""

        at: str | None
        method: Method
        form: str | None
        variables: Literal["independent", "all"]
        weights: Mapping[str, float] | None
        mirror: Mapping[str, str] | None
        odd: Sequence[str]

    class Search(State, total=False):
        """The arguments of `equilibrium` that do not change what it returns."""

        seed: int

    class Assembling(Search, total=False):
        """The arguments of `assemble` that do not change what it returns."""

        groups: bool


__all__ = ["assemble", "equilibrium", "linearize"]


@overload
def assemble(
    document: ModelLike,
    experiment: str = "",
    *,
    branches: Literal[False] = False,
    **options: Unpack[Assembling],
) -> Assembly: ...


@overload
def assemble(
    document: ModelLike,
    experiment: str = "",
    *,
    branches: Literal[True],
    **options: Unpack[Assembling],
) -> list[Assembly]: ...


@room()
def assemble(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    free: Sequence[str] = (),
    time: float | None = None,
    branches: bool = False,
    groups: bool = False,
    seed: int = 1,
) -> Assembly | list[Assembly]:
    """Find a consistent state: positions, speeds and accelerations that obey the invariants.

    Values and times are in SI units, by path. A name that the model does not have raises
    `UnknownNameError`; where there is no consistent state, `NotRunError` says why.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment whose start is assembled; "" for that of the model.
        model: The model of the document; the last one unless it is named.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds at the start, in SI units, by path; the others of
            the experiment give way to them.
        hold: Variables that assembly keeps, by path: names, which keep the value that they start
            with, or values by name.
        free: Variables that are solved for, by path.
        time: The time of the state in s; else that of the start.
        branches: Whether all assemblies with the values that are kept are looked for.
        groups: Whether the variables that are kept drive structural groups.
        seed: The seed of the search for assemblies.

    Returns:
        An `Assembly`, whose `state` and `accelerations` are values by path; a list of them with
        `branches`.

    Examples:
        >>> state = mbx.assemble("lib:four_bar", hold={"th1": 1.0}).state
        >>> state["th1"]
        1.0
        >>> len(mbx.assemble("lib:four_bar", hold={"th1": 1.0}, branches=True))
        2
    """
    from mbx.analyses import assembly
    from mbx.analyses.simulate.integrators.grouped_states import (
        assemble_by_groups,
    )

    _, linked = resolve(document, model)
    request = request_of(experiment, values=set, start=start, hold=hold, free=free, yielding=True)
    plan = plan_of(linked, elaborate(linked), request)
    if branches:
        return assembly.branches(plan, seed, time)
    return assemble_by_groups(plan) if groups else assembly.assemble(plan, at=time)


@overload
def equilibrium(
    document: ModelLike,
    experiment: str = "",
    *,
    all: Literal[False] = False,
    **options: Unpack[Search],
) -> Equilibrium: ...


@overload
def equilibrium(
    document: ModelLike,
    experiment: str = "",
    *,
    all: Literal[True],
    **options: Unpack[Search],
) -> list[Equilibrium]: ...


@room()
def equilibrium(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    free: Sequence[str] = (),
    time: float | None = None,
    all: bool = False,  # noqa: A002  as on the command line
    seed: int = 1,
) -> Equilibrium | list[Equilibrium]:
    """Find where a model stays at rest near its start, or goes on steadily.

    Values and times are in SI units, by path. A name that the model does not have raises
    `UnknownNameError`; where there is no such state, `NotRunError` says what stays unbalanced.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment whose values and start are taken; "" for those of the model.
        model: The model of the document; the last one unless it is named.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds near which the state is looked for, in SI units,
            by path.
        hold: Variables that are held, by path: names, which are held at their start, or values
            by name.
        free: Speeds that may differ from zero, by path.
        time: The time of the state in s; else that of the start.
        all: Whether all equilibria are looked for, from random states.
        seed: The seed of that search.

    Returns:
        An `Equilibrium`: `state` are values by path, `stability` is what small motions show, as
        "asymptotically stable", "marginal" or "unstable"; a list of them with `all`.

    Examples:
        >>> rest = mbx.equilibrium("lib:simple_pendulum")
        >>> rest.stability
        'marginal'
    """
    from mbx.analyses.equilibrium import steady_states

    _, linked = resolve(document, model)
    request = request_of(experiment, values=set, start=start, hold=hold, free=free, time=time)
    plan = plan_of(linked, elaborate(linked), request)
    return steady_states.equilibria(plan, seed) if all else steady_states.equilibrium(plan)


@overload
def linearize(
    document: ModelLike,
    experiment: str = "",
    *,
    over: None = None,
    along: Literal[False] = False,
    **options: Unpack[Linearization],
) -> Linear: ...


@overload
def linearize(
    document: ModelLike,
    experiment: str = "",
    *,
    over: Mapping[str, Sequence[float]],
    **options: Unpack[Linearization],
) -> Locus: ...


@overload
def linearize(
    document: ModelLike,
    experiment: str = "",
    *,
    along: Literal[True],
    until: float | None = None,
    every: float | None = None,
    also: Sequence[float] = (),
    **options: Unpack[Linearization],
) -> Along: ...


def linearize(  # noqa: PLR0913  the options of the command
    document: ModelLike,
    experiment: str = "",
    *,
    model: str | None = None,
    at: str | None = None,
    over: Mapping[str, Sequence[float]] | None = None,
    along: bool = False,
    until: float | None = None,
    every: float | None = None,
    also: Sequence[float] = (),
    method: Method = "plain",
    form: str | None = None,
    variables: Literal["independent", "all"] = "independent",
    weights: Mapping[str, float] | None = None,
    mirror: Mapping[str, str] | None = None,
    odd: Sequence[str] = (),
    set: Mapping[str, float] | None = None,  # noqa: A002  as on the command line
    start: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | Sequence[str] = (),
    free: Sequence[str] = (),
    time: float | None = None,
) -> Linear | Locus | Along:
    """Linearise a model about a state, over values of a parameter, or along a motion.

    The result is x' = A x + B u in departures from the state, with its modes. Values and times are
    in SI units, by path. Errors are those of `mbx.equilibrium`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        experiment: The experiment whose values, start and motion are taken; "" for the model's.
        model: The model of the document; the last one unless it is named.
        at: The state: the name of one, "start" or "equilibrium"; else that of the experiment, or
            the start.
        over: One parameter, input or start, by path, with its values in SI units: the result is
            a root locus, with the values at which stability changes.
        along: Whether the model is linearised along the motion of the experiment, to A(t), B(t).
        until: The end of that motion, in s.
        every: Seconds between its times.
        also: Further times, in s.
        method: "plain" differentiates the equations of motion, "modular" is the recursion from
            the leaves to the root.
        form: The formalism whose accelerations are differentiated, in place of a method.
        variables: What x is: "independent" coordinates and speeds, or "all" of them.
        weights: How much invariants count, by path, where they contradict each other next to the
            state and the modular method meets them by least squares; else 1.
        mirror: Subsystems or variables, by path, that are the mirror images of others: the modular
            method then moves the model as its own mirror image.
        odd: Variables that change their sign in that mirror, by path, or by name in all subsystems.
        set: Values of parameters and inputs, in SI units, by path.
        start: Values of coordinates and speeds near which the state is looked for, in SI units,
            by path.
        hold: Variables that are held, by path: names, which are held at their start, or values
            by name.
        free: Variables that are solved for, by path.
        time: The time of the state in s; else that of the start.

    Returns:
        A `Linear` with `A`, `B`, `x`, `modes`, `eigenvalues` and `stability`; with `over` a
        `Locus`, with `along` an `Along`.

    Examples:
        >>> linear = mbx.linearize("lib:simple_pendulum", at="equilibrium")
        >>> linear.x
        ('theta', "theta'")
        >>> locus = mbx.linearize("lib:simple_pendulum", over={"l": [0.5, 1.0, 2.0]})
        >>> locus.values
        (0.5, 1.0, 2.0)
    """
    if along and (over is not None or at is not None):
        raise RequestError("along goes with neither over nor at")
    if not along and (until is not None or every is not None or also):
        raise RequestError("until, every and also are times of a motion: they go with along=True")
    from mbx.analyses.linearize.least_rules import LeastRules

    request = request_of(experiment, values=set, start=start, hold=hold, free=free, time=time)
    everything = variables == "all"
    least = LeastRules(weights=weights or {}, mirror=mirror or {}, odd=frozenset(odd))
    if along:
        from mbx.analyses.simulate.runs import Options

        options = Options(until=until, every=every, also=tuple(also))
        return perform_along(
            document,
            request,
            options,
            method=method,
            form=form,
            everything=everything,
            least=least,
            name=model,
        )
    if over is None:
        return perform_linearization(
            document,
            request,
            at=at,
            method=method,
            form=form,
            everything=everything,
            least=least,
            name=model,
        )
    if len(over) != 1:
        raise RequestError("over has one name with its values, such as {'m': [1.0, 2.0]}")
    ((name, values),) = over.items()
    return perform_locus(
        document,
        request,
        name,
        values,
        at=at,
        method=method,
        form=form,
        everything=everything,
        least=least,
        name=model,
    )
