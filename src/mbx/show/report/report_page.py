"""A report as a page: no request leaves it, and no other script runs in it."""

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
    from mbx.show.report.gather import ReportContents
    from mbx.verify.verification import Verification

__all__ = ["Origin", "page", "verification"]

_PACKAGE: Final = "mbx.show.report"
_WIDTH: Final = 220  # of a bar, in pixels


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a report comes from: the file, and the day if the page states it."""

    source: str = ""
    date: str = ""


def page(document: Document, contents: ReportContents, origin: Origin) -> str:
    """Return the page of a report."""
    templates = environment(_PACKAGE)
    script = templates.get_template("tabs.js").render()
    mark = b64encode(sha256(script.encode()).digest()).decode()
    described, parts = model_part.parts(contents.linked)
    verified = contents.verification
    return (
        templates.get_template("report.html").render(
            policy=f"{POLICY}; script-src 'sha256-{mark}'",
            style=_style(),
            script=Markup(script),  # noqa: S704  the package's own
            name=safe_text(described.name),
            title=safe_text(described.title),
            metadata=tuple(model_part.metadata(document)),
            drawing=_drawing(contents.drawing),
            symbols=model_part.symbols(contents.system),
            subsystems=model_part.subsystems(described),
            parts=parts,
            forms=contents.forms,
            excluded=tuple((name, safe_text(why)) for name, why in contents.excluded),
            **_agreement(verified),
            references=() if verified is None else verified.references,
            ranking=contents.ranking,
            counts=tuple(_counts(contents.ranking)),
            uncounted=tuple(
                (entry.form, safe_text(entry.reason))
                for entry in contents.ranking.entries
                if entry.operations is None
            ),
            provenance=tuple(_provenance(contents, origin)),
            cell=_cell,
        )
        + "\n"
    )


def verification(verified: Verification) -> str:
    """Return the agreement of forms as a piece of HTML."""
    template = environment(_PACKAGE).get_template("verification.html")
    return template.render(style=_style(), name=safe_text(verified.model), **_agreement(verified))


def _agreement(verified: Verification | None) -> dict[str, Any]:
    return {
        "verified": verified,
        "remarks": () if verified is None else tuple(map(safe_text, verified.remarks())),
        "heat": None if verified is None or not verified.forms else heat_map(verified),
        "legend": legend(),
    }


def _style() -> Markup:
    sheet = environment(_PACKAGE).get_template("report.css").render()
    return style() + Markup(sheet)  # noqa: S704  the package's


def _drawing(drawing: Drawing | str) -> Markup | str:
    """Return the drawing, or why there is none."""
    if isinstance(drawing, str):
        return safe_text(drawing)
    # an image: screen readers read its title, and its size follows the page
    return Markup(re.sub(r' width="[0-9]+" height="[0-9]+"', "", drawing.svg, count=1))  # noqa: S704  escaped where it is made


def _counts(ranking: Ranking) -> Iterator[tuple[str, tuple[int, ...], str, tuple[float, ...]]]:
    """Yield each counted form: its numbers, its ratio to the cheapest, and its bars."""
    counted = [
        (entry.form, entry.operations) for entry in ranking.entries if entry.operations is not None
    ]
    most = max((entry.arithmetic for _, entry in counted), default=0) or 1
    least = min((entry.arithmetic for _, entry in counted), default=0)
    for form, operations in counted:
        numbers = (
            operations.add,
            operations.mul,
            operations.div,
            operations.function,
            operations.arithmetic,
        )
        ratio = f"{operations.arithmetic / least:.2f}" if least else "\N{EN DASH}"
        bars = tuple(
            round(_WIDTH * part / most, 1)
            for part in (operations.add, operations.mul, operations.div)
        )
        yield form, numbers, ratio, bars


def _cell(value: float | None, digits: int = 6) -> str:
    """Return a number in a table."""
    return "\N{EN DASH}" if value is None else f"{value:.{digits}g}"


def _provenance(contents: ReportContents, origin: Origin) -> Iterator[tuple[str, str]]:
    try:
        number = version("mbx")
    except PackageNotFoundError:  # run from a source tree
        number = "(not installed)"
    verified = contents.verification
    if origin.source:
        yield "source", safe_text(origin.source)
    if origin.date:
        yield "date", safe_text(origin.date)
    yield "mbx", number
    yield "format", str(FORMAT_VERSION)
    yield "hash of the physics", contents.linked.hash
    yield "hash of the experiments", contents.linked.experiment_hash
    yield "forms", f"{len(contents.forms)} shown, {len(contents.excluded)} not applicable"
    if verified is not None:
        yield "verification", f"{verified.compared} states, seed {verified.seed}"
