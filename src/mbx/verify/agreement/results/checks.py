"""Which check each declared result gets, and how far its numbers are from what they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.verify.agreement.mutual_residuals import NOISE, PASS, full_size, quotient
from mbx.verify.agreement.results import (
    hinge_checks,
    inverse_checks,
    left_out,
    matrix_checks,
    momentum_checks,
    quasi_checks,
    reaction_checks,
    transformations,
    uniqueness_checks,
)
from mbx.verify.agreement.results.examined_form import NotCheckedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.results.examined_form import Difference, Differences, Subject

__all__ = [
    "CHECKS",
    "Check",
    "Checked",
    "check_of",
    "differences",
    "examine",
    "measure",
    "named",
    "unchecked",
]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of some results: of every form that declares them, or of some forms only.

    Without a function, what is compared between forms and with the oracle is all there is.
    """

    results: tuple[str, ...]
    function: Callable[[Subject], Differences] | None
    formalisms: tuple[str, ...] = ()
    programme: bool = False
    """Whether it also holds where accelerations belong to the state."""


_SEMI: Final = ("semi_recursive_1", "semi_recursive_2")
_MOMENTA: Final = ("tree_hamilton_extended", "tree_hamilton_multipliers", "tree_hamilton_reduced")
_REACTIONS: Final = ("tree_lagrange_1", "tree_newton_euler")

CHECKS: Final = (
    Check(("ud",), None, programme=True),
    Check(("qd",), matrix_checks.check_rates, programme=True),
    Check(("qdd",), matrix_checks.check_accelerations),
    Check(("M",), matrix_checks.check_inertia, programme=True),
    Check(("h",), matrix_checks.check_loads),
    Check(("A", "b"), matrix_checks.check_constraints, programme=True),
    Check(("lam",), matrix_checks.check_multipliers, programme=True),
    Check(("Fc",), matrix_checks.check_forces, programme=True),
    Check(("H", "c"), matrix_checks.check_programme, ("gauss",)),
    Check(("left",), matrix_checks.check_iteration, _SEMI),
    Check(("p",), momentum_checks.check_momenta, ("hamilton",)),
    Check(("pd",), momentum_checks.check_momentum_rates, ("hamilton",)),
    Check(("H",), momentum_checks.check_energy, ("hamilton",)),
    Check(("p", "pd", "zd"), hinge_checks.check_momenta, _MOMENTA),
    Check(("mu", "v"), hinge_checks.check_links, _MOMENTA),
    Check(("H",), hinge_checks.check_energy, _MOMENTA),
    Check(("tau",), inverse_checks.check_inverse, ("recursive_newton_euler",)),
    Check(("V", "Vdot", "Mbar"), transformations.check_at_bodies, ("semi_recursive_1",)),
    Check(("W", "T", "R_d", "Mbb"), transformations.check_at_origin, ("semi_recursive_2",)),
    Check(("d", "e"), transformations.check_accelerations, ("semi_recursive_2",)),
    Check(("Qv", "Qe"), transformations.check_forces, _SEMI),
    Check(("R",), hinge_checks.check_wrenches, _REACTIONS),
    Check(("X",), reaction_checks.check_unknowns, ("newton_euler",)),
    Check(("reaction:",), reaction_checks.check_reactions),
    Check(("open:",), uniqueness_checks.check_open),
    Check(("lambda:",), hinge_checks.check_joint_rows, ("rfda",)),
    Check(("Lambda", "xid", "eta"), left_out.check_left_out, ("rfda",)),
    Check(("certificate:",), left_out.check_certificates, ("rfda",)),
    Check(("state",), left_out.check_state, programme=True),
    Check(("quasi",), quasi_checks.check_variables, programme=True),
)
"""Results that end with a colon stand for all that begin so."""


def check_of(equations: Equations, meaning: str) -> Check | None:
    """Return the check of a declared result, a check for this formalism first."""
    name = meaning.partition(":")[0] + ":" if ":" in meaning else meaning
    known = [check for check in CHECKS if name in check.results]
    specific = [check for check in known if equations.formalism in check.formalisms]
    every = [check for check in known if not check.formalisms]
    return next(iter([*specific, *every]), None)


def unchecked(equations: Equations) -> list[str]:
    """Return the declared results that no check knows."""
    return [meaning for meaning in equations.results if check_of(equations, meaning) is None]


_ENTRY: Final = ", entry "


def named(label: str) -> str:
    """Return which comparison a label is of."""
    return label.rpartition(_ENTRY)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """Errors of one comparison at N states, and the row where each is largest.

    An error is `excusable` if it is small against the other rows: the arbiter then decides.
    """

    name: str
    value: Array
    row: NDArray[np.intp]
    excusable: NDArray[np.bool_]

    def label(self, state: int) -> str:
        """Return what was compared, and which entry of it is worst."""
        return f"{self.name}{_ENTRY}{self.row[state] + 1}"


def examine(subject: Subject) -> tuple[list[Checked], dict[str, str]]:
    """Return the errors of all declared results, and the results without a check, with reasons."""
    missing: dict[str, str] = dict.fromkeys(unchecked(subject.equations), "")
    return [measure(difference) for difference in differences(subject, missing)], missing


def differences(subject: Subject, missing: dict[str, str] | None = None) -> Iterator[Difference]:
    """Yield what must be zero of all declared results; note those without a check as missing."""
    missing = {} if missing is None else missing
    for check in dict.fromkeys(
        check_of(subject.equations, meaning) for meaning in subject.equations.results
    ):
        if check is None or check.function is None:
            continue
        results = dict.fromkeys(_of(subject.equations, check))
        if subject.programme and not check.programme:
            missing |= dict.fromkeys(results, "accelerations belong to the state")
            continue
        try:
            yield from check.function(subject)
        except NotCheckedError as reason:
            missing |= dict.fromkeys(results, str(reason))


def _of(equations: Equations, check: Check) -> Iterator[str]:
    return (m for m in equations.results if check_of(equations, m) is check)


def measure(difference: Difference) -> Checked:
    """Return a difference relative to the terms of its rows, the worst entry of each state."""
    gap = difference.gap
    N = gap.shape[0]
    r = np.abs(gap.value).astype(np.float64).reshape(N, -1)
    size = gap.size.reshape(N, -1)
    if not r.shape[1]:
        return Checked(
            difference.name, np.zeros(N), np.zeros(N, dtype=np.intp), np.ones(N, dtype=bool)
        )
    if difference.full is not None:
        full = full_size(difference.full.reshape(N, -1))
        size = np.where(r <= NOISE * full, np.maximum(size, full), size)
    error = quotient(r, size)
    key = np.where(np.isnan(error), np.inf, error)
    largest = full_size(size.max(axis=1, keepdims=True))
    small = r <= PASS * largest
    certain = (key > PASS) & ~small
    row = np.where(certain.any(axis=1, keepdims=True) & ~certain, -1.0, key).argmax(axis=1)
    at = np.arange(N), row
    return Checked(difference.name, error[at], row, small[at])
