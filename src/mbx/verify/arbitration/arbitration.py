"""The arbiter between a form and the oracle: both in more digits, at the very same state.

Forms have the numbers of a model as doubles, the oracle as they are written. What is within a few
units of the last place of a double is therefore rounding, however many digits there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.numerics.multiprecision.digit_numbers import widths
from mbx.verify.agreement.against_oracle import rounding
from mbx.verify.agreement.joint_names import oracle_names
from mbx.verify.agreement.kinetics import AXES, kinetics_program
from mbx.verify.agreement.mutual_residuals import NOISE, without
from mbx.verify.arbitration.arbiter import Gap, answer
from mbx.verify.arbitration.decide import is_open
from mbx.verify.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.formalism.equations import Equations
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.multiprecision.digit_numbers import Exact
    from mbx.numerics.multiprecision.digit_results import Place
    from mbx.verify.arbitration.decide import Arbiter
    from mbx.verify.derived_forms import Result
    from mbx.verify.findings import Error, OracleComparison
    from mbx.verify.oracle import Answer

__all__ = ["arbitrate"]

_THREE: Final = 3


def arbitrate(arbiter: Arbiter, linked: Linked, comparison: OracleComparison) -> OracleComparison:
    """Return the errors against the oracle, with the answer of the arbiter where it is needed."""
    known = (comparison.ud, comparison.Fc, comparison.bodies, comparison.reactions)
    if not any(is_open(e) for errors in known for e in errors.values()):
        return comparison
    judge = _OracleArbiter(arbiter, linked)
    return replace(
        comparison,
        ud={form: judge.decide(form, e, "ud") for form, e in comparison.ud.items()},
        Fc={form: judge.decide(form, e, "Fc") for form, e in comparison.Fc.items()},
        bodies={form: judge.decide(form, e, "bodies") for form, e in comparison.bodies.items()},
        reactions={
            form: judge.decide(form, e, "reactions") for form, e in comparison.reactions.items()
        },
    )


@dataclass(slots=True)
class _OracleArbiter:
    arbiter: Arbiter
    linked: Linked
    oracles: dict[int, Oracle] = field(default_factory=dict)
    answers: dict[tuple[str, int], Answer | None] = field(default_factory=dict)
    kinetics: Equations | None = None

    def decide(self, form: str, error: Error, what: str) -> Error:
        if not is_open(error):
            return error

        def gap(digits: int) -> Gap | None:
            mine = self.arbiter.multiprecision(form, error.state, digits)
            theirs = self._oracle(error.state, digits)
            if mine is None or theirs is None:
                return None
            exact_state = self.arbiter.exact_state(error.state, digits)
            return self.arbiter.guarded(
                f"{form} beside the oracle at {error.state}",
                lambda: self._gap(exact_state, mine, theirs, what, form, error.state),
            )

        return replace(error, arbiter=answer(gap))

    def _oracle(self, state: str, digits: int) -> Answer | None:
        """Return the oracle's answer at a state in so many digits."""
        key = state, digits
        if key not in self.answers:
            if digits not in self.oracles:
                self.oracles[digits] = Oracle(self.linked, digits)
            exact_state = self.arbiter.exact_state(state, digits)
            self.answers[key] = self.arbiter.guarded(
                f"the oracle at {state}", lambda: self._answer(exact_state, digits)
            )
        return self.answers[key]

    def _answer(self, exact_state: Place, digits: int) -> Answer:
        values, system = exact_state.manifold.values, exact_state.manifold.system
        fraction = exact_state.numbers.fraction
        state: dict[str, Any] = dict(exact_state.higher)
        symbols = {v.symbol: v.path for v in (*system.q, *system.u)}
        symbols |= {
            variable.symbol: variable.path
            for variable in (
                () if exact_state.completing is None else exact_state.completing.signature.higher
            )
        }
        state |= {symbols[s]: fraction(x) for s, x in exact_state.state.items() if s in symbols}
        time = float(exact_state.point.t[0])
        return self.oracles[digits].at(
            state, time, values.parameters, values.inputs, reactions=True
        )

    def _joints(self, form: str, state: str) -> dict[str, list[int]]:
        """Return the entries of reactions that are unique, by path."""
        k = self.arbiter.work.sample.names.index(state)
        return {
            path: [int(j) for j in np.flatnonzero(np.isfinite(values[k]))]
            for path, values in self._result(form).reactions.items()
        }

    def _result(self, form: str) -> Result:
        work = self.arbiter.work
        return work.results[[each.name for each in work.forms].index(form)]

    def _gap(
        self,
        exact_state: Place,
        mine: Mapping[str, Exact],
        theirs: Answer,
        what: str,
        form: str,
        state: str,
    ) -> Gap:
        work = self.arbiter.work
        k = work.sample.names.index(state)
        system, fraction = exact_state.manifold.system, exact_state.numbers.fraction
        paths = [v.path for v in system.u]
        if what == "ud":
            unknowns = dict(zip(paths, mine["ud"][:, 0], strict=True))
            if "quasi" in mine:
                unknowns |= dict(zip(self._result(form).quasi, mine["quasi"][:, 0], strict=True))
            rows = theirs.residuals({path: fraction(x) for path, x in unknowns.items()})
            moved = rounding(theirs, paths, work.sizes.data[k])
            vague = rounding(theirs, list(unknowns), _widths(exact_state, list(unknowns.values())))
            return _largest(
                (
                    abs(float(r)),
                    vague.get(label, 0.0),
                    max(float(size), moved.get(label, 0.0) / NOISE),
                )
                for label, r, size in rows
            )
        if what == "Fc":
            rows_of = self._forces(mine, theirs, k)
        elif what == "reactions":
            rows_of = self._reactions(mine, theirs, k, self._joints(form, state))
        else:
            rows_of = self._bodies(exact_state, mine, theirs, form, k)
        entries = list(rows_of)
        gaps = np.array([theirs.apart(x, fraction(value)) for value, x, _ in entries])
        unknown = _widths(exact_state, [value for value, _, _ in entries])
        if what == "Fc":  # what keeps quaternions at unit length is not unique, and no force
            G = exact_state.manifold.at(exact_state.point, "G")[0]
            gaps = without(G, gaps[None])[0]
            if G.shape[1]:  # a projection makes no vector longer
                unknown = np.full(len(unknown), np.linalg.norm(unknown))
        sizes = [size for _, _, size in entries]
        return _largest(zip(np.abs(gaps).tolist(), unknown.tolist(), sizes, strict=True))

    def _forces(
        self, mine: Mapping[str, Exact], theirs: Answer, k: int
    ) -> Iterator[tuple[Any, Any, float]]:
        """Yield both constraint forces and the size of each row."""
        work, known = self.arbiter.work, theirs.Fc or {}
        terms, bound = work.sizes.terms, work.sizes.Fc[k]
        for j, (v, x) in enumerate(zip(work.manifold.system.u, mine["Fc"][:, 0], strict=True)):
            least = 0.0 if terms is None else float(terms[k, j])
            yield x, known[v.path], max(least, abs(float(known[v.path])), float(bound[j]) / NOISE)

    def _reactions(
        self, mine: Mapping[str, Exact], theirs: Answer, k: int, joints: Mapping[str, list[int]]
    ) -> Iterator[tuple[Any, Any, float]]:
        """Yield the entries of both reactions, and the size of what the joint may carry."""
        work, names = self.arbiter.work, oracle_names(self.linked)
        ud = work.results[0].ud
        for path, entries in joints.items():
            known = theirs.reactions.get(names.get(path, ""))
            if known is None:
                continue
            loads = (0.0, 0.0) if work.kinetics is None else work.kinetics.loads(ud, path)
            force, torque = (float(np.broadcast_to(load, len(ud))[k]) for load in loads)
            for j in entries:
                size = max(force if j < _THREE else torque, abs(float(known[j])))
                yield mine[f"reaction:{path}"][j, 0], known[j], size

    def _bodies(
        self, exact_state: Place, mine: Mapping[str, Exact], theirs: Answer, form: str, k: int
    ) -> Iterator[tuple[Any, Any, float]]:
        """Yield both accelerations of bodies, and the size of the terms of each row."""
        system = exact_state.manifold.system
        if self.kinetics is None:
            self.kinetics = kinetics_program(system)
        J = exact_state.matrices(self.kinetics, ["J", "J0"])
        product = exact_state.numbers.product
        with exact_state.numbers.within():
            accelerations = (product(J["J"], mine["ud"]) + J["J0"])[:, 0]
            size = (product(np.abs(J["J"]), np.abs(mine["ud"])) + np.abs(J["J0"]))[:, 0]
        work = self.arbiter.work
        moved = np.zeros(len(accelerations))
        if work.kinetics is not None:
            moved = work.kinetics.moved(work.sizes.ud, self._result(form).ud)[k]
        for e, element in enumerate(system.elements):
            for j, x in enumerate(theirs.bodies.get(element.path, ())):
                row = len(AXES) * e + j
                yield accelerations[row], x, max(float(size[row]), float(moved[row]) / NOISE)


def _widths(exact_state: Place, values: Sequence[Any]) -> Array:
    """Return how far numbers may be from their middles, which alone the oracle can take."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    with exact_state.numbers.within():
        return widths(exact_state.numbers, column)


def _largest(rows: Iterable[tuple[float, float, float]]) -> Gap:
    """Return the largest difference of rows: of middles, what is not known of it, and its size."""
    lower = upper = 0.0
    for gap, unknown, size in rows:
        whole = size if size > 0 else 1.0
        lower = max(lower, (gap - unknown) / whole)
        upper = max(upper, (gap + unknown) / whole)
    return Gap(lower, upper, 1.0) if upper > NOISE else Gap(0.0, 0.0, 1.0)
