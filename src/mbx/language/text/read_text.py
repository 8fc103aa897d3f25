"""A document from .mb text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import Report, Source, Span
from mbx.language.text.expression_rules import ACTIONS
from mbx.language.text.parse import run
from mbx.language.text.rules.body_rules import Bodies
from mbx.language.text.rules.data_rules import Data
from mbx.language.text.rules.experiment_rules import Experiments
from mbx.language.text.rules.file_rules import Files
from mbx.language.text.rules.kinematics_rules import Kinematics
from mbx.language.text.rules.level_rules import Levels
from mbx.language.text.rules.load_rules import Loads
from mbx.language.text.rules.value_rules import ValueRules
from mbx.language.text.text_comments import attach

if TYPE_CHECKING:
    from mbx.language.document.document import Document
    from mbx.language.text.parse import Action

__all__ = ["read_text"]


def read_text(source: Source, report: Report) -> Document | None:
    """Return the document that a text spells; none if it has faults, which `report` has."""
    own = Report()
    parsed = run(source, "document", actions(own), own)
    if not parsed.tokens and own.only("MBX1008"):
        _empty(source, report)
        return None
    report.extend(own)
    document: Document | None = parsed.value
    if document is None:
        return None
    return attach(document, parsed.comments, source.text)


def _empty(source: Source, report: Report) -> None:
    report.add(
        "MBX1001",
        "there is no model in the file",
        Span(source, 0, 0),
        help="write one: model NAME { … }",
    )


_GROUPS: Final = (Files, ValueRules, Kinematics, Bodies, Loads, Levels, Data, Experiments)


def actions(report: Report) -> dict[str, Action]:
    """Return what to do on each rule; faults that are no syntax go to `report`.

    Each class of `mbx.language.text.rules` has one method a rule, named as the rule; a method takes
    the span of what it was made from and the values of its parts.
    """
    own: dict[str, Action] = {}
    for group in _GROUPS:
        rules = group(report)
        own.update({name: getattr(rules, name) for name in vars(group) if name[0] != "_"})
    return {**ACTIONS, **own}
