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
"""A gap beyond it leaves no doubt, and is not printed."""
_MOST_VALUES: Final = 8
"""Most coordinates whose values are printed of a state."""


def lines(structure: Structure) -> Iterator[str]:
    """Yield the structure as lines."""
    yield f"structure, at {_count(len(structure.states), 'state')}"
    for label, text in _facts(structure):
        first, *more = wrap(text, _WIDTH - _LABEL, break_long_words=False) or [""]
        yield f"  {label:<{_LABEL}}{first}".rstrip()
        yield from (f"  {'':<{_LABEL}}{line}" for line in more)
    yield from _section("singular states", [_singular(state) for state in structure.singular])
    yield from _section(
        "warnings",
        [
            f"{warning.element}{f' ({warning.line})' if warning.line else ''}: {warning.text}"
            for warning in structure.warnings
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


def _facts(structure: Structure) -> Iterator[tuple[str, str]]:
    yield from _freedoms(structure)
    yield from _invariants(structure)
    yield from _dependence(structure)
    yield from _integrability(structure)
    if structure.recursive:
        yield (
            "recursive rates",
            ", ".join(f"{rate.hinge} {rate.kind}" for rate in structure.recursive),
        )
    if structure.independent is not None and structure.independent.speeds and structure.rank:
        yield "independent", _set(structure.independent)
        if (
            structure.declared is not None
            and structure.declared.speeds != structure.independent.speeds
        ):
            yield "as declared", _set(structure.declared)
    applies = [name for name, reasons in structure.forms.items() if not reasons]
    yield "forms", ", ".join(applies) or "none supports it"


def _freedoms(structure: Structure) -> Iterator[tuple[str, str]]:
    freedoms = structure.freedoms
    if freedoms is None:
        return
    counted = f"; counting rows would say {freedoms.counted}"
    same = freedoms.counted == freedoms.acceleration
    yield "degrees of freedom", f"{freedoms.velocity}{'' if same else counted}"
    if structure.coordinates:
        free = f"{freedoms.position} of {_count(structure.coordinates, 'coordinate')} free"
    else:
        free = "no coordinates"
    yield "position", free
    yield "velocity", f"{freedoms.velocity} of {_count(structure.speeds, 'speed')} free"
    if freedoms.acceleration != freedoms.velocity:
        yield "highest rates", f"{freedoms.acceleration} of {structure.speeds} free"


def _invariants(structure: Structure) -> Iterator[tuple[str, str]]:
    rows = sum(structure.rows.values())
    by_order = ", ".join(
        f"{_count(n, 'row')} of order {order}" for order, n in structure.rows.items()
    )
    yield "invariants", by_order or "none"
    if rows:
        yield "constraint order", str(structure.constraint_order)
    if rows and structure.rank is not None:
        gap = f", gap {structure.gap:.0e}" if structure.gap < _CLEAR else ""
        yield "rank", f"{structure.rank} of {rows}{gap}"
    if structure.near_singular:
        yield "near-singular at", ", ".join(structure.near_singular)


def _dependence(structure: Structure) -> Iterator[tuple[str, str]]:
    for group in structure.redundant:
        names = ", ".join(group.rows)
        if len(group.rows) == 1:
            yield "redundant", f"{names} says nothing"
        else:
            yield (
                "redundant",
                f"{len(group.could_go)} of {names}; {', '.join(group.could_go)} could go",
            )
    if structure.idle:
        yield "idle rows", f"{', '.join(structure.idle)}: no motion could break them"
    unique = [reaction.path for reaction in structure.reactions if not reaction.open]
    loose = [reaction for reaction in structure.reactions if reaction.open]
    if structure.reactions and not loose:
        yield "reactions", "unique in every joint"
    elif structure.reactions:
        if unique:
            yield "reactions", f"unique in {', '.join(unique)}"
        for parts in dict.fromkeys(reaction.open for reaction in loose):
            names = ", ".join(reaction.path for reaction in loose if reaction.open == parts)
            yield "not unique", f"{' '.join(parts)} of {names}"
    plain = [path for path in structure.multipliers if path not in structure.idle]
    if plain:
        yield "multipliers", f"not unique of {', '.join(plain)}"
    if structure.accelerations is not None and structure.accelerations.unique:
        yield "accelerations", "unique"
    elif structure.accelerations is not None:
        yield "accelerations", f"not unique: {', '.join(structure.accelerations.open)}"


def _integrability(structure: Structure) -> Iterator[tuple[str, str]]:
    facts = structure.integrability
    if facts.nonlinear:
        yield "nonlinear", f"{', '.join(facts.nonlinear)} in the velocities"
    if not facts.rows or structure.rank is None:
        return
    if facts.undecided:
        yield "integrable", f"not decided: {facts.undecided}"
        return
    total = facts.integrable_count + facts.nonholonomic_count
    if not total:
        yield "integrable", "the velocity invariants say nothing of the coordinates alone"
        return
    exact = [rate.row for rate in facts.exact]
    names = ", ".join([*exact, *facts.integrable])
    if not facts.integrable_count:
        text = "no combination of the velocity invariants"
    else:
        text = f"{facts.integrable_count} of {_count(total, 'combination')} of velocity invariants"
    yield "integrable", f"{text}{f': {names}' if names else ''}"
    if facts.nonholonomic_count:
        yield "nonholonomic", str(facts.nonholonomic_count)


def _set(independent: Independent) -> str:
    names = ", ".join(independent.speeds) or "none"
    if isinf(independent.worst):
        return f"{names}; singular at some state"
    return f"{names}; condition {independent.typical:.2g}, at worst {independent.worst:.2g}"


def _singular(singular: Singular) -> str:
    values = ", ".join(
        f"{path} = {_number(value)}" for path, value in list(singular.values.items())[:_MOST_VALUES]
    )
    more = ", …" if len(singular.values) > _MOST_VALUES else ""
    lost = f"; dependent there: {', '.join(singular.dependent)}" if singular.dependent else ""
    where = f"near {values}{more}" if singular.near else singular.name
    return f"{where}: rank {singular.rank}{lost}"


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
