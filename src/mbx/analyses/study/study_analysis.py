"""What can be made many times: one record, one module of `mbx.analyses.study.kinds` each."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mbx.analyses.study.study_errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.study.setting import Cell
    from mbx.analyses.study.study_ground import Ground

__all__ = ["Analysis", "Runner", "get", "names"]


class Runner(Protocol):
    """An analysis of one model, ready to be made."""

    def unit(self, result: str) -> str:
        """Return the SI unit of a result; "" where it has none."""

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return the results of a plan, by name; raise `NotRunError` where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis; a module of `mbx.analyses.study.kinds` offers it as `ANALYSIS`.

    Attributes:
        name: Name behind `--analysis`; equals the name of the module.
        title: What it does.
        begin: Make it ready: what is the same for all runs is done here, once. A result that
            it does not have raises `StudyError`.
    """

    name: str
    title: str
    begin: Callable[[Ground], Runner]


def names() -> tuple[str, ...]:
    """Return the names of all analyses, sorted."""
    package = importlib.import_module("mbx.analyses.study.kinds")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__)))


def get(name: str) -> Analysis:
    """Return an analysis by its name; raise `StudyError` if there is none."""
    if name not in names():
        raise unknown("analysis", name, names())
    analysis: Analysis = importlib.import_module(f"mbx.analyses.study.kinds.{name}").ANALYSIS
    return analysis
