"""What of a program is run: it does not depend on the state, and so it is found once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.expr.walk import free_symbols
from mbx.formalism.shapes import Shape, needs, shapes
from mbx.numerics.execute.step_kinds import cleans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Op, Residual, Step

__all__ = ["Plan", "noisy_in", "plan_of"]

_OF_INVARIANTS: Final = frozenset({"A", "b"})
"""Results whose bounds are found at all times: the inertia has to confirm their rank."""
_KEPT: Final = 256
"""Plans that are kept, those that were used last."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Steps to run, in order.

    Attributes:
        shapes: Rows and columns of their matrices.
        symbols: What must have a value.
        later: Matrices whose rounding is asked for afterwards.
    """

    steps: Sequence[Step]
    shapes: Mapping[str, Shape]
    symbols: Sequence[Node]
    later: frozenset[str]


def plan_of(equations: Equations, residual: Residual | None, wanted: Iterable[str] | None) -> Plan:
    """Return the steps that lead to the `wanted` matrices, or to a residual; all by default."""
    names = None if wanted is None else frozenset(wanted)
    key = id(equations), id(residual), names
    if key in _known:
        _known.move_to_end(key)
    else:
        # what a key is of is kept, so that nothing else has its identity
        _known[key] = equations, residual, _plan(equations, residual, names)
        if len(_known) > _KEPT:
            _known.popitem(last=False)
    return _known[key][2]


_Key = tuple[int, int, frozenset[str] | None]
_known: OrderedDict[_Key, tuple[Equations, Residual | None, Plan]] = OrderedDict()


def _plan(equations: Equations, residual: Residual | None, wanted: Iterable[str] | None) -> Plan:
    steps = list(equations.steps)
    known = shapes(steps)
    if residual is not None:
        known = shapes(residual.steps, known)
        steps += residual.steps
        wanted = (residual.value, residual.magnitude) if wanted is None else wanted
    if wanted is not None:
        steps = _leading_to(wanted, steps)
    names = {step.name for step in steps}
    later = {
        name
        for each in equations.residuals
        if wanted is None or _read_by(each.steps) <= set(wanted)
        for name in noisy_in(each.steps)
    }
    later |= {name for key, name in equations.results.items() if key in _OF_INVARIANTS}
    own = {name: known[name] for name in known if name in names}
    return Plan(steps, own, _symbols(steps), frozenset(later))


def _read_by(steps: Sequence[Step]) -> set[str]:
    """Return the matrices that steps take from others before them."""
    own = {step.name for step in steps}
    return {name for step in steps for name in needs(step)} - own


def _leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that some matrices need, in order; a later name hides an earlier one."""
    open_names = set(wanted)
    unknown = open_names - {step.name for step in steps}
    if unknown:
        raise EquationsError(f"no step makes '{min(unknown)}'")
    kept = set()
    for k, step in reversed([*enumerate(steps)]):
        if step.name in open_names:
            open_names = (open_names - {step.name}) | needs(step)
            kept.add(k)
    used = set(free_symbols(_entries(_inner(steps[k] for k in kept), "define")))
    # a given matrix is also needed where its entries go by their names
    return [
        step
        for k, step in enumerate(steps)
        if k in kept or not used.isdisjoint(_entries([step], "given"))
    ]


def _symbols(steps: Sequence[Step]) -> list[Node]:
    """Return what has to be known from outside."""
    every = _inner(steps)
    given = set(_entries(every, "given"))
    plain = [step for step in every if not step.symbols]
    found = [node for node in free_symbols(_entries(plain, "define")) if node not in given]
    for step in every:
        if step.symbols:
            own = given | set(step.symbols)
            found += [n for n in free_symbols(_entries([step], "define")) if n not in own]
    return list(dict.fromkeys(found))


def _inner(steps: Iterable[Step]) -> list[Step]:
    return [inner for step in steps for inner in (step, *step.steps)]


def _entries(steps: Iterable[Step], op: Op) -> Iterator[Node]:
    for step in steps:
        if step.op == op:
            for row in step.entries:
                yield from row


def noisy_in(steps: Sequence[Step], later: Iterable[str] = ()) -> set[str]:
    """Return the names of the matrices whose noise steps ask for."""
    found = set(later)
    for step in reversed(steps):
        if step.op == "implicit":
            found |= needs(step)
        elif step.name in found or cleans(step):
            found |= set(step.args) | {name for row in step.grid for name in row if name}
    return found
