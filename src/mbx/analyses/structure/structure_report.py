"""The facts about the structure of a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.base.short_repr import count_of, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "Accelerations",
    "Dependent",
    "Exact",
    "Freedoms",
    "Independent",
    "Integrability",
    "Reaction",
    "RecursiveRate",
    "Singular",
    "Structure",
    "Warned",
]


@dataclass(frozen=True, slots=True)
class Freedoms:
    """How many numbers are free at each level, and what counting alone would give.

    Attributes:
        position: Coordinates less the rank of the order-0 invariants.
        velocity: Speeds less the rank of the invariants of order 0 and 1: the mobility.
        acceleration: Speeds less the rank of all invariants.
        counted: Speeds less invariants, as Gruebler and Kutzbach count; idle rows too.
    """

    position: int
    velocity: int
    acceleration: int
    counted: int


@dataclass(frozen=True, slots=True)
class Dependent:
    """Invariants that depend on each other: any that `could_go` add nothing to the others."""

    rows: tuple[str, ...]
    could_go: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reaction:
    """The reaction of a joint, with its components that are not unique."""

    path: str
    open: tuple[str, ...]
    loop: bool


@dataclass(frozen=True, slots=True)
class Accelerations:
    """Whether inertia and invariants determine the accelerations, and which they leave open."""

    unique: bool
    open: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exact:
    """An invariant of order 1 that is the rate of an expression of the coordinates."""

    row: str
    line: str
    expression: str


@dataclass(frozen=True, slots=True)
class Integrability:
    """Which invariants of order 1 are of order 0 in disguise.

    Attributes:
        rows: Invariants of order 1 that are affine in the rates.
        exact: Those that are rates of expressions.
        integrable: Others that the rest of the model makes integrable.
        integrable_count: Independent integrable combinations of all of them.
        nonholonomic_count: How many independent ones are not.
        undecided: Why the counts are not known; empty where they are.
        nonlinear: Invariants that are not affine in the rates.
        without_coordinates: Those that name speeds which no coordinate integrates.
    """

    rows: tuple[str, ...]
    exact: tuple[Exact, ...] = ()
    integrable: tuple[str, ...] = ()
    integrable_count: int = 0
    nonholonomic_count: int = 0
    undecided: str = ""
    nonlinear: tuple[str, ...] = ()
    without_coordinates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecursiveRate:
    """A rate that recursive forward dynamics leaves over, by the rate of the hinge it is of.

    `kind` is exact, integrable (with a factor), or not integrable.
    """

    hinge: str
    kind: str


@dataclass(frozen=True, slots=True)
class Singular:
    """A state where the invariants lose rank; `near` where a search has come close to one."""

    name: str
    rank: int
    dependent: tuple[str, ...]
    values: Mapping[str, float]
    near: bool = False


@dataclass(frozen=True, slots=True)
class Independent:
    """Independent speeds, with the condition of the columns of the others.

    `worst` is over the states where the rank is the generic one, `typical` the median there.
    """

    speeds: tuple[str, ...]
    worst: float
    typical: float


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to look at: the element, its line where known, and what is the matter."""

    element: str
    line: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The structure of a model.

    Numerical facts are None or empty where no consistent state was found.

    Attributes:
        rows: Rows of invariants, by order.
        idle: Rows of joints that no motion could break.
        constraint_order: Order at which all invariants are affine in their highest rates.
        rank: Rank that the invariants have at almost all states.
        gap: Smallest gap between the singular values there.
        near_singular: Names of states where the gap is too small to be sure.
        states: Names of the states examined.
        refused: Named states that cannot be made consistent, with the reason.
        multipliers: Invariants whose multipliers are not unique.
        recursive: Rates that recursive forward dynamics leaves over, of a small open tree.
        searched: How many states the search for singular ones went through.
        forms: Installed forms, each with the reasons why it does not support the model.
    """

    model: str
    coordinates: int
    speeds: int
    bodies: int
    joints: int
    rows: Mapping[int, int]
    idle: tuple[str, ...]
    constraint_order: int
    freedoms: Freedoms | None
    rank: int | None
    gap: float
    near_singular: tuple[str, ...]
    states: tuple[str, ...]
    refused: tuple[str, ...]
    redundant: tuple[Dependent, ...]
    multipliers: tuple[str, ...]
    reactions: tuple[Reaction, ...]
    accelerations: Accelerations | None
    integrability: Integrability
    singular: tuple[Singular, ...]
    searched: int
    independent: Independent | None
    declared: Independent | None
    features: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, tuple[str, ...]]
    recursive: tuple[RecursiveRate, ...] = ()
    warnings: tuple[Warned, ...] = field(default_factory=tuple)

    def __repr__(self) -> str:
        """Return the freedoms."""
        return shorten_repr(
            f"<Structure: {self._freedoms()}; {count_of(len(self.redundant), 'redundant group')}>"
        )

    def _freedoms(self) -> str:
        if self.freedoms is None:
            return "freedoms unknown"
        return count_of(self.freedoms.velocity, "degree of freedom", "degrees of freedom")

    def as_json(self) -> dict[str, Any]:
        """Return it as data for JSON: infinities are null."""
        data: dict[str, Any] = _plain(asdict(self))
        return data

    def __str__(self) -> str:
        """Return it for people."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield it as lines for people."""
        from mbx.analyses.structure.structure_text import lines

        return lines(self)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value
