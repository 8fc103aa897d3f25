"""Checks of matrices and columns of the equations of motion: M, h, A, b, lam, Fc, q', q''.

M and h are those of the balance from mechanics. Forms in the rates of the coordinates have
N^T M N and N^T (h - M n), where q'' = N ud + n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.tolerances import ENTRY
from mbx.verify.agreement.reference.reference_numbers import Doubles
from mbx.verify.agreement.reference.sized import Sized
from mbx.verify.agreement.reference.term_sizes import with_rounding
from mbx.verify.agreement.results.examined_form import Difference, NotCheckedError

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = [
    "check_accelerations",
    "check_constraints",
    "check_forces",
    "check_inertia",
    "check_iteration",
    "check_loads",
    "check_multipliers",
    "check_programme",
    "check_rates",
]

_ON_TREES: Final = frozenset({"composite_body", "recursive_newton_euler"})
"""Forms whose M is that of the open tree, in the rates of the hinges."""


def check_rates(subject: Subject) -> Differences:
    """Compare q' with the rates of the system."""
    rates = subject.reference.numbers("invariants")["rates"]
    gap = subject.result("qd") - Sized.of(rates)
    full = _from_momenta(subject) if subject.has("p") else None
    yield Difference("q'", gap, full)


def _from_momenta(subject: Subject) -> Array | None:
    """Return what rounding does to rates of the coordinates that come from momenta."""
    u = _speeds_from_momenta(subject)
    return None if u is None else np.asarray(subject.change[0].size @ u)


def _speeds_from_momenta(subject: Subject) -> Array | None:
    """Return what rounding does to speeds that come from momenta: |M^-1| |p| (Skeel 1979).

    p has parts that u does not, where bodies move with time.
    """
    reference = subject.reference
    if not isinstance(reference.source, Doubles):
        return None
    M = reference.K.T @ (reference.Mb @ reference.K)
    u = np.abs(reference.source.points.u)[:, :, None]
    sound = np.isfinite(M.value).all(axis=(1, 2), keepdims=True)
    inverse = np.abs(np.linalg.pinv(np.where(sound, M.value, 0.0), hermitian=True))
    return np.asarray(np.maximum(u, inverse @ np.maximum(M.size @ u, reference.momenta.size)))


def check_accelerations(subject: Subject) -> Differences:
    """Compare q'' with N ud + n."""
    N, n = subject.change
    gap = subject.result("qdd") - N @ subject.ud - n
    full = N.size @ subject.coupling.in_speeds(subject.ud.size, accelerations=True) + n.size
    yield Difference("q'' = N ud + n", gap, full)


def check_inertia(subject: Subject) -> Differences:
    """Compare M with that of the balance, or of the tree."""
    M = subject.result("M")
    if subject.equations.formalism in _ON_TREES:
        yield Difference("M of the tree", M - subject.tree.M.now)
        return
    if subject.space(subject.labels("M", columns=True), "M") == "rates":
        N, _ = subject.change
        M = N.T @ (M @ N)
    yield Difference("M", M - subject.balance[0])


def check_loads(subject: Subject) -> Differences:
    """Compare h with that of the balance."""
    h = subject.result("h")
    if subject.has("M") and subject.space(subject.labels("M", columns=True), "M") == "rates":
        N, n = subject.change
        h = N.T @ (h - subject.result("M") @ n)
    gap = subject.reference.without_norms(h - subject.balance[1])
    full = subject.coupling.in_speeds(gap.size)
    if subject.has("Qv", "Qe"):  # rates of the tree that are tied to the speeds have forces, too
        tied = subject.reference.numbers("links")
        forces = subject.result("Qe") + subject.tree.quadratic
        forces = forces + subject.tree.M.now @ Sized.of(tied["pd"])
        full = np.maximum(full, (Sized.of(tied["P"]).T @ forces).size)
    yield Difference("h", gap, full)


def _constraints(subject: Subject) -> tuple[Sized, Sized]:
    """Return A and b of a form, in the speeds."""
    A, b = subject.result("A"), subject.result("b")
    labels = subject.labels("A", columns=True)
    if subject.programme or subject.space(labels, "A") == "speeds":
        return A, b
    N, n = subject.change
    return A @ N, A @ n + b


def check_constraints(subject: Subject) -> Differences:
    """Compare A and b with the invariants of the system; rows that these lack must hold."""
    A, b = _constraints(subject)
    if subject.programme:
        yield Difference("A ud = -b", A @ subject.ud + b)
        return
    numbers = subject.reference.numbers("invariants")
    known = subject.reference.manifold.equations.step("A").row_labels
    paths = [row.path for row in subject.reference.programs.levels.rows]
    pairs = [
        (k, known.index(paths[at]))
        for k, at in enumerate(subject.rows)
        if at is not None and paths[at] in known
    ]
    if pairs:
        mine, theirs = ([pair[j] for pair in pairs] for j in (0, 1))
        yield Difference("A", A[mine] - Sized.of(numbers["A"])[theirs])
        full = _by_speeds(subject)
        gap = b[mine] - Sized.of(numbers["b"])[theirs]
        yield Difference("b", gap, None if full is None else full[:, theirs])
    extra = [k for k in range(len(subject.rows)) if k not in {pair[0] for pair in pairs}]
    if extra:
        yield Difference("A ud = -b", A[extra] @ subject.ud + b[extra])


def _by_speeds(subject: Subject) -> Array | None:
    """Return how large b is by the rounding of speeds, and by the accelerations that it causes."""
    source, u = subject.reference.source, _speeds_from_momenta(subject)
    if not isinstance(source, Doubles) or u is None:
        return None
    equations = subject.reference.manifold.equations
    at = source.manifold.values.at(equations, source.points)
    digits = {v.symbol: ENTRY * u[:, k, 0] for k, v in enumerate(equations.signature.u)}
    with np.errstate(all="ignore"):
        ((_, bound),) = with_rounding([equations.step("b")], at, digits, len(source.points))
    A = np.abs(subject.reference.numbers("invariants")["A"])
    ud = subject.coupling.in_speeds(subject.ud.size, accelerations=True)
    return np.asarray(np.maximum(bound / ENTRY, A @ ud))


def check_multipliers(subject: Subject) -> Differences:
    """Compare Fc with A^T lam, A in the speeds."""
    if not subject.has("A", "Fc"):
        raise NotCheckedError("multipliers without 'A' and 'Fc' belong to nothing")
    A = subject.result("A")
    if not subject.programme:
        A, _ = _constraints(subject)
    gap = subject.result("Fc") - A.T @ subject.result("lam")
    if subject.programme:
        yield Difference("Fc = A^T lam", gap)
        return
    M, h = subject.balance
    gap = Sized(gap.value, gap.size + (M @ subject.ud - h).size)  # forces are what these leave
    yield Difference("Fc = A^T lam", gap, subject.coupling.in_speeds(gap.size))
    yield from _along_norms(subject)


def _along_norms(subject: Subject) -> Differences:
    """Compare the multipliers of quaternion norms with what M q'' - h is along the norms.

    They do nothing to the speeds, and depend on how a form writes its kinetic energy: they follow
    from its own M and h.
    """
    system = subject.reference.programs.system
    paths = {row.path for row in (*system.rows, *system.closed) if row.kind == "norm"}
    norms = [k for k, path in enumerate(subject.labels("A")) if path in paths]
    if not norms or not subject.has("M", "h", "A"):
        return
    if subject.space(subject.labels("M", columns=True), "M") != "rates":
        return
    (N, n), M, A = subject.change, subject.result("M"), subject.result("A")
    along, rest = A[norms], subject.result("h") + A.T @ subject.result("lam")
    gap = along @ (M @ (N @ subject.ud + n) - rest)
    ud = subject.coupling.in_speeds(subject.ud.size, accelerations=True)
    full = along.size @ (M.size @ (N.size @ ud + n.size) + rest.size)
    yield Difference("M q'' = h + A^T lam along norms", gap, full)


def check_forces(subject: Subject) -> Differences:
    """Compare Fc with what the balance from mechanics leaves of M ud - h."""
    if not subject.programme:
        M, h = subject.balance
        gap = subject.reference.without_norms(M @ subject.ud - h - subject.result("Fc"))
        size = subject.coupling.with_accelerations(gap.size, subject.ud.size)
        yield Difference("M ud = h + Fc", gap, subject.coupling.in_speeds(size))


def check_programme(subject: Subject) -> Differences:
    """Compare Hessian and linear term of Gauss's programme with M and -h of the balance."""
    M, h = subject.balance
    yield Difference("H = M", subject.result("H") - M)
    gap = subject.reference.without_norms(subject.result("c") + h)
    yield Difference("c = -h", gap, subject.coupling.in_speeds(gap.size))


def check_iteration(subject: Subject) -> Differences:
    """Compare what an iteration leaves with h + A^T lam - M ud and -b - A ud."""
    M, h = subject.balance
    numbers = subject.reference.numbers("invariants")
    A, b = Sized.of(numbers["A"]), Sized.of(numbers["b"])
    n = subject.ud.shape[1]
    left, lam = subject.result("left"), subject.result("lam")
    gap = left[:n] - (h + A.T @ lam - M @ subject.ud)
    yield Difference("left of forces", gap, subject.coupling.in_speeds(gap.size))
    yield Difference("left of invariants", left[n:] + (b + A @ subject.ud))
    # it has converged: what it leaves is rounding of the terms
    size = (h + A.T @ lam + M @ subject.ud).size
    yield Difference("left", Sized(left[:n].value, size), subject.coupling.in_speeds(size))
