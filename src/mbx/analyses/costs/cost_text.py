"""A ranking of forms as lines for people."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.analyses.costs.published_costs import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.costs.cost_ranking import Published, Ranking
    from mbx.analyses.costs.topologies import Tree

__all__ = ["lines"]

_WIDTH: Final = 98
_ITSELF: Final = re.compile(r"[\w:]+ cannot say: ")
"""What a refusal says of the form itself."""
_MOST_HINGES: Final = 12
"""Most hinges whose freedoms are told one by one."""


def lines(found: Ranking) -> Iterator[str]:
    """Yield a ranking as lines."""
    bodies = "" if found.bodies is None else f"{_count(found.bodies, 'body', 'bodies')}, "
    yield f"{found.model}: {bodies}{_freedoms(found)}"
    baked = "as symbols" if found.symbolic else "as numbers"
    yield f"operations from the state to ud, parameters {baked}; functions apart from the total"
    yield ""
    yield from _counted(found)
    yield from _others(found)
    yield from _timed(found)
    yield ""
    yield from _table(found)


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _freedoms(found: Ranking) -> str:
    if isinstance(found.tree, str):
        return _count(found.speeds, "speed", "speeds")
    each = found.tree.freedoms
    total = _count(sum(each), "freedom", "freedoms")
    if len(each) == 1:
        return total
    if len(set(each)) == 1:
        return f"{total}, {each[0]} in each hinge"
    if len(each) > _MOST_HINGES:
        return f"{total}, {min(each)} to {max(each)} in a hinge"
    return f"{total}, in its hinges {', '.join(map(str, each))}"


def _counted(found: Ranking) -> Iterator[str]:
    heading = ("form", "additions", "multiplications", "divisions", "functions", "total", "ratio")
    counted = [(entry.form, entry.operations) for entry in found.entries if entry.operations]
    least = counted[0][1].arithmetic if counted else 0
    rows = [
        (
            form,
            f"{one.add:,}",
            f"{one.mul:,}",
            f"{one.div:,}",
            f"{one.function:,}",
            f"{one.arithmetic:,}",
            f"{one.arithmetic / least:.2f}" if least else "-",
        )
        for form, one in counted
    ]
    if rows:
        yield from _columns(heading, rows)
        yield from _assumed(found)
    else:
        yield "no form could be counted"


def _assumed(found: Ranking) -> Iterator[str]:
    """Yield which rank of the invariants the counts are for."""
    if found.assumes_rank:
        all_of = _count(found.invariants, "invariant", "invariants")
        yield ""
        yield (
            f"counts assume a state in general position: {found.independent} of {all_of} "
            f"{'is' if found.independent == 1 else 'are'} independent there"
        )


def _columns(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    for row in (heading, *rows):
        first = f"{row[0]:<{widths[0]}}"
        yield "  ".join((first, *(f"{x:>{w}}" for x, w in zip(row[1:], widths[1:], strict=True))))


def _others(found: Ranking) -> Iterator[str]:
    others = [(entry.form, entry.reason) for entry in found.entries if entry.operations is None]
    if others:
        yield ""
        yield from _reasons(others)


def _reasons(given: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each reason once, below the forms that it is for."""
    forms: dict[str, list[str]] = {}
    for form, reason in given:
        forms.setdefault(_ITSELF.sub("", reason), []).append(form)
    for reason, those in forms.items():
        yield from wrap(", ".join(those), _WIDTH, break_long_words=False)
        yield from wrap(
            reason,
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _timed(found: Ranking) -> Iterator[str]:
    """Yield what code of the forms takes, the fastest first."""
    every = [(entry.form, entry.timing) for entry in found.entries if entry.timing is not None]
    times = [(form, one) for form, one in every if not isinstance(one, str)]
    if not every:
        return
    yield ""
    yield "code for ud on this machine: to make it, its size, nanoseconds for a state"
    yield ""
    heading = ("form", "ms", "bytes of C", "of code", "one state", "of many", "ratio", "by")
    times.sort(key=lambda pair: pair[1].single)
    least = times[0][1].single if times else 1.0
    rows = [
        (
            form,
            f"{1e3 * one.generation:,.0f}",
            "-" if one.text is None else f"{one.text:,}",
            "-" if one.code is None else f"{one.code:,}",
            f"{one.single:,.0f}",
            f"{one.batch:,.0f}",
            f"{one.single / least:.2f}",
            one.backend,
        )
        for form, one in times
    ]
    yield from _columns(heading, rows)
    counted = {entry.form for entry in found.entries if entry.operations is not None}
    others = [(form, one) for form, one in every if isinstance(one, str) and form in counted]
    if others:
        yield ""
        yield from _reasons(others)


def _table(found: Ranking) -> Iterator[str]:
    if isinstance(found.tree, str):
        yield f"{REFERENCE}, is for trees: {found.tree}"
        return
    yield f"{REFERENCE}: matrix and solution for the rates, momenta given"
    if found.tree.roots > 1:
        yield _extrapolated(found.tree)
    yield ""
    heading = ("method", "formula", "counted", "form")
    rows = [(one.method, f"{one.estimate:,}", _total(one), one.form) for one in found.published]
    for line, row in zip(
        _columns(heading[:3], [row[:3] for row in rows]), (heading, *rows), strict=True
    ):
        yield f"{line}  {row[3]}"
    others = [(one.form, one.reason) for one in found.published if one.counted is None]
    if others:
        yield ""
        yield from _reasons(others)


def _extrapolated(tree: Tree) -> str:
    return f"published for one body on the ground, here are {tree.roots}: an extrapolation"


def _total(one: Published) -> str:
    return "-" if one.counted is None else f"{one.counted.arithmetic:,}"
