"""Loads on a system in motion: wrenches on mass elements, and generalized forces.

A form of forces takes `wrenches` and `generalized`; a form of energies takes potential and
dissipation from `mbx.mechanics.energy` and the rest from `wrenches_without_energy` and
`generalized_loads`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.small_systems import generic_rank
from mbx.expr.build import NULL, add, mul, neg, plus, sub
from mbx.expr.derivatives import gradient, jacobian, pullback
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.motion import Motion, Moving
    from mbx.system.system import Effective, Force, Generalized


__all__ = [
    "accelerated",
    "accelerations_without_rates",
    "conjugate",
    "effective",
    "effective_terms",
    "generalized",
    "generalized_loads",
    "generalized_terms",
    "non_ideal",
    "non_ideal_terms",
    "partial_velocities",
    "project",
    "symmetric",
    "unsymmetric",
    "wrench_groups",
    "wrenches",
    "wrenches_without_energy",
]


def project(
    motion: Motion,
    wrenches: Sequence[tuple[Vector, Vector]],
    elements: Sequence[Moving] | None = None,
    u: Sequence[Node] | None = None,
) -> list[Node]:
    """Return the generalized forces of wrenches on the mass elements, all or some of them.

    F_r = sum_i v_i,r . f_i + w_i,r . t_i with the partial velocities v_i,r = dv_i/du_r; the
    force has ground components, the torque the element's own. The sum is never written out:
    one sweep backwards over the graph of the velocities is the transposed recursion.
    """
    outputs: list[Node] = []
    weights: list[Node] = []
    chosen = motion.elements if elements is None else elements
    for moving, (force, torque) in zip(chosen, wrenches, strict=True):
        for speeds, values in ((moving.v, force), (moving.w, torque)):
            for speed, value in zip(speeds, values, strict=True):
                if speed is not ZERO and value is not ZERO:
                    outputs.append(speed)
                    weights.append(value)
    return pullback(outputs, weights, motion.u if u is None else u)


def partial_velocities(motion: Motion) -> list[list[Node]]:
    """Return J: three rows of v and three of w for each mass element, a column a speed."""
    rows = [x for moving in motion.elements for x in (*moving.v, *moving.w)]
    return jacobian(rows, motion.u)


def accelerations_without_rates(motion: Motion) -> list[Node]:
    """Return jb: what is left of the rates of the twists where all ud are zero."""
    rows = [x for moving in motion.elements for x in (*moving.a, *moving.wd)]
    return substitute(rows, dict.fromkeys(motion.ud, ZERO))


def _resultants(
    motion: Motion, forces: Iterable[Force], weights: dict[str, Vector]
) -> list[tuple[Vector, Vector]]:
    total: dict[str, list[tuple[Vector, Vector]]] = {m.path: [] for m in motion.elements}
    for load in forces:
        force, torque = _express(motion, load.force), _express(motion, load.torque)
        total[load.on].append((force, torque))
    for path, weight in weights.items():
        total[path].append((weight, NULL))
    return [
        (plus(*(f for f, _ in total[m.path])), plus(*(t for _, t in total[m.path])))
        for m in motion.elements
    ]


def _express(motion: Motion, v: Vector) -> Vector:
    if v is NULL:
        return NULL
    a, b, c = motion.express(v)
    return (a, b, c)


def _weights(motion: Motion, *, high: bool) -> dict[str, Vector]:
    """Return the weights of the elements; those with a potential only on request."""
    return {
        m.path: m.weight for m in motion.elements if m.weight is not None and (high or not m.high)
    }


def wrenches(motion: Motion) -> list[tuple[Vector, Vector]]:
    """Return Fb: the active wrench on each mass element, at its mass centre."""
    system = motion.system
    energies = [*system.potentials, *system.dissipations]
    forces = [*system.forces, *(f for e in energies if e.forces is not None for f in e.forces)]
    return _resultants(motion, forces, _weights(motion, high=True))


def wrench_groups(motion: Motion) -> list[list[tuple[Moving, tuple[Vector, Vector]]]]:
    """Return the active wrenches load by load, each with its mass element; weights are alone."""
    moving = {m.path: m for m in motion.elements}
    system = motion.system
    energies = [*system.potentials, *system.dissipations]
    forces = [*system.forces, *(f for e in energies if e.forces is not None for f in e.forces)]
    groups: dict[str, list[tuple[Moving, tuple[Vector, Vector]]]] = {}
    for load in forces:
        wrench = (_express(motion, load.force), _express(motion, load.torque))
        groups.setdefault(load.path, []).append((moving[load.on], wrench))
    for path, weight in _weights(motion, high=True).items():
        groups[f"weight of {path}"] = [(moving[path], (weight, NULL))]
    return list(groups.values())


def wrenches_without_energy(motion: Motion) -> list[tuple[Vector, Vector]]:
    """Return the wrenches that no potential and no dissipation stands for."""
    return _resultants(motion, motion.system.forces, _weights(motion, high=False))


def conjugate(motion: Motion, on: Node, value: Node) -> list[Node]:
    """Return a force on a rate or a speed as generalized forces on u."""
    if on in motion.u:
        return [value if on is s else ZERO for s in motion.u]
    slopes = gradient(motion.express([on])[0], motion.u)
    return [mul(value, s) for s in slopes]


def _total(motion: Motion, rows: Iterable[list[Node]]) -> list[Node]:
    columns = list(zip(*rows, strict=True))
    if not columns:
        return [ZERO for _ in motion.u]
    return [add(*column) for column in columns]


def _terms_of(motion: Motion, loads: Iterable[Generalized | Effective]) -> list[list[Node]]:
    return [conjugate(motion, x.on, motion.express([x.value])[0]) for x in loads]


def generalized_loads(motion: Motion) -> list[Node]:
    """Return the forces of `load on`, the ideal ones."""
    return _total(motion, _terms_of(motion, [x for x in motion.system.generalized if not x.of]))


def non_ideal_terms(motion: Motion) -> list[list[Node]]:
    """Return what invariants do in addition to their ideal part, load by load."""
    return _terms_of(motion, [x for x in motion.system.generalized if x.of])


def non_ideal(motion: Motion) -> list[Node]:
    """Return Fn: what invariants do in addition to their ideal part, as the model declares it."""
    return _total(motion, non_ideal_terms(motion))


def generalized_terms(motion: Motion) -> list[list[Node]]:
    """Return the generalized forces that are no wrench, load by load."""
    system = motion.system
    terms = _terms_of(motion, [x for x in system.generalized if not x.of])
    q = [v.symbol for v in system.q]
    for energy in system.potentials:
        if energy.forces is None:
            slopes = gradient(energy.value, q)
            parts = [
                conjugate(motion, v.rate, neg(slope))
                for v, slope in zip(system.q, slopes, strict=True)
                if slope is not ZERO
            ]
            terms.append(_total(motion, parts))
    for energy in system.dissipations:
        if energy.forces is None:
            slopes = gradient(motion.express([energy.value])[0], motion.u)
            terms.append([neg(slope) for slope in slopes])
    return terms


def generalized(motion: Motion) -> list[Node]:
    """Return Q: generalized forces that are no wrench."""
    return _total(motion, generalized_terms(motion))


def effective_terms(motion: Motion) -> list[list[Node]]:
    """Return the rows of known models, one by one."""
    return _terms_of(motion, motion.system.effective)


def symmetric(motion: Motion) -> bool:
    """Return whether the inertia matrix is symmetric: no load depends on accelerations."""
    system = motion.system
    if system.effective:
        return False
    nodes = [x for load in system.forces for x in (*load.force, *load.torque)]
    nodes += [load.value for load in system.generalized]
    nodes += [energy.value for energy in system.dissipations]
    return set(motion.ud).isdisjoint(ordered(motion.express(nodes)))


def unsymmetric(motion: Motion) -> tuple[str, ...]:
    """Return the loads and known models that make the inertia matrix unsymmetric."""
    if symmetric(motion):
        return ()
    rows = zip(
        project(motion, wrenches(motion)), generalized(motion), effective(motion), strict=True
    )
    Ma, _ = split([add(*terms) for terms in rows], motion.ud)
    odd = any(
        row[j] is not Ma[j][i] and generic_rank([[sub(row[j], Ma[j][i])]])
        for i, row in enumerate(Ma)
        for j in range(i)
    )
    if not odd:
        return ()
    return accelerated(motion)


def accelerated(motion: Motion) -> tuple[str, ...]:
    """Return the loads and known models that depend on accelerations."""
    system = motion.system
    nodes = [(x.path, [*x.force, *x.torque]) for x in system.forces]
    nodes += [(x.path, [x.value]) for x in system.generalized]
    nodes += [(x.path, [x.value]) for x in system.effective]
    nodes += [(x.path, [x.value]) for x in system.dissipations]
    ud = set(motion.ud)
    causes = [path for path, load in nodes if not ud.isdisjoint(ordered(motion.express(load)))]
    return tuple(dict.fromkeys(causes))


def effective(motion: Motion) -> list[Node]:
    """Return fe, the rows of known models: active minus inertia force, affine in ud."""
    return _total(motion, effective_terms(motion))
