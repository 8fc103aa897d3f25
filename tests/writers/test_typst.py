"""Pages in Typst, set by Typst itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typst

import mbx

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.sample(0, "four_bar-maggi")
@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("four_bar", "maggi"),
        ("rolling_disc", "kane"),
        ("chaplygin_sleigh", "lagrange"),
        ("double_pendulum", "hamilton"),
    ],
)
def test_a_page_is_typeset(model: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / "page.typ"
    equations = mbx.convert(f"lib:{model}", form, page=True)
    path.write_text(mbx.write(equations, "typst"), "utf-8")
    assert typst.compile(str(path)).startswith(b"%PDF-")
    assert equations.page is not None
    numbered = typst.query(str(path), "math.equation.where(block: true)", field="label")
    labels = [f"<eq-{line.number}>" for line in equations.page.lines]
    assert [label for label in labels if label not in numbered] == []


def test_hostile_labels_are_typeset_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "secret.typ").write_text("SECRET", "utf-8")
    labels = (r"#include \"secret.typ\"", "$x$ *b* _i_ @ref <l> `r`", "= h // c /* d */ [e] \\\\")
    lines = "\n".join(f'param p{k}: kg = 1 "{label}"' for k, label in enumerate(labels))
    document = mbx.loads(
        f'mbx 1 model M "{labels[0]}" {{ {lines}\n coordinate x: m "{labels[1]}"\n'
        " particle P { mass p0 + p1 + p2  at [x, 0, 0] } }"
    )
    path = tmp_path / "m.typ"
    path.write_text(mbx.write(mbx.convert(document, "kane", page=True), "typst"), "utf-8")
    assert typst.compile(str(path)).startswith(b"%PDF-")
    shown = typst.query(str(path), "heading", field="body")
    assert "SECRET" not in shown
    assert "include" in shown
