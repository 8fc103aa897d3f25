"""Checks of Hamilton's equations in the coordinates: momenta, their rates, the Hamiltonian.

With p conjugate to q', N^T p = J^T Mb tw, and N^T (p' - dT/dq) = J^T (Mb twd + gb). H is
p^T q' - T + V, with T of the bodies; V has the slopes that the loads of its springs and weights
have, which with the balance of power is dH/dt along the motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.results.examined_form import Difference

if TYPE_CHECKING:
    from mbx.verify.agreement.reference.reference_numbers import Reference
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_energy", "check_momenta", "check_momentum_rates", "check_potential"]


def check_momenta(subject: Subject) -> Differences:
    """Compare p with the momenta of the bodies."""
    N, _ = subject.change
    yield Difference("p", N.T @ subject.result("p") - subject.reference.momenta)


def check_momentum_rates(subject: Subject) -> Differences:
    """Compare p' with the rate of the momenta at the accelerations."""
    N, _ = subject.change
    reference = subject.reference
    Tq = Sized.of(reference.numbers("energies")["Tq"])
    inertia = reference.K.T @ reference.inertia_wrenches(subject.ud)
    gap = N.T @ (subject.result("pd") - Tq) - inertia
    gap = Sized(gap.value, gap.size + subject.balance[1].size)  # they are a sum of forces
    yield Difference("p'", gap, subject.coupling.in_speeds(gap.size))


def check_energy(subject: Subject) -> Differences:
    """Compare H with p^T q' - T + V."""
    reference = subject.reference
    rates = Sized.of(reference.numbers("invariants")["rates"])
    V = Sized.of(reference.numbers("energies")["V"])
    expected = subject.result("p").T @ rates - reference.kinetic_energy + V
    yield Difference("H", subject.result("H") - expected)
    yield from check_potential(reference)


def check_potential(reference: Reference) -> Differences:
    """Compare the slopes of V with the loads that it stands for, on the speeds."""
    energies = reference.numbers("energies")
    N = Sized.of(reference.numbers("rates")["N"])
    slopes = Sized.of(energies["Vq"])
    acting = reference.K.T @ Sized.vectors(energies["P"])
    gap = N.T @ (slopes[:, :1] - slopes[:, 1:]) + acting
    yield Difference("slopes of V", reference.without_norms(gap))
