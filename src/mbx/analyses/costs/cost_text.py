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
_ITSELF: Final = re.compile(r"[\w:]+ does not support ")
"""The part of a refusal about the form itself."""
_MOST_HINGES: Final = 12
"""Most hinges whose freedoms are listed one by one."""


def lines(ranking: Ranking) -> Iterator[str]:
    """Yield a ranking as lines."""
    bodies = "" if ranking.bodies is None else f"{_count(ranking.bodies, 'body', 'bodies')}, "
    yield f"{ranking.model}: {bodies}{_freedoms(ranking)}"
    baked = "as symbols" if ranking.symbolic else "as numbers"
    yield f"operations from the state to ud, parameters {baked}; functions apart from the total"
    yield ""
    yield from _counted(ranking)
    yield from _uncounted(ranking)
    yield from _timed(ranking)
    yield ""
    yield from _table(ranking)


def _count(number: int, singular: str, several: str) -> str:
    return f"{number} {singular if number == 1 else several}"


def _freedoms(ranking: Ranking) -> str:
    if isinstance(ranking.tree, str):
        return _count(ranking.speeds, "speed", "speeds")
    each = ranking.tree.freedoms
    total = _count(sum(each), "freedom", "freedoms")
    if len(each) == 1:
        return total
    if len(set(each)) == 1:
        return f"{total}, {each[0]} in each hinge"
    if len(each) > _MOST_HINGES:
        return f"{total}, {min(each)} to {max(each)} in a hinge"
    return f"{total}, in its hinges {', '.join(map(str, each))}"


def _counted(ranking: Ranking) -> Iterator[str]:
    heading = ("form", "additions", "multiplications", "divisions", "functions", "total", "ratio")
    counted = [(entry.form, entry.operations) for entry in ranking.entries if entry.operations]
    least = counted[0][1].arithmetic if counted else 0
    rows = [
        (
            form,
            f"{counts.add:,}",
            f"{counts.mul:,}",
            f"{counts.div:,}",
            f"{counts.function:,}",
            f"{counts.arithmetic:,}",
            f"{counts.arithmetic / least:.2f}" if least else "-",
        )
        for form, counts in counted
    ]
    if rows:
        yield from _columns(heading, rows)
        yield from _assumed(ranking)
    else:
        yield "no form could be counted"


def _assumed(ranking: Ranking) -> Iterator[str]:
    """Yield which rank of the invariants the counts are for."""
    if ranking.assumes_rank:
        all_of = _count(ranking.invariants, "invariant", "invariants")
        yield ""
        yield (
            f"counts assume a state in general position: {ranking.independent} of {all_of} "
            f"{'is' if ranking.independent == 1 else 'are'} independent there"
        )


def _columns(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    for row in (heading, *rows):
        first = f"{row[0]:<{widths[0]}}"
        yield "  ".join((first, *(f"{x:>{w}}" for x, w in zip(row[1:], widths[1:], strict=True))))


def _uncounted(ranking: Ranking) -> Iterator[str]:
    uncounted = [
        (entry.form, entry.reason) for entry in ranking.entries if entry.operations is None
    ]
    if uncounted:
        yield ""
        yield from _reasons(uncounted)


def _reasons(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each reason once, below the forms that it is for."""
    forms: dict[str, list[str]] = {}
    for form, reason in entries:
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


def _timed(ranking: Ranking) -> Iterator[str]:
    """Yield what code of the forms takes, the fastest first."""
    every = [(entry.form, entry.timing) for entry in ranking.entries if entry.timing is not None]
    times = [(form, timing) for form, timing in every if not isinstance(timing, str)]
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
            f"{1e3 * timing.generation:,.0f}",
            "-" if timing.text is None else f"{timing.text:,}",
            "-" if timing.code is None else f"{timing.code:,}",
            f"{timing.single:,.0f}",
            f"{timing.batch:,.0f}",
            f"{timing.single / least:.2f}",
            timing.backend,
        )
        for form, timing in times
    ]
    yield from _columns(heading, rows)
    counted = {entry.form for entry in ranking.entries if entry.operations is not None}
    untimed = [
        (form, timing) for form, timing in every if isinstance(timing, str) and form in counted
    ]
    if untimed:
        yield ""
        yield from _reasons(untimed)


def _table(ranking: Ranking) -> Iterator[str]:
    if isinstance(ranking.tree, str):
        yield f"{REFERENCE}, is for trees: {ranking.tree}"
        return
    yield f"{REFERENCE}: matrix and solution for the rates, momenta given"
    if ranking.tree.roots > 1:
        yield _extrapolated(ranking.tree)
    yield ""
    heading = ("method", "formula", "counted", "form")
    rows = [
        (method.method, f"{method.estimate:,}", _total(method), method.form)
        for method in ranking.published
    ]
    for line, row in zip(
        _columns(heading[:3], [row[:3] for row in rows]), (heading, *rows), strict=True
    ):
        yield f"{line}  {row[3]}"
    uncounted = [
        (method.form, method.reason) for method in ranking.published if method.counted is None
    ]
    if uncounted:
        yield ""
        yield from _reasons(uncounted)


def _extrapolated(tree: Tree) -> str:
    return f"published for one body on the ground, here are {tree.roots}: an extrapolation"


def _total(method: Published) -> str:
    return "-" if method.counted is None else f"{method.counted.arithmetic:,}"
