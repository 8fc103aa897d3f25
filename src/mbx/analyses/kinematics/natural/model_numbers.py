"""Numbers that a model has: parameters and inputs, each as given or by its own value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.base.errors import MbxError
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import Node, number
from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Parameter, System

__all__ = ["DriveError", "NotNaturalError", "Numbers"]


class NotNaturalError(MbxError):
    """A model, or a part of it, that is not said in natural coordinates; the message says why."""


class DriveError(MbxError):
    """A drive that has no value, or no rates, at some time."""


class Numbers:
    """The values of parameters and inputs, by symbol."""

    def __init__(self, system: System, given: Mapping[str, float]) -> None:
        """Take values by path; all others are the model's own."""
        self.values: dict[Node, float] = {}
        left: list[Parameter] = list(self._said((*system.parameters, *system.inputs), given))
        while left:
            later = [one for one in left if not self._found(one)]
            if len(later) == len(left):
                break
            left = later
        self._put = {symbol: number(value) for symbol, value in self.values.items()}
        self._open = {one.symbol: one.path for one in left}

    def _said(self, some: Iterable[Parameter], given: Mapping[str, float]) -> Iterable[Parameter]:
        for one in some:
            if one.path in given:
                self.values[one.symbol] = given[one.path]
            else:
                yield one

    def _found(self, one: Parameter) -> bool:
        if one.value is None:
            return False
        try:
            self.values[one.symbol] = float(evaluate([one.value], self.values)[0])
        except KeyError:
            return False
        return True

    def put(self, nodes: Sequence[Node]) -> list[Node]:
        """Return expressions with these numbers put in; what is named must have a value."""
        found = substitute(nodes, self._put)
        if self._open:
            for one in free_symbols(found):
                if one in self._open:
                    raise NotNaturalError(f"'{self._open[one]}' has no value; set one")
        return found

    def array(self, nodes: Sequence[Node], what: str) -> Array:
        """Return the numbers that expressions are; raise `NotNaturalError` where they move."""
        try:
            return np.array([float(x) for x in evaluate(nodes, self.values)])
        except KeyError as moving:
            reason = f"{what} moves with '{moving.args[0].value}'"
            raise NotNaturalError(f"{reason}: natural coordinates need it fixed") from None
