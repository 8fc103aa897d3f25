"""Drawings of a motion, and the page that plays them."""

from __future__ import annotations

import io
import re
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

import mbx
from mbx.base.extras import ExtraError
from mbx.cli.main import main
from mbx.show.drawing.film import Film, film, page
from mbx.show.drawing.marks.raster import gif

if TYPE_CHECKING:
    from pathlib import Path

CRANKS = [0.0, 1.0, 2.0, 3.0]


def swung(**given: float) -> Film:
    document = mbx.read("lib:simple_pendulum")
    states = [(0.5 * k, {"theta": x, "theta'": 0.0}) for k, x in enumerate(CRANKS)]
    return film(document, mbx.link(document), states, given)


def bars(svg: str) -> list[str]:
    return re.findall(r'd="(M[^"]*)" fill="none" stroke="#005686"', svg)


def test_all_drawings_are_on_the_same_paper_and_the_pin_stays() -> None:
    shown = swung()
    sizes = {re.search(r'viewBox="([^"]*)"', one.svg)[1] for one in shown.stills}  # type: ignore[index]
    assert len(sizes) == 1
    begins = {bars(one.svg)[0].split("L")[0] for one in shown.stills}
    assert len(begins) == 1
    assert len({bars(one.svg)[0] for one in shown.stills}) == len(CRANKS)


def test_a_stand_stays_on_its_side_when_the_body_turns_over() -> None:
    shown = swung()
    stands = [re.search(r'd="([^"]*Z)" fill="#f2f2f2"', one.svg) for one in shown.stills]
    assert len({one[1] for one in stands if one is not None}) == 1


def test_a_gif_shows_the_bar_where_the_drawing_has_it() -> None:
    shown = swung()
    picture = Image.open(io.BytesIO(gif(shown)))
    assert getattr(picture, "n_frames", 0) == len(CRANKS)
    for k, still in enumerate(shown.stills):
        picture.seek(k)
        dots = np.asarray(picture.convert("RGB"), dtype=float)
        ends = np.array([[*map(float, p.split())] for p in bars(still.svg)[0][1:].split("L")])
        x, y = (0.75 * ends[0] + 0.25 * ends[1]).round().astype(int)
        assert np.abs(dots[y, x] - [0x9E, 0xC9, 0xE2]).max() < 30
    assert gif(shown) == gif(shown)


def test_a_gif_without_matplotlib_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ExtraError, match=r"a GIF needs matplotlib; pip install .mbx\[plot\]"):
        gif(swung())


def test_a_value_that_is_given_shows() -> None:
    assert [one.svg for one in swung(m=3.0).stills] == [one.svg for one in swung().stills]
    document = mbx.read("lib:four_bar")
    linked = mbx.link(document)
    state = {v.path: 1.0 for v in (*mbx.elaborate(linked).q, *mbx.elaborate(linked).u)}
    long, short = (film(document, linked, [(0.0, state)], {"a": a}) for a in (0.1, 0.2))
    assert long.stills[0].svg != short.stills[0].svg


def test_the_page_holds_the_drawings_and_runs_its_own_script_alone() -> None:
    shown = swung()
    text = page(shown)
    drawings = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', text)
    assert [b64decode(one).decode() for one in drawings] == [one.svg for one in shown.stills]
    (script,) = re.findall(r"<script>(.*)</script>", text, re.DOTALL)
    mark = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{mark}&#39;" in text
    assert "default-src &#39;none&#39;" in text
    assert not re.search(r'(?:src|href)="(?!data:)', text)


def test_the_command_writes_an_animation(tmp_path: Path) -> None:
    out = tmp_path / "swing.html"
    asked = ["simulate", "lib:four_bar", "swing", "--until", "0.2", "--set", "a=0.1"]
    assert main([*asked, "--animate", str(out), "--quiet"]) == 0
    assert out.read_text().count("<img ") == 21
