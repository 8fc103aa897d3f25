"""A verification under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mbx.formalism.numerics import Array
    from mbx.verify.forms import Excluded, Form, Result
    from mbx.verify.guard import Clock
    from mbx.verify.manifold import Manifold
    from mbx.verify.sample import Sample

__all__ = ["Work"]


@dataclass(slots=True)
class Work:
    """States, forms and what these give there; `results` are in the order of `forms`."""

    manifold: Manifold
    sample: Sample
    clock: Clock
    seed: int
    forms: list[Form]
    excluded: list[Excluded]
    higher: dict[str, Array] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def drop(self, gone: dict[int, Excluded]) -> None:
        """Leave out some forms, by number."""
        self.excluded += [why for k, why in gone.items() if not self.forms[k].witness]
        self.forms = [f for k, f in enumerate(self.forms) if k not in gone]
        self.results = [r for k, r in enumerate(self.results) if k not in gone]
