"""What tests of forms share: systems, the forms that accept them, consistent states, results."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import mbx
from mbx.errors import NotApplicableError
from mbx.expr.diff import jacobian
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.nodes import symbol
from mbx.expr.walk import free_symbols
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.formalism.evaluate import values_of
from mbx.library import cases
from mbx.mechanics import invariants, motion, reactions
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.evaluate import Evaluation
    from mbx.link.linked import Linked
    from mbx.system.system import System

__all__ = [
    "Found",
    "Point",
    "at",
    "completed",
    "folder",
    "forms",
    "linked",
    "system",
    "system_of",
]

State = dict[str, float]
_FORMS: dict[int, tuple[System, dict[str, Equations]]] = {}
"""What was derived, with its system, which so stays the only one of its identity."""


def folder(case: str) -> Path:
    """Return the folder of a case of the library."""
    return next(path for path in cases() if path.name == case)


@cache
def linked(case: str, model: str | None = None) -> Linked:
    """Return a case of the library, linked."""
    return mbx.link(mbx.read(folder(case) / "model.mb"), model)


@cache
def system(case: str, model: str | None = None) -> System:
    """Return the system of a case of the library."""
    return elaborate(linked(case, model))


@cache
def system_of(text: str) -> System:
    """Return the system that a text means."""
    return elaborate(mbx.link(mbx.loads(text)))


def forms(one: System) -> dict[str, Equations]:
    """Return the equations of a system in every form, and variant, that accepts it."""
    if id(one) not in _FORMS:
        _FORMS[id(one)] = (one, _forms(one))
    return _FORMS[id(one)][1]


def _forms(one: System) -> dict[str, Equations]:
    converters, faulty = registry.survey()
    assert not faulty
    found = {}
    for converter in converters:
        for variant in converter.variants:
            name = f"{converter.name}:{variant.name}" if variant.name else converter.name
            if registry.refusals(one, converter.name, variant.name):
                continue
            try:
                found[name] = registry.derive(one, name)
            except NotApplicableError:
                continue
    return found


def completed(
    one: System,
    said: Mapping[str, float],
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    held: Iterable[str] | None = None,
    t: float = 0.0,
) -> State:
    """Return a consistent state near what is said and where the model starts.

    What is held stays; that is all that is said, unless told otherwise.
    """
    moving = motion.in_speeds(one)
    levels = invariants.levels(moving)
    state = {v.path: v.start or 0.0 for v in (*one.q, *one.u)}
    state |= {path: value for path, value in said.items() if path in state}
    fixed = frozenset(said if held is None else held)
    bare = Program().equations(one, "", "", "", {})
    higher = {x.path: 0.0 for x in bare.signature.higher}

    def numbers(nodes: Sequence[Node]) -> Any:
        values = values_of(bare, {**state, **higher}, parameters, inputs, t)
        return np.array([float(x) for x in evaluate_arrays(nodes, values)])

    derived = [x for level in (levels.position, levels.velocity) for x in level]
    assert moving.said(derived) == derived  # no raw rates are left
    _solve(numbers, state, list(levels.position), [(v.path, v.symbol) for v in one.q], fixed, 0.5)
    _solve(
        numbers, state, list(levels.velocity), [(v.path, v.symbol) for v in one.u], fixed, np.inf
    )
    return state


def _solve(
    numbers: Callable[[Sequence[Node]], Any],
    state: State,
    rows: list[Node],
    variables: list[tuple[str, Node]],
    fixed: AbstractSet[str],
    reach: float,
) -> None:
    """Bring variables that are not fixed onto invariants, by short Newton steps."""
    free = [(path, symbol) for path, symbol in variables if path not in fixed]
    slopes = [x for row in jacobian(rows, [s for _, s in free]) for x in row]
    for _ in range(60):
        c = numbers(rows)
        if not c.size or not free or np.abs(c).max() < 1e-15:
            break
        step = -np.linalg.pinv(numbers(slopes).reshape(len(rows), len(free)), rcond=1e-10) @ c
        step *= min(1.0, reach / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-16:
            break
        for (path, _), change in zip(free, step, strict=True):
            state[path] += float(change)
    assert np.abs(numbers(rows)).max(initial=0) < 1e-8, "the state that is said cannot be completed"


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Where equations are evaluated."""

    state: Mapping[str, float]
    parameters: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    t: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one form gives at one point; `of` evaluates any expression of the system there."""

    one: System
    evaluation: Evaluation
    known: Mapping[Node, Any]

    def of(self, wanted: Node | str) -> float:
        """Return the value of an expression in raw symbols, or of a symbol by its name."""
        node = symbol(wanted) if isinstance(wanted, str) else wanted
        (said,) = motion.in_speeds(self.one).said([node])
        return float(evaluate_arrays([said], self.known)[0])

    def knows(self, node: Node) -> bool:
        """Return whether the form gives everything that an expression names."""
        said = motion.in_speeds(self.one).said([node])
        return all(x in self.known for x in free_symbols(said))


def at(one: System, equations: Equations, point: Point) -> Found:
    """Return what a form gives at a point: rates of the speeds, and reactions by name."""
    arguments = (point.state, point.parameters, point.inputs, point.t)
    found = equations.evaluate(*arguments)
    assert found.status == "regular", (equations.formalism, found.status)
    known: dict[Node, Any] = dict(values_of(equations, *arguments))
    highest = [x.symbol for x in equations.signature.highest]
    known |= dict(zip(highest, found.ud, strict=True))
    if "lam" not in equations.results:
        return Found(one, found, known)
    in_rates = "qdd" in equations.results
    moving = motion.in_rates(one) if in_rates else motion.in_speeds(one)
    levels = invariants.levels(moving, rates=in_rates)
    named = [row.reaction for row in levels.rows if row.reaction is not None]
    held = {row.joint for row in levels.rows}
    named += [s for path, six in one.joint_reactions.items() if path in held for s in six]
    Y = [motion.in_speeds(one).said(row) for row in reactions.reaction_map(levels, named)]
    for one_symbol, row in zip(named, Y, strict=True):
        known[one_symbol] = float(np.dot(evaluate_arrays(row, known), found.lam))
    for path, six in found.reactions.items():
        known |= dict(zip(one.joint_reactions.get(path, ()), six, strict=False))
    return Found(one, found, known)
