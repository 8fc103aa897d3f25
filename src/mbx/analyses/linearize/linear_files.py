"""Linear systems as files: CSV for people, JSON, and arrays for NumPy and MATLAB.

All of them are the same for the same system: no file has a date.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from cmath import polar
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.linearize.along_motion import Along
from mbx.analyses.linearize.linear_system import Linear
from mbx.analyses.simulate.results.run_table import csv_of, guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.linearize.locus import Locus

__all__ = ["SUFFIXES", "file_of"]


_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_HEADER: Final = b"MATLAB 5.0 MAT-file, written by mbx"
_TEXT: Final = 116
"""Bytes of a text before the data of a MATLAB file, which would state when it was written."""


def file_of(result: Linear | Along | Locus, suffix: str) -> bytes:
    """Return a file of the kind that a suffix names."""
    return _KINDS[suffix](result)


def _json(result: Linear | Along | Locus) -> bytes:
    return (json.dumps(result.as_json(), indent=2) + "\n").encode()


def _csv(result: Linear | Along | Locus) -> bytes:
    if isinstance(result, Along):
        return csv_of(result.columns()).encode()
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerows(_matrix(result) if isinstance(result, Linear) else _roots(result))
    return text.getvalue().encode()


def _matrix(linear: Linear) -> list[list[Any]]:
    """Return A and B side by side, a row for each variable of the state."""
    head = [f"A {path}" for path in linear.x] + [f"B {path}" for path in linear.inputs]
    rows = zip(linear.x, np.hstack([linear.A, linear.B]).tolist(), strict=True)
    return [["rate of", *head], *([guarded(path), *row] for path, row in rows)]


def _roots(locus: Locus) -> list[list[Any]]:
    """Return a row for each eigenvalue of each value; for each mode, where ratios are requested."""
    head = [guarded(locus.name), "stability", "real part [1/s]", "imaginary part [rad/s]"]
    if locus.pair is None:
        rows = [
            [value, system.stability, root.real, root.imag]
            for value, system in zip(locus.values, locus.systems, strict=True)
            for root in system.eigenvalues.tolist()
        ]
        return [head, *rows]
    name = guarded("/".join(locus.pair))
    rows = [
        [value, locus.systems[k].stability, root.real, root.imag, *_polar(ratio)]
        for k, value in enumerate(locus.values)
        for root, ratio in locus.ratios(k)
    ]
    return [[*head, name, "phase [rad]"], *rows]


def _polar(ratio: complex | None) -> tuple[float | str, float | str]:
    """Return size and phase; nothing, where the second variable rests."""
    return ("", "") if ratio is None else polar(ratio)


def _arrays(result: Linear | Along | Locus) -> dict[str, Any]:
    if isinstance(result, Linear | Along):
        apart = {"t": result.t} if isinstance(result, Along) else {"T": result.T}
        return {"A": result.A, "B": result.B, "x": result.x, "inputs": result.inputs, **apart}
    roots = [system.eigenvalues for system in result.systems]
    most = max(map(len, roots))
    table = np.full((len(roots), most), np.nan, dtype=complex)
    for row, values in zip(table, roots, strict=True):
        row[: len(values)] = values
    return {"values": np.array(result.values), "eigenvalues": table}


def _npz(result: Linear | Along | Locus) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in _arrays(result).items():
            array = io.BytesIO()
            np.lib.format.write_array(array, np.array(value), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), array.getvalue())
    return data.getvalue()


def _mat(result: Linear | Along | Locus) -> bytes:
    from scipy.io import savemat

    data = io.BytesIO()
    savemat(data, {name: _cells(value) for name, value in _arrays(result).items()})
    return _HEADER.ljust(_TEXT) + data.getvalue()[_TEXT:]


def _cells(value: Any) -> Any:
    """Return names as a column of cells, and numbers with the times last, as MATLAB has them."""
    if isinstance(value, tuple):
        cells = np.empty((len(value), 1), dtype=object)
        cells[:, 0] = value
        return cells
    return np.moveaxis(value, 0, -1) if value.ndim > 2 else value  # noqa: PLR2004  a stack


_KINDS: Final[Mapping[str, Callable[[Any], bytes]]] = {
    ".json": _json,
    ".csv": _csv,
    ".npz": _npz,
    ".mat": _mat,
}
SUFFIXES: Final[Sequence[str]] = tuple(_KINDS)
