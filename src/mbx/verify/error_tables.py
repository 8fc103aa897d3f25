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


def form_lines(verification: Verification) -> Iterator[str]:
    """Yield a line for each form with its largest error; variants that agree share a line."""
    rows = list(_form_rows(verification))
    width = max((len(name) for name, _, _ in rows), default=0)
    for name, error, what in rows:
        yield f"  {name:<{width}} {_cell(error)} {what}".rstrip()
    if any(error is not None and error.arbiter == "rounding" for _, error, _ in rows):
        yield f"  {_ROUNDING}"


def _form_rows(verification: Verification) -> Iterator[tuple[str, Error | None, str]]:
    """Yield name, largest error and what it is of: each formalism, or each of its variants."""
    families: dict[str, list[str]] = {}
    for form in verification.forms:
        families.setdefault(form.partition(":")[0], []).append(form)
    for family, forms in families.items():
        largest = {form: _largest(verification, form) for form in forms}
        if len(forms) == 1 or any(judge(error) != "agree" for error, _ in largest.values()):
            for form, (error, what) in largest.items():
                yield form, error, what
            continue
        error, what = max(largest.values(), key=lambda row: _size(row[0]))
        yield f"{family}, {len(forms)} variants", error, what


def _largest(verification: Verification, form: str) -> tuple[Error | None, str]:
    """Return the worst error of a form, and what it is of.

    Where another form is wrong, its line shows the difference, and those of the others do not.
    """
    names = (*_WORST_NAMES, *_COLUMN_NAMES)
    outliers = verification.outliers
    wrong = frozenset(() if form in outliers else outliers)
    errors = zip(
        (*_against(verification, form, wrong), *_of(verification, form, wrong)), names, strict=True
    )
    known = [(error, name) for error, name in errors if error is not None]
    return max(known, key=lambda row: _size(row[0]), default=(None, "nothing is compared"))


def _size(error: Error | None) -> float:
    """Return what errors are ordered by: what does not agree is larger than what does."""
    if error is None:
        return -1.0
    value = inf if isnan(error.value) else error.value
    return value if judge(error) == "agree" else value + 1.0


# -- tables ----------------------------------------------------------------------------------


def tables(verification: Verification, width: int | None = None) -> Iterator[str]:
    """Yield the errors of every two forms, and of each by itself, in lines of a width."""
    if len(verification.forms) <= _MATRIX:
        yield from _pairs(verification, width)
        yield ""
    yield from _singles(verification, width)
    errors = [e for pair in verification.pairs for _, e in pair.errors()]
    errors += [e for form in verification.forms for e in _of(verification, form) if e is not None]
    if any(e.arbiter == "rounding" for e in errors):
        yield _ROUNDING


def _pairs(verification: Verification, width: int | None) -> Iterator[str]:
    """Yield the table of pairs: accelerations below the diagonal, constraint forces above it."""
    heads = [f"{k:>7} " for k in range(1, len(verification.forms) + 1)]
    rows = []
    for k, a in enumerate(verification.forms):
        cells = []
        for j, b in enumerate(verification.forms):
            if j == k:
                cells.append(_cell(verification.own.get(a)))
            else:
                pair = verification.pair(a, b)
                mark = "*" if pair.via and j < k else ""
                cells.append(_cell(pair.ud if j < k else pair.Fc, mark))
        rows.append(cells)
    yield from _blocks(verification.forms, heads, rows, _PAIR, width)
    yield "accelerations below the diagonal, constraint forces above, each form in itself on it"
    if any(pair.via for pair in verification.pairs):
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


def _pairs_of(verification: Verification, form: str, without: AbstractSet[str]) -> list[Pair]:
    """Return the pairs of a form with all others except `without`."""
    return [p for p in verification.pairs if form in p.forms and without.isdisjoint(p.forms)]


def _against(
    verification: Verification, form: str, without: AbstractSet[str] = frozenset()
) -> list[Error | None]:
    """Return the errors of one form: in itself, and the worst against any other."""
    mine = _pairs_of(verification, form, without)
    return [
        verification.own.get(form),
        _worst([pair.ud for pair in mine]),
        _worst([pair.Fc for pair in mine]),
    ]


def _of(
    verification: Verification, form: str, without: AbstractSet[str] = frozenset()
) -> list[Error | None]:
    """Return the errors of one form: against the oracle, and the worst of its pairs."""
    mine = _pairs_of(verification, form, without)
    oracle = verification.oracle
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
        verification.invariants.get(form),
        verification.results.get(form),
        verification.power.get(form),
    ]


def _worst(errors: list[Error | None]) -> Error | None:
    known = [e for e in errors if e is not None]
    return max(known, key=lambda e: inf if isnan(e.value) else e.value, default=None)


def _singles(verification: Verification, width: int | None) -> Iterator[str]:
    """Yield the table of single forms; an empty column is left out."""
    rows = [_of(verification, form) for form in verification.forms]
    columns: tuple[str, ...] = COLUMNS
    if len(verification.forms) > _MATRIX:
        columns = (*WORST, *COLUMNS)
        rows = [
            [*_against(verification, form), *_of(verification, form)] for form in verification.forms
        ]
    kept = [k for k in range(len(columns)) if any(row[k] is not None for row in rows)]
    heads = [f"{columns[k]:>10} " for k in kept]
    cells = [[f"   {_cell(row[k])}" for k in kept] for row in rows]
    yield from _blocks(verification.forms, heads, cells, _SINGLE, width)
    if len(verification.forms) > _MATRIX:
        yield "ud and Fc: the worst against any other form; --json has every pair"


def _cell(error: Error | None, mark: str = "") -> str:
    """Return an error in eight characters, the last for its mark."""
    if error is None:
        return f"{'-':>7} "
    text = f"{error.value:.0e}{mark}"
    last = "~" if error.arbiter == "rounding" else _MARK[judge(error)]
    return f"{text:>7}{last}"
