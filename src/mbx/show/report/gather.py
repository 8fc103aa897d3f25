"""The contents of a report on a model, computed with the functions that other commands use."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.costs.cost_ranking import rank
from mbx.base.errors import LimitError, MbxError, NotApplicableError
from mbx.base.workers.pool import Pool
from mbx.codegen.notation.html_equations import part, view
from mbx.formalism import registry
from mbx.formalism.page.page_options import PageOptions
from mbx.pipeline import derive
from mbx.show.drawing.picture import picture
from mbx.show.drawing.pose import DrawError
from mbx.system.elaborate import elaborate
from mbx.verify.agreement.state_parts import merge, parts_of
from mbx.verify.many import verify_parts
from mbx.verify.run_verification import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup

    from mbx.analyses.costs.cost_ranking import Ranking
    from mbx.codegen.notation.html_equations import View
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.show.drawing.picture import Drawing
    from mbx.system.system import System
    from mbx.verify.verification import Verification

__all__ = ["FormPart", "ReportContents", "ReportRequest", "gather"]

_SIZE: Final = 6_000_000
"""Characters of all forms together that a page takes; the equations of the longest are left out."""
_FIRST: Final = ("newton_euler", "lagrange", "hamilton", "kane", "gibbs_appell", "maggi")
"""The forms that textbooks begin with, in their order."""
_COUNTING: Final = 20.0
"""Seconds for counting the operations of a form: a report is no benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What is requested of a report.

    Attributes:
        forms: The forms; all that apply, if none is named.
        verify: Whether they are verified.
        states: At how many random states.
        progress: Called with what was done last, and the number of all steps.
    """

    forms: tuple[str, ...] = ()
    verify: bool = True
    states: int = 16
    progress: Callable[[str, int], None] = field(default=lambda _note, _count: None)


@dataclass(frozen=True, slots=True)
class FormPart:
    """A form, and its part of the page."""

    view: View
    part: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContents:
    """The contents of a report.

    Attributes:
        linked: The model.
        system: What it means.
        drawing: The mechanism, or the reason why there is no drawing, as text.
        forms: The forms that apply.
        excluded: The other forms, each with the reason.
        verification: Whether the forms agree; None if it was not requested.
        ranking: What the forms cost.
    """

    linked: Linked
    system: System
    drawing: Drawing | str
    forms: tuple[FormPart, ...]
    excluded: tuple[tuple[str, str], ...]
    verification: Verification | None
    ranking: Ranking


def gather(document: Document, linked: Linked, request: ReportRequest) -> ReportContents:
    """Return the contents of a report on a model of a document."""
    system = elaborate(linked)
    names = request.forms or _in_order(registry.names())
    steps = 2 * len(names) + 1 + request.verify
    drawing = _draw(document, linked)
    request.progress("drawing", steps)
    forms, excluded = _forms(system, names, lambda name: request.progress(name, steps))
    ranking = rank(
        system,
        names,
        timeout=_COUNTING,
        progress=lambda name, _: request.progress(f"operations of {name}", steps),
    )
    verification = None
    if request.verify:
        options = Options(forms=request.forms, states=request.states)
        verification = merge(verify_parts(linked, parts_of(options), Pool(1)))
        request.progress("verification", steps)
    return ReportContents(
        linked=linked,
        system=system,
        drawing=drawing,
        forms=forms,
        excluded=excluded,
        verification=verification,
        ranking=ranking,
    )


def _draw(document: Document, linked: Linked) -> Drawing | str:
    try:
        return picture(document, linked)
    except DrawError as bad:
        return str(bad)


def _forms(
    system: System, names: tuple[str, ...], progress: Callable[[str], None]
) -> tuple[tuple[FormPart, ...], tuple[tuple[str, str], ...]]:
    """Return the forms that apply, and why the others do not."""
    forms: list[FormPart] = []
    excluded: list[tuple[str, str]] = []
    for name in names:
        try:
            equations = view(derive(system, name, specialised=False, page=PageOptions()))
        except NotApplicableError as refused:
            excluded.append((name, "; ".join(refused.reasons)))
        except LimitError:
            raise
        except MbxError as bad:
            excluded.append((name, f"broken: {bad}"))
        except Exception as bug:  # noqa: BLE001  a faulty form does not stop the others
            excluded.append((name, f"broken: {type(bug).__name__}: {bug}"))
        else:
            forms.append(_form_part(equations))
        progress(name)
    return _within(_SIZE, forms), tuple(excluded)


def _in_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return forms with those first that a class expects."""
    first = [name for name in _FIRST if name in names]
    return (*first, *(name for name in names if name not in first))


def _form_part(equations: View) -> FormPart:
    return FormPart(equations, part(equations, folded=True))


def _within(size: int, forms: list[FormPart]) -> tuple[FormPart, ...]:
    """Return forms that fit on a page: of the longest, only how many lines they have."""
    sizes = [len(form.part) for form in forms]
    kept = list(forms)
    for k in sorted(range(len(forms)), key=sizes.__getitem__, reverse=True):
        if sum(sizes) <= size:
            break
        equations = forms[k].view
        kept[k] = _form_part(replace(equations, blocks=(), cut=equations.lines))
        sizes[k] = len(kept[k].part)
    return tuple(kept)
