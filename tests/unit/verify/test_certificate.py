"""Certificates of whole verifications: made, confirmed, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.verify import certificate as certificates
from mbx.verify.certificate import certify, confirm, require_model, to_repeat
from mbx.verify.certificate_form import (
    Certificate,
    CertificateError,
    read_certificate,
    write_certificate,
)
from mbx.verify.findings import Error, Pair
from mbx.verify.many import verify_parts
from mbx.verify.parts import parts_of
from mbx.verify.run import Options
from mbx.workers.pool import Pool
from unit.verify.models import PENDULUM

if TYPE_CHECKING:
    from mbx.link.linked import Linked
    from mbx.verify.report import Verification

OPTIONS = Options(forms=("kane", "lagrange"), states=4, oracle=1)


def model(text: str = PENDULUM) -> Linked:
    return mbx.link(mbx.loads(text))


@pytest.fixture(scope="module")
def text() -> str:
    linked = model()
    return certify(linked, OPTIONS, verify_parts(linked, [OPTIONS], Pool()))


@pytest.fixture
def made(text: str) -> Certificate:
    return read_certificate(text, "c.json")


def changed(made: Certificate, **updates: Any) -> Certificate:
    """Return a certificate with a change and a digest that fits, as anybody can make it."""
    return read_certificate(write_certificate(made.model_copy(update=updates)), "c.json")


def again(certificate: Certificate) -> tuple[Verification, ...]:
    return verify_parts(model(), to_repeat(certificate, 300.0), Pool())


def check(certificate: Certificate) -> list[str]:
    return confirm(certificate, again(certificate))


def refusal(certificate: Certificate, parts: tuple[Verification, ...]) -> str:
    with pytest.raises(CertificateError) as refused:
        confirm(certificate, parts)
    return str(refused.value)


# -- made and confirmed ------------------------------------------------------------------------


def test_a_certificate_says_what_was_verified(made: Certificate) -> None:
    linked = model()
    assert (made.model, made.hash) == ("Pendulum", linked.hash)
    assert made.experiment_hash == linked.experiment_hash
    assert [one.name for one in made.forms] == ["kane", "lagrange"]
    assert made.variables[:2] == ["x", "y"]
    (part,) = made.parts
    names = [state.name for state in part.states]
    assert {"start", "rest", "random 1", "random 4"} <= set(names)
    assert list(part.drawn) == ["m"]
    assert 0.5 <= part.drawn["m"] <= 1.5
    assert part.oracle == 1
    assert {"accelerations", "constraint forces", "in its own equations"} <= {
        one.quantity for one in made.margins
    }
    assert {"mbx", "numpy", "python", "scipy"} <= set(made.versions)


def test_its_states_are_consistent_to_the_last_bit(made: Certificate) -> None:
    for state in made.parts[0].states:
        at = dict(zip(made.variables, state.values, strict=True))
        assert at["x"] ** 2 + at["y"] ** 2 == pytest.approx(4.0, rel=1e-15)


def test_the_same_verification_gives_the_same_bytes(text: str) -> None:
    linked = model()
    assert certify(linked, OPTIONS, verify_parts(linked, [OPTIONS], Pool())) == text


def test_a_certificate_is_confirmed_at_its_own_states(made: Certificate) -> None:
    linked = model()
    require_model(made, linked, mbx.api.system(linked))
    parts = again(made)
    assert check(made) == []
    stored = {s.name: s.values for s in made.parts[0].states}
    for point in parts[0].points:
        assert [point.values[path] for path in made.variables] == stored[point.name]
    assert len(parts[0].points) == len(stored)


def test_parts_are_certified_and_confirmed_with_their_seeds() -> None:
    linked = model()
    options = replace(OPTIONS, states=66, oracle=0)
    made = read_certificate(
        certify(linked, options, verify_parts(linked, parts_of(options), Pool())), "c.json"
    )
    assert [part.seed for part in made.parts] == [1, 2]
    assert made.parts[0].drawn != made.parts[1].drawn
    assert check(made) == []


def test_forms_that_do_not_agree_have_no_certificate() -> None:
    linked = model()
    alone = replace(OPTIONS, forms=("kane",), oracle=0)
    with pytest.raises(CertificateError, match="there is nothing to certify: Pendulum: undecided"):
        certify(linked, alone, verify_parts(linked, [alone], Pool()))


def test_a_certificate_that_could_not_be_read_again_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certificates, "FILE_BYTES", 100)
    linked = model()
    with pytest.raises(CertificateError, match="larger than 100 bytes; take fewer states"):
        certify(linked, OPTIONS, verify_parts(linked, [OPTIONS], Pool()))


# -- another model -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("g: m/s^2 = 9.81", "g: m/s^2 = 9.82", "the physics has changed"),
        ("[x, y, 0]", "[x, y, 1e-9 m]", "the physics has changed"),
        ("x: m = 0", "x: m = 1", "hints or experiments have changed, the physics has not"),
        ("state level { x = 2 m }", "state level { x = 1 m }", "the physics has not"),
    ],
)
def test_a_model_that_was_changed_by_a_digit_is_told(
    made: Certificate, was: str, now: str, said: str
) -> None:
    assert was in PENDULUM
    other = model(PENDULUM.replace(was, now))
    with pytest.raises(CertificateError) as refused:
        require_model(made, other, mbx.api.system(other))
    assert said in str(refused.value)
    hashes = (made.hash, other.hash)
    if made.hash == other.hash:
        hashes = (made.experiment_hash, other.experiment_hash)
    assert all(one in str(refused.value) for one in hashes)


def test_layout_and_comments_are_no_change(made: Certificate) -> None:
    other = model(mbx.dumps(mbx.loads(PENDULUM + "// a comment\n"), "json"))
    require_model(made, other, mbx.api.system(other))


def test_a_variable_that_is_missing_is_named(made: Certificate) -> None:
    linked = model()
    other = changed(made, variables=["x", "z", *made.variables[2:]])
    with pytest.raises(CertificateError, match="its states lack the variable y"):
        require_model(other, linked, mbx.api.system(linked))


# -- what does not come out --------------------------------------------------------------------


def test_a_state_off_the_invariants_is_refused(made: Certificate) -> None:
    (part,) = made.parts
    moved = part.states[0].model_copy(
        update={"values": [part.states[0].values[0] + 1e-6, *part.states[0].values[1:]]}
    )
    other = changed(made, parts=[part.model_copy(update={"states": [moved, *part.states[1:]]})])
    assert (
        refusal(other, again(other))
        == "one of its states cannot be compared at: start: it is not consistent"
    )


def test_a_state_that_is_singular_now_is_refused(made: Certificate) -> None:
    (found,) = again(made)
    rows = tuple(replace(r, status="singular") if r.name == "rest" else r for r in found.states)
    points = tuple(one for one in found.points if one.name != "rest")
    parts = (replace(found, states=rows, points=points),)
    assert refusal(made, parts) == "one of its states cannot be compared at: rest: singular"


def test_other_parameters_are_refused(made: Certificate) -> None:
    other = changed(made, parts=[made.parts[0].model_copy(update={"drawn": {"m": 1.0}})])
    assert refusal(other, again(other)) == "other parameters are drawn from seed 1 than it says"


def test_a_margin_that_is_too_good_is_refused(made: Certificate) -> None:
    parts = again(made)
    (pair,) = parts[0].pairs
    worse = (replace(parts[0], pairs=(replace(pair, ud=Error(9e-13, "rest")),)),)
    assert refusal(made, worse).startswith(
        "its margin of kane and lagrange, accelerations does not hold: 9.0e-13, and it says"
    )
    better = [m.model_copy(update={"value": 1e-14}) for m in made.margins]
    assert confirm(changed(made, margins=better), worse) == []


def test_forms_that_disagree_now_are_refused(made: Certificate) -> None:
    parts = again(made)
    bad = (replace(parts[0], pairs=(Pair(("kane", "lagrange"), 1, Error(1e-3), None),)),)
    said = refusal(made, bad)
    assert said.startswith("the forms do not agree at its states: disagree; disagree: kane and")


def test_a_form_that_is_not_there_is_refused(made: Certificate) -> None:
    asked = made.asked.model_copy(update={"forms": ["kane", "maggi"]})
    other = changed(made, asked=asked)
    assert refusal(other, again(other)) == "lagrange cannot be compared here"


def test_a_form_that_it_says_nothing_of_is_noted(made: Certificate) -> None:
    asked = made.asked.model_copy(update={"forms": ["kane", "lagrange", "maggi"]})
    assert check(changed(made, asked=asked)) == ["it says nothing of maggi, which agree as well"]


def test_a_margin_that_was_taken_out_is_refused_unless_another_version_made_it(
    made: Certificate,
) -> None:
    fewer = [one for one in made.margins if one.quantity != "constraint forces"]
    other = changed(made, margins=fewer)
    parts = again(made)
    assert refusal(other, parts) == "it lacks the margin of kane and lagrange, constraint forces"
    older = changed(other, versions={**made.versions, "mbx": "0.0.9"})
    assert confirm(older, parts) == [
        f"made with mbx 0.0.9, checked with {made.versions['mbx']}",
        "it says nothing of kane and lagrange, constraint forces",
    ]


def test_a_margin_that_does_not_exist_is_refused(made: Certificate) -> None:
    more = made.margins[0].model_copy(update={"quantity": "colour"})
    other = changed(made, margins=[*made.margins, more])
    assert refusal(other, again(made)).endswith("and lagrange, colour does not come out again")


def test_a_condition_number_that_is_too_good_is_refused(made: Certificate) -> None:
    parts = again(made)
    forms = [one.model_copy(update={"condition": 1e-6}) for one in made.forms]
    said = refusal(changed(made, forms=forms), parts)
    assert said.startswith("the condition number of kane is ")
    unknown = [one.model_copy(update={"condition": None}) for one in made.forms]
    assert confirm(changed(made, forms=unknown), parts) == []


def test_what_computed_it_is_compared(made: Certificate) -> None:
    versions = {**made.versions, "numpy": "1.0"}
    versions.pop("scipy")
    assert check(changed(made, versions=versions)) == [
        f"made with numpy 1.0, checked with {made.versions['numpy']}",
        f"made with scipy none, checked with {made.versions['scipy']}",
    ]


def test_a_certificate_holds_numbers_only_where_numbers_are(text: str) -> None:
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text)["verdict"] == "agree"
