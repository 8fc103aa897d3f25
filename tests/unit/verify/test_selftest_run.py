"""The self-test itself: a fixed tenth of the faults always, all of them where time allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from self_test.mutants import Mutant, choose, mutants, tenth
from self_test.run_trials import run

if TYPE_CHECKING:
    from self_test.trial import Found

FORMS = ("kane", "lagrange", "newton_euler")
CRASH = Mutant(
    id="crash",
    module="mbx_converters.kane",
    find="program = Program()",
    replace="program = nowhere",
    breaks="fails",
    model="simple_pendulum",
    expected=("kane",),
    forms=FORMS,
)
HARMLESS = Mutant(
    id="harmless",
    module="mbx_converters.kane",
    find='"coefficients of -ud in F*"',
    replace='"inertia"',
    breaks="nothing",
    model="simple_pendulum",
    expected=("kane",),
    forms=FORMS,
)
NAMELESS = Mutant(
    id="nameless",
    module="mbx_converters.kane",
    find="return F, [neg(x) for x in",
    replace="return F, [x for x in",
    breaks="flips the inertia forces",
    model="simple_pendulum",
    expected=("lagrange",),
    forms=FORMS,
)
CLAIMED = Mutant(
    id="claimed",
    module="mbx_converters.kane",
    find="return F, [neg(x) for x in",
    replace="return F, [x for x in",
    breaks="flips the inertia forces",
    model="simple_pendulum",
    expected=("kane",),
    forms=FORMS,
    equivalent="it is not",
)


@pytest.mark.full
def test_a_failure_is_no_kill_and_neither_are_silence_and_a_wrong_name() -> None:
    heard: list[tuple[Found, int]] = []
    chosen = (CRASH, HARMLESS, NAMELESS, CLAIMED)
    outcome = run(chosen, workers=2, progress=lambda one, count: heard.append((one, count)))
    statuses = {f.mutant: f.status for f in outcome.found}
    assert statuses == {
        "": "sound",
        "crash": "failed",
        "harmless": "survived",
        "nameless": "misnamed",
        "claimed": "survived",
    }
    assert outcome.survivors == chosen
    assert [count for _, count in heard] == [5] * 5


BLIND = Mutant(
    id="blind",
    module="mbx.verify.findings",
    find='if "disagree" in verdicts:',
    replace='if "disagree" in verdicts and len(verdicts) > 0:',
    breaks="nothing",
    model="spherical_pendulum_angles",
    expected=("verifier",),
    check="verifier",
    bait="loads-gravity-sign",
)


def test_faults_in_linking_and_in_the_verifier_are_found_in_modules_that_are_loaded() -> None:
    chosen = choose(["units-minute", "expand-if-swapped", "verifier-no-disagreement"])
    outcome = run([*chosen, BLIND], workers=2)
    status = {f.mutant: f.status for f in outcome.found}
    assert [status[m.id] for m in chosen] == ["killed"] * 3
    # what the bait shows without a fault of the verifier, and what a harmless change leaves
    assert status["loads-gravity-sign"] == "killed"
    assert outcome.survivors == (BLIND,)
    assert sum("alone find" in line for line in outcome.lines()) == 2


def test_a_fault_that_changes_nothing_is_proved_to() -> None:
    (one,) = choose(["motion-inertia-transposed"])
    outcome = run([one], workers=1)
    assert outcome.ok
    assert outcome.equivalents == (one,)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_a_fixed_tenth_of_the_faults_is_found() -> None:
    outcome = run(tenth(), workers=2)
    assert outcome.ok, "\n".join(outcome.lines())


ALONE = (
    "invariants-bias-dropped",
    "invariants-bias-sign",
    "invariants-bias-slightly",
    "invariants-last-row-lost",
    "forces-torque-lost",
    "forces-conjugate-slightly",
    "motion-weight-slightly",
    "motion-weight-without-mass",
    "motion-mass-slightly",
    "forces-slightly",
)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_the_oracle_alone_finds_ten_faults_of_mechanics_that_all_forms_share() -> None:
    chosen = choose(ALONE)
    assert {m.module.rpartition(".")[0] for m in chosen} == {"mbx.mechanics"}
    outcome = run(chosen, workers=2)
    assert outcome.ok, "\n".join(outcome.lines())
    # all forms agree with each other, so that nothing but the oracle tells
    assert set(outcome.unanimous) == set(chosen)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_faults_are_found() -> None:
    outcome = run(mutants(), workers=2)
    assert outcome.ok, "\n".join(outcome.lines())
    assert len(outcome.unanimous) >= 80
