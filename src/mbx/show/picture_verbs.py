"""What shows a model: drawings and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.deep_recursion import room
from mbx.pipeline import link

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.language.document.document import Document

__all__ = [
    "draw",
    "report",
]


@room()
def draw(
    document: Document,
    model: str | None = None,
    *,
    state: str | None = None,
    view: str | None = None,
) -> str:
    """Return a drawing of the mechanism of a model, as SVG.

    It is drawn where it starts, or at one of its states. `view` is `x`, `y`, `z`, `iso` or
    `AZ,EL` in degrees; without it, a planar model is seen straight on and a spatial one from
    where least is hidden. A model that cannot be drawn raises `DrawError`.
    """
    from mbx.show.drawing.picture import picture

    return picture(document, link(document, model), state=state, look=view).svg


@room()
def report(
    document: Document,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    verify: bool = True,
    states: int = 16,
    source: str = "",
    date: str = "",
    progress: Callable[[str, int], None] | None = None,
) -> str:
    """Return a report on a model: one page in HTML that needs nothing but itself.

    It has the model, its drawing, the forms that apply or those that are named, whether they
    agree, and what they cost. `source` and `date` are told as they are; `progress` hears what
    was done last, and how much there is in all.
    """
    from mbx.show.report.gather import Wanted, gather
    from mbx.show.report.report_page import Origin, page

    wanted = Wanted(
        forms=tuple(forms),
        verify=verify,
        states=states,
        progress=progress or (lambda _note, _count: None),
    )
    found = gather(document, link(document, model), wanted)
    return page(document, found, Origin(source, date))
