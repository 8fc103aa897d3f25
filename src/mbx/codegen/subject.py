"""What is written: equations, and numbers for their parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Equations to be written.

    Attributes:
        equations: What is written.
        values: Numbers that are put in for parameters before anything is written.
        guarded: Whether results are infinite where rows that were dropped do not hold.
    """

    equations: Equations
    values: Mapping[Node, Number] = field(default_factory=dict)
    guarded: bool = False

    @property
    def stem(self) -> str:
        """A name for files and functions: the model and the form, letters and digits."""
        one = self.equations
        form = f"{one.formalism}_{one.variant}" if one.variant else one.formalism
        kept = "".join(c if c.isascii() and c.isalnum() else "_" for c in f"{one.model}_{form}")
        return kept if kept[:1].isalpha() else f"m{kept}"
