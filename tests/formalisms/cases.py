"""What tests of forms share: systems, the forms that accept them, consistent states, results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import mbx
from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.experiments.observe import Observer, Place
from mbx.expr.nodes import symbol
from mbx.linking.library import cases
from mbx.numerics.states.complete import complete
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mbx.analyses.experiments.observe import Seen
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.evaluate_equations import Evaluation
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

Point = Place
State = dict[str, float]
_OBSERVERS: dict[int, Observer] = {}
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
        _FORMS[id(one)] = (one, all_forms(one))
    return _FORMS[id(one)][1]


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
    state = {v.path: v.start or 0.0 for v in (*one.q, *one.u)}
    state |= {path: value for path, value in said.items() if path in state}
    fixed = frozenset(said if held is None else held)
    q, u = (np.array([state[v.path] for v in variables]) for variables in (one.q, one.u))
    free = [np.array([v.path not in fixed for v in x], dtype=bool) for x in (one.q, one.u)]
    every = [np.ones(len(x), dtype=bool) for x in (one.q, one.u)]  # for digits that are left out
    manifold = Manifold(one, Values(parameters or {}, inputs or {}))
    found = complete(
        manifold,
        Points(np.array([t]), q[None], u[None]),
        (free[0], every[0]),
        (free[1], every[1]),
    )
    assert found is not None, "the state that is said cannot be completed"
    numbers = [*found.points.q[0].tolist(), *found.points.u[0].tolist()]
    found_state = dict(zip(state, numbers, strict=True))
    for path in fixed & state.keys():
        assert abs(found_state[path] - state[path]) < 1e-6, f"{path} had to move"
    return found_state


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one form gives at one point; `of` evaluates any expression of the system there."""

    evaluation: Evaluation
    seen: Seen

    def of(self, wanted: Node | str) -> float:
        """Return the value of an expression in raw symbols, or of a symbol by its name."""
        value = self.seen.of(symbol(wanted) if isinstance(wanted, str) else wanted)
        assert value is not None, wanted
        return value


def at(one: System, equations: Equations, point: Point) -> Found:
    """Return what a form gives at a point: rates of the speeds, and reactions by name."""
    found = equations.evaluate(point.state, point.parameters, point.inputs, point.t)
    assert found.status == "regular", (equations.formalism, found.status)
    (seen,) = _observer(one).at(equations, [point])
    return Found(found, seen)


def _observer(one: System) -> Observer:
    if id(one) not in _OBSERVERS:
        _OBSERVERS[id(one)] = Observer(one)
    return _OBSERVERS[id(one)]
