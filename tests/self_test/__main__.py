"""`python -m self_test`: write the page of the faults into the spec."""

from __future__ import annotations

from pathlib import Path

from self_test.fault_page import write_page

Path(__file__).parents[2].joinpath("spec", "self_test.md").write_text(write_page(), "utf-8")
