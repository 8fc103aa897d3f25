"""What tests of the semi-recursive methods share: states of the examples, and planar rows.

Our matrices have six rows a body, (linear; angular); the paper's have three, (x, y, angle).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from formalisms.cases import system, system_of
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

__all__ = [
    "ABSOLUTE",
    "BOTH",
    "CAM",
    "CHAIN",
    "LINE",
    "OFF",
    "QUICK_RETURN",
    "VARIANTS",
    "absolute",
    "equations_of",
    "flat",
    "planar",
    "quick_return",
    "values_at",
]

BOTH: Final = ("semi_recursive_1", "semi_recursive_2")
VARIANTS: Final = tuple(
    f"{form}{way}" for form in BOTH for way in ("", ":baumgarte", ":augmented", ":partitioned")
)

CHAIN: Final = {"z1": 0.4, "z2": 0.7, "z1'": 1.1, "z2'": -0.6}
LINE: Final = {"z1": 0.9, "z2": 0.7, "z1'": 0.3, "z2'": -1.2}
CAM: Final = {"z1": 1.1, "z2": 0.4, "z3": -0.2, "z1'": 0.7, "z2'": -0.4, "z3'": 0.9}
_Z: Final = (1.308996938996, 0.457631790860, 2.493193647659, 1.656275854944, -2.965272793940)
_ZD: Final = (0.8, 0.277391218997, 2.262163913319, -0.211115200107, -0.588884799893)


def quick_return(z: Any = _Z, zd: Any = _ZD) -> dict[str, float]:
    """Return a state of the quick-return mechanism; th is the crank's angle from ground."""
    state = {f"z{k}": float(x) for k, x in enumerate(z, start=1)}
    state |= {f"z{k}'": float(x) for k, x in enumerate(zd, start=1)}
    return {**state, "th": state["z1"] + state["z3"], "th'": state["z1'"] + state["z3'"]}


QUICK_RETURN: Final = quick_return()
OFF: Final = quick_return(
    np.add(_Z, (0.01, -0.005, 0.02, 0, -0.01)), np.add(_ZD, (0, 0.05, -0.03, 0.02, 0.01))
)
"""A state that breaks the loops."""

ABSOLUTE: Final = """mbx 1
model RPAbsolute "The R-P chain of fig. 1 in absolute coordinates, its two joints as invariants" {{
  param theta_c: rad = 0.3
  coordinate x1: m = 0.560530497001
  coordinate y1: m = 0.394709171154
  coordinate th1: rad = 0.4
  coordinate x2: m = 1.330798181977
  coordinate y2: m = 1.452830252828
  coordinate th2: rad = 0.7
  body arm {{
    mass 2 kg
    com [0.1 m, 0.05 m, 0]
    inertia 0.5 [kg*m^2] about z
    joint planar(ground, axis = z, x = x1, y = y1, angle = th1)
  }}
  body slider {{
    mass 1.2 kg
    com [0.05 m, -0.02 m, 0]
    inertia 0.3 [kg*m^2] about z
    joint planar(ground, axis = z, x = x2, y = y2, angle = th2)
  }}
  joint pivot: revolute(ground at [0.1 m, 0.2 m, 0], arm at [-0.5 m, 0, 0], axis = z) cut
  joint slide: prismatic(arm at [0.4 m, 0.1 m, 0], slider at [-0.2 m, -0.1 m, 0] rotated z by
      -theta_c, axis = [0.8, 0.6, 0]) cut
  gravity [0, -9.81 [m/s^2], 0]
  {hint}
}}
"""


def absolute(hint: str = "") -> System:
    """Return the R-P chain in absolute coordinates, with a line that proposes speeds."""
    return system_of(ABSOLUTE.format(hint=hint))


@cache
def _derived(model: str, form: str) -> Equations:
    return registry.derive(system(model), form)


def equations_of(one: str | System, form: str) -> Equations:
    """Return the equations of a case of the library, or of a system, in a form."""
    return _derived(one, form) if isinstance(one, str) else registry.derive(one, form)


def values_at(one: str | System, form: str, state: Mapping[str, float], **more: Any) -> Evaluation:
    """Return what a form gives at a regular state."""
    found = equations_of(one, form).evaluate(state, **more)
    assert found.status == "regular"
    return found


def planar(matrix: Any) -> Any:
    """Return the planar rows (x, y, angle) of six rows a body; the others are zero."""
    rows = [6 * k + j for k in range(len(matrix) // 6) for j in (0, 1, 5)]
    others = [k for k in range(len(matrix)) if k not in rows]
    assert np.abs(matrix[others]).max(initial=0) == 0
    return matrix[rows]


def flat(*rows: str) -> Any:
    """Return a matrix from its rows as text."""
    return np.array([[float(x) for x in row.split()] for row in rows])
