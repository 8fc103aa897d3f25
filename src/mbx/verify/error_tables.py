"""The errors of a verification: a line for each form, and tables of pairs and of single forms."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING, Final

from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mbx.verify.findings import Error, Pair
    from mbx.verify.verification import Verification

__all__ = ["COLUMNS", "WORST", "form_lines", "tables"]

_MARK: Final[Mapping[str, str]] = {"agree": " ", "undecided": "?", "disagree": "!"}
_MATRIX: Final = 12
"""So many forms are shown pair by pair; of more, the worst pair of each."""
_PAIR: Final = 8
_SINGLE: Final = 11
"""Characters of a column of the table of pairs, and of that of single forms."""
_ROUNDING: Final = "~ rounding, as the arbiter shows in more digits"


# -- a line for each form --------------------------------------------------------------------


def form_lines(found: Verification) -> Iterator[str]:
    """Yield a line for each form with its largest error; variants that agree share a line."""
    rows = list(_form_rows(found))
    width = max((len(name) for name, _, _ in rows), default=0)
    for name, error, what in rows:
        yield f"  {name:<{width}} {_cell(error)} {what}".rstrip()
    if any(error is not None and error.arbiter == "rounding" for _, error, _ in rows):
        yield f"  {_ROUNDING}"


def _form_rows(found: Verification) -> Iterator[tuple[str, Error | None, str]]:
    """Yield name, largest error and what it is of: each formalism, or each of its variants."""
    families: dict[str, list[str]] = {}
    for form in found.forms:
        families.setdefault(form.partition(":")[0], []).append(form)
    for family, forms in families.items():
        largest = {form: _largest(found, form) for form in forms}
        if len(forms) == 1 or any(judge(error) != "agree" for error, _ in largest.values()):
            for form, (error, what) in largest.items():
                yield form, error, what
            continue
        error, what = max(largest.values(), key=lambda row: _size(row[0]))
        yield f"{family}, {len(forms)} variants", error, what


def _largest(found: Verification, form: str) -> tuple[Error | None, str]:
    """Return the worst error of a form, and what it is of.

    Where another form is wrong, its line shows the difference, and those of the others do not.
    """
    names = (*_WORST_NAMES, *_COLUMN_NAMES)
    outliers = found.outliers
    wrong = frozenset(() if form in outliers else outliers)
    errors = zip((*_against(found, form, wrong), *_of(found, form, wrong)), names, strict=True)
    known = [(error, name) for error, name in errors if error is not None]
    return max(known, key=lambda row: _size(row[0]), default=(None, "nothing is compared"))


def _size(error: Error | None) -> float:
    """Return what errors are ordered by: what does not agree is larger than what does."""
    if error is None:
        return -1.0
    value = inf if isnan(error.value) else error.value
    return value if judge(error) == "agree" else value + 1.0


# -- tables ----------------------------------------------------------------------------------


def tables(found: Verification, width: int | None = None) -> Iterator[str]:
    """Yield the errors of every two forms, and of each by itself, in lines of a width."""
    if len(found.forms) <= _MATRIX:
        yield from _pairs(found, width)
        yield ""
    yield from _singles(found, width)
    errors = [e for pair in found.pairs for _, e in pair.errors()]
    errors += [e for form in found.forms for e in _of(found, form) if e is not None]
    if any(e.arbiter == "rounding" for e in errors):
        yield _ROUNDING


def _pairs(found: Verification, width: int | None) -> Iterator[str]:
    """Yield the table of pairs: accelerations below the diagonal, constraint forces above it."""
    heads = [f"{k:>7} " for k in range(1, len(found.forms) + 1)]
    rows = []
    for k, a in enumerate(found.forms):
        cells = []
        for j, b in enumerate(found.forms):
            if j == k:
                cells.append(_cell(found.own.get(a)))
            else:
                pair = found.pair(a, b)
                mark = "*" if pair.via and j < k else ""
                cells.append(_cell(pair.ud if j < k else pair.Fc, mark))
        rows.append(cells)
    yield from _blocks(found.forms, heads, rows, _PAIR, width)
    yield "accelerations below the diagonal, constraint forces above, each form in itself on it"
    if any(pair.via for pair in found.pairs):
        yield "* judged in the equations of the other forms"


def _blocks(
    forms: Sequence[str],
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    cell: int,
    width: int | None,
) -> Iterator[str]:
    """Yield a table with the forms as rows; columns that are too many follow below."""
    name = max(len(form) for form in forms) + 4
    count = max(len(heads) if width is None else (width - name) // cell, 1)
    for first in range(0, len(heads), count):
        if first:
            yield ""
        part = slice(first, first + count)
        yield (" " * name + "".join(heads[part])).rstrip()
        for k, (form, cells) in enumerate(zip(forms, rows, strict=True)):
            yield (f"{k + 1:>2} {form:{name - 3}}" + "".join(cells[part])).rstrip()


COLUMNS: Final = ("oracle", "its Fc", "bodies", "reactions", "invariants", "results", "power")
WORST: Final = ("itself", "ud", "Fc")
_COLUMN_NAMES: Final = (
    "accelerations, against the oracle",
    "constraint forces, against the oracle",
    "accelerations of bodies",
    "reactions",
    "invariants",
    "its own results",
    "balance of power",
)
_WORST_NAMES: Final = ("its own equations", "accelerations", "constraint forces")


def _pairs_of(found: Verification, form: str, without: AbstractSet[str]) -> list[Pair]:
    """Return the pairs of a form with all others but some."""
    return [p for p in found.pairs if form in p.forms and without.isdisjoint(p.forms)]


def _against(
    found: Verification, form: str, without: AbstractSet[str] = frozenset()
) -> list[Error | None]:
    """Return the errors of one form: in itself, and the worst against any other."""
    mine = _pairs_of(found, form, without)
    return [
        found.own.get(form),
        _worst([pair.ud for pair in mine]),
        _worst([pair.Fc for pair in mine]),
    ]


def _of(
    found: Verification, form: str, without: AbstractSet[str] = frozenset()
) -> list[Error | None]:
    """Return the errors of one form: against the oracle, and the worst of its pairs."""
    mine = _pairs_of(found, form, without)
    oracle = found.oracle
    bodies = [pair.bodies for pair in mine]
    reactions = [pair.reactions for pair in mine]
    if oracle is not None:
        bodies.append(oracle.bodies.get(form))
        reactions.append(oracle.reactions.get(form))
    return [
        None if oracle is None else oracle.ud.get(form),
        None if oracle is None else oracle.Fc.get(form),
        _worst(bodies),
        _worst(reactions),
        found.invariants.get(form),
        found.results.get(form),
        found.power.get(form),
    ]


def _worst(errors: list[Error | None]) -> Error | None:
    known = [e for e in errors if e is not None]
    return max(known, key=lambda e: inf if isnan(e.value) else e.value, default=None)


def _singles(found: Verification, width: int | None) -> Iterator[str]:
    """Yield the table of single forms; a column that nobody fills is left out."""
    rows = [_of(found, form) for form in found.forms]
    columns: tuple[str, ...] = COLUMNS
    if len(found.forms) > _MATRIX:
        columns = (*WORST, *COLUMNS)
        rows = [[*_against(found, form), *_of(found, form)] for form in found.forms]
    kept = [k for k in range(len(columns)) if any(row[k] is not None for row in rows)]
    heads = [f"{columns[k]:>10} " for k in kept]
    cells = [[f"   {_cell(row[k])}" for k in kept] for row in rows]
    yield from _blocks(found.forms, heads, cells, _SINGLE, width)
    if len(found.forms) > _MATRIX:
        yield "ud and Fc: the worst against any other form; --json has every pair"


def _cell(error: Error | None, mark: str = "") -> str:
    """Return an error in eight characters, the last for its mark."""
    if error is None:
        return f"{'-':>7} "
    text = f"{error.value:.0e}{mark}"
    last = "~" if error.arbiter == "rounding" else _MARK[judge(error)]
    return f"{text:>7}{last}"
