"""The balance of inertia and loads: G(x) = M x + k, an entry for each column of the unknowns.

Every rigid body is a set of point masses with its mass, its centre and its second moments
(W. B. Heard, Rigid Body Mechanics, Wiley 2006, on equimomental systems). A mass adds
m J^T (J x + a0) and a force -J^T f, where J are the gradients of the accelerations. Masses may
be negative: only their quadratic form counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mbx.language.document import expressions as x
from mbx.verify.oracle.kinematics import oracle_poses
from mbx.verify.oracle.kinematics.declared_world import clause
from mbx.verify.oracle.kinematics.oracle_geometry import added, cross, dot, minus, rates, scaled
from mbx.verify.oracle.numbers.jet_scalars import value_of
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.verify.oracle.kinematics.declared_world import Named
    from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
    from mbx.verify.oracle.kinematics.oracle_geometry import Three
    from mbx.verify.oracle.numbers.jets import Jet
    from mbx.verify.oracle.numbers.number_fields import Number

__all__ = ["Balance", "Element", "element", "inertia"]


@dataclass(eq=False)
class Balance:
    """G(x) = M x + k, and the magnitudes of what was added to k.

    `top` is the length of a scalar that depends on accelerations.
    """

    top: int
    M: dict[int, dict[int, Number]] = field(default_factory=dict)
    k: dict[int, Number] = field(default_factory=dict)
    size: dict[int, Number] = field(default_factory=dict)

    def copy(self) -> Balance:
        """Return a balance that can be added to."""
        rows = {i: dict(row) for i, row in self.M.items()}
        return Balance(self.top, rows, dict(self.k), dict(self.size))

    def add(
        self, virtual: Mapping[int, Number], value: Number, slope: Mapping[int, Number]
    ) -> None:
        """Add a force of value + slope . x along a direction, to be balanced."""
        for i, v in virtual.items():
            part = v * value
            self.k[i] = self.k[i] + part if i in self.k else part
            self.size[i] = self.size[i] + abs(part) if i in self.size else abs(part)
            if slope:
                row = self.M.setdefault(i, {})
                for j, s in slope.items():
                    row[j] = row[j] + v * s if j in row else v * s

    def join(self, other: Balance) -> None:
        """Add a balance as one term: what cancels inside of it has no magnitude."""
        for i, v in other.k.items():
            self.k[i] = self.k[i] + v if i in self.k else v
            self.size[i] = self.size[i] + abs(v) if i in self.size else abs(v)
        for i, row in other.M.items():
            _add(self.M.setdefault(i, {}), row, 1)

    def add_jet(self, virtual: Mapping[int, Number], force: Jet) -> None:
        """Add a force that may depend on the unknowns."""
        self.add(virtual, force.c[0], force.g if force.n == self.top else {})


@dataclass(frozen=True, eq=False)
class Element:
    """A mass element at a state: how its mass centre and its axes can move.

    `J` are the gradients of its centre, `W` those of its turn; of a body known by its twist, `W`
    is in body components. `a` is the acceleration of the centre and `alpha` that of the turn.
    """

    named: Named
    mass: Number
    centre: tuple[Number, Number, Number] | None
    J: tuple[Mapping[int, Number], ...]
    W: tuple[Mapping[int, Number], ...]
    a: Three
    alpha: Three | None
    points: tuple[tuple[Number, Three], ...]
    """Point masses, each with its acceleration."""
    v: Three

    def material(self, p: Three) -> tuple[dict[int, Number], ...]:
        """Return the gradients of the body's material point that is at p."""
        if self.centre is None:
            return tuple(dict(g) for g in self.J)
        r = tuple(value_of(entry) - c for entry, c in zip(p, self.centre, strict=True))
        gradients = []
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            g = dict(self.J[k])
            _add(g, self.W[i], r[j])
            _add(g, self.W[j], -r[i])
            gradients.append(g)
        return tuple(gradients)


def _add(g: dict[int, Number], other: Mapping[int, Number], factor: Number) -> None:
    for k, v in other.items():
        g[k] = g[k] + v * factor if k in g else v * factor


def inertia(e: Evaluator, named: Named) -> list[list[Number]]:
    """Return the inertia of a body about its mass centre, in its axes."""
    stated = clause(named, "inertia")
    zero = e.m.zero.c[0]
    if stated is None:
        return [[zero] * 3 for _ in range(3)]
    if stated.about is None:
        tensor = e.value(stated.value, named.level)
        return [[value_of(entry) for entry in row] for row in tensor]
    node = x.ungroup(stated.about)
    node = x.ungroup(node.operand) if isinstance(node, x.Negative) else node
    if not isinstance(node, x.Reference):
        raise OracleRefusal("inertia about an axis other than x, y, z", named.path, stated.at)
    # the rest is unspecified: that of a ring with this axis, which exists for every J
    J = value_of(e.scalar(stated.value, named.level))
    diagonal = [J if name == node.path[0].name else J / 2 for name in "xyz"]
    return [[diagonal[i] if i == j else zero for j in range(3)] for i in range(3)]


def _clusters(
    e: Evaluator, named: Named, mass: Number
) -> list[tuple[Number, tuple[int, int, int]]]:
    """Return point masses in the body's axes, 1 m apart: pairs, and the rest at the centre.

    The second moments S = tr(I)/2 - I are met by pairs along the axes and their sums.
    """
    I = inertia(e, named)  # noqa: E741  the letter of the inertia
    half = (I[0][0] + I[1][1] + I[2][2]) / 2
    S = [[(half if i == j else 0) - I[i][j] for j in range(3)] for i in range(3)]
    masses: list[tuple[Number, tuple[int, int, int]]] = []
    rest = mass
    for i in range(3):
        across = [S[i][j] for j in range(3) if j != i]
        pairs = [(S[i][i] - across[0] - across[1], _unit(i))]
        pairs += [(S[i][j], _unit(i, j)) for j in range(i + 1, 3)]
        for moment, (a, b, c) in pairs:
            if moment != 0:
                masses += [(moment / 2, (a, b, c)), (moment / 2, (-a, -b, -c))]
                rest -= moment
    return [*masses, (rest, (0, 0, 0))]


def _unit(*axes: int) -> tuple[int, int, int]:
    a, b, c = (int(k in axes) for k in range(3))
    return a, b, c


def mass_of(e: Evaluator, named: Named) -> Number:
    """Return a mass; a mass that is left out does not matter."""
    stated = clause(named, "mass")
    return e.m.zero.c[0] if stated is None else value_of(e.scalar(stated.value, named.level))


def _combined(columns: Iterable[Three], parts: tuple[int, int, int], m: Any) -> Three:
    """Return a sum of columns, each with the sign of its part."""
    total = (m.zero, m.zero, m.zero)
    for column, part in zip(columns, parts, strict=True):
        if part:
            total = added(total, column) if part > 0 else minus(total, column)
    return total


def _gradients(a: Three, top: int) -> tuple[Mapping[int, Number], ...]:
    """Return the gradients of accelerations that depend on the unknowns."""
    return tuple(entry.g if entry.n == top else {} for entry in a)


def element(e: Evaluator, named: Named, top: int) -> Element:
    """Return a body or a particle at the state, as point masses."""
    mass = mass_of(e, named)
    if oracle_poses.by_twist(e, named):
        return _twisted(e, named, mass, top)
    p = oracle_poses.centre(e, named)
    v = rates(p)
    a = rates(v)
    now = tuple(value_of(entry) for entry in p)
    J = _gradients(a, top)
    if named.kind == "particle":
        return Element(named, mass, now, J, ({}, {}, {}), a, None, ((mass, a),), v)
    axes = oracle_poses.pose(e, named).axes
    bends = [rates(rates(axis)) for axis in axes]
    points = tuple(
        (share, added(a, _combined(bends, parts, e.m)) if any(parts) else a)
        for share, parts in _clusters(e, named, mass)
    )
    half = e.m.half
    W = tuple(_turns(axes, bends, k, half) for k in range(3))
    alpha = scaled(
        added(added(*(cross(axes[k], bends[k]) for k in (0, 1))), cross(axes[2], bends[2])),
        e.m.one.scaled(half),
    )
    return Element(named, mass, now, J, W, a, alpha, points, v)


def _turns(axes: Any, bends: Any, k: int, half: Number) -> dict[int, Number]:
    """Return the gradient of one component of the turn: half the sum of e x de."""
    i, j = (k + 1) % 3, (k + 2) % 3
    g: dict[int, Number] = {}
    for axis, bend in zip(axes, bends, strict=True):
        _add(g, bend[j].g, value_of(axis[i]) * half)
        _add(g, bend[i].g, -value_of(axis[j]) * half)
    return g


def _twisted(e: Evaluator, named: Named, mass: Number, top: int) -> Element:
    """Return a mass element of which only the twist is known.

    Where it stands does not matter: point masses about its centre, in body axes, have no
    product with the motion of the centre.
    """
    v = oracle_poses.com_velocity(e, named)
    a = rates(v)
    J = _gradients(a, top)
    if named.kind == "particle":
        return Element(named, mass, None, J, ({}, {}, {}), a, None, ((mass, a),), v)
    w = oracle_poses.spin(e, named)
    alpha = rates(w)
    points = [(mass, a)]
    for share, parts in _clusters(e, named, e.m.zero.c[0]):
        r = tuple(e.m.constant(part) for part in parts)
        if any(parts):
            turn = added(cross(alpha, r), cross(w, cross(w, r)))  # type: ignore[arg-type]
            points.append((share, turn))
    W = _gradients(alpha, top)
    return Element(named, mass, None, J, W, a, alpha, tuple(points), v)


def kinetic_energy(e: Evaluator, mass_element: Element) -> Number:
    """Return the kinetic energy of a mass element."""
    total = mass_element.mass * value_of(dot(mass_element.v, mass_element.v)) / 2
    if mass_element.named.kind == "particle":
        return total
    w = oracle_poses.spin(e, mass_element.named)
    if not oracle_poses.by_twist(e, mass_element.named):
        axes = oracle_poses.pose(e, mass_element.named).axes
        w = (dot(axes[0], w), dot(axes[1], w), dot(axes[2], w))
    I = inertia(e, mass_element.named)  # noqa: E741  the letter of the inertia
    W = [value_of(part) for part in w]
    return total + sum(W[i] * I[i][j] * W[j] for i in range(3) for j in range(3)) / 2
