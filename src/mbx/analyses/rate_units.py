"""Units of rates."""

from __future__ import annotations

import re

__all__ = ["per_second"]


def per_second(unit: str) -> str:
    """Return the SI unit of the rate of something."""
    found = re.fullmatch(r"(.*)/s(?:\^(\d+))?", unit)
    if found is None:
        return f"{unit or '1'}/s"
    return f"{found[1]}/s^{int(found[2] or 1) + 1}"
