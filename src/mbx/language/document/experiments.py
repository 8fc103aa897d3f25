"""Experiments: what is done with a model, apart from its physics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mbx.language.document.declarations import Range
from mbx.language.document.metadata import Ext, Meta
from mbx.language.document.node import Block, Closing, Expr, Ident, Name, Node, Ref, Statement, Text

__all__ = [
    "About",
    "AnyTask",
    "Assignment",
    "ExpectEnergy",
    "ExpectValue",
    "Experiment",
    "ForTasks",
    "Free",
    "Hold",
    "HoldItem",
    "Initial",
    "InitialState",
    "Prescribe",
    "SetValues",
    "Simulate",
    "Tolerance",
    "Vary",
]


class Assignment(Node):
    """`target = value`."""

    target: Ref
    value: Expr


Assignments = Annotated[tuple[Assignment, ...], Field(min_length=1)]


class SetValues(Statement):
    """Other values of parameters and inputs for this experiment."""

    kind: Literal["set"]
    items: Assignments


class Initial(Statement):
    """Where variables start."""

    kind: Literal["initial"]
    items: Assignments


class InitialState(Statement):
    """Start at a named state."""

    kind: Literal["initial_state"]
    state: Ident


class Simulate(Statement):
    """Run from one time to another."""

    kind: Literal["simulate"]
    first: Expr
    last: Expr
    every: Expr | None = None


class Tolerance(Statement):
    """How far a step of the run may be off, relative to the size of each variable."""

    kind: Literal["tolerance"]
    value: Expr


class Prescribe(Statement):
    """A motion that is given, with the inputs that bring it about as unknowns."""

    kind: Literal["prescribe"]
    motion: Assignment
    unknowns: Annotated[tuple[Ref, ...], Field(min_length=1)]


class HoldItem(Node):
    """A variable kept at its value, or at the one given, during assembly."""

    target: Ref
    value: Expr | None = None


class Hold(Statement):
    """Variables that assembly does not change."""

    kind: Literal["hold"]
    items: Annotated[tuple[HoldItem, ...], Field(min_length=1)]


class Free(Statement):
    """Variables that assembly solves for."""

    kind: Literal["free"]
    items: Annotated[tuple[Ref, ...], Field(min_length=1)]


class About(Statement):
    """Linearise about a named state."""

    kind: Literal["about"]
    state: Ident


class Vary(Statement):
    """A parameter swept over a range."""

    kind: Literal["vary"]
    target: Ref
    range: Range
    steps: Expr | None = None


class ExpectValue(Statement):
    """A value that the experiment must give, with its tolerance and source."""

    kind: Literal["expect_value"]
    quantity: Expr
    time: Expr | None = None
    state: Ident | None = None
    value: Expr
    within: Expr
    source: Text | None = None


class ExpectEnergy(Statement):
    """The total energy stays what it is."""

    kind: Literal["expect_energy"]
    within: Expr


class ForTasks(Statement):
    """Tasks repeated for each integer of a range."""

    kind: Literal["for"]
    index: Name
    first: Expr
    last: Expr
    body: Annotated[tuple[AnyTask, ...], Block] = ()
    closing: Closing = ()


AnyTask = Annotated[
    SetValues
    | Initial
    | InitialState
    | Simulate
    | Tolerance
    | Prescribe
    | Hold
    | Free
    | About
    | Vary
    | ExpectValue
    | ExpectEnergy
    | ForTasks
    | Meta
    | Ext,
    Field(discriminator="kind"),
]


class Experiment(Statement):
    """What is done with a model: values, start, tasks, expectations."""

    kind: Literal["experiment"]
    name: Name
    model: Name
    title: Text | None = None
    body: Annotated[tuple[AnyTask, ...], Block] = ()
    closing: Closing = ()


for _recursive in (ForTasks, Experiment):
    _recursive.model_rebuild()
