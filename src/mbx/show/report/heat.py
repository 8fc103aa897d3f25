"""The errors of every two forms as a picture: a matrix of cells, the darker the larger."""

from __future__ import annotations

from html import escape
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.verify.agreement.mutual_residuals import FAIL, PASS
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.verify.findings import Error
    from mbx.verify.verification import Verification

__all__ = ["heat_map", "legend"]

_SIZES: Final = ((14, 52, 26, 12.0), (24, 38, 20, 10.0), (1000, 26, 18, 8.0))
"""Up to how many forms cells have which width, height and letters: all fit on a page."""
_LETTER: Final = 0.58  # width of a letter by its height
_SHADES: Final = (-16, -15, -14, -13)
"""Decades at which a cell that agrees gets darker."""
_ORACLE: Final = "oracle"


def heat_map(verification: Verification) -> Markup:
    """Return the errors of a verification as SVG.

    Below the diagonal are accelerations, above it constraint forces, on it each form in itself;
    the oracle is the last.
    """
    names = [*verification.forms]
    if verification.oracle is not None and verification.oracle.states:
        names.append(_ORACLE)
    _, wide, high, letters = next(size for size in _SIZES if len(names) <= size[0])
    left = 36 + _LETTER * letters * 1.15 * max((len(name) for name in names), default=0)
    width, height = left + wide * len(names) + 2, high * (len(names) + 1) + 2
    return Markup().join(
        (
            Markup(
                '<svg class="heat" xmlns="http://www.w3.org/2000/svg" role="img" '
                'aria-label="Errors of every two forms" width="{0}" height="{1}" '
                'viewBox="0 0 {0} {1}" font-size="{2}">'
            ).format(round(width), round(height), letters),
            Markup("\n").join(_rows(verification, names, left, (wide, high))),
            Markup("</svg>"),
        )
    )


def _rows(
    verification: Verification, names: list[str], left: float, size: tuple[int, int]
) -> Iterator[Markup]:
    wide, high = size
    for k in range(len(names)):
        shown = "o" if names[k] == _ORACLE and k == len(verification.forms) else str(k + 1)
        yield _text(left + (k + 0.5) * wide, 0.68 * high, shown, "middle")
    for i, name in enumerate(names):
        y = (i + 1) * high
        yield _text(left - 28, y + 0.68 * high, name, "end")
        oracle = i == len(verification.forms)
        yield _text(left - 8, y + 0.68 * high, "o" if oracle else str(i + 1), "end", "index")
        for j, other in enumerate(names):
            error, what = _error(verification, (i, name), (j, other))
            if what:
                yield _cell(left + j * wide, y, size, error, what)


def _error(
    verification: Verification, row: tuple[int, str], column: tuple[int, str]
) -> tuple[Error | None, str]:
    """Return what stands in a cell, and what it is of; nothing if there is no such cell."""
    (i, name), (j, other) = row, column
    last = len(verification.forms)
    if i == j:
        if i == last:
            return None, ""
        return verification.own.get(name), f"{name} in its own equations"
    what = "accelerations" if j < i else "constraint forces"
    if last in {i, j} and verification.oracle is not None:
        form = other if i == last else name
        errors = verification.oracle.ud if j < i else verification.oracle.Fc
        return errors.get(form), f"{form} beside the oracle, {what}"
    pair = verification.pair(name, other)
    return pair.ud if j < i else pair.Fc, f"{name} and {other}, {what}"


def _cell(x: float, y: float, size: tuple[int, int], error: Error | None, what: str) -> Markup:
    wide, high = size
    title = f"{what}: {'not compared' if error is None else f'{error.value:.2g}'}"
    return Markup(
        '<g class="{}"><title>{}</title><rect x="{}" y="{}" width="{}" height="{}"/>'
    ).format(_shade(error), safe_text(title), _number(x), y, wide - 1, high - 1) + Markup(
        "{}</g>"
    ).format(_text(x + 0.5 * wide, y + 0.68 * high, _format_error(error), "middle"))


def _format_error(error: Error | None) -> str:
    """Return an error in a few letters."""
    if error is None:
        return "\N{MIDDLE DOT}"
    if error.value == 0:
        return "0"
    return f"{error.value:.0e}".replace("e-0", "e-").replace("e+0", "e")


def _shade(error: Error | None) -> str:
    """Return the class of a cell: by decades where forms agree, else by the verdict."""
    if error is None:
        return "none"
    verdict = judge(error)
    if verdict != "agree":
        return verdict
    if error.value > PASS:
        return "rounding"
    decade = floor(log10(error.value)) if error.value > 0 and isfinite(error.value) else -99
    return f"s{sum(decade >= shade for shade in _SHADES)}"


def legend() -> tuple[tuple[str, str], ...]:
    """Return the classes of cells, and their meanings."""
    return (
        ("s0", "below 1e-16"),
        *((f"s{k + 1}", f"1e{exponent}") for k, exponent in enumerate(_SHADES)),
        ("rounding", "rounding, by the arbiter"),
        ("undecided", f"above {PASS:.0e}: undecided"),
        ("disagree", f"above {FAIL:.0e}: disagree"),
        ("none", "not given by both"),
    )


def _text(x: float, y: float, text: str, anchor: str, shade: str = "") -> Markup:
    mark = f' class="{shade}"' if shade else ""
    return Markup(  # noqa: S704  escaped here
        f'<text x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}"{mark}>'
        f"{escape(safe_text(text))}</text>"
    )


def _number(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")
