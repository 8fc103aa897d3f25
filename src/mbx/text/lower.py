"""Statements from text: all rules of the grammar together.

Each class of `mbx.text.rules` has one method a rule, named as the rule; a method takes the
span of what it was made from and the values of its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.syntax.expressions import ACTIONS
from mbx.text.rules.bodies import Bodies
from mbx.text.rules.data import Data
from mbx.text.rules.experiments import Experiments
from mbx.text.rules.files import Files
from mbx.text.rules.kinematics import Kinematics
from mbx.text.rules.levels import Levels
from mbx.text.rules.loads import Loads
from mbx.text.rules.values import ValueRules

if TYPE_CHECKING:
    from mbx.diagnostics import Report
    from mbx.syntax.parse import Action

__all__ = ["actions"]

_GROUPS: Final = (Files, ValueRules, Kinematics, Bodies, Loads, Levels, Data, Experiments)


def actions(report: Report) -> dict[str, Action]:
    """Return what to do on each rule; faults that are no syntax go to `report`."""
    own: dict[str, Action] = {}
    for group in _GROUPS:
        rules = group(report)
        own.update({name: getattr(rules, name) for name in vars(group) if name[0] != "_"})
    return {**ACTIONS, **own}
