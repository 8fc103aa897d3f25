"""The matrices of Ivanov and Shimanovskiy as numbers, assembled for tests apart from the sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.linalg import block_diag

from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.mechanics import energy, motion
from mbx.mechanics.tree.links import carrying, links, spatial_inertia
from mbx.numerics.execute.evaluate_equations import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

__all__ = ["BRANCHED", "STATE", "Model", "Paper", "omega", "skew", "slope"]

BRANCHED: Final = """mbx 1
model Branched {
  coordinate x1: m = 0.2, z1: m = -0.1, al: rad = 0.3, be: rad = -0.4
  coordinate th: rad = 0.5, e1: rad = 0.2, e2: rad = 0.7, e3: rad = -0.3
  coordinate s5: m = 0.1, f5: rad = 0.6, g6: rad = -0.5, h6: rad = 0.4
  coordinate x7: m = 1, y7: m = 0.3, z7: m = -0.2, u7: rad = 0.1, v7: rad = 0.5, w7: rad = -0.2
  coordinate d8: m = 0.3
  body b1 { mass 2 kg  com [0.1 m, -0.2 m, 0.3 m]
    inertia diag(0.3 [kg*m^2], 0.4 [kg*m^2], 0.5 [kg*m^2])
    joint general(ground, move = [x1, 0.2 m*sin(1.3 [rad/s]*t), z1], rotated x by al,
      rotated y by be + 0.1 rad*cos(2 [rad/s]*t)) }
  body b2 { mass 1.1 kg  com [0, 0.2 m, 0.1 m]
    inertia diag(0.2 [kg*m^2], 0.1 [kg*m^2], 0.2 [kg*m^2])
    joint fixed(b1 at [0.3 m, 0.1 m, 0] rotated x by 0.4) }
  body b3 { mass 0.9 kg  com [0.2 m, 0, -0.1 m]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.15 [kg*m^2])
    joint revolute(b2 at [0, 0.4 m, 0.1 m], axis = z, angle = th + 0.2 rad*sin(2 [rad/s]*t)) }
  body b4 { mass 1.4 kg  com [0.1 m, 0.1 m, 0.2 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.25 [kg*m^2])
    joint spherical(b1 at [-0.2 m, 0, 0.3 m], euler zxz by (e1, e2, e3)) }
  body b5 { mass 0.7 kg  com [0, 0.1 m, 0.2 m]
    inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.05 [kg*m^2])
    joint cylindrical(b3 at [0.4 m, 0, 0], axis = x, distance = s5, angle = f5) }
  body b6 { mass 0.6 kg  com [0.2 m, 0.1 m, 0]
    inertia diag(0.05 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
    joint universal(b4 at [0, 0.2 m, 0.3 m], axis = x, angle = g6, axis2 = y, angle2 = h6) }
  body b7 { mass 1.6 kg  com [0.1 m, 0, 0.1 m]
    inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
    joint general(ground, move = [x7, y7, z7], rotated x by u7, rotated y by v7, rotated z by w7) }
  body b8 { mass 0.5 kg  com [0, 0.1 m, 0]
    inertia diag(0.05 [kg*m^2], 0.04 [kg*m^2], 0.03 [kg*m^2])
    joint prismatic(b7 at [0.1 m, 0.2 m, 0], axis = y, distance = d8) }
  gravity [0, 0, -9.81 [m/s^2]]
  spring between b5.origin and b8.origin stiffness 20 [N/m] rest 0.3 m
}
"""
"""Eight links with hinges of 0, 1, 2, 3, 4 and 6 freedoms, two roots, branches, moving hinges."""

_Q: Final = (
    "x1 z1 al be th e1 e2 e3 s5 f5 g6 h6 x7 y7 z7 u7 v7 w7 d8".split()  # noqa: SIM905  a list
)
STATE: Final = {
    **{q: 0.3 + 0.1 * ((5 * k) % 7) for k, q in enumerate(_Q)},
    **{f"{q}'": 0.5 - 0.2 * ((3 * k) % 8) for k, q in enumerate(_Q)},
}


def skew(a: Any) -> Any:
    """Return the matrix of a vector product."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def slope(f: Callable[[float], Any], h: float = 1e-3) -> Any:
    """Return the derivative at zero, by central differences of sixth order."""
    c = ((45, 1), (-9, 2), (1, 3))
    return sum(w * (f(k * h) - f(-k * h)) for w, k in c) / (60 * h)


@dataclass(frozen=True, eq=False)
class Model:
    """A system with what is derived of it, once."""

    system: System
    _forms: dict[str, Equations] = field(default_factory=dict)

    @cached_property
    def tree(self) -> Links:
        """Its tree of links."""
        return links(motion.in_speeds(self.system))

    @cached_property
    def bare(self) -> Equations:
        """Its signature, and no equations."""
        return Program().equations(self.system, "", "", "", {})

    def form(self, name: str) -> Equations:
        """Return its equations in a form."""
        if name not in self._forms:
            self._forms[name] = registry.derive(self.system, name)
        return self._forms[name]


@dataclass(frozen=True, eq=False)
class Paper:
    """A tree at a state, in the paper's letters; a model whose speeds are rates of coordinates."""

    model: Model
    state: Mapping[str, float]
    t: float = 0.4

    @property
    def tree(self) -> Links:
        return self.model.tree

    @cached_property
    def form(self) -> Evaluation:
        """Newton-Euler on the tree."""
        return self.of("tree_newton_euler")

    def of(self, form: str) -> Evaluation:
        """Return a form, evaluated."""
        found = self.model.form(form).evaluate(self.state, t=self.t)
        assert found.status == "regular"
        return found

    @cached_property
    def _values(self) -> Any:
        return values_of(self.model.bare, self.state, t=self.t)

    def number(self, nodes: Sequence[Node]) -> Any:
        """Return expressions as numbers."""
        return np.array([float(x) for x in evaluate_arrays(nodes, self._values)])

    def matrix(self, rows: Sequence[Sequence[Node]]) -> Any:
        """Return a matrix of expressions as numbers."""
        flat = self.number([x for row in rows for x in row])
        return flat.reshape(len(rows), len(rows[0]))

    @cached_property
    def N(self) -> int:
        return len(self.tree.links)

    @cached_property
    def k(self) -> list[int | None]:
        """The parents."""
        return [link.parent for link in self.tree.links]

    def _each(self, name: str) -> list[Any]:
        return [self.matrix(getattr(link, name)) for link in self.tree.links]

    @cached_property
    def A(self) -> Any:
        return block_diag(*self._each("A"))

    @cached_property
    def Ad(self) -> Any:
        return block_diag(*self._each("Ad"))

    @cached_property
    def vr(self) -> Any:
        return self.number([x for link in self.tree.links for x in link.vr])

    @cached_property
    def vrd(self) -> Any:
        return self.number([x for link in self.tree.links for x in link.vrd])

    @cached_property
    def C(self) -> list[Any]:
        return [self.matrix(carrying(link)) for link in self.tree.links]

    @cached_property
    def M(self) -> Any:
        return block_diag(*(self.matrix(spatial_inertia(link)) for link in self.tree.links))

    @cached_property
    def rates(self) -> Any:
        """Hinge rates, in the order of the hinges."""
        return self.number(self.tree.zd)

    @cached_property
    def S(self) -> Any:
        """(11), corrected: the unit matrix stands where j = i."""
        S = np.eye(6 * self.N)
        for i, k in enumerate(self.k):
            if k is not None:
                S[6 * i : 6 * i + 6, 6 * k : 6 * k + 6] = -self.C[i]
        return S

    @cached_property
    def T(self) -> Any:
        """(14), by recursion."""
        T = np.eye(6 * self.N)
        for i, k in enumerate(self.k):
            if k is not None:
                row, up = slice(6 * i, 6 * i + 6), slice(6 * k, 6 * k + 6)
                T[row, : 6 * i] = self.C[i] @ T[up, : 6 * i]
        return T

    @cached_property
    def B(self) -> Any:
        return self.T @ self.A

    @cached_property
    def phi(self) -> Any:
        return self.T @ self.vr

    @cached_property
    def v(self) -> Any:
        """(5)."""
        return self.B @ self.rates + self.phi

    @cached_property
    def Om(self) -> Any:
        return block_diag(*(omega(self.v[6 * i : 6 * i + 6]) for i in range(self.N)))

    @cached_property
    def D(self) -> Any:
        """(34)."""
        return self.A.T @ (self.T.T @ self.M @ self.T) @ self.A

    @cached_property
    def kinetic(self) -> float:
        """Kinetic energy by the velocities of mass centres, ground components."""
        return float(self.number([energy.kinetic(self.tree.motion)])[0])

    def sigma(self) -> Any:
        """M_Sigma, (32)."""
        n, m = self.A.shape[1], 6 * self.N
        zero = np.zeros((m, m))
        return np.block(
            [
                [self.M, -self.S.T, np.zeros((m, n))],
                [-self.S, zero, self.A],
                [np.zeros((n, m)), self.A.T, np.zeros((n, n))],
            ]
        )

    def moved(self, change: Mapping[str, float], dt: float = 0.0) -> Paper:
        """Return the tree at another state."""
        state = {path: x + change.get(path, 0.0) for path, x in self.state.items()}
        return Paper(self.model, state, self.t + dt)

    def after(self, h: float) -> Paper:
        """Return the tree on its way, h later: right to the first order."""
        q = [v.path for v in self.model.system.q]
        u = [v.path for v in self.model.system.u]
        found = self.form
        change = {path: h * float(x) for path, x in zip(q, found.qd, strict=True)}
        change |= {path: h * float(x) for path, x in zip(u, found.ud, strict=True)}
        return self.moved(change, h)

    def by_coordinates(self, f: Callable[[Paper], Any]) -> Any:
        """Return derivatives of a column by the coordinates, in the order of the hinges' rates."""
        names = [name.removesuffix("'") for link in self.tree.links for name in link.names]
        return np.array([self.by_one(q, f) for q in names]).T

    def by_one(self, q: str, f: Callable[[Paper], Any]) -> Any:
        """Return the derivative by one coordinate."""
        return slope(lambda h: f(self.moved({q: h})))


def omega(v: Any) -> Any:
    """Return Om of a twist."""
    return np.block([[skew(v[3:]), np.zeros((3, 3))], [skew(v[:3]), skew(v[3:])]])
