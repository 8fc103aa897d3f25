"""What is written: equations, and what a writer may need beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations

__all__ = ["Places", "Subject"]


class Places(Protocol):
    """States of a model in general position, where ranks are found and code is tried out."""

    @property
    def rows(self) -> int:
        """How many equations the invariants are."""

    def regular(self, equations: Equations, also: Sequence[str] = ()) -> Mapping[Node, float]:
        """Return the value of every symbol at a state where equations give accelerations.

        Entries of the matrices that are named go by the symbols `NAME[i,j]`.
        """

    def others(
        self, equations: Equations, also: Sequence[str] = ()
    ) -> Sequence[Mapping[Node, float]]:
        """Return the same at further states, the start and those the model names among them."""

    def unlike(
        self,
        equations: Equations,
        results: Mapping[str, Sequence[Sequence[Node]]],
        given: Sequence[str] = (),
    ) -> Mapping[str, str]:
        """Return which results, written out, are not what the program gives, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Equations to be written.

    Attributes:
        equations: What is written.
        values: Numbers that are put in for parameters before anything is written.
        places: States of the model behind the equations; None where it is not known.
        guarded: Whether results are infinite where rows that were dropped do not hold.
    """

    equations: Equations
    values: Mapping[Node, Number] = field(default_factory=dict)
    places: Places | None = None
    guarded: bool = False

    @property
    def stem(self) -> str:
        """A name for files and functions: the model and the form, letters and digits."""
        one = self.equations
        form = f"{one.formalism}_{one.variant}" if one.variant else one.formalism
        kept = "".join(c if c.isascii() and c.isalnum() else "_" for c in f"{one.model}_{form}")
        return kept if kept[:1].isalpha() else f"m{kept}"
