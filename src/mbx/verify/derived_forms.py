"""The forms that take part: derived and run one after the other, each under guard."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mbx.analyses.guard import Fault, attempt
from mbx.base.errors import ConverterError, EquationsError
from mbx.formalism import registry, shapes
from mbx.formalism.equations import Equations
from mbx.numerics.execute.evaluate_equations import Evaluation
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.states.complete import draw_higher
from mbx.verify.agreement.mutual_residuals import needed
from mbx.verify.agreement.results.examine import examine_outcome, zero_results
from mbx.verify.agreement.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mbx.analyses.guard import Clock
    from mbx.expr.nodes import Node
    from mbx.formalism.registry import Converter
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array, Faults
    from mbx.numerics.states.manifold import Points, Values
    from mbx.system.system import System
    from mbx.verify.agreement.reference.reference_numbers import Reference
    from mbx.verify.agreement.results.checks import Checked

__all__ = [
    "Candidate",
    "Excluded",
    "Form",
    "Result",
    "candidates",
    "complete_states",
    "derive",
    "derive_all",
    "evaluate",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A form that may take part: a converter and one of its variants."""

    name: str
    formalism: str
    variant: str
    converter: Converter


@dataclass(frozen=True, slots=True)
class Excluded:
    """A form that takes no part: not applicable, singular everywhere, out of time, or failed."""

    name: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A form that takes part; of a witness, only its equations do, for judging."""

    name: str
    formalism: str
    equations: Equations
    witness: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a form gives at N states.

    Attributes:
        status: Of each state.
        ud: Accelerations, (N, n).
        Fc: Constraint forces, (N, n), if the form gives them.
        terms: Sums of the magnitudes of the terms in each row of M ud = h + A^T lam, (N, n),
            if the form has them in the speeds of the system.
        reactions: Force and torque of joints, (N, rows), by path; NaN where not unique.
        condition: Condition number of the inertia matrix, scaled to a diagonal of 1, (N,); NaN
            where the form has none.
        quasi: Declared variables of order 2 and more, and their rates, (N,), by path.
        outcome: The matrices that its own equations need.
        checked: Errors of its declared results against the reference.
        unchecked: Declared results that nothing checks, with the reason, if there is one.
    """

    status: Faults
    ud: Array
    Fc: Array | None
    terms: Array | None
    reactions: dict[str, Array]
    condition: Array
    quasi: Mapping[str, Array] = field(default_factory=dict)
    outcome: Outcome | None = None
    checked: Sequence[Checked] = ()
    unchecked: Mapping[str, str] = field(default_factory=dict)


def candidates(system: System, wanted: Sequence[str], clock: Clock) -> list[Candidate | Excluded]:
    """Return the requested forms, every variant by itself; all, if none is named."""
    if not wanted:
        return [
            candidate
            for name in registry.names()
            for candidate in _offered(system, name, None, clock)
        ]
    chosen = []
    for text in wanted:
        name, colon, variant = text.partition(":")
        if name not in registry.names():
            registry.get(name)  # its error names a form that it knows instead
        chosen += _offered(system, name, variant if colon else None, clock)
    return list(dict.fromkeys(chosen))


def _offered(
    system: System, name: str, only: str | None, clock: Clock
) -> list[Candidate | Excluded]:
    if registry.is_loaded(name):  # only the import of a module can change anything
        converter = attempt(lambda: registry.get(name), clock.left)
    else:
        converter = _watched(system, lambda: registry.get(name), clock)
    if isinstance(converter, Fault):
        return [Excluded(name, converter.status, converter.reason)]
    chosen = [v.name for v in converter.variants if only is None or v.name == only]
    if not chosen:
        registry.parse(f"{name}:{only}")  # its error names a variant that it knows instead
        raise ConverterError(f"unknown variant of {name} '{only}'")
    offers: list[Candidate | Excluded] = []
    for variant in chosen:
        label = f"{name}:{variant}" if variant else name
        refused = attempt(lambda v=variant: registry.refusals(system, name, v), clock.left)  # type: ignore[misc]
        if isinstance(refused, Fault):
            offers.append(Excluded(label, refused.status, refused.reason))
        elif refused:
            reason = "; ".join(_cannot_say(refusal) for refusal in refused)
            offers.append(Excluded(label, "not applicable", reason))
        else:
            offers.append(Candidate(label, name, variant, converter))
    return offers


def _watched(system: System, work: Callable[[], T], clock: Clock) -> T | Fault:
    """Return the result of work that must leave everything else as it is."""
    watch = Watch.of(system)
    result = attempt(work, clock.left)
    changed = watch.restore()
    return Fault(f"it changes {changed[0]}") if changed else result


def _cannot_say(refusal: registry.Refusal) -> str:
    return f"{refusal.feature.value} ({', '.join(refusal.elements)})"


def derive(system: System, candidate: Candidate, clock: Clock) -> Form | Excluded:
    """Derive a form that must leave everything else as it is."""
    return _form(candidate, _watched(system, lambda: _derived(system, candidate), clock))


def derive_all(
    system: System,
    chosen: Iterable[Candidate | Excluded],
    clock: Clock,
    progress: Callable[[str], None],
) -> list[Form | Excluded]:
    """Derive forms that must leave everything else as it is.

    What they changed is searched once, after all of them. If there is anything, they are derived
    again and watched one after the other, so that the form that changes it is named.
    """

    def each(run: Callable[[Candidate], Form | Excluded]) -> Iterator[Form | Excluded]:
        for candidate in chosen:
            if isinstance(candidate, Candidate):
                progress(f"deriving {candidate.name}")
                yield run(candidate)
            else:
                yield candidate

    chosen = list(chosen)
    watch = Watch.of(system)
    forms = list(
        each(
            lambda candidate: _form(
                candidate, attempt(lambda: _derived(system, candidate), clock.left)
            )
        )
    )
    if watch.restore():
        forms = list(each(lambda candidate: derive(system, candidate, clock)))
    return forms


def _derived(system: System, candidate: Candidate) -> Equations:
    """Return what a form gives, after a look whether it is equations of this system."""
    equations = candidate.converter.derive(system, candidate.variant)
    _require(system, equations)
    return equations


def _form(candidate: Candidate, equations: Equations | Fault) -> Form | Excluded:
    if isinstance(equations, Fault):
        return Excluded(candidate.name, equations.status, equations.reason)
    return Form(candidate.name, candidate.formalism, equations)


def _require(system: System, equations: object) -> None:
    """Raise an error unless something is equations in the variables of a system."""
    if type(equations) is not Equations:
        raise EquationsError(f"it gives {type(equations).__name__}, not equations")
    shapes.check(equations)
    signature = equations.signature
    for variables, known in ((signature.q, system.q), (signature.u, system.u)):
        if [variable.symbol for variable in variables] != [variable.symbol for variable in known]:
            raise EquationsError("it has other variables than the system")
    if "ud" not in equations.results:
        raise EquationsError("it has no result 'ud'")
    sizes = shapes.shapes(equations.steps)
    n = len(system.u)
    for meaning in ("ud", "Fc"):
        size = sizes[equations.results[meaning]] if meaning in equations.results else (n, 1)
        if size != (n, 1):
            rows, columns = size
            raise EquationsError(f"'{meaning}' is {rows} by {columns}, not {n} by 1")


def complete_states(
    forms: Sequence[Form], values: Values, points: Points, seed: int, clock: Clock
) -> dict[str, Array]:
    """Return accelerations that belong to the states, by path, from the first form that can."""
    for form in forms:
        if form.equations.signature.higher:
            higher = attempt(
                lambda e=form.equations: draw_higher(e, values, points, seed),  # type: ignore[misc]
                clock.left,
            )
            if not isinstance(higher, Fault):
                return higher
    return {}


def evaluate(
    form: Form,
    values: Values,
    points: Points,
    higher: Mapping[str, Array],
    clock: Clock,
    reference: Reference | None = None,
) -> Result | Excluded:
    """Run a form at some states; compare declared results with the reference, if there is one."""
    equations = form.equations

    def work() -> tuple[Result, Outcome, dict[Node, Array]]:
        at = values.at(equations, points, higher)
        names = set(equations.results.values()) | needed(equations)
        noisy = () if reference is None else zero_results(equations)
        outcome = run(equations, at, wanted=names, noisy=noisy)
        result = Result(
            outcome.status,
            _column(outcome, equations, "ud"),
            _column(outcome, equations, "Fc") if "Fc" in equations.results else None,
            _terms(outcome, equations),
            Evaluation(equations, outcome, single=False).reactions,
            _condition(outcome, equations),
            _quasi(outcome, equations),
            only(outcome, needed(equations)),
        )
        return result, outcome, at

    attempted = attempt(work, clock.left)
    if isinstance(attempted, Fault):
        return Excluded(form.name, attempted.status, attempted.reason)
    result, outcome, at = attempted
    regular = result.status == REGULAR
    if not np.isfinite(result.ud[regular]).all():
        return Excluded(form.name, "failed", "it calls states regular where ud is not finite")
    if reference is None or not len(outcome.status):  # there is nothing to examine
        return result
    examined = attempt(lambda: examine_outcome(equations, outcome, at, reference), clock.left)
    if isinstance(examined, Fault):
        return replace(result, unchecked=dict.fromkeys(equations.results, examined.reason))
    return replace(result, checked=examined[0], unchecked=examined[1])


def only(outcome: Outcome, names: set[str]) -> Outcome:
    """Return an outcome with these matrices only."""
    return replace(outcome, batches=tuple(batch.only(names) for batch in outcome.batches))


def _column(outcome: Outcome, equations: Equations, meaning: str) -> Array:
    matrix = outcome.matrix(equations.results[meaning])
    if isinstance(matrix, list):
        raise EquationsError(f"the number of rows of '{meaning}' depends on the state")
    return matrix[:, :, 0]


def _quasi(outcome: Outcome, equations: Equations) -> dict[str, Array]:
    """Return the declared variables of order 2 and more, by path."""
    if "quasi" not in equations.results:
        return {}
    labels = equations.step(equations.results["quasi"]).row_labels
    return dict(zip(labels, _column(outcome, equations, "quasi").T, strict=True))


def _terms(outcome: Outcome, equations: Equations) -> Array | None:
    """Return |M| |ud| + |h| + |A^T| |lam|, where the rows of M are those of the speeds."""
    results = equations.results
    if not {"M", "h", "A", "lam"} <= set(results):
        return None
    speeds = tuple(speed.path for speed in equations.signature.u)
    if equations.step(results["M"]).row_labels != speeds:
        return None
    parts = [outcome.matrix(results[name]) for name in ("M", "ud", "h", "A", "lam")]
    if any(isinstance(part, list) for part in parts):
        return None
    M, ud, h, A, lam = (np.abs(part) for part in parts if not isinstance(part, list))
    terms: Array = M @ ud + h + np.swapaxes(A, 1, 2) @ lam
    return terms[:, :, 0]


def _condition(outcome: Outcome, equations: Equations) -> Array:
    """Return the condition number of D^-1/2 M D^-1/2, D = diag M (van der Sluis 1969)."""
    conditions = np.full(len(outcome.status), np.nan)
    if "M" not in equations.results:
        return conditions
    M = outcome.matrix(equations.results["M"])
    if isinstance(M, list) or not M.shape[1] or M.shape[1] != M.shape[2]:
        return conditions
    size = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
    size = np.where(size > 0, size, 1.0)
    scaled = M / (size[:, :, None] * size[:, None, :])
    sound = np.asarray(np.isfinite(scaled).all(axis=(1, 2)))
    conditions[sound] = np.linalg.cond(scaled[sound])
    return conditions
