"""All forms of a model, and the oracle, at some states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.formalism import registry
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.system.elaborate import elaborate
from mbx.verify.agreement.kinetics import kinetics_of
from mbx.verify.agreement.reference.rounding_sizes import sizes_of
from mbx.verify.derived_forms import Form, Result, complete_states, evaluate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mbx.analyses.guard import Clock
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.complete import StatePoint
    from mbx.system.system import System
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.agreement.reference.term_sizes import Sizes
    from mbx.verify.oracle import Answer

__all__ = ["Prepared", "Results", "prepare", "results_at"]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A model with the forms that it has, and why it has no others."""

    linked: Linked
    system: System
    forms: Mapping[str, Form]
    excluded: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Results:
    """What forms and oracle give at some states.

    Attributes:
        prepared: The model.
        manifold: Its invariants.
        points: The states, in numbers.
        names: What the states are called.
        higher: Accelerations that belong to the states, under a programme.
        forms: Results by form.
        failed: Why a form has no results.
        sizes: How large terms are, and what rounding moves.
        kinetics: What mass elements do.
        answers: What the oracle says at the first states.
    """

    prepared: Prepared
    manifold: Manifold
    points: Points
    names: tuple[str, ...]
    higher: Mapping[str, Array]
    forms: Mapping[str, Result]
    failed: Mapping[str, str]
    sizes: Sizes
    kinetics: Kinetics | None
    answers: tuple[Answer, ...]

    @property
    def speeds(self) -> list[str]:
        """The paths of the speeds."""
        return [v.path for v in self.manifold.system.u]

    def only(self, names: Collection[str]) -> Results:
        """Return the results of some forms; of all, if there are none of these."""
        forms = {name: one for name, one in self.forms.items() if name in names}
        return replace(self, forms=forms) if forms else self


def prepare(linked: Linked, clock: Clock, names: Collection[str] | None = None) -> Prepared:
    """Derive all forms of a model, or some of them; `SourceError` where it has errors."""
    system = elaborate(linked)
    forms, excluded = {}, {}
    for formalism in registry.names():
        converter = registry.get(formalism)
        for variant in (one.name for one in converter.variants):
            name = f"{formalism}:{variant}" if variant else formalism
            if names is not None and name not in names:
                continue
            refused = registry.refusals(system, formalism, variant)
            if refused:
                excluded[name] = "; ".join(one.sentence for one in refused)
                continue
            # that a form changes nothing else is watched where models are verified
            found = attempt(lambda c=converter, v=variant: c.derive(system, v), clock.left)  # type: ignore[misc]
            if isinstance(found, Fault):
                excluded[name] = found.reason
            else:
                forms[name] = Form(name, formalism, found)
    return Prepared(linked, system, forms, excluded)


def results_at(
    prepared: Prepared,
    values: Values,
    states: Sequence[StatePoint],
    clock: Clock,
    *,
    oracle: int,
    higher: Mapping[str, Array] | None = None,
) -> Results:
    """Run the forms of a model at some states, and ask the oracle at the first of them.

    Accelerations that belong to the states are found unless they are given.
    """
    system = prepared.system
    manifold = Manifold(system, values)
    points = Points(
        np.array([one.t for one in states], dtype=float),
        _array(states, [v.path for v in system.q]),
        _array(states, [v.path for v in system.u]),
    )
    if higher is None:
        higher = complete_states(list(prepared.forms.values()), values, points, 1, clock)
    forms, failed = {}, {}
    for name, form in prepared.forms.items():
        found = evaluate(form, values, points, higher, clock)
        if isinstance(found, Result):
            forms[name] = found
        else:
            failed[name] = found.reason
    kinetics = kinetics_of(manifold, points, clock)
    return Results(
        prepared,
        manifold,
        points,
        tuple(one.name for one in states),
        higher,
        forms,
        failed,
        sizes_of(manifold, points, list(forms.values()), kinetics, clock),
        kinetics,
        _asked(prepared.linked, values, states[:oracle], higher),
    )


def _array(states: Sequence[StatePoint], paths: Sequence[str]) -> Array:
    rows = [[one.values[path] for path in paths] for one in states]
    return np.array(rows, dtype=float).reshape(len(states), len(paths))


def _asked(
    linked: Linked, values: Values, states: Sequence[StatePoint], higher: Mapping[str, Array]
) -> tuple[Answer, ...]:
    if not states:
        return ()
    from mbx.verify.oracle import Oracle  # noqa: PLC0415  its numbers load only where they count

    oracle = Oracle(linked)
    found: list[Any] = []
    for k, one in enumerate(states):
        state = {**one.values, **{path: float(x[k]) for path, x in higher.items()}}
        found.append(oracle.at(state, one.t, values.parameters, values.inputs))
    return tuple(found)
