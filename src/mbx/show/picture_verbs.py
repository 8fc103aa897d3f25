"""What Python calls to show a model: `mbx.draw` and `mbx.report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.process import room
from mbx.base.short_repr import shorten_repr
from mbx.pipeline import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.pipeline import ModelLike

__all__ = ["ReportPage", "SvgDrawing", "draw", "report"]


class SvgDrawing(str):
    """A drawing: a string of SVG that a notebook shows as a picture."""

    __slots__ = ("model",)
    model: str

    def __repr__(self) -> str:
        """Return the name of the model and the size of the text."""
        return shorten_repr(f"<SvgDrawing {self.model}: {len(self)} characters>")

    def _repr_svg_(self) -> str:
        return str(self)


class ReportPage(str):
    """A report: a string of HTML that a notebook shows as a page."""

    __slots__ = ("model",)
    model: str

    def __repr__(self) -> str:
        """Return the name of the model and the size of the text."""
        return shorten_repr(f"<ReportPage {self.model}: {len(self)} characters>")

    def _repr_html_(self) -> str:
        from mbx.show.drawing.film import put_in_frame  # only where it is shown

        return str(put_in_frame(self, height=800))


@room()
def draw(
    document: ModelLike,
    *,
    model: str | None = None,
    state: str | None = None,
    view: str | None = None,
) -> SvgDrawing:
    """Draw the mechanism of a model, as SVG.

    A model that cannot be drawn raises `DrawError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.
        state: The name of the state that is drawn; else the start.
        view: "x", "y", "z", "iso", or "AZ,EL" in degrees; a planar model is seen straight on, and
            a spatial one from where least is hidden, unless it is given.

    Returns:
        A string of SVG, which a notebook shows as a picture.

    Examples:
        >>> drawing = mbx.draw("lib:four_bar")
        >>> drawing[:4]
        '<svg'
    """
    from mbx.show.drawing.picture import picture

    source, linked = resolve(document, model)
    drawing = SvgDrawing(picture(source, linked, state=state, look=view).svg)
    drawing.model = linked.model.name
    return drawing


@room()
def report(
    document: ModelLike,
    *,
    model: str | None = None,
    forms: Sequence[str] = (),
    verify: bool = True,
    states: int = 16,
    source: str = "",
    date: str = "",
    progress: Callable[[str, int], None] | None = None,
) -> ReportPage:
    """Report on a model: one page of HTML, with its drawing, its forms, and whether they agree.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.
        forms: The formalisms, "FORM" or "FORM:VARIANT"; all that support the model unless some
            are named.
        verify: Whether the forms are verified.
        states: At how many random states.
        source: The origin of the model, which the page names.
        date: The date, which the page names.
        progress: A function that is called with what was done last, and how much there is in all.

    Returns:
        A string of HTML, which a notebook shows as a page.

    Examples:
        >>> page = mbx.report("lib:simple_pendulum", forms=["kane"], verify=False)
        >>> page[:15]
        '<!DOCTYPE html>'
    """
    from mbx.show.report.gather import ReportRequest, gather
    from mbx.show.report.report_page import Origin, page

    model_document, linked = resolve(document, model)
    wanted = ReportRequest(
        forms=tuple(forms),
        verify=verify,
        states=states,
        progress=progress or (lambda _note, _count: None),
    )
    gathered = gather(model_document, linked, wanted)
    result = ReportPage(page(model_document, gathered, Origin(source, date)))
    result.model = linked.model.name
    return result
