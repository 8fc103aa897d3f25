"""The map of the cheapest methods: counted and published, as lines, as data and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.costs.cheapest import (
    FREEDOMS,
    SHAPES,
    cheaper_from,
    counted_panel,
    published_panel,
)
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.published_costs import FORMS, METHODS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.analyses.costs.cheapest import Cell, Panel
    from mbx.analyses.costs.operation_counts import Counts
    from mbx.analyses.costs.published_costs import Method
    from mbx.analyses.costs.topologies import Shape, Tree
    from mbx.system.system import System

    Count = Callable[[str, Tree], int | None]
    """Operations of a method, or of a form, on a tree; None where there is no count."""

__all__ = ["Map", "counted_map", "make_map"]

_WIDTH: Final = 98
_CROSSINGS: Final[tuple[tuple[Method, Method], ...]] = (
    ("EMH", "DAH"),
    ("HZU", "DAH"),
    ("HZU", "EMH"),
)


@dataclass(frozen=True, slots=True)
class Map:
    """The limit systems with their cheapest methods.

    Attributes:
        counted: By counts of the three methods.
        published: By the published formulas for them.
        forms: Other forms, to accelerations; none if there are none.
        among: By counts of these.
        notes: Why a method was not counted, or not for larger systems.
    """

    counted: tuple[Panel, ...]
    published: tuple[Panel, ...]
    forms: tuple[str, ...] = ()
    among: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return it as lines for people."""
        notes = ["", *self.notes] if self.notes else []
        return [*self._winners(), *self._other_forms(), "", *self._crossings(), *notes]

    def _winners(self) -> Iterator[str]:
        yield "cheapest method by number of bodies, to the rates where the momenta are given"
        for counted, published in zip(self.counted, self.published, strict=True):
            rows = [("freedoms", "counted", REFERENCE)]
            rows += [(str(n), _runs(counted, n), _runs(published, n)) for n in FREEDOMS]
            width = max(len(row[1]) for row in rows)
            yield ""
            yield counted.shape
            yield from (f"  {a:<8}  {b:<{width}}  {c}" for a, b, c in rows)

    def _other_forms(self) -> Iterator[str]:
        if not self.among:
            return
        yield ""
        yield "cheapest of these forms by number of bodies, to ud: " + ", ".join(self.forms)
        for panel in self.among:
            yield ""
            yield panel.shape
            for n in FREEDOMS:
                yield from wrap(f"  {n}  {_runs(panel, n)}", _WIDTH, subsequent_indent=" " * 5)

    def _crossings(self) -> Iterator[str]:
        yield "from how many bodies on a chain one method costs less, for 1 to 6 freedoms"
        rows = [("", "counted", REFERENCE)]
        for first, second in _CROSSINGS:
            counted, published = (
                ", ".join(_from(panels[0], n, first, second) for n in FREEDOMS)
                for panels in (self.counted, self.published)
            )
            rows.append((f"{first} below {second}", counted, published))
        width = max(len(row[1]) for row in rows)
        yield from (f"  {a:<13}  {b:<{width}}  {c}" for a, b, c in rows)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "methods": dict(FORMS),
            "counted": [_panel_data(panel) for panel in self.counted],
            "published": [_panel_data(panel) for panel in self.published],
            "among": [_panel_data(panel) for panel in self.among],
            "notes": list(self.notes),
        }

    def picture(self, suffix: str) -> bytes:
        """Return it as the bytes of an `svg` or a `png` file."""
        from mbx.analyses.costs.cost_map_drawing import draw  # only where a picture is wanted

        rows = [("counted", self.counted), ("published formulas", self.published)]
        if self.among:
            rows.append(("counted, to ud", self.among))
        names = {method: f"{method}: {form}" for method, form in FORMS.items()}
        names |= {form: form for form in self.forms}
        return draw(rows, names, suffix)


def make_map(
    count: Count,
    progress: Callable[[str, int], None] | None = None,
    forms: Sequence[str] = (),
    count_form: Count | None = None,
) -> Map:
    """Return the map of the three methods by a count, and another map of forms.

    `progress` receives what was done, and how many parts there are.
    """
    parts = len(SHAPES) * len(FREEDOMS) * (len(METHODS) + len(forms))

    def panel(shape: Shape, names: Sequence[str], count: Count) -> Panel:
        def report(freedoms: int, name: str) -> None:
            if progress is not None:
                progress(f"{shape}, {freedoms} freedoms, {name}", parts)

        return counted_panel(shape, names, count, report)

    return Map(
        tuple(panel(shape, METHODS, count) for shape in SHAPES),
        tuple(published_panel(shape) for shape in SHAPES),
        tuple(forms),
        () if count_form is None else tuple(panel(shape, forms, count_form) for shape in SHAPES),
    )


def counted_map(
    timeout: float,
    progress: Callable[[str, int], None] | None = None,
    forms: Sequence[str] = (),
) -> Map:
    """Return the map that counting the forms of the three methods gives.

    One count may take `timeout` seconds. Other forms that are named are counted to accelerations.
    """
    from mbx.analyses.costs.counted import accelerations, rates_of_momenta

    notes: dict[str, str] = {}

    def total(name: str, tree: Tree, outcome: Counts | str) -> int | None:
        if isinstance(outcome, str):
            notes.setdefault(name, f"{name} on {len(tree.parents)} bodies: {outcome}")
            return None
        return outcome.arithmetic

    def method(name: str, tree: Tree) -> int | None:
        outcome = rates_of_momenta(_system_of(tree), FORMS[name], timeout=timeout)
        return total(name, tree, outcome)

    def form(name: str, tree: Tree) -> int | None:
        return total(name, tree, accelerations(_system_of(tree), name, timeout=timeout))

    cost_map = make_map(method, progress, forms, form if forms else None)
    return replace(cost_map, notes=tuple(notes.values()))


@lru_cache(maxsize=16)
def _system_of(tree: Tree) -> System:
    from mbx.base.diagnostics import Report, Source  # only for counts
    from mbx.language.text.read_text import read_text
    from mbx.linking.link import link_document
    from mbx.system.elaborate import elaborate

    report = Report()
    document = read_text(Source("limit system", model_text(tree)), report)
    linked = None if document is None else link_document(document, None, report)
    if linked is None:
        raise AssertionError(report.render())
    return elaborate(linked)


def _runs(panel: Panel, freedoms: int) -> str:
    """Return the cheapest methods of one row: `DAH 1-16, EMH 17-63`."""
    cells = [cell for cell in panel.cells if cell.freedoms == freedoms]
    parts = []
    for winner, group in groupby(cells, lambda cell: cell.winner):
        bodies = [cell.bodies for cell in group]
        span = f"{bodies[0]}" if len(bodies) == 1 else f"{bodies[0]}-{bodies[-1]}"
        parts.append(f"{winner or 'not counted'} {span}")
    return ", ".join(parts)


def _from(panel: Panel, freedoms: int, first: str, second: str) -> str:
    cells = {cell.bodies: cell for cell in panel.cells if cell.freedoms == freedoms}
    size = cheaper_from(
        lambda bodies: cells[bodies].costs.get(first),
        lambda bodies: cells[bodies].costs.get(second),
        cells,
    )
    return "-" if size is None else str(size)


def _panel_data(panel: Panel) -> dict[str, Any]:
    return {"shape": panel.shape, "cells": [_cell_data(cell) for cell in panel.cells]}


def _cell_data(cell: Cell) -> dict[str, Any]:
    return {
        "bodies": cell.bodies,
        "freedoms": cell.freedoms,
        "costs": dict(cell.costs),
        "cheapest": cell.winner,
        "known": cell.known,
    }
