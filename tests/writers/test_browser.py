"""Reports in a real browser: no request, a clean console, tabs that work, no foreign script."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from browser import Browser, Page
from mbx.linking.library import cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.needs("chromium")

BOXES: Final = """[...document.querySelectorAll("math")].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect()).filter((box) => !(box.width > 1 && box.height > 1))
  .length"""
SELECTED: Final = """[...document.querySelectorAll('[role=tab][aria-selected=true]')]
  .map((one) => one.textContent).join()"""
VISIBLE: Final = """[...document.querySelectorAll('.panel')]
  .filter((one) => one.checkVisibility()).map((one) => one.id).join()"""
WIDER: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
HOSTILE: Final = (
    "<script>alert(1)</script>",
    '\\"><img src=x onerror=\\"document.title=\'run\'\\">',
    "</style><script>document.title='run'</script>",
    "]]><svg onload=document.title='run'>",
    "{{ 7*7 }} {% raw %}",
    "javascript:document.title='run'",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


def opened(browser: Browser, folder: Path, text: str) -> Page:
    path = folder / "page.html"
    path.write_text(text, "utf-8")
    return browser.open(path)


def flat_formulas(page: Page) -> int:
    """Return how many formulas in sight have no box, once the page has been drawn."""
    for _ in range(50):
        count: int = page.evaluate(BOXES)
        if count == 0:
            break
        time.sleep(0.1)  # what comes into sight is laid out with the next picture
    return count


def assert_clean(page: Page) -> None:
    assert page.evaluate("document.querySelectorAll('math').length") > 3
    assert flat_formulas(page) == 0
    assert page.evaluate(WIDER) <= 0, "the page is wider than its window"
    assert page.requests() == []
    assert page.complaints() == []


@pytest.mark.parametrize("form", ["kane", "maggi"])
def test_the_steps_of_a_page_fold(form: str, browser: Browser, tmp_path: Path) -> None:
    equations = mbx.convert("lib:rolling_disc", form, page=True)
    assert equations.page is not None
    page = opened(browser, tmp_path, mbx.write(equations, "html"))
    assert_clean(page)
    lines = [f"{form}-eq-{line.number}" for line in equations.page.lines]
    shown = """[...document.querySelectorAll('.numbered')]
      .filter((one) => one.checkVisibility()).map((one) => one.id)"""
    assert page.evaluate(shown) == lines
    page.evaluate("document.querySelector('.step > summary').click()")
    rest: list[str] = page.evaluate(shown)
    assert 0 < len(rest) < len(lines)
    assert set(rest) < set(lines)


@pytest.mark.sample(1)
@pytest.mark.parametrize("model", ["four_bar", "rolling_disc", "heavy_top"])
def test_a_report_opens_clean_and_its_tabs_work(
    model: str, browser: Browser, tmp_path: Path
) -> None:
    forms = ("kane", "lagrange", "rfda")
    page = opened(browser, tmp_path, mbx.report(mbx.read(f"lib:{model}"), forms=forms, states=2))
    tabs = page.evaluate("[...document.querySelectorAll('.tabs a')].map((a) => a.textContent)")
    assert len(tabs) == 3
    assert page.evaluate(SELECTED) == tabs[0]
    page.evaluate("document.querySelectorAll('[role=tab]')[2].click()")
    assert page.evaluate(SELECTED) == tabs[2]
    assert page.evaluate(VISIBLE) == "form-3"
    page.evaluate("document.querySelectorAll('[role=tab]')[2].focus()")
    for key, k in (("ArrowDown", 0), ("ArrowRight", 1), ("End", 2), ("ArrowLeft", 1), ("Home", 0)):
        page.press(key)
        assert page.evaluate(SELECTED) == tabs[k]
        assert page.evaluate("document.activeElement.textContent") == tabs[k]
        assert page.evaluate(VISIBLE) == f"form-{k + 1}"
        assert flat_formulas(page) == 0
    assert_clean(page)
    page.close()


def test_without_scripts_all_forms_are_visible(browser: Browser, tmp_path: Path) -> None:
    text = mbx.report(mbx.read("lib:cart_pole"), forms=("kane", "gauss"), verify=False)
    (tmp_path / "page.html").write_text(text.replace("<script>", "<template>"), "utf-8")
    page = browser.open(tmp_path / "page.html")
    assert page.evaluate(VISIBLE) == "form-1,form-2"
    page.close()


def test_a_page_of_one_form_opens_clean(browser: Browser, tmp_path: Path) -> None:
    equations = mbx.convert(mbx.read("lib:slider_crank_3d_friction"), "kane")
    page = opened(browser, tmp_path, mbx.write(equations, "html"))
    assert_clean(page)
    page.close()


def test_a_breach_of_the_policy_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    text = mbx.report(mbx.read("lib:simple_pendulum"), forms=("kane",), verify=False)
    page = opened(browser, tmp_path, text.replace("</main>", "<script>x()</script></main>"))
    assert any("Content Security Policy" in one for one in page.complaints())
    page.close()


# H104, H105, H107
@pytest.mark.sample(2)
@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_texts_run_nothing(label: str, browser: Browser, tmp_path: Path) -> None:
    bidi = "\N{RIGHT-TO-LEFT OVERRIDE}abc\N{POP DIRECTIONAL FORMATTING}"
    document = mbx.loads(
        f'mbx 1 meta {{ author "{label}"  reference "{label}" }}\n'
        f'model M "{label}" {{ param m: kg = 1 "{label}"\n coordinate x: m "{label}"\n'
        " particle P { mass m  at [x, 0, 0] } }"
    )
    source = f"{label}{bidi}"
    text = mbx.report(document, forms=("kane",), states=1, source=source, date=label)
    page = opened(browser, tmp_path, text)
    said = label.replace('\\"', '"')
    assert page.evaluate("document.title") == said
    assert page.evaluate("document.querySelectorAll('script').length") == 1
    assert page.evaluate("document.querySelectorAll('img, svg[onload]').length") == 0
    assert page.evaluate("document.body.textContent.includes('\\u202e')") is False
    assert said in page.evaluate("document.body.textContent")
    assert_clean(page)
    page.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("model", sorted(one.name for one in cases()))
def test_the_report_of_every_model_of_the_library_opens_clean(
    model: str, browser: Browser, tmp_path: Path
) -> None:
    page = opened(browser, tmp_path, mbx.report(mbx.read(f"lib:{model}"), verify=False))
    count = page.evaluate("document.querySelectorAll('[role=tab]').length")
    assert count > 0
    for k in range(count):
        page.evaluate(f"document.querySelectorAll('[role=tab]')[{k}].click()")
        assert flat_formulas(page) == 0
    assert_clean(page)
    page.close()
