"""The tables of `bench_derive.py`, the bounds, and what each line holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.language.document.document import Document
    from mbx.linking.link import Linked

LIBRARY: Final = {"rolling disc": "rolling_disc", "four-bar": "four_bar"}

LEAST: Final = {
    ("planar chain", "kane", 8): 300,
    ("spatial chain", "kane", 8): 1_000,
    ("planar chain", "lagrange", 8): 3_000,
    ("spatial chain", "lagrange", 7): 3_000,
}
"""How many times faster than SymPy's method of the same name, at least."""
FITTED: Final = 3
"""How many of the upper sizes the exponent is fitted to."""
EXPONENT: Final = 2.2
"""At most, for forms that build the mass matrix."""


@dataclass(frozen=True, slots=True)
class Model:
    """A mechanism, read and linked."""

    mechanism: str
    bodies: int
    document: Document
    linked: Linked

    @property
    def name(self) -> str:
        """What it is called in the tables."""
        return self.mechanism + (f", {self.bodies}" if self.mechanism not in LIBRARY else "")


@dataclass(frozen=True, slots=True)
class Ratio:
    """One comparison with SymPy."""

    model: Model
    form: str
    seconds: float
    with_link: float
    count: int
    peer: dict[str, Any]
    apart: float

    @property
    def times(self) -> float:
        """How many times faster."""
        return float(self.peer["seconds"] / self.seconds)

    @property
    def least(self) -> int | None:
        """The bound on that, if there is one."""
        return LEAST.get((self.model.mechanism, self.form, self.model.bodies))

    @property
    def missed(self) -> bool:
        """Whether it is below its bound."""
        return self.least is not None and self.times < self.least


@dataclass(frozen=True, slots=True)
class Growth:
    """How the cost of a form grows with the number of bodies."""

    mechanism: str
    form: str
    seconds: tuple[float, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    builds: bool

    @property
    def exponent(self) -> float:
        """The exponent p of seconds ~ bodies^p, by least squares on the upper sizes."""
        return _slope(self.sizes[-FITTED:], self.seconds[-FITTED:])

    @property
    def missed(self) -> bool:
        """Whether the form builds the mass matrix and grows faster than it may."""
        return self.builds and self.exponent > EXPONENT


def _slope(x: Iterable[float], y: Iterable[float]) -> float:
    slope, _ = np.polyfit([math.log(a) for a in x], [math.log(b) for b in y], 1)
    return float(slope)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def milli(seconds: float) -> str:
    """Return seconds as text in milliseconds."""
    return f"{1e3 * seconds:,.1f}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def _verdict(missed: bool, bound: str) -> str:  # noqa: FBT001
    return f"{bound}, missed" if missed else bound


def compared(ratios: list[Ratio]) -> list[str]:
    """Return the table of ratios."""
    head = (
        "mechanism, bodies",
        "form",
        "mbx, ms",
        "with link and check, ms",
        "SymPy, s",
        "SymPy / mbx",
        "bound",
        "operations, mbx",
        "operations, SymPy after cse",
    )
    return table(
        head,
        (
            (
                r.model.name,
                r.form,
                milli(r.seconds),
                milli(r.with_link),
                f"{r.peer['seconds']:.3g}",
                f"{r.times:,.0f}",
                "" if r.least is None else _verdict(r.missed, f"at least {r.least:,}"),
                f"{r.count:,}",
                f"{r.peer['operations']:,}",
            )
            for r in ratios
        ),
    )


def grown(growths: list[Growth], sizes: tuple[int, ...]) -> list[str]:
    """Return the table of growth."""
    head = ["mechanism", "form", *(f"{n}, ms" for n in sizes), "exponent", "bound"]
    head.append(f"operations, {sizes[-1]} bodies")
    rows = []
    for g in growths:
        bound = _verdict(g.missed, f"at most {EXPONENT}") if g.builds else "builds no M"
        figures = [milli(s) for s in g.seconds]
        rows.append(
            [g.mechanism, g.form, *figures, f"{g.exponent:.2f}", bound, f"{g.counts[-1]:,}"]
        )
    return table(head, rows)
