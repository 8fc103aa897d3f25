"""The resolved system: what a model means, and what every converter sees.

Expressions are in *raw* symbols: coordinates `q`, their rates `q'`, `q''`, declared speeds and
their rates, inputs, parameters and t. `qd` gives the rates in terms of the speeds of
the system, `u`. `mbx.mechanics` puts the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mbx.base.short_repr import count_of, shorten_repr
from mbx.language.units import dimension_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.system.elaborate import Expectation
    from mbx.system.find_features import Feature
    from mbx.system.symbol_names import Rates
    from mbx.system.world import Element, JointFrames

__all__ = [
    "Effective",
    "Energy",
    "Force",
    "Generalized",
    "Parameter",
    "Quasi",
    "Row",
    "System",
    "Variable",
    "Written",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A coordinate or a speed of the system; `unit` is the SI unit of the declared kind.

    `base` is the coordinate whose rate a speed is, if it is one; `part` the subsystem.
    """

    symbol: Node
    rate: Node
    path: str
    unit: str
    part: str
    meaning: str = ""
    latex: str = ""
    start: float | None = None
    range: tuple[float, float] | None = None
    base: Node | None = None

    @property
    def dimension(self) -> str:
        """The dimension of its unit in base units: rad is 1."""
        return dimension_text(self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter or an input: its symbol, and the value it has unless another is given."""

    symbol: Node
    path: str
    unit: str
    meaning: str = ""
    latex: str = ""
    value: Node | None = None
    range: tuple[float, float] | None = None

    @property
    def dimension(self) -> str:
        """The dimension of its unit in base units: rad is 1."""
        return dimension_text(self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One scalar invariant, at its own order: `value` = left minus right, in raw symbols.

    Attributes:
        path: Its name; with `.x` and so on for a row of a vector.
        part: The level that states it.
        order: Order of the highest rate in it.
        kind: What it comes from; `norm` is a quaternion's, `definition` a left-over one.
        reaction: Symbol of its multiplier, if a load or the user names it.
        wrench: Force and torque on the joint's second side for a unit multiplier, ground
            components, the torque about the origin of that side; of rows of joints.
        joint: Path of the joint it belongs to, or of its reaction if that is named; none of
            the row that measures a joint's motion, which takes no part in its reaction.
        sides: The mass elements on the two sides of the joint, None for the ground.
        measured: The coordinate that measures the joint's motion, where the row names it.
        point: Where the wrench acts: the origin of the second side.
        affine: Whether it is affine in its highest rates.
        sense: More than zero where the sides of a joint point the same way, and not the opposite
            one, which the row itself allows.
        idle: Whether no motion of the system could break it, so that no equation needs it.
        multiplier_unit: SI unit of its multiplier: N where it bars a displacement.
    """

    path: str
    part: str
    value: Node
    order: int
    kind: Literal["invariant", "loop", "norm", "definition", "auxiliary"]
    reaction: Node | None = None
    wrench: tuple[Vector, Vector] | None = None
    joint: str | None = None
    sides: tuple[str | None, str | None] = (None, None)
    point: Vector | None = None
    measured: Node | None = None
    affine: bool = True
    sense: Node | None = None
    idle: bool = False
    multiplier_unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Force:
    """A wrench on a mass element, at its mass centre.

    `force` has ground components; `torque` has the element's own.
    """

    path: str
    part: str
    on: str
    force: Vector
    torque: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalized:
    """A generalized force on a rate or a speed; of an invariant, if it is its friction."""

    path: str
    part: str
    on: Node
    value: Node
    of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """A potential energy or a dissipation function, with the wrenches it stands for.

    `forces` are None where it acts on no mass elements that are known, or where they are not
    all of it: then it is a generalized load. One `between` points is carried by bodies, and
    never by joints alone.
    """

    path: str
    part: str
    value: Node
    forces: tuple[Force, ...] | None = None
    between: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """One row of a known model: active minus inertia force on a rate or a speed."""

    path: str
    part: str
    on: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Quasi:
    """A declared variable of order 2 or more.

    `value` is what it stands for, in raw rates of coordinates and speeds.
    """

    variable: Variable
    order: int
    value: Node

    @property
    def symbol(self) -> Node:
        """Its symbol."""
        return self.variable.symbol

    @property
    def path(self) -> str:
        """Its name."""
        return self.variable.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Rows and loads of a system with variables of order 2 or more, before these are replaced.

    `ties` are the equations that determine them; `rows` are as many as the system has.
    """

    rows: tuple[Row, ...]
    ties: tuple[Row, ...]
    forces: tuple[Force, ...]
    generalized: tuple[Generalized, ...]
    effective: tuple[Effective, ...]


@dataclass(frozen=True, kw_only=True)
class System:
    """A system of mass elements, loads and invariants in resolved form.

    Attributes:
        name: The model.
        parts: Prefixes of its subsystems, the root "" first, parents before children.
        q: Coordinates.
        u: Speeds.
        qd: What each rate of a coordinate is, in q, u and t.
        defined: What each declared speed is in the rates, where the definitions determine it.
        rates: How raw symbols move in time.
        rows: Invariants.
        closed: Order-0 invariants that went into `qd`: they hold by kinematics, and are kept
            for projection and for forms in rates.
        idle: Rows of joints that close loops which no motion could break, as out of the plane
            of a planar mechanism. They are in no equation, but their reactions are open.
        loops: The joints that close loops; their rows are among the invariants.
        branches: Conditions that distinguish assemblies, each 1 or 0, by path.
        expectations: What the model states about the constraint matrix at named states.
        independent: Speeds or rates proposed as independent, by the level that proposes them.
        joint_reactions: Symbols of the named reactions of joints, force and torque, by path.
        features: What of it not every form supports, with the elements that cause it.
        lines: Where elements stand in the file.
        quasi: Declared variables of order 2 or more. Rows and loads have what these stand
            for instead.
        written: Rows and loads with these variables, if there are any.
    """

    name: str
    title: str
    parts: tuple[str, ...]
    q: tuple[Variable, ...]
    u: tuple[Variable, ...]
    qd: Mapping[Node, Node]
    defined: Mapping[Node, Node]
    rates: Rates
    parameters: tuple[Parameter, ...]
    inputs: tuple[Parameter, ...]
    elements: tuple[Element, ...]
    rows: tuple[Row, ...]
    closed: tuple[Row, ...]
    forces: tuple[Force, ...]
    generalized: tuple[Generalized, ...]
    potentials: tuple[Energy, ...]
    dissipations: tuple[Energy, ...]
    effective: tuple[Effective, ...]
    independent: Mapping[str, tuple[Node, ...]]
    joint_reactions: Mapping[str, tuple[Node, ...]]
    order: int
    states: Mapping[str, Mapping[str, float]]
    idle: tuple[Row, ...] = ()
    loops: tuple[JointFrames, ...] = ()
    branches: Mapping[str, Node] = field(default_factory=dict)
    expectations: tuple[Expectation, ...] = ()
    features: Mapping[Feature, tuple[str, ...]] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    quasi: tuple[Quasi, ...] = ()
    written: Written | None = None

    def __repr__(self) -> str:
        """Return its name and its size."""
        return shorten_repr(
            f"<System {self.name}: {count_of(len(self.q), 'coordinate')},"
            f" {count_of(len(self.u), 'speed')}, {count_of(len(self.rows), 'invariant')}>"
        )
