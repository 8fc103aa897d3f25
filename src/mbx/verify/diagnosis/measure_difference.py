"""How far a form is from another form, or from the oracle, at single states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import Fault
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw_values, given
from mbx.system.elaborate import elaborate
from mbx.verify.agreement import mutual_residuals
from mbx.verify.agreement.against_oracle import compare_with_oracle
from mbx.verify.agreement.reference.rounding_sizes import sizes_of
from mbx.verify.derived_forms import Candidate, Form, Result, candidates, derive, evaluate
from mbx.verify.findings import Error, StateRow
from mbx.verify.verification_work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.guard import Clock
    from mbx.linking.link import Linked
    from mbx.numerics.states.complete import StatePoint
    from mbx.system.system import System

__all__ = ["ORACLE", "Measure", "Question", "measure_of"]

ORACLE: Final = "the oracle"


@dataclass(frozen=True, slots=True)
class Question:
    """Which form is compared with what, and what of it: accelerations or constraint forces."""

    form: str
    other: str
    what: str = "ud"


@dataclass(frozen=True, eq=False)
class Measure:
    """A model, and the forms of a question derived from it."""

    linked: Linked
    system: System
    manifold: Manifold
    forms: tuple[Form, ...]
    question: Question
    seed: int
    clock: Clock

    def at(self, points: Sequence[StatePoint]) -> list[Error | None]:
        """Return the error at each state; None where there is no result to compare."""
        sample = given(self.manifold, points)
        errors: dict[str, Error | None] = dict.fromkeys((point.name for point in points), None)
        if sample.names:
            work = Work(self.manifold, sample, self.clock, self.seed, list(self.forms), [])
            results = [
                evaluate(f, self.manifold.values, sample.points, {}, self.clock) for f in self.forms
            ]
            work.results = [r for r in results if isinstance(r, Result)]
            if len(work.results) == len(self.forms):
                errors |= (
                    self._against_oracle(work)
                    if self.question.other == ORACLE
                    else self._between(work)
                )
        return [errors[point.name] for point in points]

    def _between(self, work: Work) -> dict[str, Error | None]:
        """Return the errors of the form in the equations of the other, or the other way round."""
        points, names = work.sample.points, work.sample.names
        work.sizes = sizes_of(self.manifold, points, work.results, None, self.clock)
        errors: list[tuple[int, mutual_residuals.Errors]] = []
        if self.question.what == "Fc":
            errors.append(
                (1, mutual_residuals.force_errors(self.manifold, points, work.results, work.sizes))
            )
        else:
            for k, form in enumerate(self.forms):
                known = mutual_residuals.residual_errors(
                    form,
                    k,
                    work.results,
                    self.manifold.values,
                    points,
                    {},
                    work.sizes,
                    self.clock,
                    by_size=False,
                )
                if not isinstance(known, Fault):
                    errors += [(1 - k, error) for error in known]
        regular = np.all([r.status == REGULAR for r in work.results], axis=0)
        worst: dict[str, Error | None] = {}
        for k, name in enumerate(names):
            here = [Error(float(e.certain[j, k]), name, e.label(j, k)) for j, e in errors]
            here = [e for e in here if not np.isnan(e.value)]
            if regular[k] and here:
                # rows of equations with labels name the variable that they balance
                here.sort(key=lambda e: (e.value, not e.row.startswith("row ")))
                named = [e.row for e in here if not e.row.startswith("row ")]
                row = named[-1] if named else self._variable(work, k)
                worst[name] = replace(here[-1], row=row)
        return worst

    def _variable(self, work: Work, k: int) -> str:
        """Return the speed whose accelerations differ most."""
        gap = np.abs(work.results[0].ud[k] - work.results[1].ud[k])
        return self.system.u[int(gap.argmax())].path

    def _against_oracle(self, work: Work) -> dict[str, Error | None]:
        """Return the errors in the oracle's equations, one state after the other."""
        work.sizes = sizes_of(self.manifold, work.sample.points, work.results, None, self.clock)
        errors: dict[str, Error | None] = {}
        for k, name in enumerate(work.sample.names):
            rows = [StateRow(n, "compared" if n == name else "") for n in work.sample.names]
            comparison = compare_with_oracle(work, self.linked, rows, 1, None)
            known = comparison.Fc if self.question.what == "Fc" else comparison.ud
            if not comparison.refused and work.results[0].status[k] == REGULAR:
                errors[name] = known.get(self.question.form)
        return errors


def measure_of(linked: Linked, question: Question, seed: int, clock: Clock) -> Measure | None:
    """Return the measure of a question for a model; None if a form does not support it."""
    system = elaborate(linked, checked=True)
    forms = []
    for name in (question.form, question.other):
        if name != ORACLE:
            (candidate,) = candidates(system, (name,), clock)
            form = (
                derive(system, candidate, clock) if isinstance(candidate, Candidate) else candidate
            )
            if not isinstance(form, Form):
                return None
            forms.append(form)
    manifold = Manifold(system, draw_values(system, np.random.default_rng(seed)))
    return Measure(linked, system, manifold, tuple(forms), question, seed, clock)
