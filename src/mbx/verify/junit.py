"""Verifications as a JUnit report, for the test pages of a build server.

Every model is a suite. Its first case is the model as a whole, then comes a case for every two
forms, and one for every value that an experiment expects; forms that cannot say the model are
skipped cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mbx.analyses.guard import OUT_OF_TIME
from mbx.base.diagnostics import safe_text
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.verify.findings import Pair
    from mbx.verify.verification import Verification

__all__ = ["Suite", "junit"]


@dataclass(frozen=True, slots=True)
class Suite:
    """A model in a file: what was found, or why there is nothing, or why that is not enough."""

    file: str
    model: str
    seconds: float
    found: Verification | None
    trouble: str = ""


def junit(suites: Sequence[Suite]) -> str:
    """Return a report as XML."""
    root = Element("testsuites", name="mbx verify")
    for one in suites:
        root.append(_suite(one))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(each.get(key, "0")) for each in root)))
    root.set("time", f"{sum(one.seconds for one in suites):.3f}")
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _suite(one: Suite) -> Element:
    name = f"{one.file}: {one.model}" if one.model else one.file
    suite = Element("testsuite", name=_text(name), time=f"{one.seconds:.3f}")
    whole = _case(suite, one, "verdict", f"{one.seconds:.3f}")
    if one.found is None:
        _said(whole, "error", "the model has errors, or was not verified", one.trouble)
    else:
        if one.trouble:
            _said(whole, "failure", one.trouble, "")
        elif not one.found.ok:
            _said(whole, "failure", one.found.summary(), "\n".join(one.found.lines()))
        for pair in one.found.pairs:
            case = _case(suite, one, " and ".join(pair.forms))
            if pair.verdict != "agree":
                _said(case, "failure", pair.verdict, "\n".join(_findings(pair)))
        for reference in one.found.references:
            name = f"{reference.experiment}: {reference.quantity} {reference.at}"
            case = _case(suite, one, name)
            if not reference.met:
                _said(
                    case,
                    "failure",
                    "not run" if reference.met is None else "not met",
                    str(reference),
                )
        for form in one.found.excluded:
            case = _case(suite, one, form.name)
            kind = "failure" if form.status in {"failed", OUT_OF_TIME} else "skipped"
            _said(case, kind, f"{form.status}: {form.reason}", "")
    suite.set("tests", str(len(suite)))
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{kind}"))))
    return suite


def _case(suite: Element, one: Suite, name: str, seconds: str = "0.000") -> Element:
    owner = ".".join(x for x in (one.file, one.model) if x)
    return SubElement(suite, "testcase", classname=_text(owner), name=_text(name), time=seconds)


def _said(case: Element, kind: str, message: str, text: str) -> None:
    SubElement(case, kind, message=_text(message)).text = "\n".join(map(_text, text.split("\n")))


def _text(line: str) -> str:
    """Return a line without what XML cannot hold, or a reader could take for something else."""
    return safe_text(line)


def _findings(pair: Pair) -> list[str]:
    if not pair.states:
        return ["they were compared at no state"]
    return [
        f"{what}: {judge(error)}, {error.value:.1e} at {error.state}, {error.row}"
        for what, error in pair.errors()
        if judge(error) != "agree"
    ]
