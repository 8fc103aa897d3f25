"""The root of a document, subsystems, hints, states and repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, JsonValue, PrivateAttr

from mbx.base.late import late, view
from mbx.base.short_repr import join_names, shorten_repr
from mbx.language.document.bodies import Body, Joint, Particle
from mbx.language.document.declarations import (
    Coordinate,
    Function,
    Input,
    KeptRate,
    Let,
    Param,
    Speed,
    Variable,
)
from mbx.language.document.experiments import Assignment, Experiment, Initial
from mbx.language.document.kinematic_statements import Define, Frame, Invariant, NamedValue, Point
from mbx.language.document.load_statements import (
    Damper,
    Dissipation,
    Effective,
    Force,
    GeneralizedLoad,
    Gravity,
    Potential,
    Spring,
    Torque,
)
from mbx.language.document.metadata import Ext, Meta
from mbx.language.document.node import (
    Block,
    Closing,
    Expr,
    Heading,
    Ident,
    Line,
    Name,
    Node,
    Ref,
    Statement,
    Text,
    TopLevel,
)

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

__all__ = [
    "FORMAT_VERSION",
    "AnyStatement",
    "Branch",
    "Document",
    "ExpectRank",
    "ForBlock",
    "IfBlock",
    "Independent",
    "InlineSubsystem",
    "Instance",
    "Item",
    "JsonValue",
    "Model",
    "State",
    "Subsystem",
    "Use",
]

FORMAT_VERSION = 1
"""The version of the format; not the version of the package."""


class Instance(Node):
    """One subsystem made from a model, with values and inputs bound."""

    name: Ident
    model: Name
    bindings: tuple[NamedValue, ...] = ()


class Subsystem(Statement):
    """Subsystems made from models."""

    kind: Literal["subsystem"]
    items: Annotated[tuple[Instance, ...], Field(min_length=1)]


class InlineSubsystem(Statement):
    """A subsystem whose statements stand here; what linking makes of an instance.

    One whose model could not be had is opaque: what it holds is not known.
    """

    kind: Literal["inline_subsystem"]
    name: Ident
    bindings: tuple[NamedValue, ...] = ()
    body: Annotated[tuple[AnyStatement, ...], Block] = ()
    closing: Closing = ()

    _opaque: bool = PrivateAttr(default=False)

    @property
    def opaque(self) -> bool:
        """Whether its content is unknown because its model could not be had."""
        return self._opaque

    def hidden(self) -> Self:
        """Mark it as opaque, and return it."""
        self._opaque = True
        return self


class Independent(Statement):
    """A hint: these rates or speeds as the independent ones."""

    kind: Literal["independent"]
    items: Annotated[tuple[Ref, ...], Field(min_length=1)]


class State(Statement):
    """A named state, perhaps one where the constraints lose rank."""

    kind: Literal["state"]
    name: Ident
    items: tuple[Assignment, ...] = ()
    singular: bool = False


class ExpectRank(Statement):
    """The rank of the constraint matrix at a named state."""

    kind: Literal["expect_rank"]
    rank: Expr
    state: Ident


class Branch(Statement):
    """A condition that tells one assembly from another."""

    kind: Literal["branch"]
    name: Ident
    condition: Expr


class ForBlock(Statement):
    """Statements repeated for each integer of a range."""

    kind: Literal["for"]
    index: Name
    first: Expr
    last: Expr
    body: Annotated[tuple[AnyStatement, ...], Block] = ()
    closing: Closing = ()


class IfBlock(Statement):
    """Statements kept when a condition on structural parameters holds."""

    kind: Literal["if"]
    condition: Expr
    body: Annotated[tuple[AnyStatement, ...], Block] = ()
    closing: Closing = ()
    otherwise: Annotated[tuple[AnyStatement, ...], Block] = ()
    otherwise_closing: Closing = ()

    _else_at: int | None = PrivateAttr(default=None)

    @property
    def else_at(self) -> int | None:
        """Where in its text `else` stands."""
        return self._else_at

    def divided(self, else_at: int | None) -> Self:
        """Note where `else` stands, and return it."""
        self._else_at = else_at
        return self


AnyStatement = Annotated[
    Param
    | Let
    | Input
    | Function
    | Coordinate
    | Speed
    | KeptRate
    | Variable
    | Define
    | Invariant
    | Frame
    | Point
    | Body
    | Particle
    | Joint
    | Gravity
    | Force
    | Torque
    | Spring
    | Damper
    | Potential
    | Dissipation
    | GeneralizedLoad
    | Effective
    | Subsystem
    | InlineSubsystem
    | Independent
    | Initial
    | State
    | ExpectRank
    | Branch
    | Meta
    | Ext
    | ForBlock
    | IfBlock,
    Field(discriminator="kind"),
]


class Use(Statement):
    """A model taken from another file of the model's folder or of the library."""

    kind: Literal["use"]
    model: Name
    alias: Name | None = None
    path: Text


class Model(Statement):
    """A model: statements under a name."""

    kind: Literal["model"]
    name: Name
    title: Text | None = None
    body: Annotated[tuple[AnyStatement, ...], Block] = ()
    closing: Closing = ()


Item = Annotated[Use | Model | Experiment | Meta | Ext, Field(discriminator="kind")]


class Document(Node):
    """What one file says."""

    mbx: Literal[1]
    comments: Annotated[tuple[Line, ...], Heading] = ()
    items: Annotated[tuple[Item, ...], TopLevel] = ()
    closing: Closing = ()

    @property
    def models(self) -> tuple[Model, ...]:
        """The models of the file, in the order written."""
        return tuple(item for item in self.items if isinstance(item, Model))

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments of the file, in the order written."""
        return tuple(item for item in self.items if isinstance(item, Experiment))

    @property
    def uses(self) -> tuple[Use, ...]:
        """The imports of the file, in the order written."""
        return tuple(item for item in self.items if isinstance(item, Use))

    def __repr__(self) -> str:
        """Return the names of its models and experiments."""
        parts = [
            f"{noun}{'s' * (len(items) != 1)} {join_names(item.name for item in items)}"
            for noun, items in (("model", self.models), ("experiment", self.experiments))
            if items
        ]
        return shorten_repr(f"<Document: {', '.join(parts) or 'empty'}>")

    def __str__(self) -> str:
        """Return it in short; `mbx.dumps` returns its text."""
        return repr(self)

    def to(self, form: str, model: str | None = None) -> Equations:
        """Return the equations of motion of a model in a form, as `mbx.convert` does."""
        equations: Equations = late("mbx.pipeline:convert")(self, form, model)
        return equations

    def _repr_html_(self) -> str | None:
        return view("document_html", self)


for _recursive in (InlineSubsystem, ForBlock, IfBlock, Model, Document):
    _recursive.model_rebuild()
