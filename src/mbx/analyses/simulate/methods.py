"""The methods of a run by their names: what makes the steps, and what keeps the invariants.

projection   explicit steps; the state is brought back onto the invariants after each
stiff        implicit steps of Radau's method IIA, for stiff models, and projection
baumgarte    explicit steps; accelerations are added by which what is left dies away
ggl          implicit steps; invariants of positions and velocities are equations of each
index3       implicit steps; invariants are very stiff springs, relieved by multipliers
momenta      explicit steps in q and p by a form in momenta, and projection
groups       explicit steps in independent coordinates; structural groups give all others
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args

from mbx.analyses.experiments.default_forms import all_forms
from mbx.analyses.simulate.canonical_forms import Canonical, canonical_form, is_canonical
from mbx.analyses.simulate.engine import Engine, chosen_form
from mbx.analyses.simulate.integrators import ggl, index3
from mbx.analyses.simulate.integrators.by_groups import GroupedSteps, Independent
from mbx.analyses.simulate.integrators.explicit import ATOL, RTOL, Explicit, abscissae
from mbx.analyses.simulate.integrators.ggl import Ggl
from mbx.analyses.simulate.integrators.index3 import Index3
from mbx.analyses.simulate.integrators.radau import radau
from mbx.analyses.simulate.integrators.state_sizes import usual_time
from mbx.analyses.simulate.integrators.stiff import STAGES, Stiff
from mbx.analyses.simulate.integrators.vector_fields import Accelerated, Stabilised
from mbx.numerics.tolerances import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.integrators.step_protocol import Stepper
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = [
    "METHODS",
    "NOISE",
    "PROJECTED",
    "Ground",
    "Method",
    "Watched",
    "applicable",
    "form_of",
    "looks_of",
    "noise_of",
    "prepared",
    "tolerance_of",
]

Method = Literal["projection", "stiff", "baumgarte", "ggl", "index3", "momenta", "groups"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)
NOISE: Final[dict[Method, float]] = {
    "projection": 1e-13,
    "stiff": 1e-12,
    "baumgarte": 1e-13,
    "ggl": 10 * ggl.RTOL,
    "index3": 10 * index3.RTOL,
    "momenta": 1e-13,
    "groups": 1e-12,
}
"""Part by which a step of two forms may differ: by rounding, and by where iterations end."""
PROJECTED: Final[frozenset[Method]] = frozenset({"projection", "stiff", "momenta"})
"""Methods whose states are brought back onto the invariants after each step."""


class Watched(Protocol):
    """A form as the engine of a run, as it is watched: its variables, and their rates."""

    calls: int
    sizes: Array

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast the variables change."""

    def inside(self, t: float, y: Array) -> Array:
        """Return the variables of a state."""

    def outside(self, t: float, x: Array) -> Array:
        """Return the state of some variables."""

    @property
    def backend(self) -> str:
        """What runs it now."""

    @property
    def interpreted(self) -> str:
        """Why Python runs it, and not machine code; "" where machine code does."""

    def trusted(self, t: float, y: Array, A: Array, b: Array, moved: float) -> bool:
        """Return whether rates keep A ud + b = 0; by so much the last step was brought back."""

    def distrusted(self) -> bool:
        """Leave machine code alone from now on; return whether there was some."""

    def ahead(self, t: float, y: Array, h: float) -> Array:
        """Return the state a little later, by the midpoint rule."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a method starts from: the plan, a form, the start, rows.

    `sizes` are those of the numbers of a state; `independent` are coordinates that all others
    follow from, where they are named; `tolerance` is how far a step may be off, relative to each
    variable, where that is given.
    """

    plan: Plan
    form: tuple[str, Equations]
    start: Array
    rows: Invariants
    sizes: Array
    independent: tuple[str, ...] = ()
    tolerance: float | None = None


def tolerance_of(method: Method, given: float | None) -> float:
    """Return the relative tolerance of the steps of a method: its own unless one is given."""
    return {"ggl": ggl.RTOL, "index3": index3.RTOL}.get(method, RTOL) if given is None else given


def noise_of(method: Method, given: float | None) -> float:
    """Return by which part a step of two forms may differ: rounding, and ends of iterations."""
    return NOISE[method] if given is None else max(NOISE[method], 10 * given)


def looks_of(method: Method) -> Sequence[float]:
    """Return the instants at which a step of a method looks at rates, as parts of it."""
    if method == "stiff":
        return [float(x) for x in radau(STAGES).c]
    return {"ggl": (1.0,), "index3": (0.5, 1.0)}.get(method) or abscissae()


def form_of(method: Method, system: System) -> tuple[str, Equations]:
    """Return the form that runs a model by a method unless one is named."""
    return canonical_form(system) if method == "momenta" else chosen_form(system)


def applicable(method: str, system: System) -> dict[str, Equations]:
    """Return all forms that can run a model by a method, the one first that runs it by itself."""
    name, own = form_of("momenta" if method == "momenta" else "projection", system)
    found = {name: own, **all_forms(system)}
    if method == "momenta":
        return {name: one for name, one in found.items() if is_canonical(name, one)}
    return found


def prepared(method: Method, ground: Ground) -> tuple[Watched, Stepper]:
    """Return the engine of a run, and what makes its steps."""
    plan, rows, system = ground.plan, ground.rows, ground.plan.system
    shortest = SHORTEST * (plan.last - plan.first)
    rtol = tolerance_of(method, ground.tolerance)
    atol = rtol * ATOL / RTOL
    if method == "momenta":
        motor = Canonical(plan, *ground.form, ground.start, rows, ground.sizes)
        return motor, Explicit(motor, rtol, atol, shortest)
    engine = Engine(plan, *ground.form, ground.start, ground.sizes)
    if method == "ggl":
        return engine, Ggl(system, engine, rows, rtol, rtol * ggl.ATOL / ggl.RTOL)
    if method == "index3":
        tolerances = rtol, rtol * index3.ATOL / index3.RTOL
        return engine, Index3(system, engine, rows, tolerances, shortest, usual_time(plan))
    if method == "groups":
        moved = Independent(plan, engine, rows, ground.start, ground.independent)
        return engine, GroupedSteps(moved, rtol, atol, shortest)
    if method == "stiff":
        return engine, Stiff(Accelerated(engine), rtol, atol, shortest)
    held = method == "baumgarte" and rows.any
    time = usual_time(plan) if held else 1.0
    field = Stabilised(system, engine, rows, time) if held else Accelerated(engine)
    return engine, Explicit(field, rtol, atol, shortest)
