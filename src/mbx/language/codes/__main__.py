"""`python -m mbx.language.codes`: write the chapter of the codes into the spec."""

from __future__ import annotations

from pathlib import Path

from mbx.language.codes import write_index

Path(__file__).parents[4].joinpath("spec", "codes.md").write_text(write_index(), "utf-8")
