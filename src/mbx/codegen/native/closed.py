"""Rates of independent variables in machine code: a chain closes the state, a form moves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbx.codegen.native.argument_layout import Layout, Result
from mbx.codegen.native.function import Function

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mbx.codegen.native.chain import Chain
    from mbx.codegen.native.machine_code import Code

__all__ = ["Closed", "Places"]


@dataclass(frozen=True, slots=True)
class Places:
    """Where in the numbers of a chain things are.

    Attributes:
        begin: The first link that is run.
        rates: Where the rates of the independent q begin; these are the first numbers.
        q, u: Where the chain leaves q and u of the whole state.
        which: Those of the rates of the state that are the rates of the independent u.
    """

    begin: int
    rates: int
    q: int
    u: int
    which: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Code:
    """The code of a chain, with its closing function as that of one state."""

    code: Code

    def address(self, name: str) -> int:
        return self.code.address("mb_closed" if name == "mb_single" else name)

    @property
    def size(self) -> int:
        return self.code.size


class Closed(Function):
    """Rates of independent q and u, as a function of them for one state.

    It starts where the numbers of its chain are, and leaves them where it has been.
    """

    def __init__(self, chain: Chain, rates: Function, paths: Sequence[str], places: Places) -> None:
        """Take a chain, the rates of the whole state, and the paths of the independent q."""
        n = len(paths)
        speeds = tuple(f"{path}'" for path in paths)
        groups = {"t": ("t",), "q": tuple(paths), "u": speeds, "higher": (), "inputs": ()}
        layout = Layout(
            {**groups, "parameters": ()},
            {name: (None,) * len(some) for name, some in groups.items()} | {"parameters": ()},
            {"qd": Result(0, n, 1), "ud": Result(n, n, 1)},
        )
        super().__init__("llvm", layout, _Code(chain.code), 0)
        which = np.array(places.which, dtype=np.int64)
        said, self._held = chain.described(
            places.begin, (n, places.rates), rates, (places.q, places.u), which
        )
        self._said = said.view(np.float64)  # what one state takes as constants: here, addresses

    def constants(
        self,
        parameters: ArrayLike | Mapping[str, Any] | None = None,  # noqa: ARG002  it has none
    ) -> NDArray[np.float64]:
        """Return what the function reads of its chain."""
        return self._said
