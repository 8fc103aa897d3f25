"""A model before any change: random states, and what forms and oracle give at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.guard import Clock
from mbx.base.diagnostics import Report
from mbx.base.errors import MbxError, SourceError
from mbx.linking.link import Linked, link_document
from mbx.numerics.states.complete import StatePoint
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import draw, draw_values
from self_test.metamorphic.evaluate_relation import Prepared, Results, prepare, results_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.language.document.document import Document

__all__ = ["ORACLE", "Question", "question_of"]

ORACLE: Final = 1
"""States that the oracle is asked at."""
SECONDS: Final = 120.0
"""How long one piece of work may take."""
PIECES: Final = 20
"""How many times as long all of them may take."""


@dataclass(frozen=True, eq=False)
class Question:
    """A model as it was read, and what its forms and the oracle give before any change."""

    document: Document
    name: str
    linked: Linked
    values: Values
    states: tuple[StatePoint, ...]
    results: Results
    clock: Clock

    def at(
        self,
        prepared: Prepared,
        names: Callable[[str], str],
        more: Mapping[str, float] | None = None,
        factor: Callable[[str], float] = lambda _: 1.0,
    ) -> Results:
        """Return the results of another model at the same states.

        `more` are variables that only the other model has. A variable, parameter or input is
        `factor` times as large there, by its path here.
        """

        def there(known: Mapping[str, Any]) -> dict[str, Any]:
            return {names(path): factor(path) * x for path, x in known.items()}

        values = Values(there(self.values.parameters), there(self.values.inputs))
        states = [
            StatePoint(one.name, one.t, {**there(one.values), **(more or {})})
            for one in self.states
        ]
        higher = there(self.results.higher)
        return results_at(prepared, values, states, self.clock, oracle=ORACLE, higher=higher)


def question_of(model: Document | Linked, name: str | None, states: int, seed: int) -> Question:
    """Return a model with its results at random states."""
    if isinstance(model, Linked):
        document, linked = model.document, model
    else:
        report = Report()
        found = link_document(model, name, report)
        if found is None or not report.ok:
            raise SourceError(report)
        document, linked = model, found
    clock = Clock.of(PIECES * SECONDS, SECONDS)
    rng = np.random.default_rng(seed)
    prepared = prepare(linked, clock)
    system = prepared.system
    manifold = Manifold(system, draw_values(system, rng))
    sample = draw(manifold, rng, states)
    if not sample.names:
        raise MbxError("there is no consistent state to check it at")
    points = tuple(
        StatePoint(
            state,
            float(sample.points.t[k]),
            {
                **{v.path: float(sample.points.q[k, j]) for j, v in enumerate(system.q)},
                **{v.path: float(sample.points.u[k, j]) for j, v in enumerate(system.u)},
            },
        )
        for k, state in enumerate(sample.names)
    )
    results = results_at(prepared, manifold.values, points, clock, oracle=ORACLE)
    return Question(document, linked.model.name, linked, manifold.values, points, results, clock)
