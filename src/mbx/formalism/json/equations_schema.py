"""The JSON form of equations, as classes: what is read is strict and bounded."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mbx.formalism.json.page_schema import PageForm  # noqa: TC001  pydantic needs it
from mbx.formalism.program import Op, SolveKind  # noqa: TC001  pydantic needs them

__all__ = [
    "EQUATIONS_VERSION",
    "EquationsForm",
    "QuantityForm",
    "ResidualForm",
    "SignatureForm",
    "StatesForm",
    "StepForm",
]

EQUATIONS_VERSION: Final = 1

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,199}$")]
Text = Annotated[str, StringConstraints(max_length=10_000)]
Label = Annotated[str, StringConstraints(max_length=1_000)]
Size = Annotated[int, Field(ge=0, le=5_000)]
Index = Annotated[int, Field(ge=0, lt=1_000_000)]
Part = Index | Label
Labels = Annotated[list[Label], Field(max_length=5_000)]
Rows = Annotated[list[Annotated[list[Index], Field(max_length=5_000)]], Field(max_length=5_000)]


Number = Annotated[float, Field(allow_inf_nan=False)]
States = Annotated[
    list[Annotated[list[Number | None], Field(max_length=50_000)]], Field(max_length=1_000)
]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class QuantityForm(_Form):
    """A symbol, and what it means; `symbol` and `value` are numbers of nodes."""

    symbol: Index
    path: Label
    unit: Label
    meaning: Text = ""
    latex: Text = ""
    value: Index | None = None
    start: Number | None = None


class SignatureForm(_Form):
    """Every symbol that the equations take in."""

    t: Index
    q: Annotated[list[QuantityForm], Field(max_length=5_000)]
    u: Annotated[list[QuantityForm], Field(max_length=5_000)]
    higher: Annotated[list[QuantityForm], Field(max_length=5_000)] = []
    highest: Annotated[list[QuantityForm], Field(max_length=5_000)] = []
    inputs: Annotated[list[QuantityForm], Field(max_length=5_000)] = []
    parameters: Annotated[list[QuantityForm], Field(max_length=20_000)] = []
    derived: Annotated[list[QuantityForm], Field(max_length=5_000)] = []


class StepForm(_Form):
    """One matrix of the program; `entries` are numbers of nodes."""

    name: Name
    op: Op
    args: Annotated[list[Name], Field(max_length=5_000)] = []
    meaning: Text = ""
    symbol: Text = ""
    part: Text = ""
    entries: Rows = []
    symbols: Annotated[list[Index], Field(max_length=200_000)] = []
    row_labels: Labels = []
    column_labels: Labels = []
    size: Annotated[list[Size], Field(min_length=2, max_length=2)] | None = None
    signs: Annotated[list[Literal[1, -1]], Field(max_length=5_000)] = []
    grid: Annotated[
        list[Annotated[list[Name | None], Field(max_length=1_000)]], Field(max_length=1_000)
    ] = []
    indices: Annotated[list[Index], Field(max_length=5_000)] | None = None
    kind: SolveKind | None = None
    unique: Size | None = None
    together: Size = 0
    steps: Annotated[list[StepForm], Field(max_length=10_000)] = []
    unknown: Name | Literal[""] = ""
    residual: Name | Literal[""] = ""


class ResidualForm(_Form):
    """A form's own equations, to put accelerations into."""

    name: Label
    steps: Annotated[list[StepForm], Field(max_length=10_000)]
    value: Name
    magnitude: Name
    labels: Labels = []


class StatesForm(_Form):
    """Sampled states, at which ranks and pivots are chosen; null stands for no finite value.

    `constants` are the symbols whose `values` are the same at all states. A row of `general` or
    `further` has a value for each of `symbols`.
    """

    invariants: Size
    independent: Size | None = None
    constants: Annotated[list[Index], Field(max_length=50_000)] = []
    values: Annotated[list[Number | None], Field(max_length=50_000)] = []
    symbols: Annotated[list[Index], Field(max_length=50_000)] = []
    general: States = []
    further: States = []
    reason: Text = ""


class EquationsForm(_Form):
    """Equations of motion of one system in one form.

    `nodes` are the expressions, each made of nodes before it: an operation, the numbers of its
    arguments, and its value as text, exact as `p/q` or a float as `0.1`.
    """

    mbx_equations: Literal[1]
    formalism: Label
    variant: Label = ""
    title: Text
    reference: Text
    model: Label
    nodes: Annotated[
        list[Annotated[list[Part], Field(min_length=2, max_length=100_000)]],
        Field(max_length=1_000_000),
    ]
    signature: SignatureForm
    steps: Annotated[list[StepForm], Field(max_length=100_000)]
    results: Annotated[dict[Label, Name], Field(max_length=10_000)]
    residuals: Annotated[list[ResidualForm], Field(max_length=1_000)] = []
    notes: Annotated[list[Text], Field(max_length=1_000)] = []
    states: StatesForm | None = None
    page: PageForm | None = None
