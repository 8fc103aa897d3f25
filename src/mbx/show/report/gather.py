"""What a report tells of a model: found with what other commands use, one thing after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.costs.cost_ranking import rank
from mbx.base.errors import LimitError, MbxError, NotApplicableError
from mbx.base.workers.pool import Pool
from mbx.codegen.notation.html_equations import part, view
from mbx.formalism import registry
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

__all__ = ["Found", "Shown", "Wanted", "gather"]

_SIZE: Final = 6_000_000
"""Characters of all forms together that a page takes; the equations of the longest are left out."""
_COUNTING: Final = 20.0
"""Seconds for the operations of one form: a report is no benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a report is asked for.

    Attributes:
        forms: Which forms; all that apply, if none is named.
        verify: Whether they are verified.
        states: At how many random states.
        progress: Hears what was done last, and how much there is in all.
    """

    forms: tuple[str, ...] = ()
    verify: bool = True
    states: int = 16
    progress: Callable[[str, int], None] = field(default=lambda _note, _count: None)


@dataclass(frozen=True, slots=True)
class Shown:
    """A form, and the part of the page that speaks of it."""

    view: View
    part: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found.

    Attributes:
        linked: The model.
        system: What it means.
        drawing: The mechanism; a text says why there is none.
        forms: The forms that apply.
        others: The other forms, each with the reason.
        verification: Whether the forms agree; None if it was not asked for.
        ranking: What the forms cost.
    """

    linked: Linked
    system: System
    drawing: Drawing | str
    forms: tuple[Shown, ...]
    others: tuple[tuple[str, str], ...]
    verification: Verification | None
    ranking: Ranking


def gather(document: Document, linked: Linked, wanted: Wanted) -> Found:
    """Return what is told of a model of a document."""
    system = elaborate(linked)
    names = wanted.forms or registry.names()
    steps = 2 * len(names) + 1 + wanted.verify
    drawing = _drawn(document, linked)
    wanted.progress("drawing", steps)
    forms, others = _forms(system, names, lambda name: wanted.progress(name, steps))
    ranking = rank(
        system,
        names,
        timeout=_COUNTING,
        progress=lambda name, _: wanted.progress(f"operations of {name}", steps),
    )
    verification = None
    if wanted.verify:
        options = Options(forms=wanted.forms, states=wanted.states)
        verification = merge(verify_parts(linked, parts_of(options), Pool(1)))
        wanted.progress("verification", steps)
    return Found(
        linked=linked,
        system=system,
        drawing=drawing,
        forms=forms,
        others=others,
        verification=verification,
        ranking=ranking,
    )


def _drawn(document: Document, linked: Linked) -> Drawing | str:
    try:
        return picture(document, linked)
    except DrawError as bad:
        return str(bad)


def _forms(
    system: System, names: tuple[str, ...], progress: Callable[[str], None]
) -> tuple[tuple[Shown, ...], tuple[tuple[str, str], ...]]:
    """Return the forms that apply, and why the others do not."""
    forms: list[Shown] = []
    others: list[tuple[str, str]] = []
    for name in names:
        try:
            found = view(registry.derive(system, name))
        except NotApplicableError as refused:
            others.append((name, "; ".join(refused.reasons)))
        except LimitError:
            raise
        except MbxError as bad:
            others.append((name, f"broken: {bad}"))
        except Exception as bug:  # noqa: BLE001  one faulty form does not keep the others
            others.append((name, f"broken: {type(bug).__name__}: {bug}"))
        else:
            forms.append(_shown(found))
        progress(name)
    return _within(_SIZE, forms), tuple(others)


def _shown(found: View) -> Shown:
    return Shown(found, part(found, folded=True))


def _within(size: int, forms: list[Shown]) -> tuple[Shown, ...]:
    """Return forms that fit on a page: of the longest, only how many lines they have."""
    sizes = [len(one.part) for one in forms]
    kept = list(forms)
    for k in sorted(range(len(forms)), key=sizes.__getitem__, reverse=True):
        if sum(sizes) <= size:
            break
        found = forms[k].view
        kept[k] = _shown(replace(found, blocks=(), cut=found.lines))
        sizes[k] = len(kept[k].part)
    return tuple(kept)
