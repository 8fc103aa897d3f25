"""What can be made many times: one record, one module of `mbx.study.kinds` each."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mbx.study.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.experiments.plan import Plan
    from mbx.study.ground import Ground
    from mbx.study.setting import Cell

__all__ = ["Analysis", "Runner", "get", "names"]


class Runner(Protocol):
    """An analysis of one model, ready to be made."""

    def unit(self, result: str) -> str:
        """Return the SI unit of a result; "" where it has none."""

    def run(self, plan: Plan) -> Mapping[str, Cell]:
        """Return the results of a plan, by name; raise `NotRunError` where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """An analysis; a module of `mbx.study.kinds` offers it as `ANALYSIS`.

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
    package = importlib.import_module("mbx.study.kinds")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__)))


def get(name: str) -> Analysis:
    """Return an analysis by its name; raise `StudyError` if there is none."""
    if name not in names():
        raise unknown("analysis", name, names())
    analysis: Analysis = importlib.import_module(f"mbx.study.kinds.{name}").ANALYSIS
    return analysis
