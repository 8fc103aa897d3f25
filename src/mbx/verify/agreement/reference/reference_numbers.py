"""The numbers that declared results are compared with, at some states."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mbx.numerics.execute.execute import run
from mbx.verify.agreement.reference.coupling import Coupling
from mbx.verify.agreement.reference.sized import Sized, block_diagonal, cross, stack, tensor
from mbx.verify.agreement.reference.tree_sums import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.verify.agreement.reference.reference_programs import Programs

__all__ = ["Doubles", "Reference", "Source"]


class Source(Protocol):
    """What runs programs at some states: in doubles, or in many digits at one state."""

    @property
    def points(self) -> Points:
        """The states, in doubles."""

    def matrices(
        self, equations: Equations, known: Mapping[str, Array] | None = None
    ) -> dict[str, Array]:
        """Return the matrices of a program, (N, rows, columns)."""

    def matrix(self, equations: Equations, known: Mapping[str, Array], name: str) -> Array:
        """Return one matrix of a program in which others are `known`."""

    def solve(self, A: Array, B: Array) -> Array:
        """Return A^-1 B."""


@dataclass(frozen=True, slots=True)
class Doubles:
    """Programs run in doubles at many states."""

    manifold: Manifold
    points: Points
    higher: Mapping[str, Array] = field(default_factory=dict)
    """Accelerations that belong to the states, by path."""

    def matrices(
        self, equations: Equations, known: Mapping[str, Array] | None = None
    ) -> dict[str, Array]:
        """Return the matrices of a program; NaN where it has no value."""
        at = self.manifold.values.at(equations, self.points, self.higher)
        outcome = run(equations, at, given=known)
        return {step.name: np.asarray(outcome.matrix(step.name)) for step in equations.steps}

    def matrix(self, equations: Equations, known: Mapping[str, Array], name: str) -> Array:
        """Return one matrix of a program in which others are `known`."""
        at = self.manifold.values.at(equations, self.points)
        return np.asarray(run(equations, at, given=known, wanted=[name]).matrix(name))

    def solve(self, A: Array, B: Array) -> Array:
        """Return A^-1 B; NaN where A is singular."""
        X = np.full(B.shape, np.nan)
        for k in range(len(A)):
            try:
                X[k] = np.linalg.solve(A[k], B[k])
            except np.linalg.LinAlgError:
                continue
        return X


@dataclass(frozen=True)
class Reference:
    """Everything about a system at some states that forms are compared with."""

    programs: Programs
    manifold: Manifold
    source: Source
    _known: dict[str, dict[str, Array]] = field(default_factory=dict)
    null_vectors: dict[tuple[str, ...], list[Any]] = field(default_factory=dict)
    """What reactions leave open, by the joints that a form declares (`uniqueness_checks`)."""

    def numbers(self, name: str) -> dict[str, Array]:
        """Return the matrices of a program without inputs."""
        if name not in self._known:
            equations = self.manifold.equations
            if name != "invariants":
                equations = getattr(self.programs, name)
            self._known[name] = self.source.matrices(equations)
        return self._known[name]

    @cached_property
    def coupling(self) -> Coupling:
        """Which rows are coupled."""
        return Coupling(self)

    @cached_property
    def tree(self) -> Tree:
        """The tree of links."""
        return Tree(self)

    @cached_property
    def count(self) -> int:
        """How many mass elements there are."""
        return len(self.programs.moving.elements)

    @cached_property
    def K(self) -> Sized:  # noqa: N802  the letter of every text
        """Twists of the elements by the speeds."""
        K = Sized.vectors(self.numbers("bodies")["K"])
        return K.at_least(self._levers(K))

    @cached_property
    def K0(self) -> Sized:  # noqa: N802  likewise
        """Rates of the twists without ud."""
        K0 = Sized.vectors(self.numbers("bodies")["K0"])
        return K0.at_least(self._levers(K0))

    @cached_property
    def tw(self) -> Sized:
        """Twists of the elements."""
        tw = Sized.vectors(self.numbers("bodies")["tw"])
        return tw.at_least(self._levers(tw))

    def _levers(self, six: Sized) -> Array:
        """Return how large velocities of mass centres are that come from turning."""
        com = Sized.vectors(self.numbers("bodies")["com"]).size
        size = np.zeros(six.shape)
        for e in range(self.count):
            at = com[:, 3 * e : 3 * e + 3]
            size[:, 6 * e : 6 * e + 3] = at * six.size[:, 6 * e + 3 : 6 * e + 6]
        return size

    @cached_property
    def Mb(self) -> Sized:  # noqa: N802  likewise
        """Masses and inertias of the elements."""
        numbers = self.numbers("bodies")
        eye = np.eye(3, dtype=int)[None]
        blocks = []
        for e in range(self.count):
            m = numbers["m"][:, e : e + 1]
            blocks += [
                Sized.of(m * eye),
                tensor(numbers["I"][:, 3 * e : 3 * e + 3]),
            ]
        return block_diagonal(blocks)

    @cached_property
    def gyroscopic(self) -> Sized:
        """(0; w x I w) of the elements."""
        rows = []
        for e in range(self.count):
            turn = slice(6 * e + 3, 6 * e + 6)
            w = self.tw[turn]
            rows += [[self.zeros(3)], [cross(w) @ (self.Mb[turn, turn] @ w)]]
        return stack(rows)

    def zeros(self, rows: int, columns: int = 1) -> Sized:
        """Return a matrix of zeros."""
        N = len(self.numbers("bodies")["m"])
        return Sized(np.zeros((N, rows, columns)), np.zeros((N, rows, columns)))

    def inertia_wrenches(self, ud: Sized) -> Sized:
        """Return m a and I wd + w x I w of the elements."""
        return self.Mb @ (self.K @ ud + self.K0) + self.gyroscopic

    def loads(self, lam: Sized | None) -> tuple[Sized, Sized]:
        """Return F and F0 of all loads; `lam` are the multipliers, where reactions are named."""
        if not self.programs.named:
            matrices = self.numbers("loads")
        else:
            known = None if lam is None else {"lam": lam.value}
            matrices = self.source.matrices(self.programs.loads, known)
        return Sized.of(matrices["F"]), self._grouped(matrices["F0"])

    def _grouped(self, F0: Array) -> Sized:
        on = 6 * self.count
        on_elements, on_speeds = Sized.vectors(F0[:, :on]), Sized.of(F0[:, on:])
        return stack([[on_elements], [on_speeds]])

    @cached_property
    def _balance(self) -> tuple[Sized, Sized]:
        return self._with_loads(None)

    def balance(self, lam: Sized | None) -> tuple[Sized, Sized]:
        """Return M and h of M ud = h + Fc in the speeds; they depend on `lam` as loads do."""
        return self._with_loads(lam) if self.programs.named else self._balance

    def _with_loads(self, lam: Sized | None) -> tuple[Sized, Sized]:
        on = slice(6 * self.count)
        rest = slice(6 * self.count, None)
        F, F0 = self.loads(lam)
        Kt = self.K.T
        M = Kt @ (self.Mb @ self.K) - Kt @ F[on] - F[rest]
        h = Kt @ (F0[on] - self.Mb @ self.K0 - self.gyroscopic) + F0[rest]
        return M, h

    def without_norms(self, force: Sized) -> Sized:
        """Return forces on the speeds without those along the norms of quaternions.

        Energies have slopes there, but no motion goes that way: (1 - G^T (G G^T)^-1 G) f.
        """
        G = Sized.of(self.numbers("invariants")["G"])
        if not G.shape[1]:
            return force
        along = Sized.of(self.source.solve((G @ G.T).value, G.value))
        return force - G.T @ (along @ force)

    @cached_property
    def momenta(self) -> Sized:
        """dT/du, from the momenta of the elements."""
        return self.K.T @ (self.Mb @ self.tw)

    @cached_property
    def kinetic_energy(self) -> Sized:
        """T, from the twists of the elements."""
        half = np.full((1, 1, 1), 0.5)
        return (self.tw.T @ (self.Mb @ self.tw)).scaled(Sized.of(half))
