"""A table for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from mbx.analyses.simulate.results.run_table import heading
from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate.runs import Column

__all__ = ["html_table"]

_MOST: Final = 50
"""Rows that are shown."""


def html_table(columns: Sequence[Column]) -> str:
    """Return columns as a table of HTML, the first rows of a long one."""
    head = "".join(f"<th>{_text(heading(column))}</th>" for column in columns)
    rows = list(zip(*(column.values.tolist() for column in columns), strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(x)}</td>' for x in row)}</tr>" for row in rows[:_MOST]
    )
    more = f"<p>{len(rows) - _MOST} more rows</p>" if len(rows) > _MOST else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    return _text(f"{value:.6g}" if isinstance(value, float) else str(value))


def _text(value: str) -> str:
    return escape(safe_text(value))
