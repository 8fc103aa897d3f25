"""A tree of links, summed over its links in ground components: no recursion of a form.

Twists and wrenches are (linear; angular) at the origin of the ground. What hangs on a hinge is
a sum over the links behind it, what a link does is a sum over the hinges before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.reference.sized import Moving, Sized, cross, stack, tensor

if TYPE_CHECKING:
    from mbx.mechanics.tree.links import Links
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.reference_numbers import Reference

__all__ = ["Accelerated", "Tree"]


@dataclass(frozen=True)
class Tree:
    """The links of a system at some states."""

    reference: Reference

    def accelerations(self, ud: Sized) -> Sized:
        """Return z'' where the speeds have rates ud."""
        return Sized.of(self._matrix("P")) @ ud + Sized.of(self._matrix("pd"))

    @property
    def links(self) -> Links:
        """The links as the system has them."""
        return self.reference.programs.tree

    def _matrix(self, name: str) -> Array:
        return self.reference.numbers("links")[name]

    @property
    def zd(self) -> Sized:
        """The rates of the tree."""
        return Sized.of(self._matrix("zd"))

    @cached_property
    def _p(self) -> list[Sized]:
        """Origins of the links; rounding of an origin is that of the origins before it."""
        origins: list[Sized] = []
        for k, link in enumerate(self.links.links):
            p = Sized.vectors(self._matrix("p")[:, 3 * k : 3 * k + 3])
            origins.append(p if link.parent is None else p.at_least(origins[link.parent].size))
        return origins

    def _axes(self, k: int) -> Sized:
        value = self._matrix("R")[:, 3 * k : 3 * k + 3]
        return Sized(value, np.ones(value.shape))

    def columns(self, k: int) -> slice:
        """Return the positions of the rates of a hinge."""
        link = self.links.links[k]
        return slice(link.first, link.first + link.freedoms)

    def _hinge(self, k: int) -> tuple[Moving, Moving]:
        """Return A and vr of a hinge, in components of the link."""
        six, columns = slice(6 * k, 6 * k + 6), self.columns(k)
        A, Ad = (Sized.vectors(self._matrix(name)[:, six, columns]) for name in ("A", "Ad"))
        vr, vrd = (Sized.vectors(self._matrix("vr")[:, six, j : j + 1]) for j in (0, 1))
        return Moving(A, Ad), Moving(vr, vrd)

    @cached_property
    def _now(self) -> list[Sized]:
        """Twists of the links."""
        twists: list[Sized] = []
        for k, link in enumerate(self.links.links):
            A, vr = self._hinge(k)
            over = self._shift(self._axes(k), self._p[k]) @ (
                A.now @ self.zd[self.columns(k)] + vr.now
            )
            twists.append(over if link.parent is None else twists[link.parent] + over)
        return twists

    @staticmethod
    def _shift(R: Sized, p: Sized) -> Sized:
        """Return what takes a twist at p, in axes R, to the origin of the ground."""
        zero = Sized(np.zeros(R.shape), np.zeros(R.shape))
        return stack([[R, cross(p) @ R], [zero, R]])

    def pose(self, k: int) -> tuple[Moving, Moving]:
        """Return axes and origin of a link in motion."""
        R, p, V = self._axes(k), self._p[k], self._now[k]
        turn = cross(V[3:])
        return Moving(R, turn @ R), Moving(p, V[:3] + turn @ p)

    @cached_property
    def X(self) -> list[Moving]:  # noqa: N802  the letter of Featherstone
        """What takes twists in link axes, at its origin, to those at the origin of the ground."""
        transforms = []
        for k in range(len(self.links.links)):
            R, p = self.pose(k)
            now = self._shift(R.now, p.now)
            arm = cross(p.rate) @ R.now + cross(p.now) @ R.rate
            zero = Sized(np.zeros(R.now.shape), np.zeros(R.now.shape))
            transforms.append(Moving(now, stack([[R.rate, arm], [zero, R.rate]])))
        return transforms

    @cached_property
    def A(self) -> list[Moving]:  # noqa: N802  the letter of every text
        """Columns of the hinges."""
        return [self.X[k] @ self._hinge(k)[0] for k in range(len(self.links.links))]

    @cached_property
    def V(self) -> list[Moving]:  # noqa: N802  likewise
        """Twists of the links, with their rates where z'' are zero."""
        still = Sized(np.zeros(self.zd.shape), np.zeros(self.zd.shape))
        twists: list[Moving] = []
        for k, link in enumerate(self.links.links):
            columns = self.columns(k)
            over = (
                self.A[k] @ Moving(self.zd[columns], still[columns]) + self.X[k] @ self._hinge(k)[1]
            )
            twists.append(over if link.parent is None else twists[link.parent] + over)
        return twists

    @cached_property
    def inertia(self) -> list[Moving]:
        """Inertias of the links about the origin of the ground."""
        return [self._inertia(k) for k in range(len(self.links.links))]

    def _inertia(self, k: int) -> Moving:
        R, p = self.pose(k)
        m = Sized.of(self._matrix("m")[:, k : k + 1])
        c = Sized.vectors(self._matrix("c")[:, 3 * k : 3 * k + 3])
        J = tensor(self._matrix("J")[:, 3 * k : 3 * k + 3])
        still = Sized(np.zeros(J.shape), np.zeros(J.shape))
        at = p + Moving(R.now @ c, R.rate @ c)
        S = Moving(cross(at.now), cross(at.rate))
        eye = np.broadcast_to(np.eye(3)[None], J.shape)
        mass = Moving(Sized.of(eye).scaled(m), still)
        mS = S.scaled(m)
        turned = R @ Moving(J, still) @ R.T - mS @ S
        return _blocks([[mass, mS.T], [mS, turned]])

    def behind(self, k: int) -> list[int]:
        """Return a link and all that it carries."""
        return [i for i in range(len(self.links.links)) if k in self.links.path(i)]

    @cached_property
    def paths(self) -> list[Moving]:
        """The twist of each link by the rates of the tree, a column each."""
        return [self._path(i) for i in range(len(self.links.links))]

    def _path(self, i: int) -> Moving:
        n = self.zd.shape[1]
        N = self.zd.shape[0]
        parts: list[Moving] = []
        before = set(self.links.path(i))
        for k, link in enumerate(self.links.links):
            if link.freedoms:
                zero = Sized(np.zeros((N, 6, link.freedoms)), np.zeros((N, 6, link.freedoms)))
                parts.append(self.A[k] if k in before else Moving(zero, zero))
        if not n:
            zero = Sized(np.zeros((N, 6, 0)), np.zeros((N, 6, 0)))
            return Moving(zero, zero)
        return _blocks([parts])

    @cached_property
    def M(self) -> Moving:  # noqa: N802  likewise
        """Inertia in the rates of the tree."""
        total: Moving | None = None
        for i, inertia in enumerate(self.inertia):
            W = self.paths[i]
            term = W.T @ inertia @ W
            total = term if total is None else total + term
        if total is None:
            raise ValueError("a tree has links")
        return total

    @cached_property
    def quadratic(self) -> Sized:
        """Forces of inertia on the rates of the tree where z'' are zero."""
        forces = Sized(np.zeros(self.zd.shape), np.zeros(self.zd.shape))
        for mass, V, W in zip(self.inertia, self.V, self.paths, strict=True):
            forces = forces + W.now.T @ (mass @ V).rate
        return forces


@dataclass(frozen=True)
class Accelerated:
    """A tree where z'' are given."""

    tree: Tree
    zdd: Sized

    @cached_property
    def V(self) -> list[Moving]:  # noqa: N802  likewise
        """Twists of the links, with their rates."""
        return [
            Moving(V.now, V.rate + W.now @ self.zdd)
            for V, W in zip(self.tree.V, self.tree.paths, strict=True)
        ]

    @cached_property
    def momenta(self) -> list[Moving]:
        """Momenta of the links; their rates are the wrenches of inertia."""
        return [mass @ V for mass, V in zip(self.tree.inertia, self.V, strict=True)]


def _blocks(rows: list[list[Moving]]) -> Moving:
    return Moving(
        stack([[x.now for x in row] for row in rows]),
        stack([[x.rate for x in row] for row in rows]),
    )
