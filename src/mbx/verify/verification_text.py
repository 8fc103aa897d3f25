"""A verification for people: the verdict first, then errors and remarks."""

from __future__ import annotations

from math import inf, isnan
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.expectation import summary as count_references
from mbx.verify.agreement.state_counts import kind_of
from mbx.verify.error_tables import form_lines, tables
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.verify.verification import Verification

__all__ = ["lines", "remarks", "summary"]

_SHOWN: Final = 8
_WIDTH: Final = 80
"""Columns of a page that is no terminal."""


def summary(verification: Verification) -> str:
    """Return the verdict in a line."""
    count = f"{_count(len(verification.forms), 'form')} at {_count(verification.compared, 'state')}"
    if verification.oracle is not None and verification.oracle.states:
        count += f", the oracle at {len(verification.oracle.states)}"
    return f"{verification.model}: {verification.verdict} ({count})"


def lines(verification: Verification, *, table: bool = False, width: int = _WIDTH) -> Iterator[str]:
    """Yield the verdict, a line for each form or the tables, and remarks, in lines of a width."""
    for line in _unbroken(verification, table=table, width=width):
        if len(line) <= width:
            yield line
        else:
            yield from wrap(line, width, subsequent_indent="  ", break_long_words=False)


def _unbroken(verification: Verification, *, table: bool, width: int) -> Iterator[str]:
    yield summary(verification)
    if verification.forms and table:
        yield ""
        yield from tables(verification, width)
        yield ""
    elif verification.forms:
        yield from form_lines(verification)
    yield from remarks(verification)


def remarks(verification: Verification) -> Iterator[str]:
    """Yield the remarks that go with the tables."""
    yield from _findings(verification)
    yield from verification.broken
    if verification.routes:
        worst = max(error.value for error in verification.routes.values())
        yield f"inertia forces by {_count(len(verification.routes), 'route')}: {worst:.0e}"
    if verification.linear and all(
        judge(error) == "agree" for error in verification.linear.values()
    ):
        methods = " and ".join(verification.linear)
        yield f"linearisation, {methods}: as differences of two forms"
    by_size = sum(verification.arbitrated.values())
    if by_size:
        verb = "is" if by_size == 1 else "are"
        yield (
            f"{_count(by_size, 'error')} that {verb} small against other terms: decided by the "
            f"arbiter, {verification.arbitrated['rounding']} as rounding"
        )
    if verification.witnesses:
        yield f"also judged in the equations of {', '.join(verification.witnesses)}"
    if verification.oracle is not None and verification.oracle.refused:
        yield f"oracle: {verification.oracle.refused}"
    for form in verification.excluded:
        yield f"{form.name}: {form.status}: {form.reason}"
    yield from _odd_states(verification)
    for branch, number in verification.branches.items():
        yield f"branch {branch}: {_count(number, 'state')}"
    yield from verification.refused
    if verification.rejected:
        count = _count(verification.rejected, "random state")
        yield f"{count} rejected: no consistent one was near"
    yield from _few(verification)
    if verification.drawn:
        values = ", ".join(f"{path} = {value:.6g}" for path, value in verification.drawn.items())
        yield f"no value given, drawn at random: {values}"
    yield from verification.doubts
    yield from _references(verification)


def _odd_states(verification: Verification) -> Iterator[str]:
    """Yield the remarks on states; for many random states that are alike, one."""
    alike: dict[str, list[str]] = {}
    for state in verification.states if verification.forms else ():
        if state.status != "compared" or state.note:
            text = ": ".join(x for x in (state.status, state.note) if x)
            alike.setdefault(text, []).append(state.name)
    for text, names in alike.items():
        random = [name for name in names if kind_of(name) == "random"]
        many = random if len(random) > _SHOWN else []
        yield from (f"{name}: {text}" for name in names if name not in many)
        if many:
            yield f"{many[0]} to {many[-1]}: {text}, {_count(len(many), 'state')}"


def _few(verification: Verification) -> Iterator[str]:
    """Yield what limits the states: those near the start, and forms that have fewer."""
    counts = verification.counts
    if counts.nearer:
        yield f"{_count(counts.nearer, 'random state')} nearer to the start than the whole range"
    for form, number in counts.forms.items():
        if number < min(counts.asked, counts.compared):
            yield f"{form}: compared at {number} of {_count(counts.compared, 'state')}"


def _references(verification: Verification) -> Iterator[str]:
    """Yield how many references are met, and each that is not."""
    if verification.references:
        yield count_references(verification.references)
    yield from (
        str(reference)
        for reference in verification.references
        if not reference.met or reference.cannot_fail
    )


def _findings(verification: Verification) -> Iterator[str]:
    """Yield what is not agreement, the worst first."""
    known = [
        (error, f"{' and '.join(pair.forms)}, {what}")
        for pair in verification.pairs
        for what, error in pair.errors()
    ]
    tables = (
        ("in its own equations", verification.own),
        ("in invariants", verification.invariants),
        ("in its own results", verification.results),
        ("in the balance of power", verification.power),
    )
    known += [(e, f"{name} {what}") for what, errors in tables for name, e in errors.items()]
    known += [(e, f"invariants of {level}") for level, e in verification.levels.items()]
    known += [(e, f"inertia forces by {route}") for route, e in verification.routes.items()]
    known += [(e, f"{method} linearisation") for method, e in verification.linear.items()]
    if verification.oracle is not None:
        known += [
            (error, f"{form} beside the oracle, {what}")
            for form in verification.forms
            for what, error in verification.oracle.errors(form)
        ]
        if verification.oracle.invariants is not None:
            known.append((verification.oracle.invariants, "invariants as the oracle reads them"))
    known = [(error, what) for error, what in known if judge(error) != "agree"]
    known.sort(key=lambda finding: -inf if isnan(finding[0].value) else -finding[0].value)
    for error, what in known[:_SHOWN]:
        row = f", {error.row}" if error.row else ""
        where = f" at {error.state}{row}" if error.state else ""
        yield f"{judge(error)}: {what}: {error.value:.1e}{where}"
    if len(known) > _SHOWN:
        yield f"and {len(known) - _SHOWN} more"
    if verification.against_oracle:
        yield "all against oracle: what all forms share is wrong, or the oracle is"
    if verification.outliers:
        yield f"wrong: {', '.join(verification.outliers)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
