"""The file of a certificate: made whole, and refused where anything in it is not as it must be."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

import mbx
from mbx.base.workers.pool import Pool
from mbx.verify.certificate.certificate import certify
from mbx.verify.certificate.certificate_file import (
    Asked,
    Certificate,
    CertificateError,
    FormRecord,
    Margin,
    Met,
    OldCertificateError,
    Part,
    Tolerances,
    _digest,
    certificate_schema,
    read_certificate,
    write_certificate,
)
from mbx.verify.many import verify_parts
from mbx.verify.run_verification import Options

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = Certificate(
    model="M",
    hash="a" * 64,
    experiment_hash="b" * 64,
    verdict="agree",
    asked=Asked(forms=[], states=1, oracle=1, seed=1),
    tolerances=Tolerances(),
    forms=[
        FormRecord(
            name="kane",
            condition=2.5,
            margins={"accelerations": 1e-16, "beside the oracle, accelerations": 0.0},
        ),
        FormRecord(
            name="lagrange",
            margins={"accelerations": 1e-16, "beside the oracle, accelerations": 0.0},
        ),
    ],
    witnesses=[],
    excluded=[],
    margins=[
        Margin(quantity="accelerations", forms=["kane", "lagrange"], value=1e-16, state="random 1"),
        Margin(quantity="beside the oracle, accelerations", forms=["kane"], value=0.0),
    ],
    references=[
        Met(
            experiment="swing",
            quantity="x",
            at="at 1 s",
            kind="analytic",
            expected=0.5,
            within=1e-8,
            found=0.5 + 1e-9,
            by="kane",
        )
    ],
    variables=["x", "x'"],
    parts=[
        Part(
            seed=1,
            oracle=1,
            drawn={},
            states=["random 1"],
            largest=[1 / 3, 0.0],
            latest=0.1,
        )
    ],
    versions={"mbx": "0.1.0"},
)


def changed(change: Callable[[dict[str, Any]], object], *, sealed: bool = True) -> str:
    """Return a certificate with a change, and a digest that fits it."""
    data = json.loads(write_certificate(GOOD))
    change(data)
    if sealed:
        data["digest"] = _digest(data)
    return json.dumps(data)


def reason(text: str) -> str:
    with pytest.raises(CertificateError) as refused:
        read_certificate(text, "c.json")
    return str(refused.value)


def test_a_certificate_is_read_as_it_was_written() -> None:
    text = write_certificate(GOOD)
    found = read_certificate(text, "c.json")
    assert found == GOOD.model_copy(update={"digest": found.digest})
    assert re.fullmatch("[0-9a-f]{64}", found.digest)
    assert found.parts[0].largest[0] == 1 / 3
    assert write_certificate(found) == text


def test_every_form_margin_and_reference_has_a_line() -> None:
    lines = write_certificate(GOOD).splitlines()
    assert sum(line.startswith('    {"name"') for line in lines) == 2
    assert sum(line.startswith('    {"quantity"') for line in lines) == 2
    assert sum(line.startswith('    {"experiment"') for line in lines) == 1


def test_a_certificate_has_a_date_and_a_maker_only_where_they_are_given() -> None:
    assert (GOOD.date, GOOD.maker) == ("", "")
    stated = GOOD.model_copy(update={"date": "2026-11-18", "maker": "R. Orsino"})
    found = read_certificate(write_certificate(stated), "c.json")
    assert (found.date, found.maker) == ("2026-11-18", "R. Orsino")


def test_a_maker_that_is_changed_is_seen() -> None:
    text = changed(lambda c: c.update(maker="somebody else"), sealed=False)
    assert reason(text) == "it was changed after it was made: its digest does not fit"


def test_a_certificate_meets_its_schema() -> None:
    schema = certificate_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(write_certificate(GOOD)))


def test_an_edit_is_seen() -> None:
    text = changed(lambda c: c["margins"][0].update(value=2e-16), sealed=False)
    assert reason(text) == "it was changed after it was made: its digest does not fit"


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "of_a_newer_version": (
        lambda c: c.update(mbx_certificate=4),
        "it is of version 4, and this mbx knows version 3",
    ),
    "of_version_zero": (
        lambda c: c.update(mbx_certificate=0),
        "it is of version 0, and this mbx knows version 3",
    ),
    "that_asks_for_more_states_than_it_has": (
        lambda c: c["asked"].update(states=10),
        "it asks for 10 random states of seed 1, and has 1",
    ),
    "that_asks_for_more_parts_than_it_has": (
        lambda c: c["asked"].update(states=10_000),
        "it asks for 10000 states, which are 157 parts, and has 1",
    ),
    "that_asks_for_no_state": (
        lambda c: c["asked"].update(states=0),
        "'asked.states': input should be greater than or equal to 1",
    ),
    "that_asks_for_more_states_than_can_be": (
        lambda c: c["asked"].update(states=10_001),
        "'asked.states': input should be less than or equal to 10000",
    ),
    "that_counts_rest_as_a_random_state": (
        lambda c: c["parts"][0].update(states=["rest"]),
        "it asks for 1 random states of seed 1, and has 0",
    ),
    "whose_oracle_was_at_no_state": (
        lambda c: c["parts"][0].update(oracle=0),
        "it asks for the oracle, which is at no state of seed 1",
    ),
    "with_an_unknown_key": (
        lambda c: c.update(trust=True),
        "it has a key that is not known, 'trust'",
    ),
    "with_an_unknown_key_inside": (
        lambda c: c["margins"][0].update(note="x"),
        "it has a key that is not known, 'margins.0.note'",
    ),
    "without_its_forms": (lambda c: c.pop("forms"), "it lacks 'forms'"),
    "that_says_disagree": (lambda c: c.update(verdict="disagree"), "'verdict': input should be"),
    "without_states": (lambda c: c.update(parts=[]), "'parts': list should have at least 1"),
    "with_a_number_as_a_text": (
        lambda c: c["margins"][0].update(value="0"),
        "'margins.0.value': input should be a valid number",
    ),
    "with_a_negative_margin": (
        lambda c: c["margins"][0].update(value=-1.0),
        "'margins.0.value': input should be greater than or equal to 0",
    ),
    "with_other_tolerances": (
        lambda c: c["tolerances"].update({"pass": 1.0}),
        "its tolerances are not 1e-12 and 1e-06",
    ),
    "with_a_negative_margin_of_a_form": (
        lambda c: c["forms"][0]["margins"].update(accelerations=-1.0),
        "'forms.0.margins.accelerations': input should be greater than or equal to 0",
    ),
    "whose_form_is_worse_than_its_margin": (
        lambda c: c["forms"][0]["margins"].update(accelerations=1e-14),
        "its margin of accelerations is 1.0e-16, and that of kane is 1.0e-14",
    ),
    "whose_form_does_not_agree": (
        lambda c: c["forms"][0]["margins"].update(accelerations=1e-3),
        "its own margins do not agree: accelerations of kane, 1.0e-03",
    ),
    "whose_arbiter_decided_on_nothing": (
        lambda c: c["forms"][0].update(arbiter={"colour": "rounding"}),
        "the arbiter decided on what is no margin of kane",
    ),
    "whose_margins_do_not_agree": (
        lambda c: c["margins"][0].update(value=1e-3),
        "its own margins do not agree: accelerations of kane and lagrange, 1.0e-03",
    ),
    "whose_margins_are_undecided": (
        lambda c: c["margins"][0].update(value=1e-9),
        "its own margins do not agree",
    ),
    "whose_references_are_not_met": (
        lambda c: c["references"][0].update(found=0.6),
        "its own references are not met: swing, x at 1 s",
    ),
    "without_a_margin": (
        lambda c: c["margins"].pop(0),
        "it lacks the margin of accelerations",
    ),
    "without_a_margin_of_a_form": (
        lambda c: c["forms"][1]["margins"].pop("accelerations"),
        "it lacks the margin of lagrange, accelerations",
    ),
    "without_a_margin_beside_the_oracle": (
        lambda c: c["forms"][1]["margins"].popitem(),
        "it lacks the margin of lagrange, beside the oracle, accelerations",
    ),
    "with_a_form_taken_out": (
        lambda c: c["forms"].pop(),
        "a margin is of kane and lagrange: no forms of it",
    ),
    "with_a_form_twice": (
        lambda c: c["forms"].append(c["forms"][0]),
        "it has the form 'kane' twice",
    ),
    "with_a_margin_twice": (
        lambda c: c["margins"].append(c["margins"][0]),
        "it has the margin 'accelerations' twice",
    ),
    "with_a_state_twice": (
        lambda c: c["parts"][0]["states"].append("random 1"),
        "it has the state 'random 1' twice",
    ),
    "with_a_part_twice": (
        lambda c: c["parts"].append(c["parts"][0]),
        "it asks for 1 states, which are 1 parts, and has 2",
    ),
    "of_another_seed": (
        lambda c: c["parts"][0].update(seed=2),
        "part 1 has the seed 2, not 1",
    ),
    "with_a_variable_twice": (
        lambda c: c.update(variables=["x", "x"]),
        "it has the variable 'x' twice",
    ),
    "with_a_value_missing": (
        lambda c: c["parts"][0]["largest"].pop(),
        "seed 1 has 1 sizes, and there are 2 variables",
    ),
    "with_too_many_forms": (
        lambda c: c.update(forms=[{"name": str(k), "margins": {}} for k in range(101)]),
        "'forms': list should have at most 100 items",
    ),
    "with_a_long_name": (
        lambda c: c.update(model="M" * 1_001),
        "'model': string should have at most 1000 characters",
    ),
    "with_a_short_hash": (lambda c: c.update(hash="abc"), "'hash': string should match pattern"),
}


def test_an_old_version_of_the_file_is_told_from_what_is_no_certificate() -> None:
    for old in (1, 2):
        with pytest.raises(OldCertificateError, match=f"it is of version {old}, and this mbx"):
            read_certificate(json.dumps({"mbx_certificate": old}), "c.json")
    for other in (0, 4, -1, True, "1", 1.5):
        with pytest.raises(CertificateError) as refused:
            read_certificate(json.dumps({"mbx_certificate": other}), "c.json")
        assert not isinstance(refused.value, OldCertificateError)


@pytest.mark.parametrize("name", CHANGES)
def test_a_certificate_is_refused(name: str) -> None:
    change, said = CHANGES[name]
    assert reason(changed(change, sealed=name != "without_its_forms")).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", "it is no certificate: it has no key 'mbx_certificate'"),
        ("{}", "it is no certificate: it has no key 'mbx_certificate'"),
        ('{"mbx": 1}', "it is no certificate: it has no key 'mbx_certificate'"),
        ('{"mbx_certificate": NaN}', "NaN is no number"),
        ('{"mbx_certificate": 1e999}', "1e999 is outside of the numbers that can be kept"),
        ('{"mbx_certificate": 1, "mbx_certificate": 1}', "key 'mbx_certificate' stands twice"),
        ('{"mbx_certificate": "\\u001b[2J"}', "control character"),
        ("[" * 100_000, "nested deeper than 200"),
    ],
)
def test_what_is_no_certificate_is_refused(text: str, said: str) -> None:
    assert reason(text).startswith(said)


def test_a_certificate_of_all_forms_is_small() -> None:
    linked = mbx.link(mbx.read("lib:four_bar"))
    options = Options(references=False)
    text = certify(linked, options, verify_parts(linked, [options], Pool()))
    assert len(read_certificate(text, "c.json").forms) > 30
    assert len(text) < 30_000
    assert "NaN" not in text
    assert "Infinity" not in text
