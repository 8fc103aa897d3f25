"""The structure of a model as lines for people: short, one fact a line, details below."""

from __future__ import annotations

from math import isinf
from textwrap import wrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.structure.structure_report import Independent, Singular, Structure

__all__ = ["lines"]

_WIDTH: Final = 92
_LABEL: Final = 20
_CLEAR: Final = 1e10
"""A gap beyond it leaves no doubt, and is not told."""
_MOST_VALUES: Final = 8
"""Most coordinates whose values are told of one state."""


def lines(found: Structure) -> Iterator[str]:
    """Yield the structure as lines."""
    yield f"structure, at {_count(len(found.states), 'state')}"
    for label, text in _facts(found):
        first, *more = wrap(text, _WIDTH - _LABEL, break_long_words=False) or [""]
        yield f"  {label:<{_LABEL}}{first}".rstrip()
        yield from (f"  {'':<{_LABEL}}{line}" for line in more)
    yield from _section("singular states", [_singular(one) for one in found.singular])
    yield from _section(
        "warnings",
        [
            f"{one.element}{f' ({one.line})' if one.line else ''}: {one.text}"
            for one in found.warnings
        ],
    )


def _section(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield ""
        yield f"{title} ({len(texts)})"
        for text in texts:
            yield from wrap(
                text,
                _WIDTH + 2,
                initial_indent="  ",
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )


def _facts(found: Structure) -> Iterator[tuple[str, str]]:
    yield from _freedoms(found)
    yield from _invariants(found)
    yield from _dependence(found)
    yield from _integrability(found)
    if found.recursive:
        yield "recursive rates", ", ".join(f"{one.hinge} {one.kind}" for one in found.recursive)
    if found.independent is not None and found.independent.speeds and found.rank:
        yield "independent", _set(found.independent)
        if found.declared is not None and found.declared.speeds != found.independent.speeds:
            yield "as declared", _set(found.declared)
    applies = [name for name, reasons in found.forms.items() if not reasons]
    yield "forms", ", ".join(applies) or "none can say it"


def _freedoms(found: Structure) -> Iterator[tuple[str, str]]:
    freedoms = found.freedoms
    if freedoms is None:
        return
    counted = f"; counting rows would say {freedoms.counted}"
    same = freedoms.counted == freedoms.acceleration
    yield "degrees of freedom", f"{freedoms.velocity}{'' if same else counted}"
    if found.coordinates:
        free = f"{freedoms.position} of {_count(found.coordinates, 'coordinate')} free"
    else:
        free = "no coordinates"
    yield "position", free
    yield "velocity", f"{freedoms.velocity} of {_count(found.speeds, 'speed')} free"
    if freedoms.acceleration != freedoms.velocity:
        yield "highest rates", f"{freedoms.acceleration} of {found.speeds} free"


def _invariants(found: Structure) -> Iterator[tuple[str, str]]:
    rows = sum(found.rows.values())
    by_order = ", ".join(f"{_count(n, 'row')} of order {order}" for order, n in found.rows.items())
    yield "invariants", by_order or "none"
    if rows:
        yield "constraint order", str(found.constraint_order)
    if rows and found.rank is not None:
        gap = f", gap {found.gap:.0e}" if found.gap < _CLEAR else ""
        yield "rank", f"{found.rank} of {rows}{gap}"
    if found.near_singular:
        yield "near-singular at", ", ".join(found.near_singular)


def _dependence(found: Structure) -> Iterator[tuple[str, str]]:
    for group in found.redundant:
        some = ", ".join(group.rows)
        if len(group.rows) == 1:
            yield "redundant", f"{some} says nothing"
        else:
            yield (
                "redundant",
                f"{len(group.could_go)} of {some}; {', '.join(group.could_go)} could go",
            )
    if found.idle:
        yield "idle rows", f"{', '.join(found.idle)}: no motion could break them"
    unique = [one.path for one in found.reactions if not one.open]
    loose = [one for one in found.reactions if one.open]
    if found.reactions and not loose:
        yield "reactions", "unique in every joint"
    elif found.reactions:
        if unique:
            yield "reactions", f"unique in {', '.join(unique)}"
        for parts in dict.fromkeys(one.open for one in loose):
            some = ", ".join(one.path for one in loose if one.open == parts)
            yield "not unique", f"{' '.join(parts)} of {some}"
    plain = [path for path in found.multipliers if path not in found.idle]
    if plain:
        yield "multipliers", f"not unique of {', '.join(plain)}"
    if found.accelerations is not None and found.accelerations.unique:
        yield "accelerations", "unique"
    elif found.accelerations is not None:
        yield "accelerations", f"not unique: {', '.join(found.accelerations.open)}"


def _integrability(found: Structure) -> Iterator[tuple[str, str]]:
    facts = found.integrability
    if facts.nonlinear:
        yield "nonlinear", f"{', '.join(facts.nonlinear)} in the velocities"
    if not facts.rows or found.rank is None:
        return
    if facts.undecided:
        yield "integrable", f"not decided: {facts.undecided}"
        return
    total = facts.integrable_count + facts.nonholonomic_count
    if not total:
        yield "integrable", "the velocity invariants say nothing of the coordinates alone"
        return
    exact = [one.row for one in facts.exact]
    names = ", ".join([*exact, *facts.integrable])
    if not facts.integrable_count:
        text = "no combination of the velocity invariants"
    else:
        text = f"{facts.integrable_count} of {_count(total, 'combination')} of velocity invariants"
    yield "integrable", f"{text}{f': {names}' if names else ''}"
    if facts.nonholonomic_count:
        yield "nonholonomic", str(facts.nonholonomic_count)


def _set(one: Independent) -> str:
    names = ", ".join(one.speeds) or "none"
    if isinf(one.worst):
        return f"{names}; singular at some state"
    return f"{names}; condition {one.typical:.2g}, at worst {one.worst:.2g}"


def _singular(one: Singular) -> str:
    values = ", ".join(
        f"{path} = {_number(value)}" for path, value in list(one.values.items())[:_MOST_VALUES]
    )
    more = ", …" if len(one.values) > _MOST_VALUES else ""
    lost = f"; dependent there: {', '.join(one.dependent)}" if one.dependent else ""
    where = f"near {values}{more}" if one.near else one.name
    return f"{where}: rank {one.rank}{lost}"


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
