from __future__ import annotations

from math import nan
from xml.etree import ElementTree as ET

from mbx.verify.derived_forms import Excluded
from mbx.verify.findings import Error, Pair
from mbx.verify.junit import Suite, junit
from unit.verify.found import found


def cases(text: str) -> dict[str, ET.Element]:
    return {case.get("name", ""): case for case in ET.fromstring(text).iter("testcase")}  # noqa: S314  our own


def test_forms_that_agree_are_cases_that_passed() -> None:
    text = junit([Suite("a.mb", "M", 1.25, found())])
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites')
    assert text.endswith("</testsuites>\n")
    root = ET.fromstring(text)  # noqa: S314  our own
    assert root.attrib == {
        "name": "mbx verify", "tests": "2", "failures": "0", "errors": "0", "skipped": "0",
        "time": "1.250",
    }  # fmt: skip
    assert [suite.get("name") for suite in root] == ["a.mb: M"]
    assert list(cases(text)) == ["verdict", "kane and lagrange"]
    assert cases(text)["verdict"].get("classname") == "a.mb.M"
    assert all(len(case) == 0 for case in cases(text).values())


def test_forms_that_disagree_fail_with_what_was_found() -> None:
    bad = Error(1e-3, "random 1", "x'")
    text = junit([Suite("a.mb", "M", 0.0, found(bad)), Suite("b.mb", "N", 0.0, found())])
    assert ET.fromstring(text).get("failures") == "2"  # noqa: S314  our own
    (failure,) = ET.fromstring(text).find("testsuite/testcase[2]") or []  # noqa: S314  our own
    assert failure.tag == "failure"
    assert failure.get("message") == "disagree"
    assert failure.text == "accelerations: disagree, 1.0e-03 at random 1, x'"
    whole = ET.fromstring(text).findtext("testsuite/testcase[1]/failure")  # noqa: S314  our own
    assert "disagree: kane and lagrange, accelerations: 1.0e-03 at random 1, x'" in str(whole)


def test_undecided_is_a_failure_and_not_compared_as_well() -> None:
    undecided = cases(junit([Suite("a.mb", "M", 0.0, found(Error(nan)))]))
    assert undecided["kane and lagrange"].find("failure") is not None
    never = found(pairs=(Pair(("kane", "lagrange"), 0, None, None),))
    text = cases(junit([Suite("a.mb", "M", 0.0, never)]))["kane and lagrange"].findtext("failure")
    assert text == "they were compared at no state"


def test_a_form_that_cannot_say_the_model_is_skipped_and_one_that_failed_is_a_failure() -> None:
    excluded = (
        Excluded("maggi", "not applicable", "a reason"),
        Excluded("hamilton", "failed", "KeyError"),
    )
    found_cases = cases(junit([Suite("a.mb", "M", 0.0, found(excluded=excluded))]))
    skipped = found_cases["maggi"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "not applicable: a reason"
    assert found_cases["hamilton"].find("failure") is not None


def test_a_model_that_was_not_verified_is_an_error() -> None:
    text = junit([Suite("a.mb", "", 0.0, None, "a.mb:1:1: error\n  there")])
    root = ET.fromstring(text)  # noqa: S314  our own
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    assert root.findtext("testsuite/testcase/error") == "a.mb:1:1: error\n  there"


def test_nothing_in_a_name_breaks_the_report() -> None:
    hostile = ']]> <x a="1">&\x1b[2J\x00\ud800\ufffe'
    reason = f"<!DOCTYPE x> {hostile}"
    text = junit(
        [
            Suite(hostile, "M", 0.0, None, hostile),
            Suite("a.mb", "M", 0.0, found(excluded=(Excluded("k", "failed", reason),))),
        ]
    )
    text.encode()
    root = ET.fromstring(text)  # noqa: S314  our own
    assert len(root) == 2
    assert root[0].get("name", "").startswith(']]> <x a="1">&')
    assert "<!DOCTYPE" not in text
