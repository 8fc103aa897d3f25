"""Pages of library models in every form: each is read back and evaluated as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbx
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.formalism.page.page_options import PageOptions
from mbx.pipeline import derive, write_files

LIBRARY = Path(__file__).parents[2] / "library"
MODELS = sorted(path.parent.name for path in LIBRARY.glob("*/model.mb"))
TEXTBOOK = ("chaplygin_sleigh", "double_pendulum", "four_bar", "rolling_disc", "cart_pole")
FORMS = tuple(name for name in registry.names() if registry.get(name).write_page is not None)
ABSENT = 0.5
"""A part of the models has no page, for it would be too long."""


def page_text(name: str, form: str) -> str | None:
    """Return the page, which is refused if an equality on it does not hold; None without one."""
    equations = derive(mbx.elaborate(f"lib:{name}"), form, page=PageOptions())
    if equations.page is None:
        return None
    [text] = write_files(equations, "text").values()
    assert "\nchecked: " in text
    return text


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("form", FORMS)
def test_the_pages_of_textbook_models_hold_as_printed(name: str, form: str) -> None:
    try:
        text = page_text(name, form)
    except NotApplicableError:
        return
    assert text is not None
    assert len(text.splitlines()) <= 110


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_pages_of_the_library_hold_as_printed(form: str) -> None:
    written = refused = absent = 0
    for name in MODELS:
        try:
            text = page_text(name, form)
        except NotApplicableError:
            refused += 1
            continue
        absent += text is None
        written += text is not None
    assert written + refused + absent == len(MODELS)
    assert absent <= ABSENT * (written + absent)
