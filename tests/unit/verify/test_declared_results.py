"""Every result that a form declares has a check, and every check can fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import mbx
from mbx.analyses.guard import Clock
from mbx.base.errors import NotApplicableError
from mbx.expr.build import scale
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.multiprecision.digit_numbers import numbers_of
from mbx.numerics.multiprecision.digit_results import Place
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values, special
from mbx.verify.agreement.mutual_residuals import PASS, needed
from mbx.verify.agreement.reference.reference_numbers import Doubles, Reference
from mbx.verify.agreement.reference.reference_programs import Programs
from mbx.verify.agreement.results.checks import CHECKS, check_of, differences, measure, unchecked
from mbx.verify.agreement.results.examine import examine_outcome, subject_of, zero_results
from mbx.verify.arbitration.multiprecision_checks import multiprecision_subject, size_of
from mbx.verify.derived_forms import Form, complete_states
from mbx.verify.run_verification import Options, verify_system
from self_test.fault_models import linked_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from mbx.formalism.equations import Equations
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Step
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.results.checks import Checked

SMALL = ("four_bar", "programme_order_3", "simple_pendulum")
"""A loop, an invariant of order 3, and an open tree."""
OTHERS = (
    "dc_motor",
    "five_bar_joints",
    "ring_and_disc_nodes",
    "rolling_disc",
    "rrr_nodes",
    "slider_crank_3d_friction",
    "spatial_chain",
    "steering_bar",
)
SLOW = (pytest.mark.slow, pytest.mark.timeout(900))
MODELS = (*SMALL, *(pytest.param(model, marks=SLOW) for model in OTHERS))
STATES = 2


class Case(NamedTuple):
    """A form of a model that has been run at a few states."""

    name: str
    equations: Equations
    outcome: Any
    at: Any
    reference: Reference
    sound: NDArray[np.bool_]


def _derived(model: str) -> Iterator[tuple[str, Equations]]:
    system = mbx.elaborate(linked_model(model))
    for name in registry.names():
        converter = registry.get(name)
        for variant in converter.variants:
            if not registry.refusals(system, name, variant.name):
                try:
                    yield f"{name}:{variant.name}", converter.derive(system, variant.name)
                except NotApplicableError:
                    continue


@cache
def _cases(model: str) -> tuple[Case, ...]:
    system = mbx.elaborate(linked_model(model))
    rng = np.random.default_rng(1)
    manifold = Manifold(system, draw_values(system, rng))
    points = special(manifold, rng).and_then(draw(manifold, rng, STATES)).points
    reference = Reference(Programs(system), manifold, Doubles(manifold, points))
    ranks = manifold.ranks(points)
    forms = list(_derived(model))
    clock = Clock.of(300.0, 300.0)
    known = [Form(name, name, equations) for name, equations in forms]
    higher = complete_states(known, manifold.values, points, 1, clock)
    found = []
    for name, equations in forms:
        at = manifold.values.at(equations, points, higher)
        names = set(equations.results.values()) | needed(equations)
        outcome = run(equations, at, wanted=names, noisy=zero_results(equations))
        sound = (outcome.status == REGULAR) & (ranks == ranks.max())
        found.append(Case(name, equations, outcome, at, reference, sound))
    return tuple(found)


def _largest(case: Case, checked: list[Checked]) -> float:
    """Return the largest error at states that are compared."""
    values = [one.value[case.sound] for one in checked]
    return max((float(np.nan_to_num(v, nan=np.inf).max(initial=0.0)) for v in values), default=0.0)


def _worst(case: Case) -> float:
    """Return the largest error of all declared results of a form."""
    checked, missing = examine_outcome(case.equations, case.outcome, case.at, case.reference)
    assert not missing, (case.name, missing)
    return _largest(case, checked)


def _error(case: Case, outcome: Any, meaning: str) -> float:
    """Return the largest error of one declared result, by its own check."""
    subject = subject_of(case.equations, outcome, case.at, case.reference)
    if subject.programme:  # relations between results: that of another one may find it
        return _largest(case, [measure(one) for one in differences(subject)])
    check = check_of(case.equations, "Fc" if meaning == "ud" else meaning)
    assert check is not None
    assert check.function is not None
    return _largest(case, [measure(one) for one in check.function(subject)])


@pytest.mark.parametrize("model", MODELS)
def test_every_declared_result_of_every_form_has_a_check(model: str) -> None:
    seen = 0
    for name, equations in _derived(model):
        assert unchecked(equations) == [], name
        seen += len(equations.results)
    assert seen > 10


@pytest.mark.parametrize("model", MODELS)
def test_declared_results_are_what_mechanics_says(model: str) -> None:
    errors = {case.name: _worst(case) for case in _cases(model)}
    assert {name: error for name, error in errors.items() if not error <= PASS} == {}


class Corrupted:
    """An outcome with one matrix changed."""

    def __init__(self, outcome: Outcome, name: str, change: Callable[[Array], Array]) -> None:
        """Take the matrix by name, and what is done to it at every state."""
        self.status = outcome.status
        self._outcome, self._name, self._change = outcome, name, change
        self.batches = tuple(
            replace(batch, matrices={**batch.matrices, name: change(batch.matrices[name])})
            for batch in outcome.batches
        )

    def matrix(self, name: str) -> Any:
        found: Any = self._outcome.matrix(name)
        return self._change(found) if name == self._name else found

    def at(self, name: str, k: int) -> Array:
        found = self._outcome.at(name, k)
        return self._change(found[None])[0] if name == self._name else found


def _slightly(x: Array) -> Array:
    return x * (1 + 1e-6)


def _turned(x: Array) -> Array:
    return -x


def _swapped(x: Array) -> Array:
    return np.roll(x, 1, axis=1)


def _largest_slightly(x: Array) -> Array:
    found = x.copy()
    for one in found:
        if one.size:
            one.flat[np.abs(one).argmax()] *= 1 + 1e-6
    return found


def _shifted(x: Array) -> Array:
    return x + 1e-3


def _changes(meaning: str) -> tuple[Callable[[Array], Array], ...]:
    if meaning.startswith(("certificate:", "state", "left")):
        return (_shifted,)  # zero is zero, however it is scaled
    if meaning.startswith("open:"):  # null vectors have a direction, but neither length nor sense
        return (_swapped, _largest_slightly)
    return (_slightly, _turned, _swapped, _largest_slightly)


def _found(case: Case, meaning: str, change: Callable[[Array], Array]) -> bool | None:
    """Return whether a corrupted result is found; None if it is not changed at all."""
    name = case.equations.results[meaning]
    whole = case.outcome.matrix(name)
    parts = whole if isinstance(whole, list) else list(whole)
    known = [x for x, ok in zip(parts, case.sound, strict=True) if ok and x.size]
    if not any(np.abs(change(x[None])[0] - x).max() > 1e-8 * np.abs(x).max() for x in known):
        return None
    if change is not _shifted and not any(np.abs(x).max() > 1e-9 for x in known):
        return None  # nothing but rounding
    return _error(case, Corrupted(case.outcome, name, change), meaning) > PASS


@pytest.mark.parametrize("model", MODELS)
def test_a_fault_in_any_declared_result_of_any_form_is_found(model: str) -> None:
    missed = []
    count = 0
    for case in _cases(model):
        programme = bool(case.equations.signature.higher)
        for meaning in case.equations.results:
            if programme and meaning in {"ud", "Fc"}:
                continue  # other forms and the oracle say what these are
            for change in _changes(meaning):
                found = _found(case, meaning, change)
                count += found is not None
                if found is False:
                    missed.append((case.name, meaning, change.__name__))
    assert missed == []
    assert count > 10


def test_what_is_open_belongs_to_one_null_vector_in_all_joints() -> None:
    """A piece of such vectors that another piece does not fit is wrong, whatever its span is."""
    cases = {case.name: case for case in _cases("four_bar")}
    for name in ("newton_euler:", "rfda:coordinates", "tree_lagrange_1:", "tree_newton_euler:lu"):
        case = cases[name]
        pieces = [meaning for meaning in case.equations.results if meaning.startswith("open:")]
        assert len(pieces) == 4
        for meaning in pieces:
            for change in (_slightly, _turned):
                assert _found(case, meaning, change), (name, meaning, change.__name__)


def _row_slightly(k: int) -> Callable[[Array], Array]:
    def change(x: Array) -> Array:
        found = x.copy()
        found[:, k] *= 1 + 1e-6
        return found

    return change


@pytest.mark.parametrize(
    ("model", "form", "meaning"),
    [
        # multipliers of quaternion norms, and wrenches on elements that are known by twists
        ("heavy_top_quaternion", "lagrange:", "lam"),
        ("heavy_top_quaternion", "maggi:", "lam"),
        ("ring_and_disc_nodes", "tree_newton_euler:lu", "R"),
        ("ring_and_disc_nodes", "tree_lagrange_1:", "R"),
    ],
)
def test_a_fault_in_any_row_of_a_result_is_found(model: str, form: str, meaning: str) -> None:
    case = next(case for case in _cases(model) if case.name == form)
    assert _worst(case) <= PASS
    whole = case.outcome.matrix(case.equations.results[meaning])[case.sound]
    large = np.flatnonzero(np.abs(whole).max(axis=(0, 2)) > 1e-3)
    assert len(large)
    for k in large:
        assert _found(case, meaning, _row_slightly(int(k))), (form, meaning, k)


def test_a_null_vector_too_few_is_found() -> None:
    """A column of zeros in all joints leaves the others as they are: only their number tells."""
    case = next(case for case in _cases("four_bar") if case.name == "tree_newton_euler:lu")
    outcome = case.outcome
    for meaning, name in case.equations.results.items():
        if meaning.startswith("open:"):
            outcome = Corrupted(outcome, name, _without_last)
    assert _error(case, outcome, "open:R") == 1.0


def _without_last(x: Array) -> Array:
    return np.concatenate([x[:, :, :-1], np.zeros_like(x[:, :, -1:])], axis=2)


def test_every_check_has_a_result_in_some_form() -> None:
    known = {name for check in CHECKS for name in check.results}
    declared = {
        meaning.partition(":")[0] + ":" if ":" in meaning else meaning
        for model in ("decaying_acceleration", "four_bar", "spatial_chain")
        for _, equations in _derived(model)
        for meaning in equations.results
    }
    assert declared == known


PRECISE = (
    "hamilton:",
    "lagrange:",
    "newton_euler:",
    "recursive_newton_euler:",
    "rfda:coordinates",
    "semi_recursive_1:",
    "semi_recursive_2:",
    "tree_hamilton_extended:lu",
    "tree_newton_euler:lu",
)


@pytest.mark.parametrize("model", ["four_bar", "rp_chain"])
def test_declared_results_hold_in_many_digits(model: str) -> None:
    system = mbx.elaborate(linked_model(model))
    rng = np.random.default_rng(1)
    manifold = Manifold(system, draw_values(system, rng))
    points = draw(manifold, rng, 1).points
    programs = Programs(system)
    numbers = numbers_of(50)
    place = Place(manifold, points, numbers)
    names = set()
    for name, equations in _derived(model):
        if name in PRECISE:
            with numbers.within():
                for one in differences(multiprecision_subject(place, equations, programs)):
                    assert size_of(numbers, one.gap)[1] < 1e-40, (name, one.name)
                    names.add(one.name)
    assert len(names) > 25


THIRD = """
from dataclasses import replace
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane

def derive(system, variant):
    found = kane.derive(system, variant)
    return replace(found, formalism="NAME", results={**found.results, "spin": "M"})

CONVERTER = Converter(
    name="NAME", title="", reference="", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
"""


def test_a_result_that_no_check_knows_leaves_the_whole_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mbx_converters  # noqa: PLC0415

    (tmp_path / "third_party.py").write_text(THIRD.replace("NAME", "third_party"))
    monkeypatch.setattr(mbx_converters, "__path__", [*mbx_converters.__path__, str(tmp_path)])
    linked = linked_model("simple_pendulum")
    options = Options(forms=("lagrange", "third_party"), states=4, references=False)
    found = verify_system(mbx.elaborate(linked), options, linked)
    assert found.verdict == "undecided"
    assert "result 'spin' of form 'third_party' is not checked" in found.doubts


def test_a_wrong_inverse_dynamics_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Program.add

    def wrong(self: Program, step: Step) -> Matrix:
        if step.name == "tau":
            entries = tuple((scale(Fraction(1000001, 1000000), x),) for (x,) in step.entries)
            step = replace(step, entries=entries)
        return plain(self, step)

    monkeypatch.setattr(Program, "add", wrong)
    linked = linked_model("four_bar")
    options = Options(forms=("kane", "recursive_newton_euler"), states=4, references=False)
    found = verify_system(mbx.elaborate(linked), options, linked)
    assert found.verdict == "disagree"
    assert found.results["recursive_newton_euler"].row.startswith("tau")
    assert any("recursive_newton_euler" in line and "tau" in line for line in found.remarks())


def test_the_check_of_a_formalism_comes_before_that_of_all() -> None:
    _, equations = next(x for x in _derived("four_bar") if x[0].startswith("gauss"))
    found = check_of(equations, "H")
    assert found is not None
    assert found.formalisms == ("gauss",)
    other = replace(equations, formalism="another")
    assert check_of(other, "H") is None
