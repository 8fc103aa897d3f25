"""Which check each declared result gets, and how far its numbers are from what they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.verify.agree import NOISE, PASS, full_size, quotient
from mbx.verify.agreement import (
    hinges,
    inverse,
    left_out,
    matrices,
    momenta,
    quasi,
    reactions,
    transformations,
    unique,
)
from mbx.verify.agreement.subject import NotCheckedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.verify.agreement.subject import Difference, Differences, Subject

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
    Check(("qd",), matrices.check_rates, programme=True),
    Check(("qdd",), matrices.check_accelerations),
    Check(("M",), matrices.check_inertia, programme=True),
    Check(("h",), matrices.check_loads),
    Check(("A", "b"), matrices.check_constraints, programme=True),
    Check(("lam",), matrices.check_multipliers, programme=True),
    Check(("Fc",), matrices.check_forces, programme=True),
    Check(("H", "c"), matrices.check_programme, ("gauss",)),
    Check(("left",), matrices.check_iteration, _SEMI),
    Check(("p",), momenta.check_momenta, ("hamilton",)),
    Check(("pd",), momenta.check_momentum_rates, ("hamilton",)),
    Check(("H",), momenta.check_energy, ("hamilton",)),
    Check(("p", "pd", "zd"), hinges.check_momenta, _MOMENTA),
    Check(("mu", "v"), hinges.check_links, _MOMENTA),
    Check(("H",), hinges.check_energy, _MOMENTA),
    Check(("tau",), inverse.check_inverse, ("recursive_newton_euler",)),
    Check(("V", "Vdot", "Mbar"), transformations.check_at_bodies, ("semi_recursive_1",)),
    Check(("W", "T", "R_d", "Mbb"), transformations.check_at_origin, ("semi_recursive_2",)),
    Check(("d", "e"), transformations.check_accelerations, ("semi_recursive_2",)),
    Check(("Qv", "Qe"), transformations.check_forces, _SEMI),
    Check(("R",), hinges.check_wrenches, _REACTIONS),
    Check(("X",), reactions.check_unknowns, ("newton_euler",)),
    Check(("reaction:",), reactions.check_reactions),
    Check(("open:",), unique.check_open),
    Check(("lambda:",), hinges.check_joint_rows, ("rfda",)),
    Check(("Lambda", "xid", "eta"), left_out.check_left_out, ("rfda",)),
    Check(("certificate:",), left_out.check_certificates, ("rfda",)),
    Check(("state",), left_out.check_state, programme=True),
    Check(("quasi",), quasi.check_variables, programme=True),
)
"""Results that end with a colon stand for all that begin so."""


def check_of(equations: Equations, meaning: str) -> Check | None:
    """Return the check of a declared result, the one for this formalism first."""
    name = meaning.partition(":")[0] + ":" if ":" in meaning else meaning
    known = [check for check in CHECKS if name in check.results]
    own = [check for check in known if equations.formalism in check.formalisms]
    every = [check for check in known if not check.formalisms]
    return next(iter([*own, *every]), None)


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

    One is `excusable` if it is small against the other rows: the arbiter then decides.
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
    return [measure(one) for one in differences(subject, missing)], missing


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


def measure(one: Difference) -> Checked:
    """Return a difference relative to the terms of its rows, the worst entry of each state."""
    gap = one.gap
    N = gap.shape[0]
    r = np.abs(gap.value).astype(np.float64).reshape(N, -1)
    size = gap.size.reshape(N, -1)
    if not r.shape[1]:
        return Checked(one.name, np.zeros(N), np.zeros(N, dtype=np.intp), np.ones(N, dtype=bool))
    if one.full is not None:
        full = full_size(one.full.reshape(N, -1))
        size = np.where(r <= NOISE * full, np.maximum(size, full), size)
    error = quotient(r, size)
    key = np.where(np.isnan(error), np.inf, error)
    largest = full_size(size.max(axis=1, keepdims=True))
    small = r <= PASS * largest
    certain = (key > PASS) & ~small
    row = np.where(certain.any(axis=1, keepdims=True) & ~certain, -1.0, key).argmax(axis=1)
    at = np.arange(N), row
    return Checked(one.name, error[at], row, small[at])
