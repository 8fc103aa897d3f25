"""Statements from text: all rules of the grammar together.

Each class of `mbx.language.text.rules` has one method a rule, named as the rule; a method takes the
span of what it was made from and the values of its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.language.text.expression_rules import ACTIONS
from mbx.language.text.rules.body_rules import Bodies
from mbx.language.text.rules.data_rules import Data
from mbx.language.text.rules.experiment_rules import Experiments
from mbx.language.text.rules.file_rules import Files
from mbx.language.text.rules.kinematics_rules import Kinematics
from mbx.language.text.rules.level_rules import Levels
from mbx.language.text.rules.load_rules import Loads
from mbx.language.text.rules.value_rules import ValueRules

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report
    from mbx.language.text.parse import Action

__all__ = ["actions"]

_GROUPS: Final = (Files, ValueRules, Kinematics, Bodies, Loads, Levels, Data, Experiments)


def actions(report: Report) -> dict[str, Action]:
    """Return what to do on each rule; faults that are no syntax go to `report`."""
    own: dict[str, Action] = {}
    for group in _GROUPS:
        rules = group(report)
        own.update({name: getattr(rules, name) for name in vars(group) if name[0] != "_"})
    return {**ACTIONS, **own}
