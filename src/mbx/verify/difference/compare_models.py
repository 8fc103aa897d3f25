"""Two models compared: the same states, and the accelerations of the same bodies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mbx.analyses.guard import Clock
from mbx.base.errors import ConverterError
from mbx.base.short_repr import shorten_repr
from mbx.formalism.registry import names as form_names
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import draw, draw_values
from mbx.system.elaborate import elaborate
from mbx.verify.agreement.kinetics import AXES, kinetics_of
from mbx.verify.derived_forms import Candidate, Form, Result, candidates, derive, evaluate
from mbx.verify.difference.changes import Change, changes
from mbx.verify.difference.element_poses import Poses, shared
from mbx.verify.difference.higher_differences import Rates, compare_rates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Points
    from mbx.system.system import System

__all__ = ["ModelDiff", "diff_models"]

SAME: Final = 1e-9
"""Part of the largest acceleration by which two models may differ: they meet the same state only
to rounding, which conditions magnify."""
DIFFERENT: Final = 1e-6
_SECOND: Final = 2
TRIES: Final = 3
"""How many states must not be met before the search ends."""
PREFERRED: Final = ("gauss", "modular", "newton_euler", "kane", "lagrange")

Verdict = Literal["same", "different", "undecided", "not comparable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDiff:
    """What two models have in common.

    Attributes:
        models: Their names.
        identical: Whether their identities are the same.
        changes: The statements that differ.
        bodies: The elements that they share.
        alone: Elements that only one model has.
        freedom: How many motions the invariants of each allow.
        forms: The form that each was evaluated in.
        states: At how many states they were compared.
        missed: How many states of one model are none of the other, as far as the search went.
        acceleration: Largest difference of an acceleration, relative to the largest, and where.
        energy: Largest relative difference of the kinetic energy.
        reason: Why they cannot be compared, if they cannot.
        order: The order of what is compared: 2 for accelerations, more where invariants have it.
    """

    models: tuple[str, str]
    identical: bool
    changes: tuple[Change, ...]
    bodies: tuple[tuple[str, str], ...] = ()
    alone: tuple[str, ...] = ()
    freedom: tuple[int, int] = (0, 0)
    forms: tuple[str, str] = ("", "")
    states: int = 0
    missed: int = 0
    acceleration: tuple[float, str] = (0.0, "")
    energy: float = 0.0
    reason: str = field(default="")
    order: int = 2

    def __repr__(self) -> str:
        """Return the models and the verdict."""
        return shorten_repr(f"<ModelDiff {self.models[0]}, {self.models[1]}: {self.verdict}>")

    @property
    def verdict(self) -> Verdict:
        """Whether they mean the same physics."""
        if self.identical:
            return "same"
        if self.freedom[0] != self.freedom[1]:
            return "different"
        if self.reason or not self.states:
            return "not comparable"
        worst = max(self.acceleration[0], self.energy)
        if worst > DIFFERENT:
            return "different"
        return "same" if worst <= SAME and not self.missed else "undecided"

    def __str__(self) -> str:
        """Return everything for people."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield everything for people."""
        for change in self.changes:
            yield str(change)
        if self.identical:
            yield "their canonical forms are the same"
        elif self.freedom[0] != self.freedom[1]:
            yield f"degrees of freedom: {self.freedom[0]} and {self.freedom[1]}"
        elif self.reason:
            yield self.reason
        else:
            value, where = self.acceleration
            bodies = ", ".join(a if a == b else f"{a} = {b}" for a, b in self.bodies)
            yield f"compared by {bodies}; {self.forms[0]} and {self.forms[1]}"
            what = "accelerations" if self.order == _SECOND else f"rates of order {self.order}"
            yield f"{what} of bodies: {value:.1e}" + (f" at {where}" if where else "")
            yield f"kinetic energy: {self.energy:.1e}"
            if self.missed:
                yield f"states that only one of them was found to have: {self.missed}"
        count = f" ({self.states} state{'s' * (self.states != 1)})" if self.states else ""
        yield f"{self.models[0]}, {self.models[1]}: {self.verdict}{count}"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data."""
        return {
            "models": list(self.models),
            "verdict": self.verdict,
            "identical": self.identical,
            "changes": [
                {"kind": c.kind, "path": c.path, "first": c.first, "second": c.second}
                for c in self.changes
            ],
            "bodies": [list(pair) for pair in self.bodies],
            "alone": list(self.alone),
            "freedom": list(self.freedom),
            "forms": list(self.forms),
            "states": self.states,
            "missed": self.missed,
            "acceleration": {"error": self.acceleration[0], "where": self.acceleration[1]},
            "energy": self.energy,
            "order": self.order,
            "reason": self.reason,
        }


def diff_models(
    first: Linked,
    second: Linked,
    *,
    states: int = 16,
    seed: int = 1,
    timeout: float = 300.0,
    renamed: Mapping[str, str] | None = None,
) -> ModelDiff:
    """Return what two models have in common; `renamed` has the names of bodies in the second.

    States are drawn for each model, and sought for the other, so that the bodies that they share
    have the same positions and velocities. There their accelerations are compared.
    """
    differences = tuple(changes(first, second))
    models = (first.model.name, second.model.name)
    if not differences:
        return ModelDiff(models=models, identical=True, changes=differences)
    clock = Clock.of(timeout, timeout)
    systems = (elaborate(first), elaborate(second))
    elements = [[e.path for e in s.elements] for s in systems]
    pairs = shared(elements[0], elements[1], renamed or {})
    alone = [
        f"{element.kind} {element.path}"
        for k, system in enumerate(systems)
        for element in system.elements
        if element.path not in {pair[k] for pair in pairs}
    ]
    rng = np.random.default_rng(seed)
    first_values = draw_values(systems[0], rng)
    values = (first_values, _likewise(systems[1], first_values, rng))
    manifolds = [Manifold(s, v) for s, v in zip(systems, values, strict=True)]
    known: dict[str, Any] = {
        "models": models,
        "identical": False,
        "changes": differences,
        "bodies": tuple(pairs),
        "alone": tuple(alone),
    }
    for a, b in (renamed or {}).items():
        for which, path, there in (("first", a, elements[0]), ("second", b, elements[1])):
            if path not in there:
                return ModelDiff(**known, reason=f"{a}={b}: the {which} has no body {path}")
    if not pairs:
        return ModelDiff(**known, reason="they share no body: say which are the same with --same")
    if systems[0].order != systems[1].order:
        orders = " and ".join(str(s.order) for s in systems)
        return ModelDiff(**known, reason=f"their unknowns have the orders {orders}")
    known["order"] = systems[0].order
    forms = [_form(s, clock) for s in systems]
    if forms[0] is None or forms[1] is None:
        return ModelDiff(**known, reason="no form applies to both")
    known["forms"] = (forms[0].name, forms[1].name)
    poses = [Poses(m, tuple(p[k] for p in pairs)) for k, m in enumerate(manifolds)]
    sample = draw(manifolds[0], rng, states)
    second_sample = draw(manifolds[1], rng, states)
    if not sample.names or not second_sample.names:
        return ModelDiff(**known, reason="no consistent state of one of them was found")
    known["freedom"] = tuple(map(_freedom, manifolds, (sample.points, second_sample.points)))
    if known["freedom"][0] != known["freedom"][1]:
        return ModelDiff(**known)
    (first_positions,), (second_positions,) = (
        p.at(source.points, "p") for p, source in zip(poses, (sample, second_sample), strict=True)
    )
    if first_positions.shape[1] != second_positions.shape[1]:
        return ModelDiff(**known, reason="a body has a place or axes in one of them only")
    met = []
    for k, source in enumerate((sample, second_sample)):
        counterparts = _counterparts(poses[k], poses[1 - k], source.points, rng, clock)
        met += [pair if k == 0 else pair[::-1] for pair in counterparts]
        known["missed"] = known.get("missed", 0) + len(source.points) - len(counterparts)
    if not met:
        why = "no state of the second puts its bodies where those of the first are"
        return ModelDiff(**known, reason=why)
    both = _both(met)
    for which, pose, points in zip(("first", "second"), poses, both, strict=True):
        unknown = pose.undetermined(points)
        if unknown:
            why = f"the bodies that they share do not tell {unknown[0]} of the {which}"
            return ModelDiff(**known, reason=why)
    if known["order"] > _SECOND:
        result = _compared_rates(known, manifolds, forms, poses, both, pairs, seed, clock)
    else:
        result = _compared(known, manifolds, forms, poses, both, pairs, clock)
    loose = _loose(systems)
    if result.verdict == "different" and loose:
        why = f"{loose[0]} has no value, and only one of them has it; at a drawn value they differ"
        return replace(result, reason=why)
    return result


def _counterparts(
    here: Poses, there: Poses, points: Points, rng: np.random.Generator, clock: Clock
) -> list[tuple[Points, Points]]:
    """Return states of a model with those of the other that put the bodies there, where there are.

    The search begins at the values of coordinates with the same names: an angle then comes
    out in the same turn.
    """
    counterparts: list[tuple[Points, Points]] = []
    (positions,) = here.at(points, "p")
    speed = here.velocities(points)
    start = np.array([v.start or 0.0 for v in there.manifold.system.q])
    for k in range(len(points)):
        if clock.left <= 0 or (k == TRIES and not counterparts):
            break
        point = points.some(np.arange(len(points)) == k)
        named = dict(zip(here.q, point.q[0], strict=True))
        near = np.array([named.get(path, x) for path, x in zip(there.q, start, strict=True)])
        other = there.meet(float(point.t[0]), positions[k, :, 0], speed[k], rng, near)
        if other is not None:
            counterparts.append((point, other))
            start = other.q[0]
    return counterparts


def _loose(systems: Sequence[System]) -> list[str]:
    """Return what has no value in one model, and is not in the other."""
    names = [{x.path for x in (*s.parameters, *s.inputs)} for s in systems]
    return [
        x.path
        for k, s in enumerate(systems)
        for x in (*s.parameters, *s.inputs)
        if x.value is None and x.path not in names[1 - k]
    ]


def _both(met: Sequence[tuple[Points, Points]]) -> tuple[Points, Points]:
    first, second = met[0]
    for a, b in met[1:]:
        first, second = first.and_then(a), second.and_then(b)
    return first, second


def _freedom(manifold: Manifold, points: Points) -> int:
    ranks = manifold.ranks(points)
    return len(manifold.system.u) - int(ranks.max(initial=0))


def _likewise(system: System, known: Values, rng: np.random.Generator) -> Values:
    """Return values for what has none: those of another model where it has the same path."""
    values = draw_values(system, rng)
    return Values(
        {path: known.parameters.get(path, v) for path, v in values.parameters.items()},
        {path: known.inputs.get(path, v) for path, v in values.inputs.items()},
    )


def _form(system: System, clock: Clock) -> Form | None:
    """Return the first form that applies."""
    for name in (*PREFERRED, *form_names()):
        try:
            (candidate, *_) = candidates(system, (name,), clock)
        except ConverterError:
            continue
        form = derive(system, candidate, clock) if isinstance(candidate, Candidate) else None
        if isinstance(form, Form):
            return form
    return None


def _compared(
    known: dict[str, Any],
    manifolds: Sequence[Manifold],
    forms: Sequence[Form | None],
    poses: Sequence[Poses],
    points: tuple[Points, Points],
    pairs: Sequence[tuple[str, str]],
    clock: Clock,
) -> ModelDiff:
    accelerations: list[Array] = []
    regular = np.ones(len(points[0]), dtype=bool)
    energies = []
    for k, (manifold, form) in enumerate(zip(manifolds, forms, strict=True)):
        kinetics = kinetics_of(manifold, points[k], clock)
        if form is None or kinetics is None:
            return ModelDiff(**known, reason="accelerations of bodies are not to be had")
        result = evaluate(form, manifold.values, points[k], {}, clock)
        if not isinstance(result, Result):
            return ModelDiff(**known, reason=f"{form.name} fails: {result.reason}")
        regular &= result.status == REGULAR
        value, _ = kinetics.accelerations(result.ud)
        rows = [
            len(AXES) * kinetics.paths.index(pair[k]) + j
            for pair in pairs
            for j in range(len(AXES))
        ]
        accelerations.append(value[:, rows])
        energies.append(poses[k].at(points[k], "T")[0][:, 0, 0])
    return _difference(known, accelerations, energies, regular, pairs)


def _compared_rates(
    known: dict[str, Any],
    manifolds: Sequence[Manifold],
    forms: Sequence[Form | None],
    poses: Sequence[Poses],
    points: tuple[Points, Points],
    pairs: Sequence[tuple[str, str]],
    seed: int,
    clock: Clock,
) -> ModelDiff:
    """Compare the rates of accelerations, at states that have the same accelerations."""
    first, second = (
        Rates(manifold, form, tuple(pair[k] for pair in pairs))
        for k, (manifold, form) in enumerate(zip(manifolds, forms, strict=True))
        if form is not None
    )
    rates = compare_rates((first, second), points, seed, clock)
    if isinstance(rates, str):
        return ModelDiff(**known, reason=rates)
    known["missed"] = known.get("missed", 0) + int((~rates.met).sum())
    T = [np.tile(pose.at(at, "T")[0][:, 0, 0], 2) for pose, at in zip(poses, points, strict=True)]
    return _difference(known, rates.rates, T, rates.met & rates.regular, pairs)


def _difference(
    known: dict[str, Any],
    rates: Sequence[Array],
    energies: Sequence[Array],
    regular: NDArray[np.bool_],
    pairs: Sequence[tuple[str, str]],
) -> ModelDiff:
    """Return by how much accelerations of bodies, or their rates, and energies differ."""
    if not regular.any():
        return ModelDiff(**known, reason="all states are singular")
    a, b = (x[regular] for x in rates)
    size = np.maximum(np.abs(a), np.abs(b)).reshape(len(a), -1, 2, 3).max(axis=(1, 3))
    scale = np.repeat(np.maximum(size, 1e-300), 3, axis=1)
    gap = (np.abs(a - b).reshape(len(a), -1, 6) / scale[:, None, :]).reshape(len(a), -1)
    where = int(gap.max(axis=0).argmax())
    label = f"{pairs[where // 6][0]}.{AXES[where % 6]}"
    T = np.stack(energies)[:, regular]
    most = np.abs(T).max(initial=0.0)
    energy = float(np.abs(T[0] - T[1]).max(initial=0.0) / most) if most > 0 else 0.0
    return ModelDiff(
        **known,
        states=int(regular.sum()),
        acceleration=(float(gap.max(initial=0.0)), label),
        energy=energy,
    )
