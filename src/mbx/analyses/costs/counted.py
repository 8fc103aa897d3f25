"""Operations of a form of a model, counted on the graph of its equations.

Two quantities are counted: what it costs to get from a state to the rates of the speeds; and, of a
form in momenta, what the published estimates are for, to form the matrix of the system and to
solve it for the rates of the coordinates where the momenta are given.

What depends on a rank is counted for the rank at a consistent state in general position.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from mbx.analyses.costs.operation_counts import Counts, counted
from mbx.analyses.guard import OutOfTimeError, within
from mbx.base.errors import EquationsError, LimitError, NotApplicableError
from mbx.base.process import room
from mbx.expr.evaluate import free_symbols
from mbx.formalism import registry
from mbx.formalism.program import Step
from mbx.formalism.shapes import shapes
from mbx.numerics.execute.evaluate_equations import general_values, inexact_results
from mbx.numerics.execute.straight_line import own_values, straight_line
from mbx.numerics.states.specialise import specialise, states_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.costs.timing import Timing
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = [
    "accelerations",
    "count_equations",
    "independent_invariants",
    "rates_of_momenta",
    "times",
]

T = TypeVar("T")


def accelerations(
    system: System,
    form: str,
    *,
    symbolic: bool = False,
    timeout: float = 60.0,
) -> Counts | str:
    """Return the operations from a state to the rates of the speeds, or why there is no count."""
    return _attempt(lambda: _cost(_derive(system, form), "ud", symbolic=symbolic), timeout)


def count_equations(
    equations: Equations, *, symbolic: bool = False, timeout: float = 60.0
) -> Counts | str:
    """Return the same of equations, which are specialised where they depend on a rank."""
    return _attempt(lambda: _cost(equations, "ud", symbolic=symbolic), timeout)


def _derive(system: System, form: str) -> Equations:
    return specialise(registry.derive(system, form), states_of(system))


def independent_invariants(system: System, timeout: float = 60.0) -> int | None:
    """Return how many invariants are independent at states in general position, if it is known."""
    outcome = _attempt(lambda: states_of(system).independent, timeout)
    return None if isinstance(outcome, str) else outcome


def rates_of_momenta(
    system: System,
    form: str,
    *,
    symbolic: bool = False,
    timeout: float = 60.0,
) -> Counts | str:
    """Return the operations from coordinates and momenta to the rates of the coordinates.

    Of a form that has no momenta, or whose rates do not follow from these, the reason.
    """

    def work() -> Counts:
        equations = _derive(system, form)
        if not {"p", "qd"} <= set(equations.results):
            raise EquationsError("the form has no momenta")
        return _cost(equations, "qd", symbolic=symbolic)

    return _attempt(work, timeout)


def times(
    system: System, form: str, *, symbolic: bool = False, timeout: float = 60.0
) -> Timing | str:
    """Return what it takes to make code of a form and to run it, or why there is none."""
    from mbx.analyses.costs.timing import timed  # compilers, only where they are needed

    return _attempt(lambda: timed(system, form, symbolic=symbolic), timeout)


@room()
def _attempt(work: Callable[[], T], timeout: float) -> T | str:
    try:
        with within(timeout):
            return work()
    except OutOfTimeError:
        return f"not counted: takes more than {timeout:g} s"
    except NotApplicableError as refused:
        return str(refused)
    except EquationsError as bad:
        return f"not countable: {bad}"
    except MemoryError:
        return "not counted: takes more memory than there is"
    except LimitError:
        raise
    except Exception as bug:  # noqa: BLE001  one faulty form does not keep the others
        return f"broken: {type(bug).__name__}: {bug}"


def _cost(equations: Equations, result: str, *, symbolic: bool) -> Counts:
    """Return the operations of a result; those of `qd` where the momenta are given."""
    momenta = _momenta(equations) if result == "qd" else ()
    rows = _line(equations, result, symbolic=symbolic, known=momenta)
    nodes = [node for row in rows for node in row]
    if momenta:
        speeds = {speed.symbol for speed in (*equations.signature.u, *equations.signature.derived)}
        if not speeds.isdisjoint(free_symbols(nodes)):
            raise EquationsError("the rates do not follow from the momenta alone")
    return counted(nodes)


def _line(
    equations: Equations, result: str, *, symbolic: bool, known: Sequence[str]
) -> list[list[Node]]:
    """Return a result written out; where there are invariants, pivots are checked, too."""
    values = {} if symbolic else own_values(equations.signature)
    less = _without(equations, known)
    if equations.states is None:
        return straight_line(less, (result,), values)[result]
    if known or not equations.states.invariants:
        with suppress(EquationsError):
            return straight_line(less, (result,), values)[result]
    rows = straight_line(less, (result,), values, general_values(equations))[result]
    for reason in inexact_results(equations, {result: rows}, known).values():
        raise EquationsError(reason)
    return rows


def _momenta(equations: Equations) -> tuple[str, ...]:
    """Return the names of the momenta, those of single links where they are made of these."""
    grids = {step.name: step.grid for step in equations.steps if step.op == "block"}
    names, pending = [], [equations.results["p"]]
    while pending:
        name = pending.pop()
        if name in grids:
            pending.extend(entry for row in grids[name] for entry in row if entry is not None)
        else:
            names.append(name)
    return tuple(names)


def _without(equations: Equations, known: Sequence[str]) -> Equations:
    """Return the equations where some matrices come from outside."""
    sizes = shapes(equations.steps)
    steps = tuple(
        Step(name=step.name, op="given", size=_whole(sizes[step.name]))
        if step.name in known
        else step
        for step in equations.steps
    )
    return replace(equations, steps=steps)


def _whole(size: tuple[int | None, int | None]) -> tuple[int, int]:
    rows, columns = size
    if rows is None or columns is None:
        raise EquationsError("the number of momenta depends on a rank")
    return rows, columns
