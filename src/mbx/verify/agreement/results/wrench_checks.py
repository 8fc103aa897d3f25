"""Loads on the links of a tree and on its rates, from the loads on mass elements.

A wrench on an element acts at its mass centre, with a torque in element components; on a link it
counts at the origin of the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.expr.nodes import ZERO
from mbx.mechanics.reactions import holders
from mbx.verify.agreement.reference.sized import Sized, cross, stack

if TYPE_CHECKING:
    from mbx.verify.agreement.reference.reference_numbers import Reference
    from mbx.verify.agreement.reference.reference_programs import Programs
    from mbx.verify.agreement.results.examined_form import Subject

__all__ = ["all_loads", "carried", "loads_on_links", "loads_on_rates", "loop_wrenches", "rows_of"]


def rows_of(programs: Programs) -> list[int]:
    """Return which of six rows an element the balances have: a particle has no torques."""
    return [
        6 * e + i
        for e, m in enumerate(programs.moving.elements)
        for i in range(3 if m.element.w_local is None else 6)
    ]


def at_origin(reference: Reference, e: int, six: Sized) -> Sized:
    """Return the wrench on an element at the origin of the ground."""
    numbers = reference.numbers("bodies")
    com = Sized.vectors(numbers["com"][:, 3 * e : 3 * e + 3])
    R = numbers["R"][:, 3 * e : 3 * e + 3]
    torque = cross(com) @ six[:3] + Sized(R, np.ones(R.shape)) @ six[3:]
    return stack([[six[:3]], [torque]])


def _links_of(programs: Programs, e: int) -> list[tuple[int, str]]:
    """Return the links that an element is, and which part of its wrench each takes."""
    path = programs.moving.elements[e].path
    placed = programs.moving.elements[e].element.placed
    links = []
    for k, link in enumerate(programs.tree.links):
        if link.moving.path == path:
            links.append((k, "" if placed else link.path[-1]))
    return links


def _part(six: Sized, part: str) -> Sized:
    """Return a wrench, its force alone, or its torque alone."""
    kept = {"": slice(0, 6), "v": slice(0, 3), "w": slice(3, 6)}[part]
    value, size = np.zeros_like(six.value), np.zeros_like(six.size)
    value[:, kept], size[:, kept] = six.value[:, kept], six.size[:, kept]
    return Sized(value, size)


def _kept(programs: Programs, e: int) -> bool:
    """Return whether loads on an element are loads on its link, not on the speeds."""
    if programs.moving.elements[e].path in programs.tree.bare:
        return False
    slopes = programs.loads.step("F").entries[6 * e : 6 * e + 6]
    return all(x is ZERO for row in slopes for x in row)


def loads_on_links(subject: Subject) -> list[Sized]:
    """Return the loads on the links that depend on no acceleration."""
    reference, programs = subject.reference, subject.reference.programs
    _, F0 = reference.loads(subject.lam)
    loads = [reference.zeros(6) for _ in programs.tree.links]
    for e in range(reference.count):
        if _kept(programs, e):
            six = at_origin(reference, e, F0[6 * e : 6 * e + 6])
            for k, part in _links_of(programs, e):
                loads[k] = loads[k] + _part(six, part)
    return loads


def idle_halves(subject: Subject, six: Sized) -> list[Sized]:
    """Return the half of the wrench on each link that its placement takes whole.

    Two links stand for an element that is known by its twist; each has inertia in one half.
    """
    reference, programs = subject.reference, subject.reference.programs
    other = {"v": "w", "w": "v"}
    halves = [reference.zeros(6) for _ in programs.tree.links]
    for e in range(reference.count):
        for k, part in _links_of(programs, e):
            if part:
                halves[k] = _part(at_origin(reference, e, six[6 * e : 6 * e + 6]), other[part])
    return halves


def loads_on_rates(subject: Subject) -> Sized:
    """Return all other loads that depend on no acceleration, on the rates of the tree."""
    reference, programs = subject.reference, subject.reference.programs
    _, F0 = reference.loads(subject.lam)
    total = F0[6 * reference.count :]
    for e in range(reference.count):
        six = slice(6 * e, 6 * e + 6)
        if not _kept(programs, e):
            total = total + reference.K[six].T @ F0[six]
            continue
        parts = {part for _, part in _links_of(programs, e)}
        for part in {"v", "w"} - parts if "" not in parts else ():
            total = total + reference.K[six].T @ _part(F0[six], part)
    total = total + _light(subject)
    direct = [k for k, u in enumerate(programs.tree.direct) if u is not None]
    chosen = np.zeros((1, len(programs.tree.direct), total.shape[1]))
    for k in direct:
        chosen[0, k, programs.tree.direct[k]] = 1.0
    return Sized.of(chosen) @ total


def _light(subject: Subject) -> Sized:
    """Return what loads on links do to speeds that move no inertia."""
    programs = subject.reference.programs
    forces = subject.reference.zeros(len(programs.moving.u))
    if not programs.tree.light:
        return forces
    on = loads_on_links(subject)
    value, size = forces.value.copy(), forces.size.copy()
    for k, u, column in programs.tree.light:
        numbers = np.array([[[float(x.value)] for x in column]])  # constants, see `links`
        force = subject.tree.X[k].now.T @ on[k]
        term = Sized.of(numbers).T @ force
        value[:, u] += term.value[:, 0]
        size[:, u] += term.size[:, 0]
    return Sized(value, size)


def all_loads(subject: Subject) -> Sized:
    """Return the wrenches of all loads on the elements, six rows each."""
    reference = subject.reference
    on = slice(6 * reference.count)
    F, F0 = reference.loads(subject.lam)
    return F[on] @ subject.ud + F0[on]


def loop_wrenches(subject: Subject) -> Sized:
    """Return what the multipliers of joints that close loops do to the elements, six rows each."""
    reference = subject.reference
    rows = rows_of(reference.programs)
    wrenches = reference.zeros(6 * reference.count)
    lam = subject.lam
    if lam is None or not lam.shape[1]:
        return wrenches
    L = Sized.vectors(reference.numbers("balances")["L"][:, :, : lam.shape[1]]) @ lam
    value, size = wrenches.value.astype(L.value.dtype), wrenches.size.copy()
    value[:, rows], size[:, rows] = L.value, L.size
    return Sized(value, size)


def carried(subject: Subject, six: Sized) -> list[Sized]:
    """Return wrenches on elements as wrenches on links; what is no link loads what carries it."""
    reference, programs = subject.reference, subject.reference.programs
    parents = [holder.parent for holder in holders(programs.moving)]
    wrenches = [reference.zeros(6) for _ in programs.tree.links]
    for e in range(reference.count):
        at: int | None = e
        while at is not None and programs.moving.elements[at].path in programs.tree.bare:
            at = parents[at]
        if at is None:
            continue
        spatial = at_origin(reference, e, six[6 * e : 6 * e + 6])
        for k, part in _links_of(programs, at):
            wrenches[k] = wrenches[k] + _part(spatial, part)
    return wrenches
