"""`python -m mbx.verify.selftest`: write the page of the faults into the spec."""

from __future__ import annotations

from pathlib import Path

from mbx.verify.selftest.page import write_page

Path(__file__).parents[4].joinpath("spec", "self_test.md").write_text(write_page(), "utf-8")
