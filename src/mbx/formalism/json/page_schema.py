"""The JSON form of a page, as classes: what is read is strict and bounded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "GivenForm",
    "GridForm",
    "LineForm",
    "LiteralForm",
    "MathForm",
    "NameForm",
    "NoteForm",
    "OperatorForm",
    "PageForm",
    "SectionForm",
    "SideForm",
    "TreeForm",
    "TreeNodeForm",
]

Text = Annotated[str, StringConstraints(max_length=10_000)]
Label = Annotated[str, StringConstraints(max_length=1_000)]
Index = Annotated[int, Field(ge=0, lt=1_000_000)]
Indices = Annotated[list[Index], Field(max_length=5_000)]
Count = Annotated[int, Field(ge=0, lt=1_000_000)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class LiteralForm(_Form):
    """A vector by its components, times a factor."""

    entries: Indices
    factor: Index


class SideForm(_Form):
    """A sum of expressions and vectors."""

    parts: Annotated[list[Index | LiteralForm], Field(min_length=1, max_length=1_000)]


Sides = Annotated[list[SideForm], Field(min_length=1, max_length=100)]


class MathForm(_Form):
    """A formula inside of prose."""

    sides: Sides
    relation: Label = "="


Prose = Annotated[list[Text | MathForm | Count], Field(max_length=1_000)]
"""Words, formulas, and numbers of equations."""


class LineForm(_Form):
    """Equations under one number."""

    kind: Literal["line"]
    equations: Annotated[list[Sides], Field(min_length=1, max_length=1_000)]
    number: Count
    note: Text = ""


class GridForm(_Form):
    """A matrix with its labels."""

    kind: Literal["grid"]
    name: Label
    rows: Annotated[list[Index | Label], Field(max_length=1_000)]
    columns: Annotated[list[Index | Label], Field(max_length=1_000)] = []
    entries: Annotated[list[Indices], Field(max_length=1_000)]


class NoteForm(_Form):
    """A sentence between equations."""

    kind: Literal["note"]
    prose: Prose


class TreeNodeForm(_Form):
    """A node of a tree."""

    name: Label
    content: Prose = []
    children: Annotated[list[TreeNodeForm], Field(max_length=1_000)] = []


class TreeForm(_Form):
    """A tree of subsystems or of bodies."""

    kind: Literal["tree"]
    root: TreeNodeForm


Block = Annotated[LineForm | GridForm | NoteForm | TreeForm, Field(discriminator="kind")]


class SectionForm(_Form):
    """A part of a page."""

    title: Text
    reason: Prose = []
    blocks: Annotated[list[Block], Field(max_length=10_000)]
    number: Count = 0


class GivenForm(_Form):
    """What holds on the whole page."""

    prose: Prose = []
    lines: Annotated[list[LineForm], Field(max_length=1_000)] = []


class NameForm(_Form):
    """A name that the page gives."""

    symbol: Index
    letter: Label
    index: Label = ""
    meaning: Text = ""
    unit: Label = ""
    is_vector: bool = False
    is_given: bool = False
    is_zero: bool = False


class OperatorForm(_Form):
    """An operation on names: the symbol that stands for it, and what it is applied to."""

    symbol: Index
    kind: Literal["partial", "rate", "variation", "dot", "cross"]
    of: Index | None = None
    by: Index | None = None
    left: SideForm | None = None
    right: SideForm | None = None


class PageForm(_Form):
    """The equations of a model in a form, as a text prints them."""

    title: Text
    model: Label
    subtitle: Text = ""
    counts: Annotated[list[Text], Field(max_length=100)] = []
    given: Annotated[list[GivenForm], Field(max_length=1_000)] = []
    sections: Annotated[list[SectionForm], Field(max_length=1_000)]
    names: Annotated[list[NameForm], Field(max_length=50_000)] = []
    operators: Annotated[list[OperatorForm], Field(max_length=50_000)] = []
    known: Annotated[
        dict[Label, Annotated[list[Label | Count], Field(min_length=2, max_length=2)]],
        Field(max_length=10_000),
    ] = {}
    left_out: Count = 0
