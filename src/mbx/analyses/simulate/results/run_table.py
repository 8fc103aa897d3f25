"""The results of a run as a table: CSV or Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from mbx.base.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate.runs import Column

__all__ = ["csv_of", "guarded", "heading", "parquet_of"]

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def heading(one: Column) -> str:
    """Return the name of a column with its unit; 1 is that of ratios."""
    return f"{one.name} [{one.unit}]" if one.unit else one.name


def guarded(name: str) -> str:
    """Return a name that no spreadsheet runs as a formula."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def csv_of(columns: Sequence[Column]) -> str:
    """Return columns as CSV (RFC 4180, but with line feeds); numbers keep all their digits.

    A name or a word that a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(guarded(heading(one)) for one in columns)
    each = [map(_plain, one.values.tolist()) for one in columns]
    table.writerows(zip(*each, strict=True))
    return text.getvalue()


def _plain(cell: float | str) -> float | str:
    return guarded(cell) if isinstance(cell, str) else cell


def parquet_of(columns: Sequence[Column]) -> bytes:
    """Return columns as a Parquet file: doubles, with the unit in the metadata of each.

    Columns of whole numbers and of words are so there, too.
    """
    pa = load_extra("pyarrow", "a Parquet file", "table")
    parquet = load_extra("pyarrow.parquet", "a Parquet file", "table")
    kinds = {"f": pa.float64(), "i": pa.int64(), "U": pa.string()}
    fields = [
        pa.field(one.name, kinds[one.values.dtype.kind], metadata={"unit": one.unit})
        for one in columns
    ]
    table = pa.table([pa.array(one.values) for one in columns], schema=pa.schema(fields))
    data = io.BytesIO()
    parquet.write_table(table, data)
    return data.getvalue()
