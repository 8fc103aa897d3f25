"""Verifications as a JUnit report, for the test pages of a build server.

Every model is a suite. Its first case is the model as a whole, then comes a case for every two
forms, and one for every value that an experiment expects; forms that do not support the model are
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
    """A model in a file: its verification, or why there is none, or why that is not enough."""

    file: str
    model: str
    seconds: float
    verification: Verification | None
    trouble: str = ""


def junit(suites: Sequence[Suite]) -> str:
    """Return a report as XML."""
    root = Element("testsuites", name="mbx verify")
    for suite in suites:
        root.append(_suite(suite))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(each.get(key, "0")) for each in root)))
    root.set("time", f"{sum(suite.seconds for suite in suites):.3f}")
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def _suite(suite: Suite) -> Element:
    name = f"{suite.file}: {suite.model}" if suite.model else suite.file
    element = Element("testsuite", name=_text(name), time=f"{suite.seconds:.3f}")
    whole = _case(element, suite, "verdict", f"{suite.seconds:.3f}")
    if suite.verification is None:
        _add_outcome(whole, "error", "the model has errors, or was not verified", suite.trouble)
    else:
        if suite.trouble:
            _add_outcome(whole, "failure", suite.trouble, "")
        elif not suite.verification.ok:
            _add_outcome(
                whole,
                "failure",
                suite.verification.summary(),
                "\n".join(suite.verification.lines()),
            )
        for pair in suite.verification.pairs:
            case = _case(element, suite, " and ".join(pair.forms))
            if pair.verdict != "agree":
                _add_outcome(case, "failure", pair.verdict, "\n".join(_findings(pair)))
        for reference in suite.verification.references:
            name = f"{reference.experiment}: {reference.quantity} {reference.at}"
            case = _case(element, suite, name)
            if not reference.met:
                _add_outcome(
                    case,
                    "failure",
                    "not run" if reference.met is None else "not met",
                    str(reference),
                )
        for form in suite.verification.excluded:
            case = _case(element, suite, form.name)
            kind = "failure" if form.status in {"failed", OUT_OF_TIME} else "skipped"
            _add_outcome(case, kind, f"{form.status}: {form.reason}", "")
    element.set("tests", str(len(element)))
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(key, str(len(element.findall(f"testcase/{kind}"))))
    return element


def _case(element: Element, suite: Suite, name: str, seconds: str = "0.000") -> Element:
    owner = ".".join(x for x in (suite.file, suite.model) if x)
    return SubElement(element, "testcase", classname=_text(owner), name=_text(name), time=seconds)


def _add_outcome(case: Element, kind: str, message: str, text: str) -> None:
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
