"""A report as one page: no request leaves it, and no script runs in it but its own."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.html_equations import POLICY, environment, style
from mbx.language.document.document import FORMAT_VERSION
from mbx.show.report import model_part
from mbx.show.report.heat import heat_map, legend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.costs.cost_ranking import Ranking
    from mbx.language.document.document import Document
    from mbx.show.drawing.picture import Drawing
    from mbx.show.report.gather import Found
    from mbx.verify.verification import Verification

__all__ = ["Origin", "page", "verification"]

_PACKAGE: Final = "mbx.show.report"
_WIDTH: Final = 220  # of a bar, in pixels


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a report comes from: the file, and the day if it is to be told."""

    source: str = ""
    date: str = ""


def page(document: Document, found: Found, origin: Origin) -> str:
    """Return the report on what was found of a model."""
    templates = environment(_PACKAGE)
    script = templates.get_template("tabs.js").render()
    mark = b64encode(sha256(script.encode()).digest()).decode()
    described, parts = model_part.parts(found.linked)
    verified = found.verification
    return (
        templates.get_template("report.html").render(
            policy=f"{POLICY}; script-src 'sha256-{mark}'",
            style=_style(),
            script=Markup(script),  # noqa: S704  the package's own
            name=safe_text(described.name),
            title=safe_text(described.title),
            said=tuple(model_part.said(document)),
            drawing=_drawing(found.drawing),
            symbols=model_part.symbols(found.system),
            subsystems=model_part.subsystems(described),
            parts=parts,
            forms=found.forms,
            others=tuple((name, safe_text(why)) for name, why in found.others),
            **_agreement(verified),
            references=() if verified is None else verified.references,
            ranking=found.ranking,
            counts=tuple(_counts(found.ranking)),
            uncounted=tuple(
                (one.form, safe_text(one.reason))
                for one in found.ranking.entries
                if one.operations is None
            ),
            provenance=tuple(_provenance(found, origin)),
            cell=_cell,
        )
        + "\n"
    )


def verification(found: Verification) -> str:
    """Return what was found of the agreement of forms, as a piece of HTML."""
    template = environment(_PACKAGE).get_template("verification.html")
    return template.render(style=_style(), name=safe_text(found.model), **_agreement(found))


def _agreement(found: Verification | None) -> dict[str, Any]:
    return {
        "verified": found,
        "remarks": () if found is None else tuple(map(safe_text, found.remarks())),
        "heat": None if found is None or not found.forms else heat_map(found),
        "legend": legend(),
    }


def _style() -> Markup:
    own = environment(_PACKAGE).get_template("report.css").render()
    return style() + Markup(own)  # noqa: S704  the package's


def _drawing(drawing: Drawing | str) -> Markup | str:
    """Return the drawing, or why there is none."""
    if isinstance(drawing, str):
        return safe_text(drawing)
    # an image of its own: its title is told, and its size follows the page
    return Markup(re.sub(r' width="[0-9]+" height="[0-9]+"', "", drawing.svg, count=1))  # noqa: S704  escaped where it is made


def _counts(ranking: Ranking) -> Iterator[tuple[str, tuple[int, ...], str, tuple[float, ...]]]:
    """Yield each counted form: its numbers, its ratio to the cheapest, and its bars."""
    counted = [(one.form, one.operations) for one in ranking.entries if one.operations is not None]
    most = max((one.arithmetic for _, one in counted), default=0) or 1
    least = min((one.arithmetic for _, one in counted), default=0)
    for form, one in counted:
        numbers = one.add, one.mul, one.div, one.function, one.arithmetic
        ratio = f"{one.arithmetic / least:.2f}" if least else "\N{EN DASH}"
        bars = tuple(round(_WIDTH * part / most, 1) for part in (one.add, one.mul, one.div))
        yield form, numbers, ratio, bars


def _cell(value: float | None, digits: int = 6) -> str:
    """Return a number in a table."""
    return "\N{EN DASH}" if value is None else f"{value:.{digits}g}"


def _provenance(found: Found, origin: Origin) -> Iterator[tuple[str, str]]:
    try:
        number = version("mbx")
    except PackageNotFoundError:  # run from a source tree
        number = "(not installed)"
    verified = found.verification
    if origin.source:
        yield "source", safe_text(origin.source)
    if origin.date:
        yield "date", safe_text(origin.date)
    yield "mbx", number
    yield "format", str(FORMAT_VERSION)
    yield "hash of the physics", found.linked.hash
    yield "hash of the experiments", found.linked.experiment_hash
    yield "forms", f"{len(found.forms)} shown, {len(found.others)} not applicable"
    if verified is not None:
        yield "verification", f"{verified.compared} states, seed {verified.seed}"
