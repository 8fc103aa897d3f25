"""An experiment in numbers: values, start, times, prescribed motions, expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.base.diagnostics import Report
    from mbx.expr.nodes import Node
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = [
    "Energy",
    "Expectation",
    "Motion",
    "NoRateError",
    "NotRunError",
    "Plan",
    "RefusedValueError",
    "Variation",
]


class NotRunError(MbxError):
    """An experiment, or what it expects, cannot be had; the message states why."""


class NoRateError(NotRunError):
    """The equations have no value at a state: a shorter step may not come there."""

    def __init__(self, t: float) -> None:
        """Name the time of the state."""
        super().__init__(f"the equations have no value at t = {t:.6g} s")


class RefusedValueError(NotRunError):
    """A value that was put in, or one that is missing, makes the model faulty; with a report."""

    def __init__(self, report: Report) -> None:
        """Keep the report; its messages are the message, in a line."""
        super().__init__("; ".join(entry.message for entry in report))
        self.report = report


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A prescribed motion: `path` is the variable, or its rate, and `value` a node of t.

    `symbol` is its symbol, or what a declared variable of order 2 or more stands for.
    """

    path: str
    symbol: Node
    order: int
    value: Node
    unknowns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A value that is expected of a quantity, in SI units.

    `time` is None where it is about a named state. `node` has raw symbols.
    """

    number: int
    quantity: str
    node: Node
    at: str
    time: float | None
    state: str | None
    value: float
    within: float
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """A parameter, an input or a start that takes evenly spaced values, both bounds included.

    `steps` is how many; None where that is not stated.
    """

    path: str
    lower: float
    upper: float
    steps: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """That the energy is conserved; the tolerance is relative to the largest kinetic energy."""

    number: int
    within: float
    relative: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an experiment requests, in SI units.

    Attributes:
        name: The experiment.
        linked: The model, as it is written.
        system: The model's system, with the start values and named states that follow from
            what is set.
        parameters, inputs: What is set, by path.
        said: Where variables and rates start, by path, as the experiment states.
        held: What assembly keeps.
        freed: What assembly solves for.
        first, last: Times of the simulation; the same where there is none.
        every: How far apart its results are to be; None if that is not stated.
        tolerance: How far a step may be off; None if that is not stated.
        motions: Prescribed motions.
        expected: Values that are expected.
        energies: Expectations of the energy.
    """

    name: str
    linked: Linked
    system: System
    parameters: Mapping[str, float]
    inputs: Mapping[str, float]
    said: Mapping[str, float]
    held: frozenset[str]
    freed: frozenset[str]
    first: float
    last: float
    motions: tuple[Motion, ...]
    expected: tuple[Expectation, ...]
    energies: tuple[Energy, ...]
    every: float | None = None
    tolerance: float | None = None

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The inputs that bring prescribed motions about."""
        return tuple(dict.fromkeys(path for motion in self.motions for path in motion.unknowns))
