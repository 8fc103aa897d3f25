"""Certificates of whole verifications: made, recomputed, and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.base.workers.pool import Pool
from mbx.verify.agreement.state_parts import parts_of
from mbx.verify.certificate import certificate as certificates
from mbx.verify.certificate.certificate import (
    certify,
    confirm,
    request_of,
    require_model,
    weaknesses,
)
from mbx.verify.certificate.certificate_file import (
    Certificate,
    CertificateError,
    read_certificate,
    write_certificate,
)
from mbx.verify.certificate.certificate_text import certificate_lines
from mbx.verify.findings import Error, Pair
from mbx.verify.many import verify_parts
from mbx.verify.run_verification import Options
from unit.verify.models import PENDULUM

if TYPE_CHECKING:
    from mbx.linking.link import Linked
    from mbx.verify.verification import Verification

OPTIONS = Options(forms=("kane", "lagrange"), states=4, oracle=1)


def model(text: str = PENDULUM) -> Linked:
    return mbx.link(mbx.loads(text))


@pytest.fixture(scope="module")
def parts() -> tuple[Verification, ...]:
    return verify_parts(model(), [OPTIONS], Pool())


@pytest.fixture(scope="module")
def text(parts: tuple[Verification, ...]) -> str:
    return certify(model(), OPTIONS, parts)


@pytest.fixture
def made(text: str) -> Certificate:
    return read_certificate(text, "c.json")


def changed(made: Certificate, **updates: Any) -> Certificate:
    """Return a certificate with a change and a digest that fits, as anybody can make it."""
    return read_certificate(write_certificate(made.model_copy(update=updates)), "c.json")


def check(certificate: Certificate) -> list[str]:
    request = request_of(certificate, 300.0)
    return confirm(certificate, model(), request, verify_parts(model(), parts_of(request), Pool()))


def refusal(certificate: Certificate, parts: tuple[Verification, ...]) -> str:
    with pytest.raises(CertificateError) as refused:
        confirm(certificate, model(), request_of(certificate, 300.0), parts)
    return str(refused.value)


# -- made and confirmed ------------------------------------------------------------------------


def test_a_certificate_says_what_was_verified(made: Certificate) -> None:
    linked = model()
    assert (made.model, made.hash) == ("Pendulum", linked.hash)
    assert made.experiment_hash == linked.experiment_hash
    assert [one.name for one in made.forms] == ["kane", "lagrange"]
    assert made.variables[:2] == ["x", "y"]
    (part,) = made.parts
    assert {"start", "rest", "random 1", "random 4"} <= set(part.states)
    assert list(part.drawn) == ["m"]
    assert 0.5 <= part.drawn["m"] <= 1.5
    assert part.oracle >= OPTIONS.oracle  # one more where a state is calm
    assert {"accelerations", "constraint forces", "in its own equations"} <= {
        one.quantity for one in made.margins
    }
    assert {"mbx", "numpy", "python", "scipy"} <= set(made.versions)


def test_states_are_not_stored_but_how_large_they_get(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    largest = dict(zip(made.variables, made.parts[0].largest, strict=True))
    for path, size in largest.items():
        assert size == max(abs(point.values[path]) for point in parts[0].points)


def test_a_date_and_a_maker_are_stated_and_change_nothing_else(
    text: str, parts: tuple[Verification, ...]
) -> None:
    stated = certify(model(), OPTIONS, parts, date="2026-11-18", maker="A. Maker")
    made = read_certificate(stated, "c.json")
    assert (made.date, made.maker) == ("2026-11-18", "A. Maker")
    assert confirm(made, model(), OPTIONS, parts) == []
    bare = made.model_copy(update={"date": "", "maker": ""})
    assert write_certificate(bare) == text


def test_what_a_certificate_states_is_shown_with_the_verdict_first(made: Certificate) -> None:
    lines = list(certificate_lines(made))
    assert lines[0].startswith("Pendulum: agree (2 forms at ")
    assert not any(line.startswith(("date", "maker")) for line in lines)
    stated = made.model_copy(update={"date": "2026-11-18", "maker": "A. Maker"})
    shown = list(certificate_lines(stated))
    assert "maker: A. Maker (stated, not proved)" in shown
    assert "date: 2026-11-18 (stated, not proved)" in shown


def test_the_same_verification_gives_the_same_bytes_and_comes_out_again(
    text: str, made: Certificate
) -> None:
    linked = model()
    assert certify(linked, OPTIONS, verify_parts(linked, [OPTIONS], Pool())) == text
    require_model(made, linked)
    assert check(made) == []


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


def test_states_that_somebody_chose_are_not_certified(
    parts: tuple[Verification, ...],
) -> None:
    chosen = replace(OPTIONS, points=parts[0].points)
    with pytest.raises(CertificateError, match="states that no seed draws cannot be repeated"):
        certify(model(), chosen, parts)


def test_a_certificate_that_could_not_be_read_again_is_not_made(
    monkeypatch: pytest.MonkeyPatch, parts: tuple[Verification, ...]
) -> None:
    monkeypatch.setattr(certificates, "FILE_BYTES", 100)
    with pytest.raises(CertificateError, match="larger than 100 bytes; take fewer states"):
        certify(model(), OPTIONS, parts)


def test_less_than_the_default_is_told_one_by_one() -> None:
    system = mbx.elaborate(model())
    every = [one.name for one in mbx.verify(model(), states=1, oracle=0).excluded]
    assert weaknesses(Options(), (), system) == []
    assert weaknesses(Options(states=64, oracle=5, seed=9), (), system) == []
    assert weaknesses(Options(states=15), (), system) == ["15 random states, and the default is 16"]
    assert weaknesses(Options(oracle=1), (), system) == [
        "the oracle at 1 states, and the default is 2"
    ]
    (found,) = weaknesses(Options(forms=("kane",)), ("kane",), system)
    assert found.startswith("without the form ")
    assert not any(name in found for name in every)


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
        require_model(made, other)
    assert said in str(refused.value)
    hashes = (made.hash, other.hash)
    if made.hash == other.hash:
        hashes = (made.experiment_hash, other.experiment_hash)
    assert all(one in str(refused.value) for one in hashes)


def test_layout_and_comments_are_no_change(made: Certificate) -> None:
    require_model(made, model(mbx.dumps(mbx.loads(PENDULUM + "// a comment\n"), "json")))


# -- what does not come out --------------------------------------------------------------------


def with_states(made: Certificate, change: Any) -> Certificate:
    (part,) = made.parts
    states = change(list(part.states))
    return changed(made, parts=[part.model_copy(update={"states": states})])


def with_largest(made: Certificate, factor: float) -> Certificate:
    (part,) = made.parts
    return changed(
        made, parts=[part.model_copy(update={"largest": [factor * x for x in part.largest]})]
    )


@pytest.mark.parametrize("factor", [1 + 1e-7, 1e10, 1e200, 0.0])
def test_states_that_the_seed_does_not_draw_are_refused(
    made: Certificate, parts: tuple[Verification, ...], factor: float
) -> None:
    assert refusal(with_largest(made, factor), parts).startswith(
        "its states are not drawn from seed 1: x is "
    )


def test_the_last_digit_of_a_state_may_differ_on_another_machine(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    other = with_largest(made, 1 + 1e-12)
    assert other.parts != made.parts
    assert confirm(other, model(), OPTIONS, parts) == []


def test_a_state_more_or_less_or_elsewhere_in_the_list_is_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    def more(states: list[Any]) -> list[Any]:
        return [*states, "random 99"]

    assert refusal(with_states(made, more), parts) == (
        "its state 'random 99' is not drawn from seed 1"
    )
    assert refusal(with_states(made, lambda s: s[1:]), parts) == (
        "it lacks the state 'start', which seed 1 draws"
    )
    assert "not in the order" in refusal(with_states(made, lambda s: s[::-1]), parts)


def test_states_at_another_time_are_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    (part,) = made.parts
    other = changed(made, parts=[part.model_copy(update={"latest": 4.0})])
    assert "its states are not drawn from seed 1: t is 4 at most, and " in refusal(other, parts)


def test_other_parameters_are_refused(made: Certificate, parts: tuple[Verification, ...]) -> None:
    for drawn in ({"m": 1.0}, {}, {**made.parts[0].drawn, "k": 1.0}):
        other = changed(made, parts=[made.parts[0].model_copy(update={"drawn": drawn})])
        assert refusal(other, parts) == "other parameters are drawn from seed 1 than it says"


def test_another_seed_draws_other_states(made: Certificate) -> None:
    (part,) = made.parts
    asked = made.asked.model_copy(update={"seed": 7})
    other = changed(made, asked=asked, parts=[part.model_copy(update={"seed": 7})])
    with pytest.raises(CertificateError, match="drawn from seed 7"):
        check(other)


def test_a_margin_that_is_too_good_or_too_bad_is_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    (pair,) = parts[0].pairs
    worse = (replace(parts[0], pairs=(replace(pair, ud=Error(9e-13, "rest")),)),)
    assert refusal(made, worse).startswith(
        "its margin of kane, accelerations does not hold: 9.0e-13, and it says"
    )
    assert "does not hold" in refusal(with_margins(made, 9e-13), parts)


def with_margins(made: Certificate, value: float) -> Certificate:
    margins = [m.model_copy(update={"value": value}) for m in made.margins]
    forms = [f.model_copy(update={"margins": dict.fromkeys(f.margins, value)}) for f in made.forms]
    return changed(made, margins=margins, forms=forms)


def test_a_margin_of_rounding_may_differ_on_another_machine(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    assert confirm(with_margins(made, 5e-15), model(), OPTIONS, parts) == []


def test_forms_that_disagree_now_are_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    bad = (replace(parts[0], pairs=(Pair(("kane", "lagrange"), 1, Error(1e-3), None),)),)
    said = refusal(made, bad)
    assert said.startswith("the forms do not agree at its states: disagree; disagree: kane and")


def test_forms_that_are_missing_or_more_are_refused(made: Certificate) -> None:
    asked = made.asked.model_copy(update={"forms": ["kane", "maggi"]})
    with pytest.raises(CertificateError, match="lagrange cannot be compared here"):
        check(changed(made, asked=asked))
    asked = made.asked.model_copy(update={"forms": ["kane", "lagrange", "maggi"]})
    with pytest.raises(CertificateError, match="it lacks the form maggi, which is compared"):
        check(changed(made, asked=asked))


def test_another_version_excuses_nothing_that_is_missing(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    fewer = [one for one in made.margins if one.quantity != "constraint forces"]
    forms = [
        form.model_copy(
            update={"margins": {k: v for k, v in form.margins.items() if k != "constraint forces"}}
        )
        for form in made.forms
    ]
    older = changed(made, margins=fewer, forms=forms, versions={**made.versions, "mbx": "0.0.9"})
    assert refusal(older, parts) == "it lacks the margin of kane, constraint forces"


def test_a_margin_that_does_not_exist_is_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    more = made.margins[0].model_copy(update={"quantity": "colour"})
    other = changed(made, margins=[*made.margins, more])
    assert refusal(other, parts) == "its margin of colour does not come out again"


@pytest.mark.parametrize("update", [{"forward": True}, {"state": "random 1000"}])
def test_a_margin_that_says_something_else_is_refused(
    made: Certificate, parts: tuple[Verification, ...], update: dict[str, Any]
) -> None:
    one = made.margins[0].model_copy(update=update)
    assert one != made.margins[0]
    other = changed(made, margins=[one, *made.margins[1:]])
    assert refusal(other, parts).endswith("does not come out again")


@pytest.mark.parametrize("condition", [1e-6, 1e12, None])
def test_another_condition_number_is_refused(
    made: Certificate, parts: tuple[Verification, ...], condition: float | None
) -> None:
    forms = [one.model_copy(update={"condition": condition}) for one in made.forms]
    said = refusal(changed(made, forms=forms), parts)
    assert said.startswith("the condition number of kane is ")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", "Other"),
        ("witnesses", ["newton_euler"]),
        ("excluded", [{"name": "hamilton", "status": "not applicable", "reason": "because"}]),
    ],
)
def test_whatever_else_it_says_must_come_out(
    made: Certificate, parts: tuple[Verification, ...], key: str, value: Any
) -> None:
    data = json.loads(write_certificate(made)) | {key: value}
    other = read_certificate(
        write_certificate(Certificate.model_validate_json(json.dumps(data))), "c.json"
    )
    assert refusal(other, parts) == f"'{key}' does not come out again"


def test_other_answers_of_the_oracle_are_refused(
    made: Certificate, parts: tuple[Verification, ...]
) -> None:
    count = made.parts[0].oracle
    other = changed(made, parts=[made.parts[0].model_copy(update={"oracle": count + 1})])
    assert refusal(other, parts) == (
        f"the oracle answers at {count} states of seed 1, and it says {count + 1}"
    )


def test_what_computed_it_is_compared(made: Certificate, parts: tuple[Verification, ...]) -> None:
    versions = {**made.versions, "numpy": "1.0"}
    versions.pop("scipy")
    assert confirm(changed(made, versions=versions), model(), OPTIONS, parts) == [
        f"made with numpy 1.0, checked with {made.versions['numpy']}",
        f"made with scipy none, checked with {made.versions['scipy']}",
    ]
