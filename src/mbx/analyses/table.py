"""The results of a run as a table: CSV or Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from mbx.analyses.extras import ExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.simulate import Column

__all__ = ["csv_of", "heading", "parquet_of"]

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def heading(one: Column) -> str:
    """Return the name of a column with its unit; 1 is that of angles and of other ratios."""
    return f"{one.name} [{one.unit}]" if one.unit else one.name


def csv_of(columns: Sequence[Column]) -> str:
    """Return columns as CSV (RFC 4180, but with line feeds); numbers keep all their digits.

    A name that a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    names = map(heading, columns)
    table.writerow(f"'{name}" if name.startswith(_FORMULA) else name for name in names)
    table.writerows(zip(*(one.values.tolist() for one in columns), strict=True))
    return text.getvalue()


def parquet_of(columns: Sequence[Column]) -> bytes:
    """Return columns as a Parquet file: doubles, with the unit in the metadata of each."""
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415  likewise
    except ImportError:
        raise ExtraError("a Parquet file", "pyarrow", "table") from None
    fields = [pa.field(one.name, pa.float64(), metadata={"unit": one.unit}) for one in columns]
    table = pa.table([pa.array(one.values) for one in columns], schema=pa.schema(fields))
    data = io.BytesIO()
    parquet.write_table(table, data)
    return data.getvalue()
