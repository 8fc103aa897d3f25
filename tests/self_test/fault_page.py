"""The page of the spec that lists all faults; `python -m self_test` writes it."""

from __future__ import annotations

from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING

from self_test.metamorphic.relations import METAMORPHIC
from self_test.mutants import mutants

if TYPE_CHECKING:
    from collections.abc import Iterable

    from self_test.mutants import Mutant

__all__ = ["write_page"]


def write_page() -> str:
    """Return the page: how many faults there are, and a table for each module."""
    every = mutants()
    text = resources.files("self_test").joinpath("faults", "README.md").read_text("utf-8")
    parts = [text, "\n".join(["## How many", "", *_counts(every), ""]), _relations()]
    for module, some in groupby(every, key=lambda m: m.module):
        rows = [
            f"| `{m.id}` | {m.model} | {_expected(m)} | {', '.join(sorted(m.tags))} | {m.breaks} |"
            for m in some
        ]
        head = ["| fault | model | named | kind | what it breaks |", "|---|---|---|---|---|"]
        parts.append("\n".join([f"## `{module}`", "", *head, *rows, ""]))
    return "\n".join(parts)


def _relations() -> str:
    """Return what must not change the physics of any model."""
    rows = [f"| `{one.name}` | {one.holds} |" for one in METAMORPHIC]
    return "\n".join(
        [
            "## Relations",
            "",
            (
                "Every model is also written in other ways, and its forms and the oracle are "
                "compared with what they gave before."
            ),
            "A relation that a model excludes is not applicable, with the reason.",
            "",
            "| relation | what must hold |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def _counts(every: Iterable[Mutant]) -> list[str]:
    real = [m for m in every if not m.equivalent]
    rows = {
        "faults": real,
        "that all forms share": [m for m in real if m.shared and m.group != "verifier"],
        "elsewhere in what forms share": [m for m in real if m.group == "core" and not m.shared],
        "in a form": [m for m in real if not m.core],
        "in a declared result alone": [m for m in real if "declared" in m.tags],
        "in linking, units and experiments": [m for m in real if m.group == "front end"],
        "in the verifier and the oracle": [m for m in real if m.group == "verifier"],
        "small": [m for m in real if "small" in m.tags],
        "conditional": [m for m in real if "conditional" in m.tags],
        "equivalent": [m for m in every if m.equivalent],
    }
    return ["| kind | number |", "|---|---|", *(f"| {k} | {len(v)} |" for k, v in rows.items())]


def _expected(mutant: Mutant) -> str:
    if mutant.equivalent:
        return f"equivalent: {mutant.equivalent}"
    if mutant.bait:
        return f"verifier, by `{mutant.bait}`"
    return ", ".join(mutant.expected)
