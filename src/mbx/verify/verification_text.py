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


def summary(found: Verification) -> str:
    """Return the verdict in a line."""
    count = f"{_count(len(found.forms), 'form')} at {_count(found.compared, 'state')}"
    if found.oracle is not None and found.oracle.states:
        count += f", the oracle at {len(found.oracle.states)}"
    return f"{found.model}: {found.verdict} ({count})"


def lines(found: Verification, *, table: bool = False, width: int = _WIDTH) -> Iterator[str]:
    """Yield the verdict, a line for each form or the tables, and remarks, in lines of a width."""
    for line in _unbroken(found, table=table, width=width):
        if len(line) <= width:
            yield line
        else:
            yield from wrap(line, width, subsequent_indent="  ", break_long_words=False)


def _unbroken(found: Verification, *, table: bool, width: int) -> Iterator[str]:
    yield summary(found)
    if found.forms and table:
        yield ""
        yield from tables(found, width)
        yield ""
    elif found.forms:
        yield from form_lines(found)
    yield from remarks(found)


def remarks(found: Verification) -> Iterator[str]:
    """Yield what is to be said beside the tables."""
    yield from _findings(found)
    yield from found.broken
    if found.routes:
        worst = max(error.value for error in found.routes.values())
        yield f"inertia forces by {_count(len(found.routes), 'route')}: {worst:.0e}"
    if found.linear and all(judge(error) == "agree" for error in found.linear.values()):
        methods = " and ".join(found.linear)
        yield f"linearisation, {methods}: as differences of two forms"
    by_size = sum(found.arbitrated.values())
    if by_size:
        verb = "is" if by_size == 1 else "are"
        yield (
            f"{_count(by_size, 'error')} that {verb} small against other terms: decided by the "
            f"arbiter, {found.arbitrated['rounding']} as rounding"
        )
    if found.witnesses:
        yield f"also judged in the equations of {', '.join(found.witnesses)}"
    if found.oracle is not None and found.oracle.refused:
        yield f"oracle: {found.oracle.refused}"
    for one in found.excluded:
        yield f"{one.name}: {one.status}: {one.reason}"
    yield from _odd_states(found)
    for branch, number in found.branches.items():
        yield f"branch {branch}: {_count(number, 'state')}"
    yield from found.refused
    if found.rejected:
        yield f"{_count(found.rejected, 'random state')} rejected: no consistent one was near"
    yield from _few(found)
    if found.drawn:
        drawn = ", ".join(f"{path} = {value:.6g}" for path, value in found.drawn.items())
        yield f"no value given, drawn at random: {drawn}"
    yield from found.doubts
    yield from _references(found)


def _odd_states(found: Verification) -> Iterator[str]:
    """Yield what there is to say of states; of many random ones that are alike, once."""
    alike: dict[str, list[str]] = {}
    for state in found.states if found.forms else ():
        if state.status != "compared" or state.note:
            said = ": ".join(x for x in (state.status, state.note) if x)
            alike.setdefault(said, []).append(state.name)
    for said, names in alike.items():
        random = [name for name in names if kind_of(name) == "random"]
        many = random if len(random) > _SHOWN else []
        yield from (f"{name}: {said}" for name in names if name not in many)
        if many:
            yield f"{many[0]} to {many[-1]}: {said}, {_count(len(many), 'state')}"


def _few(found: Verification) -> Iterator[str]:
    """Yield what limits the states: those near the start, and forms that have fewer."""
    counts = found.counts
    if counts.nearer:
        yield f"{_count(counts.nearer, 'random state')} nearer to the start than the whole range"
    for form, number in counts.forms.items():
        if number < min(counts.asked, counts.compared):
            yield f"{form}: compared at {number} of {_count(counts.compared, 'state')}"


def _references(found: Verification) -> Iterator[str]:
    """Yield how many references are met, and those that are not, one by one."""
    if found.references:
        yield count_references(found.references)
    yield from (str(one) for one in found.references if not one.met or one.cannot_fail)


def _findings(found: Verification) -> Iterator[str]:
    """Yield what is not agreement, the worst first."""
    known = [
        (error, f"{' and '.join(pair.forms)}, {what}")
        for pair in found.pairs
        for what, error in pair.errors()
    ]
    beside = (
        ("in its own equations", found.own),
        ("in invariants", found.invariants),
        ("in its own results", found.results),
        ("in the balance of power", found.power),
    )
    known += [(e, f"{name} {what}") for what, errors in beside for name, e in errors.items()]
    known += [(e, f"invariants of {level}") for level, e in found.levels.items()]
    known += [(e, f"inertia forces by {route}") for route, e in found.routes.items()]
    known += [(e, f"{method} linearisation") for method, e in found.linear.items()]
    if found.oracle is not None:
        known += [
            (error, f"{form} beside the oracle, {what}")
            for form in found.forms
            for what, error in found.oracle.errors(form)
        ]
        if found.oracle.invariants is not None:
            known.append((found.oracle.invariants, "invariants as the oracle reads them"))
    known = [(error, what) for error, what in known if judge(error) != "agree"]
    known.sort(key=lambda one: -inf if isnan(one[0].value) else -one[0].value)
    for error, what in known[:_SHOWN]:
        row = f", {error.row}" if error.row else ""
        place = f" at {error.state}{row}" if error.state else ""
        yield f"{judge(error)}: {what}: {error.value:.1e}{place}"
    if len(known) > _SHOWN:
        yield f"and {len(known) - _SHOWN} more"
    if found.against_oracle:
        yield "all against oracle: what all forms share is wrong, or the oracle is"
    if found.outliers:
        yield f"wrong: {', '.join(found.outliers)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
