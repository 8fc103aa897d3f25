"""The result of linking, with the identity of the model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbx.base.late import late, view
from mbx.base.short_repr import shorten_repr
from mbx.linking.canonical import physics, setup

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document, Model

__all__ = ["Linked"]


@dataclass(frozen=True, eq=False)
class Linked:
    """A linked document: one model with its subsystems in place, and its experiments.

    It is itself and no other: what later stages make of it is kept for it, once.
    """

    document: Document

    def __repr__(self) -> str:
        """Return the name of the model."""
        return shorten_repr(f"<Linked: model {self.model.name}>")

    def to(self, form: str) -> Equations:
        """Return the equations of motion of the model in a form, as `mbx.convert` does."""
        equations: Equations = late("mbx.pipeline:convert")(self, form)
        return equations

    def _repr_html_(self) -> str | None:
        return view("document_html", self.document)

    @property
    def model(self) -> Model:
        """The model."""
        return self.document.models[-1]

    @cached_property
    def canonical(self) -> bytes:
        """The physics in canonical form, RFC 8785."""
        return _bytes(physics(self.document))

    @cached_property
    def hash(self) -> str:
        """The identity of the model: SHA-256 of its canonical form."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def experiment_hash(self) -> str:
        """SHA-256 of start values, ranges, states, hints and experiments."""
        return hashlib.sha256(_bytes(setup(self.document))).hexdigest()


def _bytes(data: dict[str, object]) -> bytes:
    import rfc8785  # noqa: PLC0415  only when an identity is asked for

    return rfc8785.dumps(data)  # type: ignore[arg-type]
