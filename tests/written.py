"""Equations that were written as code, beside their run in NumPy: what both sides share.

A target's code is run at states of the model, and its accelerations are put into the form's own
equations, or into those of another form where it has none: the backward error is what remains,
in relation to the magnitudes of the terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import mbx
from mbx import pipeline
from mbx.base.errors import EquationsError, MbxError
from mbx.codegen.routine import routine
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism import registry
from mbx.linking.library import cases
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values, special

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mbx.codegen.routine import Routine
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.numerics.states.manifold import Points
    from mbx.system.system import System

__all__ = [
    "ALL_FORMS_OF",
    "CLOSE",
    "MODELS",
    "REFUSED",
    "Case",
    "case",
    "forms_of",
    "library_forms",
    "wrong",
]

CLOSE: Final = 1e-12
LOST: Final = 1e-10
STATES: Final = 5
MODELS: Final = (
    "simple_pendulum",
    "four_bar",
    "rolling_disc",
    "slider_crank_3d_friction",
    "heavy_top_quaternion",
    "dc_motor",
    "programme_order_3",
    "bennett_linkage",
    "cam_follower",
    "kapitza_pendulum",
)
"""Ten models: trees and loops, redundant and nonholonomic constraints, quaternions, reactions in
loads (`implicit`), order 3, effective rows, functions, time."""
ALL_FORMS_OF: Final = ("four_bar", "slider_crank_3d_friction", "rolling_disc")
"""Three models whose forms have every kind of step."""
REFUSED: Final = (
    "cannot be written out",
    "loses its digits",
    "no state tried is regular",
    "no consistent state is found",
)
"""Reasons for which code is refused."""
_JUDGES: Final = ("gibbs_appell", "kane", "lagrange", "newton_euler", "jourdain", "modular")


@cache
def _system(model: str) -> System:
    return mbx.elaborate(mbx.read(f"lib:{model}"))


@cache
def forms_of(model: str) -> tuple[str, ...]:
    """Return the forms, with variants, that can say a model."""
    return tuple(form for form in _every_form() if _applies(model, form))


def library_forms(model: str, count: int) -> list[str]:
    """Return some forms of a model of the library: others of the next one, until all had a turn."""
    every = _every_form()
    place = count * sorted(path.name for path in cases()).index(model) % len(every)
    able = (form for form in (*every[place:], *every[:place]) if _applies(model, form))
    return list(islice(able, count))


@cache
def _every_form() -> tuple[str, ...]:
    return tuple(
        f"{converter.name}:{variant.name}" if variant.name else converter.name
        for converter in registry.survey()[0]
        for variant in converter.variants
    )


def _applies(model: str, form: str) -> bool:
    try:
        _derived(model, form)
    except MbxError:
        return False
    return True


@cache
def _derived(model: str, form: str) -> Equations:
    return mbx.derive(_system(model), form)


@dataclass(frozen=True, eq=False)
class Case:
    """A form of a model at some regular states.

    `values` are those of all symbols, one for each state; `matrices` the results of the run.
    """

    model: str
    form: str
    equations: Equations
    values: Mapping[Node, Any]
    matrices: Mapping[str, Any]
    judge: Equations

    def __len__(self) -> int:
        """Return how many states there are."""
        return len(self.matrices["ud"])

    def arguments(self, of: Routine) -> dict[str, Any]:
        """Return the arguments of a routine by group, (states, number of them); t is a column."""
        groups: dict[str, list[Any]] = {}
        for one in of.arguments:
            value = np.broadcast_to(self.values[one.symbol], len(self))
            groups.setdefault(one.group, []).append(value)
        empty = np.zeros((len(self), 0))
        every = ("q", "u", "higher", "inputs", "parameters")
        found = {
            name: np.stack(groups[name], axis=1) if name in groups else empty for name in every
        }
        return {"t": groups["t"][0], **found}

    def error(self, results: Mapping[str, Any]) -> float:
        """Return the largest backward error of results, each (states, rows, columns).

        Accelerations that are those of the run, to rounding, have no larger error than these,
        although a row of another form may be small where that form is nearly singular. A form
        that loses digits by itself, as those in large momenta or with thousands of operations do,
        is held to three times what its straight line leaves, if that is no more than 1e-10.
        """
        ud = np.asarray(results["ud"], dtype=float)
        own = np.asarray(self.matrices["ud"])
        forward = _ratio(ud - own, np.abs(own).max(axis=1, keepdims=True, initial=0.0))
        found = min(self._left(ud), forward)
        if CLOSE < found <= 3 * LOST:
            found *= CLOSE / max(CLOSE, 3 * min(self._lost(), LOST))
        worst = [found]
        for key in ("qd", "M", "h", "A", "b"):
            if key in results and key in self.matrices and np.size(results[key]):
                mine, own = np.asarray(results[key]), np.asarray(self.matrices[key])
                size = np.abs(own).max(axis=(1, 2), keepdims=True)
                worst.append(_ratio(mine - own, np.maximum(size, self._beside(key))))
        return max(worst)

    def _beside(self, key: str) -> Any:
        """Return how large the terms are that stand beside h or b, which may be rounding only."""
        matrix = self.matrices.get({"h": "M", "b": "A"}.get(key, ""))
        ud = np.abs(self.matrices["ud"])
        if matrix is None or np.shape(matrix)[2] != ud.shape[1]:
            return 0.0
        return (np.abs(matrix) @ ud).max(axis=(1, 2), keepdims=True, initial=0.0)

    def _lost(self) -> float:
        """Return what the accelerations of the straight line leave, operation by operation."""
        rows = routine(pipeline.subject(self.equations), ["ud"]).results["ud"]
        flat = evaluate_arrays([node for row in rows for node in row], self.values)
        ud = np.stack([np.broadcast_to(x, len(self)) for x in flat], axis=1)
        return self._left(ud[:, :, None])

    def _left(self, ud: Any) -> float:
        """Return what accelerations leave of the equations, in relation to their terms."""
        residual = self.judge.residuals[0]
        out = run(self.judge, self.values, residual=residual, given={"ud": ud})
        gap, size = (np.asarray(out.matrix(n)) for n in (residual.value, residual.magnitude))
        largest = size.max(axis=1, keepdims=True, initial=0.0)
        return _ratio(gap, np.maximum(size, 1e-3 * largest))


def _ratio(gap: Any, size: Any) -> float:
    """Return the largest quotient; what is no number is infinitely wrong."""
    if not np.all(np.isfinite(gap)):
        return np.inf
    with np.errstate(all="ignore"):
        found = np.where(np.abs(gap) == 0, 0.0, np.abs(gap) / size)
    return float(np.max(found, initial=0.0))


@cache
def _drawn(model: str, states: int) -> tuple[Manifold, Points]:
    system = _system(model)
    rng = np.random.default_rng(7)
    manifold = Manifold(system, draw_values(system, rng))
    return manifold, draw(manifold, rng, states).and_then(special(manifold, rng)).points


@cache
def case(model: str, form: str, states: int = STATES) -> Case:
    """Return a form of a library model at its start and at random states where it is regular."""
    equations = _derived(model, form)
    manifold, points = _drawn(model, states)
    higher = draw_higher(equations, manifold.values, points, 7)
    values = manifold.values.at(equations, points, higher)
    values = {node: np.broadcast_to(x, len(points)) for node, x in values.items()}
    outcome = run(equations, values)
    sound = np.flatnonzero(outcome.status == REGULAR)[:states]
    assert sound.size, (model, form, outcome.status)
    values = {node: x[sound] for node, x in values.items()}
    outcome = run(equations, values)
    matrices = {
        key: found
        for key, name in equations.results.items()
        if not isinstance(found := outcome.matrix(name), list)
    }
    return Case(model, form, equations, values, matrices, _judge(model, equations, values, form))


def _judge(model: str, equations: Equations, values: Mapping[Node, Any], form: str) -> Equations:
    """Return equations with a residual that are regular at all states: the form's own, if any."""
    for name in (form, *_JUDGES):
        try:
            found = equations if name == form else _derived(model, name)
        except MbxError:
            continue
        if found.residuals and bool((run(found, values).status == REGULAR).all()):
            return found
    raise AssertionError(f"no form judges {form} of {model}")


def wrong(
    model: str, error: Callable[[Case], float], forms: Iterable[str], *more: str
) -> dict[str, object]:
    """Return the forms whose code is off by more than rounding, or is refused for no known reason.

    `more` are reasons beside the usual ones.
    """
    found: dict[str, object] = {}
    for form in forms:
        try:
            off = error(case(model, form, 3))
        except EquationsError as refused:
            if not any(reason in str(refused) for reason in (*REFUSED, *more)):
                found[form] = str(refused)
            continue
        if not off <= CLOSE:
            found[form] = off
    return found
