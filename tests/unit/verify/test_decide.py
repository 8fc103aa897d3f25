"""Differences that the arbiter decides: rounding, or small faults."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.analyses.guard import Fault
from mbx.expr.build import choose, less, scale
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx.linking.library import cases
from mbx.mechanics import loads
from mbx.pipeline import elaborate as api_system
from mbx.verify.arbitration import decide
from mbx.verify.findings import Pair
from mbx.verify.run_verification import Options, verify_system
from mbx_converters import kane, maggi
from mbx_converters.udwadia_kalaba import udwadia_kalaba
from unit.verify.models import PENDULUM, system

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.verify.verification import Verification

BIG = 10**6


def lossy(
    module: Any, fault: Callable[[Any], Node] = lambda _: number(0), large: int = BIG
) -> Callable[..., Any]:
    """Return how to derive a form that loses digits of its accelerations, and is wrong by part."""
    derive = module.CONVERTER.derive

    def derived(system: Any, variant: str = "") -> Equations:
        found: Equations = derive(system, variant)
        p = Program()
        for step in found.steps:
            p.add(step)
        ud = p.find(found.results["ud"])
        much = p.column("large", [number(large)] * len(system.u))
        n = range(len(system.u))
        wrong = fault(system)
        part = p.define("part", [[wrong if i == j else number(0) for j in n] for i in n])
        part_ud = part @ ud
        more = p.let("more", ud + much)
        again = p.let("again", more - much + part_ud)
        results = {**found.results, "ud": again.name}
        return replace(found, steps=tuple(p.steps), results=results)

    return derived


def above(system: Any) -> Node:
    """Return what is wrong where y > 1.5 only: the state `above`."""
    y = system.q[1].symbol
    return choose(less(number(Fraction(3, 2)), y), number(Fraction(1, 10**11)), number(0))


def aside(system: Any) -> Node:
    """Return what is wrong where x > 0.3 only."""
    x = system.q[0].symbol
    return choose(less(number(Fraction(3, 10)), x), number(Fraction(1, 10**11)), number(0))


def verify(*forms: str) -> Verification:
    text = PENDULUM.replace(
        "state level { x = 2 m }", ""
    )  # there the invariant is nearly flat in y
    return verify_system(system(text), Options(forms=forms, states=3))


def patch(patching: pytest.MonkeyPatch, module: Any, derive: Any) -> None:
    patching.setattr(module, "CONVERTER", replace(module.CONVERTER, derive=derive))


@pytest.mark.usefixtures("kind")
def test_what_is_rounding_in_a_form_that_loses_digits_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch(monkeypatch, kane, lossy(kane))
    found = verify("kane", "lagrange")
    pair = found.pair("kane", "lagrange")
    assert pair.ud is not None
    assert 1e-12 < pair.ud.value < 1e-6
    assert pair.ud.arbiter == "rounding"
    assert pair.bodies is not None
    assert pair.bodies.arbiter == "rounding"
    assert found.own["kane"].arbiter == "rounding"
    assert found.invariants["kane"].arbiter == "rounding"
    assert found.verdict == "agree"


@pytest.mark.usefixtures("kind")
def test_a_fault_as_small_as_rounding_can_be_is_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scaled(motion: Any) -> Any:
        return [
            (tuple(scale(Fraction(10**9 + 1, 10**9), x) for x in force), torque)
            for force, torque in loads.wrenches(motion)
        ]

    changed = {name: getattr(loads, name) for name in loads.__all__} | {"wrenches": scaled}
    monkeypatch.setattr(kane, "loads", SimpleNamespace(**changed))
    found = verify("kane", "lagrange", "maggi")
    pair = found.pair("kane", "lagrange")
    assert pair.ud is not None
    assert 1e-12 < pair.ud.value < 1e-6
    assert pair.ud.arbiter == "different"
    assert found.outliers == ("kane",)
    assert found.verdict == "disagree"


def test_accelerations_that_miss_a_forms_own_equations_are_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch(monkeypatch, kane, lossy(kane, lambda _: number(Fraction(1, 10**9))))
    found = verify("kane", "lagrange")
    assert found.own["kane"].arbiter == "different"
    assert found.invariants["kane"].arbiter == "different"
    assert found.own["lagrange"].arbiter == ""


def test_a_fault_at_one_state_does_not_hide_behind_rounding_at_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patch(monkeypatch, kane, lossy(kane, above))
    found = verify("kane", "lagrange", "maggi")
    for other in ("lagrange", "maggi"):
        error = found.pair("kane", other).ud
        assert error is not None
        assert error.arbiter == "different"
        assert error.state == "state above"
    with monkeypatch.context() as context:
        context.setattr(decide, "FURTHER", -1.0)  # no time for any but the worst state
        worst = verify("kane", "lagrange").pair("kane", "lagrange")
    assert worst.ud is not None
    assert worst.ud.arbiter == "rounding"
    assert worst.ud.state != "state above"


@pytest.mark.usefixtures("watched")
def test_where_a_form_is_the_same_as_a_third_that_agrees_it_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, asked: set[tuple[str, str, int]]
) -> None:
    patch(monkeypatch, kane, lossy(kane))
    found = verify("kane", "lagrange", "maggi")
    assert found.verdict == "agree"
    pairs = [found.pair("kane", other) for other in ("lagrange", "maggi")]
    worst = [{e.state for _, e in pair.errors() if e.arbiter} for pair in pairs]
    # besides the worst states, lagrange is run in 100 digits alone, and maggi nowhere
    assert {s for name, s, digits in asked if (name, digits) == ("lagrange", 50)} == worst[0]
    assert {s for name, s, digits in asked if (name, digits) == ("lagrange", 100)} > worst[0]
    assert not {state for name, state, _ in asked if name == "maggi"}
    assert worst[1]


@pytest.fixture
def asked() -> set[tuple[str, str, int]]:
    """Form, state and digits of everything that the arbiter has run."""
    return set()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, asked: set[tuple[str, str, int]]) -> None:
    multiprecision = decide.Arbiter.multiprecision

    def noted(arbiter: decide.Arbiter, name: str, state: str, digits: int) -> Any:
        asked.add((name, state, digits))
        return multiprecision(arbiter, name, state, digits)

    monkeypatch.setattr(decide.Arbiter, "multiprecision", noted)


def test_a_third_form_excuses_nothing_if_it_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    patch(monkeypatch, kane, lossy(kane))
    patch(monkeypatch, maggi, lossy(maggi, aside, large=0))
    found = verify("kane", "lagrange", "maggi")
    for pair in (found.pair("kane", "maggi"), found.pair("lagrange", "maggi")):
        assert pair.ud is not None
        assert pair.ud.arbiter == "different"
        (x,) = [one.values["x"] for one in found.points if one.name == pair.ud.state]
        assert x > 0.3
    same = found.pair("kane", "lagrange").ud
    assert same is not None
    assert same.arbiter == "rounding"


def test_a_third_form_excuses_no_reactions_for_it_may_give_others() -> None:
    forms = [SimpleNamespace(name=name) for name in "abc"]
    arbiter = decide.Arbiter(SimpleNamespace(forms=forms))  # type: ignore[arg-type]
    arbiter.same = {(what, "rest", "a", "c") for what in ("ud", "reactions")}
    arbiter.passed = {("c", "b")}
    pair = Pair(("b", "a"), 1, None, None)
    assert arbiter._follows(pair, "rest", "ud")
    assert not arbiter._follows(pair, "rest", "reactions")
    assert not arbiter._follows(pair, "start", "ud")


@pytest.mark.parametrize(("fault", "said"), [(0, "rounding"), (Fraction(1, 10**9), "different")])
def test_rates_beyond_accelerations_are_decided_too(
    monkeypatch: pytest.MonkeyPatch, fault: Any, said: str
) -> None:
    (case,) = [path for path in cases() if path.name == "programme_order_3"]
    patch(monkeypatch, udwadia_kalaba, lossy(udwadia_kalaba, lambda _: number(fault)))
    forms = ("modular", "udwadia_kalaba:positive")
    found = verify_system(api_system(mbx.read(case / "model.mb")), Options(forms=forms, states=2))
    pair = found.pair(*forms)
    assert pair.ud is not None
    assert 1e-12 < pair.ud.value < 1e-6
    assert pair.ud.arbiter == said


def test_what_takes_too_long_stays_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    patch(monkeypatch, kane, lossy(kane))
    monkeypatch.setattr(decide, "attempt", lambda *_: Fault("takes more than 1 s"))
    found = verify("kane", "lagrange")
    pair = found.pair("kane", "lagrange")
    assert pair.ud is not None
    assert pair.ud.arbiter == "undecided"
    assert found.own["kane"].arbiter == "undecided"
    assert found.verdict == "undecided"
