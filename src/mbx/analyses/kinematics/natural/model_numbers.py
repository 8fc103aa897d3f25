"""Numbers that a model has: parameters and inputs, each as given or by its value in the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.base.errors import MbxError
from mbx.expr.evaluate import evaluate, free_symbols, substitute
from mbx.expr.nodes import Node, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Parameter, System

__all__ = ["DriveError", "NotNaturalError", "Numbers"]


class NotNaturalError(MbxError):
    """A model, or a part of it, that natural coordinates do not support; the message states why."""


class DriveError(MbxError):
    """A drive that has no value, or no rates, at some time."""


class Numbers:
    """The values of parameters and inputs, by symbol."""

    def __init__(self, system: System, values: Mapping[str, float]) -> None:
        """Take values by path; the others are those of the model."""
        self.values: dict[Node, float] = {}
        left: list[Parameter] = list(self._take((*system.parameters, *system.inputs), values))
        while left:
            later = [parameter for parameter in left if not self._evaluate(parameter)]
            if len(later) == len(left):
                break
            left = later
        self._put = {symbol: number(value) for symbol, value in self.values.items()}
        self._open = {parameter.symbol: parameter.path for parameter in left}

    def _take(
        self, parameters: Iterable[Parameter], values: Mapping[str, float]
    ) -> Iterable[Parameter]:
        for parameter in parameters:
            if parameter.path in values:
                self.values[parameter.symbol] = values[parameter.path]
            else:
                yield parameter

    def _evaluate(self, parameter: Parameter) -> bool:
        if parameter.value is None:
            return False
        try:
            self.values[parameter.symbol] = float(evaluate([parameter.value], self.values)[0])
        except KeyError:
            return False
        return True

    def put(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions with these numbers put in; what is named must have a value."""
        replaced = substitute(nodes, self._put)
        if self._open:
            for free in free_symbols(replaced):
                if free in self._open:
                    raise NotNaturalError(f"'{self._open[free]}' has no value; set one")
        return replaced

    def array(self, nodes: Sequence[Node], what: str) -> Array:
        """Return the numbers that expressions are; raise `NotNaturalError` where they move."""
        try:
            return np.array([float(x) for x in evaluate(nodes, self.values)])
        except KeyError as moving:
            reason = f"{what} moves with '{moving.args[0].value}'"
            raise NotNaturalError(f"{reason}: natural coordinates need it fixed") from None
